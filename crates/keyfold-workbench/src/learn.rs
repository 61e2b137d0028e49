//! Designs to learn from: each opens in a place of its own, beside what the command was given. And the rules
//! of the compiler, each with its reason and an example.

use crate::explore::Place;
use crate::files::Files;
use keyfold_model::{RULES, Rule};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A design to learn from.
pub struct Sample {
    /// Its name.
    pub name: String,
    /// A few sentences about it.
    pub about: String,
}

/// Makes the file of a design and its place with data, or a sentence.
pub type OpenSample = Arc<dyn Fn(&str) -> Result<(PathBuf, Place), String> + Send + Sync>;

/// The designs to learn from.
pub struct Samples {
    /// Their names, as the page lists them.
    pub all: Vec<Sample>,
    /// Opens one of them.
    pub open: OpenSample,
}

/// Models, and the place whose data they describe.
pub(crate) struct Stand {
    pub(crate) files: Files,
    pub(crate) place: Option<Place>,
}

/// What the command was given, and the designs that somebody has opened.
pub(crate) struct Stands {
    own: Arc<Stand>,
    samples: Samples,
    opened: Mutex<BTreeMap<String, Arc<Stand>>>,
}

impl Stands {
    pub(crate) fn new(own: Stand, samples: Samples) -> Stands {
        Stands {
            own: Arc::new(own),
            samples,
            opened: Mutex::new(BTreeMap::new()),
        }
    }

    /// The stand of a request: that of the design which its query names, or what the command was given.
    /// A design is opened by the first request; all later ones find what was written there.
    ///
    /// # Errors
    /// A sentence, for a design that is not there or cannot be opened.
    pub(crate) fn of(&self, query: Option<&str>) -> Result<Arc<Stand>, String> {
        let Some(name) = query.and_then(|query| query.strip_prefix("sample=")) else {
            return Ok(Arc::clone(&self.own));
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stand) = opened.get(name) {
            return Ok(Arc::clone(stand));
        }
        if self.samples.all.iter().all(|one| one.name != name) {
            return Err("there is no such design".to_owned());
        }
        let (path, place) = (self.samples.open)(name)?;
        let stand = Arc::new(Stand {
            files: Files::new(vec![path]),
            place: Some(place),
        });
        opened.insert(name.to_owned(), Arc::clone(&stand));
        Ok(stand)
    }

    /// What there is to learn.
    pub(crate) fn json(&self) -> Json {
        let sample = |one: &Sample| json!({ "name": one.name, "about": one.about });
        let samples = self.samples.all.iter().map(sample);
        json!({
            "samples": samples.collect::<Vec<_>>(),
            "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
        })
    }
}

fn rule(rule: &Rule) -> Json {
    json!({
        "code": rule.code,
        "name": rule.name,
        "isWarning": rule.is_warning(),
        "summary": rule.summary,
        "why": rule.why,
        "failing": rule.failing,
        "repaired": rule.repaired,
    })
}

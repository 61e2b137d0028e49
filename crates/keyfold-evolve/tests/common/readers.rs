//! Readers of a version, which ask every pattern of a place, and of one with the same rows in their own form
//! alone.

use super::{Row, known_fields};
use fastrand::Rng;
use keyfold_client::read::{self, Pages};
use keyfold_client::{Backend, ClientError, PageRequest, arguments};
use keyfold_evolve::Course;
use keyfold_model::evolution::Runs;
use keyfold_model::{Attribute, DefaultValue, Model, Pattern};
use keyfold_types::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The answer of a pattern: the items in their order, without what differs with each write.
pub(crate) type Answer = Vec<(String, BTreeMap<String, Value>)>;

/// A version that reads: its model, and a place with the same rows in its own form.
pub(crate) struct Reader<'m> {
    model: &'m Model,
    oracle: Arc<Backend>,
    /// Attributes that are not compared.
    pub(crate) volatile: BTreeSet<String>,
    /// Whether an item of the place may have no more than one of its own version.
    pub(crate) is_exact: bool,
}

impl<'m> Reader<'m> {
    pub(crate) fn of(model: &'m Model, oracle: &Arc<Backend>) -> Reader<'m> {
        let mut volatile = BTreeSet::new();
        for entity in &model.entities {
            volatile.extend(entity.version.clone());
            for one in &entity.attributes {
                let is_moment = matches!(
                    one.default,
                    Some(DefaultValue::Now | DefaultValue::Always | DefaultValue::New)
                );
                volatile.extend(is_moment.then(|| one.name.clone()));
            }
        }
        Reader {
            model,
            oracle: Arc::clone(oracle),
            volatile,
            is_exact: false,
        }
    }

    /// An attribute of an item of a kind.
    fn attribute(&self, kind: &str, name: &str) -> Option<&'m Attribute> {
        let entity = self.model.entity(kind.split('.').next()?)?;
        entity.attribute(name)
    }

    /// Whether an item may lack an attribute.
    fn is_optional(&self, kind: &str, name: &str) -> bool {
        let attribute = self.attribute(kind, name);
        attribute.is_some_and(|one| one.optional)
    }

    fn ask(
        &self,
        backend: &Backend,
        pattern: &Pattern,
        given: &Row,
    ) -> Result<Answer, ClientError> {
        let values = arguments::of_pattern(pattern, given)?;
        let start = PageRequest {
            now_epoch_ms: Some(1_750_000_000_000),
            ..PageRequest::default()
        };
        let found = read::run(backend, self.model, pattern, &values, &start, Pages::All)?;
        let shown = |item: &keyfold_client::FoundItem| {
            let own = item.attributes.iter();
            let own = own.filter(|(name, _)| !self.volatile.contains(name));
            // A client reads the fields of its own records.
            let own = own.map(|(name, held)| {
                let kind = self.attribute(&item.kind, name).map(|one| &one.kind);
                let held = kind.map_or_else(|| held.clone(), |kind| known_fields(kind, held));
                (name.clone(), held)
            });
            (item.kind.clone(), own.collect())
        };
        Ok(found.items.iter().map(shown).collect())
    }

    /// Asks every pattern of both places. `may_lack` are attributes that items may lack still. Returns the
    /// differences, and how many answers had items.
    pub(crate) fn differences(
        &self,
        backend: &Backend,
        (known, may_lack): (&[Row], &BTreeSet<String>),
        rng: &mut Rng,
    ) -> (Vec<String>, u64) {
        let (mut wrong, mut full) = (Vec::new(), 0);
        for pattern in &self.model.patterns {
            let Some(row) = rng.choice(known) else { break };
            let given: Option<Row> = pattern
                .parameters
                .iter()
                .filter(|one| !one.optional)
                .map(|one| Some((one.name.clone(), row.get(&one.attribute)?.clone())))
                .collect();
            let Some(given) = given else { continue };
            let wanted = match self.ask(&self.oracle, pattern, &given) {
                Ok(wanted) => wanted,
                // Its arguments are no values of the pattern.
                Err(_) => continue,
            };
            full += u64::from(!wanted.is_empty());
            let found = self.ask(backend, pattern, &given);
            let is_same = found.as_ref().is_ok_and(|found| {
                let mut pairs = found.iter().zip(&wanted);
                found.len() == wanted.len()
                    && pairs.all(|((kind, one), (other, two))| {
                        let is_there = |(name, held): (&String, &Value)| {
                            one.get(name) == Some(held)
                                || (one.get(name).is_none() && may_lack.contains(name))
                        };
                        // One that lacked an attribute may have got its default.
                        let mut more = one.keys().filter(|name| !two.contains_key(*name));
                        let is_more =
                            more.all(|name| !self.is_exact && self.is_optional(kind, name));
                        kind == other && is_more && two.iter().all(is_there)
                    })
            });
            if !is_same {
                wrong.push(format!(
                    "{} {given:?}:\n  {found:?}\n  {wanted:?}",
                    pattern.name
                ));
            }
        }
        (wrong, full)
    }
}

/// Attributes that items of the old version may lack in the new one.
pub(crate) fn optional_ones(old: &Model, new: &Model) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for entity in &new.entities {
        let other = old.entities.iter().find(|one| {
            entity.was.contains(&one.name) || (entity.was.is_empty() && one.name == entity.name)
        });
        let added = entity.attributes.iter().filter(|one| {
            let is_there = other.is_some_and(|other| other.attribute(&one.name).is_some());
            one.optional && !is_there
        });
        all.extend(added.map(|one| one.name.clone()));
    }
    all
}

/// The word for what comes after the last phase.
pub(crate) const END: &str = "end";

/// The programs that may run in the phase of a word.
pub(crate) fn running(course: &Course<'_>, word: &str) -> Runs {
    let mut phases = course.phases().iter();
    let found = phases.find(|phase| phase.step.word() == word);
    found.map_or(
        // Nothing has begun, or all is done.
        Runs {
            old_readers: word != END,
            new_readers: word == END,
            ..Runs::default()
        },
        |phase| phase.runs,
    )
}

//! What the plan says of readers, by asking: between the requests of a run, each version that may run asks every
//! pattern, and gets what it gets of a place that has the same rows in its own form alone.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, Row, carried, options, rows, run_past};
use fastrand::Rng;
use keyfold_client::read::{self, Pages};
use keyfold_client::{Backend, ClientError, PageRequest, arguments};
use keyfold_evolve::{Course, Ended};
use keyfold_model::evolution::{Runs, Step};
use keyfold_model::{DefaultValue, Model, Pattern};
use keyfold_types::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Rows of each entity.
const ROWS: usize = 12;

/// The answer of a pattern: the items in their order, without what differs with each write.
type Answer = Vec<(String, BTreeMap<String, Value>)>;

/// A version that reads: its model, and a place with the same rows in its own form.
struct Reader<'m> {
    model: &'m Model,
    oracle: Arc<Backend>,
    /// Attributes that are not compared.
    volatile: BTreeSet<String>,
}

impl<'m> Reader<'m> {
    fn of(model: &'m Model, oracle: &Arc<Backend>) -> Reader<'m> {
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
        }
    }

    /// Whether an item may lack an attribute.
    fn is_optional(&self, kind: &str, name: &str) -> bool {
        let entity = kind
            .split('.')
            .next()
            .and_then(|name| self.model.entity(name));
        let attribute = entity.and_then(|entity| entity.attribute(name));
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
            (item.kind.clone(), own.cloned().collect())
        };
        Ok(found.items.iter().map(shown).collect())
    }

    /// Asks every pattern of both places. `may_lack` are attributes that items may lack still. Returns the
    /// differences, and how many answers had items.
    fn differences(
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
                        let is_more = more.all(|name| self.is_optional(kind, name));
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
fn optional_ones(old: &Model, new: &Model) -> BTreeSet<String> {
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
const END: &str = "end";

/// The programs that may run in the phase of a word.
fn running(course: &Course<'_>, word: &str) -> Runs {
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

#[test]
fn who_may_read_gets_the_answers_of_its_own_version() {
    let (asked, full) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut wrong = Vec::new();
    for (name, old, new) in carried() {
        let course = Course::of(&old, &new);
        let optional = optional_ones(&old, &new);
        for seed in 0..2 {
            let made = rows(&old, &new, seed, ROWS);
            let same = rows(&old, &new, seed, ROWS);
            let mut readers = [Reader::of(&old, &same.old), Reader::of(&new, &made.oracle)];
            // The backfill gives them other values, which are some of the old version, too.
            let made_ones = new.entities.iter().flat_map(|one| &one.attributes);
            let made_ones = made_ones.filter(|one| one.former.is_some());
            readers[0]
                .volatile
                .extend(made_ones.map(|one| one.name.clone()));
            let known: Vec<Row> = made.rows.iter().map(|(_, row)| row.clone()).collect();
            let faults: Mutex<Vec<String>> = Mutex::default();
            let mut rng = Rng::with_seed(seed);
            let place = Arc::clone(&made.old);
            let present = Mutex::new(String::new());
            let live = |at: u64| {
                let word = present.lock().unwrap().clone();
                // The last phase deletes what only the old version had: its readers are gone.
                if !at.is_multiple_of(3) || word == Step::Drop.word() {
                    return;
                }
                let runs = running(&course, &word);
                let may = [runs.old_readers, runs.new_readers];
                let nothing = BTreeSet::new();
                let lacks = [&nothing, &optional];
                for ((reader, may), may_lack) in readers.iter().zip(may).zip(lacks) {
                    if !may {
                        continue;
                    }
                    let (found, answers) = reader.differences(&place, (&known, may_lack), &mut rng);
                    asked.fetch_add(1, Ordering::SeqCst);
                    full.fetch_add(answers, Ordering::SeqCst);
                    let mut faults = faults.lock().unwrap();
                    faults.extend(found.into_iter().map(|one| format!("in {word}: {one}")));
                }
            };
            let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
            // A gate is passed: what comes next is the phase behind it.
            let passed = |word: &str| {
                let mut phases = course
                    .phases()
                    .iter()
                    .skip_while(|one| one.step.word() != word);
                let next = phases.nth(1).map_or(END, |one| one.step.word()).to_owned();
                *present.lock().unwrap() = next;
            };
            let ended = run_past((&old, &new), &world, &options(), &passed);
            assert!(
                matches!(ended, Ok(Ended::Ready | Ended::NoDifference)),
                "{name}: {ended:#?}"
            );
            drop(world);
            let found = faults.into_inner().unwrap();
            if let Some(first) = found.first() {
                wrong.push(format!("{name} {seed}, {} faults: {first}", found.len()));
            }
            // In the end, each has all attributes.
            let new_reader = &readers[1];
            for _ in 0..5 {
                let (found, _) =
                    new_reader.differences(&made.old, (&known, &BTreeSet::new()), &mut rng);
                wrong.extend(
                    found
                        .first()
                        .map(|one| format!("{name} {seed}, at the end: {one}")),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n\n"));
    let (asked, full) = (asked.into_inner(), full.into_inner());
    assert!(
        asked > 1000 && full > 500,
        "{asked} times, {full} answers with items"
    );
}

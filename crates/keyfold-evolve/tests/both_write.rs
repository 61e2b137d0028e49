//! What the plan says of writers, by writing: where it lets both versions write, programs of both do, in turn, and
//! each keeps what the other one keeps.
//!
//! Each write goes to the place, and to two places in which everything is in the form of one version alone. All
//! three take it or refuse it; readers that may run get of the place what they get of that of their own version;
//! and at the end the place is as that of the new version.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, and looks at a few variants"
)]

mod common;

use common::readers::{END, Reader, running};
use common::records::json;
use common::{
    Fails, Faulty, Row, Rows, carried, counterpart, counterparts, differences, items, mapped,
    model, options, retyped, row, rows,
};
use fastrand::Rng;
use keyfold_client::{Backend, ClientError, arguments, write};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Evolving, Progress, Said, models_digest};
use keyfold_model::evolution::Runs;
use keyfold_model::{Attribute, Entity, Model, Type, value};
use keyfold_types::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Rows of each entity.
const ROWS: usize = 10;
/// The turns of the programs at a gate, and between two requests of the run.
const TURNS: usize = 40;

/// A list in parts of a size: a reader joins parts of any size, so that what is stored may differ.
const LIST: &str = r#"
model wiki 1
table Wiki (PK, SK)

entity Page
  pageId: string, title: string, lines: list of string?
  key    "PAGE#{pageId}"  "TEXT"
  split  lines by 2

pattern page(pageId)  -> Page?
"#;

#[derive(Debug, Clone)]
enum Does {
    Create,
    Put,
    /// Changes some attributes, and removes these.
    Update(Vec<String>),
    /// A put of the other version, which keeps what that version does not know: it removes these.
    Replace(Vec<String>),
    Delete,
}

impl Does {
    /// Whether there is an item afterwards.
    fn makes(&self) -> bool {
        matches!(self, Does::Create | Does::Put | Does::Replace(_))
    }
}

/// A write of a program: the entity of its version, and attributes.
struct Wish<'m> {
    entity: &'m Entity,
    does: Does,
    row: Row,
}

impl Wish<'_> {
    fn carry(&self, backend: &Backend, model: &Model) -> Result<(), ClientError> {
        let Wish { entity, does, row } = self;
        match does {
            Does::Create => {
                let values = arguments::of_entity(entity, row)?;
                write::create(backend, model, entity, &values)
            }
            Does::Put => {
                let values = arguments::of_entity(entity, row)?;
                write::put(backend, model, entity, &values)
            }
            Does::Update(removed) => {
                let values = arguments::some_of_entity(entity, row)?;
                write::update(backend, model, entity, &values, removed)
            }
            Does::Replace(removed) => {
                let values = arguments::of_entity(entity, row)?;
                let found = write::update(backend, model, entity, &values, removed);
                match found {
                    Err(ClientError::NotFound(_)) => write::put(backend, model, entity, &values),
                    found => found,
                }
            }
            Does::Delete => {
                let values = arguments::some_of_entity(entity, row)?;
                write::delete(backend, model, entity, &values)
            }
        }
        .map(|_| ())
    }
}

/// The old entity whose items are those of one of the new model.
fn before<'m>(old: &'m Model, new: &Model, two: &Entity) -> Option<&'m Entity> {
    let is_it = |one: &&Entity| counterparts(new, one).iter().any(|it| it.name == two.name);
    old.entities.iter().find(is_it)
}

/// The name in the old model of an attribute of the new one, where there is one.
fn name_before(one: &Entity, two: &Entity, name: &str) -> Option<String> {
    let own = two.attribute(name)?;
    let was = own.was.iter().find(|was| one.attribute(was).is_some());
    let name = was.map_or(name, String::as_str);
    one.attribute(name).map(|one| one.name.clone())
}

/// A row of the new model as one of the old model.
fn mapped_back(one: &Entity, two: &Entity, row: &Row) -> Row {
    let of = |(name, held): (&String, &String)| {
        let before = name_before(one, two, name)?;
        let (from, to) = (two.attribute(name)?, one.attribute(&before)?);
        Some((before, retyped(&from.kind, &to.kind, held)))
    };
    row.iter().filter_map(of).collect()
}

/// Both versions with their places, and what programs do there.
struct Programs<'m> {
    models: [&'m Model; 2],
    place: Arc<Backend>,
    /// The places of one version alone: of the old one, and of the new one.
    alone: [Arc<Backend>; 2],
    readers: [Reader<'m>; 2],
    rng: Rng,
    /// Rows of the new model that were written once.
    known: Vec<(&'m Entity, Row)>,
    turn: usize,
    faults: Vec<String>,
    /// Writes of each version, writes in a turn of both, and answers with items.
    wrote: [u64; 2],
    in_turn: u64,
    answers: u64,
}

impl<'m> Programs<'m> {
    /// The programs of both versions at a place with rows, beside the same rows in the old form.
    fn new(
        models: [&'m Model; 2],
        (made, same): (&mut Rows<'m>, &Rows<'m>),
        seed: u64,
    ) -> Programs<'m> {
        let [old, new] = models;
        let mut readers = [Reader::of(old, &same.old), Reader::of(new, &made.oracle)];
        for one in &mut readers {
            one.is_exact = true;
        }
        Programs {
            models,
            place: Arc::clone(&made.old),
            alone: [Arc::clone(&same.old), Arc::clone(&made.oracle)],
            readers,
            rng: Rng::with_seed(seed),
            known: std::mem::take(&mut made.rows),
            turn: 0,
            faults: Vec::new(),
            wrote: [0, 0],
            in_turn: 0,
            answers: 0,
        }
    }

    /// A write that a program of one version draws.
    fn drawn(&mut self, side: usize) -> Wish<'m> {
        let [old, new] = self.models;
        let model = self.models[side];
        let entities: Vec<&'m Entity> = model
            .entities
            .iter()
            .filter(|one| one.view.is_none())
            .collect();
        let entity = entities[self.rng.usize(0..entities.len())];
        let mut row = row(entity, &mut self.rng);
        // Most writes are of an item that is there.
        let known: Vec<Row> = self
            .known
            .iter()
            .filter_map(|(two, row)| match side {
                0 => (before(old, new, two)?.name == entity.name)
                    .then(|| mapped_back(entity, two, row)),
                _ => (two.name == entity.name).then(|| row.clone()),
            })
            .collect();
        if !known.is_empty() && self.rng.u8(0..5) > 0 {
            let held = &known[self.rng.usize(0..known.len())];
            for name in entity.identity() {
                row.extend(held.get(name).map(|held| (name.to_owned(), held.clone())));
            }
        }
        let does = match self.rng.u8(0..8) {
            0 => Does::Create,
            1 | 2 => Does::Put,
            3 => Does::Delete,
            _ => Does::Update(self.changed(entity, &mut row)),
        };
        Wish { entity, does, row }
    }

    /// Leaves some attributes of a row, and returns those that are removed.
    fn changed(&mut self, entity: &Entity, row: &mut Row) -> Vec<String> {
        let identity = entity.identity();
        row.retain(|name, _| identity.contains(&name.as_str()) || self.rng.bool());
        let is_gone =
            |one: &&Attribute| one.optional && !one.is_kept && !row.contains_key(&one.name);
        let gone = entity.attributes.iter().filter(is_gone);
        gone.map(|one| one.name.clone())
            .filter(|_| self.rng.u8(0..4) == 0)
            .collect()
    }

    /// The same write as one of the other version; `None` where it is of nothing that it has.
    fn as_other(&self, side: usize, wish: &Wish<'m>) -> Option<Wish<'m>> {
        let [old, new] = self.models;
        let (entity, row) = match side {
            0 => {
                let two = counterpart(new, wish.entity, &wish.row)?;
                (two, mapped(wish.entity, two, &wish.row))
            }
            _ => {
                let one = before(old, new, wish.entity)?;
                (one, mapped_back(one, wish.entity, &wish.row))
            }
        };
        let row = self.with_kept_fields(1 - side, (wish.entity, entity), row);
        let name = |name: &String| match side {
            0 => {
                let is_it = |two: &&Attribute| {
                    name_before(wish.entity, entity, &two.name).as_ref() == Some(name)
                };
                let found = entity.attributes.iter().find(is_it);
                found.map(|two| two.name.clone())
            }
            _ => name_before(entity, wish.entity, name),
        };
        let does = match &wish.does {
            Does::Update(removed) => Does::Update(removed.iter().filter_map(name).collect()),
            Does::Put => {
                let own = wish.entity.attributes.iter();
                let lacks = own.filter(|one| one.optional && !one.is_kept);
                let lacks = lacks.filter(|one| !wish.row.contains_key(&one.name));
                Does::Replace(lacks.filter_map(|one| name(&one.name)).collect())
            }
            other => other.clone(),
        };
        Some(Wish { entity, does, row })
    }

    /// The row with the fields of its records that only this version has, as the item at its place holds them: a
    /// writer of the other version does not know them, and is to keep them.
    fn with_kept_fields(
        &self,
        side: usize,
        (writer, own): (&Entity, &Entity),
        mut row: Row,
    ) -> Row {
        let table = &self.models[side].tables[own.table];
        for attribute in &own.attributes {
            let other = match side {
                0 => writer.attribute(&attribute.name).map(|two| &two.kind),
                _ => name_before(writer, own, &attribute.name)
                    .and_then(|name| writer.attribute(&name))
                    .map(|one| &one.kind),
            };
            let (Type::Record(record), Some(Type::Record(other))) = (&attribute.kind, other) else {
                continue;
            };
            let Some(text) = row.get(&attribute.name) else {
                continue;
            };
            let is_it = |item: &keyfold_types::Item| {
                let mut names = own.identity().into_iter();
                names.all(|name| item.get(name).map(value::display) == row.get(name).cloned())
            };
            let all = items(&self.alone[side], &table.name);
            let held = all.iter().find(|item| is_it(item));
            let held = held.and_then(|item| item.get(&attribute.name));
            let (Some(Value::M(held)), Ok(Value::M(mut made))) =
                (held, value::parse("", &attribute.kind, text))
            else {
                continue;
            };
            for (name, ..) in &record.fields {
                if let Some(held) = held.get(name)
                    && other.fields.iter().all(|(known, ..)| known != name)
                {
                    made.insert(name.clone(), held.clone());
                }
            }
            let text = json(&Value::M(made));
            row.insert(attribute.name.clone(), text);
        }
        row
    }

    /// A program of one version writes.
    fn writes(&mut self, side: usize) {
        let wish = self.drawn(side);
        let other = self.as_other(side, &wish);
        let found = wish.carry(&self.place, self.models[side]);
        let own = wish.carry(&self.alone[side], self.models[side]);
        let theirs = other
            .as_ref()
            .map(|one| one.carry(&self.alone[1 - side], self.models[1 - side]));
        let is_same = found.is_ok() == own.is_ok()
            && theirs
                .as_ref()
                .is_none_or(|theirs| theirs.is_ok() == own.is_ok());
        let version = ["old", "new"][side];
        if !is_same {
            let (name, does, row) = (&wish.entity.name, &wish.does, &wish.row);
            self.faults.push(format!(
                "{version} {does:?} {name} {row:?}: {found:?}, alone {own:?}, in the other form {theirs:?}"
            ));
        }
        self.wrote[side] += u64::from(found.is_ok());
        let two = match side {
            0 => other,
            _ => Some(wish),
        };
        if let Some(two) = two.filter(|two| found.is_ok() && two.does.makes()) {
            self.known.push((two.entity, two.row));
        }
    }

    /// The programs that may run have their turn.
    fn turn(&mut self, runs: Runs) {
        let both = [runs.old_writers, runs.new_writers];
        let side = match both {
            [true, true] => self.turn % 2,
            [old, _] => usize::from(!old),
        };
        self.turn += 1;
        if both[side] {
            self.writes(side);
            self.in_turn += u64::from(both == [true, true]);
        }
        if self.turn.is_multiple_of(3) {
            for (at, may) in [runs.old_readers, runs.new_readers].into_iter().enumerate() {
                if may {
                    self.reads(at);
                }
            }
        }
    }

    /// A program of one version asks every pattern.
    fn reads(&mut self, side: usize) {
        // What the old version calls otherwise, its patterns ask by its own name.
        let known: Vec<Row> = match side {
            0 => self
                .known
                .iter()
                .filter_map(|(two, row)| {
                    let one = before(self.models[0], self.models[1], two)?;
                    Some(mapped_back(one, two, row))
                })
                .collect(),
            _ => self.known.iter().map(|(_, row)| row.clone()).collect(),
        };
        let reader = &self.readers[side];
        let (found, full) =
            reader.differences(&self.place, (&known, &BTreeSet::new()), &mut self.rng);
        self.answers += full;
        let version = ["old", "new"][side];
        self.faults.extend(
            found
                .into_iter()
                .map(|one| format!("{version} reader: {one}")),
        );
    }
}

/// Carries a pair to its end, with the programs between the requests. Returns the faults, and what was done.
fn carry<'m>(old: &'m Model, new: &'m Model, seed: u64) -> (Vec<String>, [u64; 3]) {
    let (mut made, same) = (rows(old, new, seed, ROWS), rows(old, new, seed, ROWS));
    let course = Course::of(old, new);
    let programs = Mutex::new(Programs::new([old, new], (&mut made, &same), seed));
    let first = running(
        &course,
        course.phases().first().map_or(END, |one| one.step.word()),
    );
    // The new version comes with its first gate.
    let present = Mutex::new(Runs {
        new_readers: false,
        new_writers: false,
        ..first
    });
    let turn = || {
        let runs = *present.lock().unwrap();
        programs.lock().unwrap().turn(runs);
    };
    let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(|_| turn())));
    let (options, progress) = (options(), Progress::default());
    let surroundings = (&world as &dyn World, &options, &progress);
    let evolving = Evolving::new(&course, models_digest("old", "new"), surroundings);
    let mut said = Said::default();
    let ended = loop {
        match evolving.run(&said).unwrap() {
            Ended::Gate(at, word) => {
                let phases = course.phases();
                let at = usize::try_from(at).unwrap();
                *present.lock().unwrap() = phases[at].runs;
                (0..TURNS).for_each(|_| turn());
                // The command says again at which gate it stands, while the programs go on.
                assert!(matches!(
                    evolving.run(&Said::default()),
                    Ok(Ended::Gate(..))
                ));
                // It is done when those that may not run in the next phase are stopped.
                *present.lock().unwrap() = phases
                    .get(at + 1)
                    .map_or_else(|| running(&course, END), |next| next.runs);
                said.done = Some(word);
            }
            Ended::Ready => break evolving.complete(false).unwrap(),
            other => break other,
        }
    };
    drop(world);
    let mut programs = programs.into_inner().unwrap();
    if ended != Ended::Ready {
        programs.faults.push(format!("{ended:#?}"));
    }
    for _ in 0..TURNS {
        programs.reads(1);
    }
    if old.entities.iter().all(|one| one.split.is_none()) {
        programs.faults.extend(differences(old, new, &made));
    }
    let Programs {
        faults,
        wrote,
        in_turn,
        answers,
        ..
    } = programs;
    (faults, [wrote[0].min(wrote[1]), in_turn, answers])
}

#[test]
fn writers_of_both_go_on_where_the_plan_lets_them() {
    let (mut wrong, mut pairs, mut done) = (Vec::new(), Vec::new(), [0; 3]);
    let mut all = carried();
    let (two, three) = (model(LIST), model(&LIST.replace("by 2", "by 3")));
    all.push(("list".to_owned(), two.clone(), three.clone()));
    all.push(("list back".to_owned(), three, two));
    for (name, old, new) in all {
        let course = Course::of(&old, &new);
        let is_both = course
            .phases()
            .iter()
            .any(|one| one.runs.old_writers && one.runs.new_writers);
        if !is_both {
            continue;
        }
        for seed in 0..4 {
            let (faults, counts) = carry(&old, &new, seed);
            for (sum, one) in done.iter_mut().zip(counts) {
                *sum += one;
            }
            if let Some(first) = faults.first() {
                wrong.push(format!("{name} {seed}, {} faults: {first}", faults.len()));
                break;
            }
        }
        pairs.push(name);
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(pairs.len() >= 14, "{pairs:?}");
    let [of_each, in_turn, answers] = done;
    assert!(
        of_each > 500 && in_turn > 1000 && answers > 500,
        "{of_each} writes of each version, {in_turn} in turn, {answers} answers with items"
    );
}

/// A moment that each write of one version sets says nothing where the other one writes, too, whichever of both it is.
#[test]
fn a_moment_of_each_write_is_that_of_writers_of_one_version() {
    let of_name = |(name, ..): &(String, Model, Model)| name == "attribute_touched";
    let (_, old, new) = carried().into_iter().find(of_name).unwrap();
    for (old, new) in [(&old, &new), (&new, &old)] {
        let verdicts = Course::of(old, new).evolution.verdicts;
        assert!(verdicts.old_reader.is_yes() && verdicts.new_reader.is_yes());
        assert!(!verdicts.writers.is_yes(), "{:?}", verdicts.writers);
    }
}

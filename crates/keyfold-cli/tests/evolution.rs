//! Holds the verdicts of `evolve` against data. Random rows are written by the client of one version
//! and read by that of the other: where a verdict lets a reader run, each pattern answers what it
//! answers on items that its own version wrote. The models are those of `testscripts/evolve`.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

use fastrand::Rng;
use keyfold_client::{Backend, PageRequest, arguments, read, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::evolution::evolve;
use keyfold_model::{Attribute, Entity, Model, Pattern, Type};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Rows of each entity.
const ROWS: usize = 10;
/// Draws of rows for each pair of models.
const DRAWS: u64 = 3;

type Row = BTreeMap<String, String>;

fn model(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    match compiled.model {
        Some(model) => model,
        None => panic!("{text}\n{:#?}", compiled.diagnostics),
    }
}

/// The models of the scripts, each pair with its name.
fn pairs() -> Vec<(String, Model, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testscripts/evolve");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|one| one == "script") {
            let text = std::fs::read_to_string(&path).unwrap();
            let (old, new) = text.split_once("=== new\n").unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            all.push((name, model(old), model(new)));
        }
    }
    all.sort_by(|one, two| one.0.cmp(&two.0));
    all
}

/// The two models, and which of them writes what the other reads.
struct Crossing<'m> {
    writer: &'m Model,
    reader: &'m Model,
    /// Whether the writer is the old version.
    is_forward: bool,
}

impl<'m> Crossing<'m> {
    /// The reader's entity that an entity of the writer is.
    fn entity(&self, own: &Entity) -> Option<&'m Entity> {
        if self.is_forward {
            let mut all = self.reader.entities.iter();
            let renamed = all.find(|one| one.was.contains(&own.name));
            return renamed.or_else(|| self.reader.entity(&own.name));
        }
        let was = own.was.iter().find_map(|was| self.reader.entity(was));
        was.or_else(|| self.reader.entity(&own.name))
    }

    /// The reader's name of an attribute of the writer.
    fn name(&self, own: &Entity, other: &Entity, name: &str) -> Option<String> {
        let found = if self.is_forward {
            let mut all = other.attributes.iter();
            let renamed = all.find(|one| one.was.iter().any(|was| was == name));
            renamed.or_else(|| other.attribute(name))
        } else {
            let mut was = own.attribute(name).into_iter().flat_map(|one| &one.was);
            was.find_map(|was| other.attribute(was))
                .or_else(|| other.attribute(name))
        };
        found.map(|one| one.name.clone())
    }
}

/// A value of a type, as text. Few values, so that rows meet.
fn drawn(attribute: &Attribute, rng: &mut Rng) -> Option<String> {
    let texts = ["a", "b", "A#b", "b-c", "x y"];
    Some(match &attribute.kind {
        Type::String => rng.choice(texts).unwrap().to_owned(),
        Type::Int => rng.i32(0..50).to_string(),
        Type::Number => ["1.5", "7", "0.25"][rng.usize(0..3)].to_owned(),
        Type::Bool => rng.bool().to_string(),
        Type::Words(words) => rng.choice(words).unwrap().clone(),
        Type::Time(_) => format!("2024-01-1{}T10:00:0{}Z", rng.u8(0..3), rng.u8(0..5)),
        Type::Date => format!("2024-01-1{}", rng.u8(0..3)),
        Type::Record(_) => json(&attribute.kind, rng)?,
        Type::List(of) if matches!(**of, Type::Record(_)) => json(&attribute.kind, rng)?,
        Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_) => return None,
    })
}

/// A record, or a list of them, in JSON. The fields are texts and numbers.
fn json(kind: &Type, rng: &mut Rng) -> Option<String> {
    Some(match kind {
        Type::String => format!("\"{}\"", rng.choice(["p", "q"])?),
        Type::Int => rng.u8(0..9).to_string(),
        Type::List(of) => format!("[{}]", json(of, rng)?),
        Type::Record(record) => {
            let mut fields = Vec::new();
            for (name, kind, optional) in &record.fields {
                if !optional || rng.bool() {
                    fields.push(format!("\"{name}\": {}", json(kind, rng)?));
                }
            }
            format!("{{{}}}", fields.join(", "))
        }
        Type::Number
        | Type::Bool
        | Type::Words(_)
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Map(_)
        | Type::Set(_) => return None,
    })
}

fn row(entity: &Entity, rng: &mut Rng) -> Row {
    let mut row = Row::new();
    for one in entity.attributes.iter().filter(|one| !one.is_kept) {
        if !one.optional || rng.bool() {
            row.extend(drawn(one, rng).map(|value| (one.name.clone(), value)));
        }
    }
    row
}

fn opened(model: &Model) -> Backend {
    let engine = Engine::open(EngineOptions {
        // Items whose time is over stay: one version of a model says when that is, the other does not.
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    })
    .unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    backend
}

fn create(backend: &Backend, model: &Model, entity: &Entity, row: &Row) -> bool {
    let given = row.clone();
    let values = arguments::of_entity(entity, &given);
    values.is_ok_and(|values| write::create(backend, model, entity, &values).is_ok())
}

fn delete(backend: &Backend, model: &Model, entity: &Entity, row: &Row) {
    let values = arguments::of_entity(entity, row).unwrap();
    write::delete(backend, model, entity, &values).unwrap();
}

/// What each pattern of the reader answers, without the attributes that the writer does not have.
fn answers(backend: &Backend, crossing: &Crossing<'_>, rows: &[Row]) -> Vec<String> {
    let mut all = Vec::new();
    for pattern in &crossing.reader.patterns {
        for row in rows {
            let mut given = Row::new();
            for one in &pattern.parameters {
                let held = row.get(&one.attribute).or_else(|| row.get(&one.name));
                given.extend(held.map(|held| (one.name.clone(), held.clone())));
            }
            let Ok(values) = arguments::of_pattern(pattern, &given) else {
                continue;
            };
            let found = read::run(
                backend,
                crossing.reader,
                pattern,
                &values,
                &PageRequest::default(),
                read::Pages::All,
            );
            let answer = match found {
                Err(error) => format!("{error}"),
                Ok(found) => {
                    let one = |one: &keyfold_client::FoundItem| shown(crossing, pattern, one);
                    found.items.iter().map(one).collect::<Vec<_>>().join("\n")
                }
            };
            all.push(format!("{} {given:?}: {answer}", pattern.name));
        }
    }
    all
}

/// An item with the attributes that both versions have.
fn shown(crossing: &Crossing<'_>, pattern: &Pattern, item: &keyfold_client::FoundItem) -> String {
    let kind = item.kind.split('.').next().unwrap();
    let mut returned = pattern
        .returned
        .iter()
        .map(|one| &crossing.reader.entities[one.entity]);
    let own = returned.find(|one| one.name == kind);
    let mut writers = crossing.writer.entities.iter();
    let writer = own.and_then(|own| {
        let is_it = |one: &&Entity| crossing.entity(one).is_some_and(|two| two.name == own.name);
        Some((own, writers.find(is_it)?))
    });
    let Some((own, writer)) = writer else {
        return format!("{kind} of one version alone");
    };
    let is_common = |name: &str| {
        let mut all = writer.attributes.iter();
        all.any(|one| crossing.name(writer, own, &one.name).as_deref() == Some(name))
    };
    let held = item.attributes.iter().filter(|(name, _)| is_common(name));
    format!("{kind} {:?}", held.collect::<Vec<_>>())
}

/// Whether a reader answers the same on items of the other version as on those of its own; the first
/// answer that differs.
fn difference(crossing: &Crossing<'_>, seed: u64) -> Option<String> {
    let mut rng = Rng::with_seed(seed);
    let Crossing { writer, reader, .. } = crossing;
    // The indexes that the reader asks are there: that they are made is a phase of its own.
    let (foreign, own) = (opened(reader), opened(reader));
    for table in &writer.tables {
        if !reader.tables.iter().any(|one| one.name == table.name) {
            return None;
        }
    }
    let mut rows = Vec::new();
    for entity in writer.entities.iter().filter(|one| one.view.is_none()) {
        let other = crossing.entity(entity);
        for _ in 0..ROWS {
            let row = row(entity, &mut rng);
            if !create(&foreign, writer, entity, &row) {
                continue;
            }
            let Some(other) = other else {
                rows.push(row);
                continue;
            };
            let mapped: Row = row
                .iter()
                .filter_map(|(name, value)| {
                    Some((crossing.name(entity, other, name)?, value.clone()))
                })
                .collect();
            if create(&own, reader, other, &mapped) {
                rows.push(mapped);
            } else {
                delete(&foreign, writer, entity, &row);
            }
        }
    }
    let (one, two) = (
        answers(&foreign, crossing, &rows),
        answers(&own, crossing, &rows),
    );
    let differs = one.iter().zip(&two).find(|(one, two)| one != two);
    differs.map(|(one, two)| format!("of the other version's items: {one}\nof its own: {two}"))
}

/// Each verdict about a reader is held against data: one that lets it run is never wrong. Most verdicts
/// against are seen in the data, too, so that this finds a verdict that lets a reader run and should not.
/// The others are about writers that change items, an index that is not there, or a value that was not
/// drawn.
#[test]
fn readers_that_may_run_answer_as_on_their_own_items() {
    let (mut allowed, mut refused) = (0, 0);
    let (mut wrong, mut seen) = (Vec::new(), Vec::new());
    for (name, old, new) in pairs() {
        let verdicts = evolve(&old, &new).verdicts;
        let readers = [
            (&old, &new, true, verdicts.new_reader.is_yes()),
            (&new, &old, false, verdicts.old_reader.is_yes()),
        ];
        for (writer, reader, is_forward, may) in readers {
            let crossing = Crossing {
                writer,
                reader,
                is_forward,
            };
            let found = (0..DRAWS).find_map(|seed| difference(&crossing, seed));
            let who = if is_forward { "new" } else { "old" };
            allowed += usize::from(may);
            refused += usize::from(!may);
            match (may, found) {
                (true, Some(found)) => wrong.push(format!("{name}: the {who} reader: {found}")),
                (false, Some(_)) => seen.push(format!("{name}, {who} reader")),
                (true | false, None) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(allowed > 50, "{allowed} verdicts let a reader run");
    assert!(
        seen.len() * 2 > refused,
        "{} of {refused} verdicts against are seen: {seen:#?}",
        seen.len()
    );
}

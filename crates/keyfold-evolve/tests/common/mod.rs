//! Pairs of models with random rows: written through the old one and carried to the new one, beside an
//! oracle to which the same rows were written through the new one.
#![allow(dead_code, reason = "each test uses what it needs")]

pub(crate) mod readers;
pub(crate) mod records;

use fastrand::Rng;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::{Backend, ClientError, arguments, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Evolving, Options, Progress, ROWS, Said, models_digest};
use keyfold_model::schema::{Former, FormerNumber, FormerPart, FormerSign};
use keyfold_model::{Attribute, DefaultValue, Entity, Model, Type};
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) use records::{known_fields, retyped};

pub(crate) type Row = BTreeMap<String, String>;

pub(crate) fn model(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    match compiled.model {
        Some(model) => model,
        None => panic!("{text}\n{:#?}", compiled.diagnostics),
    }
}

/// The pairs of models of the scripts of `keyfold evolve plan`, and those of this crate.
pub(crate) fn pairs() -> Vec<(String, Model, Model)> {
    let of = |(name, old, new): (String, String, String)| (name, model(&old), model(&new));
    texts().into_iter().map(of).collect()
}

/// The texts of these pairs.
pub(crate) fn texts() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in ["../keyfold-cli/testscripts/evolve", "testscripts"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|one| one == "script") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (old, new) = text.split_once("=== new\n").unwrap();
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                all.push((name, old.to_owned(), new.to_owned()));
            }
        }
    }
    all.sort_by(|one, two| one.0.cmp(&two.0));
    all
}

pub(crate) fn opened(model: &Model) -> Arc<Backend> {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    Arc::new(backend)
}

/// A value of a type, as text. Few values, so that rows meet.
fn drawn(attribute: &Attribute, rng: &mut Rng) -> Option<String> {
    let texts = ["a", "b", "A#b", "b-c", "x y", "c", "dd"];
    Some(match &attribute.kind {
        Type::String => rng.choice(texts).unwrap().to_owned(),
        Type::Int => rng.i32(0..50).to_string(),
        Type::Number => ["1.5", "7", "0.25"][rng.usize(0..3)].to_owned(),
        Type::Bool => rng.bool().to_string(),
        Type::Words(words) => rng.choice(words).unwrap().clone(),
        Type::Time(_) => format!("2099-01-1{}T10:00:0{}Z", rng.u8(0..3), rng.u8(0..5)),
        Type::Date => format!("2099-01-1{}", rng.u8(0..3)),
        Type::Binary => ["aGVq", "YQ=="][rng.usize(0..2)].to_owned(),
        Type::List(of) if matches!(**of, Type::Record(_)) => json_drawn(&attribute.kind, rng)?,
        Type::Record(_) => json_drawn(&attribute.kind, rng)?,
        Type::List(_) => {
            let count = rng.usize(0..8);
            let all: Vec<String> = (0..count).map(|_| listed(attribute, rng)).collect();
            format!("[{}]", all.join(","))
        }
        Type::Period(_) | Type::Ulid | Type::Uuid | Type::Map(_) | Type::Set(_) => {
            return None;
        }
    })
}

/// A value of a type in JSON, with or without its optional fields.
fn json_drawn(kind: &Type, rng: &mut Rng) -> Option<String> {
    Some(match kind {
        Type::Record(record) => {
            let mut fields = Vec::new();
            for (name, kind, optional) in &record.fields {
                if !optional || rng.bool() {
                    fields.push(format!("\"{name}\": {}", json_drawn(kind, rng)?));
                }
            }
            format!("{{{}}}", fields.join(", "))
        }
        Type::List(of) => {
            let count = rng.usize(0..4);
            let all: Option<Vec<String>> = (0..count).map(|_| json_drawn(of, rng)).collect();
            format!("[{}]", all?.join(", "))
        }
        Type::String => format!("\"{}\"", rng.choice(["p", "q", "r"])?),
        Type::Int | Type::Number => rng.u8(0..9).to_string(),
        Type::Bool => rng.bool().to_string(),
        Type::Words(words) => format!("\"{}\"", rng.choice(words)?),
        Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Map(_)
        | Type::Set(_) => return None,
    })
}

fn listed(attribute: &Attribute, rng: &mut Rng) -> String {
    let is_number =
        matches!(&attribute.kind, Type::List(of) if matches!(**of, Type::Int | Type::Number));
    match is_number {
        true => rng.u8(0..9).to_string(),
        false => format!("\"{}\"", rng.choice(["p", "q", "r"]).unwrap()),
    }
}

pub(crate) fn row(entity: &Entity, rng: &mut Rng) -> Row {
    let mut row = Row::new();
    for one in entity.attributes.iter().filter(|one| !one.is_kept) {
        if !one.optional || rng.bool() {
            row.extend(drawn(one, rng).map(|value| (one.name.clone(), value)));
        }
    }
    row
}

pub(crate) fn create(backend: &Backend, model: &Model, entity: &Entity, row: &Row) -> bool {
    let values = arguments::of_entity(entity, row);
    values.is_ok_and(|values| write::create(backend, model, entity, &values).is_ok())
}

pub(crate) fn put(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    row: &Row,
) -> Result<(), ClientError> {
    let values = arguments::of_entity(entity, row)?;
    write::put(backend, model, entity, &values).map(|_| ())
}

/// Changes the attributes of a row.
pub(crate) fn update(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    row: &Row,
) -> Result<(), ClientError> {
    let values = arguments::some_of_entity(entity, row)?;
    write::update(backend, model, entity, &values, &[]).map(|_| ())
}

/// Deletes the entity of a row, by what it is found by.
pub(crate) fn delete_one(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    row: &Row,
) -> Result<(), ClientError> {
    let names = entity.identity();
    let key = row
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()));
    let key = key.map(|(name, held)| (name.clone(), held.clone()));
    let values = arguments::some_of_entity(entity, &key.collect::<Row>())?;
    write::delete(backend, model, entity, &values).map(|_| ())
}

pub(crate) fn delete(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    row: &Row,
) -> Result<(), ClientError> {
    let values = arguments::of_entity(entity, row)?;
    write::delete(backend, model, entity, &values).map(|_| ())
}

/// The entities of the new model that one of the old model is.
pub(crate) fn counterparts<'m>(new: &'m Model, old: &Entity) -> Vec<&'m Entity> {
    let all = new.entities.iter();
    let renamed = all.filter(|one| one.was.contains(&old.name));
    let own = new
        .entity(&old.name)
        .filter(|own| !own.was.contains(&old.name));
    renamed.chain(own).collect()
}

/// The entity of the new model that a row of one of the old model is of.
pub(crate) fn counterpart<'m>(new: &'m Model, old: &Entity, row: &Row) -> Option<&'m Entity> {
    let all = counterparts(new, old);
    let mut parts = all.iter().filter(|one| {
        let part = one.part.as_ref();
        part.is_some_and(|(name, value)| row.get(name) == Some(value))
    });
    let found = parts.next();
    found
        .or_else(|| all.iter().find(|one| one.part.is_none()))
        .copied()
}

/// A row of the old model as one of the new model.
pub(crate) fn mapped(old: &Entity, new: &Entity, row: &Row) -> Row {
    let mut all = Row::new();
    for two in &new.attributes {
        if let Some(former) = &two.former {
            // A value that has its new form already stays; what cannot be made gets the default.
            all.extend(made(former, old, row).map(|held| (two.name.clone(), held)));
            continue;
        }
        let was = two.was.iter().find(|was| old.attribute(was).is_some());
        let name = was.unwrap_or(&two.name);
        let (Some(one), Some(text)) = (old.attribute(name), row.get(name)) else {
            continue;
        };
        let text = match (&one.kind, &two.kind) {
            (Type::Time(_), Type::Date) => text[..10].to_owned(),
            (Type::Date, Type::Time(_)) => format!("{text}T00:00:00Z"),
            (from, to) => retyped(from, to, text),
        };
        all.insert(two.name.clone(), text);
    }
    all
}

/// What a value of the old model becomes, by code of its own.
fn made(former: &Former, old: &Entity, row: &Row) -> Option<String> {
    let number = |one: &FormerNumber| match one {
        FormerNumber::Fixed(number) => number.to_string().parse::<f64>().ok(),
        FormerNumber::Attribute(name) => row.get(name)?.parse().ok(),
    };
    Some(match former {
        Former::Text(parts) => {
            let part = |part: &FormerPart| match part {
                FormerPart::Text(text) => Some(text.clone()),
                FormerPart::Field { name, formats } => {
                    let held = row.get(name)?;
                    Some(match formats.first().map(String::as_str) {
                        None => held.clone(),
                        Some("day") => held[..10].to_owned(),
                        Some(_) => held.to_lowercase(),
                    })
                }
            };
            parts.iter().map(part).collect::<Option<String>>()?
        }
        Former::Words { of, words, other } => {
            let held = row.get(of)?;
            let found = words.iter().find(|(word, _)| word == held);
            let after = found.map(|(_, after)| after).or(other.as_ref());
            after.unwrap_or(held).clone()
        }
        Former::Entities(words) => {
            let mut all = words.iter();
            all.find(|(entity, _)| *entity == old.name)?.1.clone()
        }
        Former::Number { first, rest } => {
            let mut sum = number(first)?;
            for (sign, one) in rest {
                let one = number(one)?;
                match sign {
                    FormerSign::Plus => sum += one,
                    FormerSign::Minus => sum -= one,
                    FormerSign::Times => sum *= one,
                }
            }
            sum.to_string()
        }
    })
}

/// Random rows in both: `(old, oracle)`, with the rows of the new model.
pub(crate) struct Rows<'m> {
    pub(crate) old: Arc<Backend>,
    pub(crate) oracle: Arc<Backend>,
    pub(crate) rows: Vec<(&'m Entity, Row)>,
}

pub(crate) fn rows<'m>(old: &Model, new: &'m Model, seed: u64, count: usize) -> Rows<'m> {
    let mut rng = Rng::with_seed(seed);
    let mut all = Rows {
        old: opened(old),
        oracle: opened(new),
        rows: Vec::new(),
    };
    for entity in old.entities.iter().filter(|one| one.view.is_none()) {
        for _ in 0..count {
            let row = row(entity, &mut rng);
            let other = counterpart(new, entity, &row);
            if !create(&all.old, old, entity, &row) {
                continue;
            }
            let Some(other) = other else { continue };
            let mapped = mapped(entity, other, &row);
            if create(&all.oracle, new, other, &mapped) {
                all.rows.push((other, mapped));
            } else {
                delete(&all.old, old, entity, &row).unwrap();
            }
        }
    }
    all
}

/// All items of a table.
pub(crate) fn items(backend: &Backend, table: &str) -> Vec<Item> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("another answer");
        };
        all.extend(
            page.items
                .unwrap_or_default()
                .iter()
                .map(|item| item.to_item()),
        );
        after = page.last_evaluated_key;
        if after.is_none() {
            return all;
        }
    }
}

/// What is in a place and not as in the oracle. Attributes that only the old model has stay; those that are
/// made by the moment or count writes differ.
pub(crate) fn differences(old: &Model, new: &Model, rows: &Rows<'_>) -> Vec<String> {
    // What the plan says that items keep: attributes that their entity has no more, and the key attributes
    // of indexes that are gone.
    let mut kept: BTreeSet<String> = BTreeSet::new();
    for entity in &old.entities {
        let others = counterparts(new, entity);
        let is_gone = |one: &&Attribute| {
            let mut lacking = others
                .iter()
                .filter(|other| other.attribute(&one.name).is_none());
            others.is_empty() || lacking.next().is_some()
        };
        kept.extend(
            entity
                .attributes
                .iter()
                .filter(is_gone)
                .map(|one| one.name.clone()),
        );
    }
    let columns = |model: &Model| -> BTreeSet<String> {
        let indexes = model.tables.iter().flat_map(|table| &table.indexes);
        indexes
            .flat_map(|index| index.columns())
            .map(|one| one.name.clone())
            .collect()
    };
    kept.extend(columns(old).difference(&columns(new)).cloned());
    // Items keep the name of their kind, where another attribute has it now.
    kept.extend(
        old.tables
            .iter()
            .filter_map(|table| table.type_attribute.clone()),
    );
    // Records keep the fields that they have no more.
    let all = new.entities.iter().flat_map(|one| &one.attributes);
    let types: BTreeMap<&str, &Type> = all.map(|one| (one.name.as_str(), &one.kind)).collect();
    let known = |name: &str, held: &Value| match types.get(name) {
        Some(kind) => known_fields(kind, held),
        None => held.clone(),
    };
    let renamed = new.entities.iter().flat_map(|one| &one.attributes);
    for was in renamed.flat_map(|one| &one.was) {
        kept.remove(was);
    }
    let mut volatile = BTreeSet::new();
    for entity in &new.entities {
        volatile.extend(entity.version.clone());
        // They count the writes of a greatest value.
        volatile.extend(entity.aggregates.iter().map(|one| one.changes_attribute()));
        for one in &entity.attributes {
            if matches!(
                one.default,
                Some(DefaultValue::Now | DefaultValue::Always | DefaultValue::New)
            ) {
                volatile.insert(one.name.clone());
            }
        }
    }
    let mut wrong = Vec::new();
    // The number of items in a sum or a greatest value is not stored where it has never changed.
    let is_zero = |name: &str, held: Option<&Value>| {
        name.ends_with(":items") && held.is_none_or(|held| *held == Value::from(0_i64))
    };
    for table in &new.tables {
        let columns: Vec<&str> = table.columns().map(|one| one.name.as_str()).collect();
        let key = |item: &Item| {
            format!(
                "{:?}",
                columns
                    .iter()
                    .map(|name| item.get(name))
                    .collect::<Vec<_>>()
            )
        };
        let by_key = |backend: &Backend| -> BTreeMap<String, Item> {
            let all = items(backend, &table.name).into_iter();
            all.map(|item| (key(&item), item)).collect()
        };
        let (found, wanted) = (by_key(&rows.old), by_key(&rows.oracle));
        for (key, item) in &wanted {
            let Some(own) = found.get(key) else {
                wrong.push(format!("missing {item:?}"));
                continue;
            };
            for (name, value) in item {
                let is_same = own.get(name).map(|own| known(name, own)) == Some(known(name, value))
                    || (is_zero(name, Some(value)) && is_zero(name, own.get(name)));
                if !volatile.contains(name) && !is_same {
                    wrong.push(format!(
                        "{key}: {name} is {:?}, not {value:?}",
                        own.get(name)
                    ));
                }
            }
            for (name, value) in own {
                let stem = name.split(':').next().unwrap_or(name);
                let is_kept = kept.contains(name) || kept.contains(stem);
                let is_kept = is_kept || is_zero(name, Some(value));
                if item.get(name).is_none() && !is_kept && !volatile.contains(name) {
                    wrong.push(format!("{key}: {name} is left: {value:?}"));
                }
            }
        }
        for (key, item) in &found {
            if !wanted.contains_key(key) {
                wrong.push(format!("left over {item:?}"));
            }
        }
    }
    wrong
}

/// What people call the place of a test by.
pub(crate) const PLACE: &str = "http://tables";

/// What happens to a request that is to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fails {
    Never,
    /// From this request on nothing is carried out: the process was killed.
    From(u64),
    /// This one is carried out, and its answer is lost; nothing is from then on.
    After(u64),
    /// Of so many requests, two have no answer; one of them is carried out.
    Every(u64),
}

/// What others do between two requests: it is given how many there were.
pub(crate) type Live<'l> = Box<dyn FnMut(u64) + Send + 'l>;

/// What is told each request before it is sent.
pub(crate) type Watches<'l> = Box<dyn FnMut(&Request) + Send + 'l>;

/// What was sent to the tables of the models, and how long pauses were.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Pages of scans.
    pub(crate) pages: u64,
    /// Requests that write items, and the write units of those that were carried out.
    pub(crate) writes: u64,
    pub(crate) write_halves: u64,
    /// Those of them that the tables take, without those of indexes.
    pub(crate) table_halves: u64,
    /// The read units of pages, and of all other reads.
    pub(crate) page_halves: u64,
    pub(crate) get_halves: u64,
    pub(crate) longest_pause: Duration,
}

/// A backend that fails when a test wants it to, with others who write between the requests.
pub(crate) struct Faulty<'l> {
    backend: Arc<Backend>,
    fails: Fails,
    pub(crate) asked: AtomicU64,
    live: Mutex<Option<Live<'l>>>,
    watches: Mutex<Option<Watches<'l>>>,
    sent: Mutex<Sent>,
    /// What was sent in each phase, where a test wants to know.
    by_phase: Mutex<BTreeMap<String, Sent>>,
    progress: Mutex<Option<&'l Progress>>,
}

impl<'l> Faulty<'l> {
    pub(crate) fn new(backend: &Arc<Backend>, fails: Fails, live: Option<Live<'l>>) -> Faulty<'l> {
        Faulty {
            backend: Arc::clone(backend),
            fails,
            asked: AtomicU64::new(0),
            live: Mutex::new(live),
            watches: Mutex::default(),
            sent: Mutex::default(),
            by_phase: Mutex::default(),
            progress: Mutex::default(),
        }
    }

    /// Counts by the phases of a run from now on.
    pub(crate) fn count_by(&self, progress: &'l Progress) {
        *self.progress.lock().unwrap() = Some(progress);
    }

    /// What was sent in a phase.
    pub(crate) fn sent_in(&self, phase: &str) -> Sent {
        let all = self.by_phase.lock().unwrap();
        all.get(phase).copied().unwrap_or_default()
    }

    pub(crate) fn watch(&self, watches: Watches<'l>) {
        *self.watches.lock().unwrap() = Some(watches);
    }

    pub(crate) fn sent(&self) -> Sent {
        *self.sent.lock().unwrap()
    }

    /// Carries a request out, and counts it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "these requests alone write items"
    )]
    fn carried(&self, request: Request) -> Result<Response, ClientError> {
        let is_page = matches!(&request, Request::Scan(input) if is_of_models(&input.table_name));
        let is_write = match &request {
            Request::PutItem(input) => is_of_models(&input.table_name),
            Request::UpdateItem(input) => is_of_models(&input.table_name),
            Request::DeleteItem(input) => is_of_models(&input.table_name),
            Request::TransactWriteItems(input) => {
                let all = input.transact_items.iter().flatten();
                let puts = all.clone().filter_map(|one| one.put.as_ref());
                let updates = all.clone().filter_map(|one| one.update.as_ref());
                let deletes = all.filter_map(|one| one.delete.as_ref());
                let names = puts.map(|one| &one.table_name);
                let names = names.chain(updates.map(|one| &one.table_name));
                let mut names = names.chain(deletes.map(|one| &one.table_name));
                names.any(is_of_models)
            }
            _ => false,
        };
        let is_get = matches!(&request, Request::BatchGetItem(_));
        let answer = self.backend.call(request);
        let mut one = Sent {
            pages: u64::from(is_page),
            ..Sent::default()
        };
        if let Ok(response) = &answer {
            let halves = response.consumed().map_or(0, |halves| halves.0);
            if is_write {
                (one.writes, one.write_halves) = (1, halves);
                one.table_halves = table_halves(response);
            } else if is_page {
                one.page_halves = halves;
            } else if is_get {
                one.get_halves = halves;
            }
        }
        self.sent.lock().unwrap().add(&one);
        if let Some(progress) = *self.progress.lock().unwrap() {
            let mut all = self.by_phase.lock().unwrap();
            all.entry(progress.figures().present).or_default().add(&one);
        }
        answer
    }
}

impl Sent {
    fn add(&mut self, one: &Sent) {
        self.pages += one.pages;
        self.writes += one.writes;
        self.write_halves += one.write_halves;
        self.table_halves += one.table_halves;
        self.page_halves += one.page_halves;
        self.get_halves += one.get_halves;
    }
}

/// The units of a write that the tables take.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an evolution writes by these requests alone"
)]
fn table_halves(response: &Response) -> u64 {
    match response {
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            let row = output.consumed_capacity.as_ref();
            row.map_or(0, |row| row.table.0)
        }
        Response::TransactWriteItems(output) => {
            let rows = output.consumed_capacity.iter().flatten();
            rows.map(|row| row.table.0).sum()
        }
        _ => 0,
    }
}

fn is_of_models(table: &Option<String>) -> bool {
    table.as_deref() != Some(ROWS)
}

/// A number that does not follow the rhythm of requests.
fn drawn_of(at: u64) -> u64 {
    at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

fn lost() -> ClientError {
    ClientError::Transport("the backend is gone".to_owned())
}

impl World for Faulty<'_> {
    fn ask(&self, request: Request) -> Result<Response, ClientError> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst);
        if let Some(live) = self.live.lock().unwrap().as_mut() {
            live(at);
        }
        if let Some(watches) = self.watches.lock().unwrap().as_mut() {
            watches(&request);
        }
        match self.fails {
            Fails::From(from) if at >= from => Err(lost()),
            Fails::After(after) if at > after => Err(lost()),
            Fails::After(after) if at == after => {
                drop(self.carried(request));
                Err(lost())
            }
            Fails::Every(one) if drawn_of(at) % one == 1 => Err(lost()),
            Fails::Every(one) if drawn_of(at) % one == 2 => {
                drop(self.carried(request));
                Err(lost())
            }
            Fails::Never | Fails::From(_) | Fails::After(_) | Fails::Every(_) => {
                self.carried(request)
            }
        }
    }

    fn pause(&self, time: Duration) {
        let mut sent = self.sent.lock().unwrap();
        sent.longest_pause = sent.longest_pause.max(time);
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.asked.load(Ordering::SeqCst))
    }

    fn epoch_ms(&self) -> i64 {
        1_750_000_000_000
    }

    fn random(&self) -> u64 {
        self.asked
            .load(Ordering::SeqCst)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 8
    }

    fn backend(&self) -> &Backend {
        &self.backend
    }

    fn name(&self) -> &str {
        PLACE
    }
}

pub(crate) fn options() -> Options {
    Options {
        segments: 1,
        writers: 1,
        page: Some(5),
        ..Options::default()
    }
}

/// Runs in a world, with all gates done as they come, up to the end. Returns how it ended. `passed` is told
/// each gate when it is done.
pub(crate) fn run_past(
    (old, new): (&Model, &Model),
    world: &dyn World,
    options: &Options,
    passed: &dyn Fn(&str),
) -> Result<Ended, ClientError> {
    let course = Course::of(old, new);
    let progress = Progress::default();
    let evolving = Evolving::new(
        &course,
        models_digest("old", "new"),
        (world, options, &progress),
    );
    let mut said = Said::default();
    for _ in 0..20 {
        let ended = evolving.run(&said)?;
        if let Ended::Gate(_, word) = ended {
            passed(&word);
            said = Said {
                done: Some(word),
                yes: false,
                ..Said::default()
            };
        } else if ended == Ended::Ready {
            return evolving.complete(false);
        } else {
            return Ok(ended);
        }
    }
    panic!("the gates do not end");
}

pub(crate) fn run_in(
    models: (&Model, &Model),
    world: &dyn World,
    options: &Options,
) -> Result<Ended, ClientError> {
    run_past(models, world, options, &|_| {})
}

/// The pairs that a run carries out, without those of views, whose rows are built by their own command.
pub(crate) fn carried() -> Vec<(String, Model, Model)> {
    let mut all = pairs();
    all.retain(|(_, old, new)| {
        let mut entities = new.entities.iter().chain(&old.entities);
        Course::of(old, new).refusals().is_empty() && !entities.any(|one| one.view.is_some())
    });
    all
}

/// Runs with all gates done as they come; `passed` is told each of them before. Returns how it ended.
pub(crate) fn run(evolving: &Evolving<'_>, passed: &dyn Fn(&str)) -> Ended {
    let mut said = Said::default();
    loop {
        let ended = evolving.run(&said).unwrap();
        let Ended::Gate(_, word) = ended else {
            return ended;
        };
        passed(&word);
        said.done = Some(word);
    }
}

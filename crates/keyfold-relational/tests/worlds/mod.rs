//! Databases that programs write to while they are migrated by runs that die again and again. Each kind of
//! database has its schema and its program; everything else is the same for all.

#![allow(dead_code, reason = "each test takes what it needs")]

use fastrand::Rng;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::{Backend, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_model::schema::origin::SqlTable;
use keyfold_relational::{
    Cell, Change, Column, End, Ended, Mapping, Migration, Progress, Side, Sizes, Sorted, Source,
    SourceError, TableColumn, Watched, check, verify,
};
use keyfold_types::{Item, Value};
use std::cell::Cell as StdCell;
use std::sync::Arc;

/// The transactions that a program writes while its database is migrated.
const WRITES: u32 = 60;

pub(crate) fn compiled(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    match compiled.model {
        Some(model) => model,
        None => panic!("{:#?}", compiled.diagnostics),
    }
}

/// Empty tables of a model.
pub(crate) fn backend(model: &Model) -> Backend {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    backend
}

/// A check, a run until everything is carried, and a comparison; or an error's text.
pub(crate) fn carried(
    model: &Model,
    source: &mut dyn Source,
    backend: &Backend,
) -> Result<(), String> {
    let mapping = Mapping::of(model, source).map_err(|error| error.to_string())?;
    let progress = Progress::default();
    check(&mapping, source, &progress).map_err(|error| error.message)?;
    match Migration::new(&mapping, source, backend, &progress).run(true) {
        Ended::Caught => {}
        Ended::Source(error) => return Err(error.message),
        other => return Err(format!("{other:?}")),
    }
    let verified = verify(&mapping, source, backend, &progress);
    let verified = verified.map_err(|error| error.to_string())?;
    match verified.differences.first() {
        None => Ok(()),
        Some(one) => Err(format!("{}: {}", one.row, one.what)),
    }
}

/// What the attribute `v` of the first row of the first entity is, or why it is nothing.
pub(crate) fn first_value(model: &Model, source: &mut dyn Source) -> Result<String, String> {
    let mapping = Mapping::of(model, source).unwrap();
    let rows = mapping.entities[0].all_values(source).unwrap();
    match &rows[0] {
        Ok(values) => Ok(values
            .get("v")
            .map_or("absent".to_owned(), |value| format!("{value:?}"))),
        Err(problem) => Err(problem.to_string()),
    }
}

/// The items of the table `Shop`, without what only writes count.
fn items(backend: &Backend) -> Vec<Item> {
    let scan = ScanInput {
        table_name: Some("Shop".to_owned()),
        consistent_read: Some(true),
        ..ScanInput::default()
    };
    let Ok(Response::Scan(output)) = backend.call(Request::from(scan)) else {
        panic!("no scan")
    };
    let mut items: Vec<Item> = Vec::new();
    for item in output.items.unwrap_or_default() {
        let mut item = item.to_item();
        item.remove("revision");
        // The sum of no order is 0 whether there was one or not.
        if item.get("spent:items") == Some(&Value::N(0_u64.into())) {
            item.remove("spent:items");
        }
        items.push(item);
    }
    items.sort_by_key(|item| format!("{:?}{:?}", item.get("PK"), item.get("SK")));
    items
}

/// The items of the tables if the rows are written once, into empty tables.
fn oracle(model: &Model, source: &mut dyn Source) -> Vec<Item> {
    let mapping = Mapping::of(model, source).unwrap();
    let backend = backend(model);
    for mapped in &mapping.entities {
        for values in mapped.all_values(source).unwrap() {
            write::create(&backend, model, mapped.entity, &values.unwrap()).unwrap();
        }
    }
    items(&backend)
}

/// A database in which a program writes before each call, and which dies at one of them.
struct Busy<'p> {
    inner: Box<dyn Source>,
    program: &'p dyn Fn(&mut Rng),
    rng: Rng,
    writes: &'p StdCell<u32>,
    calls_left: u32,
}

impl Busy<'_> {
    fn called(&mut self) -> Result<(), SourceError> {
        for _ in 0..self.rng.u8(0..3) {
            if self.writes.get() > 0 {
                self.writes.set(self.writes.get() - 1);
                (self.program)(&mut self.rng);
            }
        }
        self.calls_left = self.calls_left.saturating_sub(1);
        match self.calls_left {
            0 => Err(SourceError::lasting("killed")),
            _ => Ok(()),
        }
    }
}

impl Source for Busy<'_> {
    fn name(&self) -> String {
        self.inner.name()
    }
    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        self.inner.columns(table)
    }
    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError> {
        self.inner.described(table)
    }
    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        self.inner.key(table)
    }
    fn quoted(&self, name: &str) -> String {
        self.inner.quoted(name)
    }
    fn argument(&self, number: usize) -> String {
        self.inner.argument(number)
    }
    fn argument_of(&self, number: usize, kind: &str) -> String {
        self.inner.argument_of(number, kind)
    }
    fn read(&self, sql: String, kind: &str) -> String {
        self.inner.read(sql, kind)
    }
    fn comparable(&self, kind: &str, other: &str) -> Result<(), String> {
        self.inner.comparable(kind, other)
    }
    fn is_null(&self, column: &str) -> String {
        self.inner.is_null(column)
    }
    fn sorted(&self, column: String, kind: &str) -> String {
        self.inner.sorted(column, kind)
    }
    fn beside(&self, columns: &[Sorted], side: Side, first: usize) -> String {
        self.inner.beside(columns, side, first)
    }
    fn joined(
        &mut self,
        ends: (&End<'_>, &End<'_>),
        is_own_first: bool,
        number: usize,
    ) -> Result<String, SourceError> {
        self.inner.joined(ends, is_own_first, number)
    }
    fn place(&self) -> Option<String> {
        self.inner.place()
    }
    fn resume(&mut self, place: &str) -> Result<(), SourceError> {
        self.called()?;
        self.inner.resume(place)
    }
    fn ready(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.ready(watched)
    }
    fn settle(&mut self) -> Result<(), SourceError> {
        self.inner.settle()
    }
    fn hold(&mut self) -> Result<(), SourceError> {
        self.called()?;
        self.inner.hold()
    }
    fn release(&mut self) -> Result<(), SourceError> {
        self.inner.release()
    }
    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError> {
        self.called()?;
        self.inner.query(sql, arguments)
    }
    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        self.inner.watched_by()
    }
    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError> {
        self.called()?;
        self.inner.watch(watched, id)?;
        self.called()
    }
    fn check_same(&mut self) -> Result<(), SourceError> {
        self.inner.check_same()
    }
    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.check_watch(watched)
    }
    fn unwatch(&mut self) -> Result<(), SourceError> {
        self.inner.unwatch()
    }
    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        self.called()?;
        self.inner.changes(watched, most)
    }
    fn forget(&mut self, watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        self.called()?;
        self.inner.forget(watched, change)?;
        self.called()
    }
    fn claim(&mut self) -> Result<(), SourceError> {
        self.inner.claim()
    }
}

/// A database, and the program that writes to it: a call is one transaction.
pub(crate) struct World<'w> {
    pub(crate) model: Model,
    pub(crate) open: &'w dyn Fn() -> Box<dyn Source>,
    pub(crate) program: &'w dyn Fn(&mut Rng),
}

impl World<'_> {
    /// Migrates the database while its program writes, by runs that die: the tables hold what they would hold if
    /// the rows of the end had been written once, and nothing else.
    pub(crate) fn is_migrated(&self, seed: u64) {
        let mut rng = Rng::with_seed(seed);
        for _ in 0..rng.u8(0..60) {
            (self.program)(&mut rng);
        }
        let (model, backend) = (&self.model, backend(&self.model));
        self.runs(seed, &mut rng, &backend);
        let mut source = (self.open)();
        let source = source.as_mut();
        let mapping = Mapping::of(model, source).unwrap();
        let progress = Progress::default();
        let ended = Migration::new(&mapping, source, &backend, &progress).run(true);
        assert!(matches!(ended, Ended::Caught), "seed {seed}: {ended:?}");
        let due = oracle(model, (self.open)().as_mut());
        assert_eq!(items(&backend), due, "seed {seed}");
        let verified = verify(&mapping, source, &backend, &progress).unwrap();
        assert_eq!(verified.differences, [], "seed {seed}");
        let checked = check(&mapping, source, &progress).unwrap();
        assert_eq!(checked.problems, [], "seed {seed}");
        let ended = Migration::new(&mapping, source, &backend, &progress).complete();
        assert!(ended.is_ok(), "{ended:?}");
    }

    /// Runs until one of them has carried everything.
    fn runs(&self, seed: u64, rng: &mut Rng, backend: &Backend) {
        let writes = StdCell::new(WRITES);
        loop {
            let calls_left = match writes.get() {
                0 => u32::MAX,
                _ => rng.u32(1..60),
            };
            let mut source = Busy {
                inner: (self.open)(),
                program: self.program,
                rng: rng.fork(),
                writes: &writes,
                calls_left,
            };
            let mapping = Mapping::of(&self.model, (self.open)().as_mut()).unwrap();
            let progress = Progress::default();
            let sizes = Sizes {
                rows: rng.usize(1..5),
                changes: rng.usize(1..20),
                ..Sizes::default()
            };
            let mut migration =
                Migration::new(&mapping, &mut source, backend, &progress).with_sizes(sizes);
            match migration.run(true) {
                Ended::Caught => return,
                Ended::Source(error) if error.message == "killed" => {}
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
}

/// Migrates worlds of many seeds: so many, or as `MIGRATION_WORLDS` and `MIGRATION_SEED` say.
pub(crate) fn of_seeds(worlds: u64, mut one: impl FnMut(u64)) {
    let said = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let worlds = said("MIGRATION_WORLDS").unwrap_or(worlds);
    let first = said("MIGRATION_SEED").unwrap_or(0);
    for seed in first..first + worlds {
        one(seed);
    }
}

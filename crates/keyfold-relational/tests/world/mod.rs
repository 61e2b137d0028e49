//! A database, a model and tables for it.

#![allow(dead_code, reason = "each test takes what it needs")]

use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Checked, Ended, MapError, Mapping, Migration, Progress, Sizes, Verified, check, verify,
};
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

pub(crate) struct World {
    pub(crate) program: Connection,
    pub(crate) model: Model,
    pub(crate) backend: Backend,
    folder: TempDir,
}

impl World {
    /// A database with a schema and rows, and a model of one table `Tab` with these entities.
    pub(crate) fn new(sql: &str, entities: &str) -> World {
        World::of_model(sql, &format!("table Tab (PK, SK) type kind\n\n{entities}"))
    }

    /// A database, and a model with tables of its own.
    pub(crate) fn of_model(sql: &str, model: &str) -> World {
        let folder = tempfile::tempdir().unwrap();
        let program = Connection::open(folder.path().join("s.db")).unwrap();
        program.execute_batch(sql).unwrap();
        let text = format!("model m 1\n\n{model}");
        let compiled = keyfold_model::compile(&text);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics)
        };
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Backend::Embedded(Arc::new(engine));
        tables::ensure(&backend, &model).unwrap();
        World {
            program,
            model,
            backend,
            folder,
        }
    }

    /// A database, and an entity `A` with these attributes and rows.
    pub(crate) fn one(sql: &str, attributes: &str, from: &str) -> World {
        World::new(
            sql,
            &format!("entity A\n  {attributes}\n  key \"A#{{id}}\" \"P\"\n  from {from}\n"),
        )
    }

    pub(crate) fn source(&self) -> Sqlite {
        Sqlite::open(&self.folder.path().join("s.db")).unwrap()
    }

    pub(crate) fn with<T>(&self, does: impl FnOnce(&Mapping<'_>, &mut Sqlite) -> T) -> T {
        let mut source = self.source();
        let mapping = Mapping::of(&self.model, &mut source).unwrap();
        does(&mapping, &mut source)
    }

    /// The faults of the mapping: the message of each, and the text of the model at its place.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut source = self.source();
        match Mapping::of(&self.model, &mut source) {
            Ok(_) => Vec::new(),
            Err(MapError::Model(faults)) => faults.into_iter().map(|one| one.message).collect(),
            Err(MapError::Source(error)) => panic!("{error}"),
        }
    }

    pub(crate) fn check(&self) -> Checked {
        self.with(|mapping, source| check(mapping, source, &Progress::default()).unwrap())
    }

    /// The problems as lines.
    pub(crate) fn problems(&self) -> Vec<String> {
        let checked = self.check();
        checked.problems.iter().map(ToString::to_string).collect()
    }

    pub(crate) fn verify(&self) -> Verified {
        self.with(|mapping, source| {
            verify(mapping, source, &self.backend, &Progress::default()).unwrap()
        })
    }

    /// The differences as lines.
    pub(crate) fn differences(&self) -> Vec<String> {
        let found = self.verify().differences;
        let lines = found.iter().map(|one| format!("{}: {}", one.row, one.what));
        lines.collect()
    }

    /// A run until everything is carried, with pages of so many rows.
    pub(crate) fn run(&self, rows: usize) -> Ended {
        self.with(|mapping, source| {
            let progress = Progress::default();
            let sizes = Sizes {
                rows,
                ..Sizes::default()
            };
            let mut migration =
                Migration::new(mapping, source, &self.backend, &progress).with_sizes(sizes);
            migration.run(true)
        })
    }

    /// Whether `found` finds nothing at all while another program says statements, over and over. A number stands in
    /// them as `?1`, another one each time.
    pub(crate) fn finds_nothing_beside(
        &self,
        statements: &[&str],
        found: impl Fn(&World) -> Vec<String>,
    ) {
        const WRITTEN: i64 = 20_000;
        self.sql("PRAGMA journal_mode = WAL");
        let other = Connection::open(self.program.path().unwrap()).unwrap();
        other.busy_timeout(Duration::from_secs(60)).unwrap();
        other.execute_batch("PRAGMA synchronous = OFF").unwrap();
        let (written, is_over) = (&AtomicI64::new(0), &AtomicBool::new(false));
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let number = written.fetch_add(1, Ordering::SeqCst);
                    for statement in statements {
                        other.execute(statement, [number]).unwrap();
                    }
                }
            });
            let mut all = Vec::new();
            while all.is_empty()
                && written.load(Ordering::SeqCst) < WRITTEN
                && !writer.is_finished()
            {
                all = found(self);
            }
            is_over.store(true, Ordering::SeqCst);
            assert_eq!(all, [""; 0]);
        });
    }

    pub(crate) fn sql(&self, sql: &str) {
        self.program.execute_batch(sql).unwrap();
    }
}

/// The problem by which a run ended.
pub(crate) fn problem(ended: Ended) -> String {
    match ended {
        Ended::Problem(problem) => problem.to_string(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn is_caught(ended: &Ended) -> bool {
    matches!(ended, Ended::Caught)
}

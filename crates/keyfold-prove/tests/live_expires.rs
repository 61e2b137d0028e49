//! Patterns whose items expire: the tables have deleted them or not, and their rows stay.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_client::{Backend, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_prove::live::{LivePattern, Options, compare};
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{Ended, Mapping, Migration, Progress};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const MODEL: &str = r#"model sessions 1

table Tab (PK, SK) ttl gone
  gsi GSI1 (GSI1PK, GSI1SK)

entity Session in Tab
  id: int, user: string, until: time(s), note: string
  key "SESSION#{id}" "S"
  GSI1 "USER#{user}" "SESSION#{id:04}"
  ttl until
  from sessions

pattern session(id) -> Session
pattern sessions_of(user) -> Session[]
"#;

#[test]
fn an_answer_may_lack_what_has_expired_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let program = Connection::open(&path).unwrap();
    let sql = "CREATE TABLE sessions (id INTEGER PRIMARY KEY, user TEXT NOT NULL, until TEXT NOT NULL, note TEXT NOT NULL);
        INSERT INTO sessions VALUES (1, 'ann', datetime('now', '-1 hour'), 'x'), (2, 'ann', datetime('now', '+1 hour'), 'x'),
          (3, 'bob', datetime('now', '-1 hour'), 'x');";
    program.execute_batch(sql).unwrap();
    let model = keyfold_model::compile(MODEL).model.unwrap();
    let mut options = EngineOptions::new(StoreOptions::Memory);
    options.background = false;
    let engine = Arc::new(Engine::open(options).unwrap());
    let backend = Backend::Embedded(Arc::clone(&engine));
    tables::ensure(&backend, &model).unwrap();
    let mut source = Sqlite::open(&path).unwrap();
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let progress = Progress::default();
    let ended = Migration::new(&mapping, &mut source, &backend, &progress).run(true);
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    let mut found = || -> Vec<(String, u64)> {
        let all = Options {
            seed: 3,
            sample: None,
            lasts: None,
            lag: Duration::ZERO,
            most: 1_000,
        };
        let found: Vec<LivePattern> =
            compare(&mapping, &mut source, &backend, &all, &mut |_| true).unwrap();
        let unequal = |one: &LivePattern| (one.name.clone(), one.late + one.different);
        assert!(found.iter().all(|one| one.asked > 0), "{found:#?}");
        found.iter().map(unequal).collect()
    };
    let none = [("session".to_owned(), 0), ("sessions_of".to_owned(), 0)];
    assert_eq!(found(), none, "they are there still");
    engine.work().unwrap();
    assert_eq!(found(), none, "they have expired");
    let second = BTreeMap::from([("id".to_owned(), 2_i64.into())]);
    write::delete(&backend, &model, &model.entities[0], &second).unwrap();
    let one = [("session".to_owned(), 1), ("sessions_of".to_owned(), 1)];
    assert_eq!(found(), one, "one is missing that is not over");
}

//! What a program's hook is given: every request, with its tables, attempts, units and error.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

use keyfold::api::ListTablesInput;
use keyfold::{Error, Keyfold, Sent, nonblocking, values};
use std::sync::{Arc, Mutex};

const MODEL: &str = r#"
model m 1
table Tab (PK, SK)
table Log (PK, SK)
entity User in Tab
  id: string, email: string
  key "U#{id}" "U"
  unique email
entity Entry in Log
  id: string, n: int
  key "E#{id}" "{n:04}"
pattern user(id) -> User?
pattern entries(id) -> Entry[] page 2
write note(id, n)
  create Entry
"#;

/// The lines of what was sent.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    fn hook(&self) -> impl Fn(&Sent<'_>) + Send + Sync + 'static {
        let lines = self.0.clone();
        move |sent| {
            let error = match &sent.error {
                None => "",
                Some(Error::Service { exception, .. }) => exception,
                Some(_) => "other",
            };
            let line = format!(
                "{} {} {:?} {} {:?} {error}",
                sent.call.unwrap_or("-"),
                sent.operation,
                sent.tables,
                sent.attempts,
                sent.units
            );
            lines.lock().unwrap().push(line.trim_end().to_owned());
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[test]
fn every_request_is_reported() {
    let lines = Lines::default();
    let db = Keyfold::memory().unwrap().on_request(lines.hook());
    let database = db.model(MODEL).unwrap();
    assert!(lines.take().iter().all(|line| line.starts_with("- ")));
    db.send(ListTablesInput::default()).unwrap();
    assert_eq!(lines.take(), ["- ListTables [] 1 None"]);

    database
        .run("note")
        .arg("id", "a")
        .arg("n", 1)
        .send()
        .unwrap();
    assert_eq!(lines.take(), [r#"note PutItem ["Log"] 1 Some(1.0)"#]);
    let user = |id| values! { "id": id, "email": "a@x" };
    database.put("User", user("a")).unwrap();
    let written = lines.take();
    assert!(
        written
            .last()
            .unwrap()
            .starts_with(r#"User TransactWriteItems ["Tab"] 1 Some("#),
        "{written:?}"
    );
    assert!(database.create("User", user("b")).is_err());
    let refused = lines.take();
    let canceled = "User TransactWriteItems [\"Tab\"] 1 None TransactionCanceledException";
    assert!(refused.iter().any(|line| line == canceled), "{refused:?}");

    // A hook of a database takes the place of that of the whole.
    let own = Lines::default();
    let database = database.on_request(own.hook());
    let page = database.query("entries").arg("id", "a").page().unwrap();
    assert_eq!(own.take(), [r#"entries Query ["Log"] 1 Some(0.5)"#]);
    assert!((page.units - 0.5).abs() < f64::EPSILON);
    assert!(lines.take().is_empty());
}

#[test]
fn awaited_requests_are_reported() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(async {
        let lines = Lines::default();
        let db = nonblocking::Keyfold::memory().await.unwrap();
        let db = db.on_request(lines.hook());
        let database = db.model(MODEL).await.unwrap();
        lines.take();
        db.send(ListTablesInput::default()).await.unwrap();
        database
            .run("note")
            .arg("id", "a")
            .arg("n", 1)
            .send()
            .await
            .unwrap();
        database
            .query("entries")
            .arg("id", "a")
            .all()
            .await
            .unwrap();
        let own = Lines::default();
        let database = database.on_request(own.hook());
        database.query("user").arg("id", "a").one().await.unwrap();
        assert_eq!(own.take(), [r#"user GetItem ["Tab"] 1 Some(0.5)"#]);
        assert_eq!(
            lines.take(),
            [
                "- ListTables [] 1 None",
                r#"note PutItem ["Log"] 1 Some(1.0)"#,
                r#"entries Query ["Log"] 1 Some(0.5)"#
            ]
        );
    });
}

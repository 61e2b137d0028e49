//! Requests as spans of the crate `tracing`, with the attributes of OpenTelemetry's conventions.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::{Keyfold, nonblocking, values};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

const MODEL: &str = r#"
model m 1
table Tab (PK, SK)
entity User
  id: string, email: string
  key "U#{id}" "U"
  unique email
pattern user(id) -> User?
"#;

/// The fields of a span.
type Fields = BTreeMap<&'static str, String>;

struct Into<'f>(&'f mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

/// Keeps the fields of all spans of the crate, and how many times they were entered.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(Fields, usize)>>>);

impl Spans {
    fn number(id: &Id) -> usize {
        usize::try_from(id.into_u64()).unwrap() - 1
    }

    fn take(&self) -> Vec<(Fields, usize)> {
        self.0.lock().unwrap().clone()
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "keyfold"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields::new();
        attributes.record(&mut Into(&mut fields));
        let mut all = self.0.lock().unwrap();
        all.push((fields, 0));
        Id::from_u64(all.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut all = self.0.lock().unwrap();
        values.record(&mut Into(&mut all[Spans::number(id)].0));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.0.lock().unwrap()[Spans::number(id)].1 += 1;
    }

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_request_is_a_span() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    let database = Keyfold::memory().unwrap().model(MODEL).unwrap();
    let before = spans.take().len();
    let user = |id| values! { "id": id, "email": "a@x" };
    database.create("User", user("a")).unwrap();
    database.create("User", user("b")).unwrap_err();
    let awaited = nonblocking::Database::from(database);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    let one = awaited.query("user").arg("id", "a").one();
    runtime.block_on(one).unwrap();

    let all = spans.take().split_off(before);
    assert!(all.iter().all(|(_, entered)| *entered > 0), "{all:?}");
    let (read, _) = all.last().unwrap();
    for (name, expected) in [
        ("otel.name", "GetItem Tab"),
        ("otel.kind", "client"),
        ("db.system.name", "aws.dynamodb"),
        ("db.operation.name", "GetItem"),
        ("db.collection.name", "Tab"),
        ("aws.dynamodb.table_names", "[\"Tab\"]"),
        ("rpc.system", "aws-api"),
        ("keyfold.call", "user"),
        ("keyfold.capacity_units", "0.5"),
    ] {
        assert_eq!(
            read.get(name).map(String::as_str),
            Some(expected),
            "{read:?}"
        );
    }
    assert!(!read.contains_key("error.type"), "{read:?}");
    let failed: Vec<_> = all
        .iter()
        .filter(|(fields, _)| fields.contains_key("error.type"))
        .collect();
    let [(failed, _)] = failed.as_slice() else {
        panic!("{failed:?}");
    };
    let exception = failed.get("error.type").map(String::as_str);
    assert_eq!(exception, Some("TransactionCanceledException"));
    assert_eq!(
        failed.get("otel.status_code").map(String::as_str),
        Some("ERROR")
    );
}

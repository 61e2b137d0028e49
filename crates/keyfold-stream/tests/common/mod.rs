//! Tables, handlers and figures that the tests of this folder share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "each test uses its part, and fails by panicking"
)]

pub(crate) mod play;
pub(crate) mod simulation;
pub(crate) mod views;

use keyfold_api::{
    ErrorKind, ExpressionAttributes, Operation, Request, Response, TransactUpdate,
    TransactWriteItem,
};
use keyfold_engine::{Clock, Engine, EngineOptions, Environment, StoreOptions};
use keyfold_lower::ClientError;
use keyfold_stream::{Effects, Failure, Record};
use keyfold_types::{Item, Value};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The table whose stream is read.
pub(crate) const SOURCE: &str = "Orders";
/// The table that the handlers write.
pub(crate) const VIEW: &str = "Sales";

/// The time after which an iterator is refused, and a little more.
pub(crate) const ITERATOR_IS_OLD: Duration = Duration::from_secs(16 * 60);

/// A clock that a test puts forward.
#[derive(Default)]
pub(crate) struct Ahead(AtomicU64);

impl Ahead {
    pub(crate) fn put_forward(&self, time: Duration) {
        let ms = u64::try_from(time.as_millis()).unwrap();
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    /// The options of an engine in memory that has this clock.
    pub(crate) fn engine(self: &Arc<Ahead>) -> EngineOptions {
        EngineOptions {
            environment: Environment {
                clock: Arc::clone(self) as Arc<dyn Clock>,
                ..Environment::system()
            },
            ..EngineOptions::new(StoreOptions::Memory)
        }
    }
}

impl Clock for Ahead {
    fn now_ms(&self) -> u64 {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        u64::try_from(now.unwrap().as_millis()).unwrap() + self.0.load(Ordering::SeqCst)
    }
}

/// A request in DynamoDB's JSON.
pub(crate) fn request(operation: &str, body: &serde_json::Value) -> Request {
    let known = Operation::ALL
        .iter()
        .find(|known| known.name() == operation);
    keyfold_wire::decode(*known.unwrap(), body.to_string().as_bytes()).unwrap()
}

/// The answer of an engine, or its error as a client has it.
pub(crate) fn answer(engine: &Engine, request: Request) -> Result<Response, ClientError> {
    engine.execute(request).wait().map_err(|error| {
        let mut body = Vec::new();
        keyfold_wire::encode_error(&mut body, &error);
        let error = keyfold_wire::client::decode_error(&body).unwrap();
        let reasons = error.reasons.into_iter();
        ClientError::Service {
            kind: ErrorKind::of_exception(&error.exception),
            exception: error.exception,
            message: error.message,
            reasons: reasons
                .map(|(code, message)| (keyfold_api::ReasonCode::of(&code), message))
                .collect(),
            found: error.found,
        }
    })
}

/// Makes the source, with a stream, and the table of the view.
pub(crate) fn make_tables(engine: &Engine) {
    make_source(engine);
    make(engine, VIEW, &json!({"StreamEnabled": false}));
}

/// Makes the source, with a stream.
pub(crate) fn make_source(engine: &Engine) {
    make(engine, SOURCE, &stream_on());
}

fn make(engine: &Engine, table: &str, stream: &serde_json::Value) {
    let body = json!({
        "TableName": table, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "StreamSpecification": stream,
    });
    carried_out(engine, "CreateTable", &body);
}

fn stream_on() -> serde_json::Value {
    json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"})
}

/// The source gets another stream.
pub(crate) fn follow(engine: &Engine) {
    switch_off(engine);
    switch_on(engine);
}

/// The source, which has no stream, gets one.
pub(crate) fn switch_on(engine: &Engine) {
    let body = json!({"TableName": SOURCE, "StreamSpecification": stream_on()});
    carried_out(engine, "UpdateTable", &body);
}

/// The source has no stream any more.
pub(crate) fn switch_off(engine: &Engine) {
    let body = json!({"TableName": SOURCE, "StreamSpecification": {"StreamEnabled": false}});
    carried_out(engine, "UpdateTable", &body);
}

/// Sends a request as soon as the table is not being changed.
fn carried_out(engine: &Engine, operation: &str, body: &serde_json::Value) {
    loop {
        match answer(engine, request(operation, body)) {
            Ok(_) => return,
            Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => {
                engine.work().unwrap();
            }
            Err(error) => panic!("{operation}: {error}"),
        }
    }
}

/// Deletes the leases of all consumers, or the table that has them.
pub(crate) fn delete_leases(engine: &Engine, with_table: bool) {
    let table = "keyfold_leases";
    if with_table {
        return carried_out(engine, "DeleteTable", &json!({"TableName": table}));
    }
    let Ok(Response::Scan(page)) = answer(engine, request("Scan", &json!({"TableName": table})))
    else {
        panic!("the scan failed");
    };
    for item in page.items.unwrap_or_default() {
        let item = item.to_item();
        let key = json!({
            "consumer": {"S": text(&item, "consumer")}, "lease": {"S": text(&item, "lease")},
        });
        carried_out(
            engine,
            "DeleteItem",
            &json!({"TableName": table, "Key": key}),
        );
    }
}

/// Writes an order of a product. `version` is larger than those before.
pub(crate) fn put_order(engine: &Engine, id: &str, product: &str, total: i64, version: u64) {
    let body = json!({"TableName": SOURCE, "Item": {
        "id": {"S": id}, "product": {"S": product}, "total": {"N": total.to_string()},
        "version": {"N": version.to_string()},
    }});
    answer(engine, request("PutItem", &body)).unwrap();
}

/// All items of a table, by their `id`.
pub(crate) fn scan(engine: &Engine, table: &str) -> BTreeMap<String, Item> {
    let (mut found, mut after) = (BTreeMap::new(), serde_json::Value::Null);
    loop {
        let mut body = json!({"TableName": table, "ConsistentRead": true});
        if after.is_object() {
            body["ExclusiveStartKey"] = after;
        }
        let Ok(Response::Scan(page)) = answer(engine, request("Scan", &body)) else {
            panic!("the scan of {table} failed");
        };
        for item in page.items.unwrap_or_default() {
            let item = item.to_item();
            found.insert(text(&item, "id"), item);
        }
        let Some(last) = page.last_evaluated_key else {
            return found;
        };
        after = json!({"id": {"S": text(&last, "id")}});
    }
}

/// A text of an item.
pub(crate) fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(Value::S(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

/// A number of an item, 0 when it is absent.
pub(crate) fn whole(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().unwrap(),
        None => 0,
        other => panic!("{name} is {other:?}"),
    }
}

/// An image of a record.
fn image(image: Option<&keyfold_api::Attributes>) -> Option<&Item> {
    image.map(|image| image.as_ref().unwrap())
}

/// The effects of orders: the sales of each product, how often each record had an effect, and the versions of each
/// order, which are refused when they are not larger than the last one before.
pub(crate) fn sales(records: &[Record]) -> Result<Effects, Failure> {
    let mut actions = versions(records)?;
    actions.extend(totals(records));
    actions.extend(marks(records));
    Ok(Effects::of(actions))
}

/// Those of them that would happen twice if nothing prevented it.
pub(crate) fn sums(records: &[Record]) -> Result<Effects, Failure> {
    let actions = totals(records).into_iter().chain(marks(records));
    Ok(Effects::of(actions.collect()))
}

/// Those of them that are of one order: several threads can find them out for parts of a batch.
pub(crate) fn histories(records: &[Record]) -> Result<Effects, Failure> {
    let mut actions = versions(records)?;
    actions.extend(marks(records));
    Ok(Effects::of(actions))
}

fn totals(records: &[Record]) -> Vec<TransactWriteItem> {
    let mut totals: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for record in records {
        let images = record.dynamodb.as_ref().unwrap();
        let sides = [
            (-1, image(images.old_image.as_ref())),
            (1, image(images.new_image.as_ref())),
        ];
        for (sign, order) in sides {
            if let Some(order) = order {
                let sum = totals.entry(text(order, "product")).or_default();
                sum.0 += sign * whole(order, "total");
                sum.1 += sign;
            }
        }
    }
    let totals = totals.into_iter();
    let rows = totals.map(|(product, (total, count))| add(&format!("of {product}"), total, count));
    rows.collect()
}

fn marks(records: &[Record]) -> Vec<TransactWriteItem> {
    let marks = records.iter();
    let marks = marks.map(|record| add(&format!("mark {}", record.number()), 1, 1));
    marks.collect()
}

fn versions(records: &[Record]) -> Result<Vec<TransactWriteItem>, Failure> {
    let mut versions: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for record in records {
        let images = record.dynamodb.as_ref().unwrap();
        if let Some(order) = image(images.new_image.as_ref()) {
            let of_order = versions.entry(text(order, "id")).or_default();
            of_order.push(whole(order, "version"));
            if !of_order.is_sorted() {
                return Err(Failure::of("the records of an order are not in order"));
            }
        }
    }
    let versions = versions.into_iter();
    Ok(versions
        .map(|(order, versions)| add_versions(&order, versions))
        .collect())
}

/// Adds versions of an order to those before, of which the last is smaller.
fn add_versions(order: &str, versions: Vec<i64>) -> TransactWriteItem {
    let (first, last) = (versions[0], versions[versions.len() - 1]);
    let versions = versions.into_iter().map(Value::from);
    TransactWriteItem {
        update: Some(TransactUpdate {
            table_name: Some(VIEW.to_owned()),
            key: Some(Ok(Item::from_iter([("id", format!("version {order}"))]))),
            update_expression: Some(
                "SET #v = :last, #l = list_append(if_not_exists(#l, :none), :more)".to_owned(),
            ),
            condition_expression: Some("attribute_not_exists(#v) OR #v < :first".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#v", "version")
                .name("#l", "log")
                .value(":none", Value::L(Vec::new()))
                .value(":more", Value::L(versions.collect()))
                .value(":first", first)
                .value(":last", last),
            ..TransactUpdate::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// The versions of each order that had an effect, in the order in which they had it.
pub(crate) fn logs(engine: &Engine) -> BTreeMap<String, Vec<i64>> {
    let rows = scan(engine, VIEW).into_iter();
    let logs = rows.filter_map(|(id, row)| {
        let order = id.strip_prefix("version ")?;
        Some((order.to_owned(), log(&row)))
    });
    logs.collect()
}

fn log(row: &Item) -> Vec<i64> {
    let Some(Value::L(log)) = row.get("log") else {
        panic!("there is no log: {row:?}");
    };
    let version = |version: &Value| {
        let Value::N(version) = version else {
            panic!("{version:?} is no version");
        };
        version.to_i64().unwrap()
    };
    log.iter().map(version).collect()
}

/// The number of records that had an effect.
pub(crate) fn marked(engine: &Engine) -> usize {
    let rows = scan(engine, VIEW);
    rows.keys().filter(|id| id.starts_with("mark ")).count()
}

/// Asserts that the versions of each order had their effects in the order in which they were written, and once.
pub(crate) fn assert_in_order(engine: &Engine, written: &BTreeMap<String, Vec<i64>>) {
    assert_eq!(logs(engine), *written);
    for (id, row) in scan(engine, VIEW) {
        let is_once = !id.starts_with("mark ") || whole(&row, "count") == 1;
        assert!(is_once, "{id} had an effect more than once: {row:?}");
    }
}

/// Adds to a row of the view.
pub(crate) fn add(id: &str, total: i64, count: i64) -> TransactWriteItem {
    TransactWriteItem {
        update: Some(TransactUpdate {
            table_name: Some(VIEW.to_owned()),
            key: Some(Ok(Item::from_iter([("id", id)]))),
            update_expression: Some("ADD #t :t, #c :c".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#t", "total")
                .name("#c", "count")
                .value(":t", total)
                .value(":c", count),
            ..TransactUpdate::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// Compares the view with the source. Returns the number of records that had an effect.
pub(crate) fn compare(engine: &Engine) -> Result<usize, String> {
    let mut wanted: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let orders = scan(engine, SOURCE);
    for order in orders.values() {
        let sum = wanted
            .entry(format!("of {}", text(order, "product")))
            .or_default();
        sum.0 += whole(order, "total");
        sum.1 += 1;
    }
    let mut marks = 0;
    for (id, row) in scan(engine, VIEW) {
        let found = (whole(&row, "total"), whole(&row, "count"));
        if let Some(order) = id.strip_prefix("version ") {
            let (log, order) = (log(&row), orders.get(order));
            let is_last = |order: &Item| log.last() == Some(&whole(order, "version"));
            if !log.is_sorted_by(|one, next| one < next) || !order.is_none_or(is_last) {
                return Err(format!("{id} had effects as {log:?}, and is {order:?}"));
            }
            continue;
        }
        if id.starts_with("mark ") {
            marks += 1;
            if found != (1, 1) {
                return Err(format!("{id} had an effect {} times", found.1));
            }
        } else {
            let wanted = wanted.remove(&id).unwrap_or_default();
            if found != wanted {
                return Err(format!("{id} has {found:?}, and not {wanted:?}"));
            }
        }
    }
    match wanted.is_empty() {
        true => Ok(marks),
        false => Err(format!("the view has no rows for {wanted:?}")),
    }
}

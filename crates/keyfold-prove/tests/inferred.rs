//! Models inferred from random tables: each compiles, and the items that it was inferred from are
//! what it says, or a comment says what it could not say.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_api::PutItemInput;
use keyfold_client::verify::{self, Finding, FindingKind, Observer, Options};
use keyfold_client::{Backend, ClientError, tables};
use keyfold_codegen::infer::{IndexDefinition, Projection, TableDefinition, propose};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::{Model, compile, value};
use keyfold_types::{Item, KeyKind, Set, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The definition of a table with an index of keys and one of attributes.
fn definition(rng: &mut fastrand::Rng) -> TableDefinition {
    let text = |name: &str| (name.to_owned(), KeyKind::S);
    let index = |name: &str, partition: &str, sort: Option<(String, KeyKind)>| IndexDefinition {
        name: name.to_owned(),
        is_local: false,
        partition: vec![text(partition)],
        sort: sort.into_iter().collect(),
        projection: Projection::All,
    };
    let number = |name: &str| (name.to_owned(), KeyKind::N);
    let mut indexes = Vec::new();
    if rng.u8(..4) > 0 {
        let sort = (rng.u8(..4) > 0).then(|| text("GSI1SK"));
        indexes.push(index("GSI1", "GSI1PK", sort));
    }
    if rng.bool() {
        let sort = match rng.u8(..3) {
            0 => None,
            1 => Some(text("at")),
            _ => Some(number("size")),
        };
        indexes.push(index("ByState", "state", sort));
    }
    let key = match rng.u8(..6) {
        0 => vec![text("PK")],
        1 => vec![text("PK"), number("SK")],
        _ => vec![text("PK"), text("SK")],
    };
    let ttl = (rng.u8(..4) == 0).then(|| "ttl".to_owned());
    TableDefinition {
        name: "Tab".to_owned(),
        key,
        indexes,
        ttl,
    }
}

/// How an attribute differs between the items of a kind.
#[derive(Clone, Copy)]
enum Variety {
    Text,
    TextOrNull,
    TextOrAbsent,
    TextOrNumber,
    Null,
    Number,
    NumberOrNull,
    Time,
    TimeOrText,
    Map,
    MapOrNull,
    List,
    MixedList,
    Set,
    Bytes,
    Bool,
}

const VARIETIES: [Variety; 16] = [
    Variety::Text,
    Variety::TextOrNull,
    Variety::TextOrAbsent,
    Variety::TextOrNumber,
    Variety::Null,
    Variety::Number,
    Variety::NumberOrNull,
    Variety::Time,
    Variety::TimeOrText,
    Variety::Map,
    Variety::MapOrNull,
    Variety::List,
    Variety::MixedList,
    Variety::Set,
    Variety::Bytes,
    Variety::Bool,
];

fn text(rng: &mut fastrand::Rng) -> Value {
    let texts = [
        "a",
        "b-c",
        "x#y",
        "",
        "2024-01-15",
        "USER#1",
        "01HM5Z2V4XA7B8C9D0E1F2G3HJ",
        "0042",
        "true",
        "{x}",
        "é",
        "a b",
        "UNIQUE",
        "1",
    ];
    texts[rng.usize(..texts.len())].into()
}

fn time(rng: &mut fastrand::Rng) -> Value {
    format!("2024-01-{:02}T10:00:00.000Z", rng.u8(1..20)).into()
}

fn number(rng: &mut fastrand::Rng) -> Value {
    let numbers = ["1", "2.5", "-7", "42", "1700000000", "1e3"];
    Value::N(numbers[rng.usize(..numbers.len())].parse().unwrap())
}

impl Variety {
    fn value(self, rng: &mut fastrand::Rng) -> Option<Value> {
        let is_odd = rng.u8(..3) == 0;
        let map = |rng: &mut fastrand::Rng| {
            let mut map = BTreeMap::from([("one".to_owned(), text(rng))]);
            if rng.bool() {
                map.insert(
                    "two".to_owned(),
                    if rng.bool() { number(rng) } else { Value::Null },
                );
            }
            Value::M(map)
        };
        Some(match self {
            Variety::TextOrNull if is_odd => Value::Null,
            Variety::TextOrAbsent if is_odd => return None,
            Variety::TextOrNumber | Variety::TimeOrText if is_odd => number(rng),
            Variety::NumberOrNull | Variety::MapOrNull | Variety::Null if is_odd => Value::Null,
            Variety::Null => return None,
            Variety::Text | Variety::TextOrNull | Variety::TextOrAbsent | Variety::TextOrNumber => {
                text(rng)
            }
            Variety::Number | Variety::NumberOrNull => number(rng),
            Variety::Time => time(rng),
            Variety::TimeOrText => {
                if rng.bool() {
                    time(rng)
                } else {
                    text(rng)
                }
            }
            Variety::Map | Variety::MapOrNull => map(rng),
            Variety::List => Value::L((0..rng.usize(..3)).map(|_| map(rng)).collect()),
            Variety::MixedList => Value::L(vec![text(rng), number(rng), Value::Null]),
            Variety::Set => Value::Ss(Set::new(vec!["a".to_owned(), "b".to_owned()]).unwrap()),
            Variety::Bytes => Value::B(vec![rng.u8(..)]),
            Variety::Bool => rng.bool().into(),
        })
    }
}

/// The items of one kind, as another program writes them.
fn kind(rng: &mut fastrand::Rng, table: &TableDefinition, at: usize, items: &mut Vec<Item>) {
    let words = [
        "USER",
        "ORDER",
        "race-",
        "x",
        "ITEM",
        "A#B",
        "",
        "#",
        "é",
        "A##",
        "x!",
        "a:b/C",
        "{w}",
        "UNIQUE#User",
    ];
    let word = words[rng.usize(..words.len())];
    let named = [
        "User",
        "order-item",
        "my type",
        "2",
        "",
        "a\nb",
        "User",
        "Größe",
    ][rng.usize(..8)];
    let has_type = rng.u8(..4) > 0;
    let varieties: Vec<Variety> = (0..4)
        .map(|_| VARIETIES[rng.usize(..VARIETIES.len())])
        .collect();
    let names = ["name", "my note", "state", "createdAt", "in", "at", "size"];
    let id_kept = rng.bool();
    let (index_form, sort_form) = (rng.u8(..6), rng.usize(..4));
    for no in 0..rng.usize(1..7) {
        let mut item = Item::new();
        item.insert("PK", format!("{word}#{at}x{no}"));
        if let Some((_, kind)) = table.key.get(1) {
            match kind {
                KeyKind::N => item.insert("SK", i64::try_from(no).unwrap()),
                KeyKind::S | KeyKind::B => {
                    let forms = [
                        "META".to_owned(),
                        format!("{word}#{no:05}"),
                        format!("2024-01-0{}#{no}", no + 1),
                        format!("{}{no}", value::display(&text(rng))),
                    ];
                    item.insert("SK", forms[sort_form].as_str())
                }
            };
        }
        if id_kept {
            item.insert("id", format!("{at}x{no}"));
        }
        for (name, variety) in names.iter().zip(&varieties) {
            if let Some(value) = variety.value(rng) {
                item.insert(*name, value);
            }
        }
        if has_type {
            item.insert("type", named);
        }
        if rng.u8(..4) == 0 {
            item.insert(
                "ttl",
                if rng.bool() {
                    1_700_000_000_i64.into()
                } else {
                    text(rng)
                },
            );
        }
        match index_form {
            0 => {}
            1 => {
                item.insert("GSI1PK", format!("{word}#{at}x{no}"));
            }
            2 if no % 2 == 0 => {
                item.insert("GSI1PK", format!("G#{no}"));
            }
            3 if no % 2 == 0 => {
                item.insert("GSI1SK", format!("G#{no}"));
            }
            _ => {
                item.insert("GSI1PK", "ALL");
                item.insert("GSI1SK", format!("{word}#{no}"));
            }
        }
        if let Some(by_state) = table.indexes.iter().find(|index| index.name == "ByState") {
            // A key attribute has its type on every item.
            for (name, kind) in by_state.partition.iter().chain(&by_state.sort) {
                item.remove(name);
                if rng.u8(..3) > 0 {
                    match kind {
                        KeyKind::N => item.insert(name.as_str(), number(rng)),
                        KeyKind::S | KeyKind::B => item.insert(name.as_str(), "open"),
                    };
                }
            }
        }
        items.push(item);
    }
}

/// The items of one kind, with keys of whatever pieces: attributes of any form between any signs, some
/// of them left out, and single items of another form.
fn odd_kind(rng: &mut fastrand::Rng, table: &TableDefinition, at: usize, items: &mut Vec<Item>) {
    let signs = ["#", "-", "_", ".", "##", "|", "/", "::", ""];
    let heads = ["USER", "user", "O", "", "2024", "é", "K"];
    let pieces = rng.usize(1..4);
    let forms: Vec<(usize, u8, bool)> = (0..pieces)
        .map(|_| (rng.usize(..signs.len()), rng.u8(..8), rng.bool()))
        .collect();
    let (head, of_sort) = (heads[rng.usize(..heads.len())], rng.usize(..=pieces));
    let is_named = rng.bool();
    for no in 0..rng.usize(1..9) {
        let mut item = Item::new();
        let mut keys = [format!("{head}{}", at % 2), String::new()];
        for (place, (sign, form, is_kept)) in forms.iter().enumerate() {
            let held: Value = match form {
                0 => format!("{no}").into(),
                1 => format!("{no:04}").into(),
                2 => time(rng),
                3 => text(rng),
                4 => Value::N(format!("{}", no * 7).parse().unwrap()),
                5 => format!("{no}@x.org").into(),
                6 => format!("{at}-{no}").into(),
                _ => ["open", "done", "in-progress"][rng.usize(..3)].into(),
            };
            let is_left_out = rng.u8(..12) == 0;
            if !is_left_out {
                let key = &mut keys[usize::from(place >= of_sort)];
                key.push_str(signs[*sign]);
                key.push_str(&value::display(&held));
            }
            if *is_kept {
                item.insert(format!("a{place}").as_str(), held);
            }
        }
        let [partition, sort] = keys;
        item.insert("PK", partition);
        if let Some((_, kind)) = table.key.get(1) {
            match kind {
                KeyKind::N => item.insert("SK", i64::try_from(no).unwrap()),
                KeyKind::S | KeyKind::B if sort.is_empty() => item.insert("SK", "META"),
                KeyKind::S | KeyKind::B => item.insert("SK", sort),
            };
        }
        if is_named {
            item.insert("type", if at == 0 { "User" } else { "Order" });
        }
        items.push(item);
    }
}

#[derive(Default)]
struct Seen(Vec<Finding>);

impl Observer for Seen {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.0.push(finding.clone());
        Ok(())
    }
}

/// What `verify` finds in a table of the model with these items.
fn findings(model: &Model, items: &[Item]) -> Vec<Finding> {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    for item in items {
        let input = PutItemInput {
            table_name: Some("Tab".to_owned()),
            item: Some(Ok(item.clone())),
            ..PutItemInput::default()
        };
        backend.call(input.into()).unwrap();
    }
    let sizes = verify::sizes(&backend, model).unwrap();
    let mut seen = Seen::default();
    verify::run(&backend, model, &sizes, &Options::default(), &mut seen).unwrap();
    seen.0
}

/// What a comment says of items that are left out.
const STRAY: &str = " of no entity here: ";

/// Whether a comment says what is found: NULL values, with the attribute, or items of no entity.
fn is_said(finding: &Finding, text: &str) -> bool {
    if finding.kind == FindingKind::UnknownItem {
        return text.contains(STRAY);
    }
    let Some((path, "null")) = finding
        .message
        .split_once(" is no ")
        .and_then(|(path, rest)| Some((path, rest.rsplit(": ").next()?)))
    else {
        return false;
    };
    let mut of_elements = String::new();
    for piece in path.split_inclusive(['[', ']']) {
        let is_index = piece.ends_with(']');
        of_elements.push_str(if is_index { "]" } else { piece });
    }
    let mut comments = text.lines().filter(|line| line.starts_with("# NULL"));
    comments.any(|line| line.contains(&format!("{of_elements} in ")))
}

#[test]
fn an_inferred_model_says_what_the_items_are() {
    let rounds = std::env::var("INFERRED")
        .ok()
        .and_then(|text| text.parse().ok());
    for seed in 0..rounds.unwrap_or(200) {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let table = definition(rng);
        let mut items = Vec::new();
        let is_odd = seed % 2 == 1;
        for at in 0..rng.usize(1..4) {
            if is_odd {
                odd_kind(rng, &table, at, &mut items);
            } else {
                kind(rng, &table, at, &mut items);
            }
        }
        let mut keys = BTreeSet::new();
        items.retain(|item| keys.insert(format!("{:?} {:?}", item.get("PK"), item.get("SK"))));
        let text = propose("tab", &[(table.clone(), items.clone())]).unwrap();
        let compiled = compile(&text);
        let model = compiled
            .model
            .unwrap_or_else(|| panic!("seed {seed}\n{text}"));
        let mut found = findings(&model, &items);
        let is_unknown = |one: &Finding| one.kind == FindingKind::UnknownItem;
        assert_eq!(
            text.contains(STRAY),
            found.iter().any(is_unknown),
            "seed {seed}\n{text}"
        );
        found.retain(|finding| !is_said(finding, &text));
        let messages: Vec<String> = found.into_iter().map(|finding| finding.message).collect();
        assert!(messages.is_empty(), "seed {seed}: {messages:#?}\n{text}");
    }
}

/// One item in hundreds that is not as the others: the model is that of the others, a comment names
/// the item, and `verify` finds it, and nothing else.
#[test]
fn one_item_in_hundreds_is_a_comment_and_a_finding() {
    let rng = &mut fastrand::Rng::with_seed(1);
    let text = |name: &str| (name.to_owned(), KeyKind::S);
    let table = TableDefinition {
        name: "Tab".to_owned(),
        key: vec![text("PK"), text("SK")],
        indexes: vec![IndexDefinition {
            name: "GSI1".to_owned(),
            is_local: false,
            partition: vec![text("GSI1PK")],
            sort: vec![text("GSI1SK")],
            projection: Projection::All,
        }],
        ttl: None,
    };
    let order = |n: usize| {
        let status = ["open", "paid"][n % 2];
        let mut order = Item::new();
        order.insert("PK", format!("user#{}", n / 7));
        order.insert("SK", format!("order#{n:05}"));
        order.insert("GSI1PK", format!("status#{status}"));
        order.insert("GSI1SK", format!("order#{n:05}"));
        order.insert("status", status);
        order.insert("type", "Order");
        order.insert("orderId", i64::try_from(n).unwrap());
        order.insert("total", i64::try_from(n + 9000).unwrap());
        order
    };
    let odd_names = ["total", "status", "orderId", "type", "GSI1PK", "GSI1SK"];
    for name in odd_names {
        for change in 0..3 {
            let mut items: Vec<Item> = (0..300).map(order).collect();
            let at = rng.usize(..300);
            let is_key = name.starts_with("GSI1");
            match change {
                0 => {
                    items[at].remove(name);
                }
                1 if is_key => {
                    items[at].insert(name, "nonsense");
                }
                1 if name == "total" || name == "orderId" => {
                    items[at].insert(name, "x");
                }
                1 => {
                    items[at].insert(name, 7);
                }
                // Nothing is odd.
                _ => {}
            }
            let text = propose("tab", &[(table.clone(), items.clone())]).unwrap();
            for expected in [
                "\"order#{orderId:05}\"",
                "\"status#{status}\"",
                "total: int",
            ] {
                let model = text.lines().filter(|line| !line.starts_with('#'));
                let model: Vec<&str> = model.collect();
                assert!(
                    model.join("\n").contains(expected),
                    "{name} {change}\n{text}"
                );
            }
            let model = compile(&text).model.unwrap();
            let found = findings(&model, &items);
            let key = value::display(items[at].get("SK").unwrap());
            let is_of_it =
                |one: &Finding| one.key.get("SK").map(value::display).as_ref() == Some(&key);
            assert!(
                found.iter().all(is_of_it),
                "{name} {change}: {found:#?}\n{text}"
            );
            // The keys give back a value that is not there.
            let is_given_back = change == 0 && (name == "orderId" || name == "status");
            assert_eq!(
                found.len(),
                usize::from(change < 2 && !is_given_back),
                "{name} {change}: {found:#?}\n{text}"
            );
            assert_eq!(text.contains(&key), change < 2, "{name} {change}\n{text}");
        }
    }
}

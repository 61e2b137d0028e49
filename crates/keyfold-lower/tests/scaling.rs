//! The work of one call grows with its size, not with the square of it: twice the attributes, lines
//! or items are about twice the comparisons. They are counted; no clock is read.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{Operation, Request, Response};
use keyfold_faults::comparisons_of;
use keyfold_lower::arguments::{self, Values};
use keyfold_lower::derive::derive;
use keyfold_lower::write::{self, Part};
use keyfold_lower::{Lowering, OnUnknown, Origin, PageRequest, Step, read};
use keyfold_model::{Entity, Model};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

const ORIGIN: Origin = Origin {
    now_epoch_ms: 1_784_548_800_000,
    seed: 42,
};

/// The sizes that are compared, and how much more work the greater one may be: `n log n` is 2.29.
const SIZES: [usize; 2] = [128, 256];
const GROWTH_MAX: f64 = 2.6;

/// A model with an entity of `n` attributes, all names of one length, and writes of all of them.
fn source(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|at| format!("a{at:04}")).collect();
    let declared: Vec<String> = names
        .iter()
        .map(|name| format!("{name}: string?"))
        .collect();
    let set: Vec<String> = names
        .iter()
        .map(|name| format!("{name} = {name}"))
        .collect();
    let given: Vec<String> = names.iter().map(|name| format!("{name}?")).collect();
    let (declared, set, given) = (declared.join(", "), set.join(", "), given.join(", "));
    let mut text = "model m 1\ntable Tab (PK, SK) type kind\n  gsi Idx (GPK, GSK)\n".to_owned();
    text += "record Short\n  ident: string, group: string\n";
    let index = "\n  Idx \"G#{group}\" \"{ident}\"";
    for (kind, index) in [("Plain", ""), ("Keyed", index)] {
        let key = |name: &str| format!("key \"{name}#{{ident}}\" \"{name}\"{index}");
        text += &format!(
            "entity {kind}\n  ident: string, group: string, {declared}\n  {}
write set_{kind}(ident, group, {given})
  update {kind} set group = group, {set}
write upsert_{kind}(ident, group, {given})
  create or update {kind} set group = group, {set}
pattern one_{kind}(ident) -> {kind}?\n",
            key(kind)
        );
        text += &format!(
            "entity Few{kind}\n  ident: string, group: string\n  {}
write make_{kind}(lines: list of Short)
  create Few{kind} for each lines
write change_{kind}(lines: list of Short)
  update Few{kind} for each lines set group = group
pattern some_{kind}(ident[]) -> Few{kind}[]\n",
            key(&format!("Few{kind}"))
        );
    }
    text
}

/// A model of one size, and a database that has every item that it is asked for.
struct World {
    model: Model,
    n: usize,
}

impl World {
    fn new(n: usize) -> World {
        let compiled = keyfold_model::compile(&source(n));
        let shown = format!("{:#?}", compiled.diagnostics.first());
        World {
            model: compiled.model.expect(&shown),
            n,
        }
    }

    fn entity(&self, name: &str) -> &Entity {
        self.model.entity(name).unwrap()
    }

    fn values(&self, number: usize) -> Values {
        let text = |text: String| Value::S(text);
        let mut values = Values::from([
            ("ident".to_owned(), text(format!("i{number:04}"))),
            ("group".to_owned(), text("g".to_owned())),
        ]);
        values.extend((0..self.n).map(|at| (format!("a{at:04}"), text(format!("v{at}")))));
        values
    }

    /// The attributes that identify an item, and one more.
    fn short(number: usize) -> Values {
        Values::from([
            ("ident".to_owned(), Value::S(format!("i{number:04}"))),
            ("group".to_owned(), Value::S("h".to_owned())),
        ])
    }

    fn key(number: usize) -> Values {
        let mut key = World::short(number);
        key.remove("group");
        key
    }

    fn lines(&self) -> Values {
        let lines = (0..self.n).map(|at| Value::M(World::short(at).into_iter().collect()));
        Values::from([("lines".to_owned(), Value::L(lines.collect()))])
    }

    /// The comparisons of a call whose requests are answered from items that exist, or do not.
    fn work<T>(mut call: Lowering<'_, T>, stored: &[Item]) -> u64 {
        let (mut all, mut answers) = (0, Vec::new());
        loop {
            let (made, step) = comparisons_of(|| call.next(std::mem::take(&mut answers)));
            all += made;
            match step {
                Step::Ask(requests) => {
                    answers = requests
                        .iter()
                        .map(|request| Ok(answer(request, stored)))
                        .collect();
                }
                Step::Pause(_) => {}
                Step::Done(_) => return all,
            }
        }
    }

    fn stored(&self, name: &str, count: usize, of: impl Fn(usize) -> Values) -> Vec<Item> {
        let all = (0..count).map(|at| {
            derive(&self.model, self.entity(name), &of(at))
                .unwrap()
                .swap_remove(0)
                .item
        });
        all.collect()
    }
}

fn json(item: &Item) -> String {
    let mut json = Vec::new();
    keyfold_wire::encode::encode_item(&mut json, item);
    String::from_utf8(json).unwrap()
}

fn at<'s>(stored: &'s [Item], key: &Item) -> Option<&'s Item> {
    let has = |item: &&Item| {
        let mut columns = key.iter();
        columns.all(|(name, value)| item.get(name) == Some(value))
    };
    stored.iter().find(has)
}

/// The answer of a database that holds the items.
fn answer(request: &Request, stored: &[Item]) -> Response {
    let text = if let Request::GetItem(input) = request {
        let found = at(stored, input.key.as_ref().unwrap().as_ref().unwrap());
        found.map_or("{}".to_owned(), |item| {
            format!(r#"{{"Item":{}}}"#, json(item))
        })
    } else if let Request::BatchGetItem(input) = request {
        let of_tables = input.request_items.iter().flatten();
        let keys = of_tables.flat_map(|(_, of)| of.keys.iter().flatten());
        let found = keys.filter_map(|key| at(stored, key.as_ref().unwrap()));
        let found: Vec<String> = found.map(json).collect();
        format!(
            r#"{{"Responses":{{"Tab":[{}]}},"UnprocessedKeys":{{}}}}"#,
            found.join(",")
        )
    } else if matches!(request, Request::BatchWriteItem(_)) {
        r#"{"UnprocessedItems":{}}"#.to_owned()
    } else {
        "{}".to_owned()
    };
    let of: Operation = request.operation();
    keyfold_wire::client::decode_response(of, text.as_bytes()).unwrap()
}

type Works = Vec<(String, u64)>;

/// The work of each kind of call on one item of many attributes.
fn works_on_attributes(world: &World, kind: &str, all: &mut Works) {
    let (model, entity, wide) = (&world.model, world.entity(kind), &world.values(0));
    let mut add = |what: &str, work| all.push((format!("{what} {kind}"), work));
    let names = wide.keys();
    let given: BTreeMap<String, String> = names.map(|name| (name.clone(), "v".into())).collect();
    let removed: Vec<String> = (0..world.n).map(|at| format!("a{at:04}")).collect();
    let named = |what: &str| model.write(&format!("{what}_{kind}")).unwrap();
    let one = world.stored(kind, 1, |at| world.values(at));
    let (key, short) = (&World::key(0), &World::short(0));
    let mut other = wide.clone();
    for name in &removed {
        other.insert(name.clone(), Value::S("other".to_owned()));
    }
    let of_entity = || arguments::of_entity(entity, &given).unwrap();
    add("arguments of", comparisons_of(of_entity).0);
    let of_write = || arguments::of_write(named("set"), &given).unwrap();
    add("arguments of set", comparisons_of(of_write).0);
    let create = write::create(ORIGIN, model, entity, wide);
    add("create", World::work(create, &[]));
    for (what, stored) in [("new", [].as_slice()), ("over", &one)] {
        let put = write::put(ORIGIN, model, entity, &other);
        add(&format!("put {what}"), World::work(put, stored));
        let upsert = write::run(ORIGIN, model, named("upsert"), &other);
        add(&format!("upsert {what}"), World::work(upsert, stored));
        let upsert = write::run(ORIGIN, model, named("upsert"), short);
        add(&format!("short upsert {what}"), World::work(upsert, stored));
    }
    let update = write::update(ORIGIN, model, entity, &other, &[]);
    add("update", World::work(update, &one));
    let remove = write::update(ORIGIN, model, entity, key, &removed);
    add("remove", World::work(remove, &one));
    let delete = write::delete(ORIGIN, model, entity, key);
    add("delete", World::work(delete, &one));
    let set = write::run(ORIGIN, model, named("set"), &other);
    add("set", World::work(set, &one));
    let set = write::run(ORIGIN, model, named("set"), short);
    add("short set", World::work(set, &one));
    let pattern = model.pattern(&format!("one_{kind}")).unwrap();
    let start = PageRequest::default();
    let page = read::page(ORIGIN, model, pattern, key, &start);
    add("read", World::work(page, &one));
}

/// The work of each kind of call on many items of few attributes.
fn works_on_items(world: &World, kind: &str, all: &mut Works) {
    let (n, model) = (world.n, &world.model);
    let name = format!("Few{kind}");
    let entity = world.entity(&name);
    let mut add = |what: &str, work| all.push((format!("{what} {name}"), work));
    let shorts: Vec<Values> = (0..n).map(World::short).collect();
    let keys: Vec<Values> = (0..n).map(World::key).collect();
    let many = world.stored(&name, n, World::short);
    let lines = world.lines();
    for what in ["make", "change"] {
        let named = model.write(&format!("{what}_{kind}")).unwrap();
        let call = write::run(ORIGIN, model, named, &lines);
        add(what, World::work(call, &many));
    }
    let put = write::put_many(ORIGIN, model, entity, &shorts);
    add("put many", World::work(put, &[]));
    let delete = write::delete_many(ORIGIN, model, entity, &keys);
    add("delete many", World::work(delete, &[]));
    let get = read::many(ORIGIN, model, entity, &keys, (false, OnUnknown::Error));
    add("get many", World::work(get, &many));
    let part = |values| Part::Create { entity, values };
    let parts: Vec<Part<'_>> = shorts.iter().map(part).collect();
    let transact = write::transact(ORIGIN, model, &parts);
    add("transact", World::work(transact, &[]));
    let idents = keys.iter().map(|key| key["ident"].clone()).collect();
    let idents = Values::from([("ident".to_owned(), Value::L(idents))]);
    let pattern = model.pattern(&format!("some_{kind}")).unwrap();
    let start = PageRequest::default();
    let some = read::page(ORIGIN, model, pattern, &idents, &start);
    add("some", World::work(some, &many));
}

fn works(world: &World) -> Works {
    let mut all = Works::new();
    for kind in ["Plain", "Keyed"] {
        works_on_attributes(world, kind, &mut all);
        works_on_items(world, kind, &mut all);
    }
    all
}

#[test]
fn work_grows_with_the_size_of_a_call() {
    let [less, more] = SIZES.map(|n| works(&World::new(n)));
    let mut slow = Vec::new();
    for ((name, less), (_, more)) in less.iter().zip(&more) {
        let growth = *more as f64 / *less as f64;
        if growth > GROWTH_MAX {
            slow.push(format!("{name}: {less}, {more} ({growth:.2})"));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn the_counter_finds_a_quadratic_search() {
    let search = |n: usize| {
        let names: Vec<String> = (0..n).map(|at| format!("a{at:04}")).collect();
        let all = || names.iter().filter(|name| names.contains(name)).count();
        comparisons_of(all).0 as f64
    };
    assert!(search(SIZES[1]) / search(SIZES[0]) > GROWTH_MAX);
}

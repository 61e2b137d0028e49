//! Items that move: identified by their `id`, under a key of attributes that change.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_api::{PutItemInput, Response, UpdateItemInput};
use keyfold_client::derive::derive;
use keyfold_client::verify::{self, Finding, FindingKind, Observer, Options};
use keyfold_client::write::Written;
use keyfold_client::{ClientError, PageRequest, arguments, write};
use keyfold_types::{Item, Value};

const MODEL: &str = r##"
model ranking 1
table Tab (PK, SK) type kind
  gsi GSI1 (A, B)
entity Category
  category: string
  key  "SHELF#{category}" "SHELF"
  count products of Product
  sum   total of Product.score
  max   best of Product.score
entity Product
  id: string, category: Category.category, score: int = 0, name: string, tags: list of string?
  seenAt: time = now always
  key   "CATEGORY#{category}" "{score:06}#{id}#"
  id    id
  GSI1  "SEEN" "{seenAt}#{id}"
  copy  card "CARD#{id}" "CARD" only name, score
  copy  top "TOP#{category}" "{score:06}#{id}" only name
  unique name
  version v
  split tags by 2
pattern product(id) -> Product?
pattern product_now(id) -> Product strong
pattern best(category) -> Product[] highest
pattern card(id) -> Product.card?
pattern top(category) -> Product.top[] highest
pattern shelf(category) -> Category?
pattern seen() -> Product[] only id, name newest
write rate(id, more: int)
  update Product set score = score + more
write shelve(id, category, least: int)
  update Product set category = category when score >= least
write rename(id, name)
  update Product set name = name
write visit(name: string)
  create or update Product set score = score + 1, name = name else score = 1, name = name
write keep(id, least: int)
  check Product when score >= least
write drop(id)
  delete Product
write add_all
  put Product
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values)
}

fn place() -> Place {
    let place = Place::new(MODEL);
    for category in ["books", "games"] {
        place.put("Category", &[("category", category)]);
    }
    place
}

const ADA: [(&str, &str); 4] = [
    ("id", "ada"),
    ("category", "books"),
    ("score", "5"),
    ("name", "Ada"),
];

fn one(place: &Place, id: &str, of: &str) -> String {
    place.found("product", &[("id", id)], of).concat()
}

/// The stored items are those that follow from one Product and the two categories.
fn assert_whole(place: &Place, id: &str) {
    let found = place.ask("product_now", &[("id", id)], &PageRequest::default());
    let found = found.unwrap();
    let values = found.items.into_iter().flat_map(|item| item.attributes);
    let values: arguments::Values = values.collect();
    let derived = derive(&place.model, place.entity("Product"), &values).unwrap();
    let mut stored = place.stored();
    stored.retain(|item| item.get("kind") != Some(&Value::from("Category")));
    assert_eq!(stored.len(), derived.len(), "{stored:#?}");
    for one in derived {
        let has = |item: &&Item| {
            one.item
                .iter()
                .all(|(name, value)| item.get(name) == Some(value))
        };
        assert!(stored.iter().any(|item| has(&item)), "{:#?}", one.item);
    }
}

fn shelf(place: &Place, category: &str) -> String {
    let of = |name| {
        place
            .found("shelf", &[("category", category)], name)
            .concat()
    };
    format!("{} {} {}", of("products"), of("total"), of("best"))
}

#[test]
fn an_update_by_the_id_moves_the_item_with_all_that_follows() {
    let place = place();
    let tags = r#"["a","b","c","d","e"]"#;
    let ada: Vec<(&str, &str)> = ADA.into_iter().chain([("tags", tags)]).collect();
    place.put("Product", &ada);
    assert_eq!(
        (shelf(&place, "books"), shelf(&place, "games")),
        ("1 5 5".into(), "0 0 ".into())
    );
    assert_whole(&place, "ada");

    let moved = place
        .update("Product", &[("id", "ada"), ("score", "7")])
        .unwrap();
    assert_eq!(moved.operation, "TransactWriteItems");
    assert_whole(&place, "ada");
    place
        .update("Product", &[("id", "ada"), ("category", "games")])
        .unwrap();
    assert_whole(&place, "ada");
    assert!(
        place
            .found("best", &[("category", "books")], "id")
            .is_empty()
    );
    assert_eq!(place.found("best", &[("category", "games")], "id"), ["ada"]);
    assert_eq!(
        place.found("top", &[("category", "games")], "name"),
        ["Ada"]
    );
    assert_eq!(place.found("card", &[("id", "ada")], "score"), ["7"]);
    assert_eq!(
        (shelf(&place, "books"), shelf(&place, "games")),
        ("0 0 ".into(), "1 7 7".into())
    );
    assert_eq!(
        (one(&place, "ada", "v"), one(&place, "ada", "tags")),
        ("3".into(), "[a, b, c, d, e]".into())
    );

    place.delete("Product", &[("id", "ada")]).unwrap();
    assert_eq!(place.stored().len(), 2);
    assert_eq!(shelf(&place, "games"), "0 0 ");
}

#[test]
fn an_id_has_one_item_wherever_it_lies() {
    let place = place();
    place.put("Product", &ADA);
    let other = place.values(
        "Product",
        &[
            ("id", "ada"),
            ("category", "games"),
            ("score", "1"),
            ("name", "Bob"),
        ],
    );
    let entity = place.entity("Product");
    let again = write::create(&place.backend, &place.model, entity, &other);
    let error = again.unwrap_err().to_string();
    assert_eq!(error, "Product exists already (id = ada)");
    place.put_values("Product", &other);
    assert_eq!(one(&place, "ada", "name"), "Bob");
    assert_whole(&place, "ada");
}

#[test]
fn a_read_by_the_id_is_two_requests() {
    let place = place();
    place.put("Product", &ADA);
    for (pattern, id, requests) in [
        ("product", "ada", 2),
        ("product_now", "ada", 2),
        ("product", "eve", 1),
    ] {
        let found = place
            .ask(pattern, &[("id", id)], &PageRequest::default())
            .unwrap();
        assert_eq!(
            (found.requests, found.items.len()),
            (requests, usize::from(id == "ada"))
        );
    }
    let none = place.ask("product_now", &[("id", "eve")], &PageRequest::default());
    assert!(matches!(none, Err(ClientError::NotFound(_))), "{none:?}");
}

/// A list in several parts, and an item whose id begins with another's.
#[test]
fn an_item_of_several_parts_is_found_by_its_id() {
    let place = Place::new(
        r##"
model parts 1
table Tab (PK, SK)
entity Log
  id: string, day: string, lines: list of int
  key   "DAY#{day}" "LOG#{id}"
  id    id
  split lines by 2
pattern log(id) -> Log?
"##,
    );
    let logs = [("a", "[1, 2, 3, 4, 5]"), ("ab", "[6, 7, 8]")];
    for (id, lines) in logs {
        place.put("Log", &[("id", id), ("day", "monday"), ("lines", lines)]);
    }
    for day in ["monday", "tuesday"] {
        let moved = place.update("Log", &[("id", "a"), ("day", day)]);
        moved.unwrap();
        for (id, lines) in logs {
            let start = PageRequest::default();
            let found = place.ask("log", &[("id", id)], &start).unwrap();
            let [log] = found.items.as_slice() else {
                panic!("{found:?}")
            };
            let shown = log.get("lines").map(keyfold_model::value::display);
            assert_eq!((shown.as_deref(), found.requests), (Some(lines), 2), "{id}");
        }
    }
}

#[test]
fn named_writes_take_the_id_and_move() {
    let place = place();
    place.put("Product", &ADA);
    let parameters = |name| {
        let named = place.model.write(name).unwrap();
        let required = named.parameters.iter().filter(|one| !one.optional);
        required.map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(parameters("rate"), ["id", "more"]);
    assert_eq!(parameters("drop"), ["id"]);
    run(&place, "rate", &[("id", "ada"), ("more", "4")]).unwrap();
    assert_eq!(one(&place, "ada", "score"), "9");
    run(
        &place,
        "shelve",
        &[("id", "ada"), ("category", "games"), ("least", "9")],
    )
    .unwrap();
    assert_eq!(
        (shelf(&place, "books"), shelf(&place, "games")),
        ("0 0 ".into(), "1 9 9".into())
    );
    let refused = run(
        &place,
        "shelve",
        &[("id", "ada"), ("category", "books"), ("least", "10")],
    );
    assert!(
        matches!(refused, Err(ClientError::Refused(_))),
        "{refused:?}"
    );
    run(&place, "rename", &[("id", "ada"), ("name", "Ada L")]).unwrap();
    assert_whole(&place, "ada");
    run(&place, "keep", &[("id", "ada"), ("least", "9")]).unwrap();
    run(&place, "keep", &[("id", "ada"), ("least", "10")]).unwrap_err();
    let visit = [("id", "eve"), ("category", "books"), ("name", "Eve")];
    run(&place, "visit", &visit).unwrap();
    run(&place, "visit", &visit).unwrap();
    assert_eq!(
        (one(&place, "eve", "score"), shelf(&place, "books")),
        ("2".into(), "1 2 2".into())
    );
    run(&place, "drop", &[("id", "ada")]).unwrap();
    assert_whole(&place, "eve");
    let gone = run(&place, "drop", &[("id", "ada")]).unwrap_err();
    assert_eq!(gone.to_string(), "there is no Product with id = ada");
}

#[test]
fn a_moved_item_keeps_what_the_model_does_not_name() {
    let place = place();
    place.put("Product", &ADA);
    let mut key = Item::new();
    key.insert("PK", "CATEGORY#books");
    key.insert("SK", "000005#ada##0000");
    let input = UpdateItemInput {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(key)),
        update_expression: Some("SET colour = :c".to_owned()),
        expression_attributes: keyfold_api::ExpressionAttributes::default()
            .value(":c", Value::from("red")),
        ..UpdateItemInput::default()
    };
    assert!(matches!(
        place.backend.call(input.into()),
        Ok(Response::UpdateItem(_))
    ));
    place
        .update("Product", &[("id", "ada"), ("category", "games")])
        .unwrap();
    let red = |item: &&Item| item.get("colour") == Some(&Value::from("red"));
    let stored = place.stored();
    let kept: Vec<&Item> = stored.iter().filter(red).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(
        kept.first().unwrap().get("PK"),
        Some(&Value::from("CATEGORY#games"))
    );
}

#[test]
fn an_item_in_the_new_place_that_the_model_did_not_write_is_not_overwritten() {
    let place = place();
    place.put("Product", &ADA);
    place.put_raw(&[
        ("PK", "CATEGORY#games"),
        ("SK", "000005#ada##0000"),
        ("note", "mine"),
    ]);
    let refused = place.update("Product", &[("id", "ada"), ("category", "games")]);
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("is in its place"), "{error}");
    assert_eq!(one(&place, "ada", "category"), "books");
}

#[test]
fn a_guard_without_its_item_is_named() {
    let place = place();
    place.put_raw(&[
        ("PK", "UNIQUE#Product#id#eve"),
        ("SK", "UNIQUE"),
        ("category:key", "books"),
    ]);
    let broken = place.update("Product", &[("id", "eve"), ("name", "Eve")]);
    let error = broken.unwrap_err().to_string();
    assert!(
        error.contains("the guard of this Product lacks `score`"),
        "{error}"
    );
    let asked = place.ask("product", &[("id", "eve")], &PageRequest::default());
    let error = asked.unwrap_err().to_string();
    assert!(
        error.contains("not where the guard of its id says"),
        "{error}"
    );
}

/// Writers that move the same item, at once, and readers by its id that always find it.
#[test]
fn writers_that_move_an_item_at_once_lose_nothing() {
    let place = place();
    place.put(
        "Product",
        &[("id", "ada"), ("category", "books"), ("name", "Ada")],
    );
    let place = &place;
    std::thread::scope(|scope| {
        for writer in 0..3 {
            scope.spawn(move || {
                for turn in 0..12 {
                    let category = if (turn + writer) % 2 == 0 {
                        "games"
                    } else {
                        "books"
                    };
                    run(place, "rate", &[("id", "ada"), ("more", "1")]).unwrap();
                    place
                        .update("Product", &[("id", "ada"), ("category", category)])
                        .unwrap();
                }
            });
        }
        scope.spawn(move || {
            for _ in 0..60 {
                assert_eq!(
                    place.found("product_now", &[("id", "ada")], "name"),
                    ["Ada"]
                );
                assert_eq!(place.found("product", &[("id", "ada")], "name"), ["Ada"]);
            }
        });
    });
    assert_eq!(one(place, "ada", "score"), "36");
    assert_whole(place, "ada");
    let mut both = [shelf(place, "books"), shelf(place, "games")];
    both.sort();
    assert_eq!(both, ["0 0 ", "1 36 36"]);
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

/// The kinds of what `verify` finds, each with the line of the model.
fn verified(place: &Place) -> Vec<(FindingKind, String)> {
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    let mut seen = Seen::default();
    let options = Options::default();
    verify::run(&place.backend, &place.model, &tables, &options, &mut seen).unwrap();
    let line = |one: &Finding| {
        let sources = keyfold_model::Sources::of_text("model", MODEL);
        let text = one.line.as_ref().map(|line| line.find(&sources).text);
        text.unwrap_or_default().trim().to_owned()
    };
    seen.0.iter().map(|one| (one.kind, line(one))).collect()
}

fn put_item(place: &Place, item: Item) {
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    place.backend.call(input.into()).unwrap();
}

#[test]
fn verify_compares_the_guard_with_its_item() {
    let place = place();
    place.put("Product", &ADA);
    place
        .update("Product", &[("id", "ada"), ("category", "games")])
        .unwrap();
    assert_eq!(verified(&place), []);
    let is_guard = |item: &&Item| item.get("PK") == Some(&Value::from("UNIQUE#Product#id#ada"));
    let guard = place.stored().iter().find(is_guard).unwrap().clone();
    assert_eq!(guard.get("category:key"), Some(&Value::from("games")));
    let mut stale = guard.clone();
    stale.insert("category:key", "books");
    put_item(&place, stale);
    let line = "id    id".to_owned();
    assert_eq!(verified(&place), [(FindingKind::GuardStale, line.clone())]);
    put_item(&place, guard);
    let of_product = |item: &&Item| item.get("kind") == Some(&Value::from("Product"));
    let mut second = place.stored().iter().find(of_product).unwrap().clone();
    second.insert("SK", "000009#ada##0000");
    second.insert("score", Value::from(9));
    put_item(&place, second);
    let found = verified(&place);
    assert!(found.contains(&(FindingKind::NotUnique, line)), "{found:?}");
}

//! Upserts: a new item, a stored one, and many writers of the same key.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::write::Written;
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = r##"
model counters 1
table Tab (PK, SK) type kind
  gsi GSI1 (A, B)
entity Page
  path: string, views: int, title: string, madeAt: time = now, last: string
  key  "PAGE#{path}" "PAGE"
  GSI1 "LAST#{last}" "{path}"
  version v
entity Shop
  id: string, visits: int, mail: string?
  key  "SHOP#{id}" "SHOP"
  GSI1 "VISITS" "{visits:06}#{id}"
  copy card "CARDS#{id}" "CARD" only visits
  unique mail
pattern page(path) -> Page?
pattern last(last) -> Page[]
pattern shop(id) -> Shop?
pattern ranks() -> Shop[] highest visits
pattern card(id) -> Shop.card?
write view(by: string)
  create or update Page set views = views + 1, last = by else views = 1
write visit(by: string)
  create or update Shop set visits = visits + 1 else visits = 1, mail = by
write lease(by: string, old: string)
  create or update Page set last = by else last = by, views = 0 when missing last or last = old
write renew(by: string, old: string)
  create or update Page set last = by else last = by, views = 0 when last = old
write again(by: string, least: int)
  create or update Shop set visits = visits + 1 else visits = 1, mail = by when visits >= least
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values)
}

#[test]
fn a_new_item_is_whole_and_a_stored_one_keeps_what_is_not_set() {
    let place = Place::new(MODEL);
    let page = |of| place.found("page", &[("path", "a")], of).concat();
    for (n, title) in [("1", "first"), ("2", "second")] {
        let args = [("path", "a"), ("by", n), ("title", title)];
        assert_eq!(run(&place, "view", &args).unwrap().operation, "UpdateItem");
        assert_eq!((page("views"), page("v")), (n.to_owned(), n.to_owned()));
        assert_eq!(page("title"), "first");
        assert_eq!(place.found("last", &[("last", n)], "views"), [n]);
    }
    assert!(place.found("last", &[("last", "1")], "views").is_empty());
    assert_eq!(place.stored().len(), 1);
}

#[test]
fn an_upsert_of_what_others_follow_reads_first() {
    let place = Place::new(MODEL);
    for n in ["1", "2", "3"] {
        let args = [("id", "s"), ("by", n)];
        let written = run(&place, "visit", &args).unwrap();
        assert_eq!(written.operation, "TransactWriteItems");
        assert_eq!(place.found("card", &[("id", "s")], "visits"), [n]);
        assert_eq!(place.found("ranks", &[], "visits"), [n]);
    }
    // The guard is that of the first writer.
    assert_eq!(place.found("shop", &[("id", "s")], "mail"), ["1"]);
    let other = [("id", "t"), ("by", "1")];
    let taken = run(&place, "visit", &other).unwrap_err();
    assert!(matches!(taken, ClientError::Taken { .. }), "{taken}");
}

#[test]
fn a_condition_is_judged_on_what_is_stored() {
    let place = Place::new(MODEL);
    let lease = |by: &str, old: &str| {
        let args = [("path", "a"), ("by", by), ("old", old), ("title", "t")];
        run(&place, "lease", &args)
    };
    lease("ada", "none").unwrap();
    assert_eq!(
        lease("bob", "none").unwrap_err().to_string(),
        "create or update Page: the Page with path = a does not meet the condition missing last or last = old (old = none)"
    );
    lease("bob", "ada").unwrap();
}

#[test]
fn a_refusal_says_whether_there_is_an_item() {
    let place = Place::new(MODEL);
    let refused = |name: &str, text: Text<'_>| run(&place, name, text).unwrap_err().to_string();
    let page = [("path", "a"), ("by", "bob"), ("old", "ada"), ("title", "t")];
    assert_eq!(
        refused("renew", &page),
        "create or update Page: there is no Page with path = a, and a new one does not meet the condition last = old (old = ada)"
    );
    let shop = [("id", "s"), ("by", "a@x"), ("least", "2")];
    assert_eq!(
        refused("again", &shop),
        "create or update Shop: there is no Shop with id = s, and a new one does not meet the condition visits >= least (least = 2)"
    );
    run(&place, "visit", &[("id", "s"), ("by", "a@x")]).unwrap();
    assert_eq!(
        refused("again", &shop),
        "create or update Shop: the Shop with id = s does not meet the condition visits >= least (least = 2)"
    );
}

#[test]
fn writers_of_one_key_make_one_item_and_lose_nothing() {
    const WRITERS: usize = 8;
    const TURNS: usize = 15;
    let place = Place::new(MODEL);
    std::thread::scope(|scope| {
        for by in 0..WRITERS {
            let place = &place;
            scope.spawn(move || {
                let by = by.to_string();
                for _ in 0..TURNS {
                    let page = [("path", "a"), ("by", by.as_str()), ("title", by.as_str())];
                    run(place, "view", &page).unwrap();
                    let shop = [("id", "s"), ("by", by.as_str())];
                    // A write that others overtake many times in a row says so.
                    while let Err(error) = run(place, "visit", &shop) {
                        assert!(error.to_string().contains("times in a row"), "{error}");
                    }
                }
            });
        }
    });
    let all = (WRITERS * TURNS).to_string();
    assert_eq!(
        place.found("page", &[("path", "a")], "views"),
        [all.as_str()]
    );
    assert_eq!(place.found("page", &[("path", "a")], "v"), [all.as_str()]);
    assert_eq!(
        place.found("shop", &[("id", "s")], "visits"),
        [all.as_str()]
    );
    assert_eq!(
        place.found("card", &[("id", "s")], "visits"),
        [all.as_str()]
    );
    // A page, a shop, its copy and its guard.
    assert_eq!(place.stored().len(), 4);
}

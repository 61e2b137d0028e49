//! Attributes that every write of an item sets to the present moment.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::{arguments, write};

const MODEL: &str = r##"
model touched 1
table Tab (PK, SK) type kind
  gsi GSI1 (A, B)
entity Page
  id: string, views: int, changedAt: time(us) = now always
  key  "PAGE#{id}" "PAGE"
  GSI1 "PAGES" "{changedAt}#{id}"
  count notes of Note
entity Post
  id: string, views: int, changedAt: time(us) = now always
  key  "POST#{id}" "POST"
  GSI1 "POSTS" "{changedAt}#{id}"
  copy card "CARDS" "{id}"
entity Note
  id: Page.id, n: int
  key "PAGE#{id}" "NOTE#{n:03}"
pattern page(id) -> Page?
pattern pages() -> Page[] newest changedAt
pattern posts() -> Post[] newest changedAt
pattern cards() -> Post.card[]
write view()
  create or update Page set views = views + 1 else views = 1
write read()
  update Page set views = views + 1
write read_post()
  update Post set views = views + 1
write put_page()
  put Page
write new_post()
  create Post
write put_posts()
  put Post as one
  put Post as two
"##;

fn run(place: &Place, name: &str, text: Text<'_>) {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text)).unwrap();
    write::run(&place.backend, &place.model, named, &values).unwrap();
    // The clock counts milliseconds.
    std::thread::sleep(std::time::Duration::from_millis(3));
}

fn moments(place: &Place, pattern: &str) -> Vec<String> {
    place.found(pattern, &[], "changedAt")
}

#[test]
fn each_write_moves_the_item_to_the_newest_place() {
    let place = Place::new(MODEL);
    let newest = |pattern| place.found(pattern, &[], "id");
    for id in ["1", "2"] {
        run(&place, "view", &[("id", id)]);
        place.put("Post", &[("id", id), ("views", "0")]);
    }
    assert_eq!(newest("pages"), ["2", "1"]);
    let before = moments(&place, "pages");
    run(&place, "view", &[("id", "1")]);
    assert_eq!(newest("pages"), ["1", "2"]);
    assert!(moments(&place, "pages").first() > before.first());
    run(&place, "read", &[("id", "2")]);
    assert_eq!(newest("pages"), ["2", "1"]);
    place
        .update("Page", &[("id", "1"), ("views", "9")])
        .unwrap();
    assert_eq!(newest("pages"), ["1", "2"]);
    std::thread::sleep(std::time::Duration::from_millis(3));
    run(&place, "put_page", &[("id", "2"), ("views", "1")]);
    assert_eq!(newest("pages"), ["2", "1"]);
    run(&place, "read_post", &[("id", "1")]);
    assert_eq!(newest("posts"), ["1", "2"]);
    // The copy has the same moment.
    let mut cards = moments(&place, "cards");
    cards.reverse();
    let mut posts = moments(&place, "posts");
    cards.sort();
    posts.sort();
    assert_eq!(cards, posts);
}

#[test]
fn a_caller_may_give_the_moment_and_aggregates_do_not_touch() {
    let place = Place::new(MODEL);
    let at = "2024-01-01T10:00:00.000000Z";
    run(&place, "view", &[("id", "1"), ("changedAt", at)]);
    assert_eq!(moments(&place, "pages"), [at]);
    place.put("Note", &[("id", "1"), ("n", "1")]);
    assert_eq!(place.found("page", &[("id", "1")], "notes"), ["1"]);
    assert_eq!(moments(&place, "pages"), [at]);
    run(&place, "read", &[("id", "1"), ("changedAt", at)]);
    assert_eq!(moments(&place, "pages"), [at]);
    run(&place, "read", &[("id", "1")]);
    assert_ne!(moments(&place, "pages"), [at]);
}

/// What a named write sets to the present moment is in its answer, under the name of the parameter that
/// would give it; what the caller gave is not.
#[test]
fn moments_of_named_writes_are_answered() {
    let place = Place::new(MODEL);
    let made = |name: &str, text: Text<'_>| -> Vec<String> {
        let named = place.model.write(name).unwrap();
        let values = arguments::of_write(named, &given(text)).unwrap();
        let written = write::run(&place.backend, &place.model, named, &values).unwrap();
        written.made.into_iter().map(|one| one.attribute).collect()
    };
    let page = [("id", "1"), ("views", "0")];
    assert_eq!(made("put_page", &page), ["changedAt"]);
    assert_eq!(made("new_post", &page), ["changedAt"]);
    let at = ("changedAt", "2024-01-15T10:00:00.000000Z");
    assert_eq!(made("put_page", &[page[0], page[1], at]), [""; 0]);
    let posts = [
        ("one.id", "2"),
        ("one.views", "1"),
        ("two.id", "3"),
        ("two.views", "1"),
    ];
    let all = ["one.changedAt", "two.changedAt"];
    assert_eq!(made("put_posts", &posts), all);
    let one = ("one.changedAt", "2024-01-15T10:00:00.000000Z");
    let given_one = [posts[0], posts[1], posts[2], posts[3], one];
    assert_eq!(made("put_posts", &given_one), ["two.changedAt"]);
}

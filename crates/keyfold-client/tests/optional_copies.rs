//! A copy with a condition exists exactly while its condition holds, by every kind of write.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::verify::{self, Finding, FindingKind, Observer, Options};
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = r##"
model blog 1
table Blog (PK, SK) type kind
entity Author
  author: string, name: string
  key "AUTHOR#{author}" "AUTHOR"
entity Article
  id: string, author: Author.author, title: string, status: draft | live = draft, hidden: bool = false
  publishedAt: time?, words: int = 0
  key "ARTICLE#{id}" "ARTICLE"
  copy live  "LIVE"            "{id}"               only id, title, words  when status = live and hidden = false
  copy dated "AUTHOR#{author}" "AT#{publishedAt}#{id}"  when exists publishedAt and not (words < 3)
pattern article(id)         -> Article?
pattern live()              -> Article.live[]
pattern live_again()        -> Article.live[] where status = live
pattern dated(author)       -> Article.dated[] newest
pattern dated_of(author)    -> Author + Article.dated[]
pattern both(id)            -> (Article, Article.live?)
write publish(publishedAt)
  update Article set status = live, publishedAt = publishedAt
write withdraw
  update Article set status = draft remove publishedAt
write grow(more: int)
  update Article set words = words + more
write hide
  update Article set hidden = true when status = live
write retitle(title)
  update Article set title = title
write place(status, words)
  create or update Article set status = status, words = words
write drop
  delete Article
"##;

fn run(place: &Place, name: &str, text: Text<'_>) {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text)).unwrap();
    write::run(&place.backend, &place.model, named, &values).unwrap();
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

fn findings(place: &Place) -> Vec<FindingKind> {
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    let mut seen = Seen::default();
    let options = Options::default();
    verify::run(&place.backend, &place.model, &tables, &options, &mut seen).unwrap();
    seen.0.iter().map(|one| one.kind).collect()
}

/// The copies that there are, and that nothing is wrong with what is stored.
fn copies(place: &Place) -> (Vec<String>, Vec<String>) {
    assert_eq!(findings(place), []);
    assert_eq!(
        place.found("live", &[], "id"),
        place.found("live_again", &[], "id")
    );
    let dated = place.found("dated", &[("author", "ada")], "id");
    (place.found("live", &[], "id"), dated)
}

#[test]
fn a_copy_comes_and_goes_with_its_condition() {
    let place = Place::new(MODEL);
    let none = || (Vec::<String>::new(), Vec::<String>::new());
    let live = || (vec!["1".to_owned()], vec![]);
    let both = || (vec!["1".to_owned()], vec!["1".to_owned()]);
    place.put("Author", &[("author", "ada"), ("name", "Ada")]);
    place.put("Article", &[("id", "1"), ("author", "ada"), ("title", "A")]);
    assert_eq!(copies(&place), none());
    run(
        &place,
        "publish",
        &[("id", "1"), ("publishedAt", "2024-01-01")],
    );
    assert_eq!(copies(&place), live());
    // A change of an attribute that the condition alone needs.
    run(&place, "grow", &[("id", "1"), ("more", "3")]);
    assert_eq!(copies(&place), both());
    run(&place, "retitle", &[("id", "1"), ("title", "B")]);
    assert_eq!(place.found("live", &[], "title"), ["B"]);
    assert_eq!(
        place.found("dated_of", &[("author", "ada")], "title").len(),
        2
    );
    run(&place, "hide", &[("id", "1")]);
    assert_eq!(copies(&place), (vec![], vec!["1".to_owned()]));
    assert_eq!(place.found("both", &[("id", "1")], "id"), ["1"]);
    place
        .update("Article", &[("id", "1"), ("hidden", "false")])
        .unwrap();
    assert_eq!(copies(&place), both());
    run(&place, "withdraw", &[("id", "1")]);
    assert_eq!(copies(&place), none());
    // A put of the whole item, and a delete.
    place.put(
        "Article",
        &[
            ("id", "1"),
            ("author", "ada"),
            ("title", "C"),
            ("status", "live"),
            ("publishedAt", "2024-01-02"),
            ("words", "9"),
        ],
    );
    assert_eq!(copies(&place), both());
    run(&place, "drop", &[("id", "1")]);
    assert_eq!(copies(&place), none());
    assert_eq!(place.stored().len(), 1);
}

#[test]
fn an_upsert_makes_the_copy_of_its_new_values() {
    let place = Place::new(MODEL);
    place.put("Article", &[("id", "1"), ("author", "ada"), ("title", "A")]);
    for (status, count) in [("live", 1), ("draft", 0), ("live", 1)] {
        let text = [
            ("id", "1"),
            ("status", status),
            ("words", "1"),
            ("author", "ada"),
            ("title", "T"),
        ];
        run(&place, "place", &text);
        assert_eq!(copies(&place).0.len(), count, "{status}");
    }
}

#[test]
fn verify_finds_copies_without_a_reason_and_reasons_without_a_copy() {
    let place = Place::new(MODEL);
    place.put("Article", &[("id", "1"), ("author", "ada"), ("title", "A")]);
    place.put_raw(&[
        ("PK", "LIVE"),
        ("SK", "1"),
        ("kind", "Article.live"),
        ("id", "1"),
        ("title", "A"),
    ]);
    assert!(findings(&place).contains(&FindingKind::CopyForeign));
    let place = Place::new(MODEL);
    place.put_raw(&[
        ("PK", "ARTICLE#1"),
        ("SK", "ARTICLE"),
        ("kind", "Article"),
        ("id", "1"),
        ("author", "ada"),
        ("title", "A"),
        ("status", "live"),
        ("publishedAt", "2024-01-01T00:00:00.000Z"),
    ]);
    assert!(findings(&place).contains(&FindingKind::MissingAttribute));
}

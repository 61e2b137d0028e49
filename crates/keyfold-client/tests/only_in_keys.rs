//! Items that hold some attributes in their keys only: what other programs wrote, and the entries of
//! an index that projects its keys.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Place, Text};
use keyfold_api::PutItemInput;
use keyfold_client::PageRequest;
use keyfold_types::{Item, Number, Value};

impl Place {
    /// Replaces the item of `key` in the first table by itself without an attribute.
    fn forget(&self, key: Text<'_>, attribute: &str) {
        let is_it = |item: &&mut Item| {
            key.iter()
                .all(|(name, text)| item.get(name) == Some(&Value::from(*text)))
        };
        let mut items = self.stored();
        let item = items.iter_mut().find(is_it).unwrap();
        assert!(item.remove(attribute).is_some());
        let input = PutItemInput {
            table_name: self.model.tables.first().map(|table| table.name.clone()),
            item: Some(Ok(item.clone())),
            ..PutItemInput::default()
        };
        self.backend.call(input.into()).unwrap();
    }
}

/// The items of one parent, in keys that keep the value that is compared.
fn of_parent(index: &str, keys: &str) -> String {
    format!(
        "model m 1\ntable Tab (PK, SK)\n{index}entity Post\n  pid: string, mx: number?\n  key \"POST#{{pid}}\" \"A\"\n  \
         max mx of Like.w by pid\nentity Like\n  lid: string, pid: Post.pid, w: number\n{keys}pattern p(pid) -> Post?\n"
    )
}

fn weights(place: &Place) {
    place.put("Post", &[("pid", "p")]);
    for weight in ["1", "5", "9"] {
        place.put("Like", &[("lid", weight), ("pid", "p"), ("w", weight)]);
    }
}

#[test]
fn the_next_maximum_is_read_from_the_key_of_an_index_that_lacks_it() {
    for projected in ["project keys", "project (lid)", "project all"] {
        let place = Place::new(&of_parent(
            &format!("  lsi Loc (LSK) {projected}\n"),
            "  key \"POST#{pid}\" \"L#{lid}\"\n  Loc \"{w:06.1}#{lid}\"\n",
        ));
        weights(&place);
        place.delete("Like", &[("lid", "9"), ("pid", "p")]).unwrap();
        let kept = place.found("p", &[("pid", "p")], "mx");
        assert_eq!(kept, ["5"], "{projected}");
        place.delete("Like", &[("lid", "5"), ("pid", "p")]).unwrap();
        assert_eq!(place.found("p", &[("pid", "p")], "mx"), ["1"]);
    }
}

#[test]
fn the_next_maximum_is_read_from_the_key_of_an_item_or_copy_that_lacks_it() {
    let own = ("  key \"POST#{pid}\" \"L#{w:06.1}#{lid}\"\n", "POST#p");
    let copy = (
        "  key \"LIKE#{lid}\" \"{pid}\"\n  copy by_w \"BY#{pid}\" \"L#{w:06.1}#{lid}\"\n",
        "BY#p",
    );
    for (keys, partition) in [own, copy] {
        let place = Place::new(&of_parent("", keys));
        weights(&place);
        place.forget(&[("PK", partition), ("SK", "L#000005.0#5")], "w");
        let deleted = [("lid", "9"), ("pid", "p"), ("w", "9")];
        place.delete("Like", &deleted).unwrap();
        let post = place
            .stored()
            .into_iter()
            .find(|item| item.get("SK") == Some(&Value::from("A")))
            .unwrap();
        let five = Value::N(Number::from(5_i64));
        assert_eq!(post.get("mx"), Some(&five), "{partition}");
    }
}

const USERS: &str = r##"
model m 1
table Tab (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
  gsi GSI2 (GSI2PK) project (email)
  lsi Loc (LSK) project keys
entity U
  uid: string, org: string, email: string, note: string?
  key  "ORG#{org}" "U#{uid}"
  GSI1 "E#{email}" "{note}"
  GSI2 "ALL"
  Loc  "L#{uid}"
pattern notes(org)         -> U[] only note page 9
pattern emails(org)        -> U[] only email page 9
pattern one(org, uid)      -> U? only email
pattern of_all()           -> U[] only email page 9
pattern scanned()          -> U[] only note, email scan
"##;

#[test]
fn a_projection_names_the_keys_that_give_an_attribute_back() {
    let place = Place::new(USERS);
    place.put_raw(&[
        ("PK", "ORG#o"),
        ("SK", "U#1"),
        ("GSI1PK", "E#x@y"),
        ("GSI1SK", "hello"),
        ("GSI2PK", "ALL"),
        ("LSK", "L#1"),
    ]);
    let org = [("org", "o")];
    assert_eq!(place.found("notes", &org, "note"), ["hello"]);
    assert_eq!(place.found("emails", &org, "email"), ["x@y"]);
    let key = [("org", "o"), ("uid", "1")];
    assert_eq!(place.found("one", &key, "email"), ["x@y"]);
    assert_eq!(place.found("scanned", &[], "note"), ["hello"]);
    // The entry of GSI2 has neither.
    let refused = place.ask("of_all", &[], &PageRequest::default());
    let reason = refused.unwrap_err().to_string();
    assert!(reason.contains("GSI2 holds for it neither"), "{reason}");
}

const LEFT: &str = r##"
model m 1
table Tab (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
  gsi GSI2 (GSI2PK, GSI2SK)
entity U
  id: string, email: string, name: string?, city: string?, n: int?
  key "U#{id}" "P"
  GSI1 "E#{email:lower}" "{name}"
  GSI2 "C#{city:lower}" "{name}"
pattern u(id) -> U?
pattern of_email(email) -> U[] where name
pattern of_city(city) -> U[] where name
"##;

/// An item of another program: it has the keys of both indexes, and lacks what they are made of.
fn left() -> Place {
    let place = Place::new(LEFT);
    place.put_raw(&[
        ("PK", "U#1"),
        ("SK", "P"),
        ("id", "1"),
        ("name", "Bob"),
        ("GSI1PK", "E#a"),
        ("GSI1SK", "Bob"),
        ("GSI2PK", "C#ulm"),
        ("GSI2SK", "Bob"),
    ]);
    place
}

fn has(place: &Place, name: &str) -> bool {
    place.stored()[0].get(name).is_some()
}

#[test]
fn a_change_leaves_no_index_key_behind_that_the_model_cannot_make() {
    let place = left();
    // Without a city the item is not in the second index. Whether it is in the first is not known:
    // it lacks an e-mail, which each item has.
    place.update("U", &[("id", "1"), ("n", "2")]).unwrap();
    assert!(has(&place, "GSI1PK") && !has(&place, "GSI2PK"));
    let refused = place.update("U", &[("id", "1"), ("name", "Eve")]);
    let reason = refused.unwrap_err().to_string();
    assert!(
        reason.contains("the U with id = 1 has no `email`"),
        "{reason}"
    );
    place
        .update("U", &[("id", "1"), ("name", "Eve"), ("email", "B")])
        .unwrap();
    assert_eq!(place.found("of_email", &[("email", "b")], "name"), ["Eve"]);
    // An item without a city is not in GSI2.
    assert!(!has(&place, "GSI2PK") && !has(&place, "GSI2SK"));
}

#[test]
fn a_put_leaves_no_index_key_behind() {
    let place = left();
    place.put("U", &[("id", "1"), ("email", "B"), ("name", "Eve")]);
    assert_eq!(place.found("of_email", &[("email", "b")], "name"), ["Eve"]);
    assert!(!has(&place, "GSI2PK") && !has(&place, "GSI2SK"));
}

#[test]
fn a_write_names_the_item_whose_stored_value_makes_no_key() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity U\n  id: string, name: string?, n: int\n  key \"U#{id}\" \"P\"\n  \
         copy c \"C#{name}\" \"{id}\" when exists name\npattern u(id) -> U?\n",
    );
    let mut item = Item::new();
    for (name, text) in [("PK", "U#1"), ("SK", "P"), ("id", "1")] {
        item.insert(name, text);
    }
    item.insert("n", 1);
    item.insert("name", Value::Null);
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    place.backend.call(input.into()).unwrap();
    let updated = place.update("U", &[("id", "1"), ("n", "2")]);
    let deleted = place.delete("U", &[("id", "1")]);
    for refused in [updated, deleted] {
        let reason = refused.unwrap_err().to_string();
        assert!(reason.contains("the U with id = 1"), "{reason}");
        assert!(reason.contains("correct `name` in the table"), "{reason}");
    }
}

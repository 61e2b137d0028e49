//! Values of a program through serde: exact numbers, bytes, enums, options, nested structures; errors
//! that name the member; and items that are read, changed and put back.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::types::Value;
use keyfold::{Database, Error, Item, Keyfold, Values, values};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

/// A database whose items hold one attribute of a type.
fn of_type(kind: &str) -> Database {
    let model = format!(
        "model m 1\ntable Tab (PK, SK)\nrecord Part\n  name: string, price: number, size: int?\nentity Thing\n  id: string, held: {kind}?\n  key \"T#{{id}}\" \"T\"\npattern thing(id) -> Thing?\n"
    );
    Keyfold::memory().unwrap().model(&model).unwrap()
}

fn put(things: &Database, held: impl Serialize) -> Result<Item, Error> {
    things.put(
        "Thing",
        Values::new().insert("id", "a").insert("held", held),
    )?;
    Ok(things.query("thing").arg("id", "a").one()?.unwrap())
}

#[derive(Deserialize)]
struct Held<T> {
    held: T,
}

/// Writes a value as an attribute of a type and reads it back as another type.
fn read_as<T: DeserializeOwned>(kind: &str, held: impl Serialize) -> Result<T, String> {
    let item = put(&of_type(kind), held).map_err(|error| error.to_string())?;
    let held: Held<T> = item.to().map_err(|error| error.to_string())?;
    Ok(held.held)
}

fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(kind: &str, held: T) {
    assert_eq!(read_as::<T>(kind, &held).as_ref(), Ok(&held), "{kind}");
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Part {
    name: String,
    price: f64,
    size: Option<u8>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Blob(#[serde(with = "bytes")] Vec<u8>);

/// Bytes as serde has them.
mod bytes {
    use serde::{Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(held: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(held)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(of: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl de::Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: de::Error>(self, held: &[u8]) -> Result<Vec<u8>, E> {
                Ok(held.to_vec())
            }
        }
        of.deserialize_byte_buf(Bytes)
    }
}

#[test]
fn values_come_back_as_they_were_given() {
    there_and_back("number", u64::MAX);
    there_and_back("number", i64::MIN);
    there_and_back(
        "number",
        12_345_678_901_234_567_890_123_456_789_012_345_678_u128,
    );
    there_and_back("number", -12_345_678_901_234_567_890_123_456_789_i128);
    for float in [
        0.1,
        -0.0,
        1.0 / 3.0,
        1e-120,
        9.99e124,
        5e-7,
        1e22,
        f64::EPSILON,
    ] {
        there_and_back("number", float);
    }
    there_and_back("number", 0.1_f32);
    there_and_back("bool", true);
    there_and_back("string", "text \u{0}\n\"".to_owned());
    there_and_back("string", 'c');
    there_and_back("string", String::new());
    there_and_back("binary", Blob(vec![0, 255, 7]));
    there_and_back("binary", vec![0_u8, 255, 7]);
    there_and_back("binary", [1_u8, 2, 3]);
    there_and_back("small | large", Size::Large);
    there_and_back("list of number", vec![1.5, 2.0]);
    there_and_back("list of number", (1, 2.5));
    there_and_back(
        "set of string",
        BTreeSet::from(["b".to_owned(), "a".to_owned()]),
    );
    there_and_back("set of number", BTreeSet::from([3, -1]));
    there_and_back("set of binary", vec![Blob(vec![1]), Blob(vec![2])]);
    there_and_back(
        "map of int",
        HashMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]),
    );
    there_and_back("map of int", BTreeMap::from([(-5_i8, 1_u8)]));
    let part = |size| Part {
        name: "bolt".to_owned(),
        price: 0.3,
        size,
    };
    there_and_back("Part", part(None));
    there_and_back("list of Part", vec![part(Some(3)), part(None)]);
    there_and_back(
        "map of Part",
        BTreeMap::from([("x".to_owned(), part(Some(0)))]),
    );
    there_and_back(
        "map of string",
        BTreeMap::from([(Size::Small as u8, "x".to_owned())]),
    );
    there_and_back("string", Some("some".to_owned()));
    there_and_back::<Option<String>>("string", None);
}

#[test]
fn digits_are_never_lost() {
    let long = "12345678901234567890.123456789";
    assert_eq!(read_as::<String>("number", long).as_deref(), Ok(long));
    assert_eq!(
        read_as::<f64>("number", long),
        Ok(12_345_678_901_234_567_890.0)
    );
    assert_eq!(read_as::<String>("number", 0.1).as_deref(), Ok("0.1"));
    assert_eq!(read_as::<String>("number", 0.1_f32).as_deref(), Ok("0.1"));
    let json: serde_json::Value = read_as("number", long).unwrap();
    assert_eq!(json, long, "no float holds it");
    for (kind, exact) in [
        ("number", "0.5"),
        ("number", "-7"),
        ("number", "18446744073709551615"),
    ] {
        let json: serde_json::Value = read_as(kind, exact).unwrap();
        assert_eq!(json.to_string(), exact);
    }
    let item = put(&of_type("number"), long).unwrap();
    assert_eq!(item.to_json()["held"], long);
    assert_eq!(
        (item.f64("held"), item.int("held")),
        (Some(1.234_567_890_123_456_8e19), None)
    );
    for (wrong, why) in [
        (
            read_as::<u64>("number", 1.5).map(drop),
            "held: 1.5 is no whole number",
        ),
        (
            read_as::<u8>("number", 300).map(drop),
            "held: invalid value: integer `300`, expected u8",
        ),
        (read_as::<u8>("number", -1).map(drop), "held: invalid value"),
        (
            read_as::<u64>("number", u128::MAX >> 4).map(drop),
            "held: invalid",
        ),
        (read_as::<u128>("number", "1e100").map(drop), "too large"),
        (
            read_as::<u64>("string", "x").map(drop),
            "held: invalid type: string \"x\", expected u64",
        ),
        (
            read_as::<(u8, u8)>("list of number", [1, 2, 3]).map(drop),
            "held: a list of 3 elements",
        ),
        (
            read_as::<Vec<u8>>("list of number", [1, 999]).map(drop),
            "held[1]: invalid value",
        ),
        (
            read_as::<Size>("string", "huge").map(drop),
            "unknown variant `huge`",
        ),
    ] {
        let text = wrong.unwrap_err();
        assert!(text.starts_with("the Thing does not fit: "), "{text}");
        assert!(text.contains(why), "{text} has no {why}");
    }
}

/// A value that cannot be stored is refused with the path to it; none is silently left out.
#[test]
fn what_cannot_be_stored_is_refused_with_its_path() {
    #[derive(Serialize)]
    struct Float {
        price: f64,
    }
    let refused = |kind: &str, held: &dyn Fn() -> Values| {
        let things = of_type(kind);
        let mut all = held();
        let Err(Error::Invalid { message: why, .. }) = things.put("Thing", all.insert("id", "a"))
        else {
            panic!("{kind} took {all:?}")
        };
        why
    };
    let nan = f64::NAN;
    for (kind, held, why) in [
        (
            "number",
            &(|| values! { "held": nan }) as &dyn Fn() -> Values,
            "held: NaN is no number",
        ),
        (
            "number",
            &|| values! { "held": f64::INFINITY },
            "held: inf is no number",
        ),
        (
            "number",
            &|| values! { "held": f32::NEG_INFINITY },
            "held: -inf is no number",
        ),
        (
            "list of number",
            &|| values! { "held": [1, nan] },
            "held[1]: NaN",
        ),
        (
            "map of number",
            &|| values! { "held": { "a": { "b": nan } } },
            "held.a.b: NaN",
        ),
        (
            "map of number",
            &|| values! { "held": Float { price: nan } },
            "held.price: NaN",
        ),
        (
            "number",
            &|| values! { "held": u128::MAX },
            "held: 340282366920938463463374607431768211455 is no number that can be stored: more than 38",
        ),
        ("number", &|| values! { "held": 1e200 }, "held: 1"),
        (
            "number",
            &|| values! { "held": 1, "held": 2 },
            "held: it is given twice",
        ),
        (
            "map of number",
            &|| values! { "held": BTreeMap::from([(vec![1], 2)]) },
            "held: a list is no key",
        ),
        (
            "number",
            &|| values! { "held": true },
            "held is no number: true",
        ),
        (
            "list of number",
            &|| values! { "held": [1, "x"] },
            "held[1]: `x` is not a number",
        ),
        (
            "list of number",
            &|| values! { "held": [1, null] },
            "held[1] is no number: null",
        ),
        (
            "Part",
            &|| values! { "held": { "name": "n", "price": 1, "siz": 2 } },
            "held.siz is no field of Part",
        ),
        (
            "set of string",
            &|| values! { "held": ["a", "a"] },
            "held: a set has",
        ),
        (
            "binary",
            &|| values! { "held": [1, 256] },
            "held is no binary",
        ),
        ("string", &|| values! { "held": ["a"] }, "held is no string"),
        (
            "time",
            &|| values! { "held": "a\u{1b}[31m\n" },
            "held: `a\\u{1b}[31m\\n` is not a time",
        ),
    ] {
        let text = refused(kind, held);
        assert!(text.starts_with(why), "{text}\nhas no {why}");
    }
    let things = of_type("number");
    let asked = things.query("thing").arg("id", f64::NAN).one();
    assert!(
        matches!(&asked, Err(Error::Invalid { message: why, .. }) if why.starts_with("id: NaN")),
        "{asked:?}"
    );
    let long = put(&of_type("number"), "x".repeat(1_000_000)).unwrap_err();
    assert!(long.to_string().len() < 300, "{}", long.to_string().len());
}

const KEPT: &str = r#"
model m 1
table Tab (PK, SK)
entity Team
  team: string, name: string, note: string?
  key "T#{team}" "T"
  version v
  count members of Member
  sum points of Member.points
entity Member
  team: Team.team, id: string, points: int
  key "T#{team}" "M#{id}"
pattern team(team) -> Team
pattern members(team) -> Member[]
pattern all(team) -> Team + Member[]
"#;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Team {
    team: String,
    name: String,
    note: Option<String>,
    v: u64,
    members: u64,
    #[serde(default)]
    points: i64,
}

#[test]
fn an_item_that_was_read_can_be_put_back() {
    let db = Keyfold::memory().unwrap().model(KEPT).unwrap();
    let team = || {
        let found = db.query("team").arg("team", "a").one_as::<Team>();
        found.unwrap().unwrap()
    };
    let new = Team {
        team: "a".to_owned(),
        name: "A".to_owned(),
        note: Some("n".to_owned()),
        v: 0,
        members: 77,
        points: 99,
    };
    db.put("Team", &new).unwrap();
    db.put("Member", values! { "team": "a", "id": "m", "points": 5 })
        .unwrap();
    let read = team();
    assert_eq!(
        (read.members, read.points),
        (1, 5),
        "they follow from the members"
    );
    // Two readers: the second one's change rests on what is no longer there.
    let theirs = read.clone();
    db.put(
        "Team",
        Team {
            name: "B".to_owned(),
            ..read
        },
    )
    .unwrap();
    let stale = db.put("Team", &theirs);
    assert!(matches!(stale, Err(Error::StaleVersion(_))), "{stale:?}");
    let exists = db.put("Team", &new);
    assert!(matches!(exists, Err(Error::StaleVersion(_))), "{exists:?}");
    // The same for an update and as an item.
    let now = team();
    assert_eq!((now.name.as_str(), now.members, now.points), ("B", 1, 5));
    db.update(
        "Team",
        Team {
            name: "C".to_owned(),
            note: None,
            ..now
        },
    )
    .unwrap();
    let now = team();
    assert_eq!(now.note.as_deref(), Some("n"), "`None` is not given");
    db.remove("Team", values! { "team": "a", "v": now.v }, &["note"])
        .unwrap();
    let item = db.query("team").arg("team", "a").one().unwrap().unwrap();
    assert_eq!((item.text("note"), item.u64("members")), (None, Some(1)));
    db.put("Team", &item).unwrap();
    let again = db.query("all").arg("team", "a").all().unwrap();
    let is_team = |item: &&Item| item.kind() == "Team";
    assert_eq!(again.iter().find(is_team).unwrap().text("name"), Some("C"));
    for item in &again {
        db.put(item.kind(), item).unwrap();
    }
    db.delete("Member", values! { "team": "a", "id": "m", "points": 0 })
        .unwrap();
    let last = team();
    db.delete("Team", &last).unwrap();
    let gone = db.put("Team", &last);
    assert!(
        matches!(&gone, Err(Error::StaleVersion(why)) if why.message.contains("deleted")),
        "{gone:?}"
    );
    for (wrong, why) in [
        (
            values! { "team": "b", "name": "B", "members": "many" },
            "members",
        ),
        (
            values! { "team": "b", "name": "B", "nam": 1 },
            "did you mean `name`?",
        ),
    ] {
        let refused = db.put("Team", wrong);
        assert!(
            matches!(&refused, Err(Error::Invalid { message: text, .. }) if text.contains(why)),
            "{refused:?}"
        );
    }
    db.create("Team", &new).unwrap();
    let again = db.create("Team", &new);
    assert!(matches!(again, Err(Error::Exists(_))), "{again:?}");
    let key = db.change("Team", values! { "team": "a" }, &["name"]);
    assert!(matches!(key, Err(Error::Invalid { .. })), "{key:?}");
}

#[test]
fn arguments_are_a_struct_and_pages_are_structs() {
    #[derive(Serialize)]
    struct Wanted<'a> {
        team: &'a str,
        from: Option<u8>,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    struct Member {
        id: String,
        points: u8,
    }
    let model = KEPT
        .replace("members(team)", "members(team, points >= from?)")
        .replace("\"M#{id}\"", "\"M#{points:04}#{id}\"");
    let db = Keyfold::memory().unwrap().model(&model).unwrap();
    db.put("Team", values! { "team": "a", "name": "A" })
        .unwrap();
    for points in 0..5 {
        db.put(
            "Member",
            values! { "team": "a", "id": "m", "points": points },
        )
        .unwrap();
    }
    let asked = db.query("members").args(Wanted {
        team: "a",
        from: None,
    });
    assert_eq!(asked.clone().all_as::<Member>().unwrap().len(), 5);
    let from = db.query("members").args(Wanted {
        team: "a",
        from: Some(3),
    });
    let page = from.clone().page_as::<Member>().unwrap();
    assert_eq!(page.items[0].points, 3);
    assert_eq!(page, from.page().unwrap().to().unwrap());
    let sizes: Vec<usize> = asked
        .clone()
        .limit(2)
        .pages_as::<Member>()
        .map(|page| page.unwrap().items.len())
        .collect();
    assert_eq!(sizes, [2, 2, 1]);
    let none = asked.clone().limit(0).page();
    assert!(
        matches!(&none, Err(Error::Invalid { message: why, .. }) if why.contains("at least 1")),
        "{none:?}"
    );
    let wrong = asked.pages_as::<Part>().next().unwrap();
    assert!(
        matches!(&wrong, Err(Error::Invalid { message: why, .. }) if why.contains("missing field `name`")),
        "{wrong:?}"
    );
}

/// Programs may switch on serde_json's `arbitrary_precision` themselves: its numbers are then structs.
#[test]
fn numbers_of_json_are_numbers_whichever_way_they_are_serialized() {
    #[derive(Serialize)]
    #[serde(rename = "$serde_json::private::Number")]
    struct Number {
        #[serde(rename = "$serde_json::private::Number")]
        digits: &'static str,
    }
    let digits = "12345678901234567890.5";
    assert_eq!(
        read_as::<String>("number", Number { digits }).as_deref(),
        Ok(digits)
    );
    assert_eq!(read_as::<f64>("number", serde_json::json!(0.25)), Ok(0.25));
    let things = of_type("list of number");
    things
        .put("Thing", serde_json::json!({ "id": "a", "held": [1, 2.5], }))
        .unwrap();
}

#[test]
fn values_are_written_in_every_form() {
    let (name, two) = ("c", vec![1, 2]);
    let all = values! {
        "a": null, "b": [], (name): two[0] + 1, "d": [[1], { "e": [null, -1, two] }], "f": {},
        (name.len()): "x",
    };
    let shown: Vec<&str> = all.members().unwrap().map(|(name, _)| name).collect();
    assert_eq!(shown, ["1", "a", "b", "c", "d", "f"]);
    assert_eq!(all.get("c"), Some(&Value::from(2)));
    assert_eq!(
        all,
        values! { "a": null, "b": [], "c": 2, "d": [[1], { "e": [null, -1, [1, 2]] }], "f": {}, "1": "x" }
    );
    let text = serde_json::to_string(&all).unwrap();
    assert_eq!(
        text,
        r#"{"1":"x","a":null,"b":[],"c":2,"d":[[1],{"e":[null,-1,[1,2]]}],"f":{}}"#
    );
    assert_eq!(values! {}, Values::default());
}

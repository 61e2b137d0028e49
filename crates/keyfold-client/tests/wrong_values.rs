//! Items of other programs with a value of which no index key can be made: they can be deleted,
//! replaced and corrected through the model.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Place, Text};
use keyfold_types::{Item, Value};

const MODEL: &str = r##"
model m 1
table Tab (PK, SK) type kind
  gsi GSI1 (GSI1PK, GSI1SK)
entity Player
  id: string, team: string, score: int?, note: string?
  key  "P#{id}" "P"
  GSI1 "T#{team}" "{score:06}"
  unique note
entity Team
  team: string, best: int?
  key "T#{team}" "T"
  max best of Goal.goal
entity Goal
  team: Team.team, id: string, goal: int, minute: int?
  key  "T#{team}" "G#{goal:06}#{id}"
  GSI1 "M" "{minute:03}"
pattern one(id) -> Player?
"##;

const WRONG: &[(Text<'_>, &str)] = &[
    (
        &[("GSI1PK", "T#a"), ("GSI1SK", "many"), ("score", "many")],
        "GSI1",
    ),
    (&[("score", "many")], "nothing"),
    (
        &[("GSI1PK", "old"), ("GSI1SK", "old"), ("score", "many")],
        "other",
    ),
];

fn with(place: &Place, wrong: Text<'_>) {
    let own = [
        ("PK", "P#1"),
        ("SK", "P"),
        ("id", "1"),
        ("team", "a"),
        ("kind", "Player"),
    ];
    place.put_raw(&[&own, wrong].concat());
}

fn player(place: &Place) -> Option<Item> {
    let is_it = |item: &Item| item.get("PK") == Some(&Value::from("P#1"));
    place.stored().into_iter().find(is_it)
}

fn text(item: &Item, name: &str) -> Option<String> {
    item.get(name).map(keyfold_model::value::display)
}

#[test]
fn an_item_whose_value_makes_no_index_key_is_deleted() {
    for (wrong, what) in WRONG {
        let place = Place::new(MODEL);
        with(&place, wrong);
        place.delete("Player", &[("id", "1")]).unwrap();
        assert!(player(&place).is_none(), "{what}");
    }
}

#[test]
fn an_item_whose_value_makes_no_index_key_is_replaced() {
    for (wrong, what) in WRONG {
        for others in [&[][..], &[("extra", "kept")]] {
            let place = Place::new(MODEL);
            with(&place, &[wrong, others].concat());
            place.put("Player", &[("id", "1"), ("team", "b"), ("score", "7")]);
            let item = player(&place).unwrap();
            assert_eq!(text(&item, "GSI1PK").as_deref(), Some("T#b"), "{what}");
            assert_eq!(text(&item, "GSI1SK").as_deref(), Some("000007"), "{what}");
            with(&place, &[wrong, others].concat());
            // Without a score it is in no index.
            place.put("Player", &[("id", "1"), ("team", "b")]);
            let item = player(&place).unwrap();
            assert_eq!(text(&item, "GSI1PK"), None, "{what}");
            assert_eq!(text(&item, "GSI1SK"), None, "{what}");
            assert_eq!(text(&item, "score"), None, "{what}");
            assert_eq!(item.get("extra").is_some(), !others.is_empty(), "{what}");
        }
    }
}

#[test]
fn an_item_whose_value_makes_no_index_key_is_corrected() {
    for (wrong, what) in WRONG {
        let place = Place::new(MODEL);
        with(&place, wrong);
        let refused = place.update("Player", &[("id", "1"), ("note", "n")]);
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.contains("the Player with id = 1") && refused.contains("give `score`, too"),
            "{refused}"
        );
        place
            .update("Player", &[("id", "1"), ("score", "8")])
            .unwrap();
        let item = player(&place).unwrap();
        assert_eq!(text(&item, "GSI1PK").as_deref(), Some("T#a"), "{what}");
        assert_eq!(text(&item, "GSI1SK").as_deref(), Some("000008"), "{what}");
    }
}

#[test]
fn the_item_of_a_maximum_is_deleted_too() {
    let place = Place::new(MODEL);
    place.put("Team", &[("team", "a")]);
    for goal in ["1", "5"] {
        place.put("Goal", &[("team", "a"), ("id", "g"), ("goal", goal)]);
    }
    let is_best = |item: &Item| item.get("SK") == Some(&Value::from("G#000005#g"));
    let mut best = place.stored().into_iter().find(is_best).unwrap();
    best.insert("minute", "late");
    place.put_item(best);
    let key = [("team", "a"), ("id", "g"), ("goal", "5")];
    place.delete("Goal", &key).unwrap();
    let is_team = |item: &Item| item.get("SK") == Some(&Value::from("T"));
    let team = place.stored().into_iter().find(is_team).unwrap();
    assert_eq!(text(&team, "best").as_deref(), Some("1"));
}

//! Verifications of what is not as it should be while it is read: items that never rest, tables that
//! go, keys of another shape, values made to harm whoever reads the report.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::Place;
use common::verifying::{item, put, text, verify};
use keyfold_api::DeleteTableInput;
use keyfold_client::verify::{self, Finding, FindingKind, Observer, Options};
use keyfold_client::{Backend, ClientError};
use keyfold_types::{Item, Value};
use std::sync::atomic::{AtomicBool, Ordering};

const MODEL: &str = "\
model m 1
table Tab (PK, SK) type kind
  gsi One (GSI1PK)

entity User
  userId: string, name: string, size: int, lines: list of string?
  key    \"USER#{userId}\" \"U\"
  One    \"NAME#{name}\"
  copy   card \"CARD#{userId}\" \"CARD\" only userId, name
  split  lines by 1

pattern user(userId) -> User?
";

fn good(users: u32) -> Place {
    let place = Place::new(MODEL);
    for user in 0..users {
        let id = format!("u{user}");
        let values = [
            ("userId", id.as_str()),
            ("name", "Ada"),
            ("size", "1"),
            ("lines", r#"["a","b"]"#),
        ];
        place.put("User", &values);
    }
    place
}

/// A wrong item that is written all the time cannot be judged, and is not passed over either.
#[test]
fn a_wrong_item_that_never_rests_is_reported_or_undecided() {
    let place = good(1);
    let is_done = AtomicBool::new(false);
    let mut wrong = item(&place, "USER#u0", "U");
    wrong.insert("size", "many");
    put(&place, &wrong);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut wrong = wrong.clone();
            for number in 0.. {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                wrong.insert("other", number);
                put(&place, &wrong);
            }
        });
        let reports: Vec<_> = (0..5)
            .map(|_| verify(&place, Options::default()).1)
            .collect();
        is_done.store(true, Ordering::Relaxed);
        for report in reports {
            assert!(report.findings() + report.undecided > 0, "{report:?}");
        }
    });
}

/// Deletes the table at the first sign of progress.
struct Deleting<'b>(&'b Backend);

impl Observer for Deleting<'_> {
    fn progress(&mut self, _scan: u32, _items: u64) {
        let input = DeleteTableInput {
            table_name: Some("Tab".to_owned()),
        };
        drop(self.0.call(input.into()));
    }

    fn finding(&mut self, _finding: &Finding) -> Result<(), ClientError> {
        Ok(())
    }
}

#[test]
fn a_table_that_is_deleted_meanwhile_is_no_good_one() {
    for page in [None, Some(1)] {
        let place = good(3);
        let mut card = item(&place, "CARD#u0", "CARD");
        card.insert("name", "Eve");
        put(&place, &card);
        let tables = verify::sizes(&place.backend, &place.model).unwrap();
        let options = Options {
            page,
            ..Options::default()
        };
        let mut observer = Deleting(&place.backend);
        let run = verify::run(
            &place.backend,
            &place.model,
            &tables,
            &options,
            &mut observer,
        );
        let error = run.unwrap_err();
        assert!(
            error.to_string().contains("Tab was deleted while"),
            "{error}"
        );
    }
}

/// Its items cannot be read by the keys of the model.
#[test]
fn a_table_with_another_key_is_a_finding() {
    for (key, other, found) in [
        ("(pk)", "key \"U#{id}\"", "Other?"),
        ("(PK, sort)", "key \"U#{id}\" \"U\"", "Other?"),
        ("(PK, SK)", "key \"U#{id}\" \"{size}\"", "Other[]"),
    ] {
        let model = format!(
            "model o 1\ntable Tab {key}\nentity Other\n  id: string, size: int\n  {other}\npattern one(id) -> {found}\n"
        );
        let stored = Place::new(&model);
        stored.put("Other", &[("id", "1"), ("size", "1")]);
        let place = Place {
            model: good(0).model,
            backend: stored.backend,
        };
        let (found, report) = verify(&place, Options::default());
        let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
        assert!(
            kinds.contains(&FindingKind::Definition),
            "{key}: {report:?}"
        );
    }
}

#[test]
fn a_sample_of_an_empty_table_is_empty() {
    let place = good(0);
    let options = Options {
        sample: Some(10),
        ..Options::default()
    };
    let (found, report) = verify(&place, options);
    let share = report.sample.unwrap();
    assert_eq!((found.len(), share.read, share.wrong), (0, 0, 0));
    assert!(share.low.abs() < 1e-9 && (share.high - 1.0).abs() < 1e-9);
}

/// A value may be 400 KB, and may hold what a terminal obeys.
#[test]
fn messages_are_short_and_show_what_is_hidden() {
    let place = good(1);
    let hostile = format!("\u{1b}]0;title\u{7}\r\n\u{202e}{}", "x".repeat(300_000));
    let mut user = item(&place, "USER#u0", "U");
    for name in ["kind", "GSI1PK", "size", "lines:parts"] {
        let held = match name {
            "GSI1PK" => hostile.chars().take(1000).collect(),
            _ => hostile.chars().take(50_000).collect::<String>(),
        };
        user.insert(name, held);
    }
    put(&place, &user);
    let mut unknown = Item::new();
    unknown.insert("PK", hostile.chars().take(1000).collect::<String>());
    unknown.insert("SK", "x");
    put(&place, &unknown);
    let mut card = item(&place, "CARD#u0", "CARD");
    card.insert("kind", Value::from(hostile.as_str()));
    put(&place, &card);
    let (found, _) = verify(&place, Options::default());
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    assert!(
        kinds.contains(&FindingKind::UnknownItem) && kinds.len() > 4,
        "{kinds:?}"
    );
    for one in found {
        let size = one.message.chars().count();
        assert!(size < 1200, "{:?}: {size}", one.kind);
        assert!(
            !one.message.contains(|c: char| c.is_control()),
            "{:?}",
            one.message
        );
        assert!(!text(&one.key, "SK").is_empty());
    }
}

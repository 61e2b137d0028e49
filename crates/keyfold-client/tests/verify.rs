//! Damages good tables by raw writes: each kind of damage is found, and nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod common;

use common::Place;
use common::verifying::{delete, item, put, text, verify};
use keyfold_client::ClientError;
use keyfold_client::verify::{self, Finding, FindingKind, Kept, Observer, Options};
use keyfold_types::{Item, Value};
use std::collections::BTreeSet;

const MODEL: &str = "\
model m 1
table Tab (PK, SK) type kind
  gsi One (GSI1PK, GSI1SK)
  gsi Two (GSI2PK)
  lsi ByTime (createdAt)

record Line
  name: string, count: int

entity User
  userId: string, email: string, name: string, plan: free | paid, born: date?, note: string?
  key    \"USER#{userId}\" \"PROFILE\"
  One    \"MAIL#{email}\"  \"USER\"
  Two    \"NOTE#{note}\"
  copy   card \"CARD#{userId}\" \"CARD\" only userId, name
  unique email
  count  orders of Order
  sum    spent of Order.total
  max    latest of Order.createdAt

entity Order
  userId: User.userId, orderId: ulid = new, createdAt: time, total: number, lines: list of Line?
  key    \"USER#{userId}\" \"ORDER#{orderId}\"
  split  lines by 2

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
";

/// A good table: users with orders, some of them in several items.
fn good(users: u32) -> Place {
    let place = Place::new(MODEL);
    for user in 0..users {
        let (id, mail) = (format!("u{user}"), format!("{user}@example.com"));
        let mut text = vec![
            ("userId", id.as_str()),
            ("email", &mail),
            ("name", "Ada"),
            ("plan", "free"),
        ];
        if user % 2 == 0 {
            text.push(("note", "hello"));
        }
        place.put("User", &text);
        for order in 0..3 {
            let order_id = format!("01HQ3K5M7N8P9QRSTV{order:08}");
            let at = format!("2024-01-0{}T00:00:00Z", order + 1);
            let lines = r#"[{"name":"a","count":1},{"name":"b","count":2},{"name":"c","count":3},{"name":"d","count":4},{"name":"e","count":5}]"#;
            let mut text = vec![
                ("userId", id.as_str()),
                ("orderId", &order_id),
                ("createdAt", &at),
                ("total", "12.50"),
            ];
            if order > 0 {
                text.push(("lines", lines));
            }
            place.put("Order", &text);
        }
    }
    place
}

/// Changes one stored item of a good table, and returns what is found.
fn changed(partition: &str, sort: &str, change: impl Fn(&mut Item)) -> (Vec<Finding>, Place) {
    let place = good(2);
    let mut one = item(&place, partition, sort);
    change(&mut one);
    put(&place, &one);
    (verify(&place, Options::default()).0, place)
}

/// Requires one finding of a kind, which breaks a line that begins like this.
#[track_caller]
fn one(found: &[Finding], kind: FindingKind, line: &str) {
    let [finding] = found else {
        panic!("one finding: {found:#?}")
    };
    assert_eq!(finding.kind, kind, "{finding:#?}");
    let sources = keyfold_model::Sources::of_text("model", MODEL);
    let text = finding.line.as_ref().unwrap().find(&sources).text;
    assert!(text.starts_with(line), "{text}: {finding:#?}");
}

const USER: &str = "USER#u0";
const PART_1: &str = "ORDER#01HQ3K5M7N8P9QRSTV00000001#0001";

#[test]
fn a_good_table_is_clean() {
    let place = good(20);
    let (found, report) = verify(&place, Options::default());
    assert_eq!(found, []);
    assert_eq!(report.scans, 1);
    let counts: Vec<(&str, u64)> = report.kinds.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(
        counts,
        [
            ("Order", 60),
            ("Order.part", 80),
            ("User", 20),
            ("User.card", 20),
            ("unique", 20)
        ]
    );
    for segments in [2, 7] {
        let options = Options {
            segments,
            ..Options::default()
        };
        let (found, report) = verify(&place, options);
        assert_eq!((found.len(), report.items), (0, 200));
    }
}

#[test]
fn an_item_of_no_kind_is_found() {
    let place = good(2);
    let mut stray = Item::new();
    stray.insert("PK", "THING#1");
    stray.insert("SK", "X");
    put(&place, &stray);
    let (found, _) = verify(&place, Options::default());
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, &found[0].key),
        (FindingKind::UnknownItem, &stray)
    );
}

#[test]
fn wrong_attributes_are_found() {
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.remove("plan");
    });
    one(
        &found,
        FindingKind::MissingAttribute,
        "userId: string, email",
    );
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("plan", "gold");
    });
    one(&found, FindingKind::WrongType, "userId: string, email");
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("born", 7);
    });
    one(&found, FindingKind::WrongType, "userId: string, email");
    // Attributes that other attributes follow from are reported once.
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("name", 7);
    });
    one(&found, FindingKind::WrongType, "userId: string, email");
    let (found, _) = changed(USER, "ORDER#01HQ3K5M7N8P9QRSTV00000000#0000", |item| {
        item.insert("orderId", "01HQ3K5M7N8P9QRSTV00000009");
    });
    one(&found, FindingKind::Key, "key    \"USER#{userId}\" \"ORDER");
}

/// An attribute that only a key could give back: the finding shows the key that does not.
#[test]
fn a_key_in_another_form_is_named_where_it_does_not_give_an_attribute_back() {
    let model = "\
model m 1
table Tab (PK, SK)

entity Seat
  row: string, n: int
  key \"ROW#{row}\" \"SEAT#{n}\"
  unstored n

pattern seats(row) -> Seat[]
";
    let place = Place::new(model);
    place.put("Seat", &[("row", "a"), ("n", "7")]);
    let mut seat = item(&place, "ROW#a", "SEAT#7");
    seat.insert("SK", "SEAT#007");
    put(&place, &seat);
    let (found, _) = verify(&place, Options::default());
    let [one] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!(one.kind, FindingKind::MissingAttribute);
    assert_eq!(
        one.message,
        "n is missing: SK = \"SEAT#007\" does not hold it as the model writes it"
    );
}

/// One mistake, one finding: what follows from a wrong attribute is not reported, too.
#[test]
fn what_follows_from_a_wrong_attribute_is_no_finding() {
    let changes: [(&str, &str, Value); 7] = [
        ("PROFILE", "email", 7.into()),
        ("PROFILE", "userId", 7.into()),
        ("PROFILE", "userId", "u7".into()),
        ("PROFILE", "name", Value::Null),
        ("ORDER#", "total", "much".into()),
        ("ORDER#", "createdAt", "now".into()),
        ("ORDER#", "userId", 7.into()),
    ];
    for (sort, name, value) in changes {
        for has_index_key in [true, false] {
            let (found, _) = changed(USER, sort, |item| {
                item.insert(name, value.clone());
                if !has_index_key && name == "email" {
                    item.insert("GSI1PK", "other");
                }
            });
            let [one] = found.as_slice() else {
                panic!("{sort} {name} {value:?} {has_index_key}: {found:#?}")
            };
            let is_key = value == Value::from("u7");
            let expected = if is_key {
                FindingKind::Key
            } else {
                FindingKind::WrongType
            };
            assert_eq!(one.kind, expected, "{found:#?}");
        }
    }
}

/// Of a wrong item it is not known which guard is its own: one more than wrong items is reported.
#[test]
fn foreign_guards_are_found_beside_wrong_unique_attributes() {
    let place = good(3);
    for user in ["USER#u0", "USER#u1"] {
        let mut user = item(&place, user, "PROFILE");
        user.remove("email");
        user.insert("GSI1PK", "other");
        put(&place, &user);
    }
    let all = place.stored();
    let guard = all.iter().find(|item| text(item, "SK") == "UNIQUE");
    let mut guard = guard.unwrap().clone();
    let kinds = |place: &Place| {
        let (found, _) = verify(place, Options::default());
        let mut kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
        kinds.sort_unstable();
        kinds
    };
    let wrong = [FindingKind::MissingAttribute; 2];
    assert_eq!(kinds(&place), wrong);
    guard.insert("PK", format!("{}x", text(&guard, "PK")));
    put(&place, &guard);
    let foreign = [FindingKind::GuardForeign; 3];
    assert_eq!(kinds(&place), [wrong.as_slice(), &foreign].concat());
}

#[test]
fn wrong_index_keys_are_found() {
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("GSI1PK", "MAIL#other");
    });
    one(&found, FindingKind::IndexKey, "One    \"MAIL");
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.remove("GSI2PK");
    });
    one(&found, FindingKind::IndexKey, "Two    \"NOTE");
    let (found, _) = changed("USER#u1", "PROFILE", |item| {
        item.insert("GSI2PK", "NOTE#");
    });
    one(&found, FindingKind::IndexKey, "Two    \"NOTE");
    let (found, _) = changed("CARD#u0", "CARD", |item| {
        item.insert("GSI1PK", "x");
        item.insert("GSI1SK", "x");
    });
    one(&found, FindingKind::IndexKey, "gsi One");
}

#[test]
fn wrong_copies_and_guards_are_found() {
    let (found, place) = changed("CARD#u0", "CARD", |item| {
        item.insert("name", "Eve");
    });
    one(&found, FindingKind::CopyStale, "copy   card");
    assert_eq!(text(found[0].owner.as_ref().unwrap(), "PK"), USER);
    delete(&place, &item(&place, "CARD#u0", "CARD"));
    let (found, _) = verify(&place, Options::default());
    one(&found, FindingKind::CopyMissing, "copy   card");

    let place = good(2);
    let mut copy = item(&place, "CARD#u0", "CARD");
    copy.insert("PK", "CARD#u9");
    copy.insert("userId", "u9");
    put(&place, &copy);
    let (found, report) = verify(&place, Options::default());
    one(&found, FindingKind::CopyForeign, "copy   card");
    assert_eq!(report.scans, 2, "confirmed by another scan");

    let place = good(2);
    let all = place.stored();
    let is_guard = |item: &&Item| text(item, "PK").ends_with("0%40example%2Ecom");
    let guard = all
        .iter()
        .filter(|item| text(item, "SK") == "UNIQUE")
        .find(is_guard);
    let guard = guard.or_else(|| all.iter().find(|item| text(item, "SK") == "UNIQUE"));
    let mut guard = guard.unwrap().clone();
    delete(&place, &guard);
    let (found, _) = verify(&place, Options::default());
    one(&found, FindingKind::GuardMissing, "unique email");
    let other = format!("{}x", text(&guard, "PK"));
    let mut foreign = guard.clone();
    foreign.insert("PK", other);
    put(&place, &foreign);
    guard.insert("kind", "unique");
    put(&place, &guard);
    let (found, _) = verify(&place, Options::default());
    one(&found, FindingKind::GuardForeign, "unique email");
    assert_eq!(found[0].message, "no User has this email");
}

#[test]
fn two_items_with_the_same_unique_value_are_found() {
    let (mut found, _) = changed("USER#u1", "PROFILE", |item| {
        item.insert("email", "0@example.com");
        item.insert("GSI1PK", "MAIL#0@example.com");
    });
    found.sort_by_key(|one| one.kind);
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::GuardForeign, FindingKind::NotUnique]);
}

#[test]
fn wrong_aggregates_are_found() {
    for (name, line) in [("orders", "count  orders"), ("spent", "sum    spent")] {
        let (found, _) = changed(USER, "PROFILE", |item| {
            item.insert(name, 7);
        });
        one(&found, FindingKind::Aggregate, line);
    }
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("latest", "2025-01-01T00:00:00.000Z");
    });
    one(&found, FindingKind::Aggregate, "max    latest");
    assert!(
        found[0].message.contains("2024-01-03"),
        "{}",
        found[0].message
    );
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("spent:items", 4);
    });
    one(&found, FindingKind::Aggregate, "sum    spent");
}

#[test]
fn wrong_parts_and_hidden_attributes_are_found() {
    let place = good(2);
    let part = item(&place, USER, PART_1);
    delete(&place, &part);
    let (found, _) = verify(&place, Options::default());
    one(&found, FindingKind::PartMissing, "split  lines");
    assert_eq!(text(&found[0].key, "SK"), PART_1);
    let mut other = part.clone();
    other.insert("SK", PART_1.replace("#0001", "#0003"));
    put(&place, &part);
    put(&place, &other);
    let (found, _) = verify(&place, Options::default());
    one(&found, FindingKind::PartForeign, "split  lines");
    other.insert("SK", PART_1.replace("ORDER#01", "ORDER#02"));
    let place = good(2);
    put(&place, &other);
    one(
        &verify(&place, Options::default()).0,
        FindingKind::PartForeign,
        "split  lines",
    );

    let (found, _) = changed(USER, PART_1, |item| {
        item.insert("lines", Value::L(Vec::new()));
    });
    one(&found, FindingKind::Hidden, "split  lines");
    let (found, _) = changed(USER, "PROFILE", |item| {
        item.insert("kind", "Order");
    });
    one(&found, FindingKind::Hidden, "table Tab");
    let (found, _) = changed(USER, "ORDER#01HQ3K5M7N8P9QRSTV00000000", |item| {
        item.insert("lines:parts", 2);
    });
    one(&found, FindingKind::PartMissing, "split  lines");
}

#[test]
fn a_sample_estimates_the_share_of_wrong_items() {
    let place = good(80);
    for user in 0..40 {
        let mut user = item(&place, &format!("USER#u{user}"), "PROFILE");
        user.remove("plan");
        put(&place, &user);
    }
    let options = Options {
        sample: Some(200),
        ..Options::default()
    };
    let (found, report) = verify(&place, options);
    let share = report.sample.unwrap();
    assert!((200..400).contains(&report.items), "{}", report.items);
    assert!(
        !found.is_empty()
            && found
                .iter()
                .all(|one| one.kind == FindingKind::MissingAttribute)
    );
    assert_eq!(share.wrong, found.len() as u64);
    assert!(
        share.low < share.high && share.low > 0.0 && share.high < 0.3,
        "{share:?}"
    );
}

#[test]
fn random_damage_is_found_and_nothing_else() {
    for seed in 0..25 {
        let mut random = fastrand::Rng::with_seed(seed);
        let place = good(8);
        let mut items = place.stored();
        random.shuffle(&mut items);
        let mut damaged: BTreeSet<(String, String)> = BTreeSet::new();
        let key = |item: &Item| (text(item, "PK").to_owned(), text(item, "SK").to_owned());
        for item in items.iter().take(random.usize(1..8)) {
            let mut item = item.clone();
            damaged.insert(damage(&place, &mut item, &mut random));
        }
        let (found, _) = verify(&place, Options::default());
        let held: BTreeSet<(String, String)> = found.iter().map(|one| key(&one.key)).collect();
        assert_eq!(held, damaged, "seed {seed}: {found:#?}");
    }
}

/// Damages an item so that nothing else follows, and returns the key that must be reported.
fn damage(place: &Place, item: &mut Item, random: &mut fastrand::Rng) -> (String, String) {
    let sort = text(item, "SK").to_owned();
    let own = (text(item, "PK").to_owned(), sort.clone());
    match sort.as_str() {
        "PROFILE" => match random.u8(0..6) {
            0 => drop(item.remove("plan")),
            1 => drop(item.insert("note", 1)),
            2 => drop(item.insert("GSI1SK", "x")),
            3 => drop(item.insert("orders", 99)),
            4 => drop(item.remove("latest")),
            _ => drop(item.insert("kind", "Usr")),
        },
        "CARD" => match random.u8(0..3) {
            0 => drop(item.remove("name")),
            1 => drop(item.insert("GSI2PK", "x")),
            _ => {
                delete(place, item);
                return own;
            }
        },
        "UNIQUE" => {
            delete(place, item);
            if random.bool() {
                return own;
            }
            // A guard of another value, beside the right one.
            put(place, item);
            item.insert("PK", format!("{}x", own.0));
            put(place, item);
            return (format!("{}x", own.0), own.1);
        }
        order if order.ends_with("#0000") => drop(item.insert("kind", "User")),
        _ => {
            if random.bool() {
                delete(place, item);
                return own;
            }
            item.insert("kind", "Order");
        }
    }
    put(place, item);
    own
}

/// An observer whose output lasts, like a file, and that fails at one of the saves.
#[derive(Default)]
struct Interrupted {
    seen: Vec<Finding>,
    saves_left: Option<u64>,
    /// Whether the output fails at the end.
    fails_at_end: bool,
}

impl Observer for Interrupted {
    fn begin(&mut self, position: u64) -> Result<(), ClientError> {
        self.seen.truncate(usize::try_from(position).unwrap());
        Ok(())
    }

    fn position(&mut self) -> Result<u64, ClientError> {
        if let Some(left) = &mut self.saves_left {
            *left = left
                .checked_sub(1)
                .ok_or_else(|| ClientError::Transport("interrupted".to_owned()))?;
        }
        Ok(self.seen.len() as u64)
    }

    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.seen.push(finding.clone());
        Ok(())
    }

    fn end(&mut self) -> Result<(), ClientError> {
        match self.fails_at_end {
            true => Err(ClientError::Transport("the output is full".to_owned())),
            false => Ok(()),
        }
    }
}

/// A state outlives the verification whose output fails at the very end.
#[test]
fn a_verification_whose_output_fails_continues() {
    let place = good(2);
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        kept: Some(Kept {
            folder: folder.path().join("state"),
            subject: "test".to_owned(),
            every: std::time::Duration::from_secs(60),
        }),
        ..Options::default()
    };
    let mut observer = Interrupted {
        fails_at_end: true,
        ..Interrupted::default()
    };
    let run = |observer: &mut Interrupted| {
        verify::run(&place.backend, &place.model, &tables, &options, observer)
    };
    assert!(run(&mut observer).is_err());
    assert!(folder.path().join("state/verification.json").exists());
    observer.fails_at_end = false;
    let report = run(&mut observer).unwrap();
    assert!(report.items > 0 && !folder.path().join("state").exists());
    let sample = Options {
        sample: Some(1),
        ..Options::default()
    };
    observer.fails_at_end = true;
    assert!(
        verify::run(
            &place.backend,
            &place.model,
            &tables,
            &sample,
            &mut observer
        )
        .is_err()
    );
}

/// Any number of interruptions, at any page: the findings are those of one run, each once.
#[test]
fn an_interrupted_verification_continues() {
    let place = good(12);
    let mut random = fastrand::Rng::with_seed(11);
    for item in place.stored() {
        if random.u8(..4) == 0 {
            damage(&place, &mut item.clone(), &mut random);
        }
    }
    let sorted = |mut found: Vec<Finding>| {
        found.sort_by_key(|one| format!("{one:?}"));
        found
    };
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    for segments in [1, 3] {
        let options = Options {
            segments,
            page: Some(3),
            ..Options::default()
        };
        let (whole, report) = verify(&place, options.clone());
        assert!(whole.len() > 10);
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            kept: Some(Kept {
                folder: folder.path().join("state"),
                subject: "test".to_owned(),
                every: std::time::Duration::ZERO,
            }),
            ..options
        };
        let mut observer = Interrupted::default();
        let mut interruptions = 0;
        let continued = loop {
            observer.saves_left = Some(random.u64(1..6));
            match verify::run(
                &place.backend,
                &place.model,
                &tables,
                &options,
                &mut observer,
            ) {
                Ok(report) => break report,
                Err(_) => interruptions += 1,
            }
        };
        assert!(interruptions > 3, "{interruptions}");
        assert_eq!(sorted(observer.seen), sorted(whole));
        assert_eq!(
            (continued.items, &continued.kinds, continued.findings()),
            (report.items, &report.kinds, report.findings())
        );
        assert!(!folder.path().join("state").exists());
    }
}

/// A state is not continued for another model or with other segments.
#[test]
fn a_state_of_another_verification_is_refused() {
    let place = good(2);
    let folder = tempfile::tempdir().unwrap();
    let options = |subject: &str, segments| Options {
        segments,
        kept: Some(Kept {
            folder: folder.path().join("state"),
            subject: subject.to_owned(),
            every: std::time::Duration::ZERO,
        }),
        ..Options::default()
    };
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    let run = |options: Options, saves| {
        let mut observer = Interrupted {
            saves_left: saves,
            ..Interrupted::default()
        };
        verify::run(
            &place.backend,
            &place.model,
            &tables,
            &options,
            &mut observer,
        )
    };
    run(options("one", 1), Some(1)).unwrap_err();
    for other in [options("two", 1), options("one", 2)] {
        let error = run(other, None).unwrap_err().to_string();
        assert!(error.contains("another verification"), "{error}");
    }
    assert_eq!(run(options("one", 1), None).unwrap().findings(), 0);
}

#[test]
fn writers_meanwhile_are_no_findings() {
    let place = good(12);
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = fastrand::Rng::with_seed(3);
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                write(&place, &mut random);
            }
        });
        let mut scans = 0;
        let options = Options {
            segments: 2,
            page: Some(3),
            ..Options::default()
        };
        for _ in 0..15 {
            let (found, report) = verify(&place, options.clone());
            assert_eq!(found, [], "{report:#?}");
            scans = scans.max(report.scans);
        }
        assert!(scans > 1, "something was suspect, and was scanned again");
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let (found, report) = verify(&place, Options::default());
    assert_eq!((found.len(), report.undecided, report.scans), (0, 0, 1));
}

/// A write that moves guards, copies, parts and aggregates.
fn write(place: &Place, random: &mut fastrand::Rng) {
    let id = format!("u{}", random.u8(0..12));
    let order = format!("01HQ3K5M7N8P9QRSTV{:08}", random.u8(0..6));
    let (mail, at) = (
        format!("{}@example.com", random.u32(..)),
        format!("2024-02-{:02}T00:00:00Z", random.u8(1..28)),
    );
    let lines = r#"[{"name":"a","count":1},{"name":"b","count":2},{"name":"c","count":3}]"#;
    let key = [("userId", id.as_str()), ("orderId", order.as_str())];
    match random.u8(0..4) {
        0 => drop(place.update(
            "User",
            &[("userId", &id), ("email", &mail), ("name", &mail)],
        )),
        1 => drop(place.delete("Order", &key)),
        2 => drop(place.update("Order", &[key[0], key[1], ("total", "7"), ("lines", lines)])),
        _ => {
            let text = [
                key[0],
                key[1],
                ("createdAt", &at),
                ("total", "1.25"),
                ("lines", lines),
            ];
            place.put("Order", &text);
        }
    }
}

/// A write adds to what counts changes: where it is no number, no order could be written any more.
#[test]
fn a_count_of_changes_that_is_no_number_is_found() {
    let set = |item: &mut Item| drop(item.insert("latest:changes", "q"));
    let (found, _) = changed("USER#u0", "PROFILE", set);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, FindingKind::Hidden, "{found:?}");
    assert!(found[0].message.contains("latest:changes"), "{found:?}");
}

/// One cause is one finding: a list that cannot be read has no digest to compare.
#[test]
fn a_split_list_that_cannot_be_read_is_one_finding() {
    type Change = fn(&mut Item);
    let changes: [Change; 4] = [
        |item| {
            item.remove("lines");
        },
        |item| {
            item.insert("lines", "a");
        },
        |item| {
            item.insert("lines", 7);
        },
        |item| {
            item.insert("lines", Value::L(vec!["a".into()]));
        },
    ];
    for sort in ["ORDER#01HQ3K5M7N8P9QRSTV00000001#0000", PART_1] {
        for (at, change) in changes.into_iter().enumerate() {
            let (found, _) = changed(USER, sort, change);
            assert_eq!(found.len(), 1, "{sort} {at}: {found:#?}");
        }
    }
}

/// A value of another type that reads the same is named with its type.
#[test]
fn a_number_that_is_stored_as_a_text_is_told_from_it() {
    let order = "ORDER#01HQ3K5M7N8P9QRSTV00000001#0000";
    for (sort, name) in [
        ("PROFILE", "orders"),
        ("PROFILE", "spent"),
        ("PROFILE", "spent:items"),
        ("PROFILE", "latest:changes"),
        (order, "lines:parts"),
    ] {
        let (found, _) = changed(USER, sort, |item| {
            let held = item.get(name).map(keyfold_model::value::display);
            item.insert(name, held.unwrap_or_else(|| "3".to_owned()));
        });
        let [one] = found.as_slice() else {
            panic!("{name}: {found:#?}");
        };
        assert!(one.message.contains("the text `"), "{name}: {one:#?}");
    }
}

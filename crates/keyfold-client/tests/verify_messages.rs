//! What findings say, and what they cost.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Place;
use common::verifying::{delete, item, put, text, verify};
use keyfold_client::verify::{FindingKind, Options};
use keyfold_types::Item;
use std::collections::BTreeMap;

const MODEL: &str = "\
model m 1
table Tab (PK, SK)
  gsi One (GSI1PK, GSI1SK)
  gsi Two (GSI2PK)

entity User
  userId: string, email: string, note: string?, login: string
  key    \"USER#{userId}\" \"PROFILE\"
  One    \"MAIL#{email}\"  \"USER\"
  Two    \"NOTE#{note}\"
  unique login
";

fn good(users: u32) -> Place {
    let place = Place::new(MODEL);
    for user in 0..users {
        let (id, mail) = (format!("u{user}"), format!("{user}@example.com"));
        let text = [("userId", id.as_str()), ("email", &mail), ("login", &mail)];
        place.put("User", &text);
    }
    place
}

/// DynamoDB stores no such key: nothing can be demanded but a shorter value.
#[test]
fn an_index_key_that_is_too_long_is_not_demanded() {
    for (name, column, bytes) in [("note", "GSI2PK", 3002), ("email", "GSI1PK", 2100)] {
        let place = good(2);
        let mut user = item(&place, "USER#u0", "PROFILE");
        user.insert(name, "x".repeat(bytes));
        user.remove(column);
        if name == "email" {
            user.remove("GSI1SK");
        }
        put(&place, &user);
        let (found, _) = verify(&place, Options::default());
        let of_index = found.iter().filter(|one| one.kind == FindingKind::IndexKey);
        let messages: Vec<&str> = of_index.map(|one| one.message.as_str()).collect();
        let [message] = messages.as_slice() else {
            panic!("{name}: {found:#?}");
        };
        assert!(
            message.starts_with("its attributes make no key: "),
            "{message}"
        );
        assert!(
            message.contains(column) && !message.contains("should be"),
            "{message}"
        );
    }
}

/// What a finding about a copy or a guard costs beside the scan: three reads of single items.
#[test]
fn a_missing_guard_is_confirmed_by_three_reads() {
    let place = good(20);
    let (_, report) = verify(&place, Options::default());
    let scan = report.halves;
    let all = place.stored();
    for guard in all.iter().filter(|item| text(item, "SK") == "UNIQUE") {
        delete(&place, guard);
    }
    let (found, report) = verify(&place, Options::default());
    assert_eq!(found.len(), 20);
    assert_eq!(report.scans, 1);
    assert!(
        report.halves <= scan + 20 * 3 * 2,
        "{} beside {scan}",
        report.halves
    );
}

/// Of an attribute that only an index key holds, the absence of that key is said.
#[test]
fn an_attribute_is_missing_with_the_key_that_holds_it() {
    let model = "\
model m 1
table Tab (PK, SK)
  gsi GSI1 (\"GSI1-PK\", \"GSI1-SK\")

entity Ticket
  ticketId: string, eventId: string, at: date
  key   \"TICKET#{ticketId}\"  \"TICKET\"
  GSI1  \"EVENT#{eventId}\"    \"AT#{at}\"
";
    let place = Place::new(model);
    place.put(
        "Ticket",
        &[("ticketId", "1"), ("eventId", "e"), ("at", "2024-01-01")],
    );
    let mut ticket = item(&place, "TICKET#1", "TICKET");
    // As another program writes it.
    ticket.remove("eventId");
    ticket.remove("GSI1-PK");
    put(&place, &ticket);
    let (found, _) = verify(&place, Options::default());
    let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        ["eventId is missing, and so is GSI1-PK, which would give it back"]
    );
}

/// An item whose key fits a kind but for its values says which ones: the kind whose fixed texts say
/// the most of the key, however many values do not fit. With two such kinds nothing is certain.
#[test]
fn an_item_of_no_kind_names_the_entity_that_it_is_like() {
    let model = "\
model m 1
table Tab (PK, SK)

entity Booking
  room: int, bookedAt: time(s), name: string
  key  \"ROOM#{room:04}\"  \"BOOKING#{bookedAt}#{name}\"

entity Visit
  room: int, day: date
  key  \"ROOM#{room:04}\"  \"VISIT#{day}\"

entity Call
  room: int, day: date
  key  \"ROOM#{room:04}\"  \"VISIT#CALL#{day}\"

entity Tour
  room: int, day: date, guests: int, guide: int
  key   \"ROOM#{room:04}\"  \"VISIT#TOUR#{day}#{guests:03}\"
  copy  by_guide  \"GUIDE#{guide}\"  \"TOUR#{day}#{room:04}#{guests:03}\"

entity Hall
  room: int, day: date
  key  \"HALL#{room:04}\"  \"OPEN#{day}\"

entity Fair
  room: int, number: int
  key  \"HALL#{room:04}\"  \"OPEN#{number:03}\"
";
    let none = "no entity, copy or guard of the model makes it";
    for (partition, sort, near) in [
        (
            "ROOM#0007",
            "BOOKING#2024-01-15T10:00:00.123Z#a",
            "; it is like Booking, but SK holds `2024-01-15T10:00:00.123Z` where `bookedAt` is, which is no time(s) there",
        ),
        (
            "ROOM#7",
            "BOOKING#2024-01-15T10:00:00Z#a",
            "; it is like Booking, but PK holds `7` where `room` is, which is no int there",
        ),
        (
            "ROOM#0007",
            "VISIT#15.1.2024",
            "; it is like Visit, but SK holds `15.1.2024` where `day` is, which is no date there",
        ),
        (
            "ROOM#7",
            "BOOKING#2024-01-15#a",
            "; it is like Booking, but PK holds `7` where `room` is, which is no int there, and SK holds `2024-01-15` where `bookedAt` is, which is no time(s) there",
        ),
        (
            "ROOM#0007",
            "VISIT#CALL#soon",
            "; it is like Call, but SK holds `soon` where `day` is, which is no date there",
        ),
        // Two values of Tour do not fit, and one of Visit.
        (
            "ROOM#0007",
            "VISIT#TOUR#soon#many",
            "; it is like Tour, but SK holds `soon` where `day` is, which is no date there, and SK holds `many` where `guests` is, which is no int there",
        ),
        (
            "GUIDE#5",
            "TOUR#soon#0007#012",
            "; it is like Tour.by_guide, but SK holds `soon` where `day` is, which is no date there",
        ),
        (
            "HALL#7",
            "OPEN#2024-01-15",
            "; it is like Hall, but PK holds `7` where `room` is, which is no int there",
        ),
        ("HALL#0007", "OPEN#soon", ""),
        ("HALL#0007", "VISIT#15.1.2024", ""),
        ("ROOM#0007", "OTHER#15.1.2024", ""),
    ] {
        let place = Place::new(model);
        let mut stray = Item::new();
        stray.insert("PK", partition);
        stray.insert("SK", sort);
        put(&place, &stray);
        let (found, _) = verify(&place, Options::default());
        let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, [format!("{none}{near}")]);
    }
}

/// It is not known whether an item that says another kind is one of those that are counted: it was
/// counted, where a model wrote it, and was not, where another program did.
#[test]
fn an_item_of_another_kind_is_one_finding() {
    let model = "\
model m 1
table Tab (PK, SK) type kind

entity Team
  team: string
  key  \"T#{team}\"  \"TEAM\"
  count  members of Member
  sum    points of Member.points
  max    best of Member.points
entity Member
  team: Team.team, points: int
  key  \"T#{team}\"  \"M#{points:04}\"
";
    let place = Place::new(model);
    for team in ["a", "b"] {
        place.put("Team", &[("team", team)]);
        place.put("Member", &[("team", team), ("points", "3")]);
        place.put("Member", &[("team", team), ("points", "7")]);
    }
    let mut counted = item(&place, "T#a", "M#0007");
    counted.insert("kind", "Zed");
    put(&place, &counted);
    let mut beside = counted.clone();
    for (name, held) in [("PK", "T#b"), ("SK", "M#0009"), ("team", "b")] {
        beside.insert(name, held);
    }
    beside.insert("points", 9);
    put(&place, &beside);
    let (found, _) = verify(&place, Options::default());
    let shown = |key: &Item| format!("{} {}", text(key, "PK"), text(key, "SK"));
    let found = found.iter().map(|one| (shown(&one.key), one.kind));
    let found: BTreeMap<String, FindingKind> = found.collect();
    let wanted = [&counted, &beside].map(|one| (shown(one), FindingKind::Hidden));
    assert_eq!(found, BTreeMap::from(wanted));
}

//! Ranges of keys: their ends, at every page size and in both directions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text};
use keyfold_client::{ClientError, PageRequest};
use keyfold_model::value;

/// The values of an attribute in the answer of a pattern: all at once, and page by page for every
/// size in both directions, which must be the same. All pages but the last are full.
fn everywhere(place: &Place, name: &str, text: Text<'_>, of: &str) -> Vec<String> {
    let all = place.found(name, text, of);
    for backward in [false, true] {
        let mut expected = all.clone();
        if backward {
            expected.reverse();
        }
        for limit in 1..=u32::try_from(all.len()).unwrap() + 1 {
            let mut found: Vec<String> = Vec::new();
            let mut page = PageRequest {
                limit: Some(limit),
                backward,
                ..PageRequest::default()
            };
            loop {
                let answer = place.ask(name, text, &page).unwrap();
                let shown = answer.items.iter();
                let before = found.len();
                found
                    .extend(shown.map(|item| item.get(of).map(value::display).unwrap_or_default()));
                let size = found.len() - before;
                assert!(size <= limit as usize, "{name}: a page of {size}");
                if answer.next.is_none() {
                    break;
                }
                assert_eq!(size, limit as usize, "{name}: a short page");
                page.after = answer.next;
            }
            assert_eq!(found, expected, "{name} by {limit}, backward {backward}");
        }
    }
    all
}

const STRICT: &str = r##"
model strict 1
table Tab (PK, SK)
  gsi ByName (place, name)
  gsi BySize (place, size: number)
table Daily (PK, SK)
entity Order in Tab
  user: string, at: time, id: string
  key "U#{user}" "ORDER#{at}#{id}"
  copy back "BACK#{user}" "{at:reverse}#{id}" only at, id
entity Person in Tab
  group: string, name: string, place: string, size: number
  key "P#{group}" "N#{name}"
entity Part in Tab
  group: string, n: int, id: string
  key "PART#{group}" "{n:04}#{id}"
entity Note in Daily
  user: string, on: date, id: string
  key "U#{user}#{on}" "{id}"
pattern after(user, at > since)                -> Order[]       oldest
pattern before(user, at < until)               -> Order[]       oldest
pattern between(user, at > since, at < until)  -> Order[]       newest
pattern back(user, at > since, at < until)     -> Order.back[]  newest
pattern up_to_now(user, at < now)              -> Order[]       oldest
pattern names(group, name > low, name < high)  -> Person[]
pattern below(place, name < high)              -> Person[]
pattern above(place, name > low, name <= high) -> Person[]
pattern sizes(place, size > low, size < high)  -> Person[]      lowest
pattern parts(group, n > low, n < high)        -> Part[]        highest
pattern up(group)                              -> Person[]      ascending
pattern down(group, name starts start)         -> Person[]      descending
pattern notes(user, on > since, on < until)    -> Note[]
"##;

#[test]
fn ends_outside_of_a_range_take_all_items_of_their_value_with_them() {
    let place = Place::new(STRICT);
    for at in ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"] {
        for id in ["a", "b", "c"] {
            place.put("Order", &[("user", "u"), ("at", at), ("id", id)]);
        }
        place.put("Note", &[("user", "u"), ("on", at), ("id", at)]);
    }
    let since = ("since", "2024-01-01");
    let until = ("until", "2024-01-04");
    let days = |name: &str, text: Text<'_>| -> Vec<String> {
        let all = everywhere(&place, name, &[&[("user", "u")], text].concat(), "at");
        all.into_iter().map(|at| at[8..10].to_owned()).collect()
    };
    let thrice = |days: &[&str]| -> Vec<String> {
        days.iter()
            .flat_map(|day| [(*day).to_owned(), (*day).to_owned(), (*day).to_owned()])
            .collect()
    };
    assert_eq!(days("after", &[since]), thrice(&["02", "03", "04"]));
    assert_eq!(days("before", &[until]), thrice(&["01", "02", "03"]));
    assert_eq!(days("between", &[since, until]), thrice(&["03", "02"]));
    assert_eq!(days("back", &[since, until]), thrice(&["03", "02"]));
    assert_eq!(
        days("up_to_now", &[("now", "2024-01-03")]),
        thrice(&["01", "02"])
    );
    // A time with more digits than keys hold lies between two of them.
    let fine = ("since", "2024-01-01T00:00:00.0004Z");
    assert_eq!(days("after", &[fine]), thrice(&["02", "03", "04"]));
    assert_eq!(
        days("between", &[since, ("until", "2024-01-02")]),
        thrice(&[])
    );
    assert_eq!(
        days("between", &[since, ("until", "2024-01-01")]),
        thrice(&[])
    );
    let notes = place.ask(
        "notes",
        &[("user", "u"), since, until],
        &PageRequest::default(),
    );
    let notes = notes.unwrap();
    assert_eq!(
        (notes.items.len(), notes.requests),
        (2, 2),
        "one request a day inside"
    );
}

#[test]
fn texts_and_numbers_end_before_their_neighbours() {
    let place = Place::new(STRICT);
    let names = ["a", "ab", "aba", "abb", "ac", "b", "é"];
    for (at, name) in names.into_iter().enumerate() {
        let size = format!("{}.5", at);
        let text = [
            ("group", "g"),
            ("name", name),
            ("place", "p"),
            ("size", &size),
        ];
        place.put("Person", &text);
    }
    assert_eq!(everywhere(&place, "up", &[("group", "g")], "name"), names);
    let started = [("group", "g"), ("start", "ab")];
    let down = everywhere(&place, "down", &started, "name");
    assert_eq!(down, ["abb", "aba", "ab"]);
    for n in ["0", "1", "2", "9998", "9999"] {
        for id in ["x", "y"] {
            place.put("Part", &[("group", "g"), ("n", n), ("id", id)]);
        }
    }
    for low in names.into_iter().chain(["0", "zz"]) {
        for high in names.into_iter().chain(["0", "zz", "abc"]) {
            let inside = |name: &&str| **name > *low && **name < *high;
            let wanted: Vec<&str> = names.into_iter().filter(inside).collect();
            let range = [("group", "g"), ("low", low), ("high", high)];
            assert_eq!(
                everywhere(&place, "names", &range, "name"),
                wanted,
                "{range:?}"
            );
            let closed = |name: &&str| **name > *low && **name <= *high;
            let wanted: Vec<&str> = names.into_iter().filter(closed).collect();
            let range = [("place", "p"), ("low", low), ("high", high)];
            assert_eq!(
                everywhere(&place, "above", &range, "name"),
                wanted,
                "{range:?}"
            );
            let wanted: Vec<&str> = names.into_iter().filter(|name| *name < high).collect();
            let range = [("place", "p"), ("high", high)];
            assert_eq!(
                everywhere(&place, "below", &range, "name"),
                wanted,
                "{range:?}"
            );
        }
    }
    for (low, high, wanted) in [
        ("0.5", "3.5", vec!["1.5", "2.5"]),
        ("0.49", "0.51", vec!["0.5"]),
        ("0.5", "0.5", vec![]),
    ] {
        let range = [("place", "p"), ("low", low), ("high", high)];
        assert_eq!(
            everywhere(&place, "sizes", &range, "size"),
            wanted,
            "{range:?}"
        );
    }
    for (low, high, wanted) in [
        ("0", "9999", vec!["9998", "9998", "2", "2", "1", "1"]),
        ("-1", "1", vec!["0", "0"]),
        ("9998", "100000", vec!["9999", "9999"]),
        ("9999", "100000", vec![]),
    ] {
        let range = [("group", "g"), ("low", low), ("high", high)];
        assert_eq!(
            everywhere(&place, "parts", &range, "n"),
            wanted,
            "{range:?}"
        );
    }
}

const SPREAD: &str = r##"
model spread 1
table Tab (PK, SK)
table Logs (PK, SK) per month
entity Reading in Tab
  sensor: string, at: time, n: int
  key "S#{sensor}" "{at}#{n:04}" shard 3 bucket day
entity Back in Tab
  sensor: string, at: time, n: int
  key "B#{sensor}" "{at:reverse}#{n:04}" bucket month
entity Line in Logs
  host: string, at: time, n: int
  key "H#{host}" "{at}#{n:04}" shard 2
pattern readings(sensor, at in from..to)  -> Reading[] newest
pattern since(sensor, at > from, at < to) -> Reading[] oldest
pattern of_day(sensor, day of at)         -> Reading[] oldest
pattern back(sensor, day of at)           -> Back[]    oldest
pattern back_of(sensor, hour of at)       -> Back[]    newest
pattern lines(host, at in from..to)       -> Line[]    newest
"##;

#[test]
fn shards_of_periods_are_merged_and_paged() {
    let place = Place::new(SPREAD);
    let mut all = Vec::new();
    for day in ["2024-01-30", "2024-01-31", "2024-02-01", "2024-02-02"] {
        for hour in ["01", "12", "23"] {
            for n in ["1", "2"] {
                let at = format!("{day}T{hour}:00:00.000Z");
                place.put("Reading", &[("sensor", "s"), ("at", &at), ("n", n)]);
                place.put("Back", &[("sensor", "s"), ("at", &at), ("n", n)]);
                place.put("Line", &[("host", "s"), ("at", &at), ("n", n)]);
                all.push(at);
            }
        }
    }
    let reversed = |range: std::ops::Range<usize>| -> Vec<String> {
        all[range].iter().rev().cloned().collect()
    };
    let (from, to) = (
        ("from", "2024-01-30T12:00:00Z"),
        ("to", "2024-02-02T01:00:00Z"),
    );
    let range = [("sensor", "s"), from, to];
    assert_eq!(
        everywhere(&place, "readings", &range, "at"),
        reversed(2..20)
    );
    assert_eq!(everywhere(&place, "since", &range, "at"), all[4..18]);
    let lines = [("host", "s"), from, to];
    assert_eq!(everywhere(&place, "lines", &lines, "at"), reversed(2..20));
    let of_day = [("sensor", "s"), ("day", "2024-01-31")];
    assert_eq!(everywhere(&place, "of_day", &of_day, "at"), all[6..12]);
    assert_eq!(everywhere(&place, "back", &of_day, "at"), all[6..12]);
    let answer = place.ask("back", &of_day, &PageRequest::default()).unwrap();
    assert_eq!(answer.requests, 1, "a day is a range of its month");
    let of_hour = [("sensor", "s"), ("hour", "2024-01-31T12")];
    assert_eq!(everywhere(&place, "back_of", &of_hour, "at"), all[8..10]);
    let whole = place.ask("readings", &range, &PageRequest::default());
    assert_eq!(whole.unwrap().requests, 4 * 3);
}

const MIXED: &str = r##"
model mixed 1
table Tab (PK, SK)
entity Customer
  id: string, at: string
  key "C#{id}" "BASE"
entity Order
  id: string, at: time, n: int
  key "C#{id}" "AT#{at}#ORDER#{n:04}"
entity Shipment
  id: string, at: time, n: int
  key "C#{id}" "AT#{at}#SHIP#{n:04}"
pattern both(id, at in from..to)     -> Order[] + Shipment[] newest
pattern after(id, at > from)         -> Shipment[] + Order[] oldest
pattern activity(id, at in from..to) -> Customer + Order[] + Shipment[] newest
pattern maybe(id, at in from..to)    -> Customer? + Order[] + Shipment[] newest
"##;

#[test]
fn a_range_of_a_collection_holds_all_kinds_and_the_single_one_comes_first() {
    let place = Place::new(MIXED);
    let days = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"];
    for day in days {
        place.put("Order", &[("id", "c"), ("at", day), ("n", "1")]);
        place.put("Shipment", &[("id", "c"), ("at", day), ("n", "1")]);
        place.put("Shipment", &[("id", "c"), ("at", day), ("n", "2")]);
    }
    let range = [("id", "c"), ("from", "2024-01-02"), ("to", "2024-01-03")];
    let both = everywhere(&place, "both", &range, "at");
    let shown: Vec<&str> = both.iter().map(|at| &at[..10]).collect();
    assert_eq!(shown, [[days[2]; 3], [days[1]; 3]].concat());
    let after = everywhere(&place, "after", &range[..2], "at");
    assert_eq!(after.len(), 6, "{after:?}");
    let missing = place.ask("activity", &range, &PageRequest::default());
    assert!(matches!(missing, Err(ClientError::NotFound(_))));
    let maybe = place.ask("maybe", &range, &PageRequest::default()).unwrap();
    assert_eq!((maybe.items.len(), maybe.requests), (6, 2));
    place.put("Customer", &[("id", "c"), ("at", "home")]);
    for backward in [false, true] {
        for limit in 1..=7 {
            let mut page = PageRequest {
                limit: Some(limit),
                backward,
                ..PageRequest::default()
            };
            let mut kinds: Vec<String> = Vec::new();
            let mut sizes: Vec<usize> = Vec::new();
            loop {
                let answer = place.ask("activity", &range, &page).unwrap();
                kinds.extend(answer.items.iter().map(|item| item.kind.clone()));
                sizes.push(answer.items.len());
                let Some(next) = answer.next else { break };
                page.after = Some(next);
            }
            assert_eq!(kinds.first().map(String::as_str), Some("Customer"));
            let customers = kinds.iter().filter(|kind| *kind == "Customer").count();
            assert_eq!((customers, kinds.len()), (1, 7), "by {limit}: {kinds:?}");
            // The single item does not count in the page.
            assert_eq!(sizes.first(), Some(&(1 + limit.min(6) as usize)));
        }
    }
}

const SIGNED: &str = r##"
model signed 1
table Tab (PK, SK)
entity Account
  owner: string, level: int, id: string
  key  "O#{owner}" "{level:03:signed}#{id}"
  copy back "B#{owner}" "{level:03:signed:reverse}#{id}" only level, id
  unstored level
pattern up(owner)                                 -> Account[] lowest
pattern between(owner, level > low, level < high) -> Account[] highest
pattern within(owner, level in low..high)         -> Account.back[] highest
"##;

#[test]
fn signed_numbers_are_stored_in_their_order_and_read_back() {
    let place = Place::new(SIGNED);
    let levels = ["-999", "-100", "-42", "-1", "0", "1", "42", "999"];
    for level in levels {
        for id in ["a", "b"] {
            place.put("Account", &[("owner", "o"), ("level", level), ("id", id)]);
        }
    }
    let twice = |from: usize, to: usize| -> Vec<&str> {
        let some = &levels[from.min(to)..to];
        some.iter().flat_map(|level| [*level, *level]).collect()
    };
    let down =
        |from: usize, to: usize| -> Vec<&str> { twice(from, to).into_iter().rev().collect() };
    assert_eq!(
        everywhere(&place, "up", &[("owner", "o")], "level"),
        twice(0, 8)
    );
    for (low, high, inside, within) in [
        ("-100", "42", (2, 6), (1, 7)),
        ("-1", "0", (4, 4), (3, 5)),
        ("0", "1000", (5, 8), (4, 8)),
        ("-1000", "-42", (0, 2), (0, 3)),
        ("-5000", "5000", (0, 8), (0, 8)),
        ("1000", "5000", (8, 8), (8, 8)),
        ("-5000", "-1000", (0, 0), (0, 0)),
    ] {
        let range = [("owner", "o"), ("low", low), ("high", high)];
        let found = everywhere(&place, "between", &range, "level");
        assert_eq!(found, down(inside.0, inside.1), "{range:?}");
        let found = everywhere(&place, "within", &range, "level");
        assert_eq!(found, down(within.0, within.1), "{range:?}");
    }
    let stored = place.stored();
    assert!(
        stored
            .iter()
            .all(|item| !item.iter().any(|(name, _)| name == "level"))
    );
}

const LONG: &str = r##"
model long 1
table Tab (PK, SK)
  gsi ByName (place, name)
entity Note
  place: string, name: string
  key "PLACE#{place}" "NAME#{name}"

pattern a_from(place, name >= low)             -> Note[]
pattern a_above(place, name > low)             -> Note[]
pattern a_to(place, name <= high)              -> Note[]
pattern a_below(place, name < high)            -> Note[]
pattern a_within(place, name in low..high)     -> Note[]
pattern a_starts(place, name starts low)       -> Note[]
"##;

/// The patterns over the table's key and over a text that is the key of an index itself.
fn over_long_keys() -> [(Place, usize); 2] {
    let indexed = LONG.replace(
        "key \"PLACE#{place}\" \"NAME#{name}\"",
        "key \"NOTE#{place}#{name:hash}\" \"NOTE\"",
    );
    [
        (Place::new(LONG), 1024 - "NAME#".len()),
        (Place::new(&indexed), 1024),
    ]
}

/// Whether a name is in the range that a pattern asks for.
type Wanted<'t> = &'t dyn Fn(&str) -> bool;

/// No key is as long as such an end, so that it limits as any text does.
#[test]
fn ends_longer_than_a_key_limit_as_texts_do() {
    const TAILS: [&str; 12] = [
        "", "a", "ab", "abc", "b", "b\u{7f}", "\u{7f}", "é", "éa", "\u{7ff}", "€", "\u{ffff}",
    ];
    for (place, most) in over_long_keys() {
        let all: Vec<String> = TAILS
            .iter()
            .flat_map(|tail| [0, 1, 2, 3].map(|left| format!("{}{tail}", "a".repeat(most - left))))
            .collect();
        let mut kept: Vec<&String> = all.iter().filter(|name| name.len() <= most).collect();
        kept.sort();
        kept.dedup();
        kept.iter()
            .for_each(|name| place.put("Note", &[("place", "p"), ("name", name)]));
        let mut ends: Vec<&str> = all.iter().map(String::as_str).collect();
        let longest = "z".repeat(3000);
        ends.extend(["a", "b", longest.as_str()]);
        for (at, end) in ends.iter().copied().enumerate() {
            let other = ends[(at * 7 + 3) % ends.len()];
            let asked: [(&str, &str, Wanted<'_>); 6] = [
                ("a_from", "low", &|name| name >= end),
                ("a_above", "low", &|name| name > end),
                ("a_to", "high", &|name| name <= end),
                ("a_below", "high", &|name| name < end),
                ("a_starts", "low", &|name| name.starts_with(end)),
                ("a_within", "low", &|name| name >= end && name <= other),
            ];
            for (pattern, parameter, is_in) in asked {
                let mut given = vec![("place", "p"), (parameter, end)];
                given.extend((pattern == "a_within").then_some(("high", other)));
                let found = place.found(pattern, &given, "name");
                let wanted = kept.iter().filter(|name| is_in(name));
                assert!(
                    found.iter().eq(wanted.copied()),
                    "{pattern} of {} bytes: {} of {}",
                    end.len(),
                    found.len(),
                    kept.len()
                );
            }
        }
    }
}

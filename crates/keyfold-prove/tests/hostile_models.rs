//! Models at the edges of what can be stored and compared: keys that no value fits, index keys of
//! which a part is absent, binary values inside of others, and conditions on texts that no one draws
//! by chance. A right model is proved, and what was never tried is reported.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::{Model, compile};
use keyfold_prove::{Options, Report, prove};

/// The moment of every proof, 2026-01-15T10:30:00.123Z.
const NOW_EPOCH_MS: i64 = 1_768_473_000_123;

fn model(source: &str) -> Model {
    let compiled = compile(source);
    let shown: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render(source, "model", false))
        .collect();
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

fn report(source: &str, seed: u64) -> Report {
    let options = Options {
        seed,
        items: 60,
        asks: 12,
        now_epoch_ms: NOW_EPOCH_MS,
        deep: false,
    };
    prove(&model(source), options, |_| {}).unwrap()
}

#[test]
fn an_entity_that_no_value_fits_is_reported() {
    // Only texts of one character each would fit.
    let names: Vec<String> = (0..12).map(|at| format!("t{at}")).collect();
    let declared: Vec<String> = names.iter().map(|name| format!("{name}: string")).collect();
    let fields: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    let source = format!(
        "model a 1\ntable Tab (PK, SK)\nentity Wide\n  id: string, {}\n  key \"A#{{id}}\" \"{}{}\"\nentity Plain\n  id: string\n  key \"P#{{id}}\" \"P\"\n",
        declared.join(", "),
        "x".repeat(1024 - 23),
        fields.join("#")
    );
    let report = report(&source, 1);
    let [failure] = report.failures.as_slice() else {
        panic!("{:#?}", report.failures);
    };
    assert_eq!(failure.what, "Wide");
    assert!(
        failure.found.starts_with("no Wide could be stored: ")
            && failure.found.contains("1024 bytes"),
        "{failure:#?}"
    );
}

/// Proves a model with some seeds.
fn check(source: &str, seeds: std::ops::RangeInclusive<u64>) -> Vec<Report> {
    let one = |seed| {
        let report = report(source, seed);
        let failures: Vec<String> = report
            .all_failures()
            .take(3)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(failures.is_empty(), "seed {seed}: {}", failures.join("\n"));
        report
    };
    seeds.map(one).collect()
}

#[test]
fn an_index_key_with_a_part_of_its_own_is_refused_before_the_other_part_is_there() {
    let source = "
model c 1
table Tab (PK, SK)
  gsi ByKind (kind, s: number)
  gsi ByLast (kind, last)
  gsi Wide ((kind, last), c: number)
entity A
  id: string, kind: string
  key \"A#{id}\" \"A\"
  sum s of B.n
  count c of B
  max last of B.at
  ByKind {kind} {s}
  ByLast {kind} {last}
pattern top(kind) -> A[] highest s page 3
pattern many(kind) -> A[] filter c > 2 page 3
entity B
  id: string, a: A.id, n: int, at: time
  key \"A#{a}\" \"B#{at}#{id}\"
";
    check(source, 1..=6);
}

#[test]
fn binary_values_inside_of_others_are_compared_by_their_bytes() {
    let source = "
model h 1
table Tab (PK, SK)
record R
  b: binary, s: set of binary, f: bool
entity A
  id: string, list: list of binary, set: set of binary, flags: list of bool, pairs: list of list of int, r: R?, m: map of binary, b: binary
  key \"A#{id}\" \"A\"
pattern in_list(id, t: binary) -> A[] filter contains(list, t) page 3
pattern in_set(id, t: binary) -> A[] filter contains(set, t) page 3
pattern in_flags(id, t: bool) -> A[] filter contains(flags, t) page 3
pattern in_field(id, t: binary) -> A[] filter contains(r.s, t) page 3
pattern field(id, t: binary) -> A[] filter r.b = t page 3
pattern flag(id, t: bool) -> A[] filter r.f = t page 3
pattern key_of_map(id, t: binary) -> A[] filter m.k0 <> t page 3
pattern whole(id, t: binary) -> A[] filter b = t page 3
pattern all_lists(t: binary) -> A[] scan filter contains(list, t)
pattern all_sets(t: binary) -> A[] scan filter contains(set, t)
pattern all_fields(t: binary) -> A[] scan filter contains(r.s, t) or r.b > t or m.k1 <= t
";
    for report in check(source, 1..=3) {
        let silent = report.patterns.iter().find(|one| one.answered == 0);
        assert!(silent.is_none(), "{silent:?}");
    }
}

/// A model whose conditions compare with texts and numbers that are never drawn by chance.
const PARTICULAR: &str = "
model p 1
table Tab (PK, SK) type kind
  stream new and old images
  gsi GSI1 (A, B)
entity F
  id: string, k: string, n: int, size: number?, p: P.pid
  key \"F#{id}\" \"F\"
  copy dear \"DEAR\" \"{id}\" when n = 777 and k starts \"very-\"
  GSI1 \"K#{k}\" \"{id}\" sparse when k = particular
entity P
  pid: string
  key \"P#{pid}\" \"P\"
  count fs of F where k = \"very-particular\"
write change(id)
  update F set size = 1 when k = \"very-particular\" and n in 770..780
write take(id)
  delete F when n > 123456
view V of F where n = 4242
  key \"V#{k}\" \"V\"
  c: count
pattern found() -> F[] where k = particular page 3
pattern scanned() -> F[] scan filter k = \"another one\" and n >= 65537
";

#[test]
fn conditions_on_texts_and_numbers_of_the_model_hold_at_some_time() {
    let reports = check(PARTICULAR, 1..=3);
    let (first, others) = reports.split_first().unwrap();
    let mut never = first.never.clone();
    never.retain(|one| others.iter().all(|other| other.never.contains(one)));
    assert_eq!(never, Vec::new(), "in no proof");
    let silent = |name: &str| {
        let mut all = reports.iter().flat_map(|report| &report.patterns);
        all.all(|one| one.name != name || one.answered == 0)
    };
    assert!(!silent("found") && !silent("scanned"));
}

#[test]
fn conditions_that_never_hold_are_reported() {
    let source = PARTICULAR
        .replace("when n = 777 and", "when n = 777 and n = 778 and")
        .replace("n in 770..780", "n in 770..780 and n < 3")
        .replace("where n = 4242", "where n = 4242 and missing n")
        .replace(
            "delete F when n > 123456",
            "delete F when n > 123456 and not n > 5",
        );
    let report = check(&source, 1..=1).remove(0);
    let never: Vec<String> = report.never.iter().map(ToString::to_string).collect();
    assert_eq!(
        never,
        [
            "the copy F.dear was never stored",
            "the condition of `update F` in change never held",
            "the condition of `delete F` in take never held",
            "the view V never had a row",
        ]
    );
}

#[test]
fn an_aggregate_that_never_counts_is_reported() {
    let source = "
model p 1
table Tab (PK, SK)
entity F
  id: string, p: P.pid?, big: map of list of string
  key \"F#{id}\" \"F\"
entity P
  pid: string
  key \"P#{pid}\" \"P\"
  count fs of F where id = \"\"
";
    let report = check(source, 1..=1).remove(0);
    let never: Vec<String> = report.never.iter().map(ToString::to_string).collect();
    assert_eq!(never, ["the aggregate P.fs never counted an item"]);
}

#[test]
fn keys_of_exactly_the_most_bytes_are_written_and_found() {
    let source = "
model e 1
table Tab (PK, SK)
  gsi GSI1 (A, B)
entity A
  id: string, name: string, city: string, mail: string
  key \"A#{id}\" \"NAME#{name}\"
  GSI1 \"C#{city:escape}\" \"{name}#{id}\"
  unique mail
pattern by_id(id) -> A[] page 3
pattern by_name(id, name starts start) -> A[] page 3
pattern after(id, name > low) -> A[] page 3
pattern until(id, name <= high) -> A[] page 3
pattern by_city(city, name starts start) -> A[] page 3
";
    check(source, 1..=6);
}

#[test]
fn lost_answers_and_repeated_requests_leave_what_the_rows_say() {
    let source = "
model l 1
table Tab (PK, SK)
entity Plain
  id: string, n: int
  key \"P#{id}\" \"P\"
entity Owner
  owner: string, mail: string
  key \"O#{owner}\" \"O\"
  unique mail
  count things of Thing
entity Thing
  owner: Owner.owner, thing: string, n: int
  key \"O#{owner}\" \"T#{thing}\"
  version v
write more(id, by: int)
  update Plain set n = {n} + by
write upto(id, by: int)
  update Plain set n = {n} - by when n >= by
pattern plain(id) -> Plain?
pattern things(owner) -> Owner + Thing[] page 3
";
    let options = Options {
        seed: 5,
        items: 60,
        asks: 4,
        now_epoch_ms: NOW_EPOCH_MS,
        deep: true,
    };
    let report = prove(&model(source), options, |_| {}).unwrap();
    let failures: Vec<String> = report
        .all_failures()
        .take(3)
        .map(|one| format!("{one:#?}"))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        report.repeated > 20 && report.unknown > 5,
        "{} {}",
        report.repeated,
        report.unknown
    );
}

/// A filter that keeps what a collection must have: without it there is no answer, on every page.
#[test]
fn a_filtered_collection_without_its_required_item_is_not_found() {
    check(
        include_str!("../../keyfold-model/testscripts/filter_keeps_required.keyfold"),
        1..=3,
    );
}

/// A condition sees what was counted before the write that also creates what is counted.
#[test]
fn a_condition_on_a_count_does_not_see_its_own_write() {
    check(
        r##"model m 1
table Tab (PK, SK)

entity Person
  id: string, boss: Person.id?, note: string?
  key "P#{id}" "P"
  count subs of Person by boss

pattern person(id) -> Person?

write hire(id, boss, note)
  create Person
  update Person as b where id = Person.boss set note = note when subs < 1
"##,
        1..=3,
    );
}

/// A value that a pattern fixes narrows the keys of all kinds of a collection, also where nothing else
/// lies in their partition.
#[test]
fn a_fixed_value_narrows_every_kind_of_a_collection() {
    check(
        include_str!("../../keyfold-model/testscripts/fixed_in_collections.keyfold"),
        1..=2,
    );
    check(
        r##"model fixed 1
table Main (PK, SK)

entity Reading
  host: string, at: time, n: int
  key  "HOST#{host:lower}"  "{host}#{at}#R#{n:05}"

entity Alarm
  host: string, at: time, n: int
  key  "HOST#{host:lower}"  "{host}#{at}#A#{n:05}"

pattern by_host(host)  -> Reading[] + Alarm[]  page 5
"##,
        1..=2,
    );
}

/// An attribute that a key holds in lower case is found in whatever capitals it is stored and asked
/// for: its shard does not follow from the argument.
#[test]
fn items_in_shards_are_found_in_any_capitals() {
    for (key, given) in [
        ("\"G#{group}\" \"{name:lower}\" shard 4", "group, name"),
        ("\"ALL\" \"{name:lower}#{group}\" shard 4", "name, group"),
        ("\"N#{name:lower}\" \"{group}\" shard 4", "name, group"),
        (
            "\"N#{name:lower}\" \"{name}#{group}\" shard 4",
            "name, group",
        ),
    ] {
        let source = format!(
            "model a 1\ntable Tab (PK, SK)\n  gsi One (GK, GS)\nentity A\n  name: string, group: string\n  key \"A#{{name}}\" \"{{group}}\"\n  One {key}\npattern p({given}) -> A[]\n"
        );
        check(&source, 1..=2);
    }
}

/// The present moment may be either end of a range.
#[test]
fn ranges_begin_and_end_now() {
    check(
        r##"
model m 1
table Tab (PK, SK)
entity Show
  hall: string, at: time, no: int
  key "H#{hall}" "{at}#{no:04}"
pattern upcoming(hall, at >= now)        -> Show[] page 5
pattern later(hall, at > now)            -> Show[] page 5
pattern soon(hall, at in now..until)     -> Show[] page 5
pattern over(hall, at < now)             -> Show[] page 5
"##,
        1..=3,
    );
}

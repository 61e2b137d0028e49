//! Views, proved by execution: after every batch of changes, and after workers that were killed, each
//! view has the rows that SQL's GROUP BY makes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::schema::view::{Column, From};
use keyfold_model::{Model, Severity, compile};
use keyfold_prove::{NeverKind, Options, Report, prove};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The number of random models; `RANDOM_VIEWS=500` searches longer, `RANDOM_FIRST=421` begins at a
/// seed.
const MODELS: u64 = 8;
/// Further seeds, which found faults: a top list of items with long identities, and a reference whose
/// key cannot be made.
const SEEDS: [u64; 2] = [17, 22];

/// The moment at which every model is proved, 2026-01-15T10:30:00.123Z.
const NOW_EPOCH_MS: i64 = 1_768_473_000_123;

fn proved(model: &Model, seed: u64, items: usize) -> Report {
    let options = Options {
        seed,
        items,
        asks: 6,
        now_epoch_ms: NOW_EPOCH_MS,
        deep: false,
    };
    prove(model, options, |_| {}).unwrap()
}

fn check(report: &Report, what: &str) {
    let failures: Vec<String> = report
        .all_failures()
        .take(4)
        .map(|one| format!("{one:#?}"))
        .collect();
    let smallest = &report.smallest;
    assert!(
        failures.is_empty(),
        "{what}\n{}\n{smallest:#?}",
        failures.join("\n")
    );
}

#[test]
fn n5_the_views_of_sales_are_what_sql_groups() {
    let source = SALES;
    let compiled = compile(source);
    let shown: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render(source, "sales", false))
        .collect();
    let model = compiled
        .model
        .unwrap_or_else(|| panic!("{}", shown.join("\n")));
    assert!(shown.is_empty(), "{}", shown.join("\n"));
    for seed in [1, 20_240_115] {
        let report = proved(&model, seed, 60);
        check(&report, &format!("seed {seed}"));
        let silent: Vec<&str> = report
            .patterns
            .iter()
            .filter(|one| one.answered == 0)
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(silent, Vec::<&str>::new());
    }
}

/// Views of orders, in a table of their own, with columns of every kind.
const SALES: &str = include_str!("../../../models/sales_reports.keyfold");

const SOURCE: &str = r##"
entity Parent
  p: string, label: string?, rank: int
  key  "PARENT#{p}"  "INFO"

entity Item
  id: string, a: string, b: string?, n: int, m: number?, t: time, u: time(s)?, d: date, p: Parent.p
  w: red | green | red_green = red, f: bool, l: list of string?
  key  "ITEM#{id}"  "INFO"
"##;

fn pick<T: Copy>(rng: &mut fastrand::Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())]
}

/// Some of the texts, each once, in their order.
fn some<'t>(rng: &mut fastrand::Rng, all: &[&'t str], odds: u8) -> Vec<&'t str> {
    all.iter()
        .filter(|_| rng.u8(..odds) == 0)
        .copied()
        .collect()
}

/// A view of random columns.
fn view(rng: &mut fastrand::Rng, number: usize) -> String {
    let is_grouped = rng.u8(..3) > 0;
    let when = pick(
        rng,
        &[
            "",
            "",
            " where w = green",
            " where n > 3 and not w = red",
            " where exists b",
            " where exists m and exists b",
            " where n in (1, 2, 3) or w in (red, green)",
            " where t < u",
        ],
    );
    let mut fields = vec![
        "a",
        "w",
        "p",
        "d:month",
        "t:day",
        "t:month",
        "t:year",
        "d",
        "n:05:signed",
        "f",
    ];
    if when.contains("exists b") {
        fields.extend(["b", "b:escape"]);
    }
    rng.shuffle(&mut fields);
    let mut sort = String::from("ROWS");
    let mut partition = format!("V{number}");
    let (first, second) = (rng.usize(..2), rng.usize(..3));
    for field in fields.iter().take(first) {
        let _infallible = write!(partition, "#{{{field}}}");
    }
    for field in fields.iter().skip(first).take(second) {
        let _infallible = write!(sort, "#{{{field}}}");
    }
    let key = [partition.clone(), sort.clone()].concat();
    let mut columns: Vec<String> = Vec::new();
    if is_grouped {
        columns.push("items: count".to_owned());
        let all = [
            "s: sum n",
            "sm: sum m",
            "lo: min n",
            "lom: min m",
            "hi: max t",
            "hiu: max u",
            "hid: max d",
            "av: average n",
            "avm: average m",
            "da: distinct a",
            "db: distinct b",
            "dn: distinct m",
            "dw: distinct w",
            "df: distinct f",
            "best: top 3 n only id, b",
            "late: top 2 newest t",
            "old: top 2 oldest u only a, l",
            "low: top 1 lowest m only n",
        ];
        columns.extend(some(rng, &all, 4).into_iter().map(str::to_owned));
        if key.contains("{p}") {
            let joins = ["label: Parent.label", "rank: Parent.rank"];
            columns.extend(some(rng, &joins, 2).into_iter().map(str::to_owned));
        }
    } else {
        sort.push_str("#{id}");
        let all = [
            "vn: n",
            "vm: m",
            "vl: l",
            "vu: u",
            "vf: f",
            "label: Parent.label",
            "rank: Parent.rank",
            "vb: b",
        ];
        columns.extend(some(rng, &all, 2).into_iter().map(str::to_owned));
    }
    let mut text = format!("\nview V{number} of Item{when}\n  key  \"{partition}\"  \"{sort}\"\n");
    if !columns.is_empty() {
        let _infallible = writeln!(text, "  {}", columns.join(", "));
    }
    text
}

fn drawn(seed: u64) -> String {
    let rng = &mut fastrand::Rng::with_seed(seed);
    let mut text = format!(
        "model m{seed} 1\n\ntable Tab (PK, SK) type entity\n  stream new and old images\n{SOURCE}"
    );
    for line in [
        "  compress l\n",
        "  version v\n",
        "  unstored id\n",
        "  copy other \"OTHER\" \"{id}\"\n",
    ] {
        if rng.u8(..4) == 0 {
            text.push_str(line);
        }
    }
    for number in 0..rng.usize(1..4) {
        text.push_str(&view(rng, number));
    }
    text
}

/// What a column is made of. A kind that is added here is added to [`KINDS`].
fn kind(column: &Column) -> &'static str {
    match &column.from {
        From::Group { cut: None, .. } => "group",
        From::Group { cut: Some(_), .. } => "period",
        From::Copied { .. } => "copied",
        From::Count => "count",
        From::Sum { .. } => "sum",
        From::Min { .. } => "min",
        From::Max { .. } => "max",
        From::Average { .. } => "average",
        From::Distinct { .. } => "distinct",
        From::Top {
            descending: true, ..
        } => "top",
        From::Top {
            descending: false, ..
        } => "top ascending",
        From::Joined { .. } => "joined",
    }
}

/// All of what [`kind`] says, and views whose rows have one item each.
const KINDS: [&str; 13] = [
    "group",
    "period",
    "copied",
    "count",
    "sum",
    "min",
    "max",
    "average",
    "distinct",
    "top",
    "top ascending",
    "joined",
    "of one item",
];

/// Counts the views that had rows by what their columns are made of.
fn count_kinds(model: &Model, report: &Report, seen: &mut BTreeMap<&'static str, usize>) {
    for entity in &model.entities {
        let Some(view) = &entity.view else { continue };
        let mut never = report.never.iter();
        if never.any(|one| one.kind == NeverKind::View && one.name == entity.name) {
            continue;
        }
        let kinds = view.columns.iter().map(kind);
        let single = (!view.is_grouped).then_some("of one item");
        let kinds: BTreeSet<&'static str> = kinds.chain(single).collect();
        for kind in kinds {
            *seen.entry(kind).or_default() += 1;
        }
    }
}

#[test]
fn random_views_are_what_sql_groups() {
    let number = |name: &str, otherwise: u64| {
        let given = std::env::var(name).ok();
        given.map_or(otherwise, |text| text.parse().unwrap())
    };
    let (count, first) = (number("RANDOM_VIEWS", MODELS), number("RANDOM_FIRST", 1));
    let (mut proved_models, mut killed, mut seen) = (0, 0, BTreeMap::new());
    let is_default = count == MODELS && first == 1;
    let further = SEEDS.into_iter().filter(|_| is_default);
    for seed in (first..first + count).chain(further) {
        let source = drawn(seed);
        let compiled = compile(&source);
        let Some(model) = compiled.model else {
            let codes = compiled.diagnostics.iter();
            let codes = codes.filter(|one| one.severity == Severity::Error);
            let codes: Vec<&str> = codes.map(|one| one.code).collect();
            eprintln!("seed {seed}: refused by {codes:?}");
            continue;
        };
        proved_models += 1;
        let report = proved(&model, seed, 24);
        check(&report, &format!("seed {seed}\n{source}"));
        count_kinds(&model, &report, &mut seen);
        killed += report.killed;
    }
    println!("{killed} workers were killed; {seen:?}");
    if is_default {
        let absent: Vec<&str> = KINDS
            .into_iter()
            .filter(|one| !seen.contains_key(one))
            .collect();
        assert!(
            absent.is_empty(),
            "no view with rows had {absent:?}: {seen:?}"
        );
    }
    assert!(killed > 0, "no worker was killed");
    assert!(proved_models * 2 > count, "{proved_models} of {count}");
}

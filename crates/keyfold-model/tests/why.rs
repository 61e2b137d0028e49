//! Why a pattern reads this key and no other of its table.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::compile;
use keyfold_model::plan::why;
use std::path::Path;

const MODEL: &str = r##"model m 1
table Tab (PK, SK)
  lsi LSI1 (L1SK)
  gsi GSI1 (G1PK, G1SK)
  gsi GSI2 (G2PK, G2SK)
entity A
  id: string, city: string, at: time, note: string?
  key  "C#{city}"  "A#{id}"
  LSI1  "T#{at}"
  GSI1  "A#{id}"  "A"
entity B
  id: string, city: string
  key  "C#{city}"  "B#{id}"
  GSI2  "B#{id}"  "B"
pattern a(city, id)           -> A?
pattern by_id(id) -> A[]  page 20
pattern of_city(city)         -> A[]  page 20
pattern since(city, at >= from)    -> A[]  page 20
pattern side_by_side(city)    -> A[] + B[]
pattern noted(city, text: string) -> A[]  page 20 filter note = text
pattern all() -> A[]  scan
"##;

fn reasons(pattern: &str, absent: &[&str]) -> Vec<String> {
    let compiled = compile(MODEL);
    let model = compiled
        .model
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let absent: Vec<String> = absent.iter().map(|one| (*one).to_owned()).collect();
    let all = why(&model, model.pattern(pattern).unwrap(), &absent);
    let text = |index: Option<String>| index.unwrap_or_else(|| "Tab".to_owned());
    let line = |one: keyfold_model::plan::Reason| {
        let sign = if one.is_read { "=>" } else { "  " };
        format!("{sign} {}: {}", text(one.index), one.reason)
    };
    all.into_iter().map(line).collect()
}

#[test]
fn each_key_of_the_table_has_its_reason() {
    for (pattern, expected) in [
        (
            "a",
            r##"=> Tab: it holds exactly what is asked: PK = "C#{city}" AND SK = "A#{id}"
   LSI1: `id` is not part of it, so it would have to be filtered
   GSI1: `city` is not part of it, so it would have to be filtered
   GSI2: no A is in it"##,
        ),
        (
            "by_id",
            r##"   Tab: its partition key "C#{city}" needs `city`, which the pattern is not given
   LSI1: its partition key "C#{city}" needs `city`, which the pattern is not given
=> GSI1: it holds exactly what is asked: G1PK = "A#{id}" AND G1SK = "A"
   GSI2: no A is in it"##,
        ),
        (
            "of_city",
            r##"=> Tab: it holds exactly what is asked: PK = "C#{city}" AND begins_with(SK, "A#")
   LSI1: it serves, too: the table's own key comes first, then local indexes, then global ones as they are declared
   GSI1: its partition key "A#{id}" needs `id`, which the pattern is not given
   GSI2: no A is in it"##,
        ),
        (
            "noted",
            r##"=> Tab: it holds what is asked, and what the filter throws away: PK = "C#{city}" AND begins_with(SK, "A#")
   LSI1: it serves, too: the table's own key comes first, then local indexes, then global ones as they are declared
   GSI1: its partition key "A#{id}" needs `id`, which the pattern is not given
   GSI2: no A is in it"##,
        ),
        (
            "side_by_side",
            r##"=> Tab: it holds exactly what is asked: PK = "C#{city}"
   LSI1: B is not in it
   GSI1: the partition key of A needs {id}, which is not given
   GSI2: A is not in it"##,
        ),
        ("all", "=> Tab: the pattern says `scan`: everything is read"),
    ] {
        assert_eq!(reasons(pattern, &[]).join("\n"), expected, "{pattern}");
    }
    let since = reasons("since", &[]);
    assert!(
        since[1].starts_with("=> LSI1: it holds exactly what is asked: "),
        "{since:?}"
    );
}

/// The keys that plans of all example models read are the ones that say so, and every key has a reason.
#[test]
fn the_key_that_is_read_is_the_plans() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|found| found != "keyfold") {
            continue;
        }
        let compiled = compile(&std::fs::read_to_string(&path).unwrap());
        let Some(model) = compiled.model else {
            continue;
        };
        for pattern in &model.patterns {
            for (absent, plan) in pattern.plans() {
                let all = why(&model, pattern, absent);
                let read: Vec<_> = all.iter().filter(|one| one.is_read).collect();
                assert_eq!(read.len(), 1, "{} of {}", pattern.name, path.display());
                assert_eq!(read[0].index, plan.index);
                assert!(all.iter().all(|one| !one.reason.is_empty()));
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

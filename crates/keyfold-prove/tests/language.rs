//! A model with every word of the language is proved. A proof that could not fail would prove
//! nothing: these tests break compiled models, one template, plan or rule at a time, and the proof
//! must report each.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::template::Part;
use keyfold_model::{Format, KeyTemplate, Model, SortCondition, compile};
use keyfold_prove::{Options, Report, prove};

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

fn report(model: &Model, seed: u64, items: usize, asks: usize) -> Report {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let now_epoch_ms = i64::try_from(now.as_millis()).unwrap();
    prove(
        model,
        Options {
            seed,
            items,
            asks,
            now_epoch_ms,
            deep: false,
        },
        |_| {},
    )
    .unwrap()
}

#[test]
fn every_word_of_the_language_is_proved() {
    let model = model(include_str!("everything.keyfold"));
    let mut answered: Vec<String> = Vec::new();
    for seed in [3, 4, 5] {
        let report = report(&model, seed, 60, 16);
        let failures: Vec<String> = report
            .all_failures()
            .take(5)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(
            failures.is_empty(),
            "seed {seed}: {}\n{:#?}",
            failures.join("\n"),
            report.failures
        );
        assert!(report.aggregates > 0 && report.refused > 0);
        answered.extend(
            report
                .patterns
                .iter()
                .filter(|one| one.answered > 0)
                .map(|one| one.name.clone()),
        );
    }
    let never: Vec<&str> = model
        .patterns
        .iter()
        .map(|one| one.name.as_str())
        .filter(|name| !answered.iter().any(|one| one == name))
        .collect();
    assert_eq!(never, Vec::<&str>::new(), "never answered anything");
}

#[test]
fn hostile_names_are_proved() {
    let model = model(include_str!("names.keyfold"));
    for seed in [1, 2] {
        let report = report(&model, seed, 40, 10);
        let failures: Vec<String> = report
            .all_failures()
            .take(5)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(failures.is_empty(), "seed {seed}: {}", failures.join("\n"));
        assert!(report.patterns.iter().any(|one| one.answered > 0));
    }
}

#[test]
fn right_models_are_proved() {
    let model = model(include_str!("right.keyfold"));
    let mut answered = std::collections::BTreeSet::new();
    for seed in 1..=6 {
        let report = report(&model, seed, 60, 12);
        let failures: Vec<String> = report
            .all_failures()
            .take(5)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(
            failures.is_empty(),
            "seed {seed}: {}\n{:#?}",
            failures.join("\n"),
            report.smallest
        );
        assert!(report.refused > 0);
        answered.extend(
            report
                .patterns
                .into_iter()
                .filter(|one| one.answered > 0)
                .map(|one| one.name),
        );
    }
    assert_eq!(answered.len(), model.patterns.len(), "{answered:?}");
}

#[test]
fn a_proof_repeats_itself() {
    let model = model(include_str!("../../../models/shop.keyfold"));
    let options = Options {
        seed: 9,
        items: 30,
        asks: 4,
        now_epoch_ms: 1_700_000_000_000,
        deep: false,
    };
    assert_eq!(
        prove(&model, options, |_| {}).unwrap(),
        prove(&model, options, |_| {}).unwrap()
    );
}

/// Proves a broken model; the proof must fail.
fn caught(source: &str, what: &str, spoil: impl Fn(&mut Model)) {
    let intact = model(source);
    assert!(
        report(&intact, 1, 80, 12).is_proved(),
        "{what}: the intact model is not proved"
    );
    let mut broken = intact;
    spoil(&mut broken);
    let found = (1..=3)
        .map(|seed| report(&broken, seed, 80, 12))
        .find(|report| !report.is_proved());
    let report = found.unwrap_or_else(|| panic!("{what} was not noticed"));
    // The failure shows after fewer writes.
    let smallest = report
        .smallest
        .unwrap_or_else(|| panic!("{what}: no shortest way"));
    assert!(smallest.writes.len() < 40, "{what}: {:#?}", smallest.writes);
}

const SHOP: &str = include_str!("../../../models/shop.keyfold");
const MYAPP: &str = include_str!("../../../models/myapp.keyfold");

fn sort_of<'m>(model: &'m mut Model, entity: &str) -> &'m mut KeyTemplate {
    let entity = model
        .entities
        .iter_mut()
        .find(|one| one.name == entity)
        .unwrap();
    entity.key.sort.as_mut().unwrap()
}

#[test]
fn a_template_without_padding_is_caught() {
    caught(
        "model m 1\ntable Game (PK, SK)\nentity Score\n  game: string, points: int, who: string\n  key \"GAME#{game}\" \"{points:06}#{who}\"\npattern top(game) -> Score[] highest page 5\n",
        "a number without its padding",
        |model| {
            for part in &mut sort_of(model, "Score").parts {
                if let Part::Field { format, .. } = part {
                    *format = Format::Plain;
                }
            }
        },
    );
}

#[test]
fn a_key_that_does_not_keep_its_value_is_caught() {
    caught(SHOP, "a product key in small letters", |model| {
        let product = model
            .entities
            .iter_mut()
            .find(|one| one.name == "Product")
            .unwrap();
        for part in &mut product.key.partition.parts {
            if let Part::Field { format, .. } = part {
                *format = Format::Lower;
            }
        }
    });
}

#[test]
fn a_range_that_is_too_wide_is_caught() {
    // The compiler without its rule about exact ranges.
    caught(
        MYAPP,
        "a whole partition instead of the orders in it",
        |model| {
            let pattern = model
                .patterns
                .iter_mut()
                .find(|one| one.name == "orders_of_user")
                .unwrap();
            pattern.plan.sort = SortCondition::Any;
        },
    );
}

#[test]
fn a_range_that_is_too_narrow_is_caught() {
    caught(SHOP, "an open end that is closed too early", |model| {
        let pattern = model
            .patterns
            .iter_mut()
            .find(|one| one.name == "recent_orders")
            .unwrap();
        let SortCondition::Between(low, high) = pattern.plan.sort.clone() else {
            panic!("no range")
        };
        let mut ends_early = high;
        ends_early.parts = vec![Part::Text("ORDER#2".to_owned())];
        pattern.plan.sort = SortCondition::Between(low, ends_early);
    });
}

#[test]
fn the_wrong_order_is_caught() {
    caught(SHOP, "oldest instead of newest", |model| {
        let pattern = model
            .patterns
            .iter_mut()
            .find(|one| one.name == "orders_by_status")
            .unwrap();
        pattern.plan.descending = false;
    });
}

#[test]
fn an_index_that_holds_other_items_is_caught() {
    caught(
        MYAPP,
        "an index of paid orders for the pending ones",
        |model| {
            let order = model
                .entities
                .iter_mut()
                .find(|one| one.name == "Order")
                .unwrap();
            let sparse = order
                .indexes
                .iter_mut()
                .find_map(|key| key.sparse.as_mut())
                .unwrap();
            sparse.value = Some("paid".to_owned());
        },
    );
}

#[test]
fn an_aggregate_of_another_attribute_is_caught() {
    caught(
        include_str!("../../../models/sales_view.keyfold"),
        "a search for the last that finds the first",
        |model| {
            let total = model
                .entities
                .iter_mut()
                .find(|one| one.name == "Total")
                .unwrap();
            let next = total
                .aggregates
                .iter_mut()
                .find_map(|one| one.next.as_mut())
                .unwrap();
            next.descending = false;
        },
    );
}

#[test]
fn an_order_of_another_attribute_is_caught() {
    caught(
        MYAPP,
        "orders by their number instead of their day",
        |model| {
            let sort = sort_of(model, "Order");
            let last = sort.parts.len() - 1;
            sort.parts.swap(1, last);
        },
    );
}

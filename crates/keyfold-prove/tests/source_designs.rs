//! The designs that Keyfold comes from, proved by execution. The tests' names begin with their ids.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_client::model_file;
use keyfold_model::{Model, Severity, compile_sources};
use keyfold_prove::{Options, Report, prove};
use std::collections::BTreeSet;
use std::path::Path;

const SEEDS: [u64; 2] = [1, 20_240_115];

fn model(name: &str, warnings: &[&str]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models")
        .join(format!("{name}.keyfold"));
    let sources = model_file::read(&path).unwrap();
    let compiled = compile_sources(&sources);
    let shown: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render_in(&sources, false))
        .collect();
    let found: BTreeSet<&str> = compiled.diagnostics.iter().map(|one| one.code).collect();
    assert!(
        compiled
            .diagnostics
            .iter()
            .all(|one| one.severity == Severity::Warning),
        "{}",
        shown.join("\n")
    );
    assert_eq!(
        found,
        warnings.iter().copied().collect(),
        "{name}: {}",
        shown.join("\n")
    );
    compiled.model.unwrap()
}

fn report(model: &Model, seed: u64, items: usize) -> Report {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let now_epoch_ms = i64::try_from(now.as_millis()).unwrap();
    prove(
        model,
        Options {
            seed,
            items,
            asks: 12,
            now_epoch_ms,
            deep: false,
        },
        |_| {},
    )
    .unwrap()
}

/// Proves the model with several seeds. Each pattern must find at least one item.
fn proved(name: &str, warnings: &[&str], patterns: &[&str]) {
    let model = model(name, warnings);
    for seed in SEEDS {
        let report = report(&model, seed, 60);
        let failures: Vec<String> = report
            .all_failures()
            .take(5)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(
            failures.is_empty(),
            "{name}, seed {seed}: {}",
            failures.join("\n")
        );
        assert!(report.rows > 0 && report.stored_items > 0 && report.writes > report.refused);
        for pattern in patterns {
            let found = report.patterns.iter().find(|found| found.name == *pattern);
            let found = found.unwrap_or_else(|| panic!("{name} has no pattern {pattern}"));
            assert!(
                found.answered > 0,
                "{name}.{pattern} never answered anything with seed {seed}"
            );
        }
    }
}

macro_rules! designs {
    ($($test:ident: $model:literal, [$($warning:literal),*], [$($pattern:literal),+];)+) => {
        $(#[test]
        fn $test() {
            proved($model, &[$($warning),*], &[$($pattern),+]);
        })+
    };
}

designs! {
    alleycat_a1_a2_a3_a4_a5: "alleycat", [], ["results_of_racer", "races_of_class", "best_of_class", "leaderboard", "performance"];
    bookmarks_n1: "bookmarks", [], ["annotations", "annotation"];
    orders_with_address_n2: "orders_with_address", [], ["orders_of_customer", "order_of_customer"];
    freight_n3: "freight", [], ["container", "item", "items"];
    smart_home_n4: "smart_home", [], ["status", "activity", "activity_between"];
    sales_view_n5: "sales_view", [], ["total", "sales", "sales_since"];
    readings_n6: "readings", [], ["reading", "readings_between", "readings_since", "readings_of_day"];
    santa_s1_s2_s3_s4_s5_s6_s7_s8_s9: "santa", ["KF030"], ["toys", "toy", "letters", "letter", "demand", "history"];
    santa_spread_s1_s2_s3_s4_s5_s6_s7_s8_s9: "santa_spread", [], ["toys", "toy", "letters", "letter", "demand", "history"];
    shop_e1_e2_e3_e4_e5_e6_e7: "shop", [], ["user", "orders_of_user", "order_with_items", "items_of_order", "product", "orders_by_status", "recent_orders", "recent_orders_by_status"];
    shop_techniques: "shop_techniques", ["KF034"], ["user", "user_by_email", "active_users", "stores", "products_of_category", "cheap_products", "orders_of_user", "orders_by_status", "orders", "big_orders", "organisations_of_user", "members_of_organisation", "files_below", "file", "events_of_day", "events_between", "sessions", "organisation"];
    myapp_m1_m2_m3_m4_m5_m6_m7: "myapp", [], ["user", "user_by_email", "orders_of_user", "order", "pending_orders", "user_overview", "product", "items_of_order"];
    alleycat_as_it_exists: "existing/alleycat", [], ["results_of_racer", "races_of_class", "best_of_class", "leaderboard", "performance"];
    bookmarks_as_they_exist: "existing/bookmarks", [], ["annotations", "annotation"];
    orders_with_address_as_they_exist: "existing/orders_with_address", [], ["orders_of_customer", "order_of_customer"];
    freight_as_it_exists: "existing/freight", [], ["container", "item"];
    smart_home_as_it_exists: "existing/smart_home", [], ["status", "activity", "activity_between"];
    sales_view_as_it_exists: "existing/sales_view", [], ["total", "sales", "sales_since"];
    readings_as_they_exist: "existing/readings", [], ["reading", "readings_between"];
    santa_as_it_exists: "existing/santa", ["KF030", "KF031"], ["toys", "toy", "letters", "letter", "demand"];
    shop_as_it_exists: "existing/shop", ["KF030"], ["user", "orders_of_user", "order_with_items", "items_of_order", "product", "orders_by_status", "recent_orders", "recent_orders_by_status"];
    shop_of_three_teams: "shop-teams/shop", [], ["user_with_orders", "user", "user_by_email", "session", "sessions_of_user", "order_with_lines", "orders_by_status"];
    myapp_as_it_exists: "existing/myapp", ["KF030", "KF031"], ["user", "users_by_email", "orders_of_user", "orders_by_id", "pending_orders", "user_overview", "product", "items_of_order"];
}

/// The deep proof: on files, with restarts and many concurrent writers.
#[test]
fn every_model_is_proved_deeply() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let teams = folder.join("shop-teams/shop.keyfold");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everything.keyfold");
    let models = [folder.join("existing"), folder]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .chain([own, teams]);
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let now_epoch_ms = i64::try_from(now.as_millis()).unwrap();
    for path in models {
        let sources = model_file::read(&path).unwrap();
        let model = compile_sources(&sources).model.unwrap();
        let options = Options {
            seed: 7,
            items: 50,
            asks: 8,
            now_epoch_ms,
            deep: true,
        };
        let report = prove(&model, options, |_| {}).unwrap();
        let failures: Vec<String> = report
            .all_failures()
            .take(3)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(
            failures.is_empty(),
            "{}: {}\n{:#?}",
            path.display(),
            failures.join("\n"),
            report.smallest
        );
    }
}

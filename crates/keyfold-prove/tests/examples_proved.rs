//! The models of the examples, proved by execution: each that is found in their folders, and each that
//! one of their `keyfold.toml` names.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_client::model_file;
use keyfold_model::{Model, compile_sources};
use keyfold_prove::{NeverKind, Options, Report, prove};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SEEDS: [u64; 2] = [1, 20_240_115];

/// The moment at which every model is proved, 2026-01-15T10:30:00.123Z.
const NOW_EPOCH_MS: i64 = 1_768_473_000_123;

/// Folders of packages, builds and data, which are no part of the examples.
const FOREIGN: [&str; 4] = ["node_modules", "target", "data", "built"];

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() {
            found.push(path);
        } else if !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
            found.extend(files(&path));
        }
    }
    found
}

/// The model that a project's file names.
fn named(project: &Path) -> PathBuf {
    let text = std::fs::read_to_string(project).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("model = "));
    let name = line.unwrap_or_else(|| panic!("{} names no model", project.display()));
    project.parent().unwrap().join(name.trim_matches('"'))
}

/// All models of the examples.
fn models() -> BTreeSet<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut all = BTreeSet::new();
    for path in files(&examples) {
        if path.extension().is_some_and(|one| one == "keyfold") {
            all.insert(path.canonicalize().unwrap());
        } else if path.file_name().is_some_and(|one| one == "keyfold.toml") {
            all.insert(named(&path).canonicalize().unwrap());
        }
    }
    all
}

fn model(path: &Path) -> Model {
    let sources = model_file::read(path).unwrap();
    let compiled = compile_sources(&sources);
    let shown: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render_in(&sources, false))
        .collect();
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

fn proved(path: &Path, model: &Model, seed: u64) -> Report {
    let options = Options {
        seed,
        items: 60,
        asks: 12,
        now_epoch_ms: NOW_EPOCH_MS,
        deep: false,
    };
    let report = prove(model, options, |_| {}).unwrap();
    let failures: Vec<String> = report
        .all_failures()
        .take(4)
        .map(|one| format!("{one:#?}"))
        .collect();
    assert!(
        failures.is_empty(),
        "{}, seed {seed}: {}\n{:#?}",
        path.display(),
        failures.join("\n"),
        report.smallest
    );
    report
}

/// Every pattern answers with an item, and every view, copy and aggregate has an effect. `sales` has views, whose
/// rows are compared with what SQL groups.
#[test]
fn every_model_of_the_examples_is_proved() {
    let (mut count, mut views) = (0, 0);
    for path in models() {
        let model = model(&path);
        let reports = SEEDS.map(|seed| proved(&path, &model, seed));
        for pattern in &model.patterns {
            let mut all = reports.iter().flat_map(|report| &report.patterns);
            assert!(
                all.any(|one| one.name == pattern.name && one.answered > 0),
                "{}: {} never answered anything",
                path.display(),
                pattern.name
            );
        }
        // Whether the condition of a write holds is a matter of chance.
        let of_parts = |report: &&Report| {
            let mut never = report.never.iter();
            never.all(|one| one.kind == NeverKind::Condition)
        };
        let [first, second] = &reports;
        assert!(
            of_parts(&first) || of_parts(&second),
            "{}: {:?}",
            path.display(),
            first.never
        );
        let kept = model.entities.iter().filter(|one| one.view.is_some());
        let kept = kept.count();
        let compared = reports.iter().all(|report| report.aggregates > 0);
        assert!(kept == 0 || compared, "{}: no row", path.display());
        (count, views) = (count + 1, views + kept);
        println!("{} is proved, with {kept} views", path.display());
    }
    assert!(count >= 10 && views >= 3, "{count} models, {views} views");
}

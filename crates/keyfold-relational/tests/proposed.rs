//! Models that are proposed of databases: they compile as they are, every row that they name is an item of them,
//! it is carried and verified, and each pattern runs. Three are golden; hundreds are random.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod proposing;

use keyfold_relational::{Progress, ProposeError, propose, statements};
use proposing::{Database, random, report};
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/proposals")
        .join(name)
}

fn golden(name: &str) {
    let read = |end: &str| std::fs::read_to_string(file(&format!("{name}.{end}"))).unwrap();
    let database = Database::new(&read("sql"));
    let proposal = database.proposal(&read("queries"));
    let said = format!("{}\n{}", proposal.model, report(&proposal));
    let path = file(&format!("{name}.out"));
    if std::env::var("UPDATE_GOLDENFILES").is_ok() {
        std::fs::write(&path, &said).unwrap();
    }
    database.holds(&proposal);
    assert_eq!(said, std::fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn a_shop_of_music() {
    golden("music");
}

#[test]
fn the_shop_of_the_documentation() {
    golden("shop");
}

/// The part of a proposal that the documentation shows is one.
#[test]
fn the_documentation_shows_what_is_proposed() {
    let documentation = include_str!("../../../docs/migrate.md");
    let shown = documentation
        .split("## A model to begin with")
        .nth(1)
        .unwrap();
    let shown = shown
        .split("```text\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let out = std::fs::read_to_string(file("shop.out")).unwrap();
    let spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let known: Vec<String> = out.lines().map(spaced).collect();
    for line in shown.lines().map(spaced) {
        assert!(known.contains(&line), "{line}");
    }
}

#[test]
fn odd_names_and_values() {
    golden("odd");
}

/// Any database has a proposal that holds, or no table that could be an entity.
#[test]
fn random_databases() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let (first, count) = (
        number("PROPOSED_FROM").unwrap_or(0),
        number("PROPOSED").unwrap_or(100),
    );
    let (mut proposed, mut entities, mut answered, mut blocked) = (0, 0, 0, 0);
    for seed in first..first + count {
        let (sql, queries) = random::database(&mut fastrand::Rng::with_seed(seed));
        let sql = format!("-- seed {seed}\n{sql}");
        let database = Database::of_rows(&sql);
        let found = propose(
            &mut database.source(),
            None,
            statements(&queries),
            &Progress::default(),
        );
        let proposal = match found {
            Ok(proposal) => proposal,
            Err(ProposeError::Nothing(left_out)) if !left_out.is_empty() => continue,
            Err(error) => panic!("{error}\n{sql}"),
        };
        proposed += 1;
        entities += proposal.entities.len();
        blocked += proposal
            .entities
            .iter()
            .filter(|one| one.rows.is_none())
            .count();
        answered += proposal
            .patterns
            .iter()
            .map(|one| one.answers.len())
            .sum::<usize>();
        if blocked == 0 || proposal.entities.iter().any(|one| one.rows.is_some()) {
            database.holds(&proposal);
        }
    }
    println!(
        "{proposed} proposals, {entities} entities, {blocked} of them wait, {answered} queries answered"
    );
    assert!(proposed * 10 > count * 8, "{proposed}");
}

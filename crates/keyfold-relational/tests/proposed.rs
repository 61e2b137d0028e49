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

/// A pattern that answers a query asks for what it asks for: no condition, order or number is left out.
#[test]
fn queries_that_no_pattern_answers() {
    let schema = "CREATE TABLE users (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE, name TEXT NOT NULL); CREATE TABLE orders \
                  (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), placed INTEGER NOT NULL, status TEXT \
                  NOT NULL); INSERT INTO users VALUES (1, 'a', 'A'); INSERT INTO orders VALUES (1, 1, 5, 'new')";
    let database = Database::new(schema);
    let two_ends = "placed has two bounds";
    let several = "has one of several values";
    let cases = [
        ("user_id = id", "compares two columns of a row"),
        (
            "user_id = 1 AND id = user_id",
            "compares two columns of a row",
        ),
        ("user_id IN (1, 2) ORDER BY placed DESC LIMIT 10", several),
        ("user_id IN (1, 2)", several),
        ("user_id = 1 OR user_id = 2", several),
        ("user_id = 1 AND status IN ('new', 'paid')", several),
        ("id IN (1, 2) ORDER BY placed LIMIT 1", several),
        ("user_id = 1 AND placed > 5 AND placed < 9", two_ends),
        ("user_id = 1 AND placed >= 5 AND placed < 9", two_ends),
        ("user_id = 1 AND placed > 5 AND placed <= 9", two_ends),
        ("CAST(placed AS TEXT) = '5'", "is computed for each row"),
        ("status COLLATE NOCASE = 'NEW'", "is computed for each row"),
        ("id = 1 AND status = 'new'", "is left to compare"),
        ("id = 1 AND placed > 5", "is left to compare"),
    ];
    for (condition, due) in cases {
        let proposal = database.proposal(&format!("SELECT * FROM orders WHERE {condition}"));
        let why: Vec<&str> = proposal
            .unanswered
            .iter()
            .map(|(_, why)| why.as_str())
            .collect();
        assert_eq!(why.len(), 1, "{condition}: {}", proposal.model);
        assert!(why[0].contains(due), "{condition}: {}", why[0]);
    }
    for (query, due) in [
        (
            "FROM orders WHERE user_id = 1 AND placed >= 5 AND placed <= 9",
            "least..most",
        ),
        (
            "FROM orders WHERE user_id = 1 AND placed BETWEEN 5 AND 9",
            "least..most",
        ),
        (
            "FROM orders WHERE user_id = 1 AND status > 'a' AND status < 'z' ORDER BY placed",
            "filter",
        ),
        ("FROM orders WHERE id IN (1, 2)", "orderId[]"),
        ("FROM orders WHERE (user_id) = (1)", "userId"),
    ] {
        let proposal = database.proposal(&format!("SELECT * {query}"));
        let answered = proposal.patterns.iter().find(|one| !one.answers.is_empty());
        assert!(answered.is_some(), "{query}: {:?}", proposal.unanswered);
        assert!(proposal.model.contains(due), "{query}: {}", proposal.model);
    }
    let limited = "SELECT * FROM users u JOIN orders o ON o.user_id = u.id WHERE u.id = 1 LIMIT 5";
    let why = &database.proposal(limited).unanswered[0].1;
    assert!(why.contains("LIMIT counts the rows of a join"), "{why}");
}

/// The least whole number has no absolute value.
#[test]
fn numbers_of_any_size_are_measured() {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, r REAL, x); INSERT INTO t VALUES \
                  (-9223372036854775808, -9223372036854775808, 1e126, -9223372036854775808), (1, 9223372036854775807, -1e-130, 2), \
                  (2, 0, 0.0, 1.5), (3, NULL, NULL, NULL)";
    let database = Database::new(schema);
    let proposal = database.proposal("");
    database.holds(&proposal);
    let words: Vec<&str> = proposal.model.split_whitespace().collect();
    let said = words.join(" ");
    assert!(said.contains("v: int?, r: string?, x: number?"), "{said}");
}

#[test]
fn capitals_that_are_equal_in_the_database_alone_are_told() {
    let schema = "CREATE TABLE users (name TEXT COLLATE NOCASE PRIMARY KEY, nick TEXT COLLATE NOCASE UNIQUE, kind TEXT COLLATE \
                  NOCASE, plain TEXT); CREATE TABLE orders (id INTEGER PRIMARY KEY, user_name TEXT NOT NULL COLLATE NOCASE \
                  REFERENCES users (name)); INSERT INTO users VALUES ('bob', 'b', 'x', 'y'); INSERT INTO orders VALUES (1, 'bob')";
    let queries = "SELECT * FROM users WHERE name = 'BOB'; SELECT * FROM users WHERE nick = 'B'; SELECT * FROM users WHERE kind = \
                   'X'; SELECT * FROM users WHERE plain = 'y'";
    let proposal = Database::new(schema).proposal(queries);
    let told = "capitals and small letters are equal in the database, and differ in a key";
    let lines = proposal.model.lines().filter(|line| line.contains(told));
    let named: Vec<&str> = lines.map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        named,
        ["# name", "# kind", "# userName"],
        "{}",
        proposal.model
    );
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

//! A model that is proposed of a PostgreSQL: types, constraints and the log's limits, and the queries that it has
//! run.

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
#![allow(dead_code, reason = "the server has more than this test needs")]

mod proposing;
mod support;

use keyfold_relational::postgres::Postgres;
use keyfold_relational::{Describe, Progress, propose};
use support::Server;

const SCHEMA: &str = r#"
CREATE TYPE mood AS ENUM ('sad', 'ok', 'very happy');
CREATE DOMAIN email AS varchar(80) CHECK (VALUE LIKE '%@%');
CREATE SCHEMA sales;
CREATE TABLE customers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, mail email NOT NULL, name text NOT NULL, feels mood DEFAULT 'ok',
  joined timestamptz NOT NULL DEFAULT now(), token uuid NOT NULL DEFAULT gen_random_uuid(), tags text[], extra jsonb, photo bytea,
  born date, active boolean NOT NULL DEFAULT true, score double precision, limit_to numeric(10,2), free numeric, small smallint, span interval);
CREATE UNIQUE INDEX customers_mail ON customers (lower(mail));
CREATE TABLE sales.orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer_id bigint NOT NULL REFERENCES customers ON DELETE RESTRICT,
  placed_at timestamp(3) NOT NULL, state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid')), total numeric(12,2) NOT NULL,
  UNIQUE (customer_id, placed_at));
CREATE TABLE sales.lines (id serial PRIMARY KEY, order_id uuid NOT NULL REFERENCES sales.orders ON DELETE CASCADE, sku varchar(20) NOT NULL, "Weird Name" int);
CREATE TABLE log (at timestamptz NOT NULL, who text NOT NULL, what text, UNIQUE (at, who));
CREATE TABLE cities (country char(2), city text, people int, PRIMARY KEY (country, city)) PARTITION BY LIST (country);
CREATE TABLE cities_no PARTITION OF cities FOR VALUES IN ('NO');
CREATE TABLE nokey (a int);
CREATE UNLOGGED TABLE scratch (id int PRIMARY KEY);
CREATE VIEW open_orders AS SELECT * FROM sales.orders WHERE state = 'open';
CREATE TABLE twice (id int PRIMARY KEY, "Id" int, odd numeric, whenever timestamp, ends timestamp, day date);
INSERT INTO customers (mail, name, feels, tags, extra, photo, born, score, limit_to, free, small, span)
  VALUES ('Ada@x.org', 'Ada', 'very happy', '{a,b}', '{"a": [1, null]}', '\x00ff', '1815-12-10', 1.5, 12.34, 1e30, -3, '1 day'),
  ('bob@x.org', 'Bob', NULL, NULL, NULL, NULL, NULL, 'NaN', NULL, NULL, NULL, NULL);
INSERT INTO sales.orders (customer_id, placed_at, state, total) VALUES (1, '2024-01-01 10:00:00.123', 'paid', 12), (1, '2024-01-02', 'open', 0.01);
INSERT INTO sales.lines (order_id, sku, "Weird Name") SELECT id, 'a#b', 7 FROM sales.orders;
INSERT INTO log VALUES ('2024-01-01', 'me', 'did');
INSERT INTO cities VALUES ('NO', 'Oslo', 700000);
INSERT INTO twice VALUES (1, 2, 'NaN', 'infinity', '9999-12-31 23:59:59.999999', '9999-12-31'), (2, 3, 1.5, '2024-01-01', NULL, NULL);
CREATE EXTENSION pg_stat_statements;
"#;

#[test]
fn a_database_and_the_queries_that_it_has_run() {
    let mut server = Server::start();
    server.kill();
    server.run(&[
        "-c",
        "wal_level=logical",
        "-c",
        "shared_preload_libraries=pg_stat_statements",
    ]);
    let program = server.connect("postgres");
    program.must(SCHEMA);
    program.must("SELECT pg_stat_statements_reset()");
    for _ in 0..3 {
        program.must(
            "SELECT * FROM sales.orders WHERE customer_id = 1 ORDER BY placed_at DESC LIMIT 10",
        );
    }
    program.must("SELECT * FROM customers WHERE lower(mail) = lower('ADA@x.org')");
    program.must("SELECT * FROM customers WHERE id = ANY ('{1,2}'::bigint[])");
    program.must("SELECT o.*, l.* FROM sales.orders o JOIN sales.lines l ON l.order_id = o.id WHERE o.id = gen_random_uuid()");
    program.must("SELECT o.*, l.* FROM sales.orders o JOIN sales.lines l ON l.order_id = o.id WHERE o.id = '0190f5b4-4c3e-7a3b-8c5d-0123456789ab'");
    program.must("SELECT count(*) FROM sales.lines WHERE sku = 'a'");
    program.must("SELECT * FROM sales.orders WHERE placed_at::date = '2024-01-01'");
    program.must("UPDATE customers SET name = 'Ada' WHERE id = 1");

    let mut source = Postgres::open(&server.name("postgres")).unwrap();
    let asked = source.asked().unwrap().unwrap();
    let proposal = propose(&mut source, Some("shop"), asked, &Progress::default()).unwrap();
    let says = format!("{}\n{}", proposal.model, proposing::report(&proposal));
    let compiled = keyfold_model::compile(&proposal.model);
    let model = compiled.model.expect(&says);
    proposing::holds(&model, &mut source, &says);
    let words: Vec<&str> = proposal.model.split_whitespace().collect();
    let model_words = words.join(" ");
    for expected in [
        "feels: sad | ok | \"very happy\"?",
        "joined: time(us) = now",
        "token: uuid = new",
        "tags: list of string?",
        "photo: binary?",
        "born: date?",
        "active: bool = true",
        "score: string?",
        "limitTo: number?",
        "unique lower(mail)",
        "orderId: uuid",
        "placedAt: time,",
        "state: open | paid = open",
        "from sales.orders",
        "# the log does not tell its key: ALTER TABLE log REPLICA IDENTITY FULL; then take the # away:",
        "# 3 calls,",
        "pattern orders_of_customer(customerId) -> Order[] newest placedAt",
        "pattern customers(customerId[]) -> Customer[]",
        "entity City",
        "whenever: string?",
        "ends: time(us)?",
        "\"day\": date?",
        "# scratch is unlogged",
        "# open_orders is a view",
        "# nokey has no primary key",
    ] {
        assert!(model_words.contains(expected), "{expected}\n{says}");
    }
    let answered = |name: &str| {
        let found = proposal
            .patterns
            .iter()
            .find(|one| one.name == name)
            .expect(&says);
        assert!(!found.answers.is_empty(), "{name}\n{says}");
    };
    answered("customer_by_mail");
    answered("order_with_lines");
    let why: Vec<&str> = proposal
        .unanswered
        .iter()
        .map(|(_, why)| why.as_str())
        .collect();
    assert_eq!(why.len(), 3, "{why:?}\n{says}");
    assert!(
        why.iter().any(|one| one.contains("placed_at::DATE")),
        "{why:?}"
    );
}

#[test]
fn a_database_without_statistics_says_so() {
    let server = Server::start();
    server
        .connect("postgres")
        .must("CREATE TABLE a (id int PRIMARY KEY)");
    let mut source = Postgres::open(&server.name("postgres")).unwrap();
    let why = source.asked().unwrap().unwrap_err();
    assert!(why.contains("pg_stat_statements"), "{why}");
    // The extension need not be loaded.
    server
        .connect("postgres")
        .must("CREATE EXTENSION pg_stat_statements");
    let why = source.asked().unwrap().unwrap_err();
    assert!(why.contains("pg_stat_statements"), "{why}");
    let proposal = propose(&mut source, None, Vec::new(), &Progress::default()).unwrap();
    assert!(proposal.model.contains("entity A\n"), "{}", proposal.model);
}

//! A model that is proposed of a MariaDB: types, constraints and collations, and the queries that it has run.

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

mod mariadb_server;
mod proposing;
mod worlds;

use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{Describe, Progress, propose};
use mariadb_server::{ROWS, Server};

const SCHEMA: &str = "
CREATE TABLE customers (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, mail varchar(80) NOT NULL UNIQUE, name text NOT NULL, feels enum('sad', 'ok', 'very happy') DEFAULT 'ok', joined timestamp(6) NOT NULL DEFAULT current_timestamp(6), token uuid NOT NULL DEFAULT uuid(), extra json, photo blob, born date, whenever date, active boolean NOT NULL DEFAULT 1, score double, small tinyint, huge decimal(65,30), place point)
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT uuid(), customer_id bigint unsigned NOT NULL, placed_at datetime(3) NOT NULL, state varchar(9) COLLATE utf8mb4_bin NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid')), total decimal(12,2) NOT NULL, UNIQUE (customer_id, placed_at), FOREIGN KEY (customer_id) REFERENCES customers (id))
CREATE TABLE `lines` (id int AUTO_INCREMENT PRIMARY KEY, order_id uuid NOT NULL, sku varchar(20) NOT NULL, `Weird ``Name` int CHECK (`Weird ``Name` > 0), FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE)
CREATE TABLE log (at datetime NOT NULL, who varchar(20) COLLATE utf8mb4_bin NOT NULL, what text, UNIQUE (at, who), UNIQUE (what(10)))
CREATE TABLE computed (id int, twice int AS (id * 2) VIRTUAL, v text, PRIMARY KEY (id), UNIQUE (twice))
CREATE TABLE nokey (a int)
CREATE TABLE old (id int PRIMARY KEY) ENGINE = MyISAM
CREATE VIEW open_orders AS SELECT * FROM orders WHERE state = 'open'
INSERT INTO customers (mail, name, feels, extra, photo, born, whenever, score, small, huge, place) VALUES ('Ada@x.org', 'Ada', 'very happy', '{\"a\": [1, null]}', x'00ff', '1815-12-10', '0000-00-00', 1.5, -3, 1.25, POINT(1, 2)), ('bob@x.org', 'Bob', NULL, NULL, NULL, NULL, NULL, 1e200, NULL, 12345678901234567890123456789012345.123456789012345678901234567890, NULL)
INSERT INTO orders (customer_id, placed_at, state, total) VALUES (1, '2024-01-01 10:00:00.123', 'paid', 12), (1, '2024-01-02', 'open', 0.01)
INSERT INTO `lines` (order_id, sku, `Weird ``Name`) SELECT id, 'a#b', 7 FROM orders
INSERT INTO log VALUES ('2024-01-01', 'me', 'did')
INSERT INTO computed (id, v) VALUES (1, 'a')
";

#[test]
fn a_database_and_the_queries_that_it_has_run() {
    let mut settings = ROWS.to_vec();
    settings.push("--performance-schema=ON");
    let server = Server::with(&settings);
    let program = server.database("shop");
    program.must("SET sql_mode = ''");
    program.must(SCHEMA);
    program.must("TRUNCATE performance_schema.events_statements_summary_by_digest");
    for _ in 0..3 {
        program.must("SELECT * FROM orders WHERE customer_id = 1 ORDER BY placed_at DESC LIMIT 10");
    }
    program.must("SELECT * FROM customers WHERE mail = 'ADA@x.org'");
    program.must("SELECT * FROM customers WHERE id IN (1, 2)");
    program.must("SELECT * FROM `lines` WHERE sku = 'A#B'");
    program.must(
        "SELECT o.*, l.* FROM orders o JOIN `lines` l ON l.order_id = o.id WHERE o.id = '0190f5b4-4c3e-7a3b-8c5d-0123456789ab'",
    );
    program.must("SELECT count(*) FROM `lines` WHERE sku = 'a'");
    program.must("UPDATE customers SET name = 'Ada' WHERE id = 1");

    let mut source = Mariadb::open(&server.name("shop")).unwrap();
    let asked = source.asked().unwrap().unwrap();
    let proposal = propose(&mut source, None, asked, &Progress::default()).unwrap();
    let says = format!("{}\n{}", proposal.model, proposing::report(&proposal));
    let compiled = keyfold_model::compile(&proposal.model);
    let model = compiled.model.expect(&says);
    let words: Vec<&str> = proposal.model.split_whitespace().collect();
    let model_words = words.join(" ");
    for expected in [
        "model shop",
        "feels: sad | ok | \"very happy\"?",
        "joined: time(us) = now",
        "token: uuid = new",
        "photo: binary?",
        "born: date?",
        "whenever: string?",
        "active: bool = true",
        "small: int?",
        "huge: string?",
        "place: binary?",
        "unique lower(mail)",
        "orderId: uuid",
        "placedAt: time,",
        "state: open | paid = open",
        "# 3 calls,",
        "pattern orders_of_customer(customerId) -> Order[] newest placedAt",
        "pattern customers(customerId[]) -> Customer[]",
        "# sku: capitals and small letters are equal in the database, and differ in a key",
        "# open_orders is a view",
        "# old is a table of MyISAM",
        "# nokey has no primary key",
        "is of the beginning of a column: nothing keeps it",
    ] {
        assert!(model_words.contains(expected), "{expected}\n{says}");
    }
    // A migration needs that no foreign key deletes rows.
    let needs = proposal.notes.join("\n");
    assert!(needs.contains("ON DELETE CASCADE"), "{needs}\n{says}");
    program.must(
        "ALTER TABLE `lines` DROP FOREIGN KEY lines_ibfk_1, ADD FOREIGN KEY (order_id) REFERENCES orders (id)",
    );
    proposing::holds(&model, &mut source, &says);
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
    assert_eq!(why.len(), 1, "{why:?}\n{says}");
}

#[test]
fn a_database_without_statistics_says_so() {
    let server = Server::start();
    server
        .database("d")
        .must("CREATE TABLE a (id int PRIMARY KEY)");
    let mut source = Mariadb::open(&server.name("d")).unwrap();
    let why = source.asked().unwrap().unwrap_err();
    assert!(why.contains("performance_schema"), "{why}");
    let proposal = propose(&mut source, None, Vec::new(), &Progress::default()).unwrap();
    assert!(proposal.model.contains("entity A\n"), "{}", proposal.model);
}

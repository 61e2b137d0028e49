//! Models that `keyfold infer` writes of tables with sparse indexes: each holds for every item; and of a relational
//! database.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use keyfold_client::{arguments, tables, write};
use std::collections::BTreeMap;
use workplace::Workplace;
use workplace::server::Server;

/// A table of tickets, of which so many of forty are in an index, by the line of that index.
fn check(line: &str, is_open: impl Fn(usize) -> bool, expected: &str) {
    let model = format!(
        "model tickets 1\ntable Tickets (PK, SK)\n  gsi GSI1 (GSI1PK, GSI1SK)\n\nentity Ticket\n  \
         desk: string, ticketId: int, state: string, openedBy: string?\n  \
         key \"DESK#{{desk}}\" \"TICKET#{{ticketId:06}}\"\n  GSI1 {line}\n"
    );
    let model = keyfold_model::compile(&model).model.unwrap();
    let server = Server::start(&[]);
    let backend = server.backend();
    tables::ensure(&backend, &model).unwrap();
    let entity = model.entity("Ticket").unwrap();
    for at in 0..40 {
        let mut given = BTreeMap::from([
            ("desk".to_owned(), format!("d{}", at % 7)),
            ("ticketId".to_owned(), at.to_string()),
            ("state".to_owned(), "done".to_owned()),
        ]);
        if is_open(at) {
            given.insert("state".to_owned(), "open".to_owned());
            given.insert("openedBy".to_owned(), format!("p{}", at % 3));
        }
        let values = arguments::of_entity(entity, &given).unwrap();
        write::put(&backend, &model, entity, &values).unwrap();
    }
    let place = Workplace::new();
    let at = ["--endpoint", server.endpoint.as_str()];
    place.text(&[&["infer", "Tickets", "--output", "t.keyfold"], &at[..]].concat());
    let text = std::fs::read_to_string(place.folder.path().join("t.keyfold")).unwrap();
    let one_blank = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        one_blank.contains(expected),
        "{expected} is missing:\n{text}"
    );
    place.text(&["check", "t.keyfold"]);
    let verified = place.json(0, &[&["verify", "t.keyfold"], &at[..]].concat());
    assert_eq!(verified["items"], 40, "{verified}\n{text}");
}

#[test]
fn a_model_of_a_sparse_index_holds_for_every_item() {
    let by_state = "\"OPEN\" \"TICKET#{ticketId:06}\" sparse when state = \"open\"";
    let most = |at: usize| !matches!(at, 7 | 23);
    let some = |at: usize| at.is_multiple_of(5);
    check(by_state, most, "sparse when openedBy");
    check(by_state, some, "sparse when openedBy");
    // One item says nothing of what decides.
    check(by_state, |at| at != 7, "GSI1PK: string?");
    let by_person = "\"BY#{openedBy}\" \"TICKET#{ticketId:06}\"";
    check(
        by_person,
        most,
        "GSI1 \"BY#{openedBy}\" \"TICKET#{ticketId:06}\"",
    );
    check(
        by_person,
        some,
        "GSI1 \"BY#{openedBy}\" \"TICKET#{ticketId:06}\"",
    );
}

/// What `infer --from` writes is checked and migrated as it is, and its report says what answers which query.
#[test]
fn a_model_of_a_relational_database_is_migrated_as_it_is() {
    let place = Workplace::new();
    let database = rusqlite::Connection::open(place.folder.path().join("shop.db")).unwrap();
    let sql = "CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT NOT NULL);
        CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), placed TIMESTAMP NOT NULL,
          state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid')));
        INSERT INTO customers VALUES (1, 'ada@x.org', 'Ada'), (2, NULL, 'Bob');
        INSERT INTO orders VALUES ('a1', 1, '2024-01-01 10:00:00', 'open'), ('a2', 1, '2024-01-02 10:00:00', 'paid');";
    database.execute_batch(sql).unwrap();
    let queries = "SELECT * FROM orders WHERE customer_id = ? ORDER BY placed DESC LIMIT 20;\nSELECT count(*) FROM orders;";
    place.write("shop.sql", queries);
    let infer = [
        "infer",
        "--from",
        "sqlite:shop.db",
        "--queries",
        "shop.sql",
        "-o",
        "shop.keyfold",
    ];
    let said = place.run(&infer);
    let report = String::from_utf8(said.stderr).unwrap();
    assert!(said.status.success(), "{report}");
    for expected in [
        "Customer of customers: 2 rows",
        "Order of orders: 2 rows",
        "pattern orders_of_customer(customerId) -> Order[] newest placed page 20",
        "answers SELECT * FROM orders WHERE customer_id = ?",
        "no pattern: SELECT count(*) FROM orders",
    ] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
    // A model that is there is replaced by `--force` alone.
    place.json(2, &infer);
    place.text(&["check", "shop.keyfold"]);
    let from = ["shop.keyfold", "--from", "sqlite:shop.db"];
    place.text(&[&["migrate", "check"], &from[..]].concat());
    let at = ["--at", "keyfold:./data"];
    place.text(&[&["migrate", "run"], &from[..], &at, &["--once"]].concat());
    place.text(&[&["migrate", "verify"], &from[..], &at].concat());
    let run = [
        "run",
        "shop.keyfold",
        "orders_of_customer",
        "customerId=1",
        "--data",
        "data",
    ];
    let answer = place.json(0, &run);
    assert_eq!(
        answer["items"].as_array().map(Vec::len),
        Some(2),
        "{answer}"
    );
    let document = place.json(0, &infer[..5]);
    assert_eq!(
        document["report"]["unanswered"].as_array().map(Vec::len),
        Some(1),
        "{document}"
    );
}

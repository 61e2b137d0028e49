//! Clients that do not read their answers, or read them slowly.

use crate::running::*;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

fn unread_answers(running: &Running) {
    for (operation, body, clients) in [
        ("Query", QUERY, 150),
        ("GetItem", GET, 500),
        ("BatchGetItem", BATCH, 150),
        ("TransactWriteItems", &cancelled(), 300),
        ("BatchExecuteStatement", &statements(), 100),
        ("ExecuteStatement", COMMENTED, 150),
    ] {
        let before = memory();
        // Each requests ten answers of a third of a megabyte or more, and reads none.
        let hostile = running.ask_unread(clients, &post(operation, body, "").repeat(10));
        // Without a budget they would take 150 megabytes.
        let most = peak_growth(before, 20);
        assert!(
            most < 100 * MIB + running.buffers(clients),
            "{operation}: {} MiB are held",
            most / MIB
        );
        running.serves_others();
        // They are disconnected, although they never read or close.
        let deadline = Instant::now() + PATIENCE * 30;
        while running.connections() > 1 {
            assert!(
                Instant::now() < deadline,
                "{operation}: {} are still open",
                running.connections()
            );
            std::thread::sleep(PATIENCE / 4);
        }
        drop(hostile);
    }
}

#[test]
fn unread_answers_are_bounded_and_disconnected() {
    unread_answers(&Running::start());
}

#[test]
fn unread_answers_over_tls_are_bounded_and_disconnected() {
    unread_answers(&Running::start_with_tls());
}

/// A write that is refused for lack of budget must not have happened: a client that tries again
/// would execute it twice.
#[test]
fn a_write_whose_answer_exceeds_the_budget_does_not_happen() {
    let running = Running::start_patient(|config| {
        config.bodies_bytes_max = 400 * 1024;
        None
    });
    let mut hostile = running.connect();
    // More answers than the system buffers for a connection.
    hostile
        .write_all(&post("GetItem", GET, "").repeat(40))
        .unwrap();
    let mut samples = 0;
    wait_until("an answer is stuck", || {
        samples = if running.held().1 > 0 { samples + 1 } else { 0 };
        samples == 20
    });
    let update = r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"3"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"ALL_NEW"}"#;
    assert_eq!(running.ask("UpdateItem", update).0, 503);
    let get =
        r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"3"}},"ProjectionExpression":"n"}"#;
    let answer = running.exchange(&post("GetItem", get, "Connection: close\r\n"));
    assert!(answer.ends_with(r#"{"Item":{}}"#), "{answer}");
    // A small request makes a large item of a small one.
    let text = "x".repeat(10_000);
    let put = format!(
        r#"{{"TableName":"Tab","Item":{{"p":{{"S":"b"}},"s":{{"S":"2"}},"t":{{"S":"{text}"}}}}}}"#
    );
    assert_eq!(running.ask("PutItem", &put).0, 200);
    let copies: Vec<String> = (0..38).map(|n| format!("a{n} = t")).collect();
    let copy = format!(
        r#"{{"TableName":"Tab","Key":{{"p":{{"S":"b"}},"s":{{"S":"2"}}}},"UpdateExpression":"SET {}","ReturnValues":"ALL_NEW"}}"#,
        copies.join(", ")
    );
    assert_eq!(running.ask("UpdateItem", &copy).0, 503);
    // The answer of this one is just below the size that is free.
    let text = "x".repeat(60_000);
    let put = format!(
        r#"{{"TableName":"Tab","Item":{{"p":{{"S":"b"}},"s":{{"S":"3"}},"t":{{"S":"{text}"}}}}}}"#
    );
    assert_eq!(running.ask("PutItem", &put).0, 200);
    let add = update.replace(r#"{"S":"a"}"#, r#"{"S":"b"}"#);
    let begun = Instant::now();
    assert_eq!(running.ask("UpdateItem", &add).0, 200);
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "it waited for the budget"
    );
    drop(hostile);
}

/// A client that reads a little now and then holds its answers no longer than one that reads
/// nothing.
#[test]
fn clients_that_read_a_little_at_a_time_are_disconnected() {
    let running = Running::with(|config| {
        config.send_timeout = PATIENCE * 3;
        None
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // A small buffer, so that each read lets the server send as much.
    let mut hostile = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        socket
            .connect(running.address)
            .await
            .unwrap()
            .into_std()
            .unwrap()
    });
    hostile.set_nonblocking(false).unwrap();
    // Twenty answers of a megabyte, of which the client reads a hundred kilobytes a second.
    hostile
        .write_all(&post("BatchGetItem", BATCH, "").repeat(20))
        .unwrap();
    let mut part = vec![0; 10 * 1024];
    let mut rest = 20 * 900_000;
    wait_until("the client is disconnected", || {
        std::thread::sleep(PATIENCE / 10);
        rest -= hostile.read(&mut part).unwrap_or(0);
        running.connections() == 1
    });
    assert!(rest > 0, "everything was read");
}

/// A request that waits for the budget of its answer keeps the memory of its body.
#[test]
fn requests_that_wait_for_the_budget_are_bounded() {
    let running = Running::start_patient(|config| {
        config.bodies_bytes_max = 8 * MIB;
        None
    });
    let unread = running.ask_unread(20, &post("Query", QUERY, "").repeat(20));
    wait_until("answers use nearly the whole budget", || {
        running.held().1 > 6 * MIB
    });
    let empties = [r#"{"S":""}"#; 200_000].join(",");
    let query = format!(
        r#"{{"TableName":"Tab","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{{":p":{{"S":"a"}},":q":{{"L":[{empties}]}}}}}}"#
    );
    let waiting = running.ask_unread(
        20,
        &post(
            "Query",
            packed(query.as_bytes()),
            "Content-Encoding: gzip\r\n",
        ),
    );
    // More than the two threads that receive them could hold.
    wait_until("the bodies of waiting requests are admitted", || {
        running.held().0 > 4 * query.len()
    });
    drop((unread, waiting));
    running.serves_others();
}

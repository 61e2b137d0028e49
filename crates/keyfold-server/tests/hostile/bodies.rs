//! Clients whose bodies never end, arrive slowly, or unpack to many times their size.

use crate::running::*;
use std::io::{Read, Write};

/// A few kilobytes that unpack to megabytes are not unpacked before the budget admits them.
#[test]
fn compressed_bodies_hold_no_more_than_others() {
    let running = Running::start();
    let body = packed(std::io::repeat(b' ').take(15 * MIB as u64));
    // Others hold the whole budget.
    let others = begun_bodies(&running, 15, "Content-Length: 16000000", &chunk(), None);
    let before = memory();
    let length = format!("Content-Encoding: gzip\r\nContent-Length: {}", body.len());
    let hostile = begun_bodies(&running, 40, &length, &body, None);
    let most = peak_growth(before, 40);
    assert!(most < 100 * MIB, "{} MiB are held", most / MIB);
    drop((others, hostile));
    running.serves_others();
}

fn endless_bodies(running: &Running) {
    let before = memory();
    let chunk = chunk();
    // The server does not read bodies for which the budget is exhausted.
    let time = Some(PATIENCE / 4);
    let mut hostile = begun_bodies(running, 60, "Content-Length: 16000000", &chunk, time);
    hostile.extend(begun_bodies(
        running,
        60,
        "Transfer-Encoding: chunked",
        &chunk,
        time,
    ));
    // A body that is announced and does not arrive holds nothing but its connection.
    hostile.extend(begun_bodies(
        running,
        60,
        "Content-Length: 16000000",
        b"",
        time,
    ));
    let held = memory().saturating_sub(before);
    assert!(held < 100 * MIB, "{} MiB are held", held / MIB);
    running.serves_others();
    assert_closed_in_time(hostile);
    running.serves_others();
}

#[test]
fn endless_bodies_are_bounded_and_disconnected() {
    endless_bodies(&Running::start());
}

#[test]
fn endless_bodies_over_tls_are_bounded_and_disconnected() {
    endless_bodies(&Running::start_with_tls());
}

#[test]
fn an_announced_body_holds_nothing() {
    let running = Running::start_patient(|_| None);
    let mut hostile = begun_bodies(&running, 100, "Content-Length: 16000000", b"", None);
    hostile.extend(begun_bodies(
        &running,
        100,
        "Transfer-Encoding: chunked",
        b"",
        None,
    ));
    wait_until("all are connected", || {
        running.connections() > hostile.len()
    });
    assert_eq!(running.held(), (0, 0));
    let text = "x".repeat(200_000);
    let put = format!(
        r#"{{"TableName":"Tab","Item":{{"p":{{"S":"c"}},"s":{{"S":"0"}},"t":{{"S":"{text}"}}}}}}"#
    );
    assert_eq!(running.ask("PutItem", &put).0, 200);
    assert_eq!(running.ask("Query", QUERY).0, 200);
    assert!(
        running.connections() > hostile.len(),
        "others waited until some were disconnected"
    );
}

/// A body that keeps arriving slowly may take longer than the limit of silence.
#[test]
fn a_slow_honest_client_is_served() {
    let running = Running::start();
    let mut put = br#"{"TableName":"Tab","Item":{"p":{"S":"slow"},"s":{"S":"0"}}}"#.to_vec();
    put.resize(120_000, b' ');
    let mut stream = running.connect();
    let request = post(
        "PutItem",
        std::str::from_utf8(&put).unwrap(),
        "Connection: close\r\n",
    );
    for part in request.chunks(request.len() / 30 + 1) {
        stream.write_all(part).unwrap();
        std::thread::sleep(PATIENCE / 12);
    }
    assert_eq!(answer(&mut *stream).0, 200);
}

//! Clients that hold connections: with silence, half a handshake, endless headers, and everything
//! at once.

use crate::running::*;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// A client may close its sending side after its request, and is answered.
#[test]
fn a_client_that_closes_its_side_is_answered() {
    let running = Running::start();
    let mut stream = running.connect_plain();
    stream.write_all(&post("ListTables", "{}", "")).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(answer(&mut stream).0, 200);
}

#[test]
fn clients_with_endless_handshakes_are_disconnected() {
    let running = Running::start_with_tls();
    let mut silent: Vec<TcpStream> = (0..200).map(|_| running.connect_plain()).collect();
    // The head of a handshake of 512 bytes, half of which are sent.
    for stream in silent.iter_mut().step_by(2) {
        stream.write_all(&[22, 3, 1, 2, 0]).unwrap();
        stream.write_all(&[1; 256]).unwrap();
    }
    running.serves_others();
    assert_closed_in_time(silent);
}

#[test]
fn clients_with_endless_or_huge_headers_are_disconnected() {
    let running = Running::start();
    let mut trickling: Vec<TcpStream> = (0..200).map(|_| running.connect_plain()).collect();
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE / 2 {
        for stream in &mut trickling {
            drop(stream.write_all(b"X"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    running.serves_others();
    assert_closed_in_time(trickling);

    let huge = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n",
        "y".repeat(300_000)
    );
    let many: String = (0..2_000).map(|n| format!("X-{n}: y\r\n")).collect();
    let many = format!("POST / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n");
    for request in [huge, many] {
        let mut stream = running.connect();
        drop(stream.write_all(request.as_bytes()));
        assert_eq!(answer(&mut *stream).0, 431);
    }
    running.serves_others();
}

/// Half-open connections: the client is gone or silent without closing.
#[test]
fn thousands_of_silent_connections_cost_little() {
    let count = 2_000;
    let limit = rlimit::increase_nofile_limit(2 * count + 100).unwrap();
    assert!(
        limit > 2 * count,
        "the test opens {count} connections, both ends; the limit of files is {limit}"
    );
    let running = Running::start();
    let before = memory();
    let idle: Vec<TcpStream> = (0..count)
        .map(|n| {
            let mut stream = running.connect_plain();
            if n % 2 == 0 {
                // One request is answered; silence follows.
                stream.write_all(&post("ListTables", "{}", "")).unwrap();
                let mut answer = [0; 512];
                assert!(stream.read(&mut answer).unwrap() > 12);
                assert!(answer.starts_with(b"HTTP/1.1 200"));
            }
            stream
        })
        .collect();
    running.serves_others();
    let held = memory().saturating_sub(before);
    assert!(held < 200 * MIB, "{} MiB are held", held / MIB);
    assert_closed_in_time(idle);
    running.serves_others();
}

/// Clients that are never disconnected hold everything that can be held: small requests of others
/// do not wait for them, and their resources are free when they leave.
fn small_requests_do_not_wait(running: &Running) {
    let before = memory();
    let begun: &[u8] = if running.tls.is_some() {
        &[22, 3, 1, 2, 0, 1]
    } else {
        b"POST / HTTP/1.1\r\nX-Long: y"
    };
    let mut silent: Vec<TcpStream> = (0..100).map(|_| running.connect_plain()).collect();
    silent
        .iter_mut()
        .step_by(2)
        .for_each(|stream| stream.write_all(begun).unwrap());
    let (half, chunk) = (BUDGET / (2 * MIB) / 2, chunk());
    let mut bodies = begun_bodies(running, half, "Content-Length: 16000000", &chunk, None);
    bodies.extend(begun_bodies(
        running,
        half,
        "Transfer-Encoding: chunked",
        &chunk,
        None,
    ));
    wait_until("bodies use the whole budget", || running.held().0 == BUDGET);
    // Answers have a budget of their own.
    assert_eq!(running.ask("Query", QUERY).0, 200);
    let unread = running.ask_unread(150, &post("Query", QUERY, "").repeat(100));
    wait_until("answers use nearly the whole budget", || {
        running.held().1 > BUDGET - 2 * MIB
    });
    running.serves_small_requests();
    let hostile = silent.len() + bodies.len() + unread.len();
    assert!(
        running.connections() > hostile,
        "some of {hostile} were disconnected first: {}",
        running.connections()
    );
    let held = memory().saturating_sub(before);
    assert!(
        held < 100 * MIB + running.buffers(hostile),
        "{} MiB are held",
        held / MIB
    );
    drop((silent, bodies, unread));
    wait_until("clients that left hold nothing", || {
        running.held() == (0, 0) && running.connections() == 1
    });
    running.serves_others();
}

#[test]
fn small_requests_do_not_wait_for_hostile_clients() {
    small_requests_do_not_wait(&Running::start_patient(|_| None));
}

#[test]
fn small_requests_do_not_wait_for_hostile_clients_over_tls() {
    small_requests_do_not_wait(&Running::start_patient(secured));
}

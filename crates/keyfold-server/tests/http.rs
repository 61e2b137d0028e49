//! The server at the level of bytes on a socket: well-formed, malformed and hostile requests.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "common/running.rs"]
mod running;

use flate2::read::{GzDecoder, GzEncoder};
use running::{Answer, Running, write_post};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn an_answer_carries_request_id_checksum_and_type() {
    let server = Running::start(|_| {});
    let answer = server.post("ListTables", b"{}");
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("application/x-amz-json-1.0")
    );
    assert_eq!(
        answer.header("x-amz-crc32"),
        Some(crc32fast::hash(&answer.body).to_string().as_str())
    );
    assert_eq!(answer.header("x-amzn-requestid").map(str::len), Some(52));
}

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = Running::start(|_| {});
    let mut stream = server.connect();
    for _ in 0..3 {
        write_post(
            &mut stream,
            &[("X-Amz-Target", "DynamoDB_20120810.ListTables")],
            b"{}",
            2,
        );
        assert_eq!(Answer::read(&mut stream).text(), r#"{"TableNames":[]}"#);
    }
}

#[test]
fn malformed_bodies_get_an_error_and_do_not_disturb_others() {
    let server = Running::start(|_| {});
    let deep_lists = [b"[".repeat(200_000), b"]".repeat(200_000)].concat();
    let deep_values = format!(
        r#"{{"TableName":"Tab","Item":{{"pk":{}{}}}}}"#,
        r#"{"L":["#.repeat(5_000),
        "]}".repeat(5_000)
    );
    let deep_condition = format!(
        r#"{{"TableName":"Tab","Item":{{"pk":{{"S":"a"}}}},"ConditionExpression":"{}a = :a{}"}}"#,
        "(".repeat(2_000),
        ")".repeat(2_000)
    );
    let not_condition = format!(
        r#"{{"TableName":"Tab","Item":{{"pk":{{"S":"a"}}}},"ConditionExpression":"{}attribute_exists(a)"}}"#,
        "NOT ".repeat(1_000)
    );
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "PutItem",
            b"{\"TableName\": \"x".to_vec(),
            "SerializationException",
        ),
        ("PutItem", b"".to_vec(), "SerializationException"),
        ("PutItem", b"nonsense".to_vec(), "SerializationException"),
        ("PutItem", vec![0xff, 0xfe, 0x00], "SerializationException"),
        ("PutItem", deep_lists, "SerializationException"),
        ("PutItem", deep_values.into_bytes(), "Exception"),
        (
            "PutItem",
            deep_condition.into_bytes(),
            "redundant parentheses",
        ),
        ("PutItem", not_condition.into_bytes(), "too many operators"),
        (
            "PutItem",
            br#"{"TableName":"Tab","Item":{"pk":{"B":"a$"}}}"#.to_vec(),
            "base64",
        ),
        ("Nonsense", b"{}".to_vec(), "UnknownOperationException"),
    ];
    for (operation, body, expected) in cases {
        let answer = server.post(operation, &body);
        assert_eq!(answer.status, 400, "{operation} {}", answer.text());
        assert!(
            answer.text().contains(expected),
            "{operation}: {}",
            answer.text()
        );
        server.is_well();
    }
    assert!(
        server
            .send(&[], b"{}")
            .text()
            .contains("UnknownOperationException")
    );
}

#[test]
fn malformed_http_is_refused_and_slow_clients_are_disconnected() {
    let server = Running::start(|config| config.body_bytes_max = 1_000);
    for raw in [
        "nonsense\r\n\r\n",
        "POST / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(raw.as_bytes()).unwrap();
        let status = Answer::read(&mut stream).status;
        assert!(
            status == 400 || status == 505 || status == 0,
            "{raw}: {status}"
        );
    }
    assert_eq!(server.post("PutItem", &vec![b' '; 2_000]).status, 413);
    // A body that never arrives.
    let mut stream = server.connect();
    write_post(
        &mut stream,
        &[("X-Amz-Target", "DynamoDB_20120810.ListTables")],
        b"{",
        100,
    );
    assert_eq!(Answer::read(&mut stream).status, 408);
    // A client that leaves in the middle of its body.
    write_post(&mut server.connect(), &[], b"{", 100);
    server.is_well();
}

#[test]
fn a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read() {
    let server = Running::start(|_| {});
    let list = "X-Amz-Target: DynamoDB_20120810.ListTables\r\n";
    let (length, chunks) = ("Content-Length: 12\r\n", "Transfer-Encoding: chunked\r\n");
    for lengths in [[length, chunks], [chunks, length]] {
        let mut stream = server.connect();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: x\r\n{list}{}\r\n",
            lengths.concat()
        );
        stream
            .write_all(format!("{head}2\r\n{{}}\r\n0\r\n\r\n{head}").as_bytes())
            .unwrap();
        let mut answer = String::new();
        drop(stream.read_to_string(&mut answer));
        assert!(
            answer.starts_with("HTTP/1.1 400") && answer.matches("HTTP/1.1").count() == 1,
            "{answer}"
        );
    }
    // A request with one length is served, also after others on the same connection.
    let mut stream = server.connect();
    for (lengths, body) in [
        (length, "{          }"),
        (chunks, "2\r\n{}\r\n0\r\n\r\n"),
        (length, "          {}"),
    ] {
        stream
            .write_all(
                format!("POST / HTTP/1.1\r\nHost: x\r\n{list}{lengths}\r\n{body}").as_bytes(),
            )
            .unwrap();
        assert_eq!(Answer::read(&mut stream).status, 200, "{lengths}");
    }
}

#[test]
fn one_address_does_not_take_all_connections() {
    let server = Running::start(|config| config.connections_of_address_max = 2);
    let list = |stream: &mut TcpStream| {
        write_post(
            stream,
            &[("X-Amz-Target", "DynamoDB_20120810.ListTables")],
            b"{}",
            2,
        );
        Answer::read(stream).status
    };
    let (mut first, mut second) = (server.connect(), server.connect());
    assert_eq!((list(&mut first), list(&mut second)), (200, 200));
    let mut third = server.connect();
    assert_eq!(third.read(&mut [0]).unwrap_or(0), 0, "closed at once");
    assert_eq!(list(&mut first), 200);
    drop(second);
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while list(&mut server.connect()) != 200 {
        assert!(
            std::time::Instant::now() < deadline,
            "the closed connection still counts"
        );
    }
    first
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let metrics = Answer::read(&mut first);
    assert!(
        !metrics
            .text()
            .contains("keyfold_connections_turned_away_total 0"),
        "{}",
        metrics.text()
    );
    assert!(
        metrics
            .text()
            .contains("keyfold_connections_turned_away_total"),
        "{}",
        metrics.text()
    );
}

#[test]
fn a_shutdown_finishes_the_request_in_flight_and_accepts_no_more() {
    let mut server = Running::start(|config| config.receive_timeout = Duration::from_secs(60));
    let mut stream = server.connect();
    write_post(
        &mut stream,
        &[("X-Amz-Target", "DynamoDB_20120810.ListTables")],
        b"{",
        2,
    );
    // The first half arrives before the server stops.
    server.is_well();
    drop(server.stop.take());
    while TcpStream::connect(server.address).is_ok() {
        std::thread::yield_now();
    }
    stream.write_all(b"}").unwrap();
    assert_eq!(Answer::read(&mut stream).text(), r#"{"TableNames":[]}"#);
}

#[test]
fn connections_beyond_the_limit_wait_until_one_is_closed() {
    let server = Running::start(|config| {
        config.connections_max = 2;
        config.receive_timeout = Duration::from_secs(60);
    });
    let list = |stream: &mut TcpStream| {
        write_post(
            stream,
            &[("X-Amz-Target", "DynamoDB_20120810.ListTables")],
            b"{}",
            2,
        );
        assert_eq!(Answer::read(stream).status, 200);
    };
    let (mut first, mut second) = (server.connect(), server.connect());
    list(&mut first);
    list(&mut second);
    let mut third = server.connect();
    third
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    third
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    assert_eq!(
        Answer::read(&mut third).status,
        0,
        "a third connection is served beside the two"
    );
    // Open connections are served meanwhile.
    list(&mut first);
    drop(second);
    third
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let metrics = Answer::read(&mut third);
    assert!(
        metrics.text().contains("keyfold_connections 2\n"),
        "{}",
        metrics.text()
    );
}

#[test]
fn gzip_goes_both_ways() {
    let server = Running::start(|config| config.body_bytes_max = 100_000);
    let create = br#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    let mut packed = Vec::new();
    GzEncoder::new(create.as_slice(), flate2::Compression::fast())
        .read_to_end(&mut packed)
        .unwrap();
    let target = |operation: &str| ("X-Amz-Target", format!("DynamoDB_20120810.{operation}"));
    let (name, value) = target("CreateTable");
    assert_eq!(
        server
            .send(&[(name, &value), ("Content-Encoding", "gzip")], &packed)
            .status,
        200
    );
    let put = format!(
        r#"{{"TableName":"Tab","Item":{{"pk":{{"S":"a"}},"x":{{"S":"{}"}}}}}}"#,
        "y".repeat(5_000)
    );
    assert_eq!(server.post("PutItem", put.as_bytes()).status, 200);
    let (name, value) = target("GetItem");
    let get = br#"{"TableName":"Tab","Key":{"pk":{"S":"a"}}}"#;
    let answer = server.send(&[(name, &value), ("Accept-Encoding", "gzip")], get);
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert_eq!(
        answer.header("x-amz-crc32"),
        Some(crc32fast::hash(&answer.body).to_string().as_str())
    );
    let mut plain = String::new();
    GzDecoder::new(answer.body.as_slice())
        .read_to_string(&mut plain)
        .unwrap();
    assert!(plain.contains("yyyy") && answer.body.len() < 500);
    // Small answers are not compressed; a decompression bomb is refused; invalid gzip is reported.
    assert_eq!(
        server
            .send(
                &[
                    ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
                    ("Accept-Encoding", "gzip")
                ],
                b"{}"
            )
            .header("content-encoding"),
        None
    );
    let mut bomb = Vec::new();
    GzEncoder::new(
        vec![b' '; 10_000_000].as_slice(),
        flate2::Compression::fast(),
    )
    .read_to_end(&mut bomb)
    .unwrap();
    assert_eq!(
        server.send(&[("Content-Encoding", "gzip")], &bomb).status,
        413
    );
    assert!(
        server
            .send(&[("Content-Encoding", "gzip")], b"{}")
            .text()
            .contains("not valid gzip")
    );
}

#[test]
fn probes_and_browsers_are_answered() {
    let server = Running::start(|_| {});
    let request = |raw: &str| {
        let mut stream = server.connect();
        stream.write_all(raw.as_bytes()).unwrap();
        Answer::read(&mut stream)
    };
    assert_eq!(request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
    assert_eq!(
        request("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").status,
        200
    );
    for other in ["DELETE /", "PUT /", "GET /abc", "PATCH /x", "POST /x"] {
        assert_eq!(
            request(&format!("{other} HTTP/1.1\r\nHost: x\r\n\r\n")).status,
            404,
            "{other}"
        );
    }
    let plain = request("OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(
        (plain.status, plain.header("access-control-allow-origin")),
        (200, None)
    );
}

#[test]
fn only_pages_of_allowed_origins_may_call() {
    let mut store = Vec::new();
    for is_allowed in [false, true] {
        let server = Running::start(|config| {
            if is_allowed {
                config.allow_origins.push("http://a".to_owned());
            }
        });
        let request = |raw: &str| {
            let mut stream = server.connect();
            stream.write_all(raw.as_bytes()).unwrap();
            Answer::read(&mut stream)
        };
        let header = |answer: &Answer, name: &str| answer.header(name).map(str::to_owned);
        let preflight = request(
            "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://a\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-amz-target\r\n\r\n",
        );
        let call = |headers: &str, body: &str| {
            request(&format!(
                "POST / HTTP/1.1\r\nHost: x\r\n{headers}X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ))
        };
        let answer = call("Origin: http://a\r\n", "{}");
        store.push((
            preflight.status,
            header(&preflight, "access-control-allow-headers"),
            header(&preflight, "access-control-allow-methods"),
            header(&preflight, "access-control-max-age"),
            answer.status,
            header(&answer, "access-control-allow-origin"),
        ));
        // Requests that a page can send without a preflight are refused, and unknown names of the
        // server, too.
        assert_eq!(call("Origin: http://b\r\n", "{}").status, 403);
        assert_eq!(
            call("Origin: null\r\nContent-Type: text/plain\r\n", "{}").status,
            403
        );
        assert_eq!(
            request("GET /metrics HTTP/1.1\r\nHost: rebound.example\r\n\r\n").status,
            403
        );
        assert_eq!(
            request("GET /metrics HTTP/1.1\r\nHost: x\r\nOrigin: http://b\r\n\r\n").status,
            403
        );
    }
    let own = |text: &str| Some(text.to_owned());
    assert_eq!(
        store,
        [
            (403, None, None, None, 403, None),
            (
                200,
                own("x-amz-target"),
                own("POST"),
                own("172800"),
                200,
                own("http://a")
            ),
        ]
    );
}

#[test]
fn a_body_in_an_unknown_encoding_is_refused() {
    let server = Running::start(|_| {});
    for (coding, status) in [
        ("identity", 200),
        ("gzip, gzip", 415),
        ("deflate", 415),
        ("br", 415),
        ("", 200),
    ] {
        let headers = [
            ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
            ("Content-Encoding", coding),
        ];
        assert_eq!(server.send(&headers, b"{}").status, status, "{coding}");
    }
}

#[test]
fn headers_have_a_limit() {
    let server = Running::start(|_| {});
    for (bytes, is_served) in [(60_000, true), (70_000, false), (130_000, false)] {
        let mut stream = server.connect();
        let head = format!(
            "GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n",
            "v".repeat(bytes)
        );
        // The server may close before everything is sent.
        drop(stream.write_all(head.as_bytes()));
        let mut status = [0; 12];
        let read = std::io::Read::read_exact(&mut stream, &mut status).is_ok();
        assert_eq!(read && status.ends_with(b"200"), is_served, "{bytes}");
    }
}

#[test]
fn other_content_types_and_paths_are_not_found() {
    let server = Running::start(|_| {});
    let with_type = |kind: &str| {
        server
            .send(
                &[
                    ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
                    ("Content-Type", kind),
                ],
                b"{}",
            )
            .status
    };
    assert_eq!(with_type("application/x-amz-json-1.0"), 200);
    assert_eq!(with_type("application/json; charset=utf-8"), 200);
    assert_eq!(with_type("application/x-amz-json-1.1"), 404);
    let mut stream = server.connect();
    stream
        .write_all(b"POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        .unwrap();
    assert_eq!(Answer::read(&mut stream).status, 404);
}

#[test]
fn requests_are_counted() {
    let server = Running::start(|_| {});
    server.is_well();
    assert_eq!(server.post("GetItem", b"{}").status, 400);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let answer = Answer::read(&mut stream);
    for line in [
        r#"keyfold_requests_total{operation="ListTables",outcome="ok"} 1"#,
        r#"keyfold_requests_total{operation="GetItem",outcome="ValidationException"} 1"#,
        r#"keyfold_request_seconds_count{operation="ListTables"} 1"#,
    ] {
        assert!(
            answer.text().contains(line),
            "{line} is missing:\n{}",
            answer.text()
        );
    }
}

#[test]
fn headers_that_never_arrive_end_the_connection() {
    let server = Running::start(|_| {});
    let mut stream = server.connect();
    stream
        .set_read_timeout(Some(Duration::from_secs(3)))
        .unwrap();
    stream.write_all(b"POST / HTTP/1.1\r\nHost: x\r\n").unwrap();
    let mut rest = Vec::new();
    assert!(
        stream.read_to_end(&mut rest).is_ok(),
        "the connection is still open"
    );
}

#[test]
fn a_chunked_body_has_the_same_limit() {
    let server = Running::start(|config| config.body_bytes_max = 1_000);
    let mut stream = server.connect();
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream
        .write_all(format!("7d0\r\n{{}}{}\r\n0\r\n\r\n", " ".repeat(1998)).as_bytes())
        .unwrap();
    assert_eq!(Answer::read(&mut stream).status, 413);
}

/// Returns the duration of a shutdown while a client has sent half of a request.
fn shut_down_beside_half_a_request(server: &mut Running) -> Duration {
    let mut stream = server.connect();
    write_post(&mut stream, &[], b"{", 2);
    server.is_well();
    drop(server.stop.take());
    let begun = std::time::Instant::now();
    server.thread.take().unwrap().join().unwrap();
    server.thread = Some(std::thread::spawn(|| {}));
    begun.elapsed()
}

#[test]
fn a_shutdown_does_not_wait_for_silent_clients() {
    let mut server = Running::start(|config| config.receive_timeout = Duration::from_secs(60));
    let took = shut_down_beside_half_a_request(&mut server);
    assert!(took < Duration::from_secs(6), "{took:?}");
}

#[test]
fn a_shutdown_does_not_wait_for_ever() {
    let mut server = Running::start(|config| {
        config.receive_timeout = Duration::from_secs(60);
        config.shutdown_timeout = Duration::from_millis(300);
    });
    assert!(shut_down_beside_half_a_request(&mut server) < Duration::from_secs(5));
}

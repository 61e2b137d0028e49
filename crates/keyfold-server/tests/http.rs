//! The server at the level of bytes on a socket: well-formed, malformed and hostile requests.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use flate2::read::{GzDecoder, GzEncoder};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Access, Credential, Server, ServerConfig};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start(change: impl FnOnce(&mut ServerConfig)) -> Running {
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.receive_timeout = Duration::from_millis(700);
        config.allow_unsigned = true;
        change(&mut config);
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::bind(engine, config).await.unwrap();
                tell.send(server.address()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        Running { address: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    fn post(&self, operation: &str, body: &[u8]) -> Answer {
        self.send(&[("X-Amz-Target", &format!("DynamoDB_20120810.{operation}"))], body)
    }

    fn send(&self, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        write_post(&mut stream, headers, body, body.len());
        Answer::read(&mut stream)
    }

    /// The server still answers others.
    fn is_well(&self) {
        assert_eq!(self.post("ListTables", b"{}").text(), r#"{"TableNames":[]}"#);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

fn write_post(stream: &mut TcpStream, headers: &[(&str, &str)], body: &[u8], length: usize) {
    let mut head = format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // The server may refuse before it has read everything.
    drop(stream.write_all(body));
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn read(stream: &mut TcpStream) -> Answer {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read(&mut byte).unwrap_or(0) == 0 {
                return Answer { status: 0, headers: Vec::new(), body: Vec::new() };
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .map_or(0, |(_, value)| value.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        Answer { status, headers, body }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

#[test]
fn an_answer_carries_request_id_checksum_and_type() {
    let server = Running::start(|_| {});
    let answer = server.post("ListTables", b"{}");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/x-amz-json-1.0"));
    assert_eq!(answer.header("x-amz-crc32"), Some(crc32fast::hash(&answer.body).to_string().as_str()));
    assert_eq!(answer.header("x-amzn-requestid").map(str::len), Some(52));
}

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = Running::start(|_| {});
    let mut stream = server.connect();
    for _ in 0..3 {
        write_post(&mut stream, &[("X-Amz-Target", "DynamoDB_20120810.ListTables")], b"{}", 2);
        assert_eq!(Answer::read(&mut stream).text(), r#"{"TableNames":[]}"#);
    }
}

#[test]
fn bodies_that_are_no_request_get_an_error_and_hurt_nobody() {
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
        ("PutItem", b"{\"TableName\": \"x".to_vec(), "SerializationException"),
        ("PutItem", b"".to_vec(), "SerializationException"),
        ("PutItem", b"nonsense".to_vec(), "SerializationException"),
        ("PutItem", vec![0xff, 0xfe, 0x00], "SerializationException"),
        ("PutItem", deep_lists, "SerializationException"),
        ("PutItem", deep_values.into_bytes(), "Exception"),
        ("PutItem", deep_condition.into_bytes(), "redundant parentheses"),
        ("PutItem", not_condition.into_bytes(), "too many operators"),
        ("PutItem", br#"{"TableName":"Tab","Item":{"pk":{"B":"a$"}}}"#.to_vec(), "base64"),
        ("Nonsense", b"{}".to_vec(), "UnknownOperationException"),
    ];
    for (operation, body, expected) in cases {
        let answer = server.post(operation, &body);
        assert_eq!(answer.status, 400, "{operation} {}", answer.text());
        assert!(answer.text().contains(expected), "{operation}: {}", answer.text());
        server.is_well();
    }
    assert!(server.send(&[], b"{}").text().contains("UnknownOperationException"));
}

#[test]
fn malformed_http_is_refused_and_slow_clients_are_let_go() {
    let server = Running::start(|config| config.body_bytes_max = 1_000);
    for raw in ["nonsense\r\n\r\n", "POST / HTTP/9.9\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
    {
        let mut stream = server.connect();
        stream.write_all(raw.as_bytes()).unwrap();
        let status = Answer::read(&mut stream).status;
        assert!(status == 400 || status == 505 || status == 0, "{raw}: {status}");
    }
    assert_eq!(server.post("PutItem", &vec![b' '; 2_000]).status, 413);
    // A body that never comes.
    let mut stream = server.connect();
    write_post(&mut stream, &[("X-Amz-Target", "DynamoDB_20120810.ListTables")], b"{", 100);
    assert_eq!(Answer::read(&mut stream).status, 408);
    // A client that goes away in the middle.
    write_post(&mut server.connect(), &[], b"{", 100);
    server.is_well();
}

#[test]
fn a_shutdown_finishes_the_request_under_way_and_takes_no_more() {
    let mut server = Running::start(|config| config.receive_timeout = Duration::from_secs(60));
    let mut stream = server.connect();
    write_post(&mut stream, &[("X-Amz-Target", "DynamoDB_20120810.ListTables")], b"{", 2);
    // The first half is there before the server is told to stop.
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
        write_post(stream, &[("X-Amz-Target", "DynamoDB_20120810.ListTables")], b"{}", 2);
        assert_eq!(Answer::read(stream).status, 200);
    };
    let (mut first, mut second) = (server.connect(), server.connect());
    list(&mut first);
    list(&mut second);
    let mut third = server.connect();
    third.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    third.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert_eq!(Answer::read(&mut third).status, 0, "one more is served beside the two");
    // Who was there before is served meanwhile.
    list(&mut first);
    drop(second);
    third.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let told = Answer::read(&mut third);
    assert!(told.text().contains("keyfold_connections 2\n"), "{}", told.text());
}

#[test]
fn gzip_goes_both_ways() {
    let server = Running::start(|config| config.body_bytes_max = 100_000);
    let create = br#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    let mut packed = Vec::new();
    GzEncoder::new(create.as_slice(), flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
    let target = |operation: &str| ("X-Amz-Target", format!("DynamoDB_20120810.{operation}"));
    let (name, value) = target("CreateTable");
    assert_eq!(server.send(&[(name, &value), ("Content-Encoding", "gzip")], &packed).status, 200);
    let put =
        format!(r#"{{"TableName":"Tab","Item":{{"pk":{{"S":"a"}},"x":{{"S":"{}"}}}}}}"#, "y".repeat(5_000));
    assert_eq!(server.post("PutItem", put.as_bytes()).status, 200);
    let (name, value) = target("GetItem");
    let get = br#"{"TableName":"Tab","Key":{"pk":{"S":"a"}}}"#;
    let answer = server.send(&[(name, &value), ("Accept-Encoding", "gzip")], get);
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert_eq!(answer.header("x-amz-crc32"), Some(crc32fast::hash(&answer.body).to_string().as_str()));
    let mut plain = String::new();
    GzDecoder::new(answer.body.as_slice()).read_to_string(&mut plain).unwrap();
    assert!(plain.contains("yyyy") && answer.body.len() < 500);
    // Small answers are not worth it; a bomb is refused; what is no gzip is told so.
    assert_eq!(
        server
            .send(&[("X-Amz-Target", "DynamoDB_20120810.ListTables"), ("Accept-Encoding", "gzip")], b"{}")
            .header("content-encoding"),
        None
    );
    let mut bomb = Vec::new();
    GzEncoder::new(vec![b' '; 10_000_000].as_slice(), flate2::Compression::fast())
        .read_to_end(&mut bomb)
        .unwrap();
    assert_eq!(server.send(&[("Content-Encoding", "gzip")], &bomb).status, 413);
    assert!(server.send(&[("Content-Encoding", "gzip")], b"{}").text().contains("not valid gzip"));
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
    assert_eq!(request("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
    assert_eq!(request("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n").status, 405);
    let preflight = request(
        "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://a\r\nAccess-Control-Request-Headers: x-amz-target\r\n\r\n",
    );
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-headers")),
        (200, Some("x-amz-target"))
    );
}

#[test]
fn configured_credentials_are_required() {
    let mut reader = Credential::new("READER", "secret");
    reader.access = Access::None;
    reader.tables.insert("Open".to_owned(), Access::Read);
    let mut temporary = Credential::new("TEMP", "secret");
    temporary.session_token = Some("token".to_owned());
    let server = Running::start(|config| {
        config.credentials = vec![Credential::new("AK", "secret"), reader, temporary];
    });
    assert!(server.post("ListTables", b"{}").text().contains("MissingAuthenticationTokenException"));
    let try_with = |key: &str, secret: &str, timestamp: &str, authorization: Option<&str>| {
        let headers = [
            ("host", "localhost"),
            ("x-amz-date", timestamp),
            ("x-amz-target", "DynamoDB_20120810.ListTables"),
        ];
        let signed = keyfold_sigv4::sign(key, secret, "us-east-1", timestamp, &headers, b"{}");
        let sent = [
            ("X-Amz-Date", timestamp),
            ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
            ("Authorization", authorization.unwrap_or(&signed)),
        ];
        server.send(&sent, b"{}").text().to_owned()
    };
    let now = now();
    assert_eq!(try_with("AK", "secret", &now, None), r#"{"TableNames":[]}"#);
    assert!(try_with("AK", "wrong", &now, None).contains("InvalidSignatureException"));
    assert!(try_with("other", "secret", &now, None).contains("UnrecognizedClientException"));
    assert!(
        try_with("AK", "secret", "20200101T000000Z", None)
            .contains("Signature expired: 20200101T000000Z is now earlier than")
    );
    assert!(
        try_with("AK", "secret", "20990101T000000Z", None)
            .contains("Signature not yet current: 20990101T000000Z is still later than")
    );
    assert!(try_with("AK", "secret", &now, Some("Bearer x")).contains("IncompleteSignatureException"));
    let cut = "AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/dynamodb/aws4_request";
    let refused = try_with("AK", "secret", &now, Some(cut));
    assert!(
        refused.contains("requires 'Signature' parameter. Authorization header requires 'SignedHeaders'"),
        "{refused}"
    );
    // A temporary credential needs its token.
    assert!(try_with("TEMP", "secret", &now, None).contains("UnrecognizedClientException"));
    // Rights are by table; what belongs to no table needs the general right.
    let ask = |operation: &str, body: &str| {
        let target = format!("DynamoDB_20120810.{operation}");
        let headers =
            [("host", "localhost"), ("x-amz-date", now.as_str()), ("x-amz-target", target.as_str())];
        let signed = keyfold_sigv4::sign("READER", "secret", "us-east-1", &now, &headers, body.as_bytes());
        let sent = [("X-Amz-Date", now.as_str()), ("X-Amz-Target", &target), ("Authorization", &signed)];
        server.send(&sent, body.as_bytes()).text().to_owned()
    };
    assert!(ask("ListTables", "{}").contains("AccessDeniedException"));
    assert!(ask("GetItem", r#"{"TableName":"Open","Key":{}}"#).contains("ResourceNotFoundException"));
    assert!(ask("PutItem", r#"{"TableName":"Open","Item":{}}"#).contains("is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table/Open"));
    assert!(ask("GetItem", r#"{"TableName":"Closed","Key":{}}"#).contains("AccessDeniedException"));
    assert!(
        ask("ExecuteStatement", r#"{"Statement":"SELECT * FROM Open"}"#)
            .contains("ResourceNotFoundException")
    );
    assert!(
        ask("ExecuteStatement", r#"{"Statement":"DELETE FROM Open WHERE p = 1"}"#)
            .contains("AccessDeniedException")
    );
}

#[test]
fn without_credentials_a_signature_is_asked_for_and_its_region_is_told() {
    let server = Running::start(|config| config.allow_unsigned = false);
    assert!(server.post("ListTables", b"{}").text().contains("Request is missing Authentication Token"));
    // What is no operation is told before.
    assert!(server.post("Nonsense", b"{}").text().contains("UnknownOperationException"));
    let sign = |region: &str, operation: &str, body: &str| {
        let credential = format!(
            "AWS4-HMAC-SHA256 Credential=any/20260101/{region}/dynamodb/aws4_request, SignedHeaders=host, Signature=00"
        );
        let target = format!("DynamoDB_20120810.{operation}");
        let sent =
            [("X-Amz-Date", "20260101T000000Z"), ("X-Amz-Target", &target), ("Authorization", &credential)];
        server.send(&sent, body.as_bytes()).text().to_owned()
    };
    let create = r#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    assert!(
        sign("eu-west-1", "CreateTable", create)
            .contains("arn:aws:dynamodb:eu-west-1:000000000000:table/Tab")
    );
    assert!(
        sign("us-west-2", "DescribeTable", r#"{"TableName":"Tab"}"#)
            .contains("arn:aws:dynamodb:us-west-2:000000000000:table/Tab")
    );
    assert_eq!(
        sign(
            "us-west-2",
            "TagResource",
            r#"{"ResourceArn":"arn:aws:dynamodb:us-west-2:000000000000:table/Tab","Tags":[{"Key":"a","Value":"b"}]}"#
        ),
        ""
    );
}

#[test]
fn other_content_types_and_paths_are_no_api() {
    let server = Running::start(|_| {});
    let with_type = |kind: &str| {
        server.send(&[("X-Amz-Target", "DynamoDB_20120810.ListTables"), ("Content-Type", kind)], b"{}").status
    };
    assert_eq!(with_type("application/x-amz-json-1.0"), 200);
    assert_eq!(with_type("application/json; charset=utf-8"), 200);
    assert_eq!(with_type("application/x-amz-json-1.1"), 404);
    let mut stream = server.connect();
    stream.write_all(b"POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}").unwrap();
    assert_eq!(Answer::read(&mut stream).status, 404);
}

#[test]
fn requests_are_counted() {
    let server = Running::start(|_| {});
    server.is_well();
    assert_eq!(server.post("GetItem", b"{}").status, 400);
    let mut stream = server.connect();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let answer = Answer::read(&mut stream);
    for line in [
        r#"keyfold_requests_total{operation="ListTables",outcome="ok"} 1"#,
        r#"keyfold_requests_total{operation="GetItem",outcome="ValidationException"} 1"#,
        r#"keyfold_request_seconds_count{operation="ListTables"} 1"#,
    ] {
        assert!(answer.text().contains(line), "{line} is missing:\n{}", answer.text());
    }
}

fn signed(
    server: &Running,
    (key, token): (&str, Option<&str>),
    signed_at: &str,
    target: &str,
    body: &[u8],
    gzip: bool,
) -> Answer {
    let mut headers = vec![("host", "localhost"), ("x-amz-date", signed_at), ("x-amz-target", target)];
    if let Some(token) = token {
        headers.push(("x-amz-security-token", token));
    }
    let mut packed = Vec::new();
    GzEncoder::new(body, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
    let body = if gzip { packed.as_slice() } else { body };
    let authorization = keyfold_sigv4::sign(key, "secret", "us-east-1", signed_at, &headers, body);
    let mut sent =
        vec![("X-Amz-Date", signed_at), ("X-Amz-Target", target), ("Authorization", authorization.as_str())];
    if let Some(token) = token {
        sent.push(("X-Amz-Security-Token", token));
    }
    if gzip {
        sent.push(("Content-Encoding", "gzip"));
    }
    server.send(&sent, body)
}

fn with_credentials() -> Running {
    let mut reader = Credential::new("READER", "secret");
    reader.access = Access::None;
    reader.tables.insert("Open".to_owned(), Access::Read);
    let mut most = Credential::new("MOST", "secret");
    most.tables.insert("Closed".to_owned(), Access::None);
    let mut looks = Credential::new("LOOKS", "secret");
    looks.access = Access::Read;
    let mut temporary = Credential::new("TEMP", "secret");
    temporary.session_token = Some("token".to_owned());
    Running::start(|config| config.credentials = vec![reader, most, looks, temporary])
}

fn ask(server: &Running, key: &str, operation: &str, body: &str) -> String {
    let target =
        if operation.contains('.') { operation.to_owned() } else { format!("DynamoDB_20120810.{operation}") };
    signed(server, (key, None), &now(), &target, body.as_bytes(), false).text().to_owned()
}

#[test]
fn a_batch_needs_the_right_to_write() {
    let server = with_credentials();
    let told = ask(
        &server,
        "READER",
        "BatchWriteItem",
        r#"{"RequestItems":{"Open":[{"DeleteRequest":{"Key":{"p":{"S":"a"}}}}]}}"#,
    );
    assert!(told.contains("AccessDeniedException"), "{told}");
}

#[test]
fn every_table_of_a_transaction_is_judged() {
    let server = with_credentials();
    let get = |table: &str| format!(r#"{{"Get":{{"TableName":"{table}","Key":{{"p":{{"S":"a"}}}}}}}}"#);
    let told = ask(
        &server,
        "READER",
        "TransactGetItems",
        &format!(r#"{{"TransactItems":[{},{}]}}"#, get("Open"), get("Closed")),
    );
    assert!(told.contains("AccessDeniedException"), "{told}");
}

#[test]
fn an_arn_is_its_table() {
    let server = with_credentials();
    let told = ask(
        &server,
        "MOST",
        "GetItem",
        r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Closed","Key":{}}"#,
    );
    assert!(told.contains("AccessDeniedException"), "{told}");
    let told = ask(
        &server,
        "READER",
        "GetItem",
        r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Open","Key":{}}"#,
    );
    assert!(told.contains("ResourceNotFoundException"), "{told}");
}

fn shifted(minutes: i64) -> String {
    let moment = jiff::Timestamp::now().checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap();
    moment.strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[test]
fn signatures_are_good_for_a_quarter_of_an_hour() {
    let server = with_credentials();
    let list = |at: &str| {
        signed(&server, ("MOST", None), at, "DynamoDB_20120810.ListTables", b"{}", false).text().to_owned()
    };
    assert!(list(&shifted(-14)).contains("TableNames"));
    assert!(list(&shifted(14)).contains("TableNames"));
    assert!(list(&shifted(-16)).contains("Signature expired"));
    assert!(list(&shifted(16)).contains("Signature not yet current"));
}

#[test]
fn a_session_token_must_be_the_one() {
    let server = with_credentials();
    let list = |token| {
        signed(&server, ("TEMP", Some(token)), &now(), "DynamoDB_20120810.ListTables", b"{}", false)
            .text()
            .to_owned()
    };
    assert!(list("token").contains("TableNames"));
    assert!(list("other").contains("UnrecognizedClientException"));
}

#[test]
fn a_copy_needs_the_right_to_write() {
    let server = with_credentials();
    let told = ask(&server, "LOOKS", "Keyfold.CopyDataFolder", r#"{"To":"/nonexistent/x"}"#);
    assert!(told.contains("AccessDeniedException"), "{told}");
}

#[test]
fn headers_that_never_come_end_the_connection() {
    let server = Running::start(|_| {});
    let mut stream = server.connect();
    stream.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    stream.write_all(b"POST / HTTP/1.1\r\nHost: x\r\n").unwrap();
    let mut rest = Vec::new();
    assert!(stream.read_to_end(&mut rest).is_ok(), "the connection is still open");
}

#[test]
fn a_signature_covers_the_compressed_body() {
    let server = with_credentials();
    let told = signed(&server, ("MOST", None), &now(), "DynamoDB_20120810.ListTables", b"{}", true);
    assert!(told.text().contains("TableNames"), "{}", told.text());
}

#[test]
fn a_chunked_body_has_the_same_limit() {
    let server = Running::start(|config| config.body_bytes_max = 1_000);
    let mut stream = server.connect();
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(format!("7d0\r\n{{}}{}\r\n0\r\n\r\n", " ".repeat(1998)).as_bytes()).unwrap();
    assert_eq!(Answer::read(&mut stream).status, 413);
}

#[test]
fn a_shutdown_does_not_wait_for_ever() {
    let mut server = Running::start(|config| {
        config.receive_timeout = Duration::from_secs(60);
        config.shutdown_timeout = Duration::from_millis(300);
    });
    let mut stream = server.connect();
    write_post(&mut stream, &[], b"{", 2);
    server.is_well();
    drop(server.stop.take());
    let begun = std::time::Instant::now();
    server.thread.take().unwrap().join().unwrap();
    server.thread = Some(std::thread::spawn(|| {}));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

/// Now as `20260101T000000Z`.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}

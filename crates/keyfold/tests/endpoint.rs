//! Calls at an endpoint that answers late: how many requests are under way, and when a call ends.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

use keyfold::nonblocking::{Database, Keyfold};
use keyfold::{Endpoint, Error, values};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const MODEL: &str = r#"
model m 1
table Tab (PK, SK)
entity Day
  name: string, at: date
  key "D#{name}" "{at}" shard 24
entity Note
  id: string
  key "N#{id}" "N"
entity Log
  host: string, n: int
  key "L#{host}" "{n:06}"
pattern days(name) -> Day[]
pattern logs(host) -> Log[]
pattern note(id) -> Note?
write make(id)
  create Note
"#;

/// A proxy that passes bytes on, and each answer after a delay. It counts the requests that are
/// under way.
struct Slow {
    address: SocketAddr,
    delay_ms: Arc<AtomicU64>,
    most: Arc<AtomicUsize>,
    /// Whether a batch of writes and a query are answered here: the first note of the batch stays
    /// unprocessed, and the query goes in a circle.
    leaves: Arc<AtomicBool>,
}

impl Slow {
    fn start(server: SocketAddr) -> Slow {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let slow = Slow {
            address: listener.local_addr().unwrap(),
            delay_ms: Arc::default(),
            most: Arc::default(),
            leaves: Arc::default(),
        };
        let (delay, most) = (slow.delay_ms.clone(), slow.most.clone());
        let leaves = slow.leaves.clone();
        let under_way = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (delay, most, under_way) = (delay.clone(), most.clone(), under_way.clone());
                let leaves = leaves.clone();
                let behind = TcpStream::connect(server).unwrap();
                std::thread::spawn(move || {
                    let counts = (&*most, &*under_way);
                    pass(client.unwrap(), behind, &delay, counts, &leaves)
                });
            }
        });
        slow
    }
}

/// Passes the exchanges of a connection.
fn pass(
    mut client: TcpStream,
    mut behind: TcpStream,
    delay: &AtomicU64,
    (most, under_way): (&AtomicUsize, &AtomicUsize),
    leaves: &AtomicBool,
) {
    while let Some(request) = message(&mut client) {
        let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now, Ordering::SeqCst);
        let text = String::from_utf8_lossy(&request);
        let is_here = |operation| leaves.load(Ordering::SeqCst) && text.contains(operation);
        let answer = if is_here("BatchWriteItem") {
            Some(one_is_left())
        } else if is_here("DynamoDB_20120810.Query") {
            Some(the_same_page(&text))
        } else {
            behind.write_all(&request).unwrap();
            message(&mut behind)
        };
        std::thread::sleep(Duration::from_millis(delay.load(Ordering::SeqCst)));
        under_way.fetch_sub(1, Ordering::SeqCst);
        if client.write_all(&answer.unwrap_or_default()).is_err() {
            return;
        }
    }
}

/// The answer of a batch whose note `0` was not written.
fn one_is_left() -> Vec<u8> {
    success(
        r#"{"UnprocessedItems":{"Tab":[{"PutRequest":{"Item":{"PK":{"S":"N#0"},"SK":{"S":"N"}}}}]}}"#,
    )
}

/// A page that ends where every other one of its partition ends.
fn the_same_page(request: &str) -> Vec<u8> {
    let (_, asked) = request.split_once(r#"":v0":{"S":""#).unwrap();
    let (partition, _) = asked.split_once('"').unwrap();
    let end = format!(r#"{{"PK":{{"S":"{partition}"}},"SK":{{"S":"000001"}}}}"#);
    success(&format!(
        r#"{{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{end}}}"#
    ))
}

fn success(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Reads a request or an answer, with its body.
fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.extend_from_slice(&byte);
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let mut lines = head.lines();
    let length = lines.find_map(|one| one.strip_prefix("content-length: "))?;
    let mut body = vec![0; length.trim().parse().ok()?];
    stream.read_exact(&mut body).ok()?;
    bytes.extend_from_slice(&body);
    Some(bytes)
}

/// A server with a slow way to it.
fn slow() -> Slow {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().unwrap());
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let config = ServerConfig::new("127.0.0.1:0".parse().unwrap());
    let server = runtime
        .block_on(Server::bind(Arc::new(engine), config))
        .unwrap();
    let address = server.address();
    runtime.spawn(server.run(std::future::pending()));
    Slow::start(address)
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

async fn database(slow: &Slow, concurrency: usize) -> Database {
    let endpoint = Endpoint::new(&format!("http://{}", slow.address)).concurrency(concurrency);
    let keyfold = Keyfold::connect_with(endpoint).unwrap();
    keyfold.model(MODEL).await.unwrap()
}

/// The shards of a pattern are asked at the same time, at most 8 of one call and at most as many as
/// the endpoint's settings say in all.
#[test]
fn requests_of_a_call_are_under_way_together() {
    let slow = slow();
    runtime().block_on(async {
        for (concurrency, expected) in [(64, 8), (3, 3)] {
            let database = database(&slow, concurrency).await;
            slow.delay_ms.store(20, Ordering::SeqCst);
            slow.most.store(0, Ordering::SeqCst);
            let page = database.query("days").arg("name", "a").page().await;
            assert_eq!(page.unwrap().requests, 24);
            assert_eq!(slow.most.load(Ordering::SeqCst), expected);
            slow.delay_ms.store(0, Ordering::SeqCst);
        }
    });
}

#[test]
fn a_call_ends_when_its_time_is_over() {
    let slow = slow();
    runtime().block_on(async {
        let database = database(&slow, 64).await.within(Duration::from_secs(60));
        let note = values! { "id": "a" };
        database.put("Note", note.clone()).await.unwrap();
        slow.delay_ms.store(400, Ordering::SeqCst);
        let began = Instant::now();
        let soon = Duration::from_millis(50);
        let read = database.query("note").args(note.clone()).within(soon).one();
        assert!(matches!(read.await, Err(Error::TimedOut(_))));
        let mut pages = database.query("days").arg("name", "a").within(soon).pages();
        assert!(matches!(pages.next().await, Some(Err(Error::TimedOut(_)))));
        // One request.
        let write = database
            .run("make")
            .arg("id", "b")
            .within(soon)
            .send()
            .await;
        assert!(
            matches!(write, Err(Error::OutcomeUnknown { .. })),
            "{write:?}"
        );
        let late = database
            .within(Duration::ZERO)
            .put("Note", note.clone())
            .await;
        assert!(matches!(late, Err(Error::TimedOut(_))), "{late:?}");
        assert!(began.elapsed() < Duration::from_millis(350));
        assert!(database.query("note").args(note).one().await.is_ok());
    });
}

fn notes(count: usize) -> Vec<keyfold::Values> {
    let ids = (0..count).map(|id| id.to_string());
    ids.map(|id| values! { "id": id }).collect()
}

fn incomplete<T: std::fmt::Debug>(result: Result<T, Error>) -> [usize; 3] {
    match result {
        Err(Error::Incomplete(of)) => [of.written.len(), of.unwritten.len(), of.unknown.len()],
        other => panic!("{other:?}"),
    }
}

/// The first request is answered, the second is under way, and the third waits for its turn.
#[test]
fn a_batch_whose_time_is_over_says_what_it_has_written() {
    let slow = slow();
    runtime().block_on(async {
        let database = database(&slow, 1).await;
        slow.delay_ms.store(200, Ordering::SeqCst);
        let within = database.within(Duration::from_millis(300));
        let written = within.put_many("Note", notes(75)).await;
        assert_eq!(incomplete(written), [25, 25, 25]);
    });
}

/// The time ends in the pause before what stayed unprocessed is sent again.
#[test]
fn a_batch_whose_time_is_over_in_a_pause_says_what_it_has_written() {
    let slow = slow();
    let url = format!("http://{}", slow.address);
    let keyfold = keyfold::Keyfold::connect(&url).unwrap();
    let blocking = keyfold.model(MODEL).unwrap();
    slow.leaves.store(true, Ordering::SeqCst);
    let soon = Duration::from_millis(200);
    let written = blocking.within(soon).put_many("Note", notes(3));
    assert_eq!(incomplete(written), [2, 1, 0]);
    runtime().block_on(async {
        let database = database(&slow, 64).await.within(soon);
        let written = database.put_many("Note", notes(3)).await;
        assert_eq!(incomplete(written), [2, 1, 0]);
    });
}

/// A server with one answer, which counts the requests.
fn answering(status: &'static str, body: &'static str) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, counted) = (client.unwrap(), counted.clone());
            std::thread::spawn(move || {
                while message(&mut client).is_some() {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let length = body.len();
                    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
                    client.write_all((head + body).as_bytes()).unwrap();
                }
            });
        }
    });
    (address, count)
}

/// What a program hears of answers that are no success: the kind of the error, and how often the
/// request was sent when it may be sent twice.
#[test]
fn refusals_of_the_service_and_of_those_before_it_are_told_apart() {
    let of = |name: &str| {
        format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{name}","message":"why"}}"#)
    };
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    for (status, body, kind, requests) in [
        ("400 Bad Request", of("ThrottlingException"), "throttled", 2),
        (
            "400 Bad Request",
            of("ProvisionedThroughputExceededException"),
            "throttled",
            2,
        ),
        (
            "400 Bad Request",
            of("RequestLimitExceeded"),
            "throttled",
            2,
        ),
        ("400 Bad Request", of("AccessDeniedException"), "service", 1),
        ("400 Bad Request", of("ExpiredTokenException"), "service", 1),
        // With no word of the service, its name says nothing.
        (
            "400 Bad Request",
            r#"{"__type":"x#UnknownOperationException"}"#.to_owned(),
            "service",
            1,
        ),
        // A gateway or a proxy: it may have passed the request on, and answered for a service that took
        // too long.
        (
            "403 Forbidden",
            "<html>who are you</html>".to_owned(),
            "unknown",
            1,
        ),
        (
            "403 Forbidden",
            r#"{"message":"Forbidden"}"#.to_owned(),
            "unknown",
            1,
        ),
        ("404 Not Found", String::new(), "unknown", 1),
        (
            "407 Proxy Authentication Required",
            String::new(),
            "unknown",
            1,
        ),
        (
            "429 Too Many Requests",
            "<html>slow down</html>".to_owned(),
            "unknown",
            1,
        ),
        ("408 Request Timeout", String::new(), "unknown", 1),
    ] {
        let body = leaked(body);
        let (address, count) = answering(status, body);
        let endpoint = || Endpoint::new(&format!("http://{address}")).retries(1);
        let name_of = |error: Error| {
            let shown = error.to_string();
            assert!(!shown.trim().ends_with(':'), "{status} {body}: {shown}");
            if let Error::OutcomeUnknown { why, .. } = &error {
                assert!(why.contains(&status[..3]), "{why}");
                return "unknown";
            }
            match matches!(error, Error::Throttled { .. }) {
                true => "throttled",
                false if matches!(error, Error::Service { .. }) => "service",
                false => panic!("{status} {body}: {error:?}"),
            }
        };
        let blocking = keyfold::Keyfold::connect_with(endpoint()).unwrap();
        let input = || keyfold::api::DeleteTableInput::default();
        let found = name_of(blocking.send(input()).unwrap_err());
        assert_eq!(
            (found, count.swap(0, Ordering::SeqCst)),
            (kind, requests),
            "{status} {body}"
        );
        runtime().block_on(async {
            let awaited = Keyfold::connect_with(endpoint()).unwrap();
            let found = name_of(awaited.send(input()).await.unwrap_err());
            assert_eq!(
                (found, count.load(Ordering::SeqCst)),
                (kind, requests),
                "{status} {body}"
            );
        });
    }
}

/// A service that goes in a circle: every page ends where the first one ended.
#[test]
fn pages_that_come_again_end_with_an_error() {
    let slow = slow();
    let url = format!("http://{}", slow.address);
    let keyfold = keyfold::Keyfold::connect(&url).unwrap();
    let blocking = keyfold.model(MODEL).unwrap();
    slow.leaves.store(true, Ordering::SeqCst);
    let is_circle = |error: Error| error.to_string().contains("logs has a page again");
    let mut pages = blocking.query("logs").arg("host", "a").pages().take(20);
    assert!(is_circle(pages.find_map(Result::err).unwrap()));
    runtime().block_on(async {
        let database = database(&slow, 1).await;
        let mut pages = database.query("logs").arg("host", "a").pages();
        for _ in 0..20 {
            if let Err(error) = pages.next().await.unwrap() {
                return assert!(is_circle(error));
            }
        }
        panic!("pages come again and again");
    });
}

/// The same inside of one call, which reads several pages itself: shards, split lists, periods.
#[test]
fn pages_that_come_again_inside_of_a_call_end_with_an_error() {
    let model = include_str!("../../../clients/cases/again.keyfold");
    let slow = slow();
    let keyfold = keyfold::Keyfold::connect(&format!("http://{}", slow.address)).unwrap();
    let again = keyfold.model(model).unwrap();
    slow.leaves.store(true, Ordering::SeqCst);
    let patterns = ["logs", "logs_paged", "orders", "orders_paged"];
    for pattern in patterns {
        let error = again.query(pattern).arg("id", "a").all().unwrap_err();
        assert!(
            error.to_string().contains("has a page again"),
            "{pattern}: {error}"
        );
    }
    for pattern in ["readings", "readings_paged"] {
        let months = again.query(pattern).arg("sensor", "a");
        let months = months
            .arg("from", "2026-01-01T00:00:00Z")
            .arg("to", "2026-02-01T00:00:00Z");
        let error = months.all().unwrap_err();
        assert!(
            error.to_string().contains("has a page again"),
            "{pattern}: {error}"
        );
    }
}

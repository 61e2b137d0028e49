//! Clients that mean no good, by the hundred: they hold a bounded amount of memory for a bounded
//! time, and others are served meanwhile. That nobody waits for them is shown by servers that do
//! not let them go: times would tell of the machine's load too.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use flate2::Compression;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig, TlsFiles};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const MIB: usize = 1024 * 1024;
/// Time after which the servers of these tests lose patience.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes that large bodies may take, and as many that large answers may.
const ROOM: usize = 32 * MIB;

/// One test at a time: each measures the memory of the process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A client's connection, in clear or not.
trait Client: Read + Write + Send {}
impl<T: Read + Write + Send> Client for T {}

/// What clients trust, and the folder that the server has its certificate from.
type Trust = (ClientConfig, tempfile::TempDir);

/// Makes a server speak TLS.
fn secured(config: &mut ServerConfig) -> Option<Trust> {
    let folder = tempfile::tempdir().unwrap();
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = TlsFiles {
        certificate: folder.path().join("chain.pem"),
        key: folder.path().join("key.pem"),
    };
    std::fs::write(&files.certificate, certified.cert.pem()).unwrap();
    std::fs::write(&files.key, certified.signing_key.serialize_pem()).unwrap();
    config.tls = Some(files);
    let mut roots = RootCertStore::empty();
    roots.add(certified.cert.der().clone()).unwrap();
    Some((common::trusting(roots), folder))
}

struct Running {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _alone: MutexGuard<'static, ()>,
}

impl Running {
    fn start() -> Running {
        Running::with(|_| None)
    }

    fn start_with_tls() -> Running {
        Running::with(secured)
    }

    /// Whoever says or reads nothing is not let go before the test is over.
    fn start_patient(set: impl FnOnce(&mut ServerConfig) -> Option<Trust>) -> Running {
        Running::with(|config| {
            (config.receive_timeout, config.send_timeout) = (PATIENCE * 600, PATIENCE * 600);
            set(config)
        })
    }

    /// A server with a table of one partition that holds a megabyte and more.
    fn with(set: impl FnOnce(&mut ServerConfig) -> Option<Trust>) -> Running {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.receive_timeout = PATIENCE;
        config.send_timeout = PATIENCE;
        config.allow_unsigned = true;
        config.bodies_bytes_max = ROOM;
        let tls = set(&mut config);
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build();
            runtime.unwrap().block_on(async {
                let server = Server::bind(engine, config).await.unwrap();
                tell.send(server.address()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        let address = told.recv().unwrap();
        let tls = tls.map(|(tls, _files)| Arc::new(tls));
        let running = Running {
            address,
            tls,
            stop: Some(stop),
            thread: Some(thread),
            _alone: alone,
        };
        let table = r#"{"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},{"AttributeName":"s","AttributeType":"S"}],"KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}]}"#;
        assert_eq!(running.ask("CreateTable", table).0, 200);
        let text = "x".repeat(300_000);
        for n in 0..4 {
            let put = format!(
                r#"{{"TableName":"Tab","Item":{{"p":{{"S":"a"}},"s":{{"S":"{n}"}},"t":{{"S":"{text}"}}}}}}"#
            );
            assert_eq!(running.ask("PutItem", &put).0, 200);
        }
        let small = r#"{"TableName":"Tab","Item":{"p":{"S":"b"},"s":{"S":"0"}}}"#;
        assert_eq!(running.ask("PutItem", small).0, 200);
        running
    }

    fn connect_plain(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE * 30)).unwrap();
        stream
    }

    fn connect(&self) -> Box<dyn Client> {
        self.connect_writing(None)
    }

    /// A connection that writes for so long at the most.
    fn connect_writing(&self, time: Option<Duration>) -> Box<dyn Client> {
        let stream = self.connect_plain();
        stream.set_write_timeout(time).unwrap();
        let Some(tls) = &self.tls else {
            return Box::new(stream);
        };
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::clone(tls), name).unwrap();
        Box::new(StreamOwned::new(connection, stream))
    }

    /// The status and the length of the answer, of a client that behaves.
    fn ask(&self, operation: &str, body: &str) -> (u16, usize) {
        let mut stream = self.connect();
        // Who is refused may be refused before everything is read.
        drop(stream.write_all(&post(operation, body, "Connection: close\r\n")));
        answer(&mut *stream)
    }

    /// So many clients that ask, and read no answer.
    fn ask_unread(&self, clients: usize, requests: &[u8]) -> Vec<Box<dyn Client>> {
        let ask = |_| {
            let mut stream = self.connect();
            stream.write_all(requests).unwrap();
            stream
        };
        (0..clients).map(ask).collect()
    }

    /// The whole answer to a request, after which the server closes.
    fn tell(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        let mut told = Vec::new();
        drop(stream.read_to_end(&mut told));
        String::from_utf8_lossy(&told).into_owned()
    }

    /// What the server tells of itself by this name.
    fn gauge(&self, name: &str) -> usize {
        let told =
            self.tell(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let line = told
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|count| count.parse().ok())
            .expect("the server tells of itself")
    }

    /// How many connections the server has, this question's included.
    fn connections(&self) -> usize {
        self.gauge("keyfold_connections")
    }

    /// Bytes that large bodies take, and large answers.
    fn held(&self) -> (usize, usize) {
        (
            self.gauge("keyfold_received_held_bytes"),
            self.gauge("keyfold_sent_held_bytes"),
        )
    }

    /// Bytes that both ends of secured connections, which are in this process, have for themselves.
    fn buffers(&self, connections: usize) -> usize {
        if self.tls.is_some() {
            connections * 128 * 1024
        } else {
            0
        }
    }

    fn serves_small_requests(&self) {
        let get = r#"{"TableName":"Tab","Key":{"p":{"S":"b"},"s":{"S":"0"}}}"#;
        let put = r#"{"TableName":"Tab","Item":{"p":{"S":"b"},"s":{"S":"1"}}}"#;
        for _ in 0..20 {
            assert_eq!(self.ask("GetItem", get).0, 200);
            assert_eq!(self.ask("PutItem", put).0, 200);
        }
        // Also those that tell the item.
        let key = r#""TableName":"Tab","Key":{"p":{"S":"b"},"s":{"S":"1"}}"#;
        let add = r#""UpdateExpression":"ADD n :n","ExpressionAttributeValues":{":n":{"N":"1"}}"#;
        assert_eq!(
            self.ask(
                "UpdateItem",
                &format!(r#"{{{key},{add},"ReturnValues":"ALL_NEW"}}"#)
            )
            .0,
            200
        );
        assert_eq!(
            self.ask(
                "DeleteItem",
                &format!(r#"{{{key},"ReturnValues":"ALL_OLD"}}"#)
            )
            .0,
            200
        );
    }

    /// Others are served: small requests, and large ones at the latest when the hostile ones are
    /// let go.
    fn serves_others(&self) {
        self.serves_small_requests();
        let text = "x".repeat(200_000);
        let put = format!(
            r#"{{"TableName":"Tab","Item":{{"p":{{"S":"c"}},"s":{{"S":"0"}},"t":{{"S":"{text}"}}}}}}"#
        );
        let deadline = Instant::now() + PATIENCE * 30;
        for (operation, body, least) in [("Query", QUERY, 900_000), ("PutItem", &put, 0)] {
            let (status, length) = loop {
                match self.ask(operation, body) {
                    // As SDKs do, who are told to try again, or are cut off while they send.
                    (503 | 0, _) if Instant::now() < deadline => {}
                    answered => break answered,
                }
            };
            assert!(
                status == 200 && length > least,
                "{operation}: {status}, {length} bytes"
            );
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

const QUERY: &str = r#"{"TableName":"Tab","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}"#;

fn post(operation: &str, body: impl AsRef<[u8]>, headers: &str) -> Vec<u8> {
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.as_ref().len()
    );
    [head.as_bytes(), body.as_ref()].concat()
}

/// A body that is sent in less bytes.
fn packed(body: impl Read) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::GzEncoder::new(body, Compression::best())
        .read_to_end(&mut packed)
        .unwrap();
    packed
}

/// The status and the length of what comes until the server closes.
fn answer(stream: &mut dyn Client) -> (u16, usize) {
    let mut told = Vec::new();
    drop(stream.read_to_end(&mut told));
    let head = String::from_utf8_lossy(&told[..told.len().min(20)]).into_owned();
    (
        head.split_whitespace()
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0),
        told.len(),
    )
}

/// Bytes that this process holds.
fn memory() -> usize {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    told.split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok())
        .unwrap_or(0)
        * 4096
}

/// The most that is held beyond what was held before, in so many looks.
fn held_at_most(before: usize, looks: usize) -> usize {
    let held = (0..looks).map(|_| {
        std::thread::sleep(PATIENCE / 40);
        memory().saturating_sub(before)
    });
    held.max().unwrap_or(0)
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE * 30;
    while !is_so() {
        assert!(Instant::now() < deadline, "not so: {what}");
        std::thread::sleep(PATIENCE / 50);
    }
}

fn assert_closed_in_time(streams: Vec<impl Read>) {
    let begun = Instant::now();
    for mut stream in streams {
        // Whatever was sent, then the end.
        let mut rest = Vec::new();
        let end = stream.read_to_end(&mut rest).map_err(|error| error.kind());
        let is_open = matches!(end, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut));
        assert!(!is_open, "one is not let go after {:?}", begun.elapsed());
    }
    assert!(
        begun.elapsed() < PATIENCE * 60,
        "the last was let go after {:?}",
        begun.elapsed()
    );
}

const GET: &str = r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"0"}}}"#;
const BATCH: &str = r#"{"RequestItems":{"Tab":{"Keys":[{"p":{"S":"a"},"s":{"S":"0"}},{"p":{"S":"a"},"s":{"S":"1"}},{"p":{"S":"a"},"s":{"S":"2"}}]}}}"#;

/// A transaction whose conditions all fail and tell the item they met.
fn cancelled() -> String {
    let check = |n: u32| {
        format!(
            r#"{{"ConditionCheck":{{"TableName":"Tab","Key":{{"p":{{"S":"a"}},"s":{{"S":"{n}"}}}},"ConditionExpression":"attribute_not_exists(p)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}}}"#
        )
    };
    format!(
        r#"{{"TransactItems":[{}]}}"#,
        [0, 1, 2, 3].map(check).join(",")
    )
}

/// Statements whose conditions all fail, each of which tells the item it met beside what the others
/// did.
fn statements() -> String {
    let one = r#"{"Statement":"UPDATE Tab SET n = 1 WHERE p = 'a' AND s = '0' AND attribute_not_exists(p)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"#;
    format!(r#"{{"Statements":[{}]}}"#, [one; 25].join(","))
}

/// A page whose kind is only seen behind a comment.
const COMMENTED: &str = r#"{"Statement":"-- \n SELECT * FROM Tab"}"#;

fn answers_that_nobody_reads(running: &Running) {
    for (operation, body, clients) in [
        ("Query", QUERY, 150),
        ("GetItem", GET, 500),
        ("BatchGetItem", BATCH, 150),
        ("TransactWriteItems", &cancelled(), 300),
        ("BatchExecuteStatement", &statements(), 100),
        ("ExecuteStatement", COMMENTED, 150),
    ] {
        let before = memory();
        // Ten answers of a megabyte or a third of it, none of which is read.
        let hostile = running.ask_unread(clients, &post(operation, body, "").repeat(10));
        // Without a budget they would take 150 megabytes.
        let most = held_at_most(before, 20);
        assert!(
            most < 100 * MIB + running.buffers(clients),
            "{operation}: {} MiB are held",
            most / MIB
        );
        running.serves_others();
        // They are let go though they never read, nor close.
        let deadline = Instant::now() + PATIENCE * 30;
        while running.connections() > 1 {
            assert!(
                Instant::now() < deadline,
                "{operation}: {} are still there",
                running.connections()
            );
            std::thread::sleep(PATIENCE / 4);
        }
        drop(hostile);
    }
}

#[test]
fn answers_that_nobody_reads_are_bounded_and_let_go() {
    answers_that_nobody_reads(&Running::start());
}

#[test]
fn secured_answers_that_nobody_reads_are_bounded_and_let_go() {
    answers_that_nobody_reads(&Running::start_with_tls());
}

/// A write that is refused for want of room must not have happened: who is told to try again would
/// do it twice.
#[test]
fn a_write_whose_answer_has_no_room_does_not_happen() {
    let running = Running::start_patient(|config| {
        config.bodies_bytes_max = 400 * 1024;
        None
    });
    let mut hostile = running.connect();
    // More than the system keeps for a connection.
    hostile
        .write_all(&post("GetItem", GET, "").repeat(40))
        .unwrap();
    let mut looks = 0;
    wait_until("an answer is stuck", || {
        looks = if running.held().1 > 0 { looks + 1 } else { 0 };
        looks == 20
    });
    let update = r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"3"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"ALL_NEW"}"#;
    assert_eq!(running.ask("UpdateItem", update).0, 503);
    let look =
        r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"3"}},"ProjectionExpression":"n"}"#;
    let told = running.tell(&post("GetItem", look, "Connection: close\r\n"));
    assert!(told.ends_with(r#"{"Item":{}}"#), "{told}");
    // A small item that a small request makes a large one.
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
    // One whose answer is free, though just.
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
        "it waited for room"
    );
    drop(hostile);
}

/// A client that reads a little now and then holds its answers no longer than who reads nothing.
#[test]
fn answers_that_are_read_a_little_at_a_time_are_let_go() {
    let running = Running::with(|config| {
        config.send_timeout = PATIENCE * 3;
        None
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // So that a little makes room for as much on the way.
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
    // As many megabytes as there are batches, of which a hundred kilobytes are read a second.
    hostile
        .write_all(&post("BatchGetItem", BATCH, "").repeat(20))
        .unwrap();
    let mut part = vec![0; 10 * 1024];
    let mut rest = 20 * 900_000;
    wait_until("it is let go", || {
        std::thread::sleep(PATIENCE / 10);
        rest -= hostile.read(&mut part).unwrap_or(0);
        running.connections() == 1
    });
    assert!(rest > 0, "everything was read");
}

/// A body that waits for its answer's room keeps its own meanwhile.
#[test]
fn requests_that_wait_for_their_answers_room_are_bounded() {
    let running = Running::start_patient(|config| {
        config.bodies_bytes_max = 8 * MIB;
        None
    });
    let unread = running.ask_unread(20, &post("Query", QUERY, "").repeat(20));
    wait_until("answers take nearly all the room", || {
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
    // More than two threads that read them could hold.
    wait_until("requests that wait have room", || {
        running.held().0 > 4 * query.len()
    });
    drop((unread, waiting));
    running.serves_others();
}

/// A few kilobytes that would be megabytes are not unpacked before there is room for them.
#[test]
fn packed_bodies_hold_no_more_than_others() {
    let running = Running::start();
    let body = packed(std::io::repeat(b' ').take(15 * MIB as u64));
    // Others hold what there is of room.
    let others = begun_bodies(&running, 15, "Content-Length: 16000000", &chunk(), None);
    let before = memory();
    let length = format!("Content-Encoding: gzip\r\nContent-Length: {}", body.len());
    let hostile = begun_bodies(&running, 40, &length, &body, None);
    let most = held_at_most(before, 40);
    assert!(most < 100 * MIB, "{} MiB are held", most / MIB);
    drop((others, hostile));
    running.serves_others();
}

/// Clients that begin a body, all at once: how they say its length, and what they send of it.
fn begun_bodies(
    running: &Running,
    count: usize,
    length: &str,
    sent: &[u8],
    time: Option<Duration>,
) -> Vec<Box<dyn Client>> {
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n";
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..count)
            .map(|_| {
                scope.spawn(|| {
                    let mut stream = running.connect_writing(time);
                    drop(stream.write_all(format!("{head}{length}\r\n\r\n").as_bytes()));
                    drop(stream.write_all(sent));
                    stream
                })
            })
            .collect();
        clients
            .into_iter()
            .map(|client| client.join().unwrap())
            .collect()
    })
}

/// The first two megabytes of a body, also of one in chunks.
fn chunk() -> Vec<u8> {
    let mut chunk = b"200000\r\n".to_vec();
    chunk.resize(2 * MIB, b' ');
    chunk
}

fn bodies_that_never_end(running: &Running) {
    let before = memory();
    let chunk = chunk();
    // Those whose body has no room are not listened to.
    let time = Some(PATIENCE / 4);
    let mut hostile = begun_bodies(running, 60, "Content-Length: 16000000", &chunk, time);
    hostile.extend(begun_bodies(
        running,
        60,
        "Transfer-Encoding: chunked",
        &chunk,
        time,
    ));
    // One that is announced and does not come holds nothing, but its connection.
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
fn bodies_that_never_end_are_bounded_and_let_go() {
    bodies_that_never_end(&Running::start());
}

#[test]
fn secured_bodies_that_never_end_are_bounded_and_let_go() {
    bodies_that_never_end(&Running::start_with_tls());
}

/// Clients that are not let go hold everything that can be held: nobody else's small request waits
/// for them, and what they held is free when they leave.
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
    let (half, chunk) = (ROOM / (2 * MIB) / 2, chunk());
    let mut bodies = begun_bodies(running, half, "Content-Length: 16000000", &chunk, None);
    bodies.extend(begun_bodies(
        running,
        half,
        "Transfer-Encoding: chunked",
        &chunk,
        None,
    ));
    wait_until("bodies take all the room", || running.held().0 == ROOM);
    // Answers have room of their own.
    assert_eq!(running.ask("Query", QUERY).0, 200);
    let unread = running.ask_unread(150, &post("Query", QUERY, "").repeat(100));
    wait_until("answers take nearly all the room", || {
        running.held().1 > ROOM - 2 * MIB
    });
    running.serves_small_requests();
    let hostile = silent.len() + bodies.len() + unread.len();
    assert!(
        running.connections() > hostile,
        "some of {hostile} were let go first: {}",
        running.connections()
    );
    let held = memory().saturating_sub(before);
    assert!(
        held < 100 * MIB + running.buffers(hostile),
        "{} MiB are held",
        held / MIB
    );
    drop((silent, bodies, unread));
    wait_until("who left holds nothing", || {
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
    wait_until("all are there", || running.connections() > hostile.len());
    assert_eq!(running.held(), (0, 0));
    let text = "x".repeat(200_000);
    let put = format!(
        r#"{{"TableName":"Tab","Item":{{"p":{{"S":"c"}},"s":{{"S":"0"}},"t":{{"S":"{text}"}}}}}}"#
    );
    assert_eq!(running.ask("PutItem", &put).0, 200);
    assert_eq!(running.ask("Query", QUERY).0, 200);
    assert!(
        running.connections() > hostile.len(),
        "others waited until some were let go"
    );
}

/// A body that comes slowly, but comes, may take longer than a client may be silent.
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

/// Half-open on purpose: who has said everything may close its side, and is answered.
#[test]
fn a_client_that_closes_its_side_is_answered() {
    let running = Running::start();
    let mut stream = running.connect_plain();
    stream.write_all(&post("ListTables", "{}", "")).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(answer(&mut stream).0, 200);
}

#[test]
fn handshakes_that_trickle_or_never_end_are_let_go() {
    let running = Running::start_with_tls();
    let mut silent: Vec<TcpStream> = (0..200).map(|_| running.connect_plain()).collect();
    // The head of a handshake of 512 bytes, half of which come.
    for stream in silent.iter_mut().step_by(2) {
        stream.write_all(&[22, 3, 1, 2, 0]).unwrap();
        stream.write_all(&[1; 256]).unwrap();
    }
    running.serves_others();
    assert_closed_in_time(silent);
}

#[test]
fn headers_that_trickle_never_end_or_are_huge_are_let_go() {
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

/// Half-open: the client is gone, or says nothing more, and tells nobody.
#[test]
fn thousands_of_connections_that_say_nothing_cost_little() {
    let wanted = 2_000;
    let limit = rlimit::increase_nofile_limit(2 * wanted + 100).unwrap();
    assert!(
        limit > 2 * wanted,
        "the test opens {wanted} connections, both ends; the limit of files is {limit}"
    );
    let running = Running::start();
    let before = memory();
    let idle: Vec<TcpStream> = (0..wanted)
        .map(|n| {
            let mut stream = running.connect_plain();
            if n % 2 == 0 {
                // One request, answered, and then nothing.
                stream.write_all(&post("ListTables", "{}", "")).unwrap();
                let mut told = [0; 512];
                assert!(stream.read(&mut told).unwrap() > 12);
                assert!(told.starts_with(b"HTTP/1.1 200"));
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

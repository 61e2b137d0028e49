//! Clients that mean no good, by the hundred: they hold a bounded amount of memory for a bounded time, and others are
//! served meanwhile.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod common;

use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig, TlsFiles};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const MIB: usize = 1024 * 1024;
/// Time after which the servers of these tests lose patience.
const PATIENCE: Duration = Duration::from_secs(1);

/// One test at a time: each measures the memory of the process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A client's connection, in clear or not.
trait Client: Read + Write + Send {}
impl<T: Read + Write + Send> Client for T {}

struct Running {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _alone: MutexGuard<'static, ()>,
}

impl Running {
    fn start(bodies_bytes_max: usize) -> Running {
        Running::with(bodies_bytes_max, |_| None)
    }

    fn start_with_tls(bodies_bytes_max: usize) -> Running {
        Running::with(bodies_bytes_max, |config| {
            let folder = tempfile::tempdir().unwrap();
            let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
            let files =
                TlsFiles { certificate: folder.path().join("chain.pem"), key: folder.path().join("key.pem") };
            std::fs::write(&files.certificate, certified.cert.pem()).unwrap();
            std::fs::write(&files.key, certified.signing_key.serialize_pem()).unwrap();
            config.tls = Some(files);
            let mut roots = RootCertStore::empty();
            roots.add(certified.cert.der().clone()).unwrap();
            Some((common::trusting(roots), folder))
        })
    }

    /// A server with a table of one partition that holds a megabyte and more.
    fn with(
        bodies_bytes_max: usize,
        set: impl FnOnce(&mut ServerConfig) -> Option<(ClientConfig, tempfile::TempDir)>,
    ) -> Running {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.receive_timeout = PATIENCE;
        config.send_timeout = PATIENCE;
        config.allow_unsigned = true;
        config.bodies_bytes_max = bodies_bytes_max;
        let tls = set(&mut config);
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.unwrap().block_on(async {
                let server = Server::bind(engine, config).await.unwrap();
                tell.send(server.address()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        let address = told.recv().unwrap();
        let tls = tls.map(|(tls, _files)| Arc::new(tls));
        let running = Running { address, tls, stop: Some(stop), thread: Some(thread), _alone: alone };
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
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    fn connect(&self) -> Box<dyn Client> {
        self.connect_writing(None)
    }

    /// A connection that writes for so long at the most.
    fn connect_writing(&self, time: Option<Duration>) -> Box<dyn Client> {
        let stream = self.connect_plain();
        stream.set_write_timeout(time).unwrap();
        let Some(tls) = &self.tls else { return Box::new(stream) };
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::clone(tls), name).unwrap();
        Box::new(StreamOwned::new(connection, stream))
    }

    /// The status and the length of the answer, of a client that behaves.
    fn ask(&self, operation: &str, body: &str) -> (u16, usize) {
        let mut stream = self.connect();
        stream.write_all(&post(operation, body, "Connection: close\r\n")).unwrap();
        answer(&mut *stream)
    }

    /// How many connections the server has, this question's included.
    fn connections(&self) -> usize {
        let mut stream = self.connect();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut told = Vec::new();
        drop(stream.read_to_end(&mut told));
        let told = String::from_utf8_lossy(&told).into_owned();
        let line = told.lines().find_map(|line| line.strip_prefix("keyfold_connections "));
        line.and_then(|count| count.parse().ok()).unwrap_or(usize::MAX)
    }

    /// Others are served: small requests at once, large ones at the latest when the hostile ones are let go.
    fn serves_others(&self) {
        let begun = Instant::now();
        let get = r#"{"TableName":"Tab","Key":{"p":{"S":"b"},"s":{"S":"0"}}}"#;
        for _ in 0..20 {
            assert_eq!(self.ask("GetItem", get).0, 200);
        }
        assert!(begun.elapsed() < PATIENCE * 4, "small requests took {:?}", begun.elapsed());
        // As SDKs do, who are told to try again.
        let deadline = Instant::now() + PATIENCE * 20;
        let (status, length) = loop {
            match self.ask("Query", QUERY) {
                (503, _) if Instant::now() < deadline => {}
                answered => break answered,
            }
        };
        assert!(status == 200 && length > 900_000, "{status}, {length} bytes");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

const QUERY: &str =
    r#"{"TableName":"Tab","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}"#;

fn post(operation: &str, body: &str, headers: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The status and the length of what comes until the server closes.
fn answer(stream: &mut dyn Client) -> (u16, usize) {
    let mut told = Vec::new();
    drop(stream.read_to_end(&mut told));
    let head = String::from_utf8_lossy(&told[..told.len().min(20)]).into_owned();
    (head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0), told.len())
}

/// Bytes that this process holds.
fn memory() -> usize {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    told.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn assert_closed_in_time(streams: Vec<impl Read>) {
    let begun = Instant::now();
    for mut stream in streams {
        // Whatever was sent, then the end.
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
    }
    assert!(begun.elapsed() < PATIENCE * 60, "the last was let go after {:?}", begun.elapsed());
}

const GET: &str = r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"0"}}}"#;
const BATCH: &str = r#"{"RequestItems":{"Tab":{"Keys":[{"p":{"S":"a"},"s":{"S":"0"}},{"p":{"S":"a"},"s":{"S":"1"}},{"p":{"S":"a"},"s":{"S":"2"}}]}}}"#;

fn answers_that_nobody_reads(running: &Running) {
    for (operation, body, clients) in
        [("Query", QUERY, 150), ("GetItem", GET, 500), ("BatchGetItem", BATCH, 150)]
    {
        let before = memory();
        let hostile: Vec<Box<dyn Client>> = (0..clients)
            .map(|_| {
                let mut stream = running.connect();
                // Ten answers of a megabyte or a third of it, none of which is read.
                stream.write_all(&post(operation, body, "").repeat(10)).unwrap();
                stream
            })
            .collect();
        // Without a budget they would take 150 megabytes.
        let most = (0..20).map(|_| {
            std::thread::sleep(PATIENCE / 40);
            memory().saturating_sub(before)
        });
        let most = most.max().unwrap_or(0);
        // Both ends of a secured connection are in this process, with buffers of their own.
        let buffers = if running.tls.is_some() { clients * 128 * 1024 } else { 0 };
        assert!(most < 100 * MIB + buffers, "{operation}: {} MiB are held", most / MIB);
        running.serves_others();
        // They are let go though they never read, nor close.
        let deadline = Instant::now() + PATIENCE * 30;
        while running.connections() > 1 {
            assert!(Instant::now() < deadline, "{operation}: {} are still there", running.connections());
            std::thread::sleep(PATIENCE / 4);
        }
        drop(hostile);
    }
}

#[test]
fn answers_that_nobody_reads_are_bounded_and_let_go() {
    answers_that_nobody_reads(&Running::start(32 * MIB));
}

#[test]
fn secured_answers_that_nobody_reads_are_bounded_and_let_go() {
    answers_that_nobody_reads(&Running::start_with_tls(32 * MIB));
}

/// Clients that begin a body, all at once: how they say its length, and what they send of it.
fn begun_bodies(running: &Running, count: usize, length: &str, sent: &[u8]) -> Vec<Box<dyn Client>> {
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n";
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..count)
            .map(|_| {
                scope.spawn(|| {
                    let mut stream = running.connect_writing(Some(PATIENCE / 4));
                    drop(stream.write_all(format!("{head}{length}\r\n\r\n").as_bytes()));
                    drop(stream.write_all(sent));
                    stream
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    })
}

fn bodies_that_never_end(running: &Running) {
    let before = memory();
    let mut chunk = b"200000\r\n".to_vec();
    chunk.resize(2 * MIB, b' ');
    let mut hostile = begun_bodies(running, 60, "Content-Length: 16000000", &chunk);
    hostile.extend(begun_bodies(running, 60, "Transfer-Encoding: chunked", &chunk));
    let held = memory().saturating_sub(before);
    assert!(held < 100 * MIB, "{} MiB are held", held / MIB);
    // Answers have a budget of their own.
    running.serves_others();
    assert_closed_in_time(hostile);
    running.serves_others();
}

#[test]
fn bodies_that_never_end_are_bounded_and_let_go() {
    bodies_that_never_end(&Running::start(32 * MIB));
}

#[test]
fn secured_bodies_that_never_end_are_bounded_and_let_go() {
    bodies_that_never_end(&Running::start_with_tls(32 * MIB));
}

#[test]
fn an_announced_body_holds_nothing() {
    let running = Running::start(32 * MIB);
    let mut hostile = begun_bodies(&running, 100, "Content-Length: 16000000", b"");
    hostile.extend(begun_bodies(&running, 100, "Transfer-Encoding: chunked", b""));
    let begun = Instant::now();
    let text = "x".repeat(200_000);
    let put =
        format!(r#"{{"TableName":"Tab","Item":{{"p":{{"S":"c"}},"s":{{"S":"0"}},"t":{{"S":"{text}"}}}}}}"#);
    assert_eq!(running.ask("PutItem", &put).0, 200);
    assert_eq!(running.ask("Query", QUERY).0, 200);
    assert!(begun.elapsed() < PATIENCE, "others waited {:?}", begun.elapsed());
    assert_closed_in_time(hostile);
}

/// A body that comes slowly, but comes, may take longer than a client may be silent.
#[test]
fn a_slow_honest_client_is_served() {
    let running = Running::start(32 * MIB);
    let mut put = br#"{"TableName":"Tab","Item":{"p":{"S":"slow"},"s":{"S":"0"}}}"#.to_vec();
    put.resize(120_000, b' ');
    let mut stream = running.connect();
    let request = post("PutItem", std::str::from_utf8(&put).unwrap(), "Connection: close\r\n");
    for part in request.chunks(request.len() / 30 + 1) {
        stream.write_all(part).unwrap();
        std::thread::sleep(PATIENCE / 12);
    }
    assert_eq!(answer(&mut *stream).0, 200);
}

/// Half-open on purpose: who has said everything may close its side, and is answered.
#[test]
fn a_client_that_closes_its_side_is_answered() {
    let running = Running::start(32 * MIB);
    let mut stream = running.connect_plain();
    stream.write_all(&post("ListTables", "{}", "")).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(answer(&mut stream).0, 200);
}

#[test]
fn handshakes_that_trickle_or_never_end_are_let_go() {
    let running = Running::start_with_tls(32 * MIB);
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
    let running = Running::start(32 * MIB);
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

    let huge = format!("POST / HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "y".repeat(300_000));
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
    let running = Running::start(32 * MIB);
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

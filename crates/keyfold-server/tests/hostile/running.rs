//! A server with a table, clients that behave, and measures of what the server holds.

use crate::common;
use flate2::Compression;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig, TlsFiles};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

pub(crate) const MIB: usize = 1024 * 1024;
/// Time limit of the servers of these tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);
/// The budget for large bodies, and the one for large answers.
pub(crate) const BUDGET: usize = 32 * MIB;

/// Serializes the tests: each measures the memory of the process.
pub(crate) static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A client's connection, plain or with TLS.
pub(crate) trait Client: Read + Write + Send {}
impl<T: Read + Write + Send> Client for T {}

/// The roots that clients trust, and the folder of the server's certificate.
pub(crate) type Trust = (ClientConfig, tempfile::TempDir);

/// Makes a server speak TLS.
pub(crate) fn secured(config: &mut ServerConfig) -> Option<Trust> {
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

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) tls: Option<Arc<ClientConfig>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _alone: MutexGuard<'static, ()>,
}

impl Running {
    pub(crate) fn start() -> Running {
        Running::with(|_| None)
    }

    pub(crate) fn start_with_tls() -> Running {
        Running::with(secured)
    }

    /// A server that does not disconnect silent clients before the test is over.
    pub(crate) fn start_patient(set: impl FnOnce(&mut ServerConfig) -> Option<Trust>) -> Running {
        Running::with(|config| {
            (config.receive_timeout, config.send_timeout) = (PATIENCE * 600, PATIENCE * 600);
            set(config)
        })
    }

    /// A server with a table of one partition of more than a megabyte.
    pub(crate) fn with(set: impl FnOnce(&mut ServerConfig) -> Option<Trust>) -> Running {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.receive_timeout = PATIENCE;
        config.send_timeout = PATIENCE;
        config.allow_unsigned = true;
        config.bodies_bytes_max = BUDGET;
        let tls = set(&mut config);
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        let (stop, stopped) = oneshot::channel();
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build();
            runtime.unwrap().block_on(async {
                let server = Server::bind(engine, config).await.unwrap();
                sender.send(server.address()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        let address = receiver.recv().unwrap();
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

    pub(crate) fn connect_plain(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE * 30)).unwrap();
        stream
    }

    pub(crate) fn connect(&self) -> Box<dyn Client> {
        self.connect_writing(None)
    }

    /// A connection with a timeout for writing.
    pub(crate) fn connect_writing(&self, time: Option<Duration>) -> Box<dyn Client> {
        let stream = self.connect_plain();
        stream.set_write_timeout(time).unwrap();
        let Some(tls) = &self.tls else {
            return Box::new(stream);
        };
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::clone(tls), name).unwrap();
        Box::new(StreamOwned::new(connection, stream))
    }

    /// Sends a request; returns the status and the length of the answer.
    pub(crate) fn ask(&self, operation: &str, body: &str) -> (u16, usize) {
        let mut stream = self.connect();
        // The server may refuse a request before it has read everything.
        drop(stream.write_all(&post(operation, body, "Connection: close\r\n")));
        answer(&mut *stream)
    }

    /// Opens connections that send requests and read no answer.
    pub(crate) fn ask_unread(&self, clients: usize, requests: &[u8]) -> Vec<Box<dyn Client>> {
        let ask = |_| {
            let mut stream = self.connect();
            stream.write_all(requests).unwrap();
            stream
        };
        (0..clients).map(ask).collect()
    }

    /// Sends a request after which the server closes; returns the answer.
    pub(crate) fn exchange(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        let mut received = Vec::new();
        drop(stream.read_to_end(&mut received));
        String::from_utf8_lossy(&received).into_owned()
    }

    /// The value of one of the server's metrics.
    pub(crate) fn gauge(&self, name: &str) -> usize {
        let metrics =
            self.exchange(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|count| count.parse().ok())
            .expect("the server exposes the metric")
    }

    /// The number of open connections, including the one of this request.
    pub(crate) fn connections(&self) -> usize {
        self.gauge("keyfold_connections")
    }

    /// The used bytes of the budgets for bodies and for answers.
    pub(crate) fn held(&self) -> (usize, usize) {
        (
            self.gauge("keyfold_received_held_bytes"),
            self.gauge("keyfold_sent_held_bytes"),
        )
    }

    /// The buffers of TLS connections, both ends of which are in this process, in bytes.
    pub(crate) fn buffers(&self, connections: usize) -> usize {
        if self.tls.is_some() {
            connections * 128 * 1024
        } else {
            0
        }
    }

    /// Checks that small requests are served.
    pub(crate) fn serves_small_requests(&self) {
        let get = r#"{"TableName":"Tab","Key":{"p":{"S":"b"},"s":{"S":"0"}}}"#;
        let put = r#"{"TableName":"Tab","Item":{"p":{"S":"b"},"s":{"S":"1"}}}"#;
        for _ in 0..20 {
            assert_eq!(self.ask("GetItem", get).0, 200);
            assert_eq!(self.ask("PutItem", put).0, 200);
        }
        // Writes that return the item, too.
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

    /// Checks that others are served: small requests at once, and large ones at the latest when the
    /// hostile clients are disconnected.
    pub(crate) fn serves_others(&self) {
        self.serves_small_requests();
        let text = "x".repeat(200_000);
        let put = format!(
            r#"{{"TableName":"Tab","Item":{{"p":{{"S":"c"}},"s":{{"S":"0"}},"t":{{"S":"{text}"}}}}}}"#
        );
        let deadline = Instant::now() + PATIENCE * 30;
        for (operation, body, least) in [("Query", QUERY, 900_000), ("PutItem", &put, 0)] {
            let (status, length) = loop {
                match self.ask(operation, body) {
                    // SDKs try again, too, after a 503 or a broken connection.
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

pub(crate) const QUERY: &str = r#"{"TableName":"Tab","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}"#;

pub(crate) fn post(operation: &str, body: impl AsRef<[u8]>, headers: &str) -> Vec<u8> {
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.as_ref().len()
    );
    [head.as_bytes(), body.as_ref()].concat()
}

/// Compresses a body.
pub(crate) fn packed(body: impl Read) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::GzEncoder::new(body, Compression::best())
        .read_to_end(&mut packed)
        .unwrap();
    packed
}

/// Reads until the server closes; returns the status and the length.
pub(crate) fn answer(stream: &mut dyn Client) -> (u16, usize) {
    let mut received = Vec::new();
    drop(stream.read_to_end(&mut received));
    let head = String::from_utf8_lossy(&received[..received.len().min(20)]).into_owned();
    (
        head.split_whitespace()
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0),
        received.len(),
    )
}

/// The resident memory of this process in bytes.
pub(crate) fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok())
        .unwrap_or(0)
        * 4096
}

/// Returns the largest growth of the memory over `before` in a number of samples.
pub(crate) fn peak_growth(before: usize, samples: usize) -> usize {
    let held = (0..samples).map(|_| {
        std::thread::sleep(PATIENCE / 40);
        memory().saturating_sub(before)
    });
    held.max().unwrap_or(0)
}

/// Waits until a condition holds.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE * 30;
    while !is_so() {
        assert!(Instant::now() < deadline, "this did not happen: {what}");
        std::thread::sleep(PATIENCE / 50);
    }
}

/// Checks that the server closes all connections.
pub(crate) fn assert_closed_in_time(streams: Vec<impl Read>) {
    let begun = Instant::now();
    for mut stream in streams {
        // Some bytes may precede the end.
        let mut rest = Vec::new();
        let end = stream.read_to_end(&mut rest).map_err(|error| error.kind());
        let is_open = matches!(end, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut));
        assert!(
            !is_open,
            "a connection is still open after {:?}",
            begun.elapsed()
        );
    }
    assert!(
        begun.elapsed() < PATIENCE * 60,
        "the last connection was closed after {:?}",
        begun.elapsed()
    );
}

pub(crate) const GET: &str = r#"{"TableName":"Tab","Key":{"p":{"S":"a"},"s":{"S":"0"}}}"#;
pub(crate) const BATCH: &str = r#"{"RequestItems":{"Tab":{"Keys":[{"p":{"S":"a"},"s":{"S":"0"}},{"p":{"S":"a"},"s":{"S":"1"}},{"p":{"S":"a"},"s":{"S":"2"}}]}}}"#;

/// A transaction whose conditions all fail and return their items.
pub(crate) fn cancelled() -> String {
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

/// Statements whose conditions all fail and return their items.
pub(crate) fn statements() -> String {
    let one = r#"{"Statement":"UPDATE Tab SET n = 1 WHERE p = 'a' AND s = '0' AND attribute_not_exists(p)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}"#;
    format!(r#"{{"Statements":[{}]}}"#, [one; 25].join(","))
}

/// A page of a statement that begins with a comment.
pub(crate) const COMMENTED: &str = r#"{"Statement":"-- \n SELECT * FROM Tab"}"#;

/// Opens connections at the same time, each with the head of a request, which declares a length,
/// and the first part of its body.
pub(crate) fn begun_bodies(
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

/// The first two megabytes of a body; they also parse as the first chunk of a chunked one.
pub(crate) fn chunk() -> Vec<u8> {
    let mut chunk = b"200000\r\n".to_vec();
    chunk.resize(2 * MIB, b' ');
    chunk
}

//! A server on a port of its own, and requests to it as bytes on a socket.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "not every test uses everything, and a test fails by panicking"
)]

use flate2::read::GzEncoder;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use keyfold_sigv4::SigningKey;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(change: impl FnOnce(&mut ServerConfig)) -> Running {
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.receive_timeout = Duration::from_millis(700);
        config.allow_unsigned = true;
        change(&mut config);
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        let (stop, stopped) = oneshot::channel();
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let server = Server::bind(engine, config).await.unwrap();
                sender.send(server.address()).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        Running {
            address: receiver.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream
    }

    pub(crate) fn post(&self, operation: &str, body: &[u8]) -> Answer {
        self.send(
            &[("X-Amz-Target", &format!("DynamoDB_20120810.{operation}"))],
            body,
        )
    }

    pub(crate) fn send(&self, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        write_post(&mut stream, headers, body, body.len());
        Answer::read(&mut stream)
    }

    /// Checks that the server still answers others.
    pub(crate) fn is_well(&self) {
        assert_eq!(
            self.post("ListTables", b"{}").text(),
            r#"{"TableNames":[]}"#
        );
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

pub(crate) fn write_post(
    stream: &mut TcpStream,
    headers: &[(&str, &str)],
    body: &[u8],
    length: usize,
) {
    let mut head = format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // The server may refuse before it has read everything.
    drop(stream.write_all(body));
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(stream: &mut TcpStream) -> Answer {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read(&mut byte).unwrap_or(0) == 0 {
                return Answer {
                    status: 0,
                    headers: Vec::new(),
                    body: Vec::new(),
                };
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
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
        Answer {
            status,
            headers,
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// A key of the region in which the tests sign.
pub(crate) fn signing_key<'k>(access_key: &'k str, secret: &'k str) -> SigningKey<'k> {
    SigningKey {
        access_key,
        secret,
        region: "us-east-1",
    }
}

/// The coding in which a test sends a body.
#[derive(Clone, Copy)]
pub(crate) enum Coding {
    Plain,
    Gzip,
}

/// Sends a signed request.
pub(crate) fn signed(
    server: &Running,
    (key, token): (&str, Option<&str>),
    signed_at: &str,
    target: &str,
    body: &[u8],
    coding: Coding,
) -> Answer {
    let mut headers = vec![
        ("host", "localhost"),
        ("x-amz-date", signed_at),
        ("x-amz-target", target),
    ];
    if let Some(token) = token {
        headers.push(("x-amz-security-token", token));
    }
    let mut packed = Vec::new();
    GzEncoder::new(body, flate2::Compression::fast())
        .read_to_end(&mut packed)
        .unwrap();
    let body = match coding {
        Coding::Plain => body,
        Coding::Gzip => &packed,
    };
    let authorization = keyfold_sigv4::sign(signing_key(key, "secret"), signed_at, &headers, body);
    let mut sent = vec![
        ("X-Amz-Date", signed_at),
        ("X-Amz-Target", target),
        ("Authorization", authorization.as_str()),
    ];
    if let Some(token) = token {
        sent.push(("X-Amz-Security-Token", token));
    }
    if let Coding::Gzip = coding {
        sent.push(("Content-Encoding", "gzip"));
    }
    server.send(&sent, body)
}

/// Now as `20260101T000000Z`.
pub(crate) fn now() -> String {
    jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string()
}

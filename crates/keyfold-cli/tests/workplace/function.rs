//! A function at a URL, which a test plays: it takes requests one by one.

use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// Takes one request; returns the connection, the request's first line and its body.
pub fn taken(listener: &TcpListener) -> (TcpStream, String, Json) {
    let (mut first, mut length) = (String::new(), 0);
    let (stream, mut reader) = loop {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        // At its start a server connects once, and asks for nothing.
        if reader.read_line(&mut first).unwrap() > 0 {
            break (stream, reader);
        }
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (stream, first, serde_json::from_slice(&body).unwrap())
}

/// Takes one request; returns its first line and its body, and answers with a status and a text.
pub fn take(listener: &TcpListener, status: &str, answer: &str) -> (String, Json) {
    let (mut stream, first, body) = taken(listener);
    let length = answer.len();
    // A server that has read enough may be gone.
    let _written = write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{answer}"
    );
    (first, body)
}

/// The text of a file, as soon as it has a line.
pub fn line(file: &Path) -> String {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_owned();
        }
        assert!(Instant::now() < until, "no line in {}", file.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

//! The bytes of requests and answers: HTTP with DynamoDB's headers, and Redis' protocol. The module
//! has only what a load generator needs, and takes as little processor time as possible from the
//! server that is measured.

use std::cell::RefCell;
use std::time::Instant;

/// The protocol of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// DynamoDB's JSON over HTTP.
    Http,
    /// Redis' protocol.
    Redis,
}

/// The headers of an SDK. The signature is well-formed; no measured server verifies it.
const HEADERS: &str = "Host: 127.0.0.1\r\n\
User-Agent: aws-sdk-rust/1.3 api/dynamodb/1.136 os/linux lang/rust\r\n\
Content-Type: application/x-amz-json-1.0\r\n\
Authorization: AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, \
SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
Signature=4f0b9b2c9f5a7f1d6b7d2f5e3a1c8e9d0b4a6c2e8f1d3b5a7c9e0f2d4b6a8c1e\r\n";

/// Seconds for which a date is sent. Servers refuse a date from a quarter of an hour ago.
const DATE_S: u64 = 60;

thread_local! {
    /// The header of the date, with the time it was made.
    static DATED: RefCell<Option<(Instant, String)>> = const { RefCell::new(None) };
}

/// Writes the header with the date of the signature.
fn date(out: &mut Vec<u8>) {
    DATED.with_borrow_mut(|dated| {
        let (made, text) = dated.get_or_insert_with(|| (Instant::now(), date_line()));
        if made.elapsed().as_secs() >= DATE_S {
            (*made, *text) = (Instant::now(), date_line());
        }
        out.extend_from_slice(text.as_bytes());
    });
}

fn date_line() -> String {
    jiff::Timestamp::now()
        .strftime("X-Amz-Date: %Y%m%dT%H%M%SZ\r\n")
        .to_string()
}

/// Writes a request of DynamoDB's API.
pub fn http(out: &mut Vec<u8>, operation: &str, body: &[u8]) {
    out.extend_from_slice(b"POST / HTTP/1.1\r\n");
    out.extend_from_slice(HEADERS.as_bytes());
    date(out);
    let is_of_streams = matches!(
        operation,
        "DescribeStream" | "GetRecords" | "GetShardIterator"
    );
    let service: &[u8] = if is_of_streams {
        b"DynamoDBStreams_20120810."
    } else {
        b"DynamoDB_20120810."
    };
    out.extend_from_slice(b"X-Amz-Target: ");
    out.extend_from_slice(service);
    out.extend_from_slice(operation.as_bytes());
    out.extend_from_slice(b"\r\nContent-Length: ");
    out.extend_from_slice(body.len().to_string().as_bytes());
    out.extend_from_slice(b"\r\n\r\n");
    out.extend_from_slice(body);
}

/// Writes a Redis command.
pub fn redis(out: &mut Vec<u8>, parts: &[&[u8]]) {
    out.extend_from_slice(format!("*{}\r\n", parts.len()).as_bytes());
    for part in parts {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
}

/// A complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The bytes of the answer.
    pub length: usize,
    /// The offset of the body.
    pub body_at: usize,
    /// Whether the request was carried out.
    pub is_ok: bool,
    /// Whether the server closes the connection after the answer.
    pub closes: bool,
}

/// The answer at the start of `bytes`; none if it is not complete.
pub fn answer(protocol: Protocol, bytes: &[u8]) -> Option<Answer> {
    match protocol {
        Protocol::Http => http_answer(bytes),
        Protocol::Redis => redis_answer(bytes),
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn http_answer(bytes: &[u8]) -> Option<Answer> {
    let head = bytes.get(..find(bytes, b"\r\n\r\n")?)?;
    let body_at = head.len() + 4;
    let is_ok = head.get(9..12) == Some(b"200");
    let (mut length, mut closes, mut is_chunked) = (0, head.starts_with(b"HTTP/1.0"), false);
    for line in head.split(|byte| *byte == b'\n').skip(1) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let (name, value) = line.split_at(colon);
        let value = std::str::from_utf8(value)
            .unwrap_or_default()
            .trim_start_matches(':')
            .trim();
        if name.eq_ignore_ascii_case(b"content-length") {
            length = value.parse().ok()?;
        } else if name.eq_ignore_ascii_case(b"connection") {
            closes = value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            is_chunked = true;
        }
    }
    if is_chunked {
        let end = find(bytes.get(body_at..)?, b"0\r\n\r\n")? + 5;
        return Some(Answer {
            length: body_at + end,
            body_at,
            is_ok,
            closes,
        });
    }
    (bytes.len() >= body_at + length).then_some(Answer {
        length: body_at + length,
        body_at,
        is_ok,
        closes,
    })
}

fn redis_answer(bytes: &[u8]) -> Option<Answer> {
    let line = find(bytes, b"\r\n")?;
    let (body_at, is_ok) = (line + 2, bytes.first() != Some(&b'-'));
    let complete = |length| {
        Some(Answer {
            length,
            body_at,
            is_ok,
            closes: false,
        })
    };
    if bytes.first() != Some(&b'$') {
        return complete(body_at);
    }
    let length: i64 = std::str::from_utf8(bytes.get(1..line)?)
        .ok()?
        .parse()
        .ok()?;
    match usize::try_from(length) {
        Err(_) => Some(Answer {
            length: body_at,
            body_at,
            is_ok: false,
            closes: false,
        }),
        Ok(length) if bytes.len() >= body_at + length + 2 => complete(body_at + length + 2),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_recognized_once_it_is_complete() {
        let text = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP";
        let complete = Answer {
            length: 41,
            body_at: 38,
            is_ok: true,
            closes: false,
        };
        assert_eq!(answer(Protocol::Http, text), Some(complete));
        assert_eq!(answer(Protocol::Http, &text[..40]), None);
        let closing =
            b"HTTP/1.1 400 Bad\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
        let closed = answer(Protocol::Http, closing).unwrap();
        assert!(!closed.is_ok && closed.closes && closed.length == closing.len());
        assert_eq!(
            answer(Protocol::Redis, b"$3\r\nabc\r").map(|answer| answer.length),
            None
        );
        assert_eq!(
            answer(Protocol::Redis, b"$3\r\nabc\r\n").map(|answer| answer.length),
            Some(9)
        );
        assert!(!answer(Protocol::Redis, b"-ERR no\r\n").unwrap().is_ok);
        assert!(
            !answer(Protocol::Redis, b"$-1\r\n").unwrap().is_ok,
            "a missing value"
        );
    }
}

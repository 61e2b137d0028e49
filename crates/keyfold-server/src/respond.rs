//! HTTP responses: the protocol's, with checksum and compression, and plain pages.

use crate::budget::{Budget, Reservation};
use crate::refusal::Refusal;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzEncoder;
use http_body_util::Full;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use std::io::Read;

/// Answers below this size are not worth compressing.
const GZIP_BYTES_MIN: usize = 2048;
const PROTOCOL_TYPE: &str = "application/x-amz-json-1.0";
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");

/// The answer of an operation, which holds its reservation of the budget until it is sent.
pub(crate) fn respond(
    headers: &HeaderMap,
    outcome: Result<Vec<u8>, Refusal>,
    budget: &Budget,
    mut reservation: Reservation,
) -> Response<Full<Bytes>> {
    let (status, body) = match outcome {
        Ok(body) => (StatusCode::OK, body),
        Err(Refusal::Api(error)) => {
            let mut body = Vec::new();
            keyfold_wire::encode_error(&mut body, &error);
            let status = StatusCode::from_u16(error.kind().status());
            (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
        }
        Err(Refusal::Exhausted) => return unavailable(),
        Err(Refusal::TooLarge) => {
            let reason = "The request body is too large\n";
            return text(StatusCode::PAYLOAD_TOO_LARGE, reason);
        }
        Err(Refusal::TooSlow) => {
            let reason = "The request body took too long\n";
            return text(StatusCode::REQUEST_TIMEOUT, reason);
        }
        Err(Refusal::Cut) => {
            return text(StatusCode::BAD_REQUEST, "The request body ended early\n");
        }
        Err(Refusal::Coding) => {
            let reason = "Bodies can be plain or gzip, and in no other encoding\n";
            return text(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason);
        }
    };
    let (body, is_gzip) = compress(headers, body);
    // A compressed body is smaller, so this only shrinks the reservation.
    budget.try_fit(&mut reservation, body.capacity());
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = status;
    let out = response.headers_mut();
    out.reserve(5);
    out.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(PROTOCOL_TYPE),
    );
    // The checksum covers the bytes as sent.
    out.insert(CRC32, HeaderValue::from(crc32fast::hash(&body)));
    if is_gzip {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    *response.body_mut() = Full::new(reservation.filled_with(body));
    response
}

/// DynamoDB's 503, after which SDKs try again.
fn unavailable() -> Response<Full<Bytes>> {
    const BODY: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"Too many large bodies are under way; try again in a moment"}"#;
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, BODY);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(PROTOCOL_TYPE),
    );
    response
}

/// Compresses an answer for a client that accepts it; returns the body and whether it is gzip.
fn compress(headers: &HeaderMap, body: Vec<u8>) -> (Vec<u8>, bool) {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|accepted| accepted.to_str().ok());
    let is_gzip = |one: &str| {
        let mut parts = one.split(';').map(str::trim);
        parts.next() == Some("gzip")
            && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    };
    let wants = accepted.is_some_and(|accepted| accepted.split(',').map(str::trim).any(is_gzip));
    if !wants || body.len() < GZIP_BYTES_MIN {
        return (body, false);
    }
    let mut packed = Vec::with_capacity(body.len() / 4);
    match GzEncoder::new(body.as_slice(), Compression::fast()).read_to_end(&mut packed) {
        Ok(_) => (packed, true),
        Err(_) => (body, false),
    }
}

/// DynamoDB's 404 for requests that are not the API's.
pub(crate) fn page_not_found() -> Response<Full<Bytes>> {
    let mut response = text(
        StatusCode::NOT_FOUND,
        "<!DOCTYPE html><html><head><title>Page Not Found</title></head><body>Page Not Found</body></html>\n",
    );
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    response
}

/// A response of plain text.
pub(crate) fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

//! One HTTP exchange: receive, answer, send.

use crate::auth;
use crate::config::ServerConfig;
use crate::request_id;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use keyfold_api::{ApiError, Response as ApiResponse};
use keyfold_engine::Engine;
use std::io::Read;

/// Answers below this size are not worth compressing.
const GZIP_BYTES_MIN: usize = 2048;
const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Answers one request; never fails.
pub(crate) async fn answer(
    engine: &Engine,
    config: &ServerConfig,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let mut response = match parts.method {
        Method::POST => {
            let outcome = match receive(config, &parts.headers, body).await {
                Ok(body) => operate(engine, config, &parts.headers, &body).await,
                Err(refusal) => Err(refusal),
            };
            respond(&parts.headers, outcome)
        }
        Method::OPTIONS => preflight(&parts.headers),
        Method::GET | Method::HEAD if matches!(parts.uri.path(), "/" | "/health") => {
            text(StatusCode::OK, "healthy: keyfold speaks the DynamoDB API here; POST requests to /\n")
        }
        _ => text(StatusCode::METHOD_NOT_ALLOWED, "The DynamoDB API takes POST requests to /\n"),
    };
    let id = request_id::new();
    response.headers_mut().insert(REQUEST_ID, header_value(&id));
    if parts.headers.contains_key(header::ORIGIN) {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    response
}

/// A request that gets no answer of the API's.
enum Refusal {
    Api(Box<ApiError>),
    TooLarge,
    TooSlow,
    Cut,
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::Api(Box::new(error))
    }
}

async fn receive(config: &ServerConfig, headers: &HeaderMap, body: Incoming) -> Result<Received, Refusal> {
    // Refused before anything is read, if the length says so.
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if declared
        .and_then(|length| length.parse::<u64>().ok())
        .is_some_and(|bytes| bytes > config.body_bytes_max as u64)
    {
        return Err(Refusal::TooLarge);
    }
    let limited = Limited::new(body, config.body_bytes_max).collect();
    let sent = match tokio::time::timeout(config.receive_timeout, limited).await {
        Err(_elapsed) => return Err(Refusal::TooSlow),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(Refusal::TooLarge),
        Ok(Err(_cut)) => return Err(Refusal::Cut),
        Ok(Ok(collected)) => collected.to_bytes(),
    };
    let is_gzip = headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding == "gzip");
    if !is_gzip {
        return Ok(Received { plain: sent.clone(), sent });
    }
    let mut plain = Vec::new();
    let most = config.body_bytes_max as u64;
    match GzDecoder::new(sent.as_ref()).take(most + 1).read_to_end(&mut plain) {
        Ok(_) if plain.len() as u64 > most => Err(Refusal::TooLarge),
        Ok(_) => Ok(Received { plain: plain.into(), sent }),
        Err(_) => Err(ApiError::Serialization(Some("The body is not valid gzip".to_owned())).into()),
    }
}

/// A body as it was sent, which is what a signature covers, and without compression.
struct Received {
    sent: Bytes,
    plain: Bytes,
}

async fn operate(
    engine: &Engine,
    config: &ServerConfig,
    headers: &HeaderMap,
    body: &Received,
) -> Result<Vec<u8>, Refusal> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |elapsed| elapsed.as_secs() as i64);
    auth::check(&config.credentials, headers, &body.sent, now)?;
    let target = headers.get(TARGET).and_then(|target| target.to_str().ok()).unwrap_or_default();
    let operation = keyfold_wire::target::operation(target)?;
    let request = keyfold_wire::decode(operation, &body.plain).map_err(ApiError::from)?;
    let region =
        headers.get(header::AUTHORIZATION).and_then(|given| given.to_str().ok()).and_then(scope_region);
    let mut response = match region {
        Some(region) => engine.execute_in(region, request).await?,
        None => engine.execute(request).await?,
    };
    if let ApiResponse::DescribeEndpoints(output) = &mut response {
        // Requests go where this one went.
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        for endpoint in output.endpoints.iter_mut().flatten() {
            endpoint.address = host.map(str::to_owned).or(endpoint.address.take());
        }
    }
    let mut out = Vec::with_capacity(256);
    keyfold_wire::encode_response(&mut out, &response);
    Ok(out)
}

/// The region in the scope of an `Authorization` header, whether or not signatures are verified.
fn scope_region(authorization: &str) -> Option<&str> {
    let (_, credential) = authorization.split_once("Credential=")?;
    let region = credential.split('/').nth(2)?;
    let is_region = (1..=32).contains(&region.len())
        && region.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    is_region.then_some(region)
}

fn respond(headers: &HeaderMap, outcome: Result<Vec<u8>, Refusal>) -> Response<Full<Bytes>> {
    let (status, body) = match outcome {
        Ok(body) => (StatusCode::OK, body),
        Err(Refusal::Api(error)) => {
            let mut body = Vec::new();
            keyfold_wire::encode_error(&mut body, &error);
            (StatusCode::from_u16(error.kind().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
        }
        Err(Refusal::TooLarge) => {
            return text(StatusCode::PAYLOAD_TOO_LARGE, "The request body is too large\n");
        }
        Err(Refusal::TooSlow) => {
            return text(StatusCode::REQUEST_TIMEOUT, "The request body took too long\n");
        }
        Err(Refusal::Cut) => return text(StatusCode::BAD_REQUEST, "The request body ended early\n"),
    };
    let (body, is_gzip) = compress(headers, body);
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = status;
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    // The checksum covers the bytes as sent.
    out.insert(CRC32, header_value(&crc32fast::hash(&body).to_string()));
    if is_gzip {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    *response.body_mut() = Full::new(body.into());
    response
}

fn compress(headers: &HeaderMap, body: Vec<u8>) -> (Vec<u8>, bool) {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|accepted| accepted.to_str().ok());
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

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

fn text(status: StatusCode, body: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(body.as_bytes())));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Lets a page in a browser call the server.
fn preflight(headers: &HeaderMap) -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::OK, "");
    let out = response.headers_mut();
    out.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    out.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, OPTIONS"));
    out.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        out.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    response
}

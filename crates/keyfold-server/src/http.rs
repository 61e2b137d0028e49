//! One HTTP exchange: receive, answer, send.

use crate::auth;
use crate::budget::{FREE_BYTES, NoRoom, Room};
use crate::copy;
use crate::metrics::Told;
use crate::origin;
use crate::request_id::RequestId;
use crate::room;
use crate::server::Service;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use keyfold_api::{ApiError, Response as ApiResponse};
use keyfold_sigv4::Query;
use keyfold_wire::admin::COPY_TARGET;
use std::io::Read;
use std::time::{Duration, Instant};

/// Answers below this size are not worth compressing.
const GZIP_BYTES_MIN: usize = 2048;
const CONTENT_TYPE: &str = "application/x-amz-json-1.0";
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Answers one request; never fails.
pub(crate) async fn answer(service: &Service, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let begun = Instant::now();
    let (parts, body) = request.into_parts();
    let id = RequestId::new();
    let page = match origin::judge(&service.config, &parts) {
        Ok(page) => page,
        Err(why) => {
            service.metrics.turned_away_page();
            tracing::warn!(request = %id, reason = %why, "refused");
            let mut response = text(StatusCode::FORBIDDEN, format!("{why}\n"));
            response.headers_mut().insert(REQUEST_ID, id.header());
            return response;
        }
    };
    let mut response = match (&parts.method, parts.uri.path()) {
        (&Method::POST, "/") if !speaks_json(&parts.headers) => page_not_found(),
        (&Method::POST, "/") => {
            let mut told = Received {
                operation: Told::Unknown,
                bytes: 0,
                room: Room::default(),
            };
            let outcome = respond_to(service, &parts, body, &mut told).await;
            let failure = match &outcome {
                Ok(_) => None,
                Err(Refusal::Api(error)) => Some(error.kind().exception()),
                Err(Refusal::TooLarge) => Some("TooLarge"),
                Err(Refusal::TooSlow) => Some("TooSlow"),
                Err(Refusal::Cut) => Some("Cut"),
                Err(Refusal::NoRoom) => Some("NoRoom"),
                Err(Refusal::Coding) => Some("Coding"),
            };
            if let Err(Refusal::Api(error)) = &outcome
                && let ApiError::Internal(detail) = &**error
            {
                tracing::error!(request = %id, operation = told.operation.name(), detail = %detail, "the engine failed");
            }
            let response = respond(service, &parts.headers, outcome, told.room);
            let sent = response.body().size_hint().lower() as usize;
            let took = begun.elapsed();
            service
                .metrics
                .answered(told.operation, failure, took, (told.bytes, sent));
            tracing::info!(
                request = %id,
                operation = told.operation.name(),
                outcome = failure.unwrap_or("ok"),
                received = told.bytes,
                sent,
                micros = took.as_micros() as u64,
                "answered"
            );
            response
        }
        (&Method::OPTIONS, _) => {
            let mut response = text(StatusCode::OK, "");
            origin::preflight(&page, &parts.headers, response.headers_mut());
            response
        }
        (&Method::GET | &Method::HEAD, "/" | "/health") => text(
            StatusCode::OK,
            format!(
                "healthy: dynamodb.{}.amazonaws.com ",
                service.engine.region()
            ),
        ),
        (&Method::GET, "/metrics") => {
            let held = (service.received.taken_bytes(), service.sent.taken_bytes());
            let mut response = text(StatusCode::OK, service.metrics.text(&service.engine, held));
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, HeaderValue::from_static(METRICS_TYPE));
            response
        }
        _ => page_not_found(),
    };
    response.headers_mut().insert(REQUEST_ID, id.header());
    origin::tell(&page, response.headers_mut());
    response
}

/// Facts about a request, for counters and the log.
struct Received {
    operation: Told,
    bytes: usize,
    /// The memory that the answer holds until it is sent.
    room: Room,
}

async fn respond_to(
    service: &Service,
    parts: &Parts,
    body: Incoming,
    told: &mut Received,
) -> Result<Vec<u8>, Refusal> {
    let query = auth::query(parts)?;
    let body = receive(service, &parts.headers, body).await?;
    told.bytes = body.sent.len();
    let _executing = service.executing();
    operate(service, &parts.headers, &query, body, told).await
}

/// The operation asked for: in a header, or in the query, where signers of presigned requests put
/// it. From the query only with the type of the protocol's bodies, which a form of a web page
/// cannot send.
fn target<'r>(headers: &'r HeaderMap, query: &'r Query) -> &'r str {
    let in_query = || {
        query
            .get(TARGET.as_str())
            .filter(|_| headers.contains_key(header::CONTENT_TYPE))
    };
    headers
        .get(TARGET)
        .and_then(|target| target.to_str().ok())
        .or_else(in_query)
        .unwrap_or_default()
}

/// Whether the body is said to be JSON of the protocol, or nothing is said.
fn speaks_json(headers: &HeaderMap) -> bool {
    let Some(given) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    let kind = given
        .to_str()
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    matches!(kind, "application/x-amz-json-1.0" | "application/json")
}

/// DynamoDB's 404 for other requests.
fn page_not_found() -> Response<Full<Bytes>> {
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

/// A request that gets no answer of the API's.
enum Refusal {
    Api(Box<ApiError>),
    TooLarge,
    TooSlow,
    Cut,
    NoRoom,
    Coding,
}

impl From<NoRoom> for Refusal {
    fn from(_: NoRoom) -> Refusal {
        Refusal::NoRoom
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::Api(Box::new(error))
    }
}

/// Bytes a second that a body must come with in the long run.
const RECEIVED_A_SECOND_MIN: u32 = 32 * 1024;

/// Bytes of a compressed body that are unpacked before there is room for more.
const UNPACKED_AT_ONCE: u64 = 64 * 1024;

/// Reads a body as it comes.
async fn receive(
    service: &Service,
    headers: &HeaderMap,
    mut body: Incoming,
) -> Result<ReceivedBody, Refusal> {
    let config = &service.config;
    let is_gzip = is_gzip(headers)?;
    // Refused before anything is read, if the length says so.
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok());
    let declared = declared.and_then(|length| length.parse::<usize>().ok());
    if declared.is_some_and(|bytes| bytes > config.body_bytes_max) {
        return Err(Refusal::TooLarge);
    }
    let (mut waiting_since, mut room) = (None, Room::default());
    let (mut whole, mut parts) = (Bytes::new(), Vec::new());
    while !body.is_end_stream() {
        let length = whole.len() + parts.len();
        let late = async {
            let begun = waiting_since.get_or_insert_with(Instant::now);
            let time = config.receive_timeout
                + Duration::from_secs(1) * length as u32 / RECEIVED_A_SECOND_MIN;
            let left = time
                .saturating_sub(begun.elapsed())
                .min(config.receive_timeout);
            tokio::time::sleep(left).await;
        };
        // Bytes that have arrived are taken without a timer.
        let frame = tokio::select! {
            biased;
            frame = body.frame() => frame,
            () = late => return Err(Refusal::TooSlow),
        };
        let frame = match frame {
            Some(Err(_cut)) => return Err(Refusal::Cut),
            None => break,
            Some(Ok(frame)) => frame,
        };
        let Ok(part) = frame.into_data() else {
            continue;
        };
        if length + part.len() > config.body_bytes_max {
            return Err(Refusal::TooLarge);
        }
        service.received.fit(&mut room, length + part.len()).await?;
        // Most bodies come in one part, which is not copied.
        if length == 0 {
            whole = part;
        } else {
            if parts.is_empty() {
                parts.reserve(declared.unwrap_or(0).min(2 * (length + part.len())));
                parts.extend_from_slice(&std::mem::take(&mut whole));
            }
            parts.extend_from_slice(&part);
        }
    }
    let sent = if parts.is_empty() {
        whole
    } else {
        Bytes::from(parts)
    };
    let plain = if is_gzip {
        unpack(service, &sent, &mut room).await?
    } else {
        sent.clone()
    };
    let packed = if is_gzip { sent.len() } else { 0 };
    service
        .received
        .fit(&mut room, packed + plain.len() + room::values_bytes(&plain))
        .await?;
    Ok(ReceivedBody {
        sent,
        plain,
        _room: room,
    })
}

/// Whether a body is compressed.
fn is_gzip(headers: &HeaderMap) -> Result<bool, Refusal> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let (first, second) = (codings.next(), codings.next());
    let word = |coding: &HeaderValue| {
        coding
            .to_str()
            .map_or_else(|_| "?".to_owned(), str::to_ascii_lowercase)
    };
    match (first.map(word).as_deref().map(str::trim), second) {
        (None | Some("" | "identity"), None) => Ok(false),
        (Some("gzip" | "x-gzip"), None) => Ok(true),
        _ => Err(Refusal::Coding),
    }
}

async fn unpack(service: &Service, sent: &Bytes, room: &mut Room) -> Result<Bytes, Refusal> {
    let mut plain = Vec::new();
    let mut unpacked = GzDecoder::new(sent.as_ref());
    loop {
        let before = plain.len();
        match unpacked
            .by_ref()
            .take(UNPACKED_AT_ONCE)
            .read_to_end(&mut plain)
        {
            Ok(_) if plain.len() == before => break,
            Ok(_) if plain.len() > service.config.body_bytes_max => return Err(Refusal::TooLarge),
            Ok(_) => service.received.fit(room, sent.len() + plain.len()).await?,
            Err(_) => {
                return Err(
                    ApiError::Serialization(Some("The body is not valid gzip".to_owned())).into(),
                );
            }
        }
    }
    Ok(plain.into())
}

/// A body as it was sent, which is what a signature covers, and without compression. Kept until the
/// answer is there.
struct ReceivedBody {
    sent: Bytes,
    plain: Bytes,
    _room: Room,
}

async fn operate(
    service: &Service,
    headers: &HeaderMap,
    query: &Query,
    body: ReceivedBody,
    told: &mut Received,
) -> Result<Vec<u8>, Refusal> {
    let target = target(headers, query);
    if target == COPY_TARGET {
        told.operation = Told::CopyDataFolder;
        let caller = auth::check(
            &service.config,
            headers,
            query,
            &body.sent,
            jiff::Timestamp::now(),
        )?;
        return Ok(copy::data_folder(service, &caller, &body.plain).await?);
    }
    let operation = keyfold_wire::target::operation(target)?;
    told.operation = Told::Known(operation);
    let caller = auth::check(
        &service.config,
        headers,
        query,
        &body.sent,
        jiff::Timestamp::now(),
    )?;
    let read = || keyfold_wire::decode(operation, &body.plain).map_err(ApiError::from);
    let request = read()?;
    if caller.credential.is_some() {
        auth::check_rights(&caller, operation, &service.engine.resources(&request))?;
    }
    let need = room::needed_for(&request);
    let has_room = service.sent.try_fit(&mut told.room, need.bytes)
        || is_small(service, &request, body.plain.len()).await;
    // A waiting request holds its body, which is admitted, and not the decoded input, which can be
    // many times as large.
    let mut request = Some(request);
    if !has_room {
        request = None;
        service.sent.fit(&mut told.room, need.bytes).await?;
    }
    loop {
        if need.writes && service.engine.is_crowded() {
            request = None;
            service.engine.room_to_write().await;
        }
        let request = request.take().map_or_else(read, Ok)?;
        let outcome = match &caller.region {
            Some(region) => service.engine.execute_in(region, request).await,
            None => service.engine.execute(request).await,
        };
        if let Some(latency) = &service.latency {
            tokio::time::sleep(latency.next(operation)).await;
        }
        let needed = match outcome {
            Ok(mut response) => {
                tell_host(headers, &mut response);
                let expected = 256 + room::item_bytes(&response);
                // Before it is written down: it can be many times as large as what was read.
                if need.writes
                    || expected <= need.bytes
                    || service.sent.try_fit(&mut told.room, expected)
                {
                    let mut out = Vec::with_capacity(expected);
                    keyfold_wire::encode_response(&mut out, &response);
                    if out.len() <= FREE_BYTES {
                        out.shrink_to(FREE_BYTES);
                    }
                    if service.sent.try_fit(&mut told.room, out.capacity()) {
                        return Ok(out);
                    }
                    if need.writes {
                        // It became larger than was asked room for, while it was written: told all
                        // the same, since it would be done twice.
                        service
                            .sent
                            .fit(&mut told.room, out.capacity())
                            .await
                            .unwrap_or_default();
                        return Ok(out);
                    }
                    out.capacity()
                } else {
                    expected
                }
            }
            Err(error) => {
                let stored = room::error_bytes(&error);
                let mut out = Vec::new();
                if stored > 0 {
                    keyfold_wire::encode_error(&mut out, &error);
                }
                if service.sent.try_fit(&mut told.room, out.capacity()) {
                    return Err(error.into());
                }
                out.capacity()
            }
        };
        // Nothing was written, so it is carried out again when there is room for what it tells.
        told.room.give_back();
        service.sent.fit(&mut told.room, needed).await?;
    }
}

/// Requests go where this one went.
fn tell_host(headers: &HeaderMap, response: &mut ApiResponse) {
    if let ApiResponse::DescribeEndpoints(output) = response {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        for endpoint in output.endpoints.iter_mut().flatten() {
            endpoint.address = host.map(str::to_owned).or(endpoint.address.take());
        }
    }
}

/// Whether a write that finds no room tells an item of the usual size, which is free.
async fn is_small(service: &Service, request: &keyfold_api::Request, received: usize) -> bool {
    let Some((look, times)) = room::look_at(request) else {
        return false;
    };
    let Ok(found) = service.engine.execute(look).await else {
        return false;
    };
    if room::item_bytes(&found) > FREE_BYTES {
        return false;
    }
    let mut told = Vec::new();
    keyfold_wire::encode_response(&mut told, &found);
    (told.len() + received) * times <= FREE_BYTES
}

fn respond(
    service: &Service,
    headers: &HeaderMap,
    outcome: Result<Vec<u8>, Refusal>,
    mut room: Room,
) -> Response<Full<Bytes>> {
    let (status, body) = match outcome {
        Ok(body) => (StatusCode::OK, body),
        Err(Refusal::Api(error)) => {
            let mut body = Vec::new();
            keyfold_wire::encode_error(&mut body, &error);
            (
                StatusCode::from_u16(error.kind().status())
                    .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
                body,
            )
        }
        Err(Refusal::TooLarge) => {
            return text(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The request body is too large\n",
            );
        }
        Err(Refusal::TooSlow) => {
            return text(
                StatusCode::REQUEST_TIMEOUT,
                "The request body took too long\n",
            );
        }
        Err(Refusal::Cut) => {
            return text(StatusCode::BAD_REQUEST, "The request body ended early\n");
        }
        Err(Refusal::NoRoom) => return no_room(),
        Err(Refusal::Coding) => {
            return text(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Bodies can be plain or gzip, and in no other encoding\n",
            );
        }
    };
    let (body, is_gzip) = compress(headers, body);
    // A compressed body is smaller.
    service.sent.try_fit(&mut room, body.capacity());
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = status;
    let out = response.headers_mut();
    out.reserve(5);
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    // The checksum covers the bytes as sent.
    out.insert(CRC32, HeaderValue::from(crc32fast::hash(&body)));
    if is_gzip {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    *response.body_mut() = Full::new(room.filled_with(body));
    response
}

/// As the service says that it cannot answer now; SDKs try again after it.
fn no_room() -> Response<Full<Bytes>> {
    const BODY: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"Too many large bodies are under way; try again in a moment"}"#;
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, BODY);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    response
}

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

fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

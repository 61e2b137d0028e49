//! One HTTP exchange: judge the origin, route, answer, count and log.

use crate::call::{self, Exchange};
use crate::origin::{self, Page};
use crate::refusal::Refusal;
use crate::request_id::RequestId;
use crate::respond::{page_not_found, respond, text};
use crate::service::Service;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use keyfold_api::ErrorKind;
use std::time::Instant;

const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");

/// Answers one request; never fails.
pub(crate) async fn answer(service: &Service, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let begun = Instant::now();
    let (parts, body) = request.into_parts();
    let id = RequestId::new();
    let mut response = match origin::judge(&service.config, &parts) {
        Ok(page) => {
            let mut response = match (&parts.method, parts.uri.path()) {
                (&Method::POST, "/") if has_protocol_type(&parts.headers) => {
                    call(service, &parts, body, &id, begun).await
                }
                (&Method::OPTIONS, _) => preflight(&page, &parts.headers),
                (&Method::GET | &Method::HEAD, "/" | "/health") => health(service),
                (&Method::GET, "/metrics") => metrics(service),
                _ => page_not_found(),
            };
            origin::expose(&page, response.headers_mut());
            response
        }
        Err(reason) => {
            service.metrics.page_refused();
            tracing::warn!(request = %id, %reason, "refused");
            text(StatusCode::FORBIDDEN, format!("{reason}\n"))
        }
    };
    response.headers_mut().insert(REQUEST_ID, id.header());
    response
}

/// Answers a call of the API, counts it and logs it.
async fn call(
    service: &Service,
    parts: &Parts,
    body: Incoming,
    id: &RequestId,
    begun: Instant,
) -> Response<Full<Bytes>> {
    let mut exchange = Exchange::new();
    let outcome = call::answer(service, parts, body, &mut exchange).await;
    let failure = outcome.as_ref().err().map(Refusal::label);
    let operation = exchange.operation;
    if let Err(Refusal::Api(error)) = &outcome
        && error.kind() == ErrorKind::Internal
    {
        tracing::error!(request = %id, operation = operation.name(), detail = %error, "the engine failed");
    }
    let response = respond(&parts.headers, outcome, &service.sent, exchange.answer);
    let received = exchange.received_bytes;
    let sent = response.body().size_hint().lower() as usize;
    let took = begun.elapsed();
    service
        .metrics
        .answered(operation, failure, took, (received, sent));
    tracing::info!(
        request = %id,
        operation = operation.name(),
        outcome = failure.unwrap_or("ok"),
        received,
        sent,
        micros = took.as_micros() as u64,
        "answered"
    );
    response
}

/// Whether the content type is JSON of the protocol, or absent.
fn has_protocol_type(headers: &HeaderMap) -> bool {
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

/// The answer to a browser that asks before it calls.
fn preflight(page: &Page, headers: &HeaderMap) -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::OK, "");
    origin::preflight(page, headers, response.headers_mut());
    response
}

/// DynamoDB's answer to probes.
fn health(service: &Service) -> Response<Full<Bytes>> {
    let region = service.engine.region();
    text(
        StatusCode::OK,
        format!("healthy: dynamodb.{region}.amazonaws.com "),
    )
}

fn metrics(service: &Service) -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::OK, service.counters());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(METRICS_TYPE));
    response
}

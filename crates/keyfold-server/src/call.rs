//! One call of an operation: authenticate, decode, admit, execute, encode.
//!
//! A read whose answer does not fit the budget for answers waits for the budget and is executed
//! again. A write reserves its largest answer first: a committed write must not be refused.

use crate::answer_size::{self, Need};
use crate::auth::{self, Caller};
use crate::budget::{FREE_BYTES, Reservation};
use crate::copy;
use crate::metrics::OperationLabel;
use crate::receive::{ReceivedBody, receive};
use crate::refusal::Refusal;
use crate::service::Service;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use keyfold_api::{ApiError, Operation, Request, Response};
use keyfold_sigv4::Query;
use keyfold_wire::admin::COPY_TARGET;

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Facts about a call for metrics and the log, and the memory of its answer.
pub(crate) struct Exchange {
    pub(crate) operation: OperationLabel,
    pub(crate) received_bytes: usize,
    /// The memory that the answer holds until it is sent.
    pub(crate) answer: Reservation,
}

impl Exchange {
    pub(crate) fn new() -> Exchange {
        Exchange {
            operation: OperationLabel::Unknown,
            received_bytes: 0,
            answer: Reservation::default(),
        }
    }
}

/// Receives and executes the request; returns the answer's body.
pub(crate) async fn answer(
    service: &Service,
    parts: &Parts,
    body: Incoming,
    exchange: &mut Exchange,
) -> Result<Vec<u8>, Refusal> {
    let query = auth::query(parts)?;
    let body = receive(service, &parts.headers, body).await?;
    exchange.received_bytes = body.sent.len();
    let _executing = service.executing();
    dispatch(service, &parts.headers, &query, body, exchange).await
}

/// Finds the operation, authenticates the caller and executes.
async fn dispatch(
    service: &Service,
    headers: &HeaderMap,
    query: &Query,
    body: ReceivedBody,
    exchange: &mut Exchange,
) -> Result<Vec<u8>, Refusal> {
    let authenticate = || {
        let now = jiff::Timestamp::now();
        auth::check(&service.config, headers, query, &body.sent, now)
    };
    let target = target(headers, query);
    if target == COPY_TARGET {
        exchange.operation = OperationLabel::CopyDataFolder;
        let caller = authenticate()?;
        return Ok(copy::data_folder(service, &caller, &body.plain).await?);
    }
    let operation = keyfold_wire::target::operation(target)?;
    exchange.operation = OperationLabel::Known(operation);
    let call = Call {
        service,
        headers,
        caller: authenticate()?,
        operation,
        body: &body.plain,
    };
    call.run(&mut exchange.answer).await
}

/// The operation asked for: in a header, or in the query, where signers of presigned requests put
/// it. The query counts only with the content type of the protocol, which a form of a web page
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

/// A request of an authenticated caller.
struct Call<'c> {
    service: &'c Service,
    headers: &'c HeaderMap,
    caller: Caller<'c>,
    operation: Operation,
    /// The request's JSON.
    body: &'c [u8],
}

/// The outcome of one execution.
enum Attempt {
    /// The answer's body, which fits the reservation.
    Fits(Vec<u8>),
    /// The error is the answer, and fits the reservation.
    Failed(ApiError),
    /// Nothing was written, and the answer needs so many bytes.
    Needs(usize),
}

impl Call<'_> {
    async fn run(&self, reservation: &mut Reservation) -> Result<Vec<u8>, Refusal> {
        let engine = &self.service.engine;
        let request = self.decode()?;
        if self.caller.credential.is_some() {
            let resources = engine.resources(&request);
            auth::check_rights(&self.caller, self.operation, &resources)?;
        }
        let need = answer_size::needed_for(&request);
        let mut decoded = self.admit(request, need, reservation).await?;
        loop {
            if need.writes && engine.has_back_pressure() {
                decoded = None;
                engine.wait_for_back_pressure().await;
            }
            let request = decoded.take().map_or_else(|| self.decode(), Ok)?;
            let attempt = match self.execute(request).await {
                Ok(response) => self.encode(response, need, reservation).await,
                Err(error) => self.fit_error(error, reservation),
            };
            let bytes = match attempt {
                Attempt::Fits(body) => return Ok(body),
                Attempt::Failed(error) => return Err(error.into()),
                Attempt::Needs(bytes) => bytes,
            };
            reservation.release();
            self.service.sent.fit(reservation, bytes).await?;
        }
    }

    fn decode(&self) -> Result<Request, ApiError> {
        keyfold_wire::decode(self.operation, self.body).map_err(ApiError::from)
    }

    /// Reserves memory for the answer. Returns the request, or `None` when it had to wait: a
    /// waiting request keeps its body, which is admitted, and not the decoded input, which can be
    /// many times as large.
    async fn admit(
        &self,
        request: Request,
        need: Need,
        reservation: &mut Reservation,
    ) -> Result<Option<Request>, Refusal> {
        if self.service.sent.try_fit(reservation, need.bytes) || self.is_small(&request).await {
            return Ok(Some(request));
        }
        drop(request);
        self.service.sent.fit(reservation, need.bytes).await?;
        Ok(None)
    }

    /// Whether the item that a write returns is of the usual size, whose answer is free.
    async fn is_small(&self, request: &Request) -> bool {
        let Some((look_up, times)) = answer_size::returned_item(request) else {
            return false;
        };
        let Ok(found) = self.service.engine.execute(look_up).await else {
            return false;
        };
        if answer_size::item_bytes(&found) > FREE_BYTES {
            return false;
        }
        let mut item = Vec::new();
        keyfold_wire::encode_response(&mut item, &found);
        (item.len() + self.body.len()) * times <= FREE_BYTES
    }

    async fn execute(&self, request: Request) -> Result<Response, ApiError> {
        let engine = &self.service.engine;
        let caller = keyfold_engine::Caller {
            region: self.caller.region,
            user: self.caller.credential.map(|one| one.access_key.as_str()),
            agent: self
                .headers
                .get(header::USER_AGENT)
                .map(|agent| agent.as_bytes()),
        };
        let outcome = engine.execute_for(caller, request).await;
        if let Some(latency) = &self.service.latency {
            tokio::time::sleep(latency.next(self.operation)).await;
        }
        outcome
    }

    /// Encodes an output, if the memory for it can be reserved at once.
    async fn encode(
        &self,
        mut response: Response,
        need: Need,
        reservation: &mut Reservation,
    ) -> Attempt {
        let budget = &self.service.sent;
        set_host(self.headers, &mut response);
        let expected = 256 + answer_size::item_bytes(&response);
        // Reserved before encoding: the JSON can be many times as large as the items.
        let fits = need.writes || expected <= need.bytes || budget.try_fit(reservation, expected);
        if !fits {
            return Attempt::Needs(expected);
        }
        let mut body = Vec::with_capacity(expected);
        keyfold_wire::encode_response(&mut body, &response);
        if body.len() <= FREE_BYTES {
            body.shrink_to(FREE_BYTES);
        }
        if budget.try_fit(reservation, body.capacity()) {
            return Attempt::Fits(body);
        }
        if need.writes {
            // The answer outgrew its reservation. It is sent in any case: a client would repeat the
            // committed write.
            budget
                .fit(reservation, body.capacity())
                .await
                .unwrap_or_default();
            return Attempt::Fits(body);
        }
        Attempt::Needs(body.capacity())
    }

    /// Reserves memory for the items in an error.
    fn fit_error(&self, error: ApiError, reservation: &mut Reservation) -> Attempt {
        let mut body = Vec::new();
        if answer_size::error_bytes(&error) > 0 {
            keyfold_wire::encode_error(&mut body, &error);
        }
        if self.service.sent.try_fit(reservation, body.capacity()) {
            Attempt::Failed(error)
        } else {
            Attempt::Needs(body.capacity())
        }
    }
}

/// Makes the endpoint in an output the host that the client has called.
fn set_host(headers: &HeaderMap, response: &mut Response) {
    if let Response::DescribeEndpoints(output) = response {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        for endpoint in output.endpoints.iter_mut().flatten() {
            endpoint.address = host.map(str::to_owned).or(endpoint.address.take());
        }
    }
}

//! A request and its attempts: which attempt may be repeated, and which error a call ends with.
//!
//! Both transports ask this one piece after each attempt. It sends nothing, reads no clock and takes
//! no random number.

use super::answer::{Asked, is_of};
use bytes::Bytes;
use keyfold_api::{ErrorKind, Idempotency, Operation, ReasonCode, Request, Response};
use keyfold_lower::ClientError;
use keyfold_model::value::shown_text;
use keyfold_wire::client::{ServiceError, decode_error, decode_response, encode_request};
use std::ops::Range;
use std::time::Duration;

/// The retry from which on delays do not grow any more.
const DELAYS_GROW: u32 = 8;
/// The milliseconds of which half the first delay is: any number of them, by chance, so that many
/// clients do not retry at the same moment.
pub(super) const CHANCE_MS: Range<u64> = 25..50;

/// The time from the start of a transaction after which it is not sent again, if it may have been
/// carried out. DynamoDB knows a token for ten minutes: the same transaction is then a new one. The
/// rest is for the way of the request. Source: "Amazon DynamoDB Transactions: How it works" of Amazon's
/// developer guide.
const TOKEN_TIME: Duration = Duration::from_secs(9 * 60);

/// The most characters that are shown of an answer that is not the service's.
const SAID_MAX: usize = 200;

/// The exceptions of keys that have ended, or that a service does not know any more. Source: "Error
/// handling with DynamoDB" of Amazon's developer guide.
const ENDED_KEYS: [&str; 2] = ["ExpiredTokenException", "UnrecognizedClientException"];

/// A request that is sent, and what has happened to it.
pub(super) struct Exchange {
    /// The header that names the operation.
    pub(super) target: String,
    /// The body, the same for all attempts.
    pub(super) body: Bytes,
    operation: Operation,
    asked: Asked,
    idempotency: Idempotency,
    url: String,
    retries: u32,
    attempts: u32,
    /// The reason why the outcome of an attempt is unknown.
    unknown: Option<String>,
    /// Whether an attempt was refused because its keys had ended.
    had_ended_keys: bool,
}

/// The result of sending a request once.
#[derive(Debug, Clone)]
pub(super) enum Attempt {
    /// The request was carried out.
    Answered(Vec<u8>),
    /// The request was not carried out, and the answer has the reason.
    Refused(ClientError),
    /// The request was not sent.
    NotSent(String),
    /// The request was not sent, and would not be the next time: for want of keys, whose source has
    /// repeated its own requests.
    Barred(String),
    /// The request may have been carried out, or may still be.
    Unknown(String),
    /// The time of the attempt was over: before the request was sent, or before its answer came.
    Late { is_sent: bool, why: String },
}

/// What precedes the body of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    /// The status of HTTP.
    pub(super) status: u16,
    /// The checksum by which DynamoDB shows that the body is its own, if there is one.
    pub(super) checksum: Option<u32>,
}

impl Attempt {
    /// The result of an answer that has arrived whole.
    pub(super) fn of_answer(url: &str, head: Head, body: Vec<u8>) -> Attempt {
        if head
            .checksum
            .is_some_and(|checksum| checksum != crc32fast::hash(&body))
        {
            return Attempt::Unknown(format!(
                "the answer of {url} changed on its way: it does not have the checksum of its header"
            ));
        }
        match head.status {
            200 => Attempt::Answered(body),
            status => match decode_error(&body) {
                Err(_) => by_another(url, status, &String::from_utf8_lossy(&body)),
                Ok(error) if matches!(status, 400..=499) => {
                    Attempt::Refused(of_service(error, url))
                }
                Ok(error) => {
                    let ServiceError {
                        exception, message, ..
                    } = error;
                    Attempt::Unknown(format!("{url} failed with {status}: {exception} {message}"))
                }
            },
        }
    }
}

/// The checksum of a header's text. One that is no number is no checksum of DynamoDB.
pub(super) fn checksum(text: Option<&[u8]>) -> Option<u32> {
    std::str::from_utf8(text?).ok()?.trim().parse().ok()
}

/// What follows an attempt.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is moved once, and the common variant is the large one"
)]
pub(super) enum Next {
    /// The request is sent again after a delay.
    Again(Duration),
    /// The call ends.
    Done(Result<Response, ClientError>),
}

impl Exchange {
    /// A request before its first attempt. `token` makes repetitions of the request no-ops, where
    /// its operation has a token; all attempts have the same.
    pub(super) fn new(mut request: Request, token: String, url: &str, retries: u32) -> Exchange {
        if let Some(own) = request.token_mut() {
            own.get_or_insert(token);
        }
        let operation = request.operation();
        let mut body = Vec::new();
        encode_request(&mut body, &request);
        Exchange {
            target: keyfold_wire::target::target(operation),
            body: body.into(),
            operation,
            asked: Asked::by(&request),
            idempotency: request.idempotency(),
            url: url.to_owned(),
            retries,
            attempts: 0,
            unknown: None,
            had_ended_keys: false,
        }
    }

    /// Whether an attempt was refused because its keys had ended, for the first time: the request may
    /// be sent again at once, with others.
    pub(super) fn needs_other_keys(&mut self, attempt: &Attempt) -> bool {
        let is_needed = match attempt {
            Attempt::Refused(ClientError::Service { exception, .. }) => {
                ENDED_KEYS.contains(&exception.as_str())
            }
            Attempt::Refused(_)
            | Attempt::Answered(_)
            | Attempt::NotSent(_)
            | Attempt::Barred(_)
            | Attempt::Unknown(_)
            | Attempt::Late { .. } => false,
        };
        is_needed && !std::mem::replace(&mut self.had_ended_keys, true)
    }

    /// The error of a transaction whose answer was lost, and whose token the service may have
    /// forgotten: sent again, it could be carried out twice. `age` is the time since its start.
    pub(super) fn outlived(&mut self, age: Duration) -> Option<ClientError> {
        let is_by_token = self.idempotency == Idempotency::ByToken;
        if !is_by_token || age < TOKEN_TIME {
            return None;
        }
        let why = self.unknown.take()?;
        self.unknown = Some(format!(
            "{why}; it was not sent again {} s after its start, since the service knows its token for ten minutes",
            age.as_secs()
        ));
        Some(self.error(None, false, None))
    }

    /// Counts an attempt after which the request is sent again with other keys.
    pub(super) fn count_refusal(&mut self) {
        self.attempts += 1;
    }

    /// How often the request was sent, or could not be.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// What follows an attempt. The request is sent again after a retryable refusal, which says that
    /// nothing was done, after an attempt that did not leave, and after a lost answer if it is
    /// idempotent. `left` is the time that the call has left, and `chance_ms` is drawn from
    /// [`CHANCE_MS`].
    pub(super) fn after(
        &mut self,
        attempt: Attempt,
        left: Option<Duration>,
        chance_ms: u64,
    ) -> Next {
        self.attempts += 1;
        let delay = Duration::from_millis(chance_ms << self.attempts.min(DELAYS_GROW));
        let is_in_time = left.is_none_or(|left| delay < left);
        // The timers of attempts and the clock of the call may differ by an instant: an attempt that
        // was late and leaves no time for another one has ended with the call.
        let is_late = matches!(attempt, Attempt::Late { .. });
        let left = if is_late && !is_in_time {
            Some(Duration::ZERO)
        } else {
            left
        };
        let (may_repeat, error) = match attempt {
            Attempt::Answered(answer) => match self.response(&answer) {
                Some(response) => return Next::Done(Ok(response)),
                None => {
                    let url = &self.url;
                    self.lost(format!("the answer of {url} is not DynamoDB's JSON"))
                }
            },
            Attempt::Refused(error) if !self.asked.is_refused_by(&error) => {
                self.lost(format!("{} answered: {error}", self.url))
            }
            Attempt::Refused(error) => {
                let is_own = self.conflicts_with_itself(&error);
                (
                    error.is_passing() || error.is_throttled() || is_own,
                    Some(naming_tables(error, &self.asked.tables)),
                )
            }
            Attempt::NotSent(why)
            | Attempt::Late {
                is_sent: false,
                why,
            } => (true, Some(unsent(why, left))),
            Attempt::Barred(why) => {
                // An earlier attempt may have been carried out: no service has answered about it.
                let error = self.error(Some(unsent(why, left)), true, left);
                return Next::Done(Err(error));
            }
            Attempt::Unknown(why) | Attempt::Late { is_sent: true, why } => self.lost(why),
        };
        if may_repeat && is_in_time && self.attempts <= self.retries {
            return Next::Again(delay);
        }
        Next::Done(Err(self.error(error, may_repeat, left)))
    }

    /// The answer that a body is, if it is the service's.
    fn response(&self, body: &[u8]) -> Option<Response> {
        if !is_of(self.operation, body) {
            return None;
        }
        let response = decode_response(self.operation, body).ok()?;
        self.asked.is_answered_by(&response).then_some(response)
    }

    /// Notes that an answer was lost: whether the request may be sent again, and no refusal.
    fn lost(&mut self, why: String) -> (bool, Option<ClientError>) {
        self.unknown = Some(why);
        (self.idempotency != Idempotency::None, None)
    }

    /// Whether the transaction that a request met may be an earlier attempt of its own, whose answer
    /// was lost: a new request in its place could be carried out besides it.
    fn conflicts_with_itself(&self, error: &ClientError) -> bool {
        let is_by_token = self.idempotency == Idempotency::ByToken;
        self.unknown.is_some() && is_by_token && error.is_conflict()
    }

    /// The error with which a call ends: that of its last attempt, unless an earlier one may have
    /// been carried out.
    fn error(
        &mut self,
        error: Option<ClientError>,
        may_repeat: bool,
        left: Option<Duration>,
    ) -> ClientError {
        match (self.unknown.take(), error) {
            (None, Some(error)) => error,
            // The service compares tokens: that the transaction is cancelled says that no earlier
            // attempt succeeded. Other refusals, such as of keys that have ended, say nothing of it.
            (Some(_), Some(error))
                if self.idempotency == Idempotency::ByToken
                    && !may_repeat
                    && error.kind() == Some(ErrorKind::TransactionCanceled) =>
            {
                error
            }
            (Some(_), Some(error)) if self.idempotency == Idempotency::ReadOnly => error,
            (Some(why), _) if self.idempotency == Idempotency::ReadOnly => unsent(why, left),
            (why, refused) => ClientError::OutcomeUnknown {
                why: refused.map_or_else(
                    || why.clone().unwrap_or_default(),
                    |refused| {
                        format!(
                            "{}; sent again, it was refused: {refused}",
                            why.as_deref().unwrap_or_default()
                        )
                    },
                ),
                check: format!("what the {} was to change", self.operation.name()),
            },
        }
    }
}

/// The error of a request that has changed nothing.
fn unsent(why: String, left: Option<Duration>) -> ClientError {
    match left {
        Some(Duration::ZERO) => ClientError::TimedOut(why),
        Some(_) | None => ClientError::Transport(why),
    }
}

/// The attempt of a request that a gateway or a proxy has answered, which is not the service. Whatever
/// its status says, it may have passed the request on, and answered because the service took too long.
fn by_another(url: &str, status: u16, said: &str) -> Attempt {
    let start: String = shown_text(said).chars().take(SAID_MAX).collect();
    let why = format!("{url} answered with {status}, and not as DynamoDB does");
    let why = if start.is_empty() {
        why
    } else {
        format!("{why}: {start}")
    };
    Attempt::Unknown(why)
}

/// The error of a service's answer.
fn of_service(mut error: ServiceError, url: &str) -> ClientError {
    if error.message.is_empty() {
        error.message = format!("{url} says no more");
    }
    ClientError::Service {
        kind: ErrorKind::of_exception(&error.exception),
        exception: error.exception,
        message: error.message,
        reasons: error
            .reasons
            .into_iter()
            .map(|(code, message)| (ReasonCode::of(&code), message))
            .collect(),
        found: error.found,
    }
}

/// The error about a table that does not exist, with the tables of the request: the service does not
/// say which one.
fn naming_tables(mut error: ClientError, tables: &[String]) -> ClientError {
    let ClientError::Service {
        kind: Some(ErrorKind::ResourceNotFound),
        message,
        ..
    } = &mut error
    else {
        return error;
    };
    let is_named = tables.iter().any(|name| message.contains(name.as_str()));
    let which = match tables {
        [] => return error,
        _ if is_named => return error,
        [table] => format!("the table {table}"),
        several => format!("one of the tables {}", several.join(", ")),
    };
    message.push_str(&format!(": {which} does not exist there"));
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_api::{
        GetItemInput, PutItemInput, TransactDelete, TransactWriteItem, TransactWriteItemsInput,
    };

    fn exchange(request: Request) -> Exchange {
        Exchange::new(request, "token".to_owned(), "http://host/", 3)
    }

    fn delete_of(table: &str) -> TransactWriteItem {
        TransactWriteItem {
            delete: Some(TransactDelete {
                table_name: Some(table.to_owned()),
                ..TransactDelete::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// A transaction of one action.
    fn deletion() -> Request {
        let input = TransactWriteItemsInput {
            transact_items: Some(vec![delete_of("Tab")]),
            ..TransactWriteItemsInput::default()
        };
        input.into()
    }

    fn lost() -> Attempt {
        Attempt::Unknown("the answer was lost".to_owned())
    }

    fn unsent() -> Attempt {
        Attempt::NotSent("it is late".to_owned())
    }

    fn late(is_sent: bool) -> Attempt {
        let why = "no answer within 150ms".to_owned();
        Attempt::Late { is_sent, why }
    }

    fn error(next: Next) -> ClientError {
        match next {
            Next::Done(result) => result.unwrap_err(),
            Next::Again(delay) => panic!("again in {delay:?}"),
        }
    }

    /// The time of a call may end between two attempts: the earlier one may have been carried out.
    #[test]
    fn what_was_sent_is_not_forgotten_when_the_time_is_over() {
        let second = Some(Duration::from_secs(1));
        let over = Some(Duration::ZERO);
        let mut write = exchange(TransactWriteItemsInput::default().into());
        assert!(matches!(write.after(lost(), second, 25), Next::Again(_)));
        let ended = error(write.after(unsent(), over, 25));
        assert!(
            matches!(ended, ClientError::OutcomeUnknown { .. }),
            "{ended:?}"
        );
        let mut write = exchange(TransactWriteItemsInput::default().into());
        let ended = error(write.after(unsent(), over, 25));
        assert!(matches!(ended, ClientError::TimedOut(_)), "{ended:?}");
        let mut read = exchange(GetItemInput::default().into());
        assert!(matches!(read.after(lost(), second, 25), Next::Again(_)));
        let ended = error(read.after(lost(), over, 25));
        assert!(matches!(ended, ClientError::TimedOut(_)), "{ended:?}");
    }

    /// The timer of an attempt may ring an instant before the clock of the call says that it is over.
    #[test]
    fn a_late_attempt_that_leaves_no_time_for_another_ends_with_the_call() {
        let instant = Some(Duration::from_micros(200));
        let second = Some(Duration::from_secs(1));
        for is_sent in [true, false] {
            let mut read = exchange(GetItemInput::default().into());
            assert!(matches!(
                read.after(late(is_sent), second, 25),
                Next::Again(_)
            ));
            let ended = error(read.after(late(is_sent), instant, 25));
            assert!(matches!(ended, ClientError::TimedOut(_)), "{ended:?}");
        }
        let mut write = exchange(PutItemInput::default().into());
        let ended = error(write.after(late(true), instant, 25));
        assert!(
            matches!(ended, ClientError::OutcomeUnknown { .. }),
            "{ended:?}"
        );
        let mut write = exchange(PutItemInput::default().into());
        let ended = error(write.after(late(false), instant, 25));
        assert!(matches!(ended, ClientError::TimedOut(_)), "{ended:?}");
        let mut read = exchange(GetItemInput::default().into());
        let ended = error(read.after(unsent(), instant, 25));
        assert!(matches!(ended, ClientError::Transport(_)), "{ended:?}");
    }

    /// The service would carry it out a second time.
    #[test]
    fn a_lost_transaction_is_not_sent_again_when_its_token_may_be_forgotten() {
        let minutes = |count: u64| Duration::from_secs(count * 60);
        let mut write = exchange(TransactWriteItemsInput::default().into());
        assert!(write.outlived(minutes(20)).is_none(), "it was never sent");
        assert!(matches!(write.after(unsent(), None, 25), Next::Again(_)));
        assert!(write.outlived(minutes(20)).is_none(), "nothing was done");
        assert!(matches!(write.after(lost(), None, 25), Next::Again(_)));
        assert!(write.outlived(minutes(8)).is_none());
        let Some(ClientError::OutcomeUnknown { why, .. }) = write.outlived(minutes(9)) else {
            panic!("it is sent again");
        };
        assert!(
            why.starts_with("the answer was lost; it was not sent again 540 s after"),
            "{why}"
        );
        let mut read = exchange(GetItemInput::default().into());
        assert!(matches!(read.after(lost(), None, 25), Next::Again(_)));
        assert!(read.outlived(minutes(20)).is_none());
    }

    /// Neither missing keys nor a gateway say what became of an earlier attempt.
    #[test]
    fn what_was_sent_is_not_forgotten_when_the_way_is_barred() {
        let barred = || Attempt::Barred("no keys".to_owned());
        let mut write = exchange(TransactWriteItemsInput::default().into());
        assert!(matches!(write.after(lost(), None, 25), Next::Again(_)));
        let ended = error(write.after(barred(), None, 25));
        assert!(
            matches!(ended, ClientError::OutcomeUnknown { .. }),
            "{ended:?}"
        );
        let mut write = exchange(TransactWriteItemsInput::default().into());
        let ended = error(write.after(barred(), None, 25));
        assert!(matches!(ended, ClientError::Transport(_)), "{ended:?}");
    }

    /// A refusal of the repetition that is not about the transaction says nothing of an earlier attempt.
    #[test]
    fn a_refusal_behind_a_lost_answer_does_not_say_what_became_of_it() {
        let refused = |exception: &str| {
            Attempt::Refused(ClientError::Service {
                kind: ErrorKind::of_exception(exception),
                exception: exception.to_owned(),
                message: String::new(),
                reasons: Vec::new(),
                found: Vec::new(),
            })
        };
        for exception in [
            "AccessDeniedException",
            "ExpiredTokenException",
            "IdempotentParameterMismatchException",
            "ResourceNotFoundException",
            "ValidationException",
        ] {
            let mut write = exchange(TransactWriteItemsInput::default().into());
            assert!(matches!(write.after(lost(), None, 25), Next::Again(_)));
            let ended = error(write.after(refused(exception), None, 25));
            let ClientError::OutcomeUnknown { why, .. } = &ended else {
                panic!("{ended:?}");
            };
            assert!(why.contains(exception), "{why}");
            let mut write = exchange(TransactWriteItemsInput::default().into());
            let ended = error(write.after(refused(exception), None, 25));
            assert!(matches!(ended, ClientError::Service { .. }), "{ended:?}");
        }
        let cancelled = ErrorKind::TransactionCanceled;
        let mut write = exchange(TransactWriteItemsInput::default().into());
        assert!(matches!(write.after(lost(), None, 25), Next::Again(_)));
        let ended = error(write.after(refused(cancelled.exception()), None, 25));
        assert_eq!(ended.kind(), Some(cancelled));
    }

    /// An attempt whose answer was lost may be under way yet, and be what the next one meets.
    #[test]
    fn a_conflict_behind_a_lost_answer_is_not_the_end_of_the_request() {
        let conflict = || {
            Attempt::Refused(ClientError::Service {
                kind: Some(ErrorKind::TransactionCanceled),
                exception: ErrorKind::TransactionCanceled.exception().to_owned(),
                message: String::new(),
                reasons: vec![(ReasonCode::TransactionConflict, None)],
                found: Vec::new(),
            })
        };
        let mut write = exchange(deletion());
        assert!(matches!(write.after(lost(), None, 25), Next::Again(_)));
        assert!(matches!(write.after(conflict(), None, 25), Next::Again(_)));
        assert!(matches!(write.after(conflict(), None, 25), Next::Again(_)));
        let ended = error(write.after(conflict(), None, 25));
        assert!(
            matches!(ended, ClientError::OutcomeUnknown { .. }),
            "{ended:?}"
        );
        let mut write = exchange(deletion());
        let ended = error(write.after(conflict(), None, 25));
        assert!(ended.is_conflict(), "{ended:?}");
    }

    /// The service does not say which table it misses.
    #[test]
    fn an_absent_table_is_named() {
        let absent = |message: &str| {
            Attempt::Refused(ClientError::Service {
                kind: Some(ErrorKind::ResourceNotFound),
                exception: ErrorKind::ResourceNotFound.exception().to_owned(),
                message: message.to_owned(),
                reasons: Vec::new(),
                found: Vec::new(),
            })
        };
        let get = |table: &str| GetItemInput {
            table_name: Some(table.to_owned()),
            ..GetItemInput::default()
        };
        let said = |attempt: Attempt| {
            let mut read = exchange(get("Notes").into());
            error(read.after(attempt, None, 25)).to_string()
        };
        assert_eq!(
            said(absent("Requested resource not found")),
            "ResourceNotFoundException: Requested resource not found: the table Notes does not exist there"
        );
        let named = "Requested resource not found: Table: Notes not found";
        assert_eq!(
            said(absent(named)),
            format!("ResourceNotFoundException: {named}")
        );
        let mut several = exchange(
            TransactWriteItemsInput {
                transact_items: Some(vec![delete_of("A"), delete_of("B")]),
                ..TransactWriteItemsInput::default()
            }
            .into(),
        );
        let said = error(several.after(absent("not found"), None, 25)).to_string();
        assert!(
            said.ends_with("not found: one of the tables A, B does not exist there"),
            "{said}"
        );
    }

    #[test]
    fn delays_double_and_fit_into_the_time() {
        let mut read = exchange(GetItemInput::default().into());
        let mut delays = Vec::new();
        while let Next::Again(delay) = read.after(unsent(), None, 30) {
            delays.push(delay.as_millis());
        }
        assert_eq!(delays, [60, 120, 240]);
        let mut read = exchange(GetItemInput::default().into());
        let left = Some(Duration::from_millis(60));
        let ended = error(read.after(unsent(), left, 30));
        assert!(matches!(ended, ClientError::Transport(_)), "{ended:?}");
    }
}

//! A call whose write gets one action more.
//!
//! A call of a model reads, and writes with one operation, or with a transaction. Here that write
//! becomes a transaction with an action beside it, and the call sees an answer of what it asked.

use crate::world::{Boxed, Io};
use keyfold_api::{
    ErrorKind, ReasonCode, Request, Response, TransactDelete, TransactPut, TransactUpdate,
    TransactWriteItem, TransactWriteItemsInput, TransactWriteItemsOutput, WriteItemOutput,
};
use keyfold_lower::ClientError;
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Requests of a call, whose write gets an action more.
pub(crate) struct Joined<'i> {
    io: &'i dyn Io,
    beside: TransactWriteItem,
    has_written: AtomicBool,
    is_too_large: AtomicBool,
}

impl<'i> Joined<'i> {
    pub(crate) fn new(io: &'i dyn Io, beside: TransactWriteItem) -> Joined<'i> {
        Joined {
            io,
            beside,
            has_written: AtomicBool::new(false),
            is_too_large: AtomicBool::new(false),
        }
    }

    /// Whether the action has happened, with the call's own.
    pub(crate) fn has_written(&self) -> bool {
        self.has_written.load(Ordering::SeqCst)
    }

    /// Whether the call was refused because its actions and the one beside are more than a transaction
    /// has.
    pub(crate) fn is_too_large(&self) -> bool {
        self.is_too_large.load(Ordering::SeqCst)
    }

    async fn write(&self, asked: Write) -> Result<Response, ClientError> {
        if self.has_written() {
            let why = "the effects of records are one transaction, and this call writes twice";
            return Err(ClientError::refused(why));
        }
        let Write { kind, mut input } = asked;
        let actions = input.transact_items.get_or_insert_default();
        if actions.len() >= TRANSACTION_ACTIONS_MAX {
            self.is_too_large.store(true, Ordering::SeqCst);
            let why = "the effects are one action more than a transaction has";
            return Err(ClientError::refused(why));
        }
        actions.push(self.beside.clone());
        match self.io.ask(Request::TransactWriteItems(input)).await {
            Ok(Response::TransactWriteItems(output)) => {
                self.has_written.store(true, Ordering::SeqCst);
                Ok(kind.answer(output))
            }
            Ok(other) => Ok(other),
            Err(error) => Err(kind.error(error)),
        }
    }
}

impl Io for Joined<'_> {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        match Write::of(request) {
            Ok(write) => Box::pin(self.write(write)),
            Err(other) => self.io.ask(*other),
        }
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.io.pause(time)
    }

    fn random(&self) -> u64 {
        self.io.random()
    }
}

/// The operation that a call asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Put,
    Update,
    Delete,
    Transaction,
}

/// A write as a transaction.
struct Write {
    kind: Kind,
    input: TransactWriteItemsInput,
}

impl Write {
    /// The transaction of a write.
    ///
    /// # Errors
    /// The request, when it is none.
    fn of(request: Request) -> Result<Write, Box<Request>> {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "a call of a model writes by these four; other requests are sent as they are"
        )]
        let (kind, action) = match request {
            Request::TransactWriteItems(input) => {
                let kind = Kind::Transaction;
                return Ok(Write { kind, input });
            }
            Request::PutItem(input) => {
                let put = TransactPut {
                    table_name: input.table_name,
                    item: input.item,
                    condition_expression: input.condition_expression,
                    expression_attributes: input.expression_attributes,
                    return_values_on_condition_check_failure: input
                        .return_values_on_condition_check_failure,
                };
                (Kind::Put, action(Some(put), None, None))
            }
            Request::UpdateItem(input) => {
                let update = TransactUpdate {
                    table_name: input.table_name,
                    key: input.key,
                    update_expression: input.update_expression,
                    condition_expression: input.condition_expression,
                    expression_attributes: input.expression_attributes,
                    return_values_on_condition_check_failure: input
                        .return_values_on_condition_check_failure,
                };
                (Kind::Update, action(None, Some(update), None))
            }
            Request::DeleteItem(input) => {
                let delete = TransactDelete {
                    table_name: input.table_name,
                    key: input.key,
                    condition_expression: input.condition_expression,
                    expression_attributes: input.expression_attributes,
                    return_values_on_condition_check_failure: input
                        .return_values_on_condition_check_failure,
                };
                (Kind::Delete, action(None, None, Some(delete)))
            }
            other => return Err(Box::new(other)),
        };
        Ok(Write {
            kind,
            input: TransactWriteItemsInput {
                transact_items: Some(vec![action]),
                ..TransactWriteItemsInput::default()
            },
        })
    }
}

fn action(
    put: Option<TransactPut>,
    update: Option<TransactUpdate>,
    delete: Option<TransactDelete>,
) -> TransactWriteItem {
    TransactWriteItem {
        put,
        update,
        delete,
        condition_check: None,
    }
}

impl Kind {
    /// The answer that the operation would have.
    fn answer(self, output: TransactWriteItemsOutput) -> Response {
        let units = output.consumed_capacity.clone();
        let single = WriteItemOutput {
            consumed_capacity: units.and_then(|mut units| units.pop()),
            ..WriteItemOutput::default()
        };
        match self {
            Kind::Put => Response::PutItem(single),
            Kind::Update => Response::UpdateItem(single),
            Kind::Delete => Response::DeleteItem(single),
            Kind::Transaction => Response::TransactWriteItems(output),
        }
    }

    /// The error that the operation would have. When the action beside it failed, it is none of the
    /// call: the call ends, and the lease shows what happened.
    fn error(self, error: ClientError) -> ClientError {
        let ClientError::Service {
            kind: Some(ErrorKind::TransactionCanceled),
            exception,
            message,
            mut reasons,
            found,
        } = error
        else {
            return error;
        };
        if matches!(reasons.pop(), Some((ReasonCode::ConditionalCheckFailed, _))) {
            return ClientError::refused("the worker does not have the lease any more");
        }
        let own = reasons.first().map(|(code, _)| *code);
        if self != Kind::Transaction && own == Some(ReasonCode::ConditionalCheckFailed) {
            return ClientError::Service {
                kind: Some(ErrorKind::ConditionalCheckFailed),
                exception: ErrorKind::ConditionalCheckFailed.exception().to_owned(),
                message: "The conditional request failed".to_owned(),
                reasons: Vec::new(),
                found,
            };
        }
        // A conflict about the action beside it is one of the whole transaction.
        if reasons.iter().all(|(code, _)| *code == ReasonCode::None) {
            return ClientError::Service {
                kind: Some(ErrorKind::TransactionConflict),
                exception: ErrorKind::TransactionConflict.exception().to_owned(),
                message,
                reasons: Vec::new(),
                found: Vec::new(),
            };
        }
        ClientError::Service {
            kind: Some(ErrorKind::TransactionCanceled),
            exception,
            message,
            reasons,
            found,
        }
    }
}

//! What a program makes of records: the effects that happen with them, or the reason for none.

use crate::world::{Boxed, Io};
use keyfold_api::{StreamEvent, TransactWriteItem};
use keyfold_lower::ClientError;
use std::any::Any;
use std::fmt;
use std::ops::Deref;

/// A change of an item, from a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub(crate) event: StreamEvent,
    pub(crate) number: String,
}

impl Record {
    /// A record as GetRecords returns it. `None` when it has no sequence number.
    pub fn new(event: StreamEvent) -> Option<Record> {
        let number = event.dynamodb.as_ref()?.sequence_number.clone()?;
        Some(Record { event, number })
    }

    /// The sequence number, which no other record of the stream has. With it, a program that writes
    /// elsewhere can recognise a record that comes again.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// The moment of the change, milliseconds since 1970, to the second.
    pub(crate) fn epoch_ms(&self) -> Option<u64> {
        let images = self.event.dynamodb.as_ref()?;
        Some(images.approximate_creation_date_time?.0)
    }
}

impl Deref for Record {
    type Target = StreamEvent;

    fn deref(&self) -> &StreamEvent {
        &self.event
    }
}

/// The most actions that a transaction has beside the one that moves the lease.
pub const ACTIONS_MAX: usize = 99;

/// What happens in the tables when records are handled. It happens in one transaction with the position
/// of the consumer: exactly once.
#[derive(Default)]
pub struct Effects(pub(crate) What);

#[derive(Default)]
pub(crate) enum What {
    #[default]
    Nothing,
    Actions(Vec<TransactWriteItem>),
    Call(Box<dyn Call>),
}

/// A call that may read, and writes once, by one operation or transaction.
pub trait Call: Any + Send {
    /// Adds the call of another lane, whose writes happen behind those of this one in the same
    /// transaction.
    ///
    /// # Errors
    /// A sentence, when both cannot be one transaction.
    fn add(&mut self, more: Box<dyn Call>) -> Result<(), String>;

    /// Carries it out: what may happen several times with the first requests, the one write with the
    /// second ones, which add the move of the position to it.
    fn send<'i>(
        self: Box<Self>,
        plain: &'i dyn Io,
        joined: &'i dyn Io,
    ) -> Boxed<'i, Result<(), ClientError>>;
}

/// A call to which nothing can be added.
struct Closed<F>(F);

impl<F> Call for Closed<F>
where
    F: for<'i> FnOnce(&'i dyn Io, &'i dyn Io) -> Boxed<'i, Result<(), ClientError>>
        + Send
        + 'static,
{
    fn add(&mut self, _: Box<dyn Call>) -> Result<(), String> {
        let why = "several lanes returned calls that cannot be put together: set `lanes` to 1";
        Err(why.to_owned())
    }

    fn send<'i>(
        self: Box<Self>,
        plain: &'i dyn Io,
        joined: &'i dyn Io,
    ) -> Boxed<'i, Result<(), ClientError>> {
        (self.0)(plain, joined)
    }
}

impl Effects {
    /// None in these tables: the handler has done all it does elsewhere. After a lost connection or a
    /// change of workers the same records may be handled again: at least once.
    pub fn none() -> Effects {
        Effects::default()
    }

    /// Actions of one transaction. When there are more than [`ACTIONS_MAX`], the records are handled
    /// again in two halves.
    pub fn of(actions: Vec<TransactWriteItem>) -> Effects {
        match actions.is_empty() {
            true => Effects::none(),
            false => Effects(What::Actions(actions)),
        }
    }

    /// A call that may read, and writes once, by one operation or transaction. The move of the position
    /// is added to that write.
    pub fn of_call(call: impl Call) -> Effects {
        Effects(What::Call(Box::new(call)))
    }

    /// A call that writes with the first requests what may happen several times, then once with the
    /// others. The move of the position is added to that write.
    pub(crate) fn steps(
        call: impl for<'i> FnOnce(&'i dyn Io, &'i dyn Io) -> Boxed<'i, Result<(), ClientError>>
        + Send
        + 'static,
    ) -> Effects {
        Effects::of_call(Closed(call))
    }

    /// The effects of two parts of a batch together.
    ///
    /// # Errors
    /// A sentence, when they cannot be one transaction.
    pub(crate) fn and(self, other: Effects) -> Result<Effects, String> {
        match (self.0, other.0) {
            (What::Nothing, what) | (what, What::Nothing) => Ok(Effects(what)),
            (What::Actions(mut some), What::Actions(more)) => {
                some.extend(more);
                Ok(Effects(What::Actions(some)))
            }
            (What::Call(mut some), What::Call(more)) => {
                some.add(more)?;
                Ok(Effects(What::Call(some)))
            }
            (What::Call(_), What::Actions(_)) | (What::Actions(_), What::Call(_)) => {
                let why = "one lane returned actions and another one a call, which cannot be put \
                           together: return one kind from all calls of the handler, or set `lanes` to 1";
                Err(why.to_owned())
            }
        }
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            What::Nothing => f.write_str("Effects(none)"),
            What::Actions(actions) => write!(f, "Effects({} actions)", actions.len()),
            What::Call(_) => f.write_str("Effects(a call)"),
        }
    }
}

/// The reason why records were not handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The records cannot be handled. They are tried again, then divided, until the one that fails
    /// stands alone and is set aside.
    Records(String),
    /// Something else is out of order, such as a service that is down. The same records are tried again
    /// until they succeed.
    Again(String),
}

impl Failure {
    /// The records cannot be handled.
    pub fn of(why: impl fmt::Display) -> Failure {
        Failure::Records(why.to_string())
    }

    /// Something else is out of order.
    pub fn again(why: impl fmt::Display) -> Failure {
        Failure::Again(why.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Records(why) | Failure::Again(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        match is_passing(&error) {
            true => Failure::again(error),
            false => Failure::of(error),
        }
    }
}

/// Whether the same request may succeed later.
pub(crate) fn is_passing(error: &ClientError) -> bool {
    let is_unsent = matches!(
        error,
        ClientError::Transport(_)
            | ClientError::TimedOut(_)
            | ClientError::OutcomeUnknown { .. }
            | ClientError::Overtaken(_)
    );
    is_unsent || error.is_passing() || error.is_conflict()
}

/// Handles records.
pub trait Handler: Send + Sync + 'static {
    /// Returns the effects of records, which are in the order in which they were written. It may be
    /// called several times with the same records, and with fewer of them: whatever it returned before
    /// has not happened. It blocks its thread.
    ///
    /// # Errors
    /// The reason why they cannot be handled.
    fn handle(&self, records: &[Record]) -> Result<Effects, Failure>;

    /// The effects of setting a record aside that always fails: `stored` are the actions that store it,
    /// which are among them. A handler that keeps what earlier records have done notes here that this
    /// one has done nothing.
    fn set_aside(&self, record: &Record, stored: Vec<TransactWriteItem>) -> Effects {
        let _ = record;
        Effects::of(stored)
    }
}

impl<F> Handler for F
where
    F: Fn(&[Record]) -> Result<Effects, Failure> + Send + Sync + 'static,
{
    fn handle(&self, records: &[Record]) -> Result<Effects, Failure> {
        self(records)
    }
}

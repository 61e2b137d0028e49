//! Consumers of streams: each change of a table is handled once, by any number of workers.
//!
//! A worker takes its share of the shards of a table's stream by leases in a table, `keyfold_leases`,
//! and calls a handler with their records. The handler returns effects, which happen in one transaction
//! with the position of the consumer: **exactly once** in tables of the same endpoint. What it does
//! elsewhere happens at least once; [`Record::number`] recognises what comes again.
//!
//! ```
//! use keyfold::stream::{Options, Record};
//! use keyfold::{Keyfold, Transaction, values};
//! # use std::time::{Duration, Instant};
//!
//! let db = Keyfold::memory()?;
//! let shop = db.model(
//!     r#"
//! model shop 1
//! table Orders (PK, SK)
//!   stream new and old images
//! table Sales (PK, SK)
//! entity Order in Orders
//!   order: string, product: string
//!   key "O#{order}" "O"
//! entity Product in Sales
//!   product: string, sold: int = 0
//!   key "P#{product}" "P"
//! pattern product(product) -> Product?
//! write sell(product)
//!   create or update Product set sold = sold + 1 else sold = 1
//! "#,
//! )?;
//!
//! let model = shop.clone();
//! let worker = db.consume(
//!     Options { batch: 1, ..Options::new("sales", "Orders") },
//!     move |records: &[Record]| {
//!         let mut writes = Transaction::new();
//!         for record in records {
//!             let event = model.events().of_record(record)?;
//!             if let Some(order) = event.and_then(|event| event.new) {
//!                 let product = order.text("product").unwrap_or_default();
//!                 writes = writes.run("sell", values! { "product": product });
//!             }
//!         }
//!         Ok(model.effects(writes))
//!     },
//! )?;
//!
//! for order in ["1", "2"] {
//!     shop.put("Order", values! { "order": order, "product": "pen" })?;
//! }
//! # let began = Instant::now();
//! while shop.query("product").arg("product", "pen").one()?.and_then(|pen| pen.int("sold")) != Some(2) {
//! #   assert!(began.elapsed() < Duration::from_secs(30));
//!     std::thread::yield_now();
//! }
//! worker.stop()?;
//! # Ok::<(), keyfold::Error>(())
//! ```
//!
//! - A record that fails each time is divided out of its batch and set aside: [`Keyfold::set_aside`]
//!   lists such records, [`Keyfold::replay`] handles one again.
//! - Records that the stream had no more before they were handled are a [`Gap`]: the worker stops,
//!   unless [`Options::on_gap`] says otherwise. So is a time in which the table had no stream.
//! - A worker that stops gives its shards back; those of one that was killed are taken when their
//!   leases are over ([`Options::lease_time`], ten seconds).
//!
//! `docs/streams.md` has the whole of it.

use crate::database::Database;
use crate::error::Error;
use crate::open::Keyfold;
use crate::transaction::Transaction;
use keyfold_api::{Request, Response};
use keyfold_client::ClientError;
use keyfold_stream::world::{Boxed, Io};
pub use keyfold_stream::{
    AtGap, Effects, Failure, Gap, Handler, Options, Position, Record, Report, SetAside, ShardKey,
    Start, Worker,
};
use keyfold_stream::{Call, Sends};
use std::any::Any;
use std::sync::Arc;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Unavailable(_)
            | Error::TimedOut(_)
            | Error::OutcomeUnknown { .. }
            | Error::Closed
            | Error::Overtaken(_)
            | Error::Throttled { .. }
            | Error::Incomplete(_) => Failure::again(error),
            Error::Model(_)
            | Error::TableDiffers { .. }
            | Error::Invalid { .. }
            | Error::TooMany { .. }
            | Error::UnknownItem(_)
            | Error::Exists(_)
            | Error::Refused(_)
            | Error::Taken { .. }
            | Error::StaleVersion(_)
            | Error::NotFound(_)
            | Error::Open { .. }
            | Error::Service { .. } => Failure::of(error),
        }
    }
}

impl Keyfold {
    /// Starts a worker of a consumer: it reads its share of a table's stream on threads of its own, until
    /// it is stopped or dropped. See [`crate::stream`].
    ///
    /// # Errors
    /// `Invalid` for settings that contradict each other; `Refused` when the table is absent or has no
    /// stream; that of the database when the tables of leases and failures cannot be made.
    pub fn consume(&self, options: Options, handler: impl Handler) -> Result<Worker, Error> {
        Ok(Worker::start(self.sends(), options, handler)?)
    }

    /// The records that a consumer has set aside, with their causes.
    ///
    /// # Errors
    /// That of the database.
    pub fn set_aside(&self, options: &Options) -> Result<Vec<SetAside>, Error> {
        Ok(keyfold_stream::set_aside(&self.sends(), options)?)
    }

    /// Handles a record that was set aside once more, and removes it in the transaction of its effects.
    ///
    /// # Errors
    /// The handler's failure, or that of the database. The record is still there then.
    pub fn replay(
        &self,
        options: &Options,
        record: &SetAside,
        handler: &impl Handler,
    ) -> Result<(), Failure> {
        keyfold_stream::replay(&self.sends(), options, record, handler)
    }

    /// Sends requests as long as the database is open.
    pub(crate) fn sends(&self) -> Sends {
        let (shared, terms) = (self.shared().clone(), self.terms());
        Arc::new(move |request: Request| -> Result<Response, ClientError> {
            match shared.lease() {
                Ok(lease) => lease.call_on(request, &terms),
                Err(closed) => Err(ClientError::Transport(closed.to_string())),
            }
        })
    }
}

impl Database {
    /// Writes of the model as the effects of records: they happen in one transaction with the position of
    /// the consumer. They are put together when they are sent, from items as they are then.
    pub fn effects(&self, writes: Transaction) -> Effects {
        if writes.is_empty() {
            return Effects::none();
        }
        let database = self.clone();
        Effects::of_call(Writes { database, writes })
    }
}

/// Writes of a model that are sent with the position of a consumer.
struct Writes {
    database: Database,
    writes: Transaction,
}

impl Call for Writes {
    fn add(&mut self, more: Box<dyn Call>) -> Result<(), String> {
        let more: Box<dyn Any> = more;
        let more = more.downcast::<Writes>().map_err(|_| {
            "a lane returned a call that is no write of a model: set `lanes` to 1".to_owned()
        })?;
        let (own, other) = (self.database.model(), more.database.model());
        if !Arc::ptr_eq(own, other) {
            return Err(format!(
                "lanes returned writes of two models, {} and {}, which are not put together: return writes \
                 of one `Database`, or set `lanes` to 1",
                own.name, other.name
            ));
        }
        self.writes.append(more.writes);
        Ok(())
    }

    fn send<'i>(
        self: Box<Self>,
        _: &'i dyn Io,
        joined: &'i dyn Io,
    ) -> Boxed<'i, Result<(), ClientError>> {
        Box::pin(async move { self.database.send_on(joined, self.writes).await })
    }
}

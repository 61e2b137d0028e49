//! The requests on the table of leases. Each change is conditional on what its caller has seen.

use crate::lease::{
    Beginning, CONSUMER, COUNTER, ERROR, ERROR_AT, FENCE, LEASE, Lease, MOVED_AT, OWNER, POSITION,
    Row, ShardKey, Trouble, UNLEASED, key_item, number,
};
use crate::position::Position;
use crate::tables;
use crate::world::{Io, ask};
use keyfold_api::{
    DeleteItemInput, ErrorKind, ExpressionAttributes, GetItemInput, PutItemInput, QueryInput,
    TransactUpdate, TransactWriteItem, UpdateItemInput,
};
use keyfold_lower::ClientError;
use keyfold_types::Item;

/// The leases of a consumer.
#[derive(Debug, Clone)]
pub(crate) struct LeaseTable {
    pub(crate) table: String,
    pub(crate) consumer: String,
}

/// Whether a conditional change was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Yes,
    /// What the caller has seen is not there any more.
    No,
}

impl LeaseTable {
    /// Creates the table if it is absent.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn ensure(&self, io: &dyn Io) -> Result<(), ClientError> {
        tables::ensure(io, &self.table, &[CONSUMER, LEASE]).await
    }

    /// All leases, and the beginnings of streams.
    ///
    /// # Errors
    /// The backend's; `Refused` when an item is none of this crate.
    pub(crate) async fn all(&self, io: &dyn Io) -> Result<Vec<Row>, ClientError> {
        let mut rows = Vec::new();
        let mut after = None;
        loop {
            let attributes = ExpressionAttributes::default()
                .name("#c", CONSUMER)
                .value(":c", self.consumer.as_str());
            let query = QueryInput {
                table_name: Some(self.table.clone()),
                consistent_read: Some(true),
                exclusive_start_key: after.map(Ok),
                key_condition_expression: Some("#c = :c".to_owned()),
                expression_attributes: attributes,
                ..QueryInput::default()
            };
            let page = ask(io, query).await?;
            for item in page.items.unwrap_or_default() {
                let row = Row::of_item(&item.to_item());
                rows.push(row.map_err(|why| self.foreign(&why))?);
            }
            after = page.last_evaluated_key;
            if after.is_none() {
                return Ok(rows);
            }
        }
    }

    /// One lease, as it is now.
    ///
    /// # Errors
    /// As [`LeaseTable::all`].
    pub(crate) async fn one(
        &self,
        io: &dyn Io,
        key: &ShardKey,
    ) -> Result<Option<Lease>, ClientError> {
        let input = GetItemInput {
            table_name: Some(self.table.clone()),
            key: Some(Ok(self.key(key))),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let Some(item) = ask(io, input).await?.item else {
            return Ok(None);
        };
        match Row::of_item(&item.to_item()).map_err(|why| self.foreign(&why))? {
            Row::Lease(lease) => Ok(Some(lease)),
            Row::Stream(_) => Ok(None),
        }
    }

    /// Stores a lease that nobody has created.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn create(&self, io: &dyn Io, lease: &Lease) -> Result<Changed, ClientError> {
        self.put(io, lease.to_item(&self.consumer)).await
    }

    /// Remembers where the consumer begins a stream, unless that is known. Of all streams, it begins one with the
    /// latest records: so nothing is stored when it has begun another one so.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn begin(
        &self,
        io: &dyn Io,
        beginning: &Beginning,
    ) -> Result<Changed, ClientError> {
        self.put(io, beginning.to_item(&self.consumer)).await
    }

    /// Remembers that the shards of a stream have leases, or that the program has decided on the gap that a
    /// stream has left which went before.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn leased(
        &self,
        io: &dyn Io,
        beginning: &Beginning,
    ) -> Result<Changed, ClientError> {
        let input = UpdateItemInput {
            table_name: Some(self.table.clone()),
            key: Some(Ok(beginning.key(&self.consumer))),
            update_expression: Some("REMOVE #u".to_owned()),
            condition_expression: Some("attribute_exists(#c)".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#u", UNLEASED)
                .name("#c", CONSUMER),
            ..UpdateItemInput::default()
        };
        changed(ask(io, input).await)
    }

    async fn put(&self, io: &dyn Io, item: Item) -> Result<Changed, ClientError> {
        let input = PutItemInput {
            table_name: Some(self.table.clone()),
            item: Some(Ok(item)),
            condition_expression: Some("attribute_not_exists(#c)".to_owned()),
            expression_attributes: ExpressionAttributes::default().name("#c", CONSUMER),
            ..PutItemInput::default()
        };
        changed(ask(io, input).await)
    }

    /// Takes a lease from the owner that it was seen with. Returns it as it is then; none where it has changed
    /// since, or a transaction changes it: its owner moves its position.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn take(
        &self,
        io: &dyn Io,
        seen: &Lease,
        worker: &str,
    ) -> Result<Option<Lease>, ClientError> {
        let taken = Lease {
            owner: Some(worker.to_owned()),
            fence: seen.fence + 1,
            counter: seen.counter + 1,
            ..seen.clone()
        };
        let attributes = ExpressionAttributes::default()
            .name("#o", OWNER)
            .name("#f", FENCE)
            .name("#n", COUNTER)
            .value(":o", worker)
            .value(":f", number(taken.fence))
            .value(":n", number(taken.counter))
            .value(":seen", number(seen.fence))
            .value(":count", number(seen.counter));
        let update = self.update(
            &seen.key,
            "SET #o = :o, #f = :f, #n = :n",
            "#f = :seen AND #n = :count",
            attributes,
        );
        match changed(ask(io, update).await) {
            Ok(Changed::Yes) => Ok(Some(taken)),
            Ok(Changed::No) => Ok(None),
            Err(error) if error.is_conflict() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Renews a lease that a worker has.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn renew(&self, io: &dyn Io, held: &Lease) -> Result<Changed, ClientError> {
        let attributes = of_owner(held).name("#n", COUNTER).value(":one", number(1));
        let set = "SET #n = #n + :one";
        let update = self.update(&held.key, set, IS_OWNER, attributes);
        changed(ask(io, update).await)
    }

    /// Gives a lease back, so that another worker may take it at once.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn release(&self, io: &dyn Io, held: &Lease) -> Result<Changed, ClientError> {
        let update = self.update(&held.key, "REMOVE #o", IS_OWNER, of_owner(held));
        changed(ask(io, update).await)
    }

    /// Takes a lease from whoever has it: what its owner is about is refused.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn fence(&self, io: &dyn Io, seen: &Lease) -> Result<Changed, ClientError> {
        let attributes = ExpressionAttributes::default()
            .name("#o", OWNER)
            .name("#f", FENCE)
            .name("#n", COUNTER)
            .value(":one", number(1));
        let set = "SET #f = #f + :one, #n = #n + :one REMOVE #o";
        let update = self.update(&seen.key, set, "attribute_exists(#f)", attributes);
        changed(ask(io, update).await)
    }

    /// Deletes the lease of a shard that has ended.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn forget(&self, io: &dyn Io, key: &ShardKey) -> Result<Changed, ClientError> {
        let attributes = ExpressionAttributes::default()
            .name("#p", POSITION)
            .value(":end", Position::End.to_string());
        let delete = DeleteItemInput {
            table_name: Some(self.table.clone()),
            key: Some(Ok(self.key(key))),
            condition_expression: Some("#p = :end".to_owned()),
            expression_attributes: attributes,
            ..DeleteItemInput::default()
        };
        changed(ask(io, delete).await)
    }

    /// The action that moves a lease from one position to the next. It fails when the worker does not
    /// have the lease any more, and when the position is another: so the effects beside it in a
    /// transaction happen once.
    pub(crate) fn advance(&self, held: &Lease, to: &Position) -> TransactWriteItem {
        let attributes = of_owner(held)
            .name("#p", POSITION)
            .name("#n", COUNTER)
            .value(":from", held.position.to_string())
            .value(":to", to.to_string())
            .value(":one", number(1));
        TransactWriteItem {
            update: Some(TransactUpdate {
                table_name: Some(self.table.clone()),
                key: Some(Ok(self.key(&held.key))),
                update_expression: Some("SET #p = :to, #n = #n + :one".to_owned()),
                condition_expression: Some(format!("{IS_OWNER} AND #p = :from")),
                expression_attributes: attributes,
                ..TransactUpdate::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// Moves a lease that a worker has to a position, whatever the one before, at this moment.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn set_position(
        &self,
        io: &dyn Io,
        held: &Lease,
        (to, now_ms): (&Position, i64),
    ) -> Result<Changed, ClientError> {
        let now_ms = u64::try_from(now_ms).unwrap_or_default();
        let attributes = of_owner(held)
            .name("#p", POSITION)
            .name("#n", COUNTER)
            .name("#m", MOVED_AT)
            .value(":to", to.to_string())
            .value(":now", number(now_ms))
            .value(":one", number(1));
        let set = "SET #p = :to, #m = :now, #n = #n + :one";
        let update = self.update(&held.key, set, IS_OWNER, attributes);
        changed(ask(io, update).await)
    }

    /// Stores why the records at the position of a lease that a worker has are not handled, or that they are.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn set_error(
        &self,
        io: &dyn Io,
        held: &Lease,
        error: Option<&Trouble>,
    ) -> Result<Changed, ClientError> {
        let attributes = of_owner(held).name("#e", ERROR).name("#a", ERROR_AT);
        let (set, attributes) = match error {
            None => ("REMOVE #e, #a", attributes),
            Some(error) => (
                "SET #e = :e, #a = :a",
                attributes
                    .value(":e", error.why.as_str())
                    .value(":a", number(error.since_epoch_ms)),
            ),
        };
        let update = self.update(&held.key, set, IS_OWNER, attributes);
        changed(ask(io, update).await)
    }

    fn key(&self, key: &ShardKey) -> Item {
        key_item(&self.consumer, &key.text())
    }

    fn update(
        &self,
        key: &ShardKey,
        set: &str,
        condition: &str,
        attributes: ExpressionAttributes,
    ) -> UpdateItemInput {
        UpdateItemInput {
            table_name: Some(self.table.clone()),
            key: Some(Ok(self.key(key))),
            update_expression: Some(set.to_owned()),
            condition_expression: Some(condition.to_owned()),
            expression_attributes: attributes,
            ..UpdateItemInput::default()
        }
    }

    fn foreign(&self, why: &str) -> ClientError {
        ClientError::refused(format!("the table {} {why}", self.table))
    }
}

/// The condition that a worker has the lease still.
const IS_OWNER: &str = "#o = :me AND #f = :mine";

fn of_owner(held: &Lease) -> ExpressionAttributes {
    ExpressionAttributes::default()
        .name("#o", OWNER)
        .name("#f", FENCE)
        .value(":me", held.owner.clone().unwrap_or_default())
        .value(":mine", number(held.fence))
}

fn changed<T>(answer: Result<T, ClientError>) -> Result<Changed, ClientError> {
    match answer {
        Ok(_) => Ok(Changed::Yes),
        Err(error) if error.kind() == Some(ErrorKind::ConditionalCheckFailed) => Ok(Changed::No),
        Err(error) => Err(error),
    }
}

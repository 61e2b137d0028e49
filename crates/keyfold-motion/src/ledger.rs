//! The requests on the rows of a move. Each change is conditional on what its run has seen.

use crate::options::Options;
use crate::rows::{
    AT, Checkpoint, FENCE, MOVE, PART, PHASE, Phase, RunRow, SEEN, STEP, TARGET, gone_part, gone_prefix,
    run_part, whole,
};
use keyfold_api::{
    ConditionCheck, DeleteItemInput, ErrorKind, ExpressionAttributes, GetItemInput, PutItemInput,
    ReasonCode, ScanInput, TransactPut, TransactUpdate, TransactWriteItem, TransactWriteItemsInput,
    UpdateItemInput,
};
use keyfold_client::ClientError;
use keyfold_stream::ensure;
use keyfold_stream::world::{Io, ask};
use keyfold_types::{Item, Value};

/// The condition that a row is as its run has seen it.
pub const IS_SEEN: &str = "#fence = :fence AND #step = :step";
/// The condition that a run has the move still.
pub const IS_MINE: &str = "#fence = :fence";
/// The condition that a run has the move still, and that a note of it is no older than the one that
/// stands.
pub const IS_EARLIER: &str =
    "#fence = :fence AND #seen <= :now AND #phase IN (:phase, :before, :earlier)";
/// The condition that a row is there.
pub const IS_THERE: &str = "attribute_exists(#part)";
/// The condition that no tombstone of this move stands.
pub const IS_NOT_GONE: &str = "attribute_not_exists(#part) OR #move <> :move";
/// The filter of rows whose part begins with a text.
const IS_PREFIXED: &str = "begins_with(#part, :prefix)";
/// The condition that nothing is stored.
pub const IS_ABSENT: &str = "attribute_not_exists(#part)";
/// The condition that a tombstone is one of this move.
pub const IS_OF_MOVE: &str = "#move = :move";

/// The condition that a move is still to make its table, or has made this one.
pub const IS_MAKING: &str =
    "#move = :move AND #phase = :copying AND (attribute_not_exists(#target) OR #target = :target)";

/// The rows of the move of a table.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    /// The table of the rows.
    pub(crate) rows: String,
    /// The table that is moved.
    pub(crate) table: String,
}

/// Whether a conditional change was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Yes,
    No,
}

impl Ledger {
    /// The rows of the move with these options.
    pub(crate) fn of(options: &Options) -> Ledger {
        Ledger {
            rows: options.rows.clone(),
            table: options.table.clone(),
        }
    }

    /// Creates the table of rows if it is absent.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn ensure(&self, io: &dyn Io) -> Result<(), ClientError> {
        ensure(io, &self.rows, &[PART]).await
    }

    /// The row of the move.
    ///
    /// # Errors
    /// The backend's; `Refused` when the row is none of this crate.
    pub(crate) async fn run(&self, io: &dyn Io) -> Result<Option<RunRow>, ClientError> {
        let part = run_part(&self.table);
        let Some(item) = self.get(io, &part).await? else {
            return Ok(None);
        };
        let row = RunRow::of_item(&item).map_err(|name| self.foreign(&part, name))?;
        Ok(Some(row))
    }

    /// Stores the row of a move that nobody has begun.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn begin(&self, io: &dyn Io, row: &RunRow) -> Result<Changed, ClientError> {
        let input = PutItemInput {
            table_name: Some(self.rows.clone()),
            item: Some(Ok(row.to_item(&run_part(&self.table)))),
            condition_expression: Some(IS_ABSENT.to_owned()),
            expression_attributes: ExpressionAttributes::default().name("#part", PART),
            ..PutItemInput::default()
        };
        changed(ask(io, input).await)
    }

    /// Notes which table the move has made.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn made(
        &self,
        io: &dyn Io,
        id: u64,
        target: &str,
    ) -> Result<Changed, ClientError> {
        let attributes = ExpressionAttributes::default()
            .name("#move", MOVE)
            .name("#phase", PHASE)
            .name("#target", TARGET)
            .value(":move", whole(id))
            .value(":copying", Phase::Copying.word())
            .value(":target", target);
        let mut update = self.update_run("SET #target = :target", attributes);
        update.condition_expression = Some(IS_MAKING.to_owned());
        changed(ask(io, update).await)
    }

    /// Takes the move from the run that it was seen with. Returns its row as it is then.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn take(
        &self,
        io: &dyn Io,
        seen: &RunRow,
    ) -> Result<Option<RunRow>, ClientError> {
        let mine = RunRow {
            fence: seen.fence + 1,
            ..seen.clone()
        };
        let attributes = ExpressionAttributes::default()
            .name("#fence", FENCE)
            .value(":fence", whole(seen.fence))
            .value(":mine", whole(mine.fence));
        let update = self.update_run("SET #fence = :mine", attributes);
        Ok(match changed(ask(io, update).await)? {
            Changed::Yes => Some(mine),
            Changed::No => None,
        })
    }

    /// Notes that the changes are complete up to a moment, and how far the move is.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn note(
        &self,
        io: &dyn Io,
        (fence, now_ms): (u64, i64),
        phase: Phase,
    ) -> Result<Changed, ClientError> {
        let from = phase.from();
        let attributes = ExpressionAttributes::default()
            .name("#fence", FENCE)
            .name("#seen", SEEN)
            .name("#phase", PHASE)
            .value(":fence", whole(fence))
            .value(":now", now_ms)
            .value(":phase", phase.word())
            .value(":before", from[0].word())
            .value(":earlier", from[1].word());
        let mut update = self.update_run("SET #seen = :now, #phase = :phase", attributes);
        update.condition_expression = Some(IS_EARLIER.to_owned());
        if changed(ask(io, update).await)? == Changed::Yes {
            return Ok(Changed::Yes);
        }
        // A later note of this run stands already.
        let stands = self.run(io).await?.is_some_and(|row| row.fence == fence);
        Ok(if stands { Changed::Yes } else { Changed::No })
    }

    fn update_run(&self, set: &str, attributes: ExpressionAttributes) -> UpdateItemInput {
        UpdateItemInput {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(&run_part(&self.table)))),
            update_expression: Some(set.to_owned()),
            condition_expression: Some(IS_MINE.to_owned()),
            expression_attributes: attributes,
            ..UpdateItemInput::default()
        }
    }

    /// The checkpoints of all segments and shards.
    ///
    /// # Errors
    /// The backend's; `Refused` when a row is none of this crate.
    pub(crate) async fn checkpoints(&self, io: &dyn Io) -> Result<Vec<Checkpoint>, ClientError> {
        let mut rows = Vec::new();
        for kind in ["segment", "shard"] {
            for item in self.all(io, &format!("{} {kind} ", self.table)).await? {
                let row = Checkpoint::of_item(&item);
                rows.push(row.map_err(|name| self.foreign(&self.table, name))?);
            }
        }
        Ok(rows)
    }

    /// All rows whose part begins with a text.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn all(&self, io: &dyn Io, prefix: &str) -> Result<Vec<Item>, ClientError> {
        let (mut rows, mut after) = (Vec::new(), None);
        loop {
            let input = ScanInput {
                table_name: Some(self.rows.clone()),
                consistent_read: Some(true),
                exclusive_start_key: after.map(Ok),
                filter_expression: (!prefix.is_empty()).then(|| IS_PREFIXED.to_owned()),
                expression_attributes: match prefix.is_empty() {
                    true => ExpressionAttributes::default(),
                    false => ExpressionAttributes::default()
                        .name("#part", PART)
                        .value(":prefix", prefix),
                },
                ..ScanInput::default()
            };
            let page = ask(io, input).await?;
            rows.extend(
                page.items
                    .unwrap_or_default()
                    .iter()
                    .map(|row| row.to_item()),
            );
            after = page.last_evaluated_key;
            if after.is_none() {
                return Ok(rows);
            }
        }
    }

    /// One checkpoint, as it is now.
    ///
    /// # Errors
    /// As [`Ledger::checkpoints`].
    pub(crate) async fn checkpoint(
        &self,
        io: &dyn Io,
        part: &str,
    ) -> Result<Option<Checkpoint>, ClientError> {
        let Some(item) = self.get(io, part).await? else {
            return Ok(None);
        };
        let row = Checkpoint::of_item(&item).map_err(|name| self.foreign(part, name))?;
        Ok(Some(row))
    }

    /// Stores a checkpoint that is absent, as long as its run has the move.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn create(
        &self,
        io: &dyn Io,
        row: &Checkpoint,
    ) -> Result<Changed, ClientError> {
        let put = TransactPut {
            table_name: Some(self.rows.clone()),
            item: Some(Ok(row.to_item())),
            condition_expression: Some(IS_ABSENT.to_owned()),
            expression_attributes: ExpressionAttributes::default().name("#part", PART),
            ..TransactPut::default()
        };
        let put = TransactWriteItem {
            put: Some(put),
            ..TransactWriteItem::default()
        };
        self.as_mine(io, row.fence, put).await
    }

    /// Takes a checkpoint that is there, as long as its run has the move.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn take_row(
        &self,
        io: &dyn Io,
        part: &str,
        fence: u64,
    ) -> Result<Changed, ClientError> {
        let update = TransactUpdate {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(part))),
            update_expression: Some("SET #fence = :fence".to_owned()),
            condition_expression: Some(IS_THERE.to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#part", PART)
                .name("#fence", FENCE)
                .value(":fence", whole(fence)),
            ..TransactUpdate::default()
        };
        let update = TransactWriteItem {
            update: Some(update),
            ..TransactWriteItem::default()
        };
        self.as_mine(io, fence, update).await
    }

    /// Carries an action out if a run has the move. Without that, a run that was late would take the
    /// rows of a later move of the table.
    async fn as_mine(
        &self,
        io: &dyn Io,
        fence: u64,
        action: TransactWriteItem,
    ) -> Result<Changed, ClientError> {
        let check = ConditionCheck {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(&run_part(&self.table)))),
            condition_expression: Some(IS_MINE.to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#fence", FENCE)
                .value(":fence", whole(fence)),
            ..ConditionCheck::default()
        };
        let check = TransactWriteItem {
            condition_check: Some(check),
            ..TransactWriteItem::default()
        };
        let input = TransactWriteItemsInput {
            transact_items: Some(vec![check, action]),
            ..TransactWriteItemsInput::default()
        };
        changed(ask(io, input).await)
    }

    /// The action that moves a checkpoint. It fails when the run has it no more, and when it has
    /// moved: so the effects beside it in a transaction happen once.
    pub(crate) fn advance(&self, row: &Checkpoint, to: &Value) -> TransactWriteItem {
        let attributes = ExpressionAttributes::default()
            .name("#fence", FENCE)
            .name("#step", STEP)
            .name("#at", AT)
            .value(":fence", whole(row.fence))
            .value(":step", whole(row.step))
            .value(":next", whole(row.step + 1))
            .value(":at", to.clone());
        TransactWriteItem {
            update: Some(TransactUpdate {
                table_name: Some(self.rows.clone()),
                key: Some(Ok(part_key(&row.part))),
                update_expression: Some("SET #step = :next, #at = :at".to_owned()),
                condition_expression: Some(IS_SEEN.to_owned()),
                expression_attributes: attributes,
                ..TransactUpdate::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// The action that requires that no change has deleted the item of a key.
    pub(crate) fn not_gone(&self, key: &Item, id: u64) -> TransactWriteItem {
        TransactWriteItem {
            condition_check: Some(ConditionCheck {
                table_name: Some(self.rows.clone()),
                key: Some(Ok(part_key(&gone_part(&self.table, key)))),
                condition_expression: Some(IS_NOT_GONE.to_owned()),
                expression_attributes: ExpressionAttributes::default()
                    .name("#part", PART)
                    .name("#move", MOVE)
                    .value(":move", whole(id)),
                ..ConditionCheck::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// The action that stores the tombstone of a key.
    pub(crate) fn gone(&self, key: &Item, id: u64) -> TransactWriteItem {
        let mut row = part_key(&gone_part(&self.table, key));
        row.insert(MOVE, whole(id));
        TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some(self.rows.clone()),
                item: Some(Ok(row)),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// Deletes the tombstones of a move.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn forget_gone(&self, io: &dyn Io, id: u64) -> Result<(), ClientError> {
        for row in self.all(io, &gone_prefix(&self.table)).await? {
            let Some(Value::S(part)) = row.get(PART) else {
                continue;
            };
            let delete = DeleteItemInput {
                table_name: Some(self.rows.clone()),
                key: Some(Ok(part_key(part))),
                condition_expression: Some(IS_OF_MOVE.to_owned()),
                expression_attributes: ExpressionAttributes::default()
                    .name("#move", MOVE)
                    .value(":move", whole(id)),
                ..DeleteItemInput::default()
            };
            changed(ask(io, delete).await)?;
        }
        Ok(())
    }

    /// Deletes the checkpoints, without which no run writes anything.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn forget_checkpoints(&self, io: &dyn Io) -> Result<(), ClientError> {
        for row in self.checkpoints(io).await? {
            self.delete(io, &row.part).await?;
        }
        Ok(())
    }

    /// Deletes all rows of the move, its own row last: what is interrupted is begun again.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn forget(&self, io: &dyn Io) -> Result<(), ClientError> {
        let run = run_part(&self.table);
        for row in self.all(io, &format!("{} ", self.table)).await? {
            if let Some(Value::S(part)) = row.get(PART)
                && *part != run
            {
                self.delete(io, part).await?;
            }
        }
        self.delete(io, &run).await
    }

    async fn delete(&self, io: &dyn Io, part: &str) -> Result<(), ClientError> {
        let delete = DeleteItemInput {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(part))),
            ..DeleteItemInput::default()
        };
        ask(io, delete).await.map(|_| ())
    }

    async fn get(&self, io: &dyn Io, part: &str) -> Result<Option<Item>, ClientError> {
        let input = GetItemInput {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(part))),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        Ok(ask(io, input).await?.item.map(|item| item.to_item()))
    }

    fn foreign(&self, part: &str, name: &str) -> ClientError {
        ClientError::refused(format!(
            "the table {} of the target has a row of {part} without a proper `{name}`: it is no table \
             of moves, or of another version",
            self.rows
        ))
    }
}

fn part_key(part: &str) -> Item {
    Item::from_iter([(PART, part)])
}

/// Whether a change was made, of which nothing but its condition may fail.
fn changed<T>(answer: Result<T, ClientError>) -> Result<Changed, ClientError> {
    match answer {
        Ok(_) => Ok(Changed::Yes),
        Err(error) if error.kind() == Some(ErrorKind::ConditionalCheckFailed) => Ok(Changed::No),
        Err(error) if !failed(&error).is_empty() => Ok(Changed::No),
        Err(error) => Err(error),
    }
}

/// Whether a transaction was cancelled for reasons of which some pass: capacity was exhausted, or another
/// transaction had an item. The conditions that failed beside them may hold the next time.
pub(crate) fn may_pass(error: &ClientError) -> bool {
    let ClientError::Service {
        kind: Some(ErrorKind::TransactionCanceled),
        reasons,
        ..
    } = error
    else {
        return false;
    };
    let passing = [
        ReasonCode::ThrottlingError,
        ReasonCode::ProvisionedThroughputExceeded,
        ReasonCode::TransactionConflict,
    ];
    let known = [ReasonCode::None, ReasonCode::ConditionalCheckFailed];
    reasons.iter().any(|(code, _)| passing.contains(code))
        && reasons
            .iter()
            .all(|(code, _)| passing.contains(code) || known.contains(code))
}

/// The actions of a cancelled transaction whose condition failed; none when another reason is beside
/// them.
pub(crate) fn failed(error: &ClientError) -> Vec<usize> {
    let ClientError::Service {
        kind: Some(ErrorKind::TransactionCanceled),
        reasons,
        ..
    } = error
    else {
        return Vec::new();
    };
    let known = [ReasonCode::None, ReasonCode::ConditionalCheckFailed];
    if !reasons.iter().all(|(code, _)| known.contains(code)) {
        return Vec::new();
    }
    let failed = reasons.iter().enumerate();
    failed
        .filter(|(_, (code, _))| *code == ReasonCode::ConditionalCheckFailed)
        .map(|(at, _)| at)
        .collect()
}

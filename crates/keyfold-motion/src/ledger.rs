//! The requests on the rows of a move. Each change is conditional on what its run has seen.

use crate::cancelled::failed;
use crate::options::Options;
use crate::rows::{
    AT, COUNTS, Checkpoint, FENCE, MOVE, PART, PAUSED, PHASE, Phase, RunRow, SEEN, STEP, TARGET,
    Turn, gone_part, gone_prefix, number, phase_word, run_part, spent_prefix, sum_part,
    table_of_run, whole,
};
use keyfold_api::{
    BatchWriteItemInput, ConditionCheck, DeleteItemInput, ErrorKind, ExpressionAttributes,
    GetItemInput, PageOutput, PutItemInput, ScanInput, TransactPut, TransactUpdate,
    TransactWriteItem, TransactWriteItemsInput, UpdateItemInput, WriteRequest,
};
use keyfold_client::ClientError;
use keyfold_stream::ensure;
use keyfold_stream::world::{Io, ask};
use keyfold_types::{Item, Value};
use std::time::Duration;

/// The condition that a row is as its run has seen it.
pub const IS_SEEN: &str = "#fence = :fence AND #step = :step";
/// The condition that a run has the move still.
pub const IS_MINE: &str = "#fence = :fence";
/// The condition that a move is as it was seen: no other run has taken it, and none has noted its end.
pub const IS_UNCHANGED: &str = "#fence = :fence AND #phase = :phase";
/// The condition that a run has the move still, and that a note of it is no older than the one that
/// stands.
pub const IS_EARLIER: &str =
    "#fence = :fence AND #seen <= :now AND #phase IN (:phase, :before, :earlier)";
/// The condition that a row is there.
pub const IS_THERE: &str = "attribute_exists(#part)";
/// The filter of rows whose part begins with a text.
const IS_PREFIXED: &str = "begins_with(#part, :prefix)";
/// The condition that nothing is stored.
pub const IS_ABSENT: &str = "attribute_not_exists(#part)";

/// The condition that a move is still to make its table, or has made this one.
pub const IS_MAKING: &str =
    "#move = :move AND #phase = :copying AND (attribute_not_exists(#target) OR #target = :target)";

/// The most writes of a BatchWriteItem, and the pause before those that it left.
const BATCH_MAX: usize = 25;
const UNPROCESSED_PAUSE: Duration = Duration::from_millis(250);

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
        let update = self.update_run(("SET #target = :target", IS_MAKING), attributes);
        changed(ask(io, update).await)
    }

    /// Takes the move from the run that it was seen with, in the phase that it was seen in: one that is
    /// ending since is not taken. Returns its row as it is then.
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
            paused_ms: None,
            ..seen.clone()
        };
        let update = "SET #fence = :mine REMOVE #paused";
        self.fenced(io, (seen, mine), update).await
    }

    /// Takes the move as [`Ledger::take`] does, and notes that it is paused.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn pause(
        &self,
        io: &dyn Io,
        seen: &RunRow,
        now_ms: i64,
    ) -> Result<Option<RunRow>, ClientError> {
        let mine = RunRow {
            fence: seen.fence + 1,
            paused_ms: Some(now_ms),
            ..seen.clone()
        };
        let update = "SET #fence = :mine, #paused = :paused";
        self.fenced(io, (seen, mine), update).await
    }

    /// Gives the row of the move another fence, if it is as it was seen.
    async fn fenced(
        &self,
        io: &dyn Io,
        (seen, mine): (&RunRow, RunRow),
        update: &str,
    ) -> Result<Option<RunRow>, ClientError> {
        let mut attributes = ExpressionAttributes::default()
            .name("#fence", FENCE)
            .name("#phase", PHASE)
            .name("#paused", PAUSED)
            .value(":fence", whole(seen.fence))
            .value(":phase", seen.phase_word())
            .value(":mine", whole(mine.fence));
        if let Some(paused_ms) = mine.paused_ms {
            attributes = attributes.value(":paused", paused_ms);
        }
        let update = self.update_run((update, IS_UNCHANGED), attributes);
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
        mine: &RunRow,
        (now_ms, phase): (i64, Phase),
    ) -> Result<Changed, ClientError> {
        let (fence, from) = (mine.fence, mine.words_before(phase));
        let attributes = ExpressionAttributes::default()
            .name("#fence", FENCE)
            .name("#seen", SEEN)
            .name("#phase", PHASE)
            .value(":fence", whole(fence))
            .value(":now", now_ms)
            .value(":phase", phase_word(phase, &mine.turn))
            .value(":before", from[0])
            .value(":earlier", from[1]);
        let set = "SET #seen = :now, #phase = :phase";
        let update = self.update_run((set, IS_EARLIER), attributes);
        if changed(ask(io, update).await)? == Changed::Yes {
            return Ok(Changed::Yes);
        }
        // A later note of this run stands already.
        let stands = self.run(io).await?.is_some_and(|row| row.fence == fence);
        Ok(if stands { Changed::Yes } else { Changed::No })
    }

    /// Notes which side programs write to, as long as a run has the move, and gives the row another fence: a
    /// run that has read the row before does not take it as it was. Returns the row as it is then.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn turn(
        &self,
        io: &dyn Io,
        seen: &RunRow,
        turn: &Turn,
    ) -> Result<Option<RunRow>, ClientError> {
        let mine = RunRow {
            fence: seen.fence + 1,
            turn: turn.clone(),
            ..seen.clone()
        };
        let (set, attributes) = turn.update();
        let attributes = attributes
            .name("#fence", FENCE)
            .name("#phase", PHASE)
            .value(":phase", mine.phase_word())
            .value(":fence", whole(seen.fence))
            .value(":mine", whole(mine.fence));
        let update = self.update_run((&set, IS_MINE), attributes);
        if changed(ask(io, update).await)? == Changed::Yes {
            return Ok(Some(mine));
        }
        // An earlier request of this call was carried out, and its answer was lost.
        let stands = self.run(io).await?;
        Ok(stands.filter(|row| row.fence == mine.fence && row.turn == mine.turn))
    }

    fn update_run(
        &self,
        (set, condition): (&str, &str),
        attributes: ExpressionAttributes,
    ) -> UpdateItemInput {
        UpdateItemInput {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(&run_part(&self.table)))),
            update_expression: Some(set.to_owned()),
            condition_expression: Some(condition.to_owned()),
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
            let page = self.page(io, prefix, after).await?;
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

    /// A page of the rows whose part begins with a text.
    async fn page(
        &self,
        io: &dyn Io,
        prefix: &str,
        after: Option<Item>,
    ) -> Result<PageOutput, ClientError> {
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
        ask(io, input).await
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

    /// Stores a row, as long as its run has the move.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn put_as_mine(
        &self,
        io: &dyn Io,
        fence: u64,
        row: Item,
    ) -> Result<Changed, ClientError> {
        let put = TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some(self.rows.clone()),
                item: Some(Ok(row)),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        };
        self.as_mine(io, fence, put).await
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
    pub(crate) fn advance(&self, row: &Checkpoint, next: &Checkpoint) -> TransactWriteItem {
        let attributes = ExpressionAttributes::default()
            .name("#fence", FENCE)
            .name("#step", STEP)
            .name("#at", AT)
            .value(":fence", whole(row.fence))
            .value(":step", whole(row.step))
            .name("#counts", COUNTS)
            .value(":next", whole(next.step))
            .value(":at", next.at.clone())
            .value(":counts", next.counts.to_value());
        TransactWriteItem {
            update: Some(TransactUpdate {
                table_name: Some(self.rows.clone()),
                key: Some(Ok(part_key(&row.part))),
                update_expression: Some(
                    "SET #step = :next, #at = :at, #counts = :counts".to_owned(),
                ),
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
                key: Some(Ok(part_key(&gone_part(&self.table, id, key)))),
                condition_expression: Some(IS_ABSENT.to_owned()),
                expression_attributes: ExpressionAttributes::default().name("#part", PART),
                ..ConditionCheck::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// The action that stores the tombstone of a key.
    pub(crate) fn gone(&self, key: &Item, id: u64) -> TransactWriteItem {
        TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some(self.rows.clone()),
                item: Some(Ok(part_key(&gone_part(&self.table, id, key)))),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// Deletes the tombstones of a move, as many as a request takes at once.
    ///
    /// # Errors
    /// The backend's; then the same call goes on.
    pub(crate) async fn forget_gone(&self, io: &dyn Io, id: u64) -> Result<(), ClientError> {
        let mut after = None;
        loop {
            let page = self.page(io, &gone_prefix(&self.table, id), after).await?;
            let parts: Vec<Item> = page
                .items
                .unwrap_or_default()
                .iter()
                .map(|row| part_of(&row.to_item()))
                .collect();
            for some in parts.chunks(BATCH_MAX) {
                self.delete_all(io, some.to_vec()).await?;
            }
            after = page.last_evaluated_key;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Deletes rows that nothing else can mean, in one request, or in more where it leaves some.
    async fn delete_all(&self, io: &dyn Io, keys: Vec<Item>) -> Result<(), ClientError> {
        let mut left: Vec<WriteRequest> = keys.into_iter().map(WriteRequest::delete).collect();
        while !left.is_empty() {
            let input = BatchWriteItemInput {
                request_items: Some(vec![(self.rows.clone(), left)]),
                ..BatchWriteItemInput::default()
            };
            let unprocessed = ask(io, input).await?.unprocessed_items;
            left = unprocessed.into_iter().flat_map(|(_, some)| some).collect();
            if !left.is_empty() {
                io.pause(UNPROCESSED_PAUSE).await;
            }
        }
        Ok(())
    }

    /// Deletes the checkpoints, without which no run writes anything.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn forget_checkpoints(&self, io: &dyn Io) -> Result<(), ClientError> {
        for row in self.checkpoints(io).await? {
            self.delete(io, &row.part, row.fence).await?;
        }
        Ok(())
    }

    /// Deletes all rows of the move, its own row last: what is interrupted is begun again.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn forget(&self, io: &dyn Io, run: &RunRow) -> Result<(), ClientError> {
        self.forget_checkpoints(io).await?;
        self.forget_gone(io, run.id).await?;
        let mut noted = self.all(io, &spent_prefix(&self.table)).await?;
        noted.extend(self.get(io, &sum_part(&self.table)).await?);
        for row in noted {
            if let (Some(Value::S(part)), Some(fence)) = (row.get(PART), number(&row, FENCE)) {
                self.delete(io, part, fence).await?;
            }
        }
        self.delete(io, &run_part(&self.table), run.fence).await
    }

    /// The tables that have a move.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn tables(&self, io: &dyn Io) -> Result<Vec<String>, ClientError> {
        let (mut tables, mut after) = (Vec::new(), None);
        loop {
            let page = self.page(io, "", after).await?;
            for row in page.items.unwrap_or_default() {
                if let Some(Value::S(part)) = row.to_item().get(PART) {
                    tables.extend(table_of_run(part).map(str::to_owned));
                }
            }
            after = page.last_evaluated_key;
            if after.is_none() {
                tables.sort_unstable();
                return Ok(tables);
            }
        }
    }

    /// Whether the table of rows has none.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn is_empty(&self, io: &dyn Io) -> Result<bool, ClientError> {
        let mut after = None;
        loop {
            let page = self.page(io, "", after).await?;
            if page.items.is_some_and(|items| !items.is_empty()) {
                return Ok(false);
            }
            after = page.last_evaluated_key;
            if after.is_none() {
                return Ok(true);
            }
        }
    }

    /// Deletes a row that has a fence. A request that is late deletes no row of a later move, whose
    /// fences are others.
    async fn delete(&self, io: &dyn Io, part: &str, fence: u64) -> Result<(), ClientError> {
        let delete = DeleteItemInput {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(part))),
            condition_expression: Some(IS_MINE.to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#fence", FENCE)
                .value(":fence", whole(fence)),
            ..DeleteItemInput::default()
        };
        changed(ask(io, delete).await).map(|_| ())
    }

    /// A row, as it is now.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn get(&self, io: &dyn Io, part: &str) -> Result<Option<Item>, ClientError> {
        let input = GetItemInput {
            table_name: Some(self.rows.clone()),
            key: Some(Ok(part_key(part))),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        Ok(ask(io, input).await?.item.map(|item| item.to_item()))
    }

    /// The error of a row that is none of this crate.
    pub(crate) fn foreign(&self, part: &str, name: &str) -> ClientError {
        ClientError::refused(format!(
            "the table {} of the target has a row of {part} without a proper `{name}`: it is no table \
             of moves, or of another version",
            self.rows
        ))
    }
}

/// The key of a row.
fn part_of(row: &Item) -> Item {
    let part = row.get(PART).map(|part| (PART, part.clone()));
    Item::from_iter(part)
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

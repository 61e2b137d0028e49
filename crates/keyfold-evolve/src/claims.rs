//! The tables that an evolution takes: one table takes part in one evolution at a time, whatever the models
//! are called.
//!
//! | `part` | what it is | attributes |
//! |---|---|---|
//! | `table:T` | the table `T` takes part in the evolution of a model | `model` |
//!
//! They are written in the transaction that begins an evolution, and deleted before its own row. A row whose
//! evolution is not there any more is void, and may be taken.

use crate::hands::Stop;
use crate::rows::{PART, Rows, RunRow, key, run_part, text};
use keyfold_api::{
    ConditionCheck, DeleteItemInput, ErrorKind, ExpressionAttributes, ReasonCode, TransactPut,
    TransactWriteItem, TransactWriteItemsInput,
};
use keyfold_client::ClientError;
use keyfold_motion::Patience;
use keyfold_types::Item;
use std::collections::BTreeSet;

/// The most actions of a transaction.
const ACTIONS_MAX: usize = 100;
/// How often others may begin or end evolutions of the same tables meanwhile.
const TRIES: u32 = 10;
const ABSENT: &str = "attribute_not_exists(#part)";

/// What the parts begin with. No name of a model has a colon.
const PREFIX: &str = "table:";

impl Rows<'_, '_> {
    /// Stores the row of an evolution that nobody has begun, and takes its tables: all of it or nothing.
    pub(crate) fn begin(&self, row: &RunRow, tables: &BTreeSet<String>) -> Result<(), Stop> {
        for _ in 0..TRIES {
            if self.run()?.is_some() {
                return Ok(());
            }
            let void = self.void(tables)?;
            if self.claim(Some(row), tables, &void)? {
                return Ok(());
            }
        }
        Err(busy())
    }

    /// Takes the tables of an evolution that an earlier version has begun.
    pub(crate) fn hold(&self, tables: &BTreeSet<String>) -> Result<(), Stop> {
        for _ in 0..TRIES {
            let holders = self.holders(tables)?;
            let is_own = |holder: &Option<String>| holder.as_ref() == Some(&self.model);
            if holders.iter().all(is_own) {
                return Ok(());
            }
            let void = self.void(tables)?;
            if self.claim(None, tables, &void)? {
                return Ok(());
            }
            if self.run()?.is_none() {
                return Err(Stop::Failed(ClientError::refused(format!(
                    "the evolution of the model {} was ended meanwhile",
                    self.model
                ))));
            }
        }
        Err(busy())
    }

    /// The models whose evolutions have the tables.
    fn holders(&self, tables: &BTreeSet<String>) -> Result<Vec<Option<String>>, Stop> {
        let holder = |table: &String| {
            let part = claim_part(table);
            match self.get(&part)? {
                None => Ok(None),
                // A claim of nobody is none that this version has written: it would never come free.
                Some(row) => match text(&row, "model") {
                    Some(model) => Ok(Some(model)),
                    None => Err(Stop::Failed(ClientError::refused(format!(
                        "the row {part} of {} does not say which evolution has the table: it is none of keyfold, or of \
                         another version",
                        self.hands.options.rows
                    )))),
                },
            }
        };
        tables.iter().map(holder).collect()
    }

    /// The models that hold a table for an evolution that is not there any more.
    fn void(&self, tables: &BTreeSet<String>) -> Result<BTreeSet<String>, Stop> {
        let mut void = BTreeSet::new();
        for (table, holder) in tables.iter().zip(self.holders(tables)?) {
            let Some(model) = holder.filter(|model| *model != self.model) else {
                continue;
            };
            if let Some(row) = self.get(&run_part(&model))? {
                let between = RunRow::of(&row).map_or_else(String::new, |row| row.between());
                return Err(Stop::Failed(ClientError::refused(format!(
                    "the table {table} takes part in the evolution of the model {model}, which is under way{between}: \
                     one table takes part in one evolution at a time. Go on with that one, or end it by `keyfold \
                     evolve abort` or `complete`, with its own models"
                ))));
            }
            void.insert(model);
        }
        Ok(void)
    }

    /// Takes tables that are free, or held by nobody any more; with the row of an evolution that begins, or for
    /// one that is there. Returns whether it was done: others may have been faster.
    fn claim(
        &self,
        row: Option<&RunRow>,
        tables: &BTreeSet<String>,
        void: &BTreeSet<String>,
    ) -> Result<bool, Stop> {
        let mut actions = Vec::new();
        let own = run_part(&self.model);
        actions.push(match row {
            Some(row) => self.put(row.to_item(&own), ABSENT, &[]),
            None => self.check(&own, "attribute_exists(#part)"),
        });
        actions.extend(
            void.iter()
                .map(|model| self.check(&run_part(model), ABSENT)),
        );
        let mut holders = vec![self.model.as_str()];
        holders.extend(void.iter().map(String::as_str));
        for table in tables {
            let mut claim = key(&claim_part(table));
            claim.insert("model", self.model.as_str());
            actions.push(self.put(claim, ABSENT, &holders));
        }
        if actions.len() > ACTIONS_MAX {
            let why = format!(
                "the models have {} tables: an evolution takes at most {} in one transaction",
                tables.len(),
                ACTIONS_MAX - 1
            );
            return Err(Stop::Failed(ClientError::refused(why)));
        }
        self.sent(actions)
    }

    fn sent(&self, actions: Vec<TransactWriteItem>) -> Result<bool, Stop> {
        let mut patience = Patience::new();
        loop {
            let input = TransactWriteItemsInput {
                transact_items: Some(actions.clone()),
                ..TransactWriteItemsInput::default()
            };
            let error = match self.hands.once(input.into()) {
                Ok(_) => return Ok(true),
                Err(error) => error,
            };
            match patience.after(&error, self.hands.world.random()) {
                Some(pause) => self.hands.world.pause(pause),
                None if is_overtaken(&error) => return Ok(false),
                None => return Err(Stop::Failed(error)),
            }
        }
    }

    /// Puts a row, under a condition, or where it names one of these models.
    fn put(&self, row: Item, condition: &str, holders: &[&str]) -> TransactWriteItem {
        let mut attributes = ExpressionAttributes::default().name("#part", PART);
        let mut condition = condition.to_owned();
        for (at, holder) in holders.iter().enumerate() {
            if at == 0 {
                attributes = attributes.name("#model", "model");
            }
            attributes = attributes.value(format!(":m{at}"), *holder);
            condition.push_str(&format!(" OR #model = :m{at}"));
        }
        TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some(self.hands.options.rows.clone()),
                item: Some(Ok(row)),
                condition_expression: Some(condition),
                expression_attributes: attributes,
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    fn check(&self, part: &str, condition: &str) -> TransactWriteItem {
        TransactWriteItem {
            condition_check: Some(ConditionCheck {
                table_name: Some(self.hands.options.rows.clone()),
                key: Some(Ok(key(part))),
                condition_expression: Some(condition.to_owned()),
                expression_attributes: ExpressionAttributes::default().name("#part", PART),
                ..ConditionCheck::default()
            }),
            ..TransactWriteItem::default()
        }
    }

    /// Releases the tables that rows name as held.
    pub(crate) fn release(&self, rows: &[Item]) -> Result<(), Stop> {
        for row in rows {
            let part = text(row, PART).filter(|part| part.starts_with(PREFIX));
            let (Some(part), true) = (part, text(row, "model").as_ref() == Some(&self.model))
            else {
                continue;
            };
            let attributes = ExpressionAttributes::default()
                .name("#model", "model")
                .value(":model", self.model.as_str());
            let input = DeleteItemInput {
                table_name: Some(self.hands.options.rows.clone()),
                key: Some(Ok(key(&part))),
                condition_expression: Some("#model = :model".to_owned()),
                expression_attributes: attributes,
                ..DeleteItemInput::default()
            };
            match self.hands.ask(input) {
                Ok(_) => {}
                // It is gone, or another one has it.
                Err(Stop::Failed(error))
                    if error.kind() == Some(ErrorKind::ConditionalCheckFailed) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }
}

/// Whether a condition of a transaction did not hold.
fn is_overtaken(error: &ClientError) -> bool {
    let ClientError::Service { reasons, .. } = error else {
        return false;
    };
    let mut codes = reasons.iter().map(|(code, _)| *code);
    codes.any(|code| code == ReasonCode::ConditionalCheckFailed)
}

fn claim_part(table: &str) -> String {
    format!("{PREFIX}{table}")
}

fn busy() -> Stop {
    Stop::Failed(ClientError::refused(
        "others begin or end evolutions of the same tables at the same time: the same command goes on"
            .to_owned(),
    ))
}

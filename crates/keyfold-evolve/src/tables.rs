//! The tables and indexes of an evolution.

use crate::course::table_of;
use crate::hands::{Hands, Stop};
use crate::rows::{Rows, RunRow};
use keyfold_api::{
    DeleteGlobalSecondaryIndexAction, DeleteTableInput, ErrorKind, GlobalSecondaryIndexUpdate,
    ListTablesInput, TableDescription, TableStatus, UpdateTableInput, known,
};
use keyfold_client::ClientError;
use keyfold_lower::Origin;
use keyfold_lower::tables as lower;
use keyfold_model::{Model, Table};
use keyfold_motion::Patience;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(500);

fn origin(hands: &Hands<'_>) -> Origin {
    Origin {
        now_epoch_ms: hands.world.epoch_ms(),
        seed: u128::from(hands.world.random()),
    }
}

/// The names of all tables.
fn names(hands: &Hands<'_>) -> Result<Vec<String>, Stop> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let input = ListTablesInput {
            exclusive_start_table_name: after.take(),
            ..ListTablesInput::default()
        };
        let page = hands.ask(input)?;
        all.extend(page.table_names.unwrap_or_default());
        after = page.last_evaluated_table_name;
        if after.is_none() {
            return Ok(all);
        }
    }
}

/// The tables that are there of those of a model, of which `is_wanted` chooses.
pub(crate) fn stored(
    hands: &Hands<'_>,
    model: &Model,
    is_wanted: impl Fn(usize) -> bool,
) -> Result<Vec<String>, Stop> {
    let mut all = names(hands)?;
    all.retain(|name| table_of(model, name).is_some_and(|(at, _)| is_wanted(at)));
    all.sort();
    Ok(all)
}

pub(crate) fn described(hands: &Hands<'_>, table: &str) -> Result<Option<TableDescription>, Stop> {
    Ok(hands.carry(lower::describe(origin(hands), table))?)
}

/// Makes a table of the new model, or gives one that is there the settings that the model says.
pub(crate) fn make(hands: &Hands<'_>, table: &Table) -> Result<(), Stop> {
    let found: Vec<String> = match table.period {
        // A table of a period is made with its first item.
        Some(_) => names(hands)?
            .into_iter()
            .filter(|name| table.period_of(name).is_some())
            .collect(),
        None => vec![table.name.clone()],
    };
    for name in found {
        hands.carry(lower::made(origin(hands), table, &name))?;
        let left = hands.carry(lower::compare(origin(hands), table, &name))?;
        let left: Vec<String> = left
            .into_iter()
            .filter(|one| !matches!(one.declared, keyfold_lower::difference::Declared::Index(_)))
            .map(|one| one.text)
            .collect();
        if !left.is_empty() {
            return Err(Stop::Failed(ClientError::refused(format!(
                "{name} has other settings than the new model says, which `run` does not change: {}; update \
                 them, and run the same command again",
                left.join("; ")
            ))));
        }
    }
    Ok(())
}

/// Whether a table has an index, and whether it is active.
fn index(found: &TableDescription, index: &str) -> Option<bool> {
    let mut all = found.global_secondary_indexes.iter().flatten();
    let own = all.find(|one| one.index_name.as_deref() == Some(index))?;
    Some(known(&own.index_status) == Some(TableStatus::Active))
}

fn is_active(found: &TableDescription) -> bool {
    known(&found.table_status) == Some(TableStatus::Active)
}

/// Makes an index, and waits until it is active.
pub(crate) fn add_index(
    rows: &Rows<'_, '_>,
    run: &RunRow,
    (table, name): (&Table, &str),
    wanted: &str,
) -> Result<(), Stop> {
    let hands = rows.hands;
    let Some(of) = table.indexes.iter().find(|one| one.name == wanted) else {
        return Ok(());
    };
    let mut patience = Patience::new();
    loop {
        hands.check()?;
        let Some(found) = described(hands, name)? else {
            return Ok(());
        };
        match index(&found, wanted) {
            Some(true) if is_active(&found) => return Ok(()),
            None if is_active(&found) => {
                let input = lower::index_input(table, name, of);
                change(hands, &mut patience, input)?;
            }
            Some(_) | None => {}
        }
        rows.check_mine(run)?;
        hands.world.pause(PAUSE);
    }
}

/// Deletes an index, and waits until it is gone.
pub(crate) fn remove_index(
    rows: &Rows<'_, '_>,
    run: &RunRow,
    name: &str,
    gone: &str,
) -> Result<(), Stop> {
    let hands = rows.hands;
    let mut patience = Patience::new();
    loop {
        hands.check()?;
        let Some(found) = described(hands, name)? else {
            return Ok(());
        };
        match index(&found, gone) {
            None => return Ok(()),
            Some(true) if is_active(&found) => change(
                hands,
                &mut patience,
                UpdateTableInput {
                    table_name: Some(name.to_owned()),
                    global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
                        delete: Some(DeleteGlobalSecondaryIndexAction {
                            index_name: Some(gone.to_owned()),
                        }),
                        ..GlobalSecondaryIndexUpdate::default()
                    }]),
                    ..UpdateTableInput::default()
                },
            )?,
            Some(_) => {}
        }
        rows.check_mine(run)?;
        hands.world.pause(PAUSE);
    }
}

/// Changes a table. What was lost or came too early shows when it is looked at again. A limit may be that of changes at
/// once, which passes, or one of indexes, which does not: it is waited for some time.
fn change(hands: &Hands<'_>, patience: &mut Patience, input: UpdateTableInput) -> Result<(), Stop> {
    match hands.once(input.into()) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => Ok(()),
        Err(error) => hands.wait_out(patience, error),
    }
}

/// Deletes a table.
pub(crate) fn remove(hands: &Hands<'_>, name: &str) -> Result<(), Stop> {
    let mut patience = Patience::new();
    loop {
        hands.check()?;
        let Some(found) = described(hands, name)? else {
            return Ok(());
        };
        if is_active(&found) {
            let input = DeleteTableInput {
                table_name: Some(name.to_owned()),
            };
            match hands.once(input.into()) {
                Ok(_) => {}
                Err(error)
                    if matches!(
                        error.kind(),
                        Some(ErrorKind::ResourceNotFound | ErrorKind::ResourceInUse)
                    ) => {}
                Err(error) => hands.wait_out(&mut patience, error)?,
            }
        }
        hands.world.pause(PAUSE);
    }
}

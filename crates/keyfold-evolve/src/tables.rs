//! The tables and indexes of an evolution.

use crate::course::table_of;
use crate::hands::{Hands, Stop};
use crate::rows::{Rows, RunRow};
use keyfold_api::{
    DeleteGlobalSecondaryIndexAction, DeleteTableInput, DescribeTimeToLiveInput, ErrorKind,
    GlobalSecondaryIndexUpdate, ListTablesInput, TableDescription, TableStatus,
    TimeToLiveSpecification, TimeToLiveStatus, UpdateTableInput, UpdateTimeToLiveInput, known,
};
use keyfold_client::ClientError;
use keyfold_lower::Origin;
use keyfold_lower::tables as lower;
use keyfold_model::{Model, Table};
use keyfold_motion::Patience;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(500);
/// The pause between looks at what takes the service long.
const LONG_PAUSE: Duration = Duration::from_secs(5);
/// What the service says of a change of expiry that comes too early after another one.
const TOO_OFTEN: &str = "multiple times within a fixed interval";

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

/// The status of a table's expiry, with its attribute.
fn expiry(
    hands: &Hands<'_>,
    name: &str,
) -> Result<(Option<TimeToLiveStatus>, Option<String>), Stop> {
    let input = DescribeTimeToLiveInput {
        table_name: Some(name.to_owned()),
    };
    let found = hands.ask(input)?.time_to_live_description;
    let found = found.unwrap_or_default();
    Ok((known(&found.time_to_live_status), found.attribute_name))
}

/// Switches the expiry of a table by an attribute on or off, and waits until it is so. The service takes up to an hour
/// for a change, and refuses another one meanwhile. `new` is what the new version expires by: an evolution that was ended
/// before has switched it on already.
pub(crate) fn expire(
    rows: &Rows<'_, '_>,
    run: &RunRow,
    (name, attribute, is_on): (&str, &str, bool),
    new: Option<&str>,
) -> Result<(), Stop> {
    let hands = rows.hands;
    let mut patience = Patience::new();
    loop {
        hands.check()?;
        let (status, by) = expiry(hands, name)?;
        let is_it = by.as_deref() == Some(attribute);
        let is_changed = match (status, is_on) {
            (Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling), true) if is_it => {
                return Ok(());
            }
            (Some(TimeToLiveStatus::Disabled) | None, false) => return Ok(()),
            (Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling), false)
                if !is_it && new.is_some() && by.as_deref() == new =>
            {
                return Ok(());
            }
            (Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling), _) if !is_it => {
                return Err(another(name, &by.unwrap_or_default()));
            }
            (Some(TimeToLiveStatus::Disabling | TimeToLiveStatus::Enabling), _) => false,
            (Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Disabled) | None, _) => {
                change_expiry(hands, &mut patience, (name, attribute, is_on))?
            }
        };
        if !is_changed {
            let way = if is_on { "on" } else { "off" };
            let present = format!("waiting until the expiry of {name} can be switched {way}");
            hands.progress.enter(&present);
        }
        rows.check_mine(run)?;
        hands
            .world
            .pause(if is_changed { PAUSE } else { LONG_PAUSE });
    }
}

/// Sends a change of expiry. Returns whether it was taken; the service may refuse it for a while.
fn change_expiry(
    hands: &Hands<'_>,
    patience: &mut Patience,
    (name, attribute, is_on): (&str, &str, bool),
) -> Result<bool, Stop> {
    let input = UpdateTimeToLiveInput {
        table_name: Some(name.to_owned()),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled: Some(is_on),
            attribute_name: Some(attribute.to_owned()),
        }),
    };
    match hands.once(input.into()) {
        Ok(_) => Ok(true),
        Err(error) if error.to_string().contains(TOO_OFTEN) => Ok(false),
        Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => Ok(false),
        Err(error) => hands.wait_out(patience, error).map(|()| true),
    }
}

fn another(name: &str, by: &str) -> Stop {
    Stop::Failed(ClientError::refused(format!(
        "items of {name} expire by `{by}`, which is not what the old model says: switch that off by UpdateTimeToLive, \
         and run the same command again"
    )))
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

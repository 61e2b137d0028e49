//! `keyfold events status`: how far the mappings of `serve --on-stream` are.

use super::age::aged;
use super::names::named;
use crate::backend::{BackendArguments, Use};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ERROR, FAINT, STRONG};
use keyfold_api::{DescribeTableInput, ErrorKind};
use keyfold_client::origin;
use keyfold_model::near;
use keyfold_stream::mapping::{MappingStatus, ShardStatus, status};
use keyfold_stream::{Position, Sends, sends, table_of};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn show(
    table: Option<&str>,
    backend: &BackendArguments,
    output: Output,
) -> Result<(), Failure> {
    let send = sends(Arc::new(backend.open_as_it_is(Use::Read)?));
    let mut all = status(&send)?;
    if let Some(table) = table {
        check_table(&send, table, &all)?;
        let is_of_table = |shard: &ShardStatus| table_of(&shard.key.stream) == table;
        all.iter_mut()
            .for_each(|mapping| mapping.shards.retain(is_of_table));
        all.retain(|mapping| !mapping.shards.is_empty());
    }
    output.result(
        || json!({ "mappings": all.iter().map(document).collect::<Vec<_>>() }),
        || {
            all.iter().for_each(lines);
            if all.is_empty() {
                let of = table.map_or(String::new(), |table| format!(" of {table}"));
                terminal::line(&format!("no mapping{of} has begun"));
            }
        },
    );
    Ok(())
}

/// Refuses a table that is not there, and of which no mapping has begun.
fn check_table(send: &Sends, table: &str, all: &[MappingStatus]) -> Result<(), Failure> {
    let shards = all.iter().flat_map(|mapping| &mapping.shards);
    let mut known: BTreeSet<&str> = shards.map(|shard| table_of(&shard.key.stream)).collect();
    if known.contains(table) || has_table(send, table)? {
        return Ok(());
    }
    let near = near::meant(table, known.iter().copied());
    let have = match known.pop_first() {
        None => "no mapping has begun".to_owned(),
        Some(first) => known
            .iter()
            .fold(format!("mappings have begun of {first}"), |text, name| {
                format!("{text}, {name}")
            }),
    };
    let why = format!("there is no table {table}; {have}{near}");
    Err(Failure::not_found(why).in_table(table))
}

fn has_table(send: &Sends, table: &str) -> Result<bool, Failure> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    match send(input.into()) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn lines(mapping: &MappingStatus) {
    terminal::line(&format!(
        "{STRONG}{}{STRONG:#}",
        terminal::shown(&named(&mapping.name))
    ));
    for shard in &mapping.shards {
        let at = match &shard.position {
            Position::Horizon => "no record of this shard is handled yet".to_owned(),
            Position::After(number) => format!("handled up to {number}{}", moved(shard)),
            Position::End => "ended".to_owned(),
        };
        let least = if shard.has_more { "at least " } else { "" };
        let count = terminal::counted_u64(shard.behind, "record");
        let age = match shard.behind {
            0 => String::new(),
            _ => format!(" ({:.1} s)", shard.lag.as_secs_f64()),
        };
        let key = &shard.key;
        let table = table_of(&key.stream);
        terminal::line(&format!("  {table}: {least}{count} behind{age}; {at}"));
        if let Some(error) = &shard.error {
            let since = aged(age_ms(error.since_epoch_ms));
            let why = terminal::shown(&error.why);
            terminal::line(&format!("  {ERROR}for {since}{ERROR:#}: {why}"));
        }
        terminal::line(&format!("  {FAINT}{}{FAINT:#}", key.shard));
    }
}

/// How long the position of a shard has not moved.
fn moved(shard: &ShardStatus) -> String {
    let moved = shard.moved_epoch_ms;
    moved.map_or(String::new(), |at| format!(" {} ago", aged(age_ms(at))))
}

fn age_ms(moment_ms: u64) -> u64 {
    let now = u64::try_from(origin().now_epoch_ms).unwrap_or_default();
    now.saturating_sub(moment_ms)
}

fn document(mapping: &MappingStatus) -> Json {
    let shard = |shard: &ShardStatus| {
        json!({
            "table": table_of(&shard.key.stream),
            "stream": shard.key.stream,
            "shard": shard.key.shard,
            "position": shard.position.to_string(),
            "movedMs": shard.moved_epoch_ms,
            "behind": shard.behind,
            "hasMore": shard.has_more,
            "lagMs": u64::try_from(shard.lag.as_millis()).unwrap_or(u64::MAX),
            "error": shard.error.as_ref().map(|error| &error.why),
            "errorSinceMs": shard.error.as_ref().map(|error| error.since_epoch_ms),
        })
    };
    json!({
        "name": mapping.name,
        "shards": mapping.shards.iter().map(shard).collect::<Vec<_>>(),
    })
}

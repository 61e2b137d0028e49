//! `keyfold events failures` and `replay`: batches that a mapping has discarded.
//!
//! A line of the file has numbers only. The records are read from the stream, which keeps them for 24 hours. Batches
//! that were handled since are in a file beside it: a server may append to the first one meanwhile.

use super::age::aged;
use crate::backend::{BackendArguments, Use};
use crate::cmd::on_stream::{Called, Prepared, Served};
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG, counted};
use keyfold_client::origin;
use keyfold_stream::mapping::{Discard, Kept, Settings};
use keyfold_stream::{Record, ShardKey, sends};
use keyfold_types::Item;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most records of a batch whose keys are shown to people.
const SHOWN: usize = 10;

/// A batch of the file, and what the stream holds of it.
struct Found {
    /// The line of the file.
    number: usize,
    batch: Discard,
    kept: Kept,
}

impl Found {
    /// Why its records are not those of the batch; `None` where they are.
    fn why_not(&self) -> Option<String> {
        let (held, count) = (self.kept.records.len(), self.batch.count);
        let of = counted(count, "record");
        match held {
            0 => Some(format!(
                "the stream holds none of its {of} any more: it keeps them for 24 hours"
            )),
            held if held < count => Some(format!("the stream holds {held} of its {of} only")),
            held if held > count => Some(format!(
                "{held} records lie between its numbers, of which the batch had {count}: `filter` and `parallel` of \
                 its mapping choose them"
            )),
            _ => None,
        }
    }
}

/// The batches of a file that are not handled yet.
struct Batches {
    all: Vec<(usize, Discard)>,
    /// How many are handled.
    replayed: usize,
}

impl Batches {
    fn read(file: &Path) -> Result<Batches, Failure> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            let message = format!("cannot read {}: {error}", file.display());
            Failure::usage(message).in_file(file)
        })?;
        let replayed = replayed(file)?;
        let mut batches = Batches {
            all: Vec::new(),
            replayed: 0,
        };
        let lines = text.lines().enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let number = at + 1;
            let batch = Discard::parse(line).map_err(|why| {
                let message = format!("the line is no batch that was discarded: {why}");
                Failure::usage(message).at_line(file, number)
            })?;
            match replayed.contains(&name(&batch)) {
                true => batches.replayed += 1,
                false => batches.all.push((number, batch)),
            }
        }
        Ok(batches)
    }
}

/// The file of the batches that were handled.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".replayed");
    PathBuf::from(name)
}

/// What tells a batch from all others.
fn name(batch: &Discard) -> String {
    let Discard {
        id, first, last, ..
    } = batch;
    let ShardKey { stream, shard } = &batch.shard;
    format!("{stream} {shard} {first} {last} {id}")
}

fn replayed(file: &Path) -> Result<BTreeSet<String>, Failure> {
    let file = beside(file);
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => {
            let message = format!("cannot read {}: {error}", file.display());
            Err(Failure::usage(message).in_file(&file))
        }
    }
}

fn note(file: &Path, batch: &Discard) -> Result<(), Failure> {
    let file = beside(file);
    let opened = OpenOptions::new().create(true).append(true).open(&file);
    let line = format!("{}\n", name(batch));
    let written = opened.and_then(|mut opened| opened.write_all(line.as_bytes()));
    written.map_err(|error| Failure::unwritten(&file, &error))
}

pub(super) fn list(file: &Path, backend: &BackendArguments, output: Output) -> Result<(), Failure> {
    let batches = Batches::read(file)?;
    let send = sends(Arc::new(backend.open_as_it_is(Use::Read)?));
    let found = batches.all.into_iter().map(|(number, batch)| {
        let kept = Kept::of(&send, &batch, &Settings::new(batch.table(), ""))?;
        Ok(Found {
            number,
            batch,
            kept,
        })
    });
    let found: Vec<Found> = found.collect::<Result<_, Failure>>()?;
    let replayed = batches.replayed;
    output.result(
        || {
            let all: Vec<Json> = found.iter().map(|one| document(one, None)).collect();
            json!({ "batches": all, "replayed": replayed })
        },
        || {
            found.iter().for_each(show);
            if replayed > 0 {
                terminal::line(&format!("{FAINT}{} handled since{FAINT:#}", were(replayed)));
            } else if found.is_empty() {
                terminal::line("no batch was discarded");
            }
        },
    );
    Ok(())
}

pub(super) fn replay(
    (file, number): (&Path, Option<usize>),
    to: &Settings,
    backend: &BackendArguments,
    output: Output,
) -> Result<(), Failure> {
    let batches = Batches::read(file)?;
    let is_meant = |one: &(usize, Discard)| {
        number.is_none_or(|number| one.0 == number) && one.1.table() == to.table
    };
    let meant: Vec<_> = batches.all.into_iter().filter(is_meant).collect();
    if let (Some(number), []) = (number, meant.as_slice()) {
        let table = &to.table;
        let why = format!(
            "--batch {number}: {} has no such batch of {table} that is left; `keyfold events failures` shows them",
            file.display()
        );
        return Err(Failure::usage(why).of_argument("--batch"));
    }
    let function = Prepared::of(to, "--to")?;
    let served = served(backend, &function)?;
    let send = sends(Arc::new(backend.open_as_it_is(Use::Work)?));
    let function = Called::start(function, &served)?;
    let mut all = Vec::new();
    for (number, batch) in meant {
        let kept = Kept::of(&send, &batch, to)?;
        let found = Found {
            number,
            batch,
            kept,
        };
        let left = match found.why_not() {
            Some(why) => Some(why),
            None => found.kept.send(&*function.function, to).err(),
        };
        if left.is_none() {
            note(file, &found.batch)?;
        }
        all.push((found, left));
    }
    drop(function);
    let left = all.iter().filter(|(_, left)| left.is_some()).count();
    let document = all
        .iter()
        .map(|(one, left)| document(one, Some(left.as_deref())))
        .collect::<Vec<_>>();
    let verdict = match left {
        0 => Ok(()),
        left => Err(Failure::refused(format!("{} not handled", were(left)))),
    };
    output.report(
        json!({ "batches": document, "replayed": batches.replayed }),
        || show_sent(&all, &to.table),
        verdict,
    )
}

/// What the function knows of the server. A command asks the server for items, which has the data folder.
fn served(backend: &BackendArguments, function: &Prepared) -> Result<Served, Failure> {
    match backend.server()? {
        Some(server) => Ok(Served {
            endpoint: server.url,
            region: server.region,
        }),
        None if function.is_command() => Err(Failure::usage(
            "a command works on a server: name it by `--endpoint URL`, beside which it may run",
        )),
        None => Ok(Served::default()),
    }
}

fn show_sent(all: &[(Found, Option<String>)], table: &str) {
    for (one, left) in all {
        let number = one.number;
        let records = counted(one.batch.count, "record");
        terminal::line(&match left {
            None => format!("{GOOD}handled{GOOD:#} {STRONG}batch {number}{STRONG:#}: {records}"),
            Some(why) => format!("{STRONG}batch {number}{STRONG:#}: {why}"),
        });
    }
    if all.is_empty() {
        terminal::line(&format!("no batch of {table} is left"));
    }
}

/// "1 batch was", "2 batches were".
fn were(batches: usize) -> String {
    match batches {
        1 => "1 batch was".to_owned(),
        count => format!("{count} batches were"),
    }
}

/// Why a batch was discarded.
fn cause(batch: &Discard) -> String {
    let calls = counted(usize::try_from(batch.calls).unwrap_or(usize::MAX), "call");
    match (batch.condition.as_str(), batch.calls) {
        ("RetryAttemptsExhausted", _) => format!("its retries were used up after {calls}"),
        ("RecordAgeExceeded", 0) => "it was too old".to_owned(),
        ("RecordAgeExceeded", _) => format!("it was too old after {calls}"),
        (other, _) => other.to_owned(),
    }
}

/// The age of a moment, in milliseconds; `None` where there is none.
fn age_ms(moment: Option<&str>) -> Option<u64> {
    let moment: jiff::Timestamp = moment?.parse().ok()?;
    let age = origin().now_epoch_ms - moment.as_millisecond();
    Some(u64::try_from(age).unwrap_or_default())
}

/// The key of the item of a record.
fn key_of(record: &Record) -> Option<&Item> {
    record.dynamodb.as_ref()?.keys.as_ref()?.as_ref().ok()
}

fn show(one: &Found) {
    let (number, batch) = (one.number, &one.batch);
    let records = counted(batch.count, "record");
    let age = age_ms(batch.first_at.as_deref());
    let age = age.map_or(String::new(), |ms| format!(", {} old", aged(ms)));
    let (table, why) = (batch.table(), cause(batch));
    terminal::line(&format!(
        "{STRONG}batch {number}{STRONG:#}: {records} of {table}{age}: {why}"
    ));
    for record in one.kept.records.iter().take(SHOWN) {
        let key = key_of(record).map_or(String::new(), terminal::key);
        terminal::line(&format!("  {key}"));
    }
    if let Some(more @ 1..) = one.kept.records.len().checked_sub(SHOWN) {
        let more = counted(more, "more record");
        terminal::line(&format!("  and {more}: --json shows them"));
    }
    if let Some(why) = one.why_not() {
        terminal::line(&format!("  {why}"));
    }
    let (shard, first, last) = (&batch.shard.shard, &batch.first, &batch.last);
    let numbers = match first == last {
        true => format!("record {first}"),
        false => format!("records {first} to {last}"),
    };
    terminal::line(&format!("  {FAINT}{shard}, {numbers}{FAINT:#}"));
}

/// A batch; with the reason for which it is not handled, if it was sent.
fn document(one: &Found, sent: Option<Option<&str>>) -> Json {
    let batch = &one.batch;
    let records =
        one.kept.records.iter().map(
            |record| json!({ "number": record.number(), "key": key_of(record).map(json::typed) }),
        );
    let mut document = json!({
        "batch": one.number,
        "table": batch.table(),
        "condition": batch.condition,
        "calls": batch.calls,
        "discardedAt": batch.at,
        "ageMs": age_ms(batch.first_at.as_deref()),
        "stream": batch.shard.stream,
        "shard": batch.shard.shard,
        "firstNumber": batch.first,
        "lastNumber": batch.last,
        "count": batch.count,
        "records": records.collect::<Vec<_>>(),
        "whyNot": one.why_not(),
    });
    if let (Some(left), Some(members)) = (sent, document.as_object_mut()) {
        members.insert("handled".to_owned(), json!(left.is_none()));
        members.insert("failsBy".to_owned(), json!(left));
    }
    document
}

//! The moves of which the place is the target, as `keyfold move status` says them; and those of which it is the
//! source, once they were switched.

use super::named::Named;
use crate::terminal::{counted, counted_u64};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::threads::{Called, Threads};
use keyfold_motion::{LEDGER, Options, Phase, RunRow, Status, Totals, moves, tables, totals};
use keyfold_workbench::{Known, Work};
use std::sync::Arc;
use std::time::Instant;

/// What is said of the places of a move whose rows cannot be read.
const NOT_KNOWN: &str = "not known";

/// Each move that the place knows of.
pub(super) fn here(backend: &Arc<Backend>, named: &Named) -> Known<Work> {
    // The other side is not asked: this place stands for it.
    let called = Called {
        places: ["this place".to_owned(), "this place".to_owned()],
        rights: "docs/move.md lists the rights of a move",
    };
    let both = [Arc::clone(backend), Arc::clone(backend)];
    let world = Threads::new(both, called, Arc::default(), Instant::now());
    let of = |table: &str, status: &Status| {
        let totals = blocked(totals(&*world, &Options::new(table)))?;
        let is_there = blocked(tables::is_made(&*world, table, &status.run))?;
        Ok(shown(named, table, status, (totals.as_ref(), is_there)))
    };
    let all = blocked(moves(&*world, LEDGER)).map_err(|error| error.to_string())?;
    let shown = all.into_iter().map(|(table, status)| {
        let work = status.and_then(|status| of(&table, &status));
        work.unwrap_or_else(|error| odd(table, &error))
    });
    Ok(shown.collect())
}

/// A move of which nothing is known but its table. It hides no other.
fn odd(table: String, error: &ClientError) -> Work {
    Work {
        name: table,
        from: NOT_KNOWN.to_owned(),
        to: NOT_KNOWN.to_owned(),
        phase: error.to_string(),
        progress: String::new(),
        since_ms: None,
        behind: None,
        paused_ms: None,
        command: String::new(),
    }
}

fn shown(
    named: &Named,
    table: &str,
    status: &Status,
    (totals, is_there): (Option<&Totals>, bool),
) -> Work {
    let run = &status.run;
    let last = totals.and_then(|all| all.runs.last());
    let follows = run.phase == Phase::Following && run.stream.is_some();
    let behind = last
        .filter(|_| follows)
        .and_then(|last| Some((last.behind()?, last.noted_ms)));
    let behind = behind
        .map(|(behind, noted)| (u64::try_from(behind.as_millis()).unwrap_or(u64::MAX), noted));
    let other = other(run);
    let (from, to) = match run.is_back {
        false => (other, "this place".to_owned()),
        true => (
            "this place".to_owned(),
            "the other side of this move".to_owned(),
        ),
    };
    let command = named.command(|named| match run.is_back {
        false => format!("keyfold move resume FROM {} --table {table}", named.at),
        true => format!("keyfold move resume {} TO --table {table}", named.at),
    });
    Work {
        name: table.to_owned(),
        from,
        to,
        phase: phase(run, is_there),
        progress: progress(status, totals),
        since_ms: totals.and_then(|all| Some(all.runs.first()?.began_ms)),
        behind,
        paused_ms: run.paused_ms,
        command,
    }
}

/// The table that the stream of a move is of, or that is copied without one.
fn other(run: &RunRow) -> String {
    let stream = run
        .stream
        .as_deref()
        .and_then(|arn| arn.split("/stream/").next());
    let source = stream.unwrap_or(&run.source);
    format!("the table {source}")
}

/// What a move does, in words.
fn phase(run: &RunRow, is_there: bool) -> String {
    let phase = match (run.phase, &run.stream) {
        (Phase::Following, None) => "copied, changes are not followed",
        (phase, _) => phase.word(),
    };
    let side = match (run.turn.has_begun(), run.turn.goes_to()) {
        (false, _) => String::new(),
        (true, Some(to)) => format!(", being switched to the {}", to.word()),
        (true, None) => format!(", programs write to the {}", run.turn.lead.word()),
    };
    let gone = match is_there || run.is_back {
        true => "",
        false => ", but its table is not here any more: abort the move, and begin it again",
    };
    format!("{phase}{side}{gone}")
}

fn progress(status: &Status, totals: Option<&Totals>) -> String {
    let segments = usize::try_from(status.run.segments).unwrap_or(usize::MAX);
    let copied = format!(
        "{} of {} copied",
        status.segments_done,
        counted(segments, "segment")
    );
    match totals {
        None => copied,
        Some(all) => format!(
            "{copied}, {} read, {} of changes",
            counted_u64(all.copied.read, "item"),
            counted_u64(all.applied.read, "record"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_api::{Operation, Request};
    use keyfold_engine::{Engine, EngineOptions, StoreOptions};

    fn request(operation: Operation, body: &str) -> Request {
        keyfold_wire::decode(operation, body.as_bytes()).unwrap()
    }

    fn engine() -> Arc<Backend> {
        let options = EngineOptions::new(StoreOptions::Memory);
        Arc::new(Backend::Embedded(Arc::new(Engine::open(options).unwrap())))
    }

    /// A place that a move of the table `Notes` has begun to go to.
    fn place() -> Arc<Backend> {
        let (source, target) = (engine(), engine());
        let made = r#"{"TableName":"Notes","BillingMode":"PAY_PER_REQUEST",
            "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#;
        source.call(request(Operation::CreateTable, made)).unwrap();
        let called = Called {
            places: ["the source".to_owned(), "the target".to_owned()],
            rights: "none",
        };
        let both = [source, Arc::clone(&target)];
        let world = Threads::new(both, called, Arc::default(), Instant::now());
        let found = blocked(tables::look(&*world, "Notes")).unwrap();
        blocked(keyfold_motion::prepare(
            &*world,
            &Options::new("Notes"),
            &found,
            None,
        ))
        .unwrap();
        target
    }

    #[test]
    fn an_odd_row_is_shown_beside_the_others() {
        let place = place();
        for part in ["Before run", "Odd run"] {
            let odd = format!(
                r#"{{"TableName":"{LEDGER}","Item":{{"part":{{"S":"{part}"}},"move":{{"S":"?"}}}}}}"#
            );
            place.call(request(Operation::PutItem, &odd)).unwrap();
        }
        let all = here(&place, &Named::server("http://here")).unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["Before", "Notes", "Odd"]);
        for one in all.iter().filter(|one| one.name != "Notes") {
            assert!(
                one.phase.contains("without a proper `move`"),
                "{}",
                one.phase
            );
            assert_eq!((one.command.as_str(), one.progress.as_str()), ("", ""));
        }
        let good = all.iter().find(|one| one.name == "Notes").unwrap();
        assert_eq!(good.phase, "copying");
        assert!(good.command.contains("--table Notes"), "{}", good.command);
    }

    /// A row of a run, which is read for its units, is one of a move, too.
    #[test]
    fn an_odd_row_of_a_run_is_said_of_its_move() {
        let place = place();
        let odd = format!(
            r#"{{"TableName":"{LEDGER}","Item":{{"part":{{"S":"Notes spent 1"}},"fence":{{"N":"1"}}}}}}"#
        );
        place.call(request(Operation::PutItem, &odd)).unwrap();
        let all = here(&place, &Named::server("http://here")).unwrap();
        let [one] = all.as_slice() else {
            panic!("{} moves", all.len());
        };
        assert!(one.phase.contains("a row of Notes"), "{}", one.phase);
    }
}

//! Who leads becomes the other side: the tables, or the database again.

use super::opening::{Both, check_columns, mapping};
use super::told::{self, read};
use crate::cmd::moving::{asked, can_ask, force, is_slow, written_at};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD};
use clap::Args;
use keyfold_client::Backend;
use keyfold_relational::{
    Ended, Mapping, Migration, Phase, Progress, Rowless, Source, Switch, Tables, Turned, rowless,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[derive(Args)]
pub(super) struct Switching {
    #[command(flatten)]
    both: Both,
    /// Let the database lead again.
    #[arg(long)]
    back: bool,
    /// Do not compare rows and items while nobody can write.
    #[arg(long)]
    quick: bool,
    /// For how many seconds the tables must have refused writes, and a record may take to appear in a stream
    /// [default: 30 and 10 at Amazon, 0 elsewhere].
    #[arg(long, value_name = "SECONDS")]
    settle: Option<u64>,
    /// Begin at once.
    #[arg(long)]
    yes: bool,
}

impl Switching {
    /// Where the tables are.
    pub(super) fn at(&self) -> &str {
        &self.both.at
    }
}

/// The tables at a connection, whose writers a switch changes.
pub(super) fn tables(
    backend: &Arc<Backend>,
    at: &str,
    settle: Option<u64>,
) -> Result<Tables, Failure> {
    let given = settle.map(Duration::from_secs);
    let is_slow = is_slow(at)?;
    let usual = Duration::from_secs(if is_slow { 10 } else { 0 });
    let settle = given.unwrap_or(usual);
    Ok(Tables::new(backend, at, force(is_slow, given), settle))
}

/// The items that no row is made of, which the database will not have when it leads again: they are said before
/// anything is closed.
fn left_behind(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    backend: &Backend,
    output: Output,
) -> Result<Rowless, Failure> {
    let progress = Progress::default();
    let state = Migration::new(mapping, source, backend, &progress).state()?;
    if state.is_none_or(|state| state.phase != Phase::Lead) {
        return Ok(Rowless::default());
    }
    let left = read(&progress, output, || rowless(mapping, backend, &progress))??;
    if progress.is_stopping() {
        return Err(Failure::refused("nothing was switched"));
    }
    for line in told::rowless_lines(&left, "item of the tables") {
        terminal::error_line(&line);
    }
    Ok(left)
}

pub(super) fn switch(switching: &Switching, output: Output) -> Result<(), Failure> {
    const NOTHING: &str = "nothing was switched";
    can_ask(switching.yes, NOTHING)?;
    let both = &switching.both;
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = Arc::new(written_at(&both.at)?);
    let tables = tables(&backend, &both.at, switching.settle)?;
    let columns = (&opened.checked, opened.source.as_mut() as &mut dyn Source);
    check_columns(&mapping, &backend, columns, output)?;
    let left = match switching.back && !switching.quick {
        true => Some(left_behind(
            &mapping,
            opened.source.as_mut(),
            &backend,
            output,
        )?),
        false => None,
    };
    if !switching.yes {
        terminal::error_line(match switching.back {
            false => {
                "the database refuses writes of programs, which write to the tables then; what they write is carried \
                 into the database by `keyfold migrate run`"
            }
            true => "the tables refuse writes of programs, which write to the database again",
        });
        asked(NOTHING)?;
    }
    let way = match switching.back {
        false => Switch::Forth,
        true => Switch::Back,
    };
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let turned = read(&progress, output, || {
        let migration = Migration::new(&mapping, source, &backend, &progress);
        let mut migration = migration.with_tables(&tables);
        migration.switch(way, switching.quick).map_err(Box::new)
    })?;
    backend.sync()?;
    match turned {
        Ok(turned) => show(way, turned, left.as_ref(), output),
        Err(ended) if matches!(*ended, Ended::Stopped) => Err(Failure::refused(
            "the switch was stopped: the same command goes on with it",
        )),
        Err(ended) => told::verdict(&ended),
    }
}

/// Says what a switch was.
fn show(
    way: Switch,
    turned: Turned,
    left: Option<&Rowless>,
    output: Output,
) -> Result<(), Failure> {
    // Who leads now: what is given up leaves the side that led.
    let leads = match (way, &turned) {
        (Switch::Forth, Turned::Differs(_)) => "the database leads still",
        (Switch::Back, Turned::Differs(_)) => "the tables lead still",
        (Switch::Forth, _) => "programs write to the tables",
        (Switch::Back, _) => "programs write to the database",
    };
    let phase = match way {
        Switch::Forth => Phase::Follow,
        Switch::Back => Phase::Lead,
    };
    match turned {
        Turned::Differs(found) => {
            let verdict = told::verdict_of_switch(&found, leads, phase);
            output.report(
                told::verify_json(&found),
                || told::show_verify(&found),
                verdict,
            )
        }
        Turned::Done(paused) => {
            let paused = paused.unwrap_or_default();
            let word = match way {
                Switch::Forth => "switched",
                Switch::Back => "switched_back",
            };
            output.result(
                || {
                    let paused = u64::try_from(paused.as_millis()).unwrap_or(u64::MAX);
                    let mut document = json!({ "state": word, "pausedMs": paused });
                    if let Some(left) = left.filter(|left| left.count > 0) {
                        document["rowless"] = told::rowless_json(left);
                    }
                    document
                },
                || {
                    terminal::line(&format!(
                        "{GOOD}{leads}{GOOD:#}; for {:.1} seconds nobody could write",
                        paused.as_secs_f64()
                    ));
                    terminal::line(
                        "`keyfold migrate run` carries what they write to the other side",
                    );
                },
            );
            Ok(())
        }
        Turned::Already => {
            told::simple("already", &format!("{leads} already"), output);
            Ok(())
        }
        Turned::GivenUp => {
            told::simple(
                "given_up",
                &format!("the switch was given up: {leads}"),
                output,
            );
            Ok(())
        }
    }
}

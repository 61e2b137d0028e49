//! Compares the tables of both places: says what that costs first, and what differs at the end.

use super::comparing::{Course, Pair, compared_one};
use super::cost::{PRICES, spoken_dollars};
use super::kept::Kept;
use super::left::spoken;
use super::places::{Opened, Places};
use super::report::File;
use super::told::report;
use super::watch::listen;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG, counted};
use clap::{Args, value_parser};
use keyfold_motion::Units;
use keyfold_motion::verify::{Compared, Difference};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The read units of both places from which on it is asked whether to begin.
const ASKED_UNITS: u64 = 10_000;
/// The bytes of an eventually consistent read unit.
const READ_UNIT_BYTES: u64 = 8_192;
/// The items that differ of which the text shows the keys.
const SHOWN: usize = 20;

#[derive(Args)]
pub(super) struct Verify {
    #[command(flatten)]
    places: Places,
    /// The most read units of each place a second.
    #[arg(long, value_name = "UNITS", value_parser = value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Keep how far it is in this folder: the same command goes on where it was interrupted.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Write a report to this file: Markdown (.md) or an HTML page (.html).
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Begin at once.
    #[arg(long)]
    yes: bool,
}

/// Compares the tables of both places.
pub(super) fn verify(arguments: &Verify, output: Output) -> Result<(), Failure> {
    let places = &arguments.places;
    let file = arguments.report.as_deref().map(File::of).transpose()?;
    let opened = places.open_to_compare()?;
    let mut pairs = Vec::new();
    for table in places.compared(&opened)? {
        let pair = Pair::of(&opened, &table)?;
        let subject = pair.subject.clone();
        let folder = arguments.state.as_deref();
        let kept = folder.map(|folder| Kept::of(folder, &table, subject));
        pairs.push((pair, kept.transpose()?));
    }
    announce(&opened, &pairs, arguments, output)?;
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let mut compared: Vec<(String, Compared)> = Vec::new();
    let mut tables = Vec::new();
    for (pair, kept) in &pairs {
        let course = Course {
            rate: arguments.rate,
            kept: kept.as_ref(),
            stops: &stops,
            output,
        };
        let (one, told) = compared_one(&opened, pair, &course)?;
        tables.push(told);
        compared.push((pair.found.table.clone(), one));
    }
    let document = json!({
        "tables": compared.iter().map(compared_view).collect::<Vec<_>>(),
    });
    let count: usize = compared.iter().map(|(_, one)| one.differences.len()).sum();
    let undecided: usize = compared.iter().map(|(_, one)| one.undecided.len()).sum();
    let verdict = match (count, undecided) {
        (0, 0) => Ok(()),
        (count, 0) => Err(Failure::refused(counted(count, "difference"))),
        (count, undecided) => Err(Failure::refused(format!(
            "{}; {} changed at each look",
            counted(count, "difference"),
            counted(undecided, "item")
        ))),
    };
    if let Some(file) = &file {
        let said = match &verdict {
            Ok(()) => "Both places have the same items.".to_owned(),
            Err(failure) => format!("They differ: {}", failure.message()),
        };
        let both = [places.from.as_str(), places.to.as_str()];
        let title = "A comparison of tables";
        file.write(&report(title, both, said, (&tables, opened.priced)))?;
    }
    // All tables are compared: the next call begins anew.
    for (_, kept) in &pairs {
        kept.as_ref().map_or(Ok(()), Kept::remove)?;
    }
    output.report(document, || show_compared(&compared), verdict)
}

/// Shows what is read and how long that takes, and asks on a terminal when it is much.
fn announce(
    opened: &Opened,
    pairs: &[(Pair, Option<Kept>)],
    arguments: &Verify,
    output: Output,
) -> Result<(), Failure> {
    if arguments.yes || output == Output::Json {
        return Ok(());
    }
    let heading = [
        "table",
        "items",
        "bytes",
        "read units of the source",
        "of the target",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let mut units = [Units::default(); 2];
    for (pair, _) in pairs {
        let [items, bytes] = pair.target;
        let both = [pair.found.bytes(), bytes].map(|bytes| bytes.div_ceil(READ_UNIT_BYTES));
        for (sum, one) in units.iter_mut().zip(both) {
            sum.read_halves += one * 2;
        }
        let [source, target] = both;
        rows.push(vec![
            pair.found.table.clone(),
            (pair.found.items() + items).to_string(),
            (pair.found.bytes() + bytes).to_string(),
            source.to_string(),
            target.to_string(),
        ]);
    }
    terminal::table("", &rows);
    let all: u64 = units.iter().map(|units| units.read_halves / 2).sum();
    let time = arguments.rate.map_or_else(String::new, |rate| {
        let time = Duration::from_secs(all / u64::from(rate));
        format!(", at this rate in about {}", spoken(time))
    });
    let cost = opened
        .priced
        .dollars(units)
        .map_or_else(String::new, |dollars| {
            format!(", for about {}, {PRICES}", spoken_dollars(dollars))
        });
    terminal::line(&format!(
        "{FAINT}both are scanned once{time}{cost}; once more where something differs{FAINT:#}"
    ));
    if all < ASKED_UNITS {
        return Ok(());
    }
    match terminal::is_confirmed() {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused("nothing was read; --yes begins at once")),
        None => Err(Failure::refused(format!(
            "nothing was read: it takes about {all} read units, and nobody can be asked; --yes begins at once"
        ))),
    }
}

fn compared_view((table, compared): &(String, Compared)) -> Json {
    let difference = |(key, difference): &(keyfold_types::Item, Difference)| {
        let (kind, attributes) = match difference {
            Difference::Missing => ("missing", Vec::new()),
            Difference::Extra => ("extra", Vec::new()),
            Difference::Attributes(names) => ("attributes", names.clone()),
        };
        json!({ "key": json::typed(key), "kind": kind, "attributes": attributes })
    };
    json!({
        "table": table,
        "sourceItems": compared.items[0],
        "targetItems": compared.items[1],
        "differences": compared.differences.iter().map(difference).collect::<Vec<_>>(),
        "isCut": compared.is_cut,
        "undecided": compared.undecided.iter().map(json::typed).collect::<Vec<_>>(),
    })
}

fn show_compared(compared: &[(String, Compared)]) {
    for (table, one) in compared {
        let [source, target] = one.items;
        terminal::line(&format!(
            "{STRONG}{table}{STRONG:#}  {source} items in the source, {target} in the target"
        ));
        for (key, difference) in one.differences.iter().take(SHOWN) {
            let text = match difference {
                Difference::Missing => "is missing in the target".to_owned(),
                Difference::Extra => "is in the target only".to_owned(),
                Difference::Attributes(names) => format!("differs: {}", names.join(", ")),
            };
            terminal::line(&format!("  {}  {text}", terminal::key(key)));
        }
        show_more(one.differences.len());
        for key in one.undecided.iter().take(SHOWN) {
            terminal::line(&format!("  {}  changed at each look", terminal::key(key)));
        }
        show_more(one.undecided.len());
        if one.is_cut {
            terminal::line("  the comparison ended there: there are more");
        }
        if one.is_equal() {
            terminal::line(&format!("  {GOOD}equal{GOOD:#}"));
        }
    }
}

/// Says how many items of a list are not shown.
fn show_more(count: usize) {
    let more = count.saturating_sub(SHOWN);
    if more > 0 {
        terminal::line(&format!(
            "  {FAINT}and {more} more; --json has all{FAINT:#}"
        ));
    }
}

//! Compares the tables of both places.

use super::places::{Opened, Places};
use super::report::File;
use super::told::{Told, report};
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG, counted, counted_u64};
use keyfold_client::blocked;
use keyfold_motion::tables::{self, Found};
use keyfold_motion::verify::{Compared, Comparison, Difference, compare};
use keyfold_motion::{Figures, Progress};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The least time between two reads of an item that seems to differ.
const LAG: Duration = Duration::from_secs(2);
/// The most differences of a table that are named.
const DIFFERENCES_MAX: usize = 10_000;
/// The items that differ of which the text shows the keys.
const SHOWN: usize = 20;

/// Compares the tables of both places.
pub(super) fn verify(
    places: &Places,
    (rate, file): (Option<u32>, Option<&Path>),
    output: Output,
) -> Result<(), Failure> {
    let file = file.map(File::of).transpose()?;
    let opened = places.open()?;
    let world = opened.world();
    let mut compared: Vec<(String, Compared)> = Vec::new();
    let mut tables = Vec::new();
    for table in places.tables(&*world)? {
        let found = blocked(tables::look(&*world, &table))?;
        let (one, told) = compared_one(&opened, &found, rate)?;
        tables.push(told);
        compared.push((table, one));
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
    output.report(document, || show_compared(&compared), verdict)
}

/// Compares a table of both places.
pub(super) fn compared_one(
    opened: &Opened,
    found: &Found,
    rate: Option<u32>,
) -> Result<(Compared, Told), Failure> {
    let comparison = Comparison {
        table: found.table.clone(),
        schema: found.schema.clone(),
        page: None,
        lag: opened.settle_time.max(LAG),
        rate,
        most: DIFFERENCES_MAX,
    };
    let progress = Arc::new(Progress::default());
    let began = Instant::now();
    let result = blocked(compare(&*opened.threads(&progress), &comparison, &progress));
    let figures = progress.figures();
    say_troubles(&found.table, &figures);
    let compared = result?;
    let told = Told {
        table: found.table.clone(),
        state: "compared".to_owned(),
        compared: Some((compared.clone(), began.elapsed())),
        units: figures.units,
        retries: [figures.troubles, figures.throttles],
        ..Told::default()
    };
    Ok((compared, told))
}

/// Says on standard error which requests failed and were sent again.
fn say_troubles(table: &str, figures: &Figures) {
    if let Some(trouble) = &figures.trouble {
        terminal::error_line(&format!(
            "{table}: {} failed and were sent again, the last of them by {trouble}",
            counted_u64(figures.troubles, "request")
        ));
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
        let more = one.differences.len().saturating_sub(SHOWN);
        if more > 0 {
            terminal::line(&format!(
                "  {FAINT}and {more} more; --json has all{FAINT:#}"
            ));
        }
        if one.is_cut {
            terminal::line("  the comparison ended there: there are more");
        }
        if one.is_equal() {
            terminal::line(&format!("  {GOOD}equal{GOOD:#}"));
        }
    }
}

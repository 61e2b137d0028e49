//! Compares the tables of both places.

use super::places::Places;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG, counted, counted_u64};
use keyfold_client::blocked;
use keyfold_motion::tables;
use keyfold_motion::verify::{Compared, Comparison, Difference, compare};
use keyfold_motion::{Figures, Progress};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// The least time between two reads of an item that seems to differ.
const LAG: Duration = Duration::from_secs(2);
/// The most differences of a table that are named.
pub(super) const DIFFERENCES_MAX: usize = 10_000;
/// The items that differ of which the text shows the keys.
const SHOWN: usize = 20;

/// Compares the tables of both places.
pub(super) fn verify(places: &Places, rate: Option<u32>, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let mut compared: Vec<(String, Compared)> = Vec::new();
    for table in places.tables(&*world)? {
        let found = blocked(tables::look(&*world, &table))?;
        let comparison = Comparison {
            table: table.clone(),
            schema: found.schema,
            page: None,
            lag: opened.settle_time.max(LAG),
            rate,
            most: DIFFERENCES_MAX,
        };
        let progress = Progress::default();
        let result = blocked(compare(&*world, &comparison, &progress));
        say_troubles(&table, &progress.figures());
        compared.push((table, result?));
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
    output.report(document, || show_compared(&compared), verdict)
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

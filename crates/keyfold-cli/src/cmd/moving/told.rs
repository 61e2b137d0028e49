//! What the reports of a move say: what was read, written, skipped and verified, the units, the cost and
//! the time.

use super::cost::{PRICES, Priced, spoken_count, spoken_dollars, spoken_units};
use super::left::spoken;
use super::places::Opened;
use super::report::{Report, Section};
use crate::terminal;
use keyfold_client::blocked;
use keyfold_motion::tables::Found;
use keyfold_motion::verify::{Compared, Difference};
use keyfold_motion::{Counts, Options, Totals, Units, totals};
use std::time::Duration;

/// The differences of a table that a report names.
const NAMED_MAX: usize = 1_000;

/// What is said of a table.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) table: String,
    /// How far its move is.
    pub(super) state: String,
    /// What the move has done; `None` when the target could not be asked.
    pub(super) totals: Option<Totals>,
    /// The comparison, and the time that it took.
    pub(super) compared: Option<(Compared, Duration)>,
    /// The units and repeated requests of the comparison.
    pub(super) units: [Units; 2],
    pub(super) retries: [u64; 2],
    pub(super) notes: Vec<String>,
}

/// The report of a command.
pub(super) fn report(
    title: &str,
    [from, to]: [&str; 2],
    verdict: String,
    (tables, priced): (&[Told], Priced),
) -> Report {
    let now = moment(keyfold_client::origin().now_epoch_ms);
    let mut facts = vec![
        ("From", from.to_owned()),
        ("To", to.to_owned()),
        ("Written", now),
        ("Keyfold", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let mut units = [Units::default(); 2];
    for table in tables {
        for (sum, one) in units.iter_mut().zip(table.all_units()) {
            *sum += one;
        }
    }
    facts.push(("Units", spoken_of_places(units)));
    if let Some(dollars) = priced.dollars(units) {
        facts.push((
            "Cost",
            format!("about {}, {PRICES}", spoken_dollars(dollars)),
        ));
    }
    let mut sections = vec![Section::facts("The whole", facts)];
    for table in tables {
        sections.push(table.section(priced));
        sections.extend(table.differences());
    }
    Report {
        title: title.to_owned(),
        verdict,
        sections,
    }
}

impl Told {
    /// The units of all runs, and of the comparison.
    fn all_units(&self) -> [Units; 2] {
        let runs = self.totals.as_ref().map(Totals::units).unwrap_or_default();
        let mut sum = self.units;
        for (sum, one) in sum.iter_mut().zip(runs) {
            *sum += one;
        }
        sum
    }

    fn section(&self, priced: Priced) -> Section {
        let mut facts = vec![("State", self.state.clone())];
        if let Some(totals) = &self.totals {
            facts.extend(done(totals));
            facts.extend(times(totals));
        }
        if let Some((compared, time)) = &self.compared {
            facts.extend(verified(compared, *time));
        }
        facts.push(("Units", spoken_of_places(self.all_units())));
        if let Some(dollars) = priced.dollars(self.all_units()) {
            facts.push(("Cost", format!("about {}", spoken_dollars(dollars))));
        }
        let runs = self.totals.iter().flat_map(|totals| &totals.runs);
        let [mut retries, mut throttles] = self.retries;
        for run in runs {
            retries += run.retries;
            throttles += run.throttles;
        }
        facts.push((
            "Requests sent again",
            format!(
                "{}, {} of them throttled",
                spoken_count(retries),
                spoken_count(throttles)
            ),
        ));
        let mut section = Section::facts(&format!("Table {}", self.table), facts);
        section.notes.clone_from(&self.notes);
        if self.totals.is_some() {
            section.notes.push(AT_LEAST.to_owned());
        }
        section
    }

    /// The items that differ, and those that could not be judged.
    fn differences(&self) -> Option<Section> {
        let (compared, _) = self.compared.as_ref()?;
        if compared.is_equal() {
            return None;
        }
        let differences = compared.differences.iter().map(|(key, difference)| {
            let what = match difference {
                Difference::Missing => "is missing in the target".to_owned(),
                Difference::Extra => "is in the target only".to_owned(),
                Difference::Attributes(names) => format!("differs: {}", names.join(", ")),
            };
            vec![terminal::key(key), what]
        });
        let undecided = compared.undecided.iter().map(|key| {
            vec![
                terminal::key(key),
                "changed at each look, and is not judged".to_owned(),
            ]
        });
        let all = compared.differences.len() + compared.undecided.len();
        let mut notes = Vec::new();
        if all > NAMED_MAX {
            let more = spoken_count((all - NAMED_MAX) as u64);
            notes.push(format!(
                "{more} more are named by `keyfold move verify --json`."
            ));
        }
        if compared.is_cut {
            notes.push("The comparison ended there: there are more.".to_owned());
        }
        Some(Section {
            heading: format!("Differences of {}", self.table),
            head: ["item", "what"].map(str::to_owned).to_vec(),
            rows: differences.chain(undecided).take(NAMED_MAX).collect(),
            notes,
        })
    }
}

/// What the move of a table has done. A target that does not answer leaves that out.
pub(super) fn told(places: &Opened, table: &str, state: String) -> Told {
    let found = blocked(totals(&*places.world(), &Options::new(table)));
    let notes = match &found {
        Ok(_) => Vec::new(),
        Err(error) => vec![format!("What was done is not known: {error}")],
    };
    Told {
        table: table.to_owned(),
        state,
        totals: found.ok().flatten(),
        notes,
        ..Told::default()
    }
}

/// Settings of the source's table that the target's has not, and why.
pub(super) fn not_carried(found: &Found) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(attribute) = &found.expiry {
        notes.push(format!(
            "Expiry by {attribute} is off in the target until the move is complete: both sides would delete items."
        ));
    }
    if found.description.deletion_protection_enabled == Some(true) {
        notes.push(
            "Protection from deletion is off in the target until the move is complete: an aborted move deletes \
             the table."
                .to_owned(),
        );
    }
    notes.push(
        "Not carried: keys of encryption, policies, replicas and point-in-time recovery, which belong to an account."
            .to_owned(),
    );
    notes
}

/// What is said of sums that runs note.
const AT_LEAST: &str = "Items and changes are exact: they are counted in the transactions that write them. \
    Units, repeated requests and times are noted by each run every fifteen seconds and at its end, so that \
    those of a run that was killed are a little more. Requests that failed, and those on the source's stream, \
    report no units.";

/// What was read, written and skipped.
fn done(totals: &Totals) -> Vec<(&'static str, String)> {
    let (copied, applied) = (totals.copied, totals.applied);
    let mut facts = vec![
        (
            "Read",
            format!(
                "{} items, {} bytes",
                spoken_count(copied.read),
                spoken_count(copied.bytes)
            ),
        ),
        ("Copied", format!("{} items", spoken_count(copied.written))),
        (
            "Skipped",
            match copied.read.saturating_sub(copied.written) {
                0 => "nothing".to_owned(),
                count => format!(
                    "{} items: a change of them, which is newer, had come before",
                    spoken_count(count)
                ),
            },
        ),
    ];
    facts.push((
        "Changes",
        match totals.run.stream.is_some() {
            false => "not followed".to_owned(),
            true => changes(applied),
        },
    ));
    let turn = &totals.run.turn;
    if turn.has_begun() {
        facts.push(("Changes of the target", changes(totals.applied_back)));
        let times = match turn.turns {
            0 => "not yet".to_owned(),
            1 => "once".to_owned(),
            turns => format!("{} times", spoken_count(turns)),
        };
        facts.push((
            "Switched",
            format!("{times}; programs write to the {}", turn.lead.word()),
        ));
    }
    facts
}

/// What the records of a side's stream came to on the other side.
fn changes(applied: Counts) -> String {
    format!(
        "{} records read: {} items put, {} deleted; {} records followed by a later one of their item",
        spoken_count(applied.read),
        spoken_count(applied.written),
        spoken_count(applied.deleted),
        spoken_count(
            applied
                .read
                .saturating_sub(applied.written + applied.deleted)
        )
    )
}

/// When the move began, and how long its phases took.
fn times(totals: &Totals) -> Vec<(&'static str, String)> {
    let (Some(first), Some(last)) = (totals.runs.first(), totals.runs.last()) else {
        return Vec::new();
    };
    let span = |from: i64, to: i64| {
        spoken(Duration::from_millis(
            u64::try_from(to.saturating_sub(from)).unwrap_or(0),
        ))
    };
    let worked: Duration = totals
        .runs
        .iter()
        .map(|run| run.noted_ms.saturating_sub(run.began_ms))
        .map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
        .sum();
    let mut facts = vec![
        ("Began", moment(first.began_ms)),
        ("Last noted", moment(last.noted_ms)),
        (
            "Runs",
            format!(
                "{}, which worked for {}",
                terminal::counted(totals.runs.len(), "run"),
                spoken(worked)
            ),
        ),
    ];
    if let Some(copied_ms) = totals.runs.iter().find_map(|run| run.copied_ms) {
        facts.push(("Time to copy", span(first.began_ms, copied_ms)));
        facts.push(("Time since then", span(copied_ms, last.noted_ms)));
    }
    facts
}

fn verified(compared: &Compared, time: Duration) -> Vec<(&'static str, String)> {
    let [source, target] = compared.items.map(spoken_count);
    let verdict = match compared.is_equal() {
        true => "equal".to_owned(),
        false => format!(
            "{}, {} not judged",
            terminal::counted(compared.differences.len(), "difference"),
            terminal::counted(compared.undecided.len(), "item")
        ),
    };
    vec![
        ("Verified", verdict),
        (
            "Compared",
            format!(
                "{source} items of the source, {target} of the target, in {}",
                spoken(time)
            ),
        ),
    ]
}

fn spoken_of_places([source, target]: [Units; 2]) -> String {
    let place = |units: Units| {
        format!(
            "{} read and {} write units",
            spoken_units(units.read_halves),
            spoken_units(units.write_halves)
        )
    };
    format!(
        "{} of the source, {} of the target",
        place(source),
        place(target)
    )
}

/// A moment, to the second.
fn moment(ms: i64) -> String {
    match jiff::Timestamp::from_second(ms.div_euclid(1_000)) {
        Ok(moment) => moment.to_string(),
        Err(_) => format!("{ms} ms since 1970"),
    }
}

//! `keyfold evolve plan OLD NEW`: how a running design changes. It shows each change with its class,
//! which versions may run together and why not, and the phases with what they cost.

use crate::cmd::moving::looked_at;
use crate::failure::Failure;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::terminal::{self, ACCENT, ERROR, FAINT, GOOD, STRONG, counted, counted_u64};
use clap::{Args, value_parser};
use keyfold_client::verify;
use keyfold_model::evolution::{
    Basis, Change, Class, Estimate, Evolution, Phase, Place, Runs, TableCounts, Verdict, Verdicts,
    estimate, evolve,
};
use keyfold_model::{Model, Sources};
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// The items of an entity for which its model expects no number, where no table is looked at.
const ITEMS_ASSUMED: u64 = 1_000_000;
/// The units a second at which hours are counted, if nothing is said.
const RATE_DEFAULT: u32 = 1000;

#[derive(Args)]
pub(super) struct Plan {
    /// The model that the data was written with.
    old: PathBuf,
    /// The new model.
    new: PathBuf,
    /// Where the tables are, of which items and bytes are counted: http://127.0.0.1:8000,
    /// dynamodb://eu-west-1?profile=NAME, keyfold:./data, or the name of a connection of
    /// keyfold.toml [default: as many items as the models expect, else a million of each entity].
    #[arg(long, value_name = "CONNECTION")]
    at: Option<String>,
    /// The units a second at which hours are counted.
    #[arg(long, value_name = "UNITS", default_value_t = RATE_DEFAULT, value_parser = value_parser!(u32).range(1..))]
    rate: u32,
}

pub(super) fn run(plan: &Plan, output: Output) -> Result<(), Failure> {
    let load = |path| model_file::load_checked(path, output, Shown::Errors);
    let (old, new) = (load(&plan.old)?, load(&plan.new)?);
    let evolution = evolve(&old.model, &new.model);
    let basis = match &plan.at {
        None => Basis::Items(ITEMS_ASSUMED),
        Some(at) => Basis::Tables(counts(at, &old.model)?),
    };
    let models = (&old.model, &new.model);
    let costs = estimate(models, &evolution.phases, &basis, plan.rate);
    let shown = Plans {
        evolution: &evolution,
        costs: &costs,
        basis: &basis,
        rate: plan.rate,
        sources: (&old.sources, &new.sources),
    };
    let impossible = evolution
        .changes
        .iter()
        .find(|one| one.class == Class::Impossible);
    let verdict = match impossible {
        None => Ok(()),
        Some(one) => Err(Failure::refused(format!(
            "{}: {}: {}",
            one.what, one.how, one.reason
        ))),
    };
    output.report(shown.json(), || shown.show(), verdict)
}

/// The items and bytes of the tables of a model.
fn counts(at: &str, model: &Model) -> Result<Vec<TableCounts>, Failure> {
    let backend = looked_at(at)?;
    let sizes = verify::sizes(&backend, model)?;
    let of_table = |(at, table): (usize, &keyfold_model::Table)| {
        // Of a table with periods all tables count.
        let own = sizes.iter().filter(|one| one.place() == at);
        TableCounts {
            table: table.name.clone(),
            items: own.clone().map(|one| one.items).sum(),
            bytes: own.map(|one| one.bytes).sum(),
        }
    };
    Ok(model.tables.iter().enumerate().map(of_table).collect())
}

/// A plan with what it costs.
struct Plans<'p> {
    evolution: &'p Evolution,
    costs: &'p [Estimate],
    basis: &'p Basis,
    rate: u32,
    sources: (&'p Sources, &'p Sources),
}

impl Plans<'_> {
    fn json(&self) -> Json {
        let changes: Json = self
            .evolution
            .changes
            .iter()
            .map(|one| self.change(one))
            .collect();
        let phases = self.evolution.phases.iter().zip(self.costs);
        let phases: Json = phases.map(|(one, cost)| phase(one, cost)).collect();
        let basis = match self.basis {
            Basis::Items(items) => json!({ "itemsOfEntity": items, "tables": null }),
            Basis::Tables(tables) => {
                let one = |one: &TableCounts| json!({ "table": one.table, "items": one.items, "bytes": one.bytes });
                json!({ "itemsOfEntity": null, "tables": tables.iter().map(one).collect::<Json>() })
            }
        };
        json!({
            "class": self.evolution.class().word(),
            "changes": changes,
            "verdicts": verdicts(&self.evolution.verdicts),
            "phases": phases,
            "basis": basis,
            "rate": self.rate,
        })
    }

    /// The place of a change in its file.
    fn place(&self, change: &Change) -> keyfold_model::Place<'_> {
        match change.place {
            Place::Old(span) => self.sources.0.place(span.start),
            Place::New(span) => self.sources.1.place(span.start),
        }
    }

    fn change(&self, one: &Change) -> Json {
        let place = self.place(one);
        json!({
            "what": one.what,
            "how": one.how,
            "class": one.class.word(),
            "reason": one.reason,
            "help": one.help,
            "entities": one.entities,
            "tables": one.tables,
            "verdicts": verdicts(&one.verdicts),
            "file": place.path,
            "fileOwner": place.owner,
            "line": place.line,
            "column": place.column,
        })
    }

    fn show(&self) {
        if self.evolution.changes.is_empty() {
            terminal::line(&format!("{GOOD}no difference{GOOD:#}"));
            return;
        }
        for one in &self.evolution.changes {
            show_change(one);
        }
        terminal::line("");
        for (pair, verdict) in named(&self.evolution.verdicts) {
            match verdict {
                Verdict::Yes => terminal::entry(GOOD, &format!("{pair}:"), "yes", ""),
                // The change that it is about has shown its example.
                Verdict::No { because, .. } => {
                    terminal::entry(ERROR, &format!("{pair}:"), &format!("no: {because}"), "")
                }
            }
        }
        for (at, (phase, cost)) in self.evolution.phases.iter().zip(self.costs).enumerate() {
            terminal::line("");
            let heading = format!("phase {}: {}", at + 1, phase.step.word());
            let runs = format!("may run: {}", running(phase.runs));
            terminal::entry(STRONG, &heading, &runs, "");
            for does in &phase.does {
                terminal::line(&format!("  {does}"));
            }
            if cost.requests > 0 {
                terminal::line(&format!("  {FAINT}{}{FAINT:#}", self.cost(cost)));
            }
        }
        let class = self.evolution.class();
        let count = counted(self.evolution.changes.len(), "change");
        terminal::line(&format!(
            "\n{count}; {FAINT}data: {}{FAINT:#}",
            class.word()
        ));
        if self.costs.iter().any(|one| one.requests > 0) {
            terminal::line(&format!("{FAINT}{}{FAINT:#}", self.counted_by()));
        }
    }

    fn cost(&self, cost: &Estimate) -> String {
        format!(
            "{}, {}, {} read and {} write units, {:.1} hours at {} units a second",
            counted_u64(cost.items, "item"),
            counted_u64(cost.requests, "request"),
            cost.read_units,
            cost.write_units,
            cost.hours,
            self.rate
        )
    }

    fn counted_by(&self) -> String {
        match self.basis {
            Basis::Items(items) => format!(
                "counted with the items that the models expect, else {items} of each entity; --at counts those of the tables"
            ),
            Basis::Tables(_) => {
                "counted with all items of the tables, of whatever kind: it costs this at most"
                    .to_owned()
            }
        }
    }
}

/// The verdicts, each with who runs beside whom.
fn named(verdicts: &Verdicts) -> [(&'static str, &Verdict); 3] {
    [
        ("old readers on new data", &verdicts.old_reader),
        ("new readers on old data", &verdicts.new_reader),
        ("both writing", &verdicts.writers),
    ]
}

/// A verdict in words.
fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Yes => "yes".to_owned(),
        Verdict::No {
            because,
            example: None,
        } => format!("no: {because}"),
        Verdict::No {
            because,
            example: Some(example),
        } => format!("no: {because} ({example})"),
    }
}

fn show_change(one: &Change) {
    terminal::entry(STRONG, &one.what, &one.how, "");
    terminal::entry(ACCENT, &format!("{}:", one.class.word()), &one.reason, "  ");
    if let Some(help) = &one.help {
        terminal::entry(FAINT, "help:", help, "  ");
    }
    for (pair, verdict) in named(&one.verdicts) {
        if !verdict.is_yes() {
            terminal::entry(FAINT, &format!("{pair}:"), &said(verdict), "  ");
        }
    }
}

/// The programs that may run, in words.
pub(super) fn running(runs: Runs) -> String {
    let Runs {
        old_readers,
        old_writers,
        new_readers,
        new_writers,
    } = runs;
    let all = [
        (old_readers, "old readers"),
        (old_writers, "old writers"),
        (new_readers, "new readers"),
        (new_writers, "new writers"),
    ];
    let names: Vec<&str> = all
        .into_iter()
        .filter(|one| one.0)
        .map(|one| one.1)
        .collect();
    match names.is_empty() {
        true => "nothing".to_owned(),
        false => names.join(", "),
    }
}

fn verdicts(all: &Verdicts) -> Json {
    let one = |verdict: &Verdict| match verdict {
        Verdict::Yes => json!({ "may": true, "because": null, "example": null }),
        Verdict::No { because, example } => {
            json!({ "may": false, "because": because, "example": example })
        }
    };
    json!({
        "oldReaders": one(&all.old_reader),
        "newReaders": one(&all.new_reader),
        "writers": one(&all.writers),
    })
}

fn phase(phase: &Phase, cost: &Estimate) -> Json {
    json!({
        "step": phase.step.word(),
        "does": phase.does,
        "runs": {
            "oldReaders": phase.runs.old_readers,
            "oldWriters": phase.runs.old_writers,
            "newReaders": phase.runs.new_readers,
            "newWriters": phase.runs.new_writers,
        },
        "items": cost.items,
        "requests": cost.requests,
        "readUnits": cost.read_units,
        "writeUnits": cost.write_units,
        "hours": cost.hours,
    })
}

//! A model proposed from a relational database: the model goes to standard output or a file, what was found and
//! decided to standard error.

use crate::cmd::database::{self, failure};
use crate::cmd::new_model::ModelOutput;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ACCENT, FAINT};
use keyfold_relational::{Asked, Progress, Proposal, ProposeError, propose, statements};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Queries and remarks of one kind that are listed on a terminal; all of them stand in the model.
const LISTED_MAX: usize = 40;

/// What is proposed from.
pub(super) struct Wanted<'w> {
    /// The database.
    pub(super) from: &'w str,
    /// A file of queries.
    pub(super) queries: Option<&'w Path>,
    /// The model's name.
    pub(super) name: Option<&'w str>,
}

pub(super) fn run(wanted: &Wanted<'_>, model: &ModelOutput, output: Output) -> Result<(), Failure> {
    let queries = wanted.queries.map(read).transpose()?;
    let mut source = database::open(wanted.from)?;
    let (asked, why) = match queries {
        Some(asked) => (asked, None),
        None => match source.asked().map_err(failure)? {
            Ok(asked) => (asked, None),
            Err(why) => (Vec::new(), Some(why)),
        },
    };
    let proposed = propose(source.as_mut(), wanted.name, asked, &Progress::default());
    let mut proposal = proposed.map_err(|error| match error {
        ProposeError::Source(error) => failure(error),
        ProposeError::Nothing(_) | ProposeError::Stopped => Failure::refused(error.to_string()),
    })?;
    proposal.notes.extend(why);
    if output == Output::Text {
        told(&proposal);
    }
    let report = report(&proposal);
    model.write_with(output, &proposal.model, report)
}

fn read(path: &Path) -> Result<Vec<Asked>, Failure> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| {
        Failure::usage(format!("cannot read {}: {error}", path.display())).in_file(path)
    })?;
    Ok(statements(&text))
}

/// Says what was found, for people.
fn told(proposal: &Proposal) {
    for entity in &proposal.entities {
        let rows = match entity.rows {
            Some(rows) => terminal::counted_u64(rows, "row"),
            None => "its rows wait".to_owned(),
        };
        terminal::error_line(&format!("{} of {}: {rows}", entity.name, entity.table));
        for remark in &entity.remarks {
            terminal::error_line(&format!("  {FAINT}{remark}{FAINT:#}"));
        }
    }
    for pattern in proposal
        .patterns
        .iter()
        .filter(|one| !one.answers.is_empty())
    {
        terminal::error_line(&pattern.line);
        for asked in pattern.answers.iter().take(LISTED_MAX) {
            terminal::error_line(&format!("  {FAINT}answers {}{FAINT:#}", shown(asked)));
        }
    }
    for (asked, why) in proposal.unanswered.iter().take(LISTED_MAX) {
        terminal::error_line(&format!(
            "{ACCENT}no pattern{ACCENT:#}: {}\n  {why}",
            shown(asked)
        ));
    }
    for (name, why) in &proposal.left_out {
        terminal::error_line(&format!("{ACCENT}left out{ACCENT:#}: {name}: {why}"));
    }
    for note in &proposal.notes {
        terminal::error_line(note);
    }
}

/// A query in a line.
fn shown(asked: &Asked) -> String {
    let words: Vec<&str> = asked.sql.split_whitespace().collect();
    format!("{}{}", asked.figures(), words.join(" "))
}

fn query(asked: &Asked) -> Json {
    json!({ "sql": asked.sql, "calls": asked.calls, "meanMs": asked.mean_ms })
}

/// What was found, for programs.
fn report(proposal: &Proposal) -> Json {
    let entities = proposal.entities.iter();
    let entities = entities.map(|one| json!({ "name": one.name, "table": one.table, "rows": one.rows, "remarks": one.remarks }));
    let patterns = proposal.patterns.iter().map(|one| {
        let answers: Vec<Json> = one.answers.iter().map(query).collect();
        json!({ "name": one.name, "line": one.line, "answers": answers })
    });
    let unanswered = proposal.unanswered.iter();
    let unanswered = unanswered.map(|(asked, why)| json!({ "query": query(asked), "why": why }));
    let left_out = proposal.left_out.iter();
    let left_out = left_out.map(|(name, why)| json!({ "name": name, "why": why }));
    json!({
        "entities": entities.collect::<Vec<Json>>(),
        "patterns": patterns.collect::<Vec<Json>>(),
        "unanswered": unanswered.collect::<Vec<Json>>(),
        "leftOut": left_out.collect::<Vec<Json>>(),
        "notes": proposal.notes,
    })
}

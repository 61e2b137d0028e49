//! `keyfold run FILE PATTERN argument=value ...`: runs a pattern or a named write.

use super::written;
use crate::backend::{BackendArguments, Use};
use crate::failure::Failure;
use crate::output::Output;
use crate::project::{self, Line};
use crate::terminal::{self, ACCENT, FAINT, Length};
use crate::{complete, json, model_file};
use clap::Args;
use clap_complete::ArgValueCompleter;
use keyfold_client::arguments::written_name;
use keyfold_client::read::{self, Found};
use keyfold_client::{Backend, FoundItem, OnUnknown, PageRequest, arguments, write};
use keyfold_model::{Model, Pattern, Write};
use keyfold_stream::sends;
use keyfold_stream::views::live;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model; it may be left out where keyfold.toml names it.
    #[arg(add = ArgValueCompleter::new(complete::file_or_pattern))]
    file: Option<PathBuf>,
    /// The pattern or named write. Without it, the command says which there are.
    #[arg(add = ArgValueCompleter::new(complete::patterns_and_writes))]
    name: Option<String>,
    /// The arguments, as name=value.
    #[arg(value_name = "NAME=VALUE", add = ArgValueCompleter::new(complete::arguments))]
    arguments: Vec<String>,
    /// Items a page, instead of the pattern's number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Read all pages.
    #[arg(long)]
    all: bool,
    /// Show values in full, even long ones. Without it, values on a terminal are cut at 40 characters.
    #[arg(long)]
    full: bool,
    /// Continue after a page: the `next` that it printed.
    #[arg(long, value_name = "KEY")]
    after: Option<String>,
    /// What becomes of an item that the model does not know: of another kind, without an attribute that it
    /// must have, or with a value of another type.
    #[arg(long, value_name = "WHAT", default_value = "error")]
    on_unknown: Unknown,
    #[command(flatten)]
    backend: BackendArguments,
}

/// What becomes of an item that the model does not know.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Unknown {
    /// It is an error.
    Error,
    /// It is left out.
    Skip,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let line = match (&arguments.file, &arguments.name) {
        (Some(file), name) if name.is_some() || project::is_left_out(file)? => {
            (file, name.as_ref())
        }
        (file, _) => return Err(which(file.as_ref(), output)?),
    };
    let line = Line::of(line.0, line.1, &arguments.arguments, "pattern or write")?;
    let model = model_file::load(&line.file, output)?;
    let given = written::given(&line.rest)?;
    if let Some(write) = model.write(&line.name) {
        return run_write(arguments, &model, write, &given, output);
    }
    let pattern = model
        .pattern(&line.name)
        .ok_or_else(|| unknown(&model, &line))?;
    let values = arguments::of_pattern(pattern, &given)?;
    let start = PageRequest {
        limit: arguments.limit,
        after: after(arguments.after.as_deref())?,
        on_unknown: match arguments.on_unknown {
            Unknown::Error => OnUnknown::Error,
            Unknown::Skip => OnUnknown::Skip,
        },
        ..PageRequest::default()
    };
    let backend = arguments.backend.open(&model, Use::Read)?;
    let backend = Arc::new(backend);
    let pages = if arguments.all {
        read::Pages::All
    } else {
        read::Pages::One
    };
    let found = read::run(&backend, &model, pattern, &values, &start, pages)?;
    // A program or a file that gets the output has no width.
    let length = if arguments.full || !std::io::stdout().is_terminal() {
        Length::Full
    } else {
        Length::Clipped
    };
    output.result(
        || report(pattern, &found),
        || show("", pattern, &model, &found, length),
    );
    if output == Output::Text {
        note_unkept(backend, &model, pattern);
    }
    Ok(())
}

/// Says which views that a pattern reads have no rows, because nobody has built them.
fn note_unkept(backend: Arc<Backend>, model: &Model, pattern: &Pattern) {
    let read = pattern.returned.iter();
    let read = read.filter_map(|one| model.entities.get(one.entity));
    let read = read.filter(|entity| entity.view.is_some());
    let read: Vec<String> = read.map(|entity| entity.name.clone()).collect();
    if read.is_empty() {
        return;
    }
    // Where their state cannot be read, nothing is known of them.
    let all = live(&sends(backend), &Arc::new(model.clone())).unwrap_or_default();
    for (view, _) in all.iter().filter(|(_, live)| live.is_none()) {
        if read.contains(view) {
            terminal::error_line(&format!(
                "note: the view {view} was never built: `keyfold views run` or `keyfold serve --views` keeps it"
            ));
        }
    }
}

/// The failure of a line that names nothing to run: it says what there is.
fn which(file: Option<&PathBuf>, output: Output) -> Result<Failure, Failure> {
    let file = file.map_or_else(project::model, |file| Ok(file.clone()))?;
    let model = model_file::load(&file, output)?;
    let form = |name: &str, is_optional: bool| match is_optional {
        true => format!(" [{}=…]", written_name(name)),
        false => format!(" {}=…", written_name(name)),
    };
    let patterns = model.patterns.iter().map(|pattern| {
        let own = pattern.parameters.iter();
        let forms: String = own.map(|one| form(&one.name, one.optional)).collect();
        format!("\n  {}{forms}", pattern.name)
    });
    let writes = model.writes.iter().map(|write| {
        let own = write.parameters.iter();
        let forms: String = own.map(|one| form(&one.name, one.optional)).collect();
        format!("\n  {}{forms}", write.name)
    });
    let (patterns, writes): (String, String) = (patterns.collect(), writes.collect());
    let message = match (patterns.as_str(), writes.as_str()) {
        ("", "") => format!(
            "the model {} has no pattern and no write to run",
            model.name
        ),
        (patterns, "") => format!("which pattern? {} has{patterns}", file.display()),
        (patterns, writes) => format!(
            "which pattern or write? {} has{patterns}{writes}",
            file.display()
        ),
    };
    Ok(Failure::usage(message).in_file(&file))
}

/// The failure that a model has no pattern or write of the name.
fn unknown(model: &Model, line: &Line) -> Failure {
    let patterns = model.patterns.iter().map(|pattern| pattern.name.as_str());
    let writes = model.writes.iter().map(|write| write.name.as_str());
    let known: Vec<&str> = patterns.chain(writes).collect();
    let missing = ("pattern or write", line.name.as_str());
    written::unknown(model, &line.file, missing, &known)
}

/// The key of `--after`.
fn after(text: Option<&str>) -> Result<Option<keyfold_types::Item>, Failure> {
    text.map(|text| {
        keyfold_wire::client::decode_item(text.as_bytes()).map_err(|_| {
            Failure::usage(format!(
                "--after takes the `next` of a page, a key in JSON; got: {text}"
            ))
        })
    })
    .transpose()
}

fn run_write(
    arguments: &Arguments,
    model: &Model,
    write: &Write,
    given: &BTreeMap<String, String>,
    output: Output,
) -> Result<(), Failure> {
    let values = arguments::of_write(write, given)?;
    let may_create = write.actions.iter().any(|one| one.verb.may_create());
    let usage = if may_create { Use::Write } else { Use::Read };
    let backend = arguments.backend.open(model, usage)?;
    written::show(&write::run(&backend, model, write, &values)?, output);
    Ok(())
}

/// Prints the request, the items and the cost for people.
pub(super) fn show(indent: &str, pattern: &Pattern, model: &Model, found: &Found, length: Length) {
    let asked = &found.request;
    let modifiers = if asked.modifiers.is_empty() {
        String::new()
    } else {
        format!("  {}", asked.modifiers)
    };
    terminal::line(&format!(
        "{indent}{ACCENT}{}{ACCENT:#} {}  {}{FAINT}{modifiers}{FAINT:#}",
        asked.operation, asked.place, asked.condition
    ));
    let mut items: Vec<&FoundItem> = found.items.iter().collect();
    // A pattern without an order shows kinds in the order in which it names them.
    if pattern.order.is_none() {
        let kinds: Vec<String> = pattern
            .returned
            .iter()
            .map(|one| read::kind_name(model, one))
            .collect();
        items.sort_by_key(|item| kinds.iter().position(|kind| *kind == item.kind));
    }
    terminal::items(&format!("{indent}  "), &items, length);
    let more = if found.next.is_some() {
        ", more to come"
    } else {
        ""
    };
    terminal::line(&format!(
        "{indent}{FAINT}{}, {}, {} read units{more}{FAINT:#}",
        terminal::counted(found.items.len(), "item"),
        terminal::counted(found.requests as usize, "request"),
        found.capacity
    ));
    if let Some(next) = &found.next {
        // It is copied.
        terminal::exactly(&format!(
            "{indent}{FAINT}next: --after '{}'{FAINT:#}",
            json::typed(next)
        ));
    }
}

/// The request, the items and the cost for programs.
pub(super) fn report(pattern: &Pattern, found: &Found) -> serde_json::Value {
    serde_json::json!({
        "pattern": pattern.name,
        "request": {
            "operation": found.request.operation,
            "table": pattern.plan.table,
            "index": pattern.plan.index,
            "keyCondition": found.request.condition,
            "modifiers": found.request.modifiers,
        },
        "items": found.items.iter().map(json::found).collect::<Vec<_>>(),
        "requests": found.requests,
        "capacityUnits": found.capacity.units(),
        "next": found.next.as_ref().map(json::typed),
    })
}

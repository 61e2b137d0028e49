//! `keyfold views`: keeps the rows of a model's views, rebuilds them, and shows how far they are.

use crate::backend::{BackendArguments, Use};
use crate::cmd::signal::Signals;
use crate::complete;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::ModelArgument;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use keyfold_client::ClientError;
use keyfold_model::Model;
use keyfold_stream::views::{
    UnreadableItem, ViewFailure, ViewOptions, ViewReport, ViewStatus, ViewWorker, begin_rebuild,
    failures, live, replay, status,
};
use keyfold_stream::{Options, Report, Sends, sends};
use keyfold_types::Item;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The time between two looks at a worker, or at views that are rebuilt.
const LOOK_TIME: Duration = Duration::from_millis(200);
/// The items that give nothing of which the state of a view shows the causes.
const SHOWN: usize = 5;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Keep the rows of the views until Ctrl-C. Any number of such processes share the work.
    Run {
        #[command(flatten)]
        place: Place,
        /// Rebuild views whose definition has changed.
        #[arg(long)]
        rebuild: bool,
    },
    /// Make new rows beside those that readers see, from a scan and the stream, then put them in their
    /// place.
    Rebuild {
        #[command(flatten)]
        place: Place,
        /// The view [default: all of them].
        #[arg(value_name = "VIEW", add = ArgValueCompleter::new(complete::views))]
        view: Option<String>,
    },
    /// Show each view's generation, the records that are not in its rows yet, those set aside, and items
    /// that give nothing to it.
    Status {
        #[command(flatten)]
        place: Place,
    },
    /// List the records that were set aside, each with the cause.
    Failures {
        #[command(flatten)]
        place: Place,
        /// The view [default: all of them].
        #[arg(value_name = "VIEW")]
        view: Option<String>,
    },
    /// Try the records that were set aside again. One whose item has changed since changes nothing.
    Replay {
        #[command(flatten)]
        place: Place,
        /// The view [default: all of them].
        #[arg(value_name = "VIEW")]
        view: Option<String>,
    },
}

/// The model, and where its tables are.
#[derive(Args)]
struct Place {
    #[command(flatten)]
    model: ModelArgument,
    #[command(flatten)]
    backend: BackendArguments,
}

impl Place {
    fn open(&self, output: Output, usage: Use) -> Result<(Arc<Model>, Sends), Failure> {
        self.open_at(&self.model.path()?, output, usage)
    }

    /// As [`Place::open`], with the view that is named behind the model. The model may be left out where
    /// the project names it.
    fn open_view(
        &self,
        view: Option<&str>,
        (output, usage): (Output, Use),
    ) -> Result<(Arc<Model>, Sends, Option<String>), Failure> {
        let (file, view) = self.model.path_and(view)?;
        let (model, send) = self.open_at(&file, output, usage)?;
        Ok((model, send, view))
    }

    fn open_at(
        &self,
        file: &Path,
        output: Output,
        usage: Use,
    ) -> Result<(Arc<Model>, Sends), Failure> {
        let model = model_file::load(file, output)?;
        let backend = match usage {
            Use::Read => self.backend.open_as_it_is(usage)?,
            Use::Work | Use::Write => self.backend.open(&model, usage)?,
        };
        Ok((Arc::new(model), sends(Arc::new(backend))))
    }
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    match &arguments.action {
        Action::Run { place, rebuild } => keep(place, *rebuild, output),
        Action::Rebuild { place, view } => make_anew(place, view.as_deref(), output),
        Action::Status { place } => show(place, output),
        Action::Failures { place, view } => list(place, view.as_deref(), output),
        Action::Replay { place, view } => again(place, view.as_deref(), output),
    }
}

/// The settings of a worker that says on standard error what it does.
pub(super) fn options(rebuild: bool) -> ViewOptions {
    ViewOptions {
        rebuild,
        on_report: Arc::new(|view, report| {
            if is_news(report) {
                terminal::error_line(&format!("view {view}: {report}"));
            }
        }),
        ..ViewOptions::default()
    }
}

/// Whether people want to read a report.
fn is_news(report: &ViewReport) -> bool {
    let ViewReport::Consumer(report) = report else {
        return true;
    };
    matches!(report, Report::SetAside { .. } | Report::Gap(_))
}

fn keep(place: &Place, rebuild: bool, output: Output) -> Result<(), Failure> {
    let (model, send) = place.open(output, Use::Work)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot start threads: {error}")))?;
    let mut signals = runtime.block_on(async { Signals::take() })?;
    let worker = ViewWorker::start(send, &model, &options(rebuild))?;
    let names = names(&model);
    output.result(
        || json!({ "views": names.iter().map(|name| json!({ "view": name })).collect::<Vec<_>>() }),
        || {
            let names = names.join(", ");
            terminal::line(&format!(
                "{GOOD}keeping{GOOD:#} {STRONG}{names}{STRONG:#}  {FAINT}stop with Ctrl-C{FAINT:#}"
            ));
        },
    );
    let (sender, stopped) = channel::<()>();
    runtime.spawn(async move {
        signals.next().await;
        drop(sender);
    });
    while stopped.recv_timeout(LOOK_TIME) == Err(RecvTimeoutError::Timeout) {
        if worker.has_stopped() {
            break;
        }
    }
    runtime.shutdown_background();
    Ok(worker.stop()?)
}

/// The names of a model's views.
pub(super) fn names(model: &Model) -> Vec<&str> {
    let views = model.entities.iter().filter(|one| one.view.is_some());
    views.map(|one| one.name.as_str()).collect()
}

fn make_anew(place: &Place, view: Option<&str>, output: Output) -> Result<(), Failure> {
    let (model, send, view) = place.open_view(view, (output, Use::Work))?;
    let begun = begin_rebuild(&send, &model, &consumers(), view.as_deref())?;
    // A data folder has no other process that could build them; others share the work.
    let worker = ViewWorker::start(Arc::clone(&send), &model, &options(true))?;
    let built = loop {
        let all = live(&send, &model)?;
        let built: Vec<(String, u64)> = begun
            .iter()
            .filter_map(|(name, number)| {
                let (_, live) = all.iter().find(|(of, _)| of == name)?;
                // Where a build was followed by another one, that is live.
                live.filter(|live| live >= number)
                    .map(|live| (name.clone(), live))
            })
            .collect();
        if built.len() == begun.len() || worker.has_stopped() {
            break built;
        }
        std::thread::sleep(LOOK_TIME);
    };
    worker.stop()?;
    let left_out: BTreeMap<String, usize> = of(&send, &model)?
        .iter()
        .map(|view| (name_of(view).to_owned(), view.unreadable.len()))
        .collect();
    let left_out = |view: &str| left_out.get(view).copied().unwrap_or_default();
    output.result(
        || {
            let row = |(view, number): &(String, u64)| json!({ "view": view, "live": number, "leftOut": left_out(view) });
            json!({ "views": built.iter().map(row).collect::<Vec<_>>() })
        },
        || {
            for (view, number) in &built {
                let items = match left_out(view) {
                    0 => String::new(),
                    count => format!(
                        "; {} left out: `keyfold views status` shows why",
                        terminal::counted(count, "item")
                    ),
                };
                terminal::line(&format!(
                    "{GOOD}rebuilt{GOOD:#} {STRONG}{view}{STRONG:#}: generation {number} is live{items}"
                ));
            }
        },
    );
    Ok(())
}

fn of(send: &Sends, model: &Arc<Model>) -> Result<Vec<ViewStatus>, ClientError> {
    status(send, model, &consumers())
}

/// The tables of consumers.
pub(super) fn consumers() -> Options {
    Options::new("views", "views")
}

fn show(place: &Place, output: Output) -> Result<(), Failure> {
    let (model, send) = place.open(output, Use::Read)?;
    let all = of(&send, &model)?;
    output.result(
        || json!({ "views": all.iter().map(document).collect::<Vec<_>>() }),
        || {
            for view in &all {
                terminal::line(&line(view));
            }
            if all.is_empty() {
                terminal::line(&format!("the model {} has no views", model.name));
            }
        },
    );
    Ok(())
}

fn list(place: &Place, view: Option<&str>, output: Output) -> Result<(), Failure> {
    let (model, send, view) = place.open_view(view, (output, Use::Read))?;
    let all = failures(&send, &model, &consumers(), view.as_deref())?;
    output.result(
        || json!({ "failures": all.iter().map(|one| failure(one, None)).collect::<Vec<_>>() }),
        || {
            for one in &all {
                let (view, why) = (&one.view, &one.aside.why);
                let (item, id) = (item_of(one), &one.aside.id);
                terminal::line(&format!("{STRONG}{view}{STRONG:#}: {item}: {why}"));
                terminal::line(&format!("  {FAINT}record {id}{FAINT:#}"));
            }
            if all.is_empty() {
                terminal::line("no record was set aside");
            }
        },
    );
    Ok(())
}

fn again(place: &Place, view: Option<&str>, output: Output) -> Result<(), Failure> {
    let (model, send, view) = place.open_view(view, (output, Use::Work))?;
    let mut all = Vec::new();
    for one in failures(&send, &model, &consumers(), view.as_deref())? {
        let left = replay(&send, &model, &consumers(), &one).err().map(reason);
        all.push((one, left));
    }
    output.result(
        || {
            let all = all
                .iter()
                .map(|(one, left)| failure(one, Some(left.as_deref())));
            json!({ "failures": all.collect::<Vec<_>>() })
        },
        || {
            for (one, left) in &all {
                let (view, item) = (&one.view, item_of(one));
                terminal::line(&match left {
                    None => format!("{GOOD}handled{GOOD:#} {STRONG}{view}{STRONG:#}: {item}"),
                    Some(why) => format!("{STRONG}{view}{STRONG:#}: {item} fails again: {why}"),
                });
            }
            if all.is_empty() {
                terminal::line("no record was set aside");
            }
        },
    );
    match all.iter().filter(|(_, left)| left.is_some()).count() {
        0 => Ok(()),
        left => Err(Failure::refused(format!("{} set aside again", were(left)))),
    }
}

fn reason(failure: keyfold_stream::Failure) -> String {
    match failure {
        keyfold_stream::Failure::Records(why) | keyfold_stream::Failure::Again(why) => why,
    }
}

/// "1 record was", "2 records were".
fn were(records: usize) -> String {
    let verb = if records == 1 { "was" } else { "were" };
    format!("{} {verb}", terminal::counted(records, "record"))
}

/// The key of the item of a record.
fn key_of(one: &ViewFailure) -> Option<&Item> {
    let images = one.aside.record.dynamodb.as_ref()?;
    images.keys.as_ref()?.as_ref().ok()
}

/// The table and the key of the item of a record, in words.
fn item_of(one: &ViewFailure) -> String {
    match key_of(one) {
        Some(key) => format!("{} {}", one.table, terminal::key(key)),
        None => one.table.clone(),
    }
}

/// A record that was set aside; with the reason for which it failed again, if it was tried.
fn failure(one: &ViewFailure, tried: Option<Option<&str>>) -> Json {
    let mut document = json!({
        "view": one.view.rsplit('.').next(),
        "generation": one.generation,
        "table": one.table,
        "id": one.aside.id,
        "key": key_of(one).map(dynamodb_json),
        "why": one.aside.why,
        "atMs": one.aside.at_epoch_ms,
    });
    if let (Some(left), Some(members)) = (tried, document.as_object_mut()) {
        members.insert("handled".to_owned(), json!(left.is_none()));
        members.insert("failsBy".to_owned(), json!(left));
    }
    document
}

/// An item in DynamoDB's JSON.
fn dynamodb_json(item: &Item) -> Json {
    let mut bytes = Vec::new();
    keyfold_wire::encode::encode_item(&mut bytes, item);
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn unreadable(item: &UnreadableItem) -> Json {
    json!({ "table": item.table, "key": dynamodb_json(&item.key), "why": item.why })
}

fn document(view: &ViewStatus) -> Json {
    json!({
        "view": name_of(view),
        "live": view.live,
        "isCurrent": view.is_current,
        "lost": view.lost,
        "next": view.next.as_ref().map(|(number, _)| number),
        "progress": view.next.as_ref().map(|(_, progress)| progress),
        "behind": view.behind,
        "hasMore": view.has_more,
        "lagMs": u64::try_from(view.lag.as_millis()).unwrap_or(u64::MAX),
        "setAside": view.set_aside,
        "why": view.why,
        "unreadable": view.unreadable.iter().map(unreadable).collect::<Vec<_>>(),
        "withoutSum": view.without_sum.iter().map(unreadable).collect::<Vec<_>>(),
    })
}

/// The name of a view in its model.
pub(super) fn name_of(view: &ViewStatus) -> &str {
    view.view.rsplit('.').next().unwrap_or(&view.view)
}

fn line(view: &ViewStatus) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}: ", name_of(view));
    text.push_str(&match view.live {
        Some(live) if view.lost.is_some() => format!("generation {live}"),
        Some(live) => {
            let least = if view.has_more { "at least " } else { "" };
            let behind = usize::try_from(view.behind).unwrap_or(usize::MAX);
            let behind = terminal::counted(behind, "record");
            format!("generation {live}, {least}{behind} behind")
        }
        None => "no rows yet".to_owned(),
    });
    if view.behind > 0 {
        text.push_str(&format!(" ({:.1} s)", view.lag.as_secs_f64()));
    }
    if view.live.is_some() && !view.is_current {
        text.push_str("; its definition has changed since: `keyfold views rebuild`");
    }
    if let Some(why) = &view.lost {
        let built = match view.next {
            Some(_) => "another generation takes its place",
            None => "`keyfold views run` builds it anew",
        };
        text.push_str(&format!(", which is kept no more: {why}; {built}"));
    }
    if let Some((number, progress)) = &view.next {
        text.push_str(&format!("; generation {number} {progress}"));
    }
    if let Some(why) = &view.why {
        text.push_str(&format!("; {} set aside: {why}", were(view.set_aside)));
    }
    let notes = [
        ("gives nothing", &view.unreadable),
        ("has no sum", &view.without_sum),
    ];
    for (what, items) in notes {
        for item in items.iter().take(SHOWN) {
            let (table, key, why) = (&item.table, terminal::key(&item.key), &item.why);
            text.push_str(&format!("\n  {what}: {table} {key}: {why}"));
        }
        if items.len() > SHOWN {
            let more = terminal::counted(items.len() - SHOWN, "more item");
            text.push_str(&format!("\n  and {more}: --json shows them"));
        }
    }
    text
}

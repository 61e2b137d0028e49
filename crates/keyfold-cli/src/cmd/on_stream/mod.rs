//! `--on-stream TABLE=TARGET`: batches of a table's stream as events for a function, at a URL or started
//! as a process that speaks the Lambda Runtime API.

mod process;
mod queue;
mod runtime_api;
mod surroundings;
mod url;

pub(super) use surroundings::Served;

use crate::failure::Failure;
use crate::lines::LineFile;
use crate::terminal;
use clap::Args;
use keyfold_client::Backend;
use keyfold_engine::Engine;
use keyfold_stream::mapping::{Function, Listener, Running, Settings};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use surroundings::Surroundings;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// The most time that the processes of functions have to end.
const END_TIME: Duration = Duration::from_secs(2);

/// The functions that handle streams.
#[derive(Debug, Args)]
pub(super) struct OnStream {
    /// Send the changes of a table to a function as AWS Lambda does: to a URL, or to a command that
    /// speaks the Lambda Runtime API. Settings stand behind a question mark,
    /// joined by `&`: 'Orders=./handler?batch=10&window=1&retries=3'. More are bisect,
    /// report-failures, on-failure=failed.jsonl, start=latest, max-age, parallel, timeout, name and filter={"eventName":["INSERT"]}.
    #[arg(long = "on-stream", value_name = "TABLE=TARGET", value_parser = Settings::parse)]
    mappings: Vec<Settings>,
}

/// A mapping that can be started.
pub(super) struct Prepared {
    settings: Settings,
    target: Target,
    discards: Option<LineFile>,
}

enum Target {
    Url(url::Url),
    Command(Vec<String>),
}

impl OnStream {
    /// Checks the mappings, and opens their files, before the server listens.
    pub(super) fn prepare(&self) -> Result<Vec<Prepared>, Failure> {
        let mut names = BTreeSet::new();
        let mut prepared = Vec::new();
        for settings in &self.mappings {
            let of = format!("--on-stream {}={}", settings.table, settings.target);
            let failure = |why: String| Failure::usage(format!("{of}: {why}"));
            if !names.insert(&settings.name) {
                let why = "another mapping has the same name, under which positions are kept: \
                           add `name=NAME`";
                return Err(failure(why.to_owned()));
            }
            let mut one = Prepared::of(settings, "--on-stream")?;
            let discards = settings.on_failure.as_ref().map(|file| {
                let opened = LineFile::open(Path::new(file));
                opened.map_err(|error| failure(format!("on-failure={file}: {error}")))
            });
            one.discards = discards.transpose()?;
            prepared.push(one);
        }
        Ok(prepared)
    }
}

impl Prepared {
    /// Checks the mapping of an option, and opens no file.
    pub(super) fn of(settings: &Settings, option: &str) -> Result<Prepared, Failure> {
        let target = target(&settings.target).map_err(|why| {
            let Settings { table, target, .. } = settings;
            Failure::usage(format!("{option} {table}={target}: {why}"))
        })?;
        Ok(Prepared {
            settings: settings.clone(),
            target,
            discards: None,
        })
    }

    /// Whether the function is a command.
    pub(super) fn is_command(&self) -> bool {
        matches!(self.target, Target::Command(_))
    }
}

impl Target {
    /// Whether somebody answers at a URL; the reason for which nobody does.
    fn reach(&self) -> Result<(), String> {
        match self {
            Target::Url(url) => url.reach(),
            Target::Command(_) => Ok(()),
        }
    }

    /// Makes the function, and starts its processes.
    fn start(self, settings: &Settings, surroundings: &Surroundings) -> Arc<dyn Function> {
        let surroundings = surroundings.clone();
        match self {
            Target::Url(url) => Arc::new(url::AtUrl::new(url, surroundings)),
            Target::Command(words) => Arc::new(process::Processes::start(
                words,
                &label(settings),
                settings.parallel,
                surroundings,
            )),
        }
    }
}

fn target(text: &str) -> Result<Target, String> {
    if text.contains("://") {
        return url::Url::parse(text).map(Target::Url);
    }
    let words = process::words(text)?;
    process::check(&words)?;
    Ok(Target::Command(words))
}

/// A mapping as lines name it: its table and target, and its name where it was given one.
fn label(settings: &Settings) -> String {
    let Settings {
        table,
        target,
        name,
        ..
    } = settings;
    match *name == Settings::new(table, target).name {
        true => format!("{table}={target}"),
        false => format!("{table}={target} ({name})"),
    }
}

/// The threads of functions. Dropping them ends the processes.
struct Ground {
    surroundings: Surroundings,
    stop: watch::Sender<bool>,
    runtime: Option<Runtime>,
}

impl Ground {
    fn new(served: &Served) -> Result<Ground, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Failure::backend(format!("cannot start threads: {error}")))?;
        let (stop, stopped) = watch::channel(false);
        let surroundings = Surroundings {
            handle: runtime.handle().clone(),
            stopped,
            served: served.clone(),
        };
        Ok(Ground {
            surroundings,
            stop,
            runtime: Some(runtime),
        })
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END_TIME);
        }
    }
}

/// The mappings of a server. Dropping them stops them, and ends their processes.
pub(super) struct Mappings {
    running: Vec<Running>,
    ground: Ground,
}

impl Mappings {
    pub(super) fn start(
        prepared: Vec<Prepared>,
        engine: &Arc<Engine>,
        served: &Served,
    ) -> Result<Option<Mappings>, Failure> {
        if prepared.is_empty() {
            return Ok(None);
        }
        let ground = Ground::new(served)?;
        let backend = Arc::new(Backend::Embedded(Arc::clone(engine)));
        let send = keyfold_stream::sends(backend);
        let start = |one: Prepared| {
            let label = label(&one.settings);
            let reached = one.target.reach();
            let waits = reached.map_or_else(
                |why| format!("; it is not reached yet, and records wait: {why}"),
                |()| String::new(),
            );
            terminal::error_line(&format!("on-stream {label}: attached{waits}"));
            let function = one.target.start(&one.settings, &ground.surroundings);
            let log = Arc::new(Log {
                label,
                discards: one.discards.map(Mutex::new),
            });
            Running::start(Arc::clone(&send), one.settings, function, log)
        };
        let running = prepared.into_iter().map(start).collect();
        Ok(Some(Mappings { running, ground }))
    }
}

impl Drop for Mappings {
    fn drop(&mut self) {
        // Calls under way end first: the mappings wait for them.
        self.ground.stop.send_replace(true);
        self.running.clear();
    }
}

/// A function that is called outside of a mapping. Dropping it ends its processes.
pub(super) struct Called {
    pub(super) function: Arc<dyn Function>,
    _ground: Ground,
}

impl Called {
    pub(super) fn start(prepared: Prepared, served: &Served) -> Result<Called, Failure> {
        let ground = Ground::new(served)?;
        Ok(Called {
            function: prepared
                .target
                .start(&prepared.settings, &ground.surroundings),
            _ground: ground,
        })
    }
}

/// Writes what a mapping does to standard error, and discarded batches to their file.
struct Log {
    label: String,
    discards: Option<Mutex<LineFile>>,
}

impl Listener for Log {
    fn discarded(&self, record: &Json) -> Result<(), String> {
        let Some(file) = &self.discards else {
            return Ok(());
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // Another mapping may add to the same file.
        file.add(&record.to_string())
            .map_err(|error| error.to_string())
    }

    fn report(&self, what: &str) {
        terminal::error_line(&format!("on-stream {}: {what}", self.label));
    }
}

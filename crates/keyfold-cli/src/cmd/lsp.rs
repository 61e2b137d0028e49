//! `keyfold lsp`: the language server on standard input and output, for editors.

use crate::failure::Failure;
use crate::output::Output;
use crate::project::Project;
use clap::Args;
use keyfold_client::model_file;
use keyfold_lsp::{Exit, Files, Next, Queue, Server, Wait, drive};
use keyfold_model::Loaded;
use lsp_server::{Connection, Message};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Speak over standard input and output; there is no other way, and editors may say it.
    #[arg(long = "stdio")]
    _stdio: bool,
}

/// How long the server waits for another change before it computes findings. An editor sends the
/// changes of one keystroke, or of a command, without pauses.
const PAUSE: Duration = Duration::from_millis(4);

pub(crate) fn run(_: &Arguments, output: Output) -> Result<(), Failure> {
    if output == Output::Json {
        let message = "`keyfold lsp` speaks with an editor, and prints no document";
        return Err(Failure::usage(message.to_owned()));
    }
    let (connection, threads) = Connection::stdio();
    let mut server = Server::new(Box::new(Disk));
    let exit = drive(&mut server, &mut Stdio { connection });
    let lost = || Failure::refused("the editor left without asking for an end".to_owned());
    match exit {
        Exit::Asked => {
            // The last answer may still be on its way.
            threads.join().map_err(|_| lost())
        }
        Exit::Lost => Err(lost()),
    }
}

/// The messages of an editor on standard input and output.
struct Stdio {
    connection: Connection,
}

impl Queue for Stdio {
    fn next(&mut self, wait: Wait) -> Next {
        let receiver = &self.connection.receiver;
        match wait {
            Wait::Always => receiver.recv().map_or(Next::Closed, Next::Message),
            Wait::Moment => match receiver.recv_timeout(PAUSE) {
                Ok(message) => Next::Message(message),
                Err(error) if error.is_timeout() => Next::Quiet,
                Err(_) => Next::Closed,
            },
        }
    }

    fn send(&mut self, message: Message) -> bool {
        self.connection.sender.send(message).is_ok()
    }
}

/// The files of this machine.
pub(super) struct Disk;

impl Files for Disk {
    fn used(&self, first: &str, name: &str) -> Result<Loaded, String> {
        let first = Path::new(first);
        let own = std::fs::canonicalize(first).unwrap_or_else(|_| first.to_owned());
        model_file::used(own.parent().unwrap_or(Path::new("")), name)
    }

    fn first(&self, path: &str) -> Option<Loaded> {
        let path = Path::new(path);
        let own = std::fs::canonicalize(path).ok()?;
        Some(Loaded {
            text: std::fs::read_to_string(&own).ok()?,
            identity: own.display().to_string(),
        })
    }

    fn models(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_model = |path: &PathBuf| path.extension().is_some_and(|end| end == "keyfold");
        paths
            .filter(is_model)
            .map(|path| with_slashes(&path))
            .collect()
    }

    fn project(&self, folder: &str) -> Option<String> {
        let project = Project::of_folder(Path::new(folder))?;
        project.model().ok()?.map(|path| with_slashes(&path))
    }
}

/// A path with `/` between its parts.
fn with_slashes(path: &Path) -> String {
    let text = path.display().to_string();
    if std::path::MAIN_SEPARATOR == '\\' {
        text.replace('\\', "/")
    } else {
        text
    }
}

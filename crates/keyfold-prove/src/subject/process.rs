//! A client in a process of its own: lines of JSON go in and out.

use keyfold_client::ClientError;
use keyfold_codegen::generate::{Settings, Target};
use keyfold_codegen::plan;
use keyfold_model::{Model, Sources};
use serde_json::{Value as Json, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most time that a client takes for a line.
const LINE_TIME_MAX: Duration = Duration::from_secs(60);

/// A client in another language, by the command that starts it. One process serves one call at a
/// time; concurrent calls start more.
#[derive(Clone)]
pub struct Through {
    command: Vec<String>,
    idle: Arc<Mutex<Vec<(String, Process)>>>,
}

impl Through {
    /// A client by the command that starts it: the program and its arguments.
    pub fn new(command: impl IntoIterator<Item = String>) -> Through {
        Through {
            command: command.into_iter().collect(),
            idle: Arc::default(),
        }
    }

    /// Makes a call in a process that has the model's plan. A process that failed is not used again.
    ///
    /// # Errors
    /// The call's; `Transport` when no process can be started.
    pub(super) fn with<T>(
        &self,
        model: &Model,
        call: impl FnOnce(&mut Process) -> Result<T, ClientError>,
    ) -> Result<T, ClientError> {
        let document = plan::document(model);
        let hash = document
            .pointer("/model/hash")
            .map(Json::to_string)
            .unwrap_or_default();
        let mut process = match self.idle_with(&hash) {
            Some(process) => process,
            None => Process::start(&self.command, model, &document)?,
        };
        let result = call(&mut process);
        if !matches!(result, Err(ClientError::Transport(_))) {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push((hash, process));
        }
        result
    }

    /// Whether the client says that it makes calls of several writes, keys or items.
    ///
    /// # Errors
    /// `Transport` when no process can be started.
    pub(super) fn makes_several(&self, model: &Model) -> Result<bool, ClientError> {
        self.with(model, |process| Ok(process.makes_several))
    }

    fn idle_with(&self, hash: &str) -> Option<Process> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|(own, _)| own == hash)?;
        Some(idle.swap_remove(at).1)
    }
}

/// A running client. Dropping it ends it.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    makes_several: bool,
}

impl Process {
    /// Starts a client, gives it a plan document, and the generated file that it asks for.
    fn start(command: &[String], model: &Model, document: &Json) -> Result<Process, ClientError> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| broken("no command is given"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| broken(&format!("{program} cannot be started: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(broken("it has no standard input and output"));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut process = Process {
            child,
            input,
            lines,
            makes_several: false,
        };
        process.send(&json!({ "plan": document }))?;
        let mut said = process.receive()?;
        if let Some(word) = said.get("generate").and_then(Json::as_str) {
            process.send(&json!({ "generated": generated(model, word)? }))?;
            said = process.receive()?;
        }
        process.makes_several = said.get("several") == Some(&Json::Bool(true));
        match said.get("ready") {
            Some(_) => Ok(process),
            None => Err(broken("it does not accept the plan document")),
        }
    }

    pub(super) fn send(&mut self, line: &Json) -> Result<(), ClientError> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|error| broken(&format!("it reads no more: {error}")))
    }

    pub(super) fn receive(&mut self) -> Result<Json, ClientError> {
        let line = self
            .lines
            .recv_timeout(LINE_TIME_MAX)
            .map_err(|_| broken("it has ended, or says nothing for a minute"))?;
        serde_json::from_str(&line).map_err(|_| broken(&format!("it says no JSON: {line}")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The client of a model that `keyfold generate LANGUAGE --exact-numbers` writes.
fn generated(model: &Model, language: &str) -> Result<String, ClientError> {
    // A client in Rust is compiled, and has the texts of its model.
    let targets = [Target::Typescript, Target::Python];
    let target = targets
        .into_iter()
        .find(|target| target.word() == language)
        .ok_or_else(|| broken(&format!("it asks for a client in {language}")))?;
    let settings = Settings {
        generator: "keyfold prove".to_owned(),
        exact_numbers: true,
        ..Settings::default()
    };
    Ok(target.text(model, &Sources::of_text("model.keyfold", ""), &settings))
}

fn broken(why: &str) -> ClientError {
    ClientError::Transport(format!("the client's process: {why}"))
}

//! A function as a command: processes that are started once, and again when they end.

use super::queue::{Call, Queue};
use super::runtime_api::{Session, serve};
use super::surroundings::Surroundings;
use crate::terminal;
use keyfold_stream::mapping::{Function, Invocation, Reply};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

/// The first pause before a process is started again that ended by itself.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// A function whose processes take its calls.
pub(super) struct Processes {
    queue: Arc<Queue>,
    surroundings: Surroundings,
    arn: String,
}

/// How a process is started.
struct Recipe {
    words: Vec<String>,
    name: String,
    /// The mapping as lines name it.
    label: String,
    arn: String,
    surroundings: Surroundings,
}

impl Processes {
    pub(super) fn start(
        words: Vec<String>,
        label: &str,
        count: usize,
        surroundings: Surroundings,
    ) -> Processes {
        let name = name(&words);
        let arn = surroundings.arn(&name);
        let queue = Arc::new(Queue::default());
        let recipe = Arc::new(Recipe {
            words,
            name,
            label: label.to_owned(),
            arn: arn.clone(),
            surroundings: surroundings.clone(),
        });
        for _ in 0..count {
            let kept = keep(Arc::clone(&recipe), Arc::clone(&queue));
            surroundings.handle.spawn(kept);
        }
        Processes {
            queue,
            surroundings,
            arn,
        }
    }
}

impl Function for Processes {
    fn invoke(&self, invocation: Invocation<'_>) -> Reply {
        let (reply, replied) = oneshot::channel();
        self.queue.add(Call {
            id: invocation.id.to_owned(),
            event: invocation.event.to_owned(),
            timeout: invocation.timeout,
            reply,
        });
        let done = self.surroundings.carried(replied).and_then(Result::ok);
        done.unwrap_or_else(|| Reply::Unreachable("the server stops".to_owned()))
    }

    fn arn(&self) -> String {
        self.arn.clone()
    }
}

/// Starts a process, and again when it ends.
async fn keep(recipe: Arc<Recipe>, queue: Arc<Queue>) {
    let mut pause = PAUSE;
    let mut said = None;
    loop {
        let session = Arc::new(Session::new(Arc::clone(&queue), recipe.arn.clone()));
        let why = run(&recipe, &session).await;
        let has_asked = session.has_asked();
        if !session.fail(&why) && !has_asked {
            // It ended before it took a call: the next one fails. Where none waits, only the log hears of it.
            match queue.first() {
                Some(call) => drop(call.reply.send(Reply::Failed("Unhandled", why))),
                None if said.as_ref() != Some(&why) => {
                    let hint = "; a command must itself ask the Lambda Runtime API for events";
                    terminal::error_line(&format!("on-stream {}: {why}{hint}", recipe.label));
                    said = Some(why);
                }
                // It is said once, and not each time that the process is started again.
                None => {}
            }
        }
        pause = if has_asked {
            PAUSE
        } else {
            (pause * 2).min(PAUSE_MAX)
        };
        tokio::time::sleep(pause).await;
    }
}

/// The processes of one that was started, which leads their group. Dropping it ends those that are left: also
/// what a shell has started.
struct Group(#[cfg(unix)] Option<rustix::process::Pid>);

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Group {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Group(id.and_then(rustix::process::Pid::from_raw))
    }

    #[cfg(not(unix))]
    fn of(_: &Child) -> Group {
        Group()
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            // A group whose processes have all ended needs no signal.
            let _ended = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

/// Runs a process until it ends, a call takes too long, or it asks for none. Returns what happened.
async fn run(recipe: &Recipe, session: &Arc<Session>) -> String {
    let listener = match TcpListener::bind(("127.0.0.1", 0)).await {
        Ok(listener) => listener,
        Err(error) => return format!("the Runtime API has no port: {error}"),
    };
    let address = listener.local_addr().map(|address| address.to_string());
    let mut child = match address.and_then(|address| recipe.spawn(&address)) {
        Ok(child) => child,
        Err(error) => return format!("cannot start {}: {error}", recipe.words.join(" ")),
    };
    let _group = Group::of(&child);
    tokio::select! {
        ended = child.wait() => {
            let status = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
            format!("Runtime.ExitError: the runtime ended: {status}")
        }
        why = session.overdue() => {
            if !session.has_call() && session.has_asked() {
                // No call fails because of it.
                terminal::error_line(&format!("on-stream {}: {why}", recipe.label));
            }
            // A process that has ended meanwhile needs no signal.
            drop(child.kill().await);
            why
        }
        () = serve(listener, Arc::clone(session)) => "the Runtime API ended".to_owned(),
    }
}

impl Recipe {
    fn spawn(&self, runtime_api: &str) -> std::io::Result<Child> {
        let (program, arguments) = self
            .words
            .split_first()
            .ok_or(std::io::ErrorKind::InvalidInput)?;
        let served = &self.surroundings.served;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("AWS_LAMBDA_RUNTIME_API", runtime_api)
            .env("AWS_LAMBDA_FUNCTION_NAME", &self.name)
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "1024")
            .env("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
            .stdin(Stdio::null())
            // Standard output is that of the server: what functions print is their log.
            .stdout(std::io::stderr())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        for (name, value) in [
            ("AWS_REGION", &served.region),
            ("AWS_DEFAULT_REGION", &served.region),
            ("AWS_ENDPOINT_URL_DYNAMODB", &served.endpoint),
        ] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        command.spawn()
    }
}

/// The function's name: the last argument that is a file, without its folder and ending.
fn name(words: &[String]) -> String {
    let last = words.last().map(Path::new).and_then(Path::file_stem);
    let name = last.map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "function".to_owned())
}

/// The words of a command: separated by spaces, which quotes keep.
pub(super) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for char in text.chars() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (Some(_) | None, char) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("the command has a quote {open} that is not closed")),
        None => Ok(words),
    }
}

/// Checks that the program of a command exists.
pub(super) fn check(words: &[String]) -> Result<(), String> {
    let program = words.first().map(String::as_str).unwrap_or_default();
    let is_path = program.contains(std::path::MAIN_SEPARATOR);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let endings = ["", std::env::consts::EXE_SUFFIX];
    let is_in = |folder: &Path| {
        endings
            .iter()
            .any(|ending| folder.join(format!("{program}{ending}")).is_file())
    };
    let exists = match is_path {
        true => is_in(Path::new("")),
        false => std::env::split_paths(&folders).any(|folder| is_in(&folder)),
    };
    match exists {
        true => Ok(()),
        false => Err(format!("there is no program `{program}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_spaces() {
        let wanted = ["node", "my handler.mjs", "it's", ""];
        assert_eq!(
            words(r#"node  "my handler.mjs" "it's" ''"#).unwrap(),
            wanted
        );
        assert!(words("node 'x").is_err());
    }
}

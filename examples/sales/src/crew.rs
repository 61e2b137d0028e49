//! The workers that keep the views: processes of this program, which are killed now and then and
//! started again.

use crate::storage::Storage;
use crate::upkeep::Reported;
use keyfold::typed::Timestamp;
use serde::Serialize;
use std::collections::VecDeque;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The number of workers.
pub(crate) const WORKERS: usize = 2;
/// The pause before a worker is started again.
const RESTART: Duration = Duration::from_millis(500);
/// The time that a worker has to end what it is about.
const END_WITHIN: Duration = Duration::from_secs(10);
/// The news that are remembered.
const NEWS: usize = 12;
/// The pauses between two kills, in milliseconds.
const CHAOS_MS: std::ops::Range<u64> = 4_000..10_000;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct News {
    at: String,
    text: String,
}

/// A worker at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WorkerShown {
    /// Its number, from 1.
    pub number: usize,
    /// The process that runs.
    pub pid: Option<u32>,
    /// How often it was killed.
    pub kills: u64,
    /// The shards of streams whose records it handles, of each view.
    pub shards: i64,
    /// The records that it has handled, in all its processes.
    pub handled: u64,
}

#[derive(Debug, Default)]
struct State {
    workers: [WorkerShown; WORKERS],
    news: VecDeque<News>,
}

/// The workers, as others see them. Cloning shares them.
#[derive(Debug, Clone)]
pub struct Crew {
    state: Arc<Mutex<State>>,
    kills: Vec<mpsc::Sender<()>>,
    chaos: Arc<watch::Sender<bool>>,
}

/// What ends the workers.
#[derive(Debug)]
pub struct Ending {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Ending {
    /// Lets the workers end what they are about, and waits for that.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Crew {
    /// Starts the workers: processes of a program that is called with `worker` and the connection of a
    /// storage.
    pub fn start(program: &Path, storage: &Storage) -> (Crew, Ending) {
        let state = Arc::new(Mutex::new(State::default()));
        let (chaos, disturbed) = watch::channel(false);
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let mut kills = Vec::new();
        for at in 0..WORKERS {
            let (sender, wanted) = mpsc::channel(1);
            kills.push(sender);
            let slot = Slot {
                at,
                program: program.to_owned(),
                connection: storage.connection().to_owned(),
                environment: storage.environment(),
                state: Arc::clone(&state),
            };
            tasks.spawn(supervise(slot, wanted, stopped.clone()));
        }
        let crew = Crew {
            state,
            kills,
            chaos: Arc::new(chaos),
        };
        let killed = crew.kills.clone();
        tokio::spawn(disturb(killed, disturbed));
        (crew, Ending { stop, tasks })
    }

    /// Kills the process of a worker, by its number, with SIGKILL. Returns whether there is such a worker.
    pub fn kill(&self, number: usize) -> bool {
        let worker = number.checked_sub(1).and_then(|at| self.kills.get(at));
        // One that is being killed is killed.
        worker.is_some_and(|worker| worker.try_send(()).is_ok() || !worker.is_closed())
    }

    /// Kills a worker now and then, or does not any more.
    pub fn disturb(&self, is_on: bool) {
        self.chaos.send_replace(is_on);
    }

    pub(crate) fn is_disturbed(&self) -> bool {
        *self.chaos.borrow()
    }

    /// The workers as they are now.
    pub fn workers(&self) -> Vec<WorkerShown> {
        locked(&self.state).workers.to_vec()
    }

    /// The last things that happened, the latest first.
    pub fn news(&self) -> Vec<News> {
        locked(&self.state).news.iter().cloned().collect()
    }

    /// Adds something that happened.
    pub(crate) fn tell(&self, text: String) {
        tell(&self.state, text);
    }
}

fn locked(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tell(state: &Mutex<State>, text: String) {
    let at = Timestamp::now().to_string();
    let mut state = locked(state);
    // What is told again stands once: a record that waits is tried often.
    state.news.retain(|one| one.text != text);
    state.news.push_front(News { at, text });
    state.news.truncate(NEWS);
}

/// The place of a worker, whose processes come and go.
struct Slot {
    at: usize,
    program: PathBuf,
    connection: String,
    environment: Vec<(&'static str, String)>,
    state: Arc<Mutex<State>>,
}

impl Slot {
    fn spawn(&self) -> Result<Child, Error> {
        Command::new(&self.program)
            .args(["worker", &self.connection])
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            // Its input ends with this program, however that ends.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for this program, which ends its workers.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
    }

    fn tell(&self, text: &str) {
        tell(&self.state, format!("Worker {} {text}", self.at + 1));
    }

    fn change(&self, change: impl FnOnce(&mut WorkerShown)) {
        let mut state = locked(&self.state);
        if let Some(worker) = state.workers.get_mut(self.at) {
            worker.number = self.at + 1;
            change(worker);
        }
    }
}

async fn supervise(slot: Slot, mut wanted: mpsc::Receiver<()>, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        match slot.spawn() {
            Ok(child) => {
                slot.change(|worker| worker.pid = child.id());
                slot.tell("was started.");
                run(&slot, child, &mut wanted, &mut stopped).await;
                slot.change(|worker| (worker.pid, worker.shards) = (None, 0));
            }
            Err(error) => slot.tell(&format!("cannot be started: {error}")),
        }
        // What stops it ends the pause.
        timeout(RESTART, stop(&mut stopped))
            .await
            .unwrap_or_default();
    }
}

/// Waits until the worker is to end. Who could say so is gone at the end of the program.
async fn stop(stopped: &mut watch::Receiver<bool>) {
    drop(stopped.wait_for(|is| *is).await);
}

/// A process until it ends, is killed, or is to end.
async fn run(
    slot: &Slot,
    mut child: Child,
    wanted: &mut mpsc::Receiver<()>,
    stopped: &mut watch::Receiver<bool>,
) {
    // Waiting would end the input, and with it the worker.
    let input = child.stdin.take();
    if let Some(output) = child.stdout.take() {
        tokio::spawn(listen(output, slot.at, Arc::clone(&slot.state)));
    }
    let ended = |status: Result<ExitStatus, Error>| match status {
        Ok(status) => format!("has ended by itself: {status}"),
        Err(error) => format!("cannot be waited for: {error}"),
    };
    tokio::select! {
        status = child.wait() => slot.tell(&ended(status)),
        Some(()) = wanted.recv() => {
            slot.change(|worker| worker.kills += 1);
            // SIGKILL, which no process hears.
            match child.kill().await {
                Ok(()) => slot.tell("was killed."),
                Err(error) => slot.tell(&format!("cannot be killed: {error}")),
            }
        }
        () = stop(stopped) => {
            drop(input);
            if timeout(END_WITHIN, child.wait()).await.is_err() {
                slot.tell("does not end, and is killed.");
            }
        }
    }
}

/// Reads what a worker reports, until it ends.
async fn listen(output: impl AsyncRead + Unpin, at: usize, state: Arc<Mutex<State>>) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let change = |change: &dyn Fn(&mut WorkerShown)| {
            locked(&state)
                .workers
                .get_mut(at)
                .into_iter()
                .for_each(change);
        };
        match serde_json::from_str(&line) {
            Ok(Reported::Handled(records)) => change(&|worker| {
                worker.handled += u64::try_from(records).unwrap_or_default();
            }),
            Ok(Reported::Took(shards)) => change(&|worker| worker.shards += shards),
            Ok(Reported::Said(text)) => tell(&state, format!("Worker {}: {text}", at + 1)),
            // The last line of a process that was killed may be torn.
            Err(_) => tell(&state, format!("Worker {}: {line}", at + 1)),
        }
    }
}

/// Kills a worker now and then, while that is wanted.
async fn disturb(workers: Vec<mpsc::Sender<()>>, mut wanted: watch::Receiver<bool>) {
    while wanted.wait_for(|is_on| *is_on).await.is_ok() {
        sleep(Duration::from_millis(fastrand::u64(CHAOS_MS))).await;
        if let (true, Some(worker)) = (*wanted.borrow(), fastrand::choice(&workers)) {
            // One that is being killed is killed.
            worker.try_send(()).unwrap_or_default();
        }
    }
}

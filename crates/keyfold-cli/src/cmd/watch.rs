//! Follows the files of a model, and what else a command depends on: does something again each time one of them changes.
//!
//! The files are looked at a few times a second. An editor may write a file in place, or remove it
//! and put another in its place: either is a change of its length or its time, and what is done
//! again waits until the files rest.

use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, FAINT};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The time between two looks at the files.
const LOOK_EVERY: Duration = Duration::from_millis(150);
/// The most looks at a file that is away, as it is while an editor replaces it.
const AWAY_LOOKS_MAX: usize = 10;

/// The length of each file and the time of its last change; `None` for a file that is away.
type State = Vec<(PathBuf, Option<(u64, Option<SystemTime>)>)>;

/// Does it, and again after each change of one of `files`, until the process ends. A failure is shown and is
/// no end. Where the files cannot be told, because a model cannot be read, they are those from before: at first
/// `known`.
pub(crate) fn follow(
    known: Vec<PathBuf>,
    files: impl Fn() -> Result<Vec<PathBuf>, Failure>,
    output: Output,
    mut run: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut known = known;
    loop {
        if let Ok(all) = files() {
            known = all;
        }
        let before = state(&known);
        if let Err(failure) = run() {
            // The exit code is that of a command that ends.
            let _code = output.failure(failure);
        }
        if output == Output::Text {
            let count = terminal::counted(known.len(), "file");
            terminal::line(&format!("{FAINT}following {count}; ctrl-c ends{FAINT:#}"));
        }
        // A file that was not there, and comes, makes other files than those that are known.
        let is_as_before = || state(&known) == before && files().map_or(true, |all| all == known);
        while is_as_before() {
            std::thread::sleep(LOOK_EVERY);
        }
        rest(&known);
    }
}

/// Waits until the files have not changed for a while, and all are there.
fn rest(files: &[PathBuf]) {
    let (mut last, mut away) = (state(files), 0);
    loop {
        std::thread::sleep(LOOK_EVERY);
        let now = state(files);
        let is_whole = now.iter().all(|(_, held)| held.is_some());
        away += usize::from(!is_whole);
        if now == last && (is_whole || away > AWAY_LOOKS_MAX) {
            return;
        }
        last = now;
    }
}

fn state(files: &[PathBuf]) -> State {
    let look = |path: &PathBuf| {
        let held = std::fs::metadata(path).ok();
        let held = held.map(|held| (held.len(), held.modified().ok()));
        (path.clone(), held)
    };
    files.iter().map(look).collect()
}

//! Follows the files of a model: does something again each time one of them changes.
//!
//! The files are looked at a few times a second. An editor may write a file in place, or remove it
//! and put another in its place: either is a change of its length or its time, and what is done
//! again waits until the files rest.

use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::terminal::{self, FAINT};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time between two looks at the files.
const LOOK_EVERY: Duration = Duration::from_millis(150);
/// The most looks at a file that is away, as it is while an editor replaces it.
const AWAY_LOOKS_MAX: usize = 10;

/// The length of each file and the time of its last change; `None` for a file that is away.
type State = Vec<(PathBuf, Option<(u64, Option<SystemTime>)>)>;

/// Does it for the model of a file, and again after each change of one of its files, until the
/// process ends. A failure is shown and is no end.
pub(crate) fn follow(
    path: &Path,
    output: Output,
    mut run: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut files = vec![path.to_owned()];
    loop {
        // A model that cannot be read has the files that it had.
        if let Ok(all) = model_file::files(path) {
            files = all;
        }
        let before = state(&files);
        if let Err(failure) = run() {
            // The exit code is that of a command that ends.
            let _code = output.failure(failure);
        }
        if output == Output::Text {
            let count = terminal::counted(files.len(), "file");
            terminal::line(&format!("{FAINT}following {count}; ctrl-c ends{FAINT:#}"));
        }
        while state(&files) == before {
            std::thread::sleep(LOOK_EVERY);
        }
        rest(&files);
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

//! The file of `on-failure`, and the one beside it with the batches that were handled since. A server may add to the
//! first one meanwhile.

use crate::failure::Failure;
use crate::lines::LineFile;
use crate::output::Output;
use crate::terminal::{self, ERROR, counted, shown};
use keyfold_stream::ShardKey;
use keyfold_stream::mapping::Discard;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A line that is no batch.
struct Unreadable {
    line: usize,
    why: String,
}

/// The batches of a file.
pub(super) struct Batches {
    file: PathBuf,
    /// All of them, each with its line.
    all: Vec<(usize, Discard)>,
    unreadable: Vec<Unreadable>,
    handled: BTreeSet<String>,
}

impl Batches {
    /// Reads a file, and the one beside it.
    pub(super) fn read(file: &Path) -> Result<Batches, Failure> {
        let mut batches = Batches::of(file)?;
        let beside = beside(file);
        match std::fs::read(&beside) {
            Ok(bytes) => batches.handled = names(&bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(unread(&beside, &error)),
        }
        Ok(batches)
    }

    /// As [`Batches::read`], for a command that adds to the file beside: no other one does meanwhile.
    pub(super) fn read_to_note(file: &Path) -> Result<(Batches, Notes), Failure> {
        let mut batches = Batches::of(file)?;
        let (notes, handled) = Notes::of(file)?;
        batches.handled = handled;
        Ok((batches, notes))
    }

    fn of(file: &Path) -> Result<Batches, Failure> {
        let bytes = std::fs::read(file).map_err(|error| unread(file, &error))?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut batches = Batches {
            file: file.to_owned(),
            all: Vec::new(),
            unreadable: Vec::new(),
            handled: BTreeSet::new(),
        };
        let lines = text.lines().enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            match Discard::parse(line) {
                Ok(batch) => batches.all.push((at + 1, batch)),
                Err(why) => batches.unreadable.push(Unreadable { line: at + 1, why }),
            }
        }
        match (batches.all.as_slice(), batches.unreadable.first()) {
            ([], Some(first)) => {
                let named = file.display();
                let Unreadable { line, why } = first;
                let why = format!(
                    "{named} has no batch that was discarded: line {line}: {}",
                    shown(why)
                );
                Err(Failure::usage(why).at_line(file, *line))
            }
            _ => Ok(batches),
        }
    }

    /// All batches of the file.
    pub(super) fn all(&self) -> impl Iterator<Item = &Discard> {
        self.all.iter().map(|(_, batch)| batch)
    }

    /// Those that are not handled yet, each with its line.
    pub(super) fn left(&self) -> impl Iterator<Item = (usize, &Discard)> {
        let left = |batch: &Discard| !self.handled.contains(&name(batch));
        let all = self.all.iter().filter(move |(_, batch)| left(batch));
        all.map(|(line, batch)| (*line, batch))
    }

    /// The number of those that were handled since.
    pub(super) fn replayed(&self) -> usize {
        self.all.len() - self.left().count()
    }

    /// Names the lines that are no batches, on the error stream.
    pub(super) fn name_unreadable(&self, output: Output) {
        if output == Output::Json {
            return;
        }
        let file = self.file.display();
        for Unreadable { line, why } in &self.unreadable {
            let why = shown(why);
            terminal::error_line(&format!(
                "{ERROR}{file}, line {line}{ERROR:#}: it is no batch that was discarded, and is left out: {why}"
            ));
        }
    }

    /// Refused where lines are no batches.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        let Some(first) = self.unreadable.first() else {
            return Ok(());
        };
        let (file, line) = (&self.file, first.line);
        let were = match self.unreadable.len() {
            1 => format!("line {line} of {} is no batch", file.display()),
            count => format!(
                "{} of {} are no batches, the first is line {line}",
                counted(count, "line"),
                file.display()
            ),
        };
        Err(Failure::refused(format!("{were} that was discarded")).at_line(file, line))
    }

    /// The result of a command, for programs.
    pub(super) fn document(&self, batches: Vec<Json>) -> Json {
        let mut document = json!({ "batches": batches, "replayed": self.replayed() });
        if !self.unreadable.is_empty() {
            let lines = self.unreadable.iter();
            let lines = lines.map(|one| json!({ "line": one.line, "why": one.why }));
            document["unreadable"] = lines.collect();
        }
        document
    }
}

/// The file of the batches that were handled, which no other command has.
pub(super) struct Notes {
    path: PathBuf,
    lines: LineFile,
}

impl Notes {
    fn of(file: &Path) -> Result<(Notes, BTreeSet<String>), Failure> {
        let path = beside(file);
        let unwritten = |error| Failure::unwritten(&path, &error);
        let mut lines = LineFile::open(&path).map_err(unwritten)?;
        if !lines.lock().map_err(unwritten)? {
            let why = format!(
                "another `keyfold events replay` sends the batches of {}: wait until it has ended",
                file.display()
            );
            return Err(Failure::refused(why).in_file(&path));
        }
        let bytes = lines.bytes().map_err(|error| unread(&path, &error))?;
        Ok((Notes { path, lines }, names(&bytes)))
    }

    /// Notes that a batch was handled.
    pub(super) fn add(&mut self, line: usize, batch: &Discard) -> Result<(), Failure> {
        self.lines.add(&name(batch)).map_err(|error| {
            let failure = Failure::unwritten(&self.path, &error);
            failure.with_message(|why| {
                format!(
                    "batch {line} was handled, and will be sent again, as that is not noted: {why}"
                )
            })
        })
    }
}

/// The file of the batches that were handled.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".replayed");
    PathBuf::from(name)
}

fn names(bytes: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

fn unread(file: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot read {}: {error}", file.display())).in_file(file)
}

/// The batch in one line, other than all others.
fn name(batch: &Discard) -> String {
    let Discard {
        id, first, last, ..
    } = batch;
    let ShardKey { stream, shard } = &batch.shard;
    shown(&format!("{stream} {shard} {first} {last} {id}"))
}

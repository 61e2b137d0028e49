//! The state of a verification in a folder, by which it continues after an interruption: how far
//! each segment is, what was found so far, and the files of the records.
//!
//! The file is written anew and renamed, and names the files of records that belong to it, so that
//! an interruption at any time leaves one whole state. Pages that were read since are read again.

use super::finding::{Finding, FindingKind, ModelLine};
use super::record::Relation;
use super::report::{FindingGroup, Report};
use super::sorter::{NamedRun, Sorter};
use keyfold_lower::ClientError;
use keyfold_types::Item;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const FILE: &str = "verification.json";
/// The version of the file's form.
const FORM: u64 = 8;
/// Files of records in the folder begin so.
const RUN: &str = "records-";

/// How far a segment is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cursor {
    /// The position of the table that it reads.
    pub(super) target: usize,
    /// The last key that was read of it; `None` before the first page.
    pub(super) after: Option<Item>,
    /// The items of an entity whose parts may follow.
    pub(super) open: Vec<Item>,
}

/// A verification as it is saved.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Saved {
    pub(super) cursors: Vec<Cursor>,
    pub(super) report: Report,
    /// How many copies and guards wrong items may have, and do not say which ones.
    pub(super) unclaimed: BTreeMap<Relation, u64>,
    /// The length of the observer's output.
    pub(super) position: u64,
    /// The files of records.
    pub(super) runs: Vec<NamedRun>,
}

/// The folder of a state.
pub(super) struct State {
    folder: PathBuf,
    /// What is verified: another model or another table has another state.
    subject: String,
}

impl State {
    /// Opens the folder, and makes it if there is none. Returns the state that an earlier run left.
    ///
    /// # Errors
    /// `Invalid` when the state is of another verification, `Transport` when the folder cannot be used.
    pub(super) fn open(
        folder: &Path,
        subject: String,
    ) -> Result<(State, Option<Saved>), ClientError> {
        let state = State {
            folder: folder.to_owned(),
            subject,
        };
        std::fs::create_dir_all(folder).map_err(|error| state.failed(&error))?;
        let text = match std::fs::read(folder.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((state, None)),
            Err(error) => return Err(state.failed(&error)),
        };
        let whole = serde_json::from_slice(&text).ok();
        let Some(json) = whole.filter(|json: &Json| json["form"] == FORM) else {
            return Err(state.unusable("holds no state of this version of `keyfold verify`"));
        };
        if json["subject"].as_str() != Some(&state.subject) {
            return Err(state.unusable(
                "holds the state of another verification: the model, the tables, the endpoint, the segments or the file of findings differ",
            ));
        }
        let saved = saved(&json);
        let saved = saved.ok_or_else(|| state.unusable("holds a damaged state"))?;
        Ok((state, Some(saved)))
    }

    /// The records of a state, in the files of the folder.
    ///
    /// # Errors
    /// `Invalid` when a file is not as it was written.
    pub(super) fn records(&self, runs: &[NamedRun]) -> Result<Sorter, ClientError> {
        Sorter::in_folder((&self.folder, RUN), runs)?.map_err(|name| {
            self.unusable(&format!(
                "is damaged: its file {name} is not as it was written"
            ))
        })
    }

    /// Saves a state, and removes the files of records that do not belong to it.
    ///
    /// # Errors
    /// `Transport` when the folder cannot be written.
    pub(super) fn save(&self, saved: &Saved) -> Result<(), ClientError> {
        let text = json!({
            "form": FORM,
            "subject": self.subject,
            "cursors": saved.cursors.iter().map(of_cursor).collect::<Vec<_>>(),
            "report": of_report(&saved.report),
            "unclaimed": saved.unclaimed.iter().collect::<Vec<_>>(),
            "position": saved.position,
            "runs": saved.runs.iter().map(of_run).collect::<Vec<_>>(),
        });
        let written = self.folder.join("verification.new");
        let write = || {
            let mut file = File::create(&written)?;
            file.write_all(text.to_string().as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&written, self.folder.join(FILE))?;
            self.sync_names()?;
            self.remove_runs(&saved.runs)
        };
        write().map_err(|error| self.failed(&error))
    }

    /// Removes the state: the verification has ended.
    ///
    /// # Errors
    /// `Transport` when the folder cannot be written.
    pub(super) fn remove(&self) -> Result<(), ClientError> {
        let remove = || {
            match std::fs::remove_file(self.folder.join(FILE)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
            self.remove_runs(&[])
        };
        remove().map_err(|error| self.failed(&error))?;
        // It may hold files of others.
        drop(std::fs::remove_dir(&self.folder));
        Ok(())
    }

    /// Returns when the names in the folder survive a crash of the machine: what the state before
    /// this one needs is removed only then. Windows syncs names by itself.
    fn sync_names(&self) -> std::io::Result<()> {
        if cfg!(unix) {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }

    fn remove_runs(&self, kept: &[NamedRun]) -> std::io::Result<()> {
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(RUN) && !kept.iter().any(|one| one.name == *name) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn failed(&self, error: &std::io::Error) -> ClientError {
        ClientError::Transport(self.sentence(&format!("cannot be used: {error}")))
    }

    fn unusable(&self, why: &str) -> ClientError {
        ClientError::Invalid(self.sentence(why))
    }

    fn sentence(&self, why: &str) -> String {
        format!(
            "the folder {} of the verification's state {why}; name another folder, or remove it to begin anew",
            self.folder.display()
        )
    }
}

fn of_item(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    String::from_utf8_lossy(&out).into()
}

fn item(json: &Json) -> Option<Item> {
    keyfold_wire::client::decode_item(json.as_str()?.as_bytes()).ok()
}

fn of_cursor(cursor: &Cursor) -> Json {
    let Cursor {
        target,
        after,
        open,
    } = cursor;
    json!({
        "target": target,
        "after": after.as_ref().map(of_item),
        "open": open.iter().map(of_item).collect::<Vec<_>>(),
    })
}

fn cursor(json: &Json) -> Option<Cursor> {
    Some(Cursor {
        target: usize::try_from(json["target"].as_u64()?).ok()?,
        after: optional(&json["after"], item)?,
        open: all(&json["open"], item)?,
    })
}

fn of_report(report: &Report) -> Json {
    let Report {
        items,
        kinds,
        groups,
        // A state is saved during the first scan only, and not of a sample.
        scans: _,
        halves,
        undecided,
        undecided_rows: _,
        sample: _,
    } = report;
    json!({
        "items": items,
        "kinds": kinds,
        "halves": halves,
        "undecided": undecided,
        "groups": groups.iter().map(|group| json!({
            "count": group.count,
            "examples": group.examples.iter().map(of_finding).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn report(json: &Json) -> Option<Report> {
    let kinds = json["kinds"].as_object()?;
    let kinds = kinds
        .iter()
        .map(|(name, count)| Some((name.clone(), count.as_u64()?)));
    Some(Report {
        items: json["items"].as_u64()?,
        kinds: kinds.collect::<Option<_>>()?,
        halves: json["halves"].as_u64()?,
        undecided: json["undecided"].as_u64()?,
        groups: all(&json["groups"], |group| {
            let examples = all(&group["examples"], finding)?;
            let first = examples.first()?;
            Some(FindingGroup {
                kind: first.kind,
                item: first.item.clone(),
                line: first.line.clone(),
                count: group["count"].as_u64()?,
                examples,
            })
        })?,
        ..Report::default()
    })
}

fn of_finding(finding: &Finding) -> Json {
    let Finding {
        kind,
        table,
        key,
        item,
        owner,
        line,
        message,
    } = finding;
    json!({
        "kind": kind.word(),
        "table": table,
        "key": of_item(key),
        "item": item,
        "owner": owner.as_ref().map(of_item),
        "line": line.as_ref().map(ModelLine::parts),
        "message": message,
    })
}

fn finding(json: &Json) -> Option<Finding> {
    let text = |name: &str| json[name].as_str().map(str::to_owned);
    Some(Finding {
        kind: FindingKind::of_word(json["kind"].as_str()?)?,
        table: text("table")?,
        key: item(&json["key"])?,
        item: text("item"),
        owner: optional(&json["owner"], item)?,
        line: optional(&json["line"], |parts| {
            let parts = serde_json::from_value(parts.clone()).ok()?;
            Some(ModelLine::of_parts(parts))
        })?,
        message: text("message")?,
    })
}

fn saved(json: &Json) -> Option<Saved> {
    Some(Saved {
        cursors: all(&json["cursors"], cursor)?,
        report: report(&json["report"])?,
        unclaimed: all(&json["unclaimed"], |one| {
            serde_json::from_value(one.clone()).ok()
        })?
        .into_iter()
        .collect(),
        position: json["position"].as_u64()?,
        runs: all(&json["runs"], run)?,
    })
}

fn of_run(run: &NamedRun) -> Json {
    let NamedRun {
        name,
        bytes,
        digest,
    } = run;
    json!({ "name": name, "bytes": bytes, "digest": digest })
}

fn run(json: &Json) -> Option<NamedRun> {
    Some(NamedRun {
        name: json["name"].as_str()?.to_owned(),
        bytes: json["bytes"].as_u64()?,
        digest: json["digest"].as_u64()?,
    })
}

/// A member that may be null; `None` when it is not whole.
fn optional<T>(json: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<Option<T>> {
    if json.is_null() {
        return Some(None);
    }
    read(json).map(Some)
}

/// The elements of a list; `None` when it is no list, or one of them is not whole.
fn all<T>(json: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
    json.as_array()?.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::super::record::{Record, RecordKind};
    use super::*;

    fn record(group: u128) -> Record {
        Record {
            group,
            kind: RecordKind::Stored,
            entity: 0,
            slot: 0,
            digest: 1,
            table: "Tab".to_owned(),
            key: Vec::new(),
            more: Vec::new(),
        }
    }

    #[test]
    fn a_saved_state_comes_back_whole_for_its_own_verification_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("state");
        let mut key = Item::new();
        key.insert("PK", "a\u{0}\"b");
        let (state, none) = State::open(&folder, "one".to_owned()).unwrap();
        assert_eq!(none, None);
        let mut report = Report {
            items: 7,
            halves: 9,
            undecided: 2,
            ..Report::default()
        };
        report.kinds.insert("User".to_owned(), 7);
        for line in [None, Some(ModelLine::of_parts((3, 9, None)))] {
            report.add(Finding {
                kind: FindingKind::CopyStale,
                table: "Tab".to_owned(),
                key: key.clone(),
                item: line.as_ref().map(|_| "User".to_owned()),
                owner: Some(key.clone()),
                line,
                message: "wrong".to_owned(),
            });
        }
        let cursor = Cursor {
            target: 1,
            after: Some(key.clone()),
            open: vec![key],
        };
        let saved = Saved {
            cursors: vec![Cursor::default(), cursor],
            report,
            unclaimed: [((1, 2), 3)].into(),
            position: 4,
            runs: vec![NamedRun {
                name: "records-1".to_owned(),
                bytes: 0,
                digest: u64::MAX,
            }],
        };
        for name in ["records-1", "records-2", "other"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        state.save(&saved).unwrap();
        assert!(folder.join("records-1").exists() && !folder.join("records-2").exists());
        let (_, again) = State::open(&folder, "one".to_owned()).unwrap();
        assert_eq!(again, Some(saved));
        assert!(State::open(&folder, "two".to_owned()).is_err());
        state.remove().unwrap();
        assert!(folder.join("other").exists() && !folder.join("records-1").exists());
        assert_eq!(State::open(&folder, "two".to_owned()).unwrap().1, None);
    }

    #[test]
    fn a_file_of_records_that_was_changed_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let (state, _) = State::open(place.path(), "one".to_owned()).unwrap();
        let mut sorter = state.records(&[]).unwrap();
        for group in 1..=3 {
            sorter.push(&record(group)).unwrap();
        }
        let runs = sorter.saved().unwrap();
        let [run] = runs.as_slice() else {
            panic!("{runs:?}")
        };
        let path = place.path().join(&run.name);
        let whole = std::fs::read(&path).unwrap();
        assert!(state.records(&runs).is_ok());
        // Whole records remain.
        let cut = whole.len() / 3;
        let mut flipped = whole.clone();
        flipped[cut + 9] ^= 1;
        for other in [&whole[..2 * cut], &whole[..cut], &[], &flipped] {
            std::fs::write(&path, other).unwrap();
            let error = state.records(&runs).err().expect("it is refused");
            let text = error.to_string();
            assert!(text.contains("is not as it was written"), "{text}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(state.records(&runs).is_err());
        std::fs::write(&path, &whole).unwrap();
        assert!(state.records(&runs).is_ok());
    }

    /// `/dev/null` takes what is written, and refuses to sync it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_state_is_saved_only_when_it_is_on_the_disk() {
        let place = tempfile::tempdir().unwrap();
        let (state, _) = State::open(place.path(), "one".to_owned()).unwrap();
        state.save(&Saved::default()).unwrap();
        let before = std::fs::read(place.path().join(FILE)).unwrap();
        let null = |name| std::os::unix::fs::symlink("/dev/null", place.path().join(name));
        null("verification.new").unwrap();
        let later = Saved {
            position: 7,
            ..Saved::default()
        };
        assert!(state.save(&later).is_err());
        assert_eq!(std::fs::read(place.path().join(FILE)).unwrap(), before);
        null("records-1").unwrap();
        let mut sorter = state.records(&[]).unwrap();
        sorter.push(&record(1)).unwrap();
        assert!(sorter.saved().is_err());
    }
}

//! An export that is read: its manifests, proved by their checksums, and the data files that they list.
//!
//! Here an export is the folder `AWSDynamoDB/<id>`, wherever it was copied to: of the keys in its manifests
//! only the names of the data files are used. Nothing is read but regular files of that folder.
//!
//! The items are in `exported_items`.

pub use crate::bucket::sync_folder;
use crate::bucket::{TransferError, open_file};
use crate::export::Format;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The folder of all exports of a bucket and prefix.
pub const BASE: &str = "AWSDynamoDB";
const SUMMARY: &str = "manifest-summary";
const FILES: &str = "manifest-files";
/// The folder of data files, also of incremental exports, which share one.
const DATA: &str = "data";

/// The most bytes of a summary and of a checksum, and of a list of data files.
const SUMMARY_BYTES_MAX: u64 = 1024 * 1024;
const FILES_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// A full export of a table.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Its folder.
    pub root: PathBuf,
    /// The table's ARN.
    pub table_arn: String,
    /// What distinguishes it from other exports: its ARN, and the checksum of the list of its data files.
    pub identity: String,
    /// The number of its items.
    pub items: u64,
    /// Their size in bytes, as the export says it.
    pub bytes: u64,
    /// The format of the items.
    pub format: Format,
    /// Its data files, in the order of the manifest.
    pub files: Vec<ExportedFile>,
}

/// A data file, as the manifest has it.
#[derive(Debug, Clone)]
pub struct ExportedFile {
    /// The file.
    pub path: PathBuf,
    /// The number of its items.
    pub items: u64,
    /// The MD5 digest of its compressed bytes, as Base64.
    pub digest: String,
    /// Where the manifest says so: its path and line.
    pub said: String,
}

/// The exports of a folder.
#[derive(Debug, Default)]
pub struct Exports {
    /// The full exports, of one table each.
    pub full: Vec<Exported>,
    /// The incremental exports, each with the table that it is of.
    pub changes: Vec<(String, PathBuf)>,
    /// What is in the folder and is not read, each as a sentence.
    pub notes: Vec<String>,
}

pub(crate) fn wrong(why: String) -> TransferError {
    TransferError::Export(why)
}

impl Exported {
    /// The name of the table.
    pub fn table(&self) -> &str {
        table_of(&self.table_arn)
    }
}

fn table_of(arn: &str) -> &str {
    arn.rsplit_once(":table/").map_or("", |(_, name)| name)
}

/// Reads a file, and no link, of at most so many bytes.
///
/// # Errors
/// `File` when it cannot be read, `Export` when it has more bytes.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, TransferError> {
    let mut bytes = Vec::new();
    let read = open_file(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(TransferError::file(path))?;
    match bytes.len() as u64 > most {
        true => Err(wrong(format!(
            "{} has more than {most} bytes, which no file of its name has",
            path.display()
        ))),
        false => Ok(bytes),
    }
}

/// Whether a folder is that of an export, also of one that has not ended.
pub fn is_export(folder: &Path) -> bool {
    ["_started", "manifest-summary.json", "manifest-files.json"]
        .iter()
        .any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// Whether the export of a folder has ended: it has the summary, which is written last.
pub fn has_ended(root: &Path) -> bool {
    let summary = root.join(format!("{SUMMARY}.json"));
    summary.symlink_metadata().is_ok()
}

/// Finds the full exports of a folder, which is that of one, or has `AWSDynamoDB` in it: of those tables that are
/// named, or all. Exports of other tables are not judged.
///
/// # Errors
/// `Export` when there is none, when there are two of a table, and when a manifest is wrong; `File` when a
/// file cannot be read.
pub fn find(folder: &Path, named: &[String]) -> Result<Exports, TransferError> {
    let mut exports = read_all(folder, named)?;
    for (table, root) in &exports.changes {
        let mut full = exports.full.iter();
        if let Some(full) = full.find(|one| one.table() == table) {
            return Err(wrong(format!(
                "{} has changes of the table {table} since a full export (it is an incremental export), and they are \
                 not applied: {} names the full export alone, as it is without them",
                root.display(),
                full.root.display()
            )));
        }
    }
    let changes = exports.changes.iter();
    let notes = changes.map(|(_, root)| {
        format!(
            "{} is an incremental export, which is not applied",
            root.display()
        )
    });
    exports.notes.extend(notes.collect::<Vec<_>>());
    let about = || match exports.notes.is_empty() {
        true => String::new(),
        false => format!(": {}", exports.notes.join("; ")),
    };
    if exports.full.is_empty() && named.is_empty() {
        let what = match exports.notes.is_empty() {
            true => "no export of a table",
            false => "no full export of a table",
        };
        return Err(wrong(format!("{} has {what}{}", folder.display(), about())));
    }
    let is_there = |name: &&String| exports.full.iter().any(|one| one.table() == *name);
    if let Some(name) = named.iter().find(|name| !is_there(name)) {
        return Err(wrong(format!(
            "{} has no full export of the table {name}{}",
            folder.display(),
            about()
        )));
    }
    for (at, one) in exports.full.iter().enumerate() {
        let mut others = exports.full.iter().skip(at + 1);
        if let Some(other) = others.find(|other| other.table() == one.table()) {
            return Err(wrong(format!(
                "{} and {} are both exports of the table {}: name one of them",
                one.root.display(),
                other.root.display(),
                one.table()
            )));
        }
    }
    Ok(exports)
}

/// Reads the exports of a folder, also when two are of a table.
///
/// # Errors
/// `Export` when the folder is none of exports, and when a manifest is wrong; `File` when a file cannot be read.
pub fn read_all(folder: &Path, named: &[String]) -> Result<Exports, TransferError> {
    let roots = if is_export(folder) {
        vec![folder.to_owned()]
    } else {
        folders(&base_of(folder)?)?
    };
    let mut exports = Exports::default();
    for root in roots {
        if !is_export(&root) {
            continue;
        }
        match read(&root, named)? {
            Kind::Full(export) => exports.full.push(*export),
            Kind::Other(note) => exports.notes.push(note),
            Kind::Changes(table, root) => exports.changes.push((table, root)),
            Kind::Unwanted => {}
        }
    }
    Ok(exports)
}

fn base_of(folder: &Path) -> Result<PathBuf, TransferError> {
    let below = folder.join(BASE);
    if below.is_dir() {
        return Ok(below);
    }
    if folder.is_dir() && folder.file_name().is_some_and(|name| name == BASE) {
        return Ok(folder.to_owned());
    }
    Err(wrong(format!(
        "{} is no export: it has neither a folder {BASE} nor a {SUMMARY}.json; name the folder that a bucket \
         and its prefix were copied to",
        folder.display()
    )))
}

/// The folders in a folder, but for that of the data files of incremental exports.
fn folders(base: &Path) -> Result<Vec<PathBuf>, TransferError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(base).map_err(TransferError::file(base))? {
        let entry = entry.map_err(TransferError::file(base))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(TransferError::file(&path))?;
        if kind.is_dir() && entry.file_name() != DATA {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

enum Kind {
    Full(Box<Exported>),
    /// It is none that can be read, as a sentence.
    Other(String),
    /// It is an incremental export of this table.
    Changes(String, PathBuf),
    /// It is of a table that is not named.
    Unwanted,
}

/// A manifest that was read.
struct Manifest {
    path: PathBuf,
    text: String,
    digest: String,
}

impl Manifest {
    /// Reads a manifest, and proves it by its checksum.
    fn read(root: &Path, name: &str, most: u64) -> Result<Manifest, TransferError> {
        let path = root.join(format!("{name}.json"));
        let bytes = read_file(&path, most)?;
        let digest = STANDARD.encode(Md5::digest(&bytes));
        // Older exports of the service have the second ending.
        let both = ["checksum", "md5"].map(|ending| root.join(format!("{name}.{ending}")));
        let Some(beside) = both.iter().find(|path| path.symlink_metadata().is_ok()) else {
            return Err(wrong(format!(
                "{} has no {name}.checksum beside it: copy the whole export",
                path.display()
            )));
        };
        let said = read_file(beside, SUMMARY_BYTES_MAX)?;
        let said = String::from_utf8_lossy(&said);
        if said.trim() != digest {
            return Err(wrong(format!(
                "{} is not as it was written: its MD5 checksum is {digest}, and {} says {}",
                path.display(),
                beside.display(),
                said.trim().escape_debug()
            )));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| wrong(format!("{} is no text", path.display())))?;
        Ok(Manifest { path, text, digest })
    }

    fn lacks(&self, line: usize, what: &str) -> TransferError {
        wrong(format!(
            "{}, line {line}: it has no {what}",
            self.path.display()
        ))
    }

    fn json(&self, line: usize, text: &str) -> Result<Json, TransferError> {
        serde_json::from_str(text)
            .map_err(|error| wrong(format!("{}, line {line}: {error}", self.path.display())))
    }
}

fn text_of<'j>(json: &'j Json, name: &str) -> Option<&'j str> {
    json.get(name).and_then(Json::as_str)
}

fn count_of(json: &Json, name: &str) -> Option<u64> {
    json.get(name).and_then(Json::as_u64)
}

/// Reads the manifests of an export, of which no more than the summary is read when its table is not named.
fn read(root: &Path, named: &[String]) -> Result<Kind, TransferError> {
    if !has_ended(root) {
        return Ok(Kind::Other(format!(
            "{} has no {SUMMARY}.json, which is written last: that export has not ended, or was not copied whole",
            root.display()
        )));
    }
    let summary = Manifest::read(root, SUMMARY, SUMMARY_BYTES_MAX);
    let read = summary.and_then(|summary| Ok((summary.json(1, &summary.text)?, summary)));
    let (json, summary) = match read {
        Ok(read) => read,
        // It may be that of another table.
        Err(error) if !named.is_empty() => return Ok(Kind::Other(error.to_string())),
        Err(error) => return Err(error),
    };
    let table = table_of(text_of(&json, "tableArn").unwrap_or_default());
    if !named.is_empty() && !named.iter().any(|name| name == table) {
        return Ok(Kind::Unwanted);
    }
    if text_of(&json, "exportType").is_some_and(|kind| kind != "FULL_EXPORT") {
        return Ok(Kind::Changes(table.to_owned(), root.to_owned()));
    }
    let text = |name: &str| text_of(&json, name).ok_or_else(|| summary.lacks(1, name));
    let count = |name: &str| count_of(&json, name).ok_or_else(|| summary.lacks(1, name));
    let format = match text("outputFormat")? {
        "DYNAMODB_JSON" => Format::DynamoDbJson,
        "ION" => Format::Ion,
        other => {
            return Err(wrong(format!(
                "{}: `{}` is no format of an export, DYNAMODB_JSON and ION are",
                summary.path.display(),
                other.escape_debug()
            )));
        }
    };
    let table_arn = text("tableArn")?.to_owned();
    let name = table_of(&table_arn);
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || "_.-".contains(sign);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(summary.lacks(1, "ARN of a table as tableArn"));
    }
    let files = Manifest::read(root, FILES, FILES_BYTES_MAX)?;
    let export = Exported {
        root: root.to_owned(),
        identity: format!("{} {}", text("exportArn")?, files.digest),
        items: count("itemCount")?,
        bytes: count_of(&json, "billedSizeBytes").unwrap_or(0),
        format,
        files: listed(root, &files)?,
        table_arn,
    };
    let mut counts = export.files.iter().map(|file| file.items);
    let all = counts.try_fold(0_u64, u64::checked_add).unwrap_or(u64::MAX);
    if all != export.items {
        return Err(wrong(format!(
            "{} says that the export has {} items, and the files of {} have {all}",
            summary.path.display(),
            export.items,
            files.path.display()
        )));
    }
    check_strays(&export)?;
    Ok(Kind::Full(Box::new(export)))
}

/// The data files of a manifest.
fn listed(root: &Path, manifest: &Manifest) -> Result<Vec<ExportedFile>, TransferError> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, text) in manifest.text.lines().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let line = at + 1;
        let json = manifest.json(line, text)?;
        let text = |name: &str| text_of(&json, name).ok_or_else(|| manifest.lacks(line, name));
        let key = text("dataFileS3Key")?;
        let mut parts = key.rsplit('/');
        let name = parts.next().unwrap_or_default();
        let is_name = !name.is_empty() && ![".", ".."].contains(&name);
        if parts.next() != Some(DATA) || !is_name || name.contains(['\\', '\0', ':']) {
            return Err(wrong(format!(
                "{}, line {line}: `{}` is no key of a data file",
                manifest.path.display(),
                key.escape_debug()
            )));
        }
        let path = root.join(DATA).join(name);
        if !seen.insert(path.clone()) {
            return Err(wrong(format!(
                "{}, line {line}: the file {name} is in a line before",
                manifest.path.display()
            )));
        }
        if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
            return Err(wrong(format!(
                "{} is not there, or is no file: {}, line {line} lists it",
                path.display(),
                manifest.path.display()
            )));
        }
        let items =
            count_of(&json, "itemCount").ok_or_else(|| manifest.lacks(line, "itemCount"))?;
        files.push(ExportedFile {
            path,
            items,
            digest: text("md5Checksum")?.to_owned(),
            said: format!("{}, line {line}", manifest.path.display()),
        });
    }
    Ok(files)
}

/// Refuses data files that the manifest does not list.
fn check_strays(export: &Exported) -> Result<(), TransferError> {
    let data = export.root.join(DATA);
    let Ok(about) = data.symlink_metadata() else {
        return Ok(());
    };
    if !about.is_dir() {
        return Err(wrong(format!("{} is no folder", data.display())));
    }
    for entry in std::fs::read_dir(&data).map_err(TransferError::file(&data))? {
        let path = entry.map_err(TransferError::file(&data))?.path();
        let is_data = path.extension().is_some_and(|ending| ending == "gz");
        if is_data && !export.files.iter().any(|file| file.path == path) {
            return Err(wrong(format!(
                "{} is in no line of {FILES}.json: it is none of this export",
                path.display()
            )));
        }
    }
    Ok(())
}

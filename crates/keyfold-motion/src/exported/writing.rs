//! Writes tables of the source as exports: stopped copies, each written whole or begun anew.
//!
//! Nothing reads an export before its summary is there, which is written last, when all other files are on the
//! disk. A run that goes on keeps the exports that are whole, and writes the others anew.

use super::unfinished::{Lock, Noted, Unfinished, base_of, failed};
use super::{definition, refused};
use crate::pace::Pace;
use crate::patience::Patience;
use crate::progress::Progress;
use crate::rows::Counts;
use crate::run::Ended;
use crate::tables::Found;
use crate::world::{At, Place, World};
use keyfold_api::{PageOutput, ScanInput};
use keyfold_client::ClientError;
use keyfold_lower::capacity;
use keyfold_stream::world::ask;
use keyfold_transfer::exported::{BASE, has_ended, is_export, read_all, sync_folder};
use keyfold_transfer::{Bucket, ExportWriter, Extent, Format, Manifest};
use keyfold_types::Item;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The beginning of the ARN of a table whose endpoint says none.
const NOWHERE: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/";
/// The file by which a data folder of Keyfold is known.
const STORE: &str = "keyfold";

/// Exports that are written by this process.
#[derive(Debug)]
pub struct Writing {
    /// The folder that has the folder of all exports in it.
    folder: PathBuf,
    noted: Unfinished,
    _lock: Lock,
}

/// Looks whether a folder may get exports of these tables, and whether it has some of them already. Returns the
/// exports that were begun there before, of the same tables.
///
/// # Errors
/// `Refused`, with what helps.
pub fn may_export(folder: &Path, tables: &[Found]) -> Result<Option<Unfinished>, ClientError> {
    let no = |why: String| Err(ClientError::refused(format!("{} {why}", folder.display())));
    if let Some(found) = tables.iter().find(|one| !is_name(&one.table)) {
        return Err(ClientError::refused(format!(
            "the table {} cannot be exported: a name of a table has letters, digits, `_`, `.` and `-`",
            found.table
        )));
    }
    if is_export(folder) {
        return no(
            "is an export itself: name the folder that is to have `AWSDynamoDB` in it".to_owned(),
        );
    }
    if folder.join(STORE).is_file() {
        return no(format!(
            "is a data folder of Keyfold: `keyfold:{}` moves tables there, and an export needs a folder of its own",
            folder.display()
        ));
    }
    let base = base_of(folder);
    if !base.is_dir() {
        let mut entries = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            entries => entries.map_err(failed(folder))?,
        };
        return match entries.next() {
            None => Ok(None),
            Some(_) => no(format!(
                "is not empty, and has no folder {BASE}: name an empty folder, or one that is not there"
            )),
        };
    }
    let begun = Unfinished::of(folder)?;
    if let Some(begun) = &begun {
        check_same(folder, begun, tables)?;
    }
    let names: Vec<String> = tables.iter().map(|one| one.table.clone()).collect();
    let there = read_all(folder, &names).map_err(refused)?;
    let is_own = |root: &Path| {
        let noted = begun
            .iter()
            .flat_map(|begun| begun.tables().iter().map(|one| begun.root(one)));
        noted.into_iter().any(|own| own == root)
    };
    match there.full.iter().find(|one| !is_own(&one.root)) {
        Some(one) => Err(ClientError::refused(format!(
            "{} is an export of the table {} already: name another folder, or remove that one",
            one.root.display(),
            one.table()
        ))),
        None => Ok(begun),
    }
}

fn is_name(table: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "_.-".contains(sign);
    !table.is_empty() && table.chars().all(is_part)
}

/// Refuses to go on with exports that another command has begun.
fn check_same(folder: &Path, begun: &Unfinished, tables: &[Found]) -> Result<(), ClientError> {
    let is_same = |noted: &Noted| {
        let mut same = tables.iter().filter(|one| one.table == noted.table);
        same.any(|one| one.identity() == noted.identity)
    };
    match begun.tables().len() == tables.len() && begun.tables().iter().all(is_same) {
        true => Ok(()),
        false => Err(ClientError::refused(format!(
            "{} has exports that are not all written, of other tables or of another source: {}. `keyfold move` of those \
             goes on with them, and `keyfold move abort FROM export:{}` removes them",
            folder.display(),
            begun.names(),
            folder.display()
        ))),
    }
}

impl Writing {
    /// Begins exports of tables, or goes on with those that the same command has begun. Nothing writes to the source
    /// meanwhile. `source` is what its place is known by.
    ///
    /// # Errors
    /// As [`may_export`]; `Refused` when a file cannot be written, or when another process is writing exports there.
    pub fn begin(
        world: &dyn World,
        (source, folder): (&str, &Path),
        tables: &[Found],
    ) -> Result<Writing, ClientError> {
        may_export(folder, tables)?;
        let base = base_of(folder);
        std::fs::create_dir_all(&base).map_err(failed(&base))?;
        let lock = Lock::take(&base)?;
        // Another process may have begun or ended some since.
        let noted = match may_export(folder, tables)? {
            Some(noted) => noted,
            None => {
                let noted = Unfinished::new(base, source, ids(world, tables));
                noted.write()?;
                noted
            }
        };
        let folder = noted.root_folder().to_owned();
        sync_folder(&folder).map_err(refused)?;
        // Those above it may be new, too, or be of somebody else who lets nobody open them.
        for above in folder
            .canonicalize()
            .iter()
            .flat_map(|real| real.ancestors().skip(1))
        {
            drop(sync_folder(above));
        }
        Ok(Writing {
            folder,
            noted,
            _lock: lock,
        })
    }

    /// The folder of the export of a table.
    pub fn root(&self, table: &str) -> Option<PathBuf> {
        self.noted(table).map(|noted| self.noted.root(noted))
    }

    fn noted(&self, table: &str) -> Option<&Noted> {
        self.noted.tables().iter().find(|one| one.table == table)
    }

    /// Whether the export of a table is whole.
    pub fn is_whole(&self, table: &str) -> bool {
        self.root(table).is_some_and(|root| has_ended(&root))
    }

    /// Ends the exports when all are whole. Returns whether they are.
    ///
    /// # Errors
    /// `Refused` when the note of them cannot be removed.
    pub fn end(&self) -> Result<bool, ClientError> {
        let is_whole = self.noted.states().iter().all(|(_, is_whole)| *is_whole);
        if is_whole {
            self.noted.end()?;
        }
        Ok(is_whole)
    }

    /// Writes the export of a table, unless an earlier run has written it whole.
    ///
    /// # Errors
    /// The backend's; `Refused` when a file cannot be written, with what helps.
    pub async fn export(
        &self,
        world: &dyn World,
        (found, rate): (&Found, Option<u32>),
        progress: &Progress,
    ) -> Result<Ended, ClientError> {
        let Some(noted) = self.noted(&found.table) else {
            let why = format!("the table {} is none of these exports", found.table);
            return Err(ClientError::refused(why));
        };
        let root = self.noted.root(noted);
        if has_ended(&root) {
            let there = read_all(&root, &[]).map_err(refused)?;
            let items = there.full.iter().map(|one| one.items).sum();
            let bytes = there.full.iter().map(|one| one.bytes).sum();
            let earlier = Counts {
                read: items,
                written: items,
                bytes,
                ..Counts::default()
            };
            progress.begun(1, earlier);
        } else {
            self.noted.remove(noted)?;
            progress.begun(1, Counts::default());
            if !self
                .written(world, (found, rate), &noted.id, progress)
                .await?
            {
                return Ok(Ended::Stopped);
            }
        }
        progress.segment_done();
        progress.set_even(Some(world.now()));
        Ok(Ended::Even)
    }

    /// Writes the export of a table. Returns whether it is whole: it was not stopped.
    async fn written(
        &self,
        world: &dyn World,
        (found, rate): (&Found, Option<u32>),
        id: &str,
        progress: &Progress,
    ) -> Result<bool, ClientError> {
        let start_ms = u64::try_from(world.epoch_ms()).unwrap_or(0);
        let extent = Extent::Full {
            at_epoch_ms: start_ms,
        };
        let bucket = Bucket::at(&self.folder).map_err(unwritten)?;
        let writer = ExportWriter::begin(bucket, None, id, Format::DynamoDbJson, extent);
        let mut writer = writer.map_err(unwritten)?;
        let pace = Pace::new(rate);
        let mut after = None;
        loop {
            let Some(page) = page(world, found, (after, &pace), progress).await? else {
                return Ok(false);
            };
            let items = page.items.unwrap_or_default();
            let mut bytes = 0;
            for item in &items {
                bytes += item.size_bytes();
                writer.item(item).map_err(unwritten)?;
            }
            progress.copied((items.len(), 0), bytes);
            after = page.last_evaluated_key;
            if after.is_none() {
                break;
            }
        }
        let definition = definition::written(found)?;
        let beside = writer.beside(definition::FILE, definition.as_bytes());
        beside.map_err(unwritten)?;
        let about = about(&self.folder, found, (id, start_ms));
        let end_ms = u64::try_from(world.epoch_ms()).unwrap_or(0);
        writer.finish(&about, end_ms).map_err(unwritten)?;
        Ok(true)
    }
}

/// An id for the export of each table.
fn ids(world: &dyn World, tables: &[Found]) -> Vec<Noted> {
    let now_ms = world.epoch_ms();
    let noted = tables.iter().map(|found| Noted {
        table: found.table.clone(),
        identity: found.identity(),
        id: format!("{now_ms:014}-{:08x}", world.random() >> 32),
    });
    noted.collect()
}

/// What helps where a file cannot be written.
fn unwritten(error: keyfold_transfer::TransferError) -> ClientError {
    ClientError::refused(format!(
        "{error}: the export is not whole, and nothing reads it; the same command writes it anew"
    ))
}

/// The members of the summary of a table.
fn about(folder: &Path, found: &Found, (id, start_epoch_ms): (&str, u64)) -> Manifest {
    let description = &found.description;
    let is_its = |arn: &String| {
        let name = arn.rsplit_once(":table/").map(|(_, name)| name);
        name == Some(found.table.as_str())
    };
    let arn = description.table_arn.clone().filter(is_its);
    let table_arn = arn.unwrap_or_else(|| format!("{NOWHERE}{}", found.table));
    let name = folder.file_name().unwrap_or_default();
    Manifest {
        export_arn: format!("{table_arn}/export/{id}"),
        table_id: description.table_id.clone().unwrap_or_default(),
        table_arn,
        bucket: name.to_string_lossy().into_owned(),
        prefix: None,
        start_epoch_ms,
    }
}

/// A page of the table; waits out what passes. `None` when the run is to stop.
async fn page(
    world: &dyn World,
    found: &Found,
    (after, pace): (Option<Item>, &Pace),
    progress: &Progress,
) -> Result<Option<PageOutput>, ClientError> {
    let source = At {
        world,
        place: Place::Source,
    };
    let input = ScanInput {
        table_name: Some(found.table.clone()),
        consistent_read: Some(true),
        exclusive_start_key: after.map(Ok),
        returns: capacity::requested(),
        ..ScanInput::default()
    };
    let mut patience = Patience::new();
    loop {
        if progress.is_stopping() {
            return Ok(None);
        }
        let error = match ask(&source, input.clone()).await {
            Ok(mut page) => {
                let halves = capacity::total(page.consumed_capacity.take());
                let time = pace.after(world.now(), halves);
                if !time.is_zero() {
                    world.pause(time).await;
                }
                return Ok(Some(page));
            }
            Err(error) => error,
        };
        let Some(pause) = patience.after(&error, world.random()) else {
            return Err(error);
        };
        progress.troubled(Place::Source, &error);
        world.pause(pause).await;
    }
}

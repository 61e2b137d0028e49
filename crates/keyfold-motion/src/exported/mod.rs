//! An export in S3's layout as a place of a move: a stopped copy of tables, which answers the requests that a move
//! sends to its source, and a comparison to both places.
//!
//! A scan reads the data files, of which each segment has some. It goes on behind any key: by the open file of the
//! page before, or by reading the segment's files again up to that key. What a page has was proved before
//! ([`Exports::prove`]), and is proved again at the end of each file.
//!
//! - `definition`: the table's definition, which the export does not have; `scan`: pages and items;
//!   `proof`: whether all of it is as it was written, with each key once.
//! - `writing`: tables of the source become exports; `unfinished`: the note of them until all are whole.

mod definition;
mod proof;
mod scan;
#[cfg(test)]
mod tests;
mod unfinished;
mod writing;

use crate::tables::schema_of;
use definition::Definition;
use keyfold_api::{
    DescribeTimeToLiveOutput, ErrorKind, GetItemOutput, ListTablesOutput, ListTagsOfResourceOutput,
    Named, Request, Response, TableDescription, TimeToLiveDescription, TimeToLiveStatus,
};
use keyfold_client::ClientError;
use keyfold_transfer::TransferError;
use keyfold_transfer::exported::{Exported, find, is_export};
use keyfold_types::{Item, KeySchema};
use scan::Scans;
use std::path::Path;

pub use definition::FILE as DEFINITION;
pub use unfinished::Unfinished;
pub use writing::{Writing, may_export};

/// The tables of a folder of exports.
pub struct Exports {
    tables: Vec<Stored>,
    /// What is in the folder and is not read, each as a sentence.
    pub notes: Vec<String>,
}

/// A table of an export.
struct Stored {
    exported: Exported,
    definition: Definition,
    schema: KeySchema,
    scans: Scans,
}

/// The error of a file, as a sentence.
pub(crate) fn refused(error: TransferError) -> ClientError {
    ClientError::refused(error.to_string())
}

impl Exports {
    /// Opens a folder of exports, of those tables that are named, or all.
    ///
    /// # Errors
    /// `Refused` when there is no whole export, when one is not as it was written, or when a table has no
    /// definition.
    pub fn open(folder: &Path, named: &[String]) -> Result<Exports, ClientError> {
        if !is_export(folder) {
            Unfinished::check_none(folder, named)?;
        }
        let found = find(folder, named).map_err(refused)?;
        let mut tables = Vec::new();
        for exported in found.full {
            let definition = Definition::of(&exported)?;
            let schema = schema_of(&definition.table).ok_or_else(|| {
                let file = exported.root.join(definition::FILE);
                ClientError::refused(format!(
                    "{} describes no key with the types of its attributes",
                    file.display()
                ))
            })?;
            tables.push(Stored {
                exported,
                definition,
                schema,
                scans: Scans::default(),
            });
        }
        // Their folders have the times at which they were begun, which may be one.
        tables.sort_by(|one, other| one.exported.table().cmp(other.exported.table()));
        Ok(Exports {
            tables,
            notes: found.notes,
        })
    }

    /// Proves that all data files are as they were written, and that each item has a key, which no other has.
    ///
    /// # Errors
    /// `Refused`, with the file and the line.
    pub fn prove(&self) -> Result<(), ClientError> {
        for table in &self.tables {
            proof::prove(table, proof::HELD_MAX)?;
        }
        Ok(())
    }

    /// The names of the tables.
    pub fn names(&self) -> Vec<String> {
        let names = self.tables.iter().map(|one| one.exported.table());
        names.map(str::to_owned).collect()
    }

    /// The items of all tables, as the manifests say.
    pub fn items(&self) -> u64 {
        self.tables.iter().map(|one| one.exported.items).sum()
    }

    /// Notes which items are asked for next: they are read together.
    pub(crate) fn will_get(&self, table: &str, keys: &[Item]) {
        if let Ok(table) = self.table(Some(table)) {
            table.will_get(keys);
        }
    }

    /// Answers a request of a move to its source.
    ///
    /// # Errors
    /// `Service` for a table that it does not have; `Refused` for a request that writes, or that an export has
    /// no answer to, and when a file is not as it was.
    pub(crate) fn call(&self, request: Request) -> Result<Response, ClientError> {
        let operation = request.operation();
        if let Request::ListTables(_) = request {
            return Ok(Response::ListTables(ListTablesOutput {
                table_names: Some(self.names()),
                last_evaluated_table_name: None,
            }));
        }
        if let Request::DescribeTable(input) = &request {
            let table = self.table(input.table_name.as_deref())?;
            return Ok(Response::DescribeTable(table.definition.table.clone()));
        }
        if let Request::DescribeTimeToLive(input) = &request {
            let table = self.table(input.table_name.as_deref())?;
            return Ok(Response::DescribeTimeToLive(table.expiry()));
        }
        if let Request::ListTagsOfResource(input) = &request {
            let arn = input.resource_arn.as_deref();
            let mut tables = self.tables.iter();
            let table = tables.find(|one| Some(one.exported.table_arn.as_str()) == arn);
            return Ok(Response::ListTagsOfResource(ListTagsOfResourceOutput {
                tags: table.map(|one| one.definition.tags.clone()),
                next_token: None,
            }));
        }
        if let Request::Scan(input) = &request {
            let table = self.table(input.table_name.as_deref())?;
            return table.scan(input).map(Response::Scan);
        }
        if let Request::GetItem(input) = &request {
            let table = self.table(input.table_name.as_deref())?;
            let Some(Ok(key)) = &input.key else {
                return Err(ClientError::refused("an item is asked for by its key"));
            };
            return Ok(Response::GetItem(GetItemOutput {
                item: table.get(key)?,
                consumed_capacity: None,
            }));
        }
        // A source without a stream is asked for nothing else, and an export takes nothing.
        Err(ClientError::refused(format!(
            "an export has no {}: it is read only, and has no stream",
            operation.name()
        )))
    }

    fn table(&self, name: Option<&str>) -> Result<&Stored, ClientError> {
        let mut tables = self.tables.iter();
        let found = tables.find(|one| Some(one.exported.table()) == name);
        found.ok_or_else(|| ClientError::Service {
            kind: Some(ErrorKind::ResourceNotFound),
            exception: ErrorKind::ResourceNotFound.exception().to_owned(),
            message: format!("the export has no table {}", name.unwrap_or_default()),
            reasons: Vec::new(),
            found: Vec::new(),
        })
    }
}

impl Stored {
    fn expiry(&self) -> DescribeTimeToLiveOutput {
        let attribute = self.definition.expiry.clone();
        let status = match &attribute {
            Some(_) => TimeToLiveStatus::Enabled,
            None => TimeToLiveStatus::Disabled,
        };
        DescribeTimeToLiveOutput {
            time_to_live_description: Some(TimeToLiveDescription {
                time_to_live_status: Some(Named::Known(status)),
                attribute_name: attribute,
            }),
        }
    }
}

/// What a table is described by, besides its definition: the export that it is of.
fn described(exported: &Exported, definition: TableDescription) -> TableDescription {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    TableDescription {
        table_name: Some(exported.table().to_owned()),
        table_arn: Some(exported.table_arn.clone()),
        table_id: Some(exported.identity.clone()),
        table_status: Some(Named::Known(keyfold_api::TableStatus::Active)),
        item_count: Some(count(exported.items)),
        table_size_bytes: Some(count(exported.bytes)),
        latest_stream_arn: None,
        latest_stream_label: None,
        ..definition
    }
}

//! Exports and imports as they are kept: what was asked for, and how far it came.

use crate::background::Work;
use crate::core::Core;
use crate::layout;
use crate::pending::internal;
use crate::table::Table;
use keyfold_api::{
    ApiError, ExportFormat, ExportStatus, ExportType, ExportViewType, FilterSpecification, ImportStatus,
    InputCompressionType, InputFormat,
};
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use std::sync::Arc;

/// How long a client's token is remembered: eight hours.
const TOKEN_MS: u64 = 8 * 60 * 60 * 1000;
/// How long what has ended is shown: 90 days, as the service does.
const SHOWN_MS: u64 = 90 * 24 * 60 * 60 * 1000;

/// What has been begun for a client, who may ask for the same again.
pub(crate) trait Begun {
    /// The client's token, a print of what was asked for, and when.
    fn request(&self) -> (Option<&str>, u64, u64);
}

impl Begun for Export {
    fn request(&self) -> (Option<&str>, u64, u64) {
        (self.token.as_deref(), self.print, self.begun)
    }
}

impl Begun for Import {
    fn request(&self) -> (Option<&str>, u64, u64) {
        (self.token.as_deref(), self.print, self.begun)
    }
}

/// The token was used for something else.
pub(crate) struct OtherRequest;

/// What was begun with the same token within the time that tokens are remembered.
pub(crate) fn begun_with<'t, T: Begun>(
    token: Option<&str>,
    print: u64,
    now_ms: u64,
    mut known: impl Iterator<Item = &'t Arc<T>>,
) -> Result<Option<&'t Arc<T>>, OtherRequest> {
    let Some(token) = token else { return Ok(None) };
    let found = known.find(|one| {
        let (used, _, begun) = one.request();
        used == Some(token) && now_ms.saturating_sub(begun) < TOKEN_MS
    });
    match found {
        Some(one) if one.request().1 != print => Err(OtherRequest),
        found => Ok(found),
    }
}

/// An export.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Export {
    /// Its place among the records.
    pub(crate) id: TableId,
    /// What ends its ARN.
    pub(crate) label: String,
    pub(crate) table_name: String,
    pub(crate) table_uuid: String,
    pub(crate) status: ExportStatus,
    /// When it began and ended.
    pub(crate) begun: u64,
    pub(crate) ended: Option<u64>,
    /// Whether files may have been written: before that it only waited.
    pub(crate) is_begun: bool,
    /// The moment, or the two of an incremental export.
    pub(crate) moment: u64,
    pub(crate) to: Option<u64>,
    /// The client's token and what a repetition must have in common.
    pub(crate) token: Option<String>,
    pub(crate) print: u64,
    pub(crate) bucket: String,
    pub(crate) prefix: Option<String>,
    pub(crate) format: ExportFormat,
    pub(crate) kind: ExportType,
    pub(crate) view: ExportViewType,
    pub(crate) filter: Option<FilterSpecification>,
    pub(crate) items: u64,
    pub(crate) bytes: u64,
    pub(crate) manifest: Option<String>,
    /// Code and sentence of what went wrong.
    pub(crate) failure: Option<(String, String)>,
}

/// An import.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    /// Its place among the records.
    pub(crate) id: TableId,
    /// What ends its ARN.
    pub(crate) label: String,
    pub(crate) status: ImportStatus,
    pub(crate) begun: u64,
    pub(crate) ended: Option<u64>,
    /// Whether items may have been imported: before that it only waited.
    pub(crate) is_begun: bool,
    pub(crate) token: Option<String>,
    pub(crate) print: u64,
    pub(crate) bucket: String,
    pub(crate) prefix: String,
    pub(crate) format: InputFormat,
    pub(crate) compression: InputCompressionType,
    pub(crate) delimiter: String,
    pub(crate) header: Option<Vec<String>>,
    /// The table as it was asked for.
    pub(crate) table: Table,
    pub(crate) bytes: u64,
    pub(crate) processed: u64,
    pub(crate) imported: u64,
    pub(crate) errors: u64,
    pub(crate) failure: Option<(String, String)>,
}

/// Forgets exports and imports that ended long ago. What they wrote stays.
pub(crate) fn forget_old(core: &Core) -> Result<Work, ApiError> {
    let horizon = core.now_ms().saturating_sub(SHOWN_MS);
    let is_old = |ended: Option<u64>| ended.is_some_and(|ended| ended < horizon);
    let has_old = core.catalog().exports().values().any(|export| is_old(export.ended))
        || core.catalog().imports().values().any(|import| is_old(import.ended));
    if !has_old {
        return Ok(Work::Done);
    }
    let mut exports = core.catalog().write_exports();
    let mut imports = core.catalog().write_imports();
    let mut batch = Batch::new();
    for export in exports.values().filter(|export| is_old(export.ended)) {
        batch.remove(layout::export_record(export.id));
    }
    for import in imports.values().filter(|import| is_old(import.ended)) {
        batch.remove(layout::import_record(import.id));
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    exports.retain(|_, export| !is_old(export.ended));
    imports.retain(|_, import| !is_old(import.ended));
    drop((exports, imports));
    ticket.wait().map_err(internal)?;
    Ok(Work::Done)
}

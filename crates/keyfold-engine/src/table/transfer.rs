//! Exports and imports as they are kept: what was asked for, and how far it came.

use super::Table;
use keyfold_api::{
    ExportFormat, ExportStatus, ExportType, ExportViewType, FilterSpecification, ImportStatus,
    InputCompressionType, InputFormat,
};
use keyfold_codec::key::TableId;
use std::sync::Arc;

/// Retention of a client's token: eight hours.
const TOKEN_MS: u64 = 8 * 60 * 60 * 1000;
/// Work begun for a client, which may ask for the same again.
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

/// The work begun with the same token within the time that tokens are remembered.
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
    /// The end of its ARN.
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
    /// The end of its ARN.
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

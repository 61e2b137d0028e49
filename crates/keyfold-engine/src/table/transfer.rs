//! The records of exports and imports: the request, and the progress.

use super::Table;
use keyfold_api::{
    ExportFormat, ExportStatus, ExportType, ExportViewType, FilterSpecification, ImportStatus,
    InputCompressionType, InputFormat,
};
use keyfold_codec::key::TableId;
use std::sync::Arc;

/// Retention of a client's token: eight hours.
const TOKEN_MS: u64 = 8 * 60 * 60 * 1000;

/// Work that a client has begun. The client may send the same request again.
pub(crate) trait Begun {
    /// The client's token, the hash of the request, and the time of the request.
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

/// The token was used with another request.
pub(crate) struct OtherRequest;

/// Finds the work begun with the same token within its retention.
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
    /// The id of its record.
    pub(crate) id: TableId,
    /// The end of its ARN.
    pub(crate) label: String,
    pub(crate) table_name: String,
    pub(crate) table_uuid: String,
    pub(crate) status: ExportStatus,
    /// When it began and ended, milliseconds since the epoch.
    pub(crate) begun: u64,
    pub(crate) ended: Option<u64>,
    /// Whether files may have been written. Until then it has only waited.
    pub(crate) is_begun: bool,
    /// The moment of a full export, or the two of an incremental one.
    pub(crate) moment: u64,
    pub(crate) to: Option<u64>,
    /// The client's token, and the hash that a repetition must have.
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
    /// Code and message of the failure.
    pub(crate) failure: Option<(String, String)>,
}

/// An import.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    /// The id of its record.
    pub(crate) id: TableId,
    /// The end of its ARN.
    pub(crate) label: String,
    pub(crate) status: ImportStatus,
    pub(crate) begun: u64,
    pub(crate) ended: Option<u64>,
    /// Whether items may have been imported. Until then it has only waited.
    pub(crate) is_begun: bool,
    pub(crate) token: Option<String>,
    pub(crate) print: u64,
    pub(crate) bucket: String,
    pub(crate) prefix: String,
    pub(crate) format: InputFormat,
    pub(crate) compression: InputCompressionType,
    pub(crate) delimiter: String,
    pub(crate) header: Option<Vec<String>>,
    /// The definition of the new table.
    pub(crate) table: Table,
    pub(crate) bytes: u64,
    pub(crate) processed: u64,
    pub(crate) imported: u64,
    pub(crate) errors: u64,
    pub(crate) failure: Option<(String, String)>,
}

//! Items to and from files: what ExportTableToPointInTime writes and ImportTable reads.
//!
//! A folder stands for a bucket. Layout, manifests and line formats are the service's own, so that
//! what reads its exports reads these. Nothing here knows a table or an engine: items go in and
//! come out.
//!
//! - [`bucket`]: a bucket's folder, and keys inside it that cannot lead out of it.
//! - [`export`]: data files, compressed, and the manifests about them.
//! - [`import`]: all objects behind a prefix, whatever compresses them, item by item.
//! - [`ion`]: items as Amazon Ion.
//!
//! Source: "DynamoDB table export output format", "DynamoDB import format quotas and validation".

pub mod bucket;
pub mod export;
pub mod import;
pub mod ion;

pub use bucket::{Bucket, TransferError};
pub use export::{Change, ExportWriter, Format, Manifest};
pub use import::{Compression, CsvOptions, ImportFormat, Row};

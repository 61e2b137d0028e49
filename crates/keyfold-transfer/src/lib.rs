//! Items to and from files: the output of ExportTableToPointInTime and the input of ImportTable.
//!
//! A folder stands for a bucket. Layout, manifests and line formats are the service's own, so that
//! readers of its exports can read these. The crate knows no table and no engine, only items.
//!
//! - `bucket`: a bucket's folder, and keys that cannot lead out of it.
//! - `export`: compressed data files and their manifests.
//! - [`exported`], `exported_items`: an export that is read, file by file, each proved.
//! - [`import`]: all objects with a prefix, decompressed, item by item.
//! - `ion`: items as Amazon Ion.
//!
//! Source: "DynamoDB table export output format", "DynamoDB import format quotas and validation".

mod bucket;
mod export;
pub mod exported;
mod exported_items;
pub mod import;
mod ion;
mod source;

pub use bucket::{Bucket, TransferError};
pub use export::{Change, ExportWriter, Extent, Format, Manifest};
pub use exported_items::ExportedItems;
pub use import::{Compression, CsvOptions, ImportFormat, Row};

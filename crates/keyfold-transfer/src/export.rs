//! An export: data files and manifests.
//!
//! ```text
//! <prefix>/AWSDynamoDB/<id>/_started
//! <prefix>/AWSDynamoDB/<id>/data/<random>.json.gz          (incremental: <prefix>/AWSDynamoDB/data/...)
//! <prefix>/AWSDynamoDB/<id>/manifest-files.json, .checksum
//! <prefix>/AWSDynamoDB/<id>/manifest-summary.json, .checksum
//! ```

use crate::bucket::{Bucket, TransferError};
use crate::ion;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use keyfold_codec::RawItem;
use md5::{Digest, Md5};
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The uncompressed size at which a data file ends.
const FILE_BYTES: u64 = 256 * 1024 * 1024;

/// The format of exported items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line of DynamoDB's JSON for each item.
    DynamoDbJson,
    /// A line of Amazon Ion for each item.
    Ion,
}

/// The change of an item between two moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The key.
    pub keys: RawItem,
    /// The time of the last write, in microseconds since the epoch.
    pub written_epoch_us: u64,
    /// The item at the first moment, if it existed and the view includes it.
    pub old: Option<RawItem>,
    /// The item at the second moment, if it existed.
    pub new: Option<RawItem>,
}

/// The part of a table's history that an export has. Times are in milliseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All items at a moment.
    Full {
        /// The moment.
        at_epoch_ms: u64,
    },
    /// The changes between two moments.
    Incremental {
        /// The first moment.
        from_epoch_ms: u64,
        /// The second moment.
        to_epoch_ms: u64,
        /// The images of each change: `NEW_IMAGE` or `NEW_AND_OLD_IMAGES`.
        view: &'static str,
    },
}

/// The members of the summary besides extent, counts and files.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The export's ARN.
    pub export_arn: String,
    /// The table's ARN.
    pub table_arn: String,
    /// The table's UUID.
    pub table_id: String,
    /// The bucket's name.
    pub bucket: String,
    /// The prefix of every key.
    pub prefix: Option<String>,
    /// The start of the export, in milliseconds since the epoch.
    pub start_epoch_ms: u64,
}

impl Extent {
    /// The members of the summary about it.
    fn members(self) -> serde_json::Value {
        match self {
            Extent::Full { at_epoch_ms } => json!({
                "version": "2020-06-30",
                "exportType": "FULL_EXPORT",
                "exportTime": moment(at_epoch_ms),
            }),
            Extent::Incremental {
                from_epoch_ms,
                to_epoch_ms,
                view,
            } => json!({
                "version": "2023-08-01",
                "exportType": "INCREMENTAL_EXPORT",
                "exportFromTime": moment(from_epoch_ms),
                "exportToTime": moment(to_epoch_ms),
                "outputView": view,
            }),
        }
    }
}

/// An open data file.
struct DataFile {
    key: String,
    path: PathBuf,
    out: GzEncoder<BufWriter<File>>,
    items: u64,
    bytes: u64,
}

/// Writes an export.
pub struct ExportWriter {
    bucket: Bucket,
    /// The folder of this export.
    root: String,
    /// The folder of its data files.
    data: String,
    format: Format,
    extent: Extent,
    open: Option<DataFile>,
    files: Vec<serde_json::Value>,
    items: u64,
    /// The size of the items as DynamoDB counts it.
    bytes: u64,
}

impl ExportWriter {
    /// Begins the export with an id.
    ///
    /// # Errors
    /// When the bucket cannot be written.
    pub fn begin(
        bucket: Bucket,
        prefix: Option<&str>,
        id: &str,
        format: Format,
        extent: Extent,
    ) -> Result<ExportWriter, TransferError> {
        let prefix = prefix
            .map(|prefix| prefix.trim_matches('/'))
            .filter(|prefix| !prefix.is_empty());
        let base = prefix.map_or("AWSDynamoDB".to_owned(), |prefix| {
            format!("{prefix}/AWSDynamoDB")
        });
        let root = format!("{base}/{id}");
        let data = match extent {
            Extent::Full { .. } => format!("{root}/data"),
            Extent::Incremental { .. } => format!("{base}/data"),
        };
        let writer = ExportWriter {
            bucket,
            root,
            data,
            format,
            extent,
            open: None,
            files: Vec::new(),
            items: 0,
            bytes: 0,
        };
        for folder in [&writer.root, &writer.data] {
            writer.bucket.create_folder(folder)?;
        }
        // A previous attempt may have written it before its process ended.
        let started = writer.bucket.create_folder(&writer.root)?.join("_started");
        if !started.is_file() {
            writer.put("_started", b"")?;
        }
        Ok(writer)
    }

    /// Writes a file into the folder of the export.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), TransferError> {
        self.written(name, bytes).map(drop)
    }

    /// Writes a file into the folder of the export, and returns its path once its bytes are on the disk.
    fn written(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, TransferError> {
        let (path, mut file) = self.bucket.create(&format!("{}/{name}", self.root))?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(TransferError::file(&path))?;
        Ok(path)
    }

    /// Writes a file of the caller's own into the folder of the export. No manifest lists it.
    ///
    /// # Errors
    /// When the bucket cannot be written.
    pub fn beside(&self, name: &str, bytes: &[u8]) -> Result<(), TransferError> {
        self.put(name, bytes)
    }

    /// The open data file, or the next one.
    fn file(&mut self) -> Result<&mut DataFile, TransferError> {
        if self
            .open
            .as_ref()
            .is_some_and(|file| file.bytes >= FILE_BYTES)
        {
            self.close()?;
        }
        if self.open.is_none() {
            let name = random_name();
            let ending = if self.format == Format::Ion {
                "ion.gz"
            } else {
                "json.gz"
            };
            let key = format!("{}/{name}.{ending}", self.data);
            let (path, file) = self.bucket.create(&key)?;
            let out = GzEncoder::new(BufWriter::new(file), Compression::fast());
            self.open = Some(DataFile {
                key,
                path,
                out,
                items: 0,
                bytes: 0,
            });
        }
        Ok(self.open.as_mut().expect("a file was just opened"))
    }

    /// Appends a line to the data file; `bytes` is the size of its items.
    fn line(&mut self, line: &[u8], bytes: u64) -> Result<(), TransferError> {
        self.items += 1;
        self.bytes += bytes;
        let file = self.file()?;
        file.items += 1;
        file.bytes += line.len() as u64;
        file.out
            .write_all(line)
            .map_err(TransferError::file(&file.path))
    }

    /// Writes an item.
    ///
    /// # Errors
    /// When the bucket cannot be written.
    pub fn item(&mut self, item: &RawItem) -> Result<(), TransferError> {
        let line = match self.format {
            Format::Ion => ion::line(&[("Item", ion::item(&item.to_item()))]).into_bytes(),
            Format::DynamoDbJson => named_line(&[("Item", item)]),
        };
        self.line(&line, item.size_bytes())
    }

    /// Writes the change of an item.
    ///
    /// # Errors
    /// When the bucket cannot be written.
    pub fn change(&mut self, change: &Change) -> Result<(), TransferError> {
        let written = change.written_epoch_us.to_string();
        let mut parts = vec![("Keys", &change.keys)];
        parts.extend(change.new.as_ref().map(|item| ("NewImage", item)));
        parts.extend(change.old.as_ref().map(|item| ("OldImage", item)));
        let line = match self.format {
            Format::Ion => {
                let moment =
                    ion_rs::Element::read_one(format!("{{WriteTimestampMicros:{written}}}"));
                let mut elements: Vec<_> = moment
                    .ok()
                    .into_iter()
                    .map(|moment| ("Metadata", moment))
                    .collect();
                elements.extend(
                    parts
                        .iter()
                        .map(|(name, item)| (*name, ion::item(&item.to_item()))),
                );
                ion::line(&elements).into_bytes()
            }
            Format::DynamoDbJson => {
                let mut line =
                    format!("{{\"Metadata\":{{\"WriteTimestampMicros\":{{\"N\":\"{written}\"}}}},")
                        .into_bytes();
                line.extend(named_line(&parts).get(1..).unwrap_or_default());
                line
            }
        };
        let bytes = parts.iter().map(|(_, item)| item.size_bytes()).sum();
        self.line(&line, bytes)
    }

    /// Ends the open data file.
    fn close(&mut self) -> Result<(), TransferError> {
        let Some(file) = self.open.take() else {
            return Ok(());
        };
        let DataFile {
            key,
            path,
            out,
            items,
            ..
        } = file;
        out.finish()
            .and_then(|mut out| {
                out.flush()?;
                out.get_ref().sync_all()
            })
            .map_err(TransferError::file(&path))?;
        let written = std::fs::read(&path).map_err(TransferError::file(&path))?;
        let digest = Md5::digest(&written);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        self.files.push(json!({
            "itemCount": items,
            "md5Checksum": STANDARD.encode(digest),
            "etag": format!("{hex}-1"),
            "dataFileS3Key": key,
        }));
        Ok(())
    }

    /// Ends the export with at least one data file and the manifests; returns the key of the
    /// summary, the number of items and their size in bytes.
    ///
    /// # Errors
    /// When the bucket cannot be written.
    pub fn finish(
        mut self,
        about: &Manifest,
        end_epoch_ms: u64,
    ) -> Result<(String, u64, u64), TransferError> {
        if self.files.is_empty() {
            self.file()?;
        }
        self.close()?;
        let files: String = self.files.iter().map(|file| format!("{file}\n")).collect();
        self.put_with_checksum("manifest-files", files.as_bytes())?;
        let mut summary = json!({
            "exportArn": about.export_arn,
            "startTime": moment(about.start_epoch_ms),
            "endTime": moment(end_epoch_ms),
            "tableArn": about.table_arn,
            "tableId": about.table_id,
            "s3Bucket": about.bucket,
            "s3Prefix": about.prefix,
            "s3SseAlgorithm": "AES256",
            "s3SseKmsKeyId": null,
            "manifestFilesS3Key": format!("{}/manifest-files.json", self.root),
            "billedSizeBytes": self.bytes,
            "itemCount": self.items,
            "outputFormat": if self.format == Format::Ion { "ION" } else { "DYNAMODB_JSON" },
        });
        if let (Some(members), serde_json::Value::Object(extent)) =
            (summary.as_object_mut(), self.extent.members())
        {
            members.extend(extent);
        }
        // An export is whole when it has its summary: all other files are on the disk before.
        self.sync_folders()?;
        self.put_with_checksum("manifest-summary", summary.to_string().as_bytes())?;
        self.sync_folders()?;
        Ok((
            format!("{}/manifest-summary.json", self.root),
            self.items,
            self.bytes,
        ))
    }

    fn sync_folders(&self) -> Result<(), TransferError> {
        self.bucket.sync_folders(&self.data)?;
        self.bucket.sync_folders(&self.root)
    }

    /// Writes a manifest after its checksum. A process that ends meanwhile leaves no part of the manifest.
    fn put_with_checksum(&self, name: &str, bytes: &[u8]) -> Result<(), TransferError> {
        let checksum = STANDARD.encode(Md5::digest(bytes));
        self.put(&format!("{name}.checksum"), checksum.as_bytes())?;
        let part = self.written(&format!("{name}.json.part"), bytes)?;
        std::fs::rename(&part, part.with_extension("")).map_err(TransferError::file(&part))
    }
}

/// A name for a data file: 26 letters and digits.
fn random_name() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let letter = |_| LETTERS.get(fastrand::usize(..32)).copied().unwrap_or(b'a');
    (0..26).map(letter).map(char::from).collect()
}

/// Returns a line `{"Item":{...}}`, of one or several named items.
fn named_line(parts: &[(&str, &RawItem)]) -> Vec<u8> {
    let mut line = Vec::new();
    for (at, (name, item)) in parts.iter().enumerate() {
        line.extend_from_slice(if at == 0 { b"{\"" } else { b",\"" });
        line.extend_from_slice(name.as_bytes());
        line.extend_from_slice(b"\":");
        keyfold_wire::encode::encode_raw_item(&mut line, item);
    }
    line.extend_from_slice(b"}\n");
    line
}

/// A time as manifests write it.
fn moment(epoch_ms: u64) -> String {
    let moment = i64::try_from(epoch_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment
        .unwrap_or_default()
        .strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
        .to_string()
}

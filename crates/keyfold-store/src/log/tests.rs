//! The log over openings, crashes and corruption.

use super::record::{HEADER_BYTES, Segment, is_corrupt, write_header, write_record};
use super::*;
use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::durability::Durability::{self, Buffered, Synced};
use crate::error::StoreError;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

type Groups = Vec<Vec<(Vec<u8>, Option<Vec<u8>>)>>;

fn open(folder: &Path) -> Result<(Log, Vec<u64>, Groups), StoreError> {
    let mut groups = Vec::new();
    let files = Arc::new(LogFolder::open(folder).unwrap());
    let checkpoint = folder
        .join("checkpoint")
        .exists()
        .then(|| Checkpoint::read(folder))
        .transpose()?;
    let checkpoints = Arc::new(Checkpoints::new(folder, checkpoint.unwrap_or_default()));
    let recovered = Recovered::read(files, checkpoint)?;
    let (log, ids) = Log::open(
        recovered,
        checkpoints,
        |changes: &mut dyn Iterator<Item = Change<'_>>| {
            groups.push(
                changes
                    .map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)))
                    .collect(),
            );
        },
    )?;
    Ok((log, ids, groups))
}

fn append(log: &mut Log, n: u8, durability: Durability) {
    let key = [n];
    log.append(
        [(&key[..], Some(&[n; 100][..])), (b"gone", None)].into_iter(),
        durability,
    )
    .unwrap();
}

fn group(n: u8) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    vec![(vec![n], Some(vec![n; 100])), (b"gone".to_vec(), None)]
}

#[test]
fn groups_are_replayed_in_order_over_segments_and_openings() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids, groups), (1, vec![], vec![]));
    append(&mut log, 1, Synced);
    append(&mut log, 2, Buffered);
    assert_eq!(log.rotate().unwrap(), 1);
    append(&mut log, 3, Synced);
    drop(log);
    let (mut log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids), (3, vec![1, 2]));
    assert_eq!(groups, vec![group(1), group(2), group(3)]);
    append(&mut log, 4, Synced);
    drop(log);
    // Each opening begins a segment.
    drop(open(folder.path()).unwrap());
    let (log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids, groups.len()), (5, vec![1, 2, 3, 4], 4));
}

/// Openings without writes between them leave one file.
#[test]
fn segments_without_changes_are_retired() {
    let folder = tempfile::tempdir().unwrap();
    for id in 1..5 {
        let (log, ids, groups) = open(folder.path()).unwrap();
        assert_eq!((log.id(), ids, groups), (id, vec![], vec![]));
    }
    let segments = LogFolder::open(folder.path()).unwrap().segments().unwrap();
    assert_eq!(segments, vec![4]);
}

/// A crash between the creation of a segment's file and its header.
#[test]
fn a_segment_that_was_never_begun_is_begun_by_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, Synced);
    drop(log);
    for contents in [vec![], vec![0; 65_536], vec![7; 65_536]] {
        fs::write(segment_file(folder.path(), 2), contents).unwrap();
        let (log, ids, groups) = open(folder.path()).unwrap();
        assert_eq!((log.id(), ids, groups), (2, vec![1], vec![group(1)]));
        drop(log);
        fs::write(folder.path().join("checkpoint"), checkpoint_of(1)).unwrap();
    }
}

/// The text of a checkpoint that names one segment.
fn checkpoint_of(segment: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let only = |checkpoint: &mut Checkpoint| {
        (checkpoint.oldest_segment, checkpoint.newest_segment) = (segment, segment);
    };
    Checkpoints::new(folder.path(), Checkpoint::default())
        .update(only)
        .unwrap();
    fs::read(folder.path().join("checkpoint")).unwrap()
}

fn segment_file(folder: &Path, id: u64) -> std::path::PathBuf {
    folder.join(format!("{id:012}.log"))
}

/// Every segment in turn is removed, and cut to several lengths: before a flush has named the newest one in the
/// checkpoint, and then.
#[test]
fn a_missing_or_shortened_segment_is_reported() {
    for is_flushed in [false, true] {
        each_segment_is_missed(is_flushed);
    }
}

fn each_segment_is_missed(is_flushed: bool) {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    for n in 1..=4 {
        append(&mut log, n, Synced);
        log.rotate().unwrap();
    }
    if is_flushed {
        log.checkpoints.update(|_| ()).unwrap();
    }
    append(&mut log, 5, Synced);
    drop(log);
    for id in 1..=5 {
        let written = fs::read(segment_file(folder.path(), id)).unwrap();
        let other = copy(folder.path());
        let path = segment_file(other.path(), id);
        fs::remove_file(&path).unwrap();
        let error = open(other.path()).map(drop).unwrap_err().to_string();
        assert!(
            error.contains(&format!("segment {id} of the log is missing")),
            "{error}"
        );
        for length in [0, 10, 40, 100, 300, written.len() - 1] {
            fs::write(&path, &written[..length]).unwrap();
            match open(other.path()) {
                Ok((_, _, groups)) => {
                    assert_eq!(groups, (1..=5).map(group).collect::<Groups>());
                    assert!(
                        (id < 5 || !is_flushed) && length >= 300,
                        "only zeros were cut from segment {id}"
                    );
                    break;
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(
                        error.contains(&format!("segment {id} of the log")),
                        "{error}"
                    );
                }
            }
        }
    }
    assert_eq!(open(folder.path()).unwrap().2.len(), 5);
}

fn copy(folder: &Path) -> tempfile::TempDir {
    let other = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let from = entry.unwrap().path();
        fs::copy(&from, other.path().join(from.file_name().unwrap())).unwrap();
    }
    other
}

/// Segments below the oldest of the checkpoint were retired; a crash has brought one back.
#[test]
fn retired_segments_are_not_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    for n in 1..=3 {
        append(&mut log, n, Synced);
        log.rotate().unwrap();
    }
    log.checkpoints
        .update(|checkpoint| checkpoint.oldest_segment = 3)
        .unwrap();
    drop(log);
    let (_, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((ids, groups), (vec![3, 4], vec![group(3)]));
    assert!(!segment_file(folder.path(), 1).exists());
}

/// The newest segment is replaced by an older copy: the watermark says what was acknowledged since.
#[test]
fn an_older_copy_of_the_newest_segment_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, Synced);
    let older = fs::read(segment_file(folder.path(), 1)).unwrap();
    append(&mut log, 2, Synced);
    drop(log);
    fs::write(segment_file(folder.path(), 1), older).unwrap();
    let error = open(folder.path()).map(drop).unwrap_err().to_string();
    assert!(
        error.contains("segment 1 of the log is corrupt at byte"),
        "{error}"
    );
    // A missing or unreadable watermark requires nothing.
    for watermark in [None, Some(&b""[..]), Some(&[7; 32])] {
        let other = copy(folder.path());
        let path = other.path().join("acknowledged");
        watermark
            .map_or_else(|| fs::remove_file(&path), |bytes| fs::write(&path, bytes))
            .unwrap();
        assert_eq!(open(other.path()).unwrap().2, vec![group(1)]);
    }
}

/// Values that look like headers and records, in a file that is reused.
#[test]
fn values_are_never_taken_for_records() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    // A client knows the format and does not know the salt.
    let mut forged = Vec::new();
    for (id, at) in [(1, 40), (2, 40), (3, 40), (2, 0), (3, 0)] {
        let segment = Segment { id, salt: 0 };
        write_header(&mut forged, segment, 1 << 20);
        write_record(
            &mut forged,
            segment,
            at,
            at + 1,
            [(&b"forged"[..], Some(&b"x"[..]))].into_iter(),
        );
    }
    let forged = forged.repeat(50);
    let write = |log: &mut Log| {
        log.append([(&b"k"[..], Some(&forged[..]))].into_iter(), Synced)
            .unwrap()
    };
    (0..20).for_each(|_| write(&mut log));
    log.rotate().unwrap();
    drop(log);
    // Each opening reuses the retired file.
    for _ in 0..4 {
        let (mut log, _, groups) = open(folder.path()).unwrap();
        assert!(
            groups
                .concat()
                .iter()
                .all(|(key, value)| key == b"k" && value.as_deref() == Some(&forged[..]))
        );
        write(&mut log);
        let (ended, files) = (
            log.rotate().unwrap(),
            LogFolder::open(folder.path()).unwrap(),
        );
        log.checkpoints
            .update(|checkpoint| checkpoint.oldest_segment = ended + 1)
            .unwrap();
        drop(log);
        (1..=ended).for_each(|id| files.retire(id).unwrap());
    }
}

/// A torn tail is read once, whatever it holds: no record is checked at each of its offsets.
#[test]
fn searching_a_torn_tail_takes_time_in_proportion_to_its_bytes() {
    let segment = Segment { id: 1, salt: 7 };
    let mut bytes = Vec::new();
    write_header(&mut bytes, segment, 0);
    // The worst word: it could be the salt, the end and the length of a record at once.
    let word = u64::MAX / 2;
    bytes.extend_from_slice(&word.to_le_bytes().repeat(4 * 1024 * 1024));
    assert!(!is_corrupt(&bytes, segment, HEADER_BYTES));
}

#[test]
fn a_reused_file_exposes_nothing_of_its_earlier_content() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    for n in 1..=9 {
        append(&mut log, n, Synced);
    }
    log.rotate().unwrap();
    log.checkpoints
        .update(|checkpoint| checkpoint.oldest_segment = 2)
        .unwrap();
    LogFolder::open(folder.path()).unwrap().retire(1).unwrap();
    drop(log);
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 50, Synced);
    drop(log);
    let (_, _, groups) = open(folder.path()).unwrap();
    assert_eq!(groups, vec![group(50)]);
}

/// A crash may leave any prefix of the unsynced bytes, and any of their sectors.
#[test]
fn a_torn_tail_loses_only_unacknowledged_groups() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, Synced);
    append(&mut log, 2, Synced);
    let acknowledged = log.synced as usize;
    (3..40).for_each(|n| append(&mut log, n, Buffered));
    drop(log);
    let path = folder.path().join("000000000001.log");
    let written = fs::read(&path).unwrap();
    let checkpoint = fs::read(folder.path().join("checkpoint")).unwrap();
    let mut rng = 0x9e37_79b9_7f4a_7c15_u64;
    let mut lengths = BTreeMap::new();
    for turn in 0..300 {
        let mut torn = written.clone();
        for sector in acknowledged / 512..written.len() / 512 {
            rng = rng
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let is_lost = if turn < 100 {
                sector > turn / 10
            } else {
                rng >> 40 & 3 == 0
            };
            if is_lost {
                let from = (sector * 512).max(acknowledged);
                torn[from..(sector + 1) * 512].fill(0);
            }
        }
        fs::write(&path, &torn).unwrap();
        let (_, _, groups) = open(folder.path()).unwrap();
        assert!(groups.len() >= 2, "an acknowledged group is lost");
        let expected: Groups = (1..).map(group).take(groups.len()).collect();
        assert_eq!(groups, expected, "the groups are a prefix of those written");
        *lengths.entry(groups.len()).or_insert(0) += 1;
        fs::remove_file(folder.path().join("000000000002.log")).unwrap();
        fs::write(folder.path().join("checkpoint"), &checkpoint).unwrap();
    }
    assert!(lengths.len() > 10, "{lengths:?}");
}

/// The machine crashes before any record is synced, and only the last sectors were written.
#[test]
fn records_behind_a_lost_beginning_are_not_replayed_later() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    (1..20).for_each(|n| append(&mut log, n, Buffered));
    drop(log);
    let path = folder.path().join("000000000001.log");
    let mut torn = fs::read(&path).unwrap();
    torn[HEADER_BYTES..512].fill(0);
    fs::write(&path, torn).unwrap();
    let (mut log, _, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), groups), (2, vec![]));
    (101..107).for_each(|n| append(&mut log, n, Synced));
    drop(log);
    let (_, _, groups) = open(folder.path()).unwrap();
    assert_eq!(groups, (101..107).map(group).collect::<Groups>());
}

#[test]
fn corruption_of_acknowledged_groups_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, Synced);
    let first = log.written as usize;
    append(&mut log, 2, Synced);
    append(&mut log, 3, Synced);
    drop(log);
    let path = folder.path().join("000000000001.log");
    let written = fs::read(&path).unwrap();
    // The last bytes of a record are padding.
    for at in (0..first - 7).step_by(5).chain([first + 9, first + 30]) {
        let mut corrupt = written.clone();
        corrupt[at] ^= 0x40;
        fs::write(&path, &corrupt).unwrap();
        let error = open(folder.path()).map(|_| ()).unwrap_err().to_string();
        assert!(
            error.contains("segment 1 of the log is corrupt at byte"),
            "{at}: {error}"
        );
    }
    // In an ended segment the last group, too: the next segment says where this one ended.
    fs::write(&path, &written).unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 4, Synced);
    drop(log);
    let mut corrupt = written.clone();
    corrupt[first * 2 + 40] ^= 1;
    fs::write(&path, &corrupt).unwrap();
    assert!(open(folder.path()).is_err());
}

/// After a clean stop even the last record is known to have been on the device.
#[test]
fn corruption_of_the_last_record_of_a_closed_log_is_reported() {
    for is_attested in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, ..) = open(folder.path()).unwrap();
        append(&mut log, 1, Synced);
        append(&mut log, 2, Buffered);
        let last = log.written as usize - 20;
        if is_attested {
            log.attest().unwrap();
            let written = log.written;
            log.attest().unwrap();
            assert_eq!(log.written, written, "no second record says the same");
        }
        drop(log);
        let path = folder.path().join("000000000001.log");
        let mut bytes = fs::read(&path).unwrap();
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        match open(folder.path()) {
            Ok((_, _, groups)) => assert!(!is_attested && groups == vec![group(1)]),
            Err(error) => assert!(
                is_attested && matches!(error, StoreError::Corrupt(_)),
                "{error}"
            ),
        }
    }
    // A closed log is opened with exactly the groups that were written.
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, Buffered);
    log.attest().unwrap();
    drop(log);
    assert_eq!(open(folder.path()).unwrap().2.concat(), group(1));
}

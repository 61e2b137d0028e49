//! The log as a whole: over openings, crashes and damage.

use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

type Groups = Vec<Vec<(Vec<u8>, Option<Vec<u8>>)>>;

fn open(folder: &Path) -> Result<(Log, Vec<u64>, Groups), StoreError> {
    let mut groups = Vec::new();
    let files = Arc::new(LogFolder::open(folder).unwrap());
    let (log, ids) = Log::open(files, |changes| {
        groups.push(changes.map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec))).collect());
    })?;
    Ok((log, ids, groups))
}

fn append(log: &mut Log, n: u8, sync: bool) {
    let key = [n];
    log.append([(&key[..], Some(&[n; 100][..])), (b"gone", None)].into_iter(), sync).unwrap();
}

fn group(n: u8) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    vec![(vec![n], Some(vec![n; 100])), (b"gone".to_vec(), None)]
}

#[test]
fn groups_come_back_in_order_over_segments_and_openings() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids, groups), (1, vec![], vec![]));
    append(&mut log, 1, true);
    append(&mut log, 2, false);
    assert_eq!(log.rotate().unwrap(), 1);
    append(&mut log, 3, true);
    drop(log);
    let (mut log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids), (3, vec![1, 2]));
    assert_eq!(groups, vec![group(1), group(2), group(3)]);
    append(&mut log, 4, true);
    drop(log);
    // Nothing written twice: the segment stays the one that is written.
    drop(open(folder.path()).unwrap());
    let (log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids, groups.len()), (4, vec![1, 2, 3], 4));
}

/// A crash right after a segment was begun.
#[test]
fn a_segment_without_anything_is_used_by_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, true);
    log.rotate().unwrap();
    drop(log);
    let (mut log, ids, _) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids), (2, vec![1]));
    append(&mut log, 2, true);
    drop(log);
    let (log, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), ids, groups), (3, vec![1, 2], vec![group(1), group(2)]));
}

#[test]
fn what_is_below_a_gap_was_retired() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    for n in 1..=4 {
        append(&mut log, n, true);
        log.rotate().unwrap();
    }
    drop(log);
    fs::remove_file(folder.path().join("000000000002.log")).unwrap();
    let (_, ids, groups) = open(folder.path()).unwrap();
    assert_eq!((ids, groups), (vec![3, 4], vec![group(3), group(4)]));
    assert!(!folder.path().join("000000000001.log").exists());
}

#[test]
fn a_file_used_again_shows_nothing_of_its_earlier_life() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    for n in 1..=9 {
        append(&mut log, n, true);
    }
    log.rotate().unwrap();
    LogFolder::open(folder.path()).unwrap().retire(1).unwrap();
    drop(log);
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 50, true);
    drop(log);
    let (_, _, groups) = open(folder.path()).unwrap();
    assert_eq!(groups, vec![group(50)]);
}

/// Every state in which a crash can leave the last, unsynced bytes: any prefix, and sectors in any order.
#[test]
fn a_torn_tail_hides_what_was_not_acknowledged_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, true);
    append(&mut log, 2, true);
    let acknowledged = log.synced as usize;
    (3..40).for_each(|n| append(&mut log, n, false));
    drop(log);
    let path = folder.path().join("000000000001.log");
    let whole = fs::read(&path).unwrap();
    let mut rng = 0x9e37_79b9_7f4a_7c15_u64;
    let mut met = BTreeMap::new();
    for turn in 0..300 {
        let mut torn = whole.clone();
        for sector in acknowledged / 512..whole.len() / 512 {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let is_lost = if turn < 100 { sector > turn / 10 } else { rng >> 40 & 3 == 0 };
            if is_lost {
                let from = (sector * 512).max(acknowledged);
                torn[from..(sector + 1) * 512].fill(0);
            }
        }
        fs::write(&path, &torn).unwrap();
        let (_, _, groups) = open(folder.path()).unwrap();
        assert!(groups.len() >= 2, "what was acknowledged is there");
        let expected: Groups = (1..).map(group).take(groups.len()).collect();
        assert_eq!(groups, expected, "and what is there is a beginning of what was written");
        *met.entry(groups.len()).or_insert(0) += 1;
        fs::remove_file(folder.path().join("000000000002.log")).unwrap();
    }
    assert!(met.len() > 10, "{met:?}");
}

/// The machine ended before anything was synced, and only what was written last is there: the file is used again, and
/// what it held is not taken for what is written now, though id, places and lengths are the same.
#[test]
fn records_of_a_lost_segment_do_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    (1..20).for_each(|n| append(&mut log, n, false));
    drop(log);
    let path = folder.path().join("000000000001.log");
    let mut torn = fs::read(&path).unwrap();
    torn[..512].fill(0);
    fs::write(&path, torn).unwrap();
    let (mut log, _, groups) = open(folder.path()).unwrap();
    assert_eq!((log.id(), groups), (1, vec![]));
    (101..107).for_each(|n| append(&mut log, n, true));
    drop(log);
    let (_, _, groups) = open(folder.path()).unwrap();
    assert_eq!(groups, (101..107).map(group).collect::<Groups>());
}

#[test]
fn damage_to_what_was_acknowledged_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, true);
    let first = log.written as usize;
    append(&mut log, 2, true);
    append(&mut log, 3, true);
    drop(log);
    let path = folder.path().join("000000000001.log");
    let whole = fs::read(&path).unwrap();
    // The last bytes only fill the record up.
    for place in (0..first - 7).step_by(5).chain([first + 9, first + 30]) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x40;
        fs::write(&path, &damaged).unwrap();
        let told = open(folder.path()).map(|_| ()).unwrap_err().to_string();
        assert!(told.contains("segment 1 of the log is damaged at byte"), "{place}: {told}");
    }
    // In an ended segment, the last group too: the segment behind it tells where it ended.
    fs::write(&path, &whole).unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 4, true);
    drop(log);
    let mut damaged = whole.clone();
    damaged[first * 2 + 40] ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert!(open(folder.path()).is_err());
}

/// After a clean stop even the last record is known to have been on the device.
#[test]
fn damage_to_the_last_record_of_a_log_that_was_closed_is_told() {
    for is_attested in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, ..) = open(folder.path()).unwrap();
        append(&mut log, 1, true);
        append(&mut log, 2, false);
        let last = log.written as usize - 20;
        if is_attested {
            log.attest().unwrap();
            let written = log.written;
            log.attest().unwrap();
            assert_eq!(log.written, written, "said once");
        }
        drop(log);
        let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        match open(folder.path()) {
            Ok((_, _, groups)) => assert!(!is_attested && groups == vec![group(1)]),
            Err(error) => assert!(is_attested && matches!(error, StoreError::Corrupt(_)), "{error}"),
        }
    }
    // And one that was closed well is opened, with nothing but what was written.
    let folder = tempfile::tempdir().unwrap();
    let (mut log, ..) = open(folder.path()).unwrap();
    append(&mut log, 1, false);
    log.attest().unwrap();
    drop(log);
    assert_eq!(open(folder.path()).unwrap().2.concat(), group(1));
}

//! Threads that change a watched folder at the same time: what one of them has synced survives a
//! crash, whatever the others sync, rename, make or remove meanwhile.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_faults::{Machine, Tail};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Rounds of the thread whose syncs are examined.
const ROUNDS: u32 = 200;

fn sync(path: &Path) {
    File::open(path).unwrap().sync_all().unwrap();
}

/// The folder after a crash that loses what is not synced.
fn crashed(machine: &Machine, place: &Path, round: u32) -> PathBuf {
    let left = place.join(format!("left{round}"));
    machine
        .after_crash(Tail::Lost, &left, &mut || false)
        .unwrap();
    left
}

/// Runs `round` many times, while another thread repeats `meanwhile`. Both receive the folder.
fn beside(meanwhile: impl Fn(&Path) + Sync, round: impl Fn(&Path, &Machine, &Path, u32)) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("watched");
    fs::create_dir(&folder).unwrap();
    // Listing the folder takes a while.
    (0..30).for_each(|n| fs::write(folder.join(format!("other{n}")), "").unwrap());
    let machine = Machine::watch(&folder).unwrap();
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let end = End(&has_ended);
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) {
                meanwhile(&folder);
            }
        });
        (0..ROUNDS).for_each(|n| round(&folder, &machine, place.path(), n));
        drop(end);
    });
}

/// Ends the other thread, also when the test panics.
struct End<'e>(&'e AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_sync_that_began_earlier_and_ends_later_takes_nothing_back() {
    beside(sync, |folder, machine, place, round| {
        let (new, kept) = (folder.join("new"), folder.join("kept"));
        fs::write(&new, round.to_string()).unwrap();
        sync(&new);
        fs::rename(&new, &kept).unwrap();
        sync(folder);
        let left = crashed(machine, place, round).join("kept");
        assert_eq!(fs::read_to_string(left).unwrap(), round.to_string());
    });
}

#[test]
fn a_name_is_synced_although_others_are_changed_meanwhile() {
    let change = |folder: &Path| {
        let [one, other] = ["other0", "renamed"].map(|name| folder.join(name));
        fs::rename(&one, &other).unwrap();
        fs::rename(&other, &one).unwrap();
    };
    beside(change, |folder, machine, place, round| {
        let name = format!("kept{round}");
        fs::write(folder.join(&name), "").unwrap();
        sync(folder);
        let left = crashed(machine, place, round);
        assert!(left.join(&name).exists(), "round {round}");
    });
}

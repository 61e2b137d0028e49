//! Tests the folder in which a command stands.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use std::process::Command;
use workplace::Workplace;

/// The folder in which a program stands may be removed under it.
#[test]
fn a_working_folder_that_is_gone_is_said() {
    let place = Workplace::new();
    let folder = place.folder.path().join("gone");
    std::fs::create_dir(&folder).unwrap();
    let output = Command::new("sh")
        .args([
            "-c",
            "rmdir \"$PWD\" && exec \"$0\" serve --port 0 --data \"$1\"",
        ])
        .arg(env!("CARGO_BIN_EXE_keyfold"))
        .arg(place.folder.path().join("data"))
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("working folder"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(
        output
            .status
            .code()
            .is_some_and(|code| code > 0 && code < 100)
    );
}

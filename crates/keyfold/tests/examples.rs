//! The examples run and end well. In a file of its own: a process that is started while another
//! test reopens a folder would hold that folder's lock for a moment.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking"
)]

#[test]
fn every_example_runs() {
    let here = std::env::current_exe().unwrap();
    let folder = here.parent().unwrap().parent().unwrap().join("examples");
    let sources = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
    let mut ran = 0;
    for source in sources.flatten() {
        let name = source.path().file_stem().unwrap().to_owned();
        let output = std::process::Command::new(folder.join(&name)).output();
        let output = output
            .unwrap_or_else(|error| panic!("{name:?}: {error}; `cargo test` builds the examples"));
        assert!(
            output.status.success(),
            "{name:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!output.stdout.is_empty(), "{name:?} shows something");
        ran += 1;
    }
    assert_eq!(ran, 6);
}

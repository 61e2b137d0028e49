//! What a program gets with this crate. Cargo builds a dependency once, with the features of all who
//! use it: a feature that changes a library's behaviour would change it in the program, too.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking"
)]

use std::process::Command;

#[test]
fn no_feature_changes_the_libraries_of_a_program() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--package", "keyfold"])
        .args(["--edges", "normal,features", "--prefix", "none"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(
        tree.status.success() && text.contains("serde_json feature \"default\""),
        "{text}{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    for feature in [
        "arbitrary_precision",
        "preserve_order",
        "float_roundtrip",
        "unbounded_depth",
    ] {
        assert!(
            !text.contains(&format!("serde_json feature \"{feature}\"")),
            "a program that uses this crate gets serde_json with {feature}"
        );
    }
}

//! Charts of all models that the compiler's tests hold.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and fails by panicking"
)]

use keyfold_codegen::chart::Chart;
use keyfold_model::compile;
use std::path::Path;

/// Declared numbers may be beyond all that is stored anywhere: an estimate of them ends somewhere.
#[test]
fn every_model_without_errors_has_a_chart() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../keyfold-model/testscripts");
    let mut drawn = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "keyfold") {
            continue;
        }
        let Some(model) = compile(&std::fs::read_to_string(path).unwrap()).model else {
            continue;
        };
        assert_eq!(Chart::of(&model).model, model.name);
        drawn += 1;
    }
    assert!(drawn > 40, "{drawn}");
}

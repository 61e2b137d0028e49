//! Quick fixes and formatting: what the editor makes of a text is what the compiler makes of it.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and fails by panicking"
)]

mod common;

use common::edits::{applied, changed};
use common::{Editor, uri};
use keyfold_model::diagnostic::apply;
use keyfold_model::{RULES, compile, format};
use serde_json::json;
use std::path::Path;

/// The wrong models of the compiler's own tests, and the examples of its rules.
fn wrong_models() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../keyfold-model/testscripts");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "keyfold"));
    let mut all: Vec<String> = files
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    all.sort();
    all.extend(RULES.iter().map(|rule| rule.failing.to_owned()));
    all
}

fn whole(text: &str) -> serde_json::Value {
    let start = json!({ "line": 0, "character": 0 });
    json!({ "start": start, "end": common::position(text, text.len()) })
}

#[test]
fn every_repair_of_the_compiler_is_a_quick_fix_that_mends_its_finding() {
    let mut tried = 0;
    for text in wrong_models() {
        let is_example = RULES.iter().any(|rule| rule.failing == text);
        let other_ends = is_example.then(|| text.replace('\n', "\r\n"));
        for text in std::iter::once(text).chain(other_ends) {
            let compiled = compile(&text);
            let repairs: Vec<_> = compiled
                .diagnostics
                .iter()
                .flat_map(|one| one.help.iter().map(move |help| (one, help)))
                .filter(|(_, help)| !help.edits.is_empty())
                .collect();
            let mut editor = Editor::of(&text);
            let params = json!({
                "textDocument": { "uri": uri("m.keyfold") },
                "range": whole(&text),
                "context": { "diagnostics": [] },
            });
            let actions = editor.ask("textDocument/codeAction", params);
            let actions = actions.as_array().unwrap();
            assert_eq!(actions.len(), repairs.len(), "{text}");
            for (action, (finding, help)) in actions.iter().zip(repairs) {
                tried += 1;
                let mended = changed(&uri("m.keyfold"), &text, &action["edit"]);
                assert_eq!(mended, apply(&text, &help.edits), "{}", finding.message);
                let same = |one: &&keyfold_model::Diagnostic| {
                    (one.code, &one.message) == (finding.code, &finding.message)
                };
                let count = |found: &[_]| found.iter().filter(same).count();
                let after = compile(&mended).diagnostics;
                assert!(
                    count(&after) < count(&compiled.diagnostics),
                    "{}",
                    finding.message
                );
                assert!(!action["title"].as_str().unwrap().contains('\n'));
                assert_eq!(action["diagnostics"][0]["code"], finding.code);
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn quick_fixes_are_those_of_the_findings_at_a_place() {
    let text = "model m 1\ntable T (PK, SK)\nentity Note\n  id: string\n  key \"N#{ida}\" \"X\"\n";
    let mut editor = Editor::of(text);
    let mut ask = |line: u32| {
        let at = json!({ "line": line, "character": 10 });
        let params = json!({
            "textDocument": { "uri": uri("m.keyfold") },
            "range": { "start": at, "end": at },
            "context": { "diagnostics": [] },
        });
        let actions = editor.ask("textDocument/codeAction", params);
        actions.as_array().unwrap().len()
    };
    assert_eq!(ask(1), 0);
    assert!(ask(4) > 0);
}

#[test]
fn an_editor_that_knows_versions_gets_them_in_edits() {
    let can = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
    let mut editor = Editor::with(&[], can);
    let text = "model m 1\ntable T (PK, SK)\nentity Note\n  id: string\n  key \"N#{ida}\" \"X\"\n";
    editor.open("m.keyfold", text);
    let params = json!({
        "textDocument": { "uri": uri("m.keyfold") },
        "range": whole(text),
        "context": { "diagnostics": [] },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let document = &actions[0]["edit"]["documentChanges"][0]["textDocument"];
    assert_eq!(*document, json!({ "uri": uri("m.keyfold"), "version": 1 }));
}

#[test]
fn formatting_makes_the_text_that_the_compiler_formats() {
    for text in wrong_models() {
        let uneven = [
            text.clone(),
            text.replace("  ", "    "),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\n\n"),
            text.replace(": ", " :"),
            text.trim_end().to_owned(),
            format!("\n\n{text}\n\n"),
        ];
        for text in uneven {
            let mut editor = Editor::of(&text);
            let document = json!({ "uri": uri("m.keyfold") });
            let options = json!({ "tabSize": 2, "insertSpaces": true });
            let params = json!({ "textDocument": document, "options": options });
            let edits = editor.ask("textDocument/formatting", params);
            assert_eq!(applied(&text, &edits), format(&text));
            let params =
                json!({ "textDocument": document, "options": options, "range": whole(&text) });
            let edits = editor.ask("textDocument/rangeFormatting", params);
            assert_eq!(applied(&text, &edits), format(&text));
        }
    }
}

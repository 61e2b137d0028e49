//! Generated clients: golden files of some models, and properties of the clients of all models.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the models are files, and rustfmt is a program"
)]

use keyfold_codegen::generate::{Settings, Target};
use keyfold_model::{Model, Sources, compile_sources};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn settings() -> Settings {
    Settings {
        generator: "keyfold (test)".to_owned(),
        ..Settings::default()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A model with its text.
struct Compiled {
    model: Model,
    sources: Sources,
}

fn model_of(path: &Path) -> Compiled {
    compiled(
        &path.display().to_string(),
        &std::fs::read_to_string(path).unwrap(),
    )
}

fn compiled(name: &str, text: &str) -> Compiled {
    let sources = Sources::of_text(name, text);
    let compiled = compile_sources(&sources);
    let errors: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.message.clone())
        .collect();
    let model = compiled.model;
    let model = model.unwrap_or_else(|| panic!("{name}: {errors:?}"));
    Compiled { model, sources }
}

impl Compiled {
    /// The client in a language.
    fn text(&self, target: Target, settings: &Settings) -> String {
        target.text(&self.model, &self.sources, settings)
    }
}

/// All models of the repository, and those of the golden files.
fn all_models() -> Vec<PathBuf> {
    let folders = [
        "models",
        "models/existing",
        "crates/keyfold-codegen/testscripts",
    ];
    let entries = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root().join(folder)).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "keyfold")
    });
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    files
}

#[test]
fn clients_are_as_their_golden_files() {
    let testscripts = root().join("crates/keyfold-codegen/testscripts");
    let models = [
        root().join("models/shop.keyfold"),
        testscripts.join("names.keyfold"),
        testscripts.join("answers.keyfold"),
        testscripts.join("made.keyfold"),
    ];
    for path in models {
        let model = model_of(&path);
        for target in Target::ALL {
            let golden = testscripts.join(target.file_name(&model.model));
            assert_golden(&golden, &model.text(target, &settings()));
        }
    }
}

#[test]
fn classes_of_pydantic_are_as_their_golden_file() {
    let testscripts = root().join("crates/keyfold-codegen/testscripts");
    let settings = Settings {
        pydantic: true,
        ..settings()
    };
    let text = model_of(&testscripts.join("made.keyfold")).text(Target::Python, &settings);
    assert_golden(&testscripts.join("made_pydantic.py"), &text);
}

/// Compares a text with its golden file.
fn assert_golden(golden: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDENFILES").is_some() {
        std::fs::write(golden, text).unwrap();
    }
    let held = std::fs::read_to_string(golden).unwrap_or_default();
    assert!(
        held == text,
        "{} differs; run with UPDATE_GOLDENFILES=1, and read what it wrote\n{text}",
        golden.display()
    );
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    for path in all_models() {
        for target in Target::ALL {
            let one = model_of(&path).text(target, &settings());
            assert_eq!(
                one,
                model_of(&path).text(target, &settings()),
                "{}",
                path.display()
            );
            assert!(
                one.ends_with('\n') && !one.ends_with("\n\n"),
                "{}",
                path.display()
            );
            let trailing = one.lines().find(|line| line.ends_with(' '));
            assert_eq!(trailing, None, "{}", path.display());
        }
    }
}

/// The names that a file exports, types and functions apart.
#[test]
fn no_name_is_declared_twice() {
    for path in all_models() {
        let text = model_of(&path).text(Target::Typescript, &settings());
        let (mut types, mut methods) = (BTreeSet::new(), BTreeSet::new());
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            for word in ["export interface ", "export type ", "export class "] {
                if let Some(name) = line.strip_prefix(word) {
                    methods.clear();
                    let name = name.split(' ').next().unwrap();
                    assert!(types.insert(name.to_owned()), "{}: {line}", path.display());
                }
            }
            let method = line
                .strip_prefix("  ")
                .filter(|line| !line.starts_with(' '));
            let method = method
                .and_then(|line| line.split_once('('))
                .map(|(name, _)| name);
            let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
            // A head of several of one method has no body.
            let mut ends = lines[at..].iter().filter_map(|line| line.chars().last());
            let has_body = ends.find(|end| "{;".contains(*end)) == Some('{');
            if let Some(name) = method.filter(is_name).filter(|_| has_body) {
                assert!(
                    methods.insert(name.to_owned()),
                    "{}: {line}",
                    path.display()
                );
            }
        }
    }
}

/// A name of one entity is what the word of the language gets in the name of another.
#[test]
fn no_member_of_a_client_in_rust_is_declared_twice() {
    for (first, second) in [("False", "False_"), ("False_", "False"), ("Self", "self")] {
        let entity = |name: &str| format!("entity {name}\n  id: string\n  key \"{name}#{{id}}\"\n");
        let model = format!(
            "model m 1\ntable Tab (PK)\n{}{}",
            entity(first),
            entity(second)
        );
        let text = compiled("m.keyfold", &model).text(Target::Rust, &settings());
        let writers = text
            .lines()
            .filter(|line| line.contains(": typed::Writer<"));
        let names: BTreeSet<&str> = writers.filter_map(|line| line.split(':').next()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

/// Whoever reads a file sees its characters in their order. A compiler of Rust refuses others.
#[test]
fn no_character_of_a_client_turns_the_direction_of_writing() {
    let model = "model m 1\ntable Tab (PK)\nentity A\n  id: string, \"x\u{202E}y\": string?, \
                 state: \"\u{2066}on\" | off = off\n  key \"A#{id}\"\n";
    let model = compiled("m.keyfold", model);
    for target in Target::ALL {
        let text = model.text(target, &settings());
        let turns = |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        let wrong: Vec<&str> = text.lines().filter(|line| line.contains(turns)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn comments_and_layout_of_a_model_change_nothing() {
    let source = std::fs::read_to_string(root().join("models/shop.keyfold")).unwrap();
    let other = source
        .replace("# E", "# Question E")
        .replace("  -> ", "     -> ");
    assert_ne!(source, other);
    let [one, other] = [source, other].map(|text| compiled("shop", &text));
    for target in Target::ALL {
        let [one, other] = [&one, &other].map(|model| model.text(target, &settings()));
        assert_eq!(one, other);
    }
}

#[test]
fn exact_numbers_have_types_of_their_own() {
    let model = model_of(&root().join("models/shop.keyfold"));
    let exact = Settings {
        exact_numbers: true,
        ..settings()
    };
    let text = model.text(Target::Typescript, &exact);
    for line in [
        "  readonly price: keyfold.Decimal;",
        "  readonly stock: bigint;",
        "      numbers: \"exact\",",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn an_attribute_named_kind_moves_the_kind_of_items() {
    let text =
        model_of(&root().join("models/bookmarks.keyfold")).text(Target::Typescript, &settings());
    assert!(
        text.contains("  readonly $kind: \"Annotation\";\n"),
        "{text}"
    );
    assert!(
        text.contains("  readonly kind: AnnotationKind;\n"),
        "{text}"
    );
}

/// `text` as rustfmt prints it.
fn formatted(text: &str) -> String {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).stdin(Stdio::piped());
    let mut rustfmt = rustfmt.stdout(Stdio::piped()).spawn().unwrap();
    let mut given = rustfmt.stdin.take().unwrap();
    given.write_all(text.as_bytes()).unwrap();
    drop(given);
    let done = rustfmt.wait_with_output().unwrap();
    assert!(done.status.success(), "{text}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn clients_in_rust_are_as_rustfmt_prints_them() {
    for path in all_models() {
        let text = model_of(&path).text(Target::Rust, &settings());
        let formatted = formatted(&text);
        let first = text
            .lines()
            .zip(formatted.lines())
            .find(|(one, other)| one != other);
        assert_eq!(first, None, "{}", path.display());
        assert_eq!(text.len(), formatted.len(), "{}", path.display());
    }
}

#[test]
fn exact_numbers_in_rust_have_all_digits() {
    let exact = Settings {
        exact_numbers: true,
        ..settings()
    };
    let text = model_of(&root().join("models/shop.keyfold")).text(Target::Rust, &exact);
    assert!(text.contains("    pub stock: i128,\n"), "{text}");
}

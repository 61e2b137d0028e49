//! The plan document: every model's is one of its schema, and its expressions match what the
//! templates make.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "the models are files")]

use keyfold_codegen::plan;
use keyfold_model::{KeyTemplate, Model, compile, regular};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

const SCHEMA: &str = include_str!("../../../docs/plan.schema.json");

/// The files of all models of the repository: examples, those of existing tables, and those that
/// use every form of the language.
fn model_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let proved = root.join("../crates/keyfold-prove/tests");
    let folders = [root.clone(), root.join("existing"), proved];
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "keyfold")
    });
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    files
}

fn model_of(path: &Path) -> Model {
    let compiled = compile(&std::fs::read_to_string(path).unwrap());
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", path.display()))
}

#[test]
fn each_document_is_one_of_the_schema() {
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for path in model_files() {
        let document = plan::document(&model_of(&path));
        let at = path.display();
        if let Some(error) = schema.iter_errors(&document).next() {
            panic!("{at}: {error} at {}", error.instance_path());
        }
        assert_eq!(
            document,
            plan::document(&model_of(&path)),
            "{at}: not the same twice"
        );
    }
}

/// A runtime looks the table of each plan up, also that of a plan of several items.
#[test]
fn each_plan_names_a_table_of_the_document() {
    fn add_plans<'j>(json: &'j Json, plans: &mut Vec<&'j Json>) {
        if json.get("request").is_some() {
            plans.push(json);
        }
        let members = json.as_object().into_iter().flat_map(|all| all.values());
        let elements = json.as_array().into_iter().flatten();
        members
            .chain(elements)
            .for_each(|one| add_plans(one, plans));
    }
    let mut several = 0;
    for path in model_files() {
        let document = plan::document(&model_of(&path));
        let tables = document["tables"].as_array().unwrap();
        let mut plans = Vec::new();
        add_plans(&document["patterns"], &mut plans);
        for one in plans {
            let is_known = tables.iter().any(|table| table["name"] == one["table"]);
            assert!(is_known, "{}: {one}", path.display());
            several += usize::from(one.get("gets").is_some());
        }
    }
    assert!(several > 0, "no plan of several items");
}

#[test]
fn a_path_is_an_attribute_with_fields() {
    let model = model_of(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../keyfold-prove/tests/paths.keyfold"),
    );
    let document = plan::document(&model);
    let all = document["writes"].as_array().unwrap();
    let action = |name: &str| {
        let write = all.iter().find(|one| one["name"] == name).unwrap();
        write["actions"][0].clone()
    };
    let views = json!({ "attribute": "stats", "fields": ["views"] });
    assert_eq!(
        action("view")["set"][0],
        json!({ "attribute": "stats", "fields": ["views"], "left": views, "joint": "plus",
            "right": { "parameter": "more" } })
    );
    let forget = action("forget");
    assert_eq!(forget["remove"], Json::Null);
    assert_eq!(
        forget["removeFields"],
        json!([
            { "attribute": "stats", "fields": ["likes"] },
            { "attribute": "stats", "fields": ["more"] },
            { "attribute": "counts", "fields": ["eu"] },
        ])
    );
    let like = &action("like")["when"][1];
    assert_eq!(
        like["operands"][0],
        json!({ "attribute": "stats", "fields": ["likes"] })
    );
    assert_eq!(like["text"], "stats.views > stats.likes");
}

#[test]
fn expressions_match_what_templates_can_make() {
    let mut tried = 0;
    for path in model_files() {
        let model = model_of(&path);
        let own = model
            .entities
            .iter()
            .flat_map(|entity| entity.key.templates());
        let templates: Vec<&KeyTemplate> = own.collect();
        let samples: Vec<String> = templates.iter().flat_map(|one| samples(one)).collect();
        for template in templates.iter().filter(|template| !template.is_bare()) {
            let expression = format!("^(?:{})$", regular::expression(&template.parts));
            let schema = json!({ "pattern": expression });
            let schema = jsonschema::draft202012::new(&schema).unwrap();
            for sample in &samples {
                tried += 1;
                assert_eq!(
                    schema.is_valid(&json!(sample)),
                    template.matches(sample),
                    "{template} {expression} {sample}"
                );
            }
        }
    }
    assert!(tried > 5_000, "{tried}");
}

/// Texts that a template really or nearly makes: its own text with other pieces for its fields.
fn samples(template: &KeyTemplate) -> Vec<String> {
    let shown = template.to_string();
    let shown = shown.trim_matches('"');
    let pieces = [
        "a",
        "a#b",
        "",
        "2024-01-15T10:00:00.000Z",
        "2024-01-15",
        "0042",
        "true",
        "\u{1F600}-\u{E9}",
    ];
    let filled = |piece: &str| {
        let mut fields = shown.split('{');
        let start = fields.next().unwrap_or_default().to_owned();
        fields.fold(start, |text, field| {
            let behind = field.split_once('}').map_or("", |(_, behind)| behind);
            text + piece + behind
        })
    };
    pieces.into_iter().map(filled).collect()
}

//! `keyfold check FILE`: how each pattern is served, or what is wrong.

use crate::failure::Failure;
use crate::model_file;
use crate::terminal::{self, GOOD, STRONG};
use clap::Args;
use keyfold_model::{Action, Model, Pattern};
use serde_json::{Value as Json, json};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model.
    file: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<(), Failure> {
    let model = model_file::load(&arguments.file, json)?;
    if json {
        terminal::line(&report(&model).to_string());
    } else {
        show(&model, &arguments.file.display().to_string());
    }
    Ok(())
}

fn consistency(pattern: &Pattern) -> &'static str {
    match (pattern.plan.strong, &pattern.plan.index) {
        (true, _) => "strong",
        (false, _) => "eventual",
    }
}

/// What a pattern promises: one item, perhaps one, or any number.
pub(crate) fn promise(model: &Model, pattern: &Pattern) -> String {
    let one = |returned: &keyfold_model::Returned| {
        let Some(entity) = model.entities.get(returned.entity) else { return String::new() };
        let copy = returned
            .copy
            .and_then(|at| entity.copies.get(at))
            .map_or(String::new(), |copy| format!(".{}", copy.name));
        let count = match (returned.many, returned.optional) {
            (true, _) => "[]",
            (false, true) => "?",
            (false, false) => "",
        };
        format!("{}{copy}{count}", entity.name)
    };
    pattern.returned.iter().map(one).collect::<Vec<_>>().join(" + ")
}

fn order(pattern: &Pattern) -> &'static str {
    if pattern.plan.descending { "descending" } else { "ascending" }
}

fn show(model: &Model, path: &str) {
    let tables = model.tables.iter().map(|table| {
        let indexes: Vec<&str> = table.indexes.iter().map(|index| index.name.as_str()).collect();
        if indexes.is_empty() {
            table.name.clone()
        } else {
            format!("{} with {}", table.name, indexes.join(", "))
        }
    });
    let tables = tables.collect::<Vec<_>>().join("; ");
    terminal::line(&format!("{STRONG}{} {}{STRONG:#}  {tables}\n", model.name, model.version));
    let mut rows = vec![
        ["pattern", "returns", "request", "where", "key condition", "a page", "read"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for pattern in &model.patterns {
        let limit = pattern.plan.page.map_or(String::new(), |page| format!(", {page} items"));
        let order = if pattern.plan.descending { "  descending" } else { "" };
        rows.push(vec![
            pattern.name.clone(),
            promise(model, pattern),
            pattern.plan.request.to_string(),
            pattern.plan.place(),
            format!("{}{order}", pattern.plan.key_condition()),
            format!("1 request{limit}"),
            consistency(pattern).to_owned(),
        ]);
    }
    terminal::table("", &rows);
    for write in &model.writes {
        terminal::line(&format!(
            "\nwrite {}  1 TransactWriteItems: {}",
            write.name,
            actions(model, &write.actions)
        ));
    }
    let entities = terminal::counted(model.entities.len(), "entity").replace("entitys", "entities");
    let patterns = terminal::counted(model.patterns.len(), "pattern");
    terminal::line(&format!(
        "\n{GOOD}proved{GOOD:#} {path}: {entities}, {patterns}: served, exact, disjoint, injective, ordered, covered"
    ));
}

fn actions(model: &Model, actions: &[Action]) -> String {
    let name = |at: &usize| model.entities.get(*at).map_or("", |entity| entity.name.as_str());
    let one = |action: &Action| match action {
        Action::Create { entity } => format!("create {}", name(entity)),
        Action::Delete { entity } => format!("delete {}", name(entity)),
        Action::Update { entity, condition, .. } => match condition {
            Some((attribute, comparator, _)) => {
                format!("update {} if {attribute} {comparator} …", name(entity))
            }
            None => format!("update {}", name(entity)),
        },
    };
    actions.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn report(model: &Model) -> Json {
    let patterns: Vec<Json> = model
        .patterns
        .iter()
        .map(|pattern| {
            json!({
                "name": pattern.name,
                "parameters": pattern.parameters.iter().map(|p| json!({ "name": p.name, "type": p.kind.to_string() })).collect::<Vec<_>>(),
                "returns": promise(model, pattern),
                "request": pattern.plan.request.to_string(),
                "table": pattern.plan.table,
                "index": pattern.plan.index,
                "keyCondition": pattern.plan.key_condition(),
                "order": order(pattern),
                "page": pattern.plan.page,
                "requestsPerPage": 1,
                "consistency": consistency(pattern),
            })
        })
        .collect();
    let writes: Vec<Json> = model
        .writes
        .iter()
        .map(|write| {
            json!({
                "name": write.name,
                "parameters": write.parameters.iter().map(|(name, kind)| json!({ "name": name, "type": kind.to_string() })).collect::<Vec<_>>(),
                "actions": actions(model, &write.actions),
            })
        })
        .collect();
    json!({ "ok": true, "model": model.name, "version": model.version, "patterns": patterns, "writes": writes })
}

//! The definition of an exported table, which the service does not export: a file beside the manifests.
//!
//! The file is the answer of DescribeTable, the body of a CreateTable, or a template of CloudFormation with the
//! table. Expiry and tags are members of the second and third form; the first takes them, too.

use super::{described, refused};
use crate::begin::MADE_BY;
use crate::tables::Found;
use keyfold_api::{ApiError, Operation, Response, TableDescription, Tag};
use keyfold_client::ClientError;
use keyfold_transfer::exported::{Exported, read_file};
use serde_json::{Map, Value as Json, json};

/// The name of the file, in the folder of the export.
pub const FILE: &str = "table.json";
/// The most bytes of the file.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The definition of a table.
pub(super) struct Definition {
    pub(super) table: TableDescription,
    /// The attribute after which its items expire.
    pub(super) expiry: Option<String>,
    pub(super) tags: Vec<Tag>,
}

impl Definition {
    /// The definition of an exported table.
    pub(super) fn of(exported: &Exported) -> Result<Definition, ClientError> {
        let path = exported.root.join(FILE);
        if path.symlink_metadata().is_err() {
            return Err(absent(exported));
        }
        let text = read_file(&path, BYTES_MAX).map_err(refused)?;
        let wrong = |why: String| ClientError::refused(format!("{}: {why}", path.display()));
        let json = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let members = members(&json, exported.table()).map_err(wrong)?;
        if let Some(name) = members.get("TableName").and_then(Json::as_str)
            && name != exported.table()
        {
            return Err(wrong(format!(
                "it defines the table {name}, and the export is of {}",
                exported.table()
            )));
        }
        let table = table(members).map_err(|why| wrong(format!("it defines no table: {why}")))?;
        Ok(Definition {
            expiry: expiry(members),
            tags: tags(members).map_err(wrong)?,
            table: described(exported, table),
        })
    }
}

/// The file of a table's definition: the answer of DescribeTable, with expiry and tags.
pub(super) fn written(found: &Found) -> Result<String, ClientError> {
    let mut body = Vec::new();
    let described = Response::DescribeTable(found.description.clone());
    keyfold_wire::encode_response(&mut body, &described);
    let wrong = |error: serde_json::Error| ClientError::refused(error.to_string());
    let mut json: Json = serde_json::from_slice(&body).map_err(wrong)?;
    if let Some(Json::Object(table)) = json.get_mut("Table") {
        if let Some(attribute) = &found.expiry {
            let set = json!({ "AttributeName": attribute, "Enabled": true });
            table.insert("TimeToLiveSpecification".to_owned(), set);
        }
        let own = found
            .tags
            .iter()
            .filter(|tag| tag.key.as_deref() != Some(MADE_BY));
        let tags = own.map(|tag| json!({ "Key": tag.key, "Value": tag.value }));
        table.insert("Tags".to_owned(), tags.collect());
    }
    serde_json::to_string_pretty(&json).map_err(wrong)
}

fn absent(exported: &Exported) -> ClientError {
    let (table, path) = (exported.table(), exported.root.join(FILE));
    ClientError::refused(format!(
        "an export does not say which key the table {table} has: write its definition to {}, as `aws dynamodb \
         describe-table --table-name {table}` prints it, or `keyfold export cloudformation` of its model",
        path.display()
    ))
}

/// The members of the table in one of the three forms.
fn members<'j>(json: &'j Json, table: &str) -> Result<&'j Map<String, Json>, String> {
    let none = || {
        format!(
            "it has no table {table}: it is none of an answer of DescribeTable, a body of CreateTable, and a \
             template of CloudFormation"
        )
    };
    if let Some(Json::Object(members)) = json.get("Table") {
        return Ok(members);
    }
    if let Some(Json::Object(resources)) = json.get("Resources") {
        let properties = resources.values().filter(|one| {
            let kind = one.get("Type").and_then(Json::as_str);
            kind.is_some_and(|kind| kind.starts_with("AWS::DynamoDB::"))
        });
        let mut properties = properties.filter_map(|one| one.get("Properties")?.as_object());
        let is_it = |one: &&Map<String, Json>| one.get("TableName") == Some(&json!(table));
        return properties.find(is_it).ok_or_else(none);
    }
    json.as_object()
        .filter(|members| members.contains_key("KeySchema"))
        .ok_or_else(none)
}

/// The description of a table by its members.
fn table(members: &Map<String, Json>) -> Result<TableDescription, String> {
    let mut table = Map::new();
    for name in [
        "AttributeDefinitions",
        "KeySchema",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "BillingModeSummary",
        "ProvisionedThroughput",
        "OnDemandThroughput",
        "StreamSpecification",
        "TableClassSummary",
        "DeletionProtectionEnabled",
    ] {
        let given = members.get(name).filter(|given| !given.is_null());
        if let Some(given) = given {
            table.insert(name.to_owned(), given.clone());
        }
    }
    for (name, summary) in [
        ("BillingMode", "BillingModeSummary"),
        ("TableClass", "TableClassSummary"),
    ] {
        if let Some(given) = members.get(name) {
            table.insert(summary.to_owned(), json!({ name: given }));
        }
    }
    // Templates have no member for what they say by having the others.
    if let Some(Json::Object(stream)) = table.get_mut("StreamSpecification") {
        stream.entry("StreamEnabled").or_insert(json!(true));
    }
    let body = json!({ "Table": table }).to_string();
    let decoded = keyfold_wire::client::decode_response(Operation::DescribeTable, body.as_bytes());
    match decoded {
        Ok(Response::DescribeTable(table)) => Ok(table),
        Ok(_) => Err("it is no description".to_owned()),
        Err(error) => Err(ApiError::from(error).message().unwrap_or_default()),
    }
}

/// The attribute after which items expire.
fn expiry(members: &Map<String, Json>) -> Option<String> {
    let asked = members.get("TimeToLiveSpecification");
    let asked = asked.filter(|one| one.get("Enabled") != Some(&json!(false)));
    let stands = members.get("TimeToLiveDescription");
    let stands = stands.filter(|one| one.get("TimeToLiveStatus") == Some(&json!("ENABLED")));
    let name = asked.or(stands)?.get("AttributeName")?;
    name.as_str().map(str::to_owned)
}

fn tags(members: &Map<String, Json>) -> Result<Vec<Tag>, String> {
    let Some(tags) = members.get("Tags").and_then(Json::as_array) else {
        return Ok(Vec::new());
    };
    let text = |tag: &Json, name: &str| tag.get(name).and_then(Json::as_str).map(str::to_owned);
    let all = tags.iter().map(|tag| {
        Some(Tag {
            key: Some(text(tag, "Key")?),
            value: Some(text(tag, "Value")?),
        })
    });
    all.collect::<Option<Vec<Tag>>>()
        .ok_or_else(|| "a tag has a Key and a Value".to_owned())
}

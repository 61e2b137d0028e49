//! Wrong requests to an application in `examples`, made from its description: a member that is missing
//! or wrong is named in `field`, in every API alike, and the sentence about it is whole.

use crate::answer::{Answer, ask, is_problem, send};
use serde_json::Value;

/// Sends each route an empty body, no query, and numbers that are none.
pub(crate) fn are_named(address: &str) -> Result<(), String> {
    let Some(description) = description(address)? else {
        return Ok(());
    };
    let paths = description["paths"].as_object().into_iter().flatten();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let route = Route {
                method: method.to_uppercase(),
                path: filled(path),
                named: names(operation, "path"),
            };
            let wrong = wrong_requests(&description, operation);
            for Wrong { query, body, named } in wrong {
                let line = format!("{} {}{query} HTTP/1.1", route.method, route.path);
                let headers = [("host", address), ("content-type", "application/json")];
                let answer = send(address, &line, &headers, body)?;
                let named = [named, route.named.clone()].concat();
                is_named(&answer, &named).map_err(|why| format!("{line} {body}: {why}"))?;
            }
        }
    }
    Ok(())
}

struct Route {
    method: String,
    path: String,
    /// The members that the path names, which may be wrong as well.
    named: Vec<String>,
}

/// A request that lacks something or has something wrong, and the members that may be named then.
struct Wrong {
    query: String,
    body: &'static str,
    named: Vec<String>,
}

fn description(address: &str) -> Result<Option<Value>, String> {
    for path in ["/api/openapi.json", "/openapi.json"] {
        let found = ask(
            address,
            &format!("GET {path} HTTP/1.1"),
            &[("host", address)],
        )?;
        if found.status == 200 {
            let read = serde_json::from_str(&found.body);
            return read.map(Some).map_err(|error| format!("{path}: {error}"));
        }
    }
    Ok(None)
}

/// A path whose parts have a value.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| match part.starts_with('{') {
        true => "1",
        false => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The parameters of an operation that are in its path or in its query.
fn parameters<'o>(operation: &'o Value, place: &'static str) -> impl Iterator<Item = &'o Value> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    all.filter(move |one| one["in"] == place)
}

fn name(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn names(operation: &Value, place: &'static str) -> Vec<String> {
    let found = parameters(operation, place).map(|one| name(&one["name"]));
    found.collect()
}

fn wrong_requests(description: &Value, operation: &Value) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let in_query = names(operation, "query");
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let required = &resolved(description, body)["required"];
    let required: Vec<String> = (required.as_array().into_iter().flatten())
        .map(name)
        .collect();
    if !required.is_empty() {
        wrong.push(Wrong {
            query: String::new(),
            body: "{}",
            named: required,
        });
    }
    if parameters(operation, "query").any(|one| one["required"] == true) {
        wrong.push(Wrong {
            query: String::new(),
            body: "",
            named: in_query.clone(),
        });
    }
    for one in parameters(operation, "query").filter(|one| one["schema"]["type"] == "integer") {
        wrong.push(Wrong {
            query: format!("?{}=abc", name(&one["name"])),
            body: "",
            named: in_query.clone(),
        });
    }
    wrong
}

/// A schema, also where it stands elsewhere in the description.
fn resolved<'d>(description: &'d Value, schema: &'d Value) -> &'d Value {
    let pointer = schema["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix('#'));
    pointer
        .and_then(|pointer| description.pointer(pointer))
        .unwrap_or(schema)
}

/// Whether an answer is a problem with one of these members and a sentence; or says that the path
/// leads nowhere.
fn is_named(answer: &Answer, named: &[String]) -> Result<(), String> {
    if answer.status == 404 {
        return is_problem(answer, 404, "not_found");
    }
    is_problem(answer, 400, "invalid")?;
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let field = name(&body["field"]);
    if !named.contains(&field) {
        return Err(format!("the field is none of {named:?}: {}", answer.body));
    }
    let detail = name(&body["detail"]);
    let inside = [
        "deserialize",
        "the pattern ",
        "missing field `",
        "undefined",
    ];
    match detail.ends_with('.') && !inside.iter().any(|word| detail.contains(word)) {
        true => Ok(()),
        false => Err(format!(
            "no whole sentence, or one about what is inside: {detail}"
        )),
    }
}

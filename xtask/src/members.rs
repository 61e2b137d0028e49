//! Wrong requests to an application in `examples`, made from its description: a member that is missing
//! or wrong is named in `field`, in every API alike, and the sentence about it is whole.

use crate::answer::{Answer, ask, is_problem, problem, send};
use crate::schemas::{good, paths, resolved, spoilt, with_unknown};
use serde_json::Value;

/// What a reader of JSON does with a member that an object has twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubles {
    Refused,
    /// The last one is taken, as JavaScript does.
    Taken,
}

/// Sends each route an empty body, no query, numbers that are none, and all that a model, a decoder or a router
/// refuses.
pub(crate) fn are_named(address: &str, doubles: Doubles) -> Result<(), String> {
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
            Hostile::of(address, &description, (method, path), operation).are_told(doubles)?;
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
    is_sentence(&body)
}

/// Words of programs: of Keyfold's models, of decoders and of routers.
const INSIDE: [&str; 21] = [
    "deserialize",
    "attern",
    "missing field `",
    "undefined",
    "NaN",
    "PK",
    "SK",
    ":escape",
    "template",
    "cursor of",
    "of the batch",
    "column",
    "EOF",
    "recursion",
    "UTF-8 in `",
    "Input should",
    "Field required",
    "Extra inputs",
    "String should",
    "Not Found",
    "Not Allowed",
];

/// Whether the detail of a problem is a whole sentence, and about nothing that is inside.
fn is_sentence(problem: &Value) -> Result<(), String> {
    let detail = name(&problem["detail"]);
    let is_whole = detail.ends_with('.') && !detail.starts_with(char::is_lowercase);
    match is_whole && !INSIDE.iter().any(|word| detail.contains(word)) {
        true => Ok(()),
        false => Err(format!(
            "no whole sentence, or one about what is inside: {detail}"
        )),
    }
}

/// Requests to a route with what nobody sends by mistake.
struct Hostile<'d> {
    address: &'d str,
    method: String,
    path: &'d str,
    operation: &'d Value,
    /// The body that its description takes.
    body: Option<Value>,
    /// All members of the request.
    members: Vec<String>,
}

impl<'d> Hostile<'d> {
    fn of(
        address: &'d str,
        description: &'d Value,
        (method, path): (&str, &'d str),
        operation: &'d Value,
    ) -> Hostile<'d> {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let mut members = [names(operation, "path"), names(operation, "query")].concat();
        members.extend(paths(description, schema, ""));
        Hostile {
            address,
            method: method.to_uppercase(),
            path,
            operation,
            body: schema.is_object().then(|| good(description, schema)),
            members,
        }
    }

    fn are_told(&self, doubles: Doubles) -> Result<(), String> {
        // An answer that never ends is none that a test reads.
        if self.path.ends_with("/events") {
            return Ok(());
        }
        let long = "a".repeat(5000);
        let sent = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        let values = ["%00", "%ff", "%F4%8F%BF%BF", "%23", &long];
        for value in values {
            for part in names(self.operation, "path") {
                let path = self.path.replace(&format!("{{{part}}}"), value);
                self.is_told(&filled(&path), &sent)?;
            }
            for part in names(self.operation, "query") {
                self.is_told(&format!("{}?{part}={value}", filled(self.path)), &sent)?;
            }
        }
        let Some(body) = &self.body else {
            return Ok(());
        };
        for text in ["{", "[]", "5", "{} {}", "{'a':1}"] {
            self.is_told(&filled(self.path), text)?;
        }
        self.is_told(&filled(self.path), &"[".repeat(3000))?;
        for spoilt in spoilt(body) {
            self.is_told(&filled(self.path), &spoilt.to_string())?;
        }
        for (field, unknown) in with_unknown(body) {
            self.is_refused(&unknown.to_string(), &field)?;
        }
        let first = body.as_object().and_then(|members| members.iter().next());
        if let (Some((name, value)), Doubles::Refused) = (first, doubles) {
            let twice = sent.replacen('{', &format!("{{\"{name}\":{value},"), 1);
            self.is_refused(&twice, name)?;
        }
        Ok(())
    }

    fn send(&self, path: &str, body: &str) -> Result<(String, Answer), String> {
        let line = format!("{} {path} HTTP/1.1", self.method);
        let headers = [("host", self.address), ("content-type", "application/json")];
        let answer = send(self.address, &line, &headers, body)?;
        let shown: String = format!("{line} {body}").chars().take(300).collect();
        Ok((shown, answer))
    }

    /// Asks for an answer without an error of the application's own: one that is refused is a problem with a
    /// sentence, and names no field but one of the request's own members.
    fn is_told(&self, path: &str, body: &str) -> Result<(), String> {
        let (request, answer) = self.send(path, body)?;
        if answer.status < 400 {
            return Ok(());
        }
        let told = |why: String| format!("{request}: {why}");
        let problem = problem(&answer).map_err(told)?;
        is_sentence(&problem).map_err(told)?;
        let is_own = (problem["field"].as_str())
            .is_none_or(|field| self.members.iter().any(|own| own == field));
        match answer.status < 500 && is_own {
            true => Ok(()),
            false => Err(told(format!("it is told as {problem}"))),
        }
    }

    /// Asks for the refusal of a body by the name of one member.
    fn is_refused(&self, body: &str, field: &str) -> Result<(), String> {
        let (request, answer) = self.send(&filled(self.path), body)?;
        let told = |why: String| format!("{request}: {why}");
        is_problem(&answer, 400, "invalid").map_err(told)?;
        let problem = problem(&answer).map_err(told)?;
        is_sentence(&problem).map_err(told)?;
        match problem["field"] == *field
            || names(self.operation, "path").contains(&name(&problem["field"]))
        {
            true => Ok(()),
            false => Err(told(format!("the field is not {field}: {problem}"))),
        }
    }
}

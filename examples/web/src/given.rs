//! Bodies and queries of requests, read into types. A problem names the member that is wrong.

use crate::once::{twice, within};
use crate::problem::Problem;
use crate::refused::{cut, shown};
use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The body of a request: an object of JSON.
///
/// # Errors
/// A body that is no object of this form is a problem that names the member.
pub fn decoded<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let read = |text: &[u8]| Ok((twice(text)?, serde_json::from_slice::<Value>(text)?));
    let (twice, body) = read(body).map_err(|why| Problem::invalid(unread(body, &why)))?;
    if let Some(field) = twice {
        let detail = format!("The body has the member {field} twice. Send it once.");
        return Err(Problem::wrong(field, detail));
    }
    if !body.is_object() {
        let detail = "The body is no object. Send its members in braces.";
        return Err(Problem::invalid(detail));
    }
    serde_path_to_error::deserialize(body).map_err(|why| {
        let path = match why.path().iter().next() {
            Some(_) => why.path().to_string(),
            // Of the body as a whole.
            None => String::new(),
        };
        of_body(&path, &why.inner().to_string())
    })
}

/// The sentence about a body that is no JSON.
fn unread(body: &[u8], why: &serde_json::Error) -> String {
    if body.trim_ascii().is_empty() {
        return "The body is empty. Send an object of JSON.".to_owned();
    }
    let said = why.to_string();
    if said.starts_with("recursion limit") {
        return "The body is nested too deeply. Send it as /api/openapi.json has it.".to_owned();
    }
    if said.starts_with("number out of range") {
        return "The body has a number that is too large. Send a smaller one.".to_owned();
    }
    let (line, column) = (why.line(), why.column());
    if why.is_eof() {
        return "The body ends before its JSON does. Send all of it.".to_owned();
    }
    format!("The body is no JSON: it is wrong in line {line}, character {column}. Correct it.")
}

/// The problem of a body, from the sentence of its decoder about the value at a path.
fn of_body(path: &str, why: &str) -> Problem {
    let within = |name: &str| within(path, name);
    if let Some(name) = quoted(why, "missing field `") {
        let field = within(name);
        let detail = format!("The member {field} is missing. Send it.");
        return Problem::wrong(field, detail);
    }
    if let Some(name) = quoted(why, "unknown field `") {
        // The path of a member that nothing takes is its own, or that of its object.
        let is_own = path == name || path.ends_with(&format!(".{name}"));
        let field = if is_own {
            path.to_owned()
        } else {
            within(name)
        };
        let detail = format!("The body has no member {field}. Leave it out.");
        return Problem::wrong(field, detail);
    }
    let given =
        (why.strip_prefix("invalid type: ")).or_else(|| why.strip_prefix("invalid value: "));
    let detail = match given.and_then(|given| given.rsplit_once(", expected ")) {
        Some((given, wanted)) => {
            let (given, wanted) = (given_as(given), wanted_as(wanted));
            format!("The member {path} is {given}. Send {wanted}.")
        }
        None => format!(
            "The member {path} is not taken. /api/openapi.json says what it has to be: send that."
        ),
    };
    Problem::wrong(path, detail)
}

/// The name in quotes behind the start of a sentence.
fn quoted<'w>(why: &'w str, start: &str) -> Option<&'w str> {
    let (name, _) = why.strip_prefix(start)?.split_once('`')?;
    Some(name)
}

/// What was given, by its name in JSON.
fn given_as(given: &str) -> String {
    if let Some(text) = given.strip_prefix("string ") {
        let text = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        return format!("the text \"{}\"", cut(text.unwrap_or_default()));
    }
    let value = given
        .split_once('`')
        .and_then(|(_, rest)| rest.split_once('`'));
    match (value, given) {
        (Some((value, _)), _) => value.to_owned(),
        (None, "sequence") => "an array".to_owned(),
        (None, "map") => "an object".to_owned(),
        (None, given) => given.to_owned(),
    }
}

/// A type of Rust by its name in JSON.
fn wanted_as(wanted: &str) -> &str {
    match wanted {
        "u32" => "a whole number from 0 to 4,294,967,295",
        "i64" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" => "an array",
        wanted => wanted,
    }
}

/// The parts of a path. A problem names the one that cannot be read.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path<T>, Problem> {
        let read = extract::Path::<T>::from_request_parts(parts, state).await;
        let extract::Path(read) = read.map_err(|why| of_path(&why))?;
        Ok(Path(read))
    }
}

/// The problem of a path, all parts of which are texts.
fn of_path(why: &PathRejection) -> Problem {
    if let PathRejection::FailedToDeserializePathParams(why) = why
        && let ErrorKind::InvalidUtf8InPathParam { key } = why.kind()
    {
        let detail = format!("In the path {key} is no text. Send it in UTF-8.");
        return Problem::wrong(key, detail);
    }
    Problem::invalid("The path cannot be read. /api/openapi.json has the paths.")
}

/// The query of a request. A problem names the member that is missing or cannot be read.
#[derive(Debug)]
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Problem> {
        queried(parts.uri.query().unwrap_or_default()).map(Asked)
    }
}

fn queried<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let read = serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs));
    read.map_err(|why| {
        let said = why.inner().to_string();
        let twice = quoted(&said, "duplicate field `");
        if let Some(name) = twice {
            let detail = format!("The query has {name} more than once. Send it once.");
            return Problem::wrong(name, detail);
        }
        if let Some(name) = quoted(&said, "missing field `") {
            return Problem::wrong(name, format!("The query has no {name}. Send it."));
        }
        let name = why.path().to_string();
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let given = pairs.find(|(key, _)| *key == name);
        let given = given.map(|(_, value)| value).unwrap_or_default();
        // All that is no text in a query is a number from 0.
        let detail = format!(
            "In the query {name} is {}. Send a whole number from 0.",
            shown(&given)
        );
        Problem::wrong(name, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::{decoded, queried};
    use crate::problem::Problem;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        id: String,
        places: u32,
        #[serde(default)]
        points: Vec<i64>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Range {
        from: String,
        limit: Option<u32>,
    }

    fn refused<T: DeserializeOwned + std::fmt::Debug>(given: Result<T, Problem>) -> [String; 2] {
        let problem = given.unwrap_err();
        let field = problem.field().unwrap_or_default().to_owned();
        [field, problem.detail().to_owned()]
    }

    #[test]
    fn a_wrong_body_names_its_member() {
        let of = |body: &str| refused(decoded::<Given>(body.as_bytes()));
        let given = decoded::<Given>(br#"{"id":"a","places":2}"#).unwrap();
        assert_eq!((given.id.as_str(), given.places), ("a", 2));
        for (body, field, detail) in [
            (
                r#"{"id":"a","places":"1"}"#,
                "places",
                "The member places is the text \"1\". Send a whole number from 0 to 4,294,967,295.",
            ),
            (
                r#"{"id":"a","places":-1}"#,
                "places",
                "The member places is -1. Send a whole number from 0 to 4,294,967,295.",
            ),
            (
                r#"{"id":[],"places":1}"#,
                "id",
                "The member id is an array. Send a text.",
            ),
            (
                r#"{"id":"a","places":1,"points":[1,null]}"#,
                "points[1]",
                "The member points[1] is null. Send a whole number.",
            ),
            (
                r#"{"id":"a"}"#,
                "places",
                "The member places is missing. Send it.",
            ),
            (
                r#"{"id":"a","places":1,"sort":1}"#,
                "sort",
                "The body has no member sort. Leave it out.",
            ),
        ] {
            assert_eq!(of(body), [field, detail], "{body}");
        }
        for no_object in [r#"["a",2]"#, "[]", "null", "5"] {
            let [field, detail] = of(no_object);
            assert_eq!(field, "");
            assert!(detail.starts_with("The body is no object."));
        }
        for (no_json, detail) in [
            ("", "The body is empty. Send an object of JSON."),
            ("{", "The body ends before its JSON does. Send all of it."),
            (
                "{'a':1}",
                "The body is no JSON: it is wrong in line 1, character 2. Correct it.",
            ),
            (
                r#"{"places":1e999}"#,
                "The body has a number that is too large. Send a smaller one.",
            ),
        ] {
            assert_eq!(of(no_json), ["", detail], "{no_json}");
        }
        let deep = "[".repeat(500);
        assert!(of(&deep)[1].starts_with("The body is nested too deeply. "));
    }

    #[test]
    fn a_member_twice_is_named_by_its_path() {
        let twice = |field: &str| {
            let detail = format!("The body has the member {field} twice. Send it once.");
            [field.to_owned(), detail]
        };
        let of = |body: &str| refused(decoded::<Value>(body.as_bytes()));
        assert_eq!(of(r#"{"id":"a","id":"a"}"#), twice("id"));
        assert_eq!(
            of(r#"{"a":[{"b":1},{"b":1,"c":2,"b":1}]}"#),
            twice("a[1].b")
        );
        assert_eq!(of(r#"{"a":{"b":1,"b":1},"a":1}"#), twice("a.b"));
        decoded::<Value>(br#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#).unwrap();
    }

    #[test]
    fn a_wrong_query_names_its_member() {
        let of = |query: &str| refused(queried::<Range>(query));
        let read = queried::<Range>("from=a+b&limit=2&other=1").unwrap();
        assert_eq!((read.from.as_str(), read.limit), ("a b", Some(2)));
        let missing = ["from", "The query has no from. Send it."];
        assert_eq!(of("limit=2"), missing);
        for wrong in ["abc", "-1", "", "1.5"] {
            let detail = format!("In the query limit is {wrong:?}. Send a whole number from 0.");
            assert_eq!(of(&format!("from=x&limit={wrong}")), ["limit", &detail]);
        }
        let twice = ["from", "The query has from more than once. Send it once."];
        assert_eq!(of("from=1&from=2"), twice);
    }
}

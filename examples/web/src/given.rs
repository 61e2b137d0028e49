//! Bodies and queries of requests, read into types. A problem names the member that is wrong.

use crate::problem::Problem;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The body of a request: an object of JSON.
///
/// # Errors
/// A body that is no object of this form is a problem that names the member.
pub fn decoded<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|why| Problem::invalid(format!("The body is no JSON: {why}.")))?;
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

/// The problem of a body, from the sentence of its decoder about the value at a path.
fn of_body(path: &str, why: &str) -> Problem {
    let within = |name: &str| match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
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
    let detail = match given.and_then(|given| given.split_once(", expected ")) {
        Some((given, wanted)) => {
            let (given, wanted) = (given_as(given), wanted_as(wanted));
            format!("The member {path} is {given}. Send {wanted}.")
        }
        None => format!("The member {path} cannot be read: {why}."),
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
        return format!("the text {text}");
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
        "a string" => "a text",
        "a sequence" => "an array",
        wanted => wanted,
    }
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
        let detail = format!("In the query {name} is {given:?}. Send a whole number from 0.");
        Problem::wrong(name, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::{decoded, queried};
    use crate::problem::Problem;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

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
        assert!(of("{")[1].starts_with("The body is no JSON: "));
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

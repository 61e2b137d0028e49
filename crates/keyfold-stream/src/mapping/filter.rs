//! Filter criteria: patterns in JSON over a record, as AWS documents them for event source mappings.
//!
//! A pattern has the names of the record. Behind each stand further names, or a list of rules of which
//! one must hold; all names of a pattern must match. Numbers of items are texts in a record
//! (`{"N": "12"}`), and so are compared as texts; `numeric` is for numbers of the record itself.

use serde_json::{Map, Number, Value as Json};
use std::cmp::Ordering;

/// The longest pattern.
const LENGTH_MAX: usize = 4_096;

/// A pattern that a record matches or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern(Node);

#[derive(Debug, Clone, PartialEq)]
struct Node {
    fields: Vec<(String, Wanted)>,
    /// Each is a group of patterns of which one must match.
    either: Vec<Vec<Node>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Wanted {
    Within(Node),
    OneOf(Vec<Rule>),
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq)]
enum Rule {
    Is(Json),
    Prefix(String),
    Suffix(String),
    AnyCase(String),
    AnythingBut(Vec<Json>),
    AnythingButPrefix(String),
    AnythingButSuffix(String),
    Exists(bool),
    Numeric(Vec<(Comparison, f64)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A sentence about what is wrong.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        if text.len() > LENGTH_MAX {
            return Err(format!("a filter has at most {LENGTH_MAX} characters"));
        }
        let json: Json = serde_json::from_str(text)
            .map_err(|error| format!("the filter is no JSON: {error}"))?;
        match &json {
            Json::Object(fields) => Node::of(fields, "the filter").map(Pattern),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                Err("a filter is a JSON object, such as {\"eventName\":[\"INSERT\"]}".to_owned())
            }
        }
    }

    /// Whether a record, as an event has it, matches.
    pub fn matches(&self, record: &Json) -> bool {
        self.0.matches(Some(record))
    }
}

impl Node {
    fn of(map: &Map<String, Json>, place: &str) -> Result<Node, String> {
        if map.is_empty() {
            return Err(format!("{place} is empty: it names at least one field"));
        }
        let mut node = Node {
            fields: Vec::new(),
            either: Vec::new(),
        };
        for (name, wanted) in map {
            let place = format!("`{name}` of the filter");
            match wanted {
                Json::Array(nodes) if name == "$or" => node.either.push(either(nodes)?),
                Json::Object(fields) => {
                    let within = Wanted::Within(Node::of(fields, &place)?);
                    node.fields.push((name.clone(), within));
                }
                Json::Array(rules) if rules.is_empty() => {
                    return Err(format!("{place} is an empty list, which nothing matches"));
                }
                Json::Array(rules) => {
                    let rules = rules.iter().map(|rule| Rule::of(rule, &place));
                    let rules = rules.collect::<Result<_, _>>()?;
                    node.fields.push((name.clone(), Wanted::OneOf(rules)));
                }
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                    return Err(format!(
                        "{place} is a list of values or rules: write [{wanted}]"
                    ));
                }
            }
        }
        Ok(node)
    }

    fn matches(&self, value: Option<&Json>) -> bool {
        let fields = value.and_then(Json::as_object);
        let of = |name: &str| fields.and_then(|fields| fields.get(name));
        let all = self.fields.iter().all(|(name, wanted)| match wanted {
            Wanted::Within(node) => node.matches(of(name)),
            Wanted::OneOf(rules) => rules.iter().any(|rule| rule.holds(of(name))),
        });
        all && self
            .either
            .iter()
            .all(|nodes| nodes.iter().any(|node| node.matches(value)))
    }
}

/// The patterns of an `$or`.
fn either(nodes: &[Json]) -> Result<Vec<Node>, String> {
    let node = |one: &Json| {
        let fields = one
            .as_object()
            .ok_or("`$or` of the filter is a list of patterns")?;
        Node::of(fields, "a pattern of `$or`")
    };
    match nodes.len() < 2 {
        true => Err("`$or` of the filter has at least two patterns".to_owned()),
        false => nodes.iter().map(node).collect(),
    }
}

impl Rule {
    fn of(rule: &Json, place: &str) -> Result<Rule, String> {
        let map = match rule {
            Json::Object(map) => map,
            Json::Array(_) => return Err(format!("{place} has a list in a list")),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                return Ok(Rule::Is(rule.clone()));
            }
        };
        let mut entries = map.iter();
        let (Some((name, value)), None) = (entries.next(), entries.next()) else {
            return Err(format!(
                "{place}: a rule has one name, such as {{\"prefix\":\"A\"}}"
            ));
        };
        let text = || text(value, name, place);
        Ok(match name.as_str() {
            "prefix" => Rule::Prefix(text()?),
            "suffix" => Rule::Suffix(text()?),
            "equals-ignore-case" => Rule::AnyCase(text()?.to_lowercase()),
            "anything-but" => anything_but(value, place)?,
            "numeric" => Rule::Numeric(comparisons(value, place)?),
            "exists" => {
                let exists = value.as_bool();
                Rule::Exists(exists.ok_or_else(|| format!("{place}: `exists` is true or false"))?)
            }
            other => {
                return Err(format!(
                    "{place}: there is no rule `{other}`: prefix, suffix, equals-ignore-case, \
                     anything-but, numeric and exists are the rules"
                ));
            }
        })
    }

    /// Whether the rule holds for the value of a field, or for a field that is absent. A list matches
    /// when one of its elements does.
    fn holds(&self, value: Option<&Json>) -> bool {
        match (self, value) {
            (Rule::Exists(wanted), value) => {
                // Only a leaf exists: names with further names within them do not.
                let is_leaf = value.is_some_and(|value| !value.is_object());
                is_leaf == *wanted
            }
            (_, None) => false,
            (_, Some(Json::Array(list))) => list.iter().any(|one| self.holds_for(one)),
            (_, Some(value)) => self.holds_for(value),
        }
    }

    fn holds_for(&self, value: &Json) -> bool {
        let text = value.as_str();
        match self {
            Rule::Is(wanted) => is_equal(wanted, value),
            Rule::Prefix(prefix) => text.is_some_and(|text| text.starts_with(prefix)),
            Rule::Suffix(suffix) => text.is_some_and(|text| text.ends_with(suffix)),
            Rule::AnyCase(wanted) => text.is_some_and(|text| text.to_lowercase() == *wanted),
            Rule::AnythingBut(not) => {
                !value.is_object() && !not.iter().any(|one| is_equal(one, value))
            }
            Rule::AnythingButPrefix(prefix) => text.is_some_and(|text| !text.starts_with(prefix)),
            Rule::AnythingButSuffix(suffix) => text.is_some_and(|text| !text.ends_with(suffix)),
            Rule::Exists(wanted) => *wanted,
            Rule::Numeric(comparisons) => value.as_f64().is_some_and(|number| {
                comparisons
                    .iter()
                    .all(|(comparison, bound)| comparison.holds(number, *bound))
            }),
        }
    }
}

fn is_equal(one: &Json, other: &Json) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other) == Ordering::Equal,
        (_, _) => one == other,
    }
}

fn text(value: &Json, name: &str, place: &str) -> Result<String, String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| format!("{place}: `{name}` is a text"))
}

fn anything_but(value: &Json, place: &str) -> Result<Rule, String> {
    let wrong = || format!("{place}: `anything-but` is a text, a number, or a list of them");
    match value {
        Json::Object(map) => {
            let mut entries = map.iter();
            match (entries.next(), entries.next()) {
                (Some((name, value)), None) if name == "prefix" => {
                    Ok(Rule::AnythingButPrefix(text(value, name, place)?))
                }
                (Some((name, value)), None) if name == "suffix" => {
                    Ok(Rule::AnythingButSuffix(text(value, name, place)?))
                }
                (_, _) => Err(format!("{}; or a prefix or suffix", wrong())),
            }
        }
        Json::Array(list) => {
            let is_plain = |one: &Json| one.is_string() || one.is_number();
            match !list.is_empty() && list.iter().all(is_plain) {
                true => Ok(Rule::AnythingBut(list.clone())),
                false => Err(wrong()),
            }
        }
        Json::String(_) | Json::Number(_) => Ok(Rule::AnythingBut(vec![value.clone()])),
        Json::Null | Json::Bool(_) => Err(wrong()),
    }
}

fn comparisons(value: &Json, place: &str) -> Result<Vec<(Comparison, f64)>, String> {
    let wrong = || format!("{place}: `numeric` is a list such as [\">\", 0, \"<=\", 5]");
    let list = value.as_array().filter(|list| [2, 4].contains(&list.len()));
    let (pairs, _) = list.ok_or_else(wrong)?.as_chunks::<2>();
    let pair = |[sign, bound]: &[Json; 2]| {
        let comparison = sign.as_str().and_then(Comparison::of);
        comparison
            .zip(bound.as_number().and_then(Number::as_f64))
            .ok_or_else(wrong)
    };
    pairs.iter().map(pair).collect()
}

impl Comparison {
    fn of(sign: &str) -> Option<Comparison> {
        Some(match sign {
            "=" => Comparison::Equal,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => return None,
        })
    }

    fn holds(self, number: f64, bound: f64) -> bool {
        match self {
            Comparison::Equal => number.total_cmp(&bound) == Ordering::Equal,
            Comparison::Less => number < bound,
            Comparison::AtMost => number <= bound,
            Comparison::Greater => number > bound,
            Comparison::AtLeast => number >= bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record() -> Json {
        json!({
            "eventName": "MODIFY",
            "dynamodb": {
                "SizeBytes": 26,
                "Keys": {"id": {"S": "order-17"}},
                "NewImage": {
                    "id": {"S": "order-17"}, "status": {"S": "Paid"}, "total": {"N": "101"},
                    "note": {"S": ""}, "open": {"BOOL": true}, "none": {"NULL": true},
                    "tags": {"SS": ["red", "blue"]},
                },
            },
        })
    }

    /// One row for each operator that AWS documents, with a pattern that matches and one that does not.
    #[test]
    fn each_documented_operator_matches_and_does_not() {
        let image = |rule: Json| json!({"dynamodb": {"NewImage": rule}});
        for (name, matching, other) in [
            (
                "equals",
                json!({"eventName": ["MODIFY"]}),
                json!({"eventName": ["modify"]}),
            ),
            (
                "or",
                json!({"eventName": ["INSERT", "MODIFY"]}),
                json!({"eventName": ["INSERT"]}),
            ),
            (
                "and",
                image(json!({"status": {"S": ["Paid"]}, "total": {"N": ["101"]}})),
                image(json!({"status": {"S": ["Paid"]}, "total": {"N": ["102"]}})),
            ),
            (
                "empty",
                image(json!({"note": {"S": [""]}})),
                image(json!({"id": {"S": [""]}})),
            ),
            (
                "null",
                json!({"dynamodb": {"SizeBytes": [26, null]}}),
                json!({"eventName": [null]}),
            ),
            (
                "boolean",
                image(json!({"open": {"BOOL": [true]}})),
                image(json!({"open": {"BOOL": [false]}})),
            ),
            (
                "ignore case",
                image(json!({"status": {"S": [{"equals-ignore-case": "pAID"}]}})),
                image(json!({"status": {"S": [{"equals-ignore-case": "open"}]}})),
            ),
            (
                "not",
                image(json!({"status": {"S": [{"anything-but": ["Open", "Sent"]}]}})),
                image(json!({"status": {"S": [{"anything-but": "Paid"}]}})),
            ),
            (
                "numeric equals",
                json!({"dynamodb": {"SizeBytes": [{"numeric": ["=", 26.0]}]}}),
                json!({"dynamodb": {"SizeBytes": [{"numeric": ["=", 27]}]}}),
            ),
            (
                "numeric range",
                json!({"dynamodb": {"SizeBytes": [{"numeric": [">", 10, "<=", 26]}]}}),
                json!({"dynamodb": {"SizeBytes": [{"numeric": [">=", 10, "<", 26]}]}}),
            ),
            (
                "exists",
                image(json!({"id": {"S": [{"exists": true}]}})),
                image(json!({"gone": {"S": [{"exists": true}]}})),
            ),
            (
                "does not exist",
                image(json!({"gone": {"S": [{"exists": false}]}})),
                image(json!({"id": {"S": [{"exists": false}]}})),
            ),
            (
                "prefix",
                image(json!({"id": {"S": [{"prefix": "order-"}]}})),
                image(json!({"id": {"S": [{"prefix": "Order-"}]}})),
            ),
            (
                "suffix",
                image(json!({"id": {"S": [{"suffix": "17"}]}})),
                image(json!({"id": {"S": [{"suffix": "18"}]}})),
            ),
            (
                "or of fields",
                json!({"$or": [{"eventName": ["INSERT"]}, {"dynamodb": {"SizeBytes": [26]}}]}),
                json!({"$or": [{"eventName": ["INSERT"]}, {"dynamodb": {"SizeBytes": [1]}}]}),
            ),
            (
                "a list",
                image(json!({"tags": {"SS": ["blue"]}})),
                image(json!({"tags": {"SS": ["green"]}})),
            ),
        ] {
            let matches = |pattern: &Json| {
                Pattern::parse(&pattern.to_string())
                    .unwrap()
                    .matches(&record())
            };
            assert!(matches(&matching), "{name}: {matching}");
            assert!(!matches(&other), "{name}: {other}");
        }
    }

    #[test]
    fn exists_holds_for_leaves_only() {
        let pattern = Pattern::parse(r#"{"dynamodb":{"NewImage":{"id":[{"exists":true}]}}}"#);
        assert!(!pattern.unwrap().matches(&record()));
    }

    #[test]
    fn numbers_of_items_are_texts() {
        let pattern = |text: &str| Pattern::parse(text).unwrap().matches(&record());
        assert!(!pattern(
            r#"{"dynamodb":{"NewImage":{"total":{"N":[{"numeric":[">",100]}]}}}}"#
        ));
        assert!(!pattern(
            r#"{"dynamodb":{"NewImage":{"total":{"N":[101]}}}}"#
        ));
        assert!(pattern(
            r#"{"dynamodb":{"NewImage":{"total":{"N":["101"]}}}}"#
        ));
    }

    #[test]
    fn wrong_patterns_are_refused_with_a_sentence() {
        for (text, why) in [
            ("{}", "at least one"),
            ("[]", "a JSON object"),
            (r#"{"a":"b"}"#, r#"write ["b"]"#),
            (r#"{"a":[]}"#, "empty list"),
            (r#"{"a":[[1]]}"#, "list in a list"),
            (r#"{"a":[{"like":"x"}]}"#, "no rule `like`"),
            (r#"{"a":[{"prefix":1}]}"#, "is a text"),
            (r#"{"a":[{"numeric":[">"]}]}"#, "such as"),
            (r#"{"a":[{"exists":1}]}"#, "true or false"),
            (r#"{"a":[{"anything-but":[]}]}"#, "a list of them"),
            (r#"{"$or":[{"a":[1]}]}"#, "two patterns"),
        ] {
            let error = Pattern::parse(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

//! A resource-based policy: its text, its revision, and the statements of it that are evaluated.
//!
//! Evaluated are statements with `Deny` for everybody on actions that write items. Their conditions may
//! ask for `aws:UserAgent` with the operators of strings. A statement that names principals, other
//! resources than the table, or other condition keys is kept and answered, and not evaluated; neither is
//! one that allows, for nobody needs to be allowed anything here.

use serde_json::Value;
use std::sync::Arc;

/// What the pattern of a condition begins with that only says where a table is now. A mover writes it
/// beside the pattern of its own client.
const MOVED_TO: &str = "keyfold-moved-to ";

/// What the full name of a table begins with, of some region and account.
const ANY_TABLE: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/";

/// A policy of a table or a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) text: String,
    pub(crate) revision: String,
    denials: Arc<[Denial]>,
}

/// A right that a policy may deny. Source: "Actions defined by Amazon DynamoDB" of the service
/// authorization reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    PutItem,
    UpdateItem,
    DeleteItem,
    BatchWriteItem,
    ConditionCheckItem,
    PartiQLInsert,
    PartiQLUpdate,
    PartiQLDelete,
    PartiQLSelect,
}

impl Right {
    /// The name of the action.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Right::PutItem => "PutItem",
            Right::UpdateItem => "UpdateItem",
            Right::DeleteItem => "DeleteItem",
            Right::BatchWriteItem => "BatchWriteItem",
            Right::ConditionCheckItem => "ConditionCheckItem",
            Right::PartiQLInsert => "PartiQLInsert",
            Right::PartiQLUpdate => "PartiQLUpdate",
            Right::PartiQLDelete => "PartiQLDelete",
            Right::PartiQLSelect => "PartiQLSelect",
        }
    }
}

/// A statement that denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    actions: Actions,
    /// The patterns of the ends of full names, and of full names.
    resources: Vec<[String; 2]>,
    /// All of them hold, or the statement does not apply.
    tests: Vec<Test>,
    /// Where the table is now, if the statement says it.
    pub(crate) moved_to: Option<String>,
}

/// The patterns of a statement's actions, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Actions {
    These(Vec<String>),
    AllBut(Vec<String>),
}

/// A test of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    is_negated: bool,
    /// Whether the patterns have wildcards.
    is_like: bool,
    ignores_case: bool,
    /// Whether a request without an agent passes in any case.
    is_if_exists: bool,
    patterns: Vec<String>,
}

impl Policy {
    /// A policy that was checked.
    pub(crate) fn new(text: String, revision: String) -> Policy {
        Policy {
            denials: denials(&text).into(),
            text,
            revision,
        }
    }
}

impl Policy {
    /// The statement that denies a right on a table to requests with an agent, if there is one.
    pub(crate) fn denial(
        &self,
        table: &str,
        right: Right,
        agent: Option<&[u8]>,
    ) -> Option<&Denial> {
        let mut denials = self.denials.iter();
        denials.find(|denial| denial.applies(table, right, agent))
    }
}

impl Denial {
    fn applies(&self, table: &str, right: Right, agent: Option<&[u8]>) -> bool {
        let name = right.name().to_ascii_lowercase();
        let is_named = |patterns: &[String]| {
            let mut all = patterns.iter();
            all.any(|one| matches(one.as_bytes(), name.as_bytes()))
        };
        let is_of_action = match &self.actions {
            Actions::These(patterns) => is_named(patterns),
            Actions::AllBut(patterns) => !is_named(patterns),
        };
        is_of_action && self.is_of_table(table) && self.tests.iter().all(|test| test.holds(agent))
    }
}

impl Denial {
    /// Whether a pattern is one of a table. All regions and accounts share the tables; wildcards may stand for
    /// several parts of a full name.
    fn is_of_table(&self, table: &str) -> bool {
        let (end, name) = (format!("table/{table}"), format!("{ANY_TABLE}{table}"));
        self.resources.iter().any(|[of_end, of_name]| {
            matches(of_end.as_bytes(), end.as_bytes())
                || matches(of_name.as_bytes(), name.as_bytes())
        })
    }
}

impl Test {
    /// Whether the test holds for an agent. A request without one matches no pattern, and so the negated
    /// operators hold. Source: "IAM JSON policy elements: Condition operators".
    fn holds(&self, agent: Option<&[u8]>) -> bool {
        let Some(agent) = agent else {
            return self.is_negated || self.is_if_exists;
        };
        let is_match = self.patterns.iter().any(|pattern| {
            let pattern = pattern.as_bytes();
            match (self.is_like, self.ignores_case) {
                (true, _) => matches(pattern, agent),
                (false, true) => pattern.eq_ignore_ascii_case(agent),
                (false, false) => pattern == agent,
            }
        });
        is_match != self.is_negated
    }
}

/// The statements of a policy that are evaluated.
fn denials(text: &str) -> Vec<Denial> {
    let Ok(document) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let statements = document.get("Statement").map(one_or_many);
    let statements = statements.unwrap_or_default().iter();
    statements.filter_map(denial).collect()
}

/// A statement that is evaluated; `None` when it is not.
fn denial(statement: &Value) -> Option<Denial> {
    let is_denial = statement.get("Effect")?.as_str()? == "Deny";
    if !is_denial || !is_everybody(statement.get("Principal")?) {
        return None;
    }
    let lower = |given: &Value| {
        texts(given).map(|all| all.iter().map(|one| action_name(one)).collect::<Vec<_>>())
    };
    let actions = match (statement.get("Action"), statement.get("NotAction")) {
        (Some(given), None) => Actions::These(lower(given)?),
        (None, Some(given)) => Actions::AllBut(lower(given)?),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let resources = texts(statement.get("Resource")?)?;
    let (mut tests, mut moved_to) = (Vec::new(), None);
    if let Some(condition) = statement.get("Condition") {
        for (operator, keys) in condition.as_object()? {
            for (key, values) in keys.as_object()? {
                let test = test(operator, key, values)?;
                let mut patterns = test.patterns.iter();
                let moved = patterns.find_map(|one| one.strip_prefix(MOVED_TO));
                moved_to = moved_to.or(moved.map(str::to_owned));
                tests.push(test);
            }
        }
    }
    Some(Denial {
        actions,
        resources: resources
            .into_iter()
            .map(|one| [resource(&one), one])
            .collect(),
        tests,
        moved_to,
    })
}

/// A test of a condition; `None` when it asks for something else than the agent.
fn test(operator: &str, key: &str, values: &Value) -> Option<Test> {
    if !key.eq_ignore_ascii_case("aws:UserAgent") {
        return None;
    }
    let (operator, is_if_exists) = match operator.strip_suffix("IfExists") {
        Some(operator) => (operator, true),
        None => (operator, false),
    };
    let (is_negated, is_like, ignores_case) = match operator {
        "StringEquals" => (false, false, false),
        "StringNotEquals" => (true, false, false),
        "StringEqualsIgnoreCase" => (false, false, true),
        "StringNotEqualsIgnoreCase" => (true, false, true),
        "StringLike" => (false, true, false),
        "StringNotLike" => (true, true, false),
        _ => return None,
    };
    Some(Test {
        is_negated,
        is_like,
        ignores_case,
        is_if_exists,
        patterns: texts(values)?,
    })
}

/// Whether a principal is everybody.
fn is_everybody(principal: &Value) -> bool {
    let named = principal.get("AWS").unwrap_or(principal);
    texts(named).is_some_and(|all| all.iter().any(|one| one == "*"))
}

/// The name of an action without its service, in lower case.
fn action_name(action: &str) -> String {
    let name = action.split_once(':').map_or(action, |(_, name)| name);
    name.to_ascii_lowercase()
}

/// The end of a full name's pattern that names the table. All regions share the tables.
fn resource(pattern: &str) -> String {
    let end = pattern.splitn(6, ':').nth(5);
    end.unwrap_or(pattern).to_owned()
}

fn one_or_many(given: &Value) -> &[Value] {
    given
        .as_array()
        .map_or_else(|| std::slice::from_ref(given), Vec::as_slice)
}

/// A text, or a list of texts.
fn texts(given: &Value) -> Option<Vec<String>> {
    let texts = one_or_many(given).iter();
    texts.map(|one| one.as_str().map(str::to_owned)).collect()
}

/// Whether a text matches a pattern in which `*` stands for anything and `?` for one character.
/// Only the last `*` is retried, so the work is at most the product of both lengths.
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, read));
                at += 1;
            }
            Some(one) if *one == b'?' || Some(one) == text.get(read) => {
                at += 1;
                read += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (at, read) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern
        .get(at..)
        .unwrap_or_default()
        .iter()
        .all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_agent(condition: &str) -> Option<Denial> {
        let text = format!(
            r#"{{"Effect":"Deny","Principal":"*","Action":"dynamodb:*Item","Resource":"*"{condition}}}"#
        );
        denial(&serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn operators_are_those_of_the_service() {
        let holds = |operator: &str, agent: Option<&str>| {
            let condition =
                format!(r#","Condition":{{"{operator}":{{"aws:useragent":["mover/*","Other"]}}}}"#);
            let denial = of_agent(&condition).unwrap();
            denial.tests[0].holds(agent.map(str::as_bytes))
        };
        for (operator, results) in [
            // A match by wildcard, an equal text, one in another case, another text, none.
            ("StringLike", [true, true, false, false, false]),
            ("StringNotLike", [false, false, true, true, true]),
            ("StringLikeIfExists", [true, true, false, false, true]),
            ("StringEquals", [false, true, false, false, false]),
            ("StringNotEquals", [true, false, true, true, true]),
            ("StringEqualsIgnoreCase", [false, true, true, false, false]),
            (
                "StringNotEqualsIgnoreCase",
                [true, false, false, true, true],
            ),
        ] {
            let agents = [
                Some("mover/1"),
                Some("Other"),
                Some("OTHER"),
                Some("x"),
                None,
            ];
            assert_eq!(
                agents.map(|agent| holds(operator, agent)),
                results,
                "{operator}"
            );
        }
    }

    #[test]
    fn wildcards_may_stand_for_several_parts_of_a_name() {
        let is_of_table = |resource: &str| {
            let text = format!(
                r#"{{"Effect":"Deny","Principal":"*","Action":"*","Resource":"{resource}"}}"#
            );
            let denial = denial(&serde_json::from_str(&text).unwrap()).unwrap();
            denial.applies("Orders", Right::PutItem, None)
        };
        for one in [
            "*",
            "arn:*",
            "arn:aws:dynamodb:*",
            "arn:aws:dynamodb:*:table/Orders",
            "arn:*:table/Ord*",
            "*:table/Orders",
            "arn:aws:dynamodb:eu-west-1:123456789012:table/Orders",
            "arn:aws:dynamodb:*:*:table/O?ders",
        ] {
            assert!(is_of_table(one), "{one}");
        }
        for one in [
            "arn:aws:dynamodb:*:table/Others",
            "arn:aws:s3:*:table/Orders",
            "arn:aws:dynamodb:*:table/Orders/index/*",
        ] {
            assert!(!is_of_table(one), "{one}");
        }
    }

    #[test]
    fn statements_with_unknown_parts_are_not_evaluated() {
        assert!(of_agent("").is_some());
        for condition in [
            r#","Condition":{"StringNotEquals":{"aws:SourceVpc":"vpc-1"}}"#,
            r#","Condition":{"NumericEquals":{"aws:UserAgent":"1"}}"#,
        ] {
            assert!(of_agent(condition).is_none(), "{condition}");
        }
        let named = r#"{"Effect":"Deny","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"*","Resource":"*"}"#;
        assert!(denial(&serde_json::from_str(named).unwrap()).is_none());
    }
}

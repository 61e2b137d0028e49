//! The checks of a resource-based policy before it is stored. `table::policy` evaluates it.

use crate::ops::definition::wrong;
use crate::table::policy::matches;
use keyfold_api::{ApiError, Operation};
use serde_json::Value;

/// Bytes of a policy at the most.
const BYTES_MAX: usize = 20 * 1024;
/// Actions on tables and streams that are not the names of operations.
const OTHER_ACTIONS: &[&str] = &[
    "PartiQLDelete",
    "PartiQLInsert",
    "PartiQLSelect",
    "PartiQLUpdate",
    "ConditionCheckItem",
];
/// The members of a statement.
const FIELDS: &[&str] = &[
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];
/// Operations that concern no single table or stream.
const NOT_OF_A_RESOURCE: &[Operation] = &[
    Operation::BatchExecuteStatement,
    Operation::DescribeEndpoints,
    Operation::DescribeLimits,
    Operation::ExecuteStatement,
    Operation::ExecuteTransaction,
    Operation::ListBackups,
    Operation::ListContributorInsights,
    Operation::ListExports,
    Operation::ListImports,
    Operation::ListStreams,
    Operation::ListTables,
    Operation::TransactGetItems,
    Operation::TransactWriteItems,
];

fn invalid<T>(why: impl std::fmt::Display) -> Result<T, ApiError> {
    wrong(format!("Invalid policy document: {why}"))
}

/// A new revision, which is the time in milliseconds and later than the one before.
pub(crate) fn revision(now_ms: u64, before: Option<&str>) -> String {
    let before = before
        .and_then(|before| before.parse::<u64>().ok())
        .unwrap_or_default();
    now_ms.max(before + 1).to_string()
}

/// Checks a policy.
pub(crate) fn check(policy: &str) -> Result<(), ApiError> {
    if policy.len() > BYTES_MAX {
        return invalid(format!("The policy is larger than {BYTES_MAX} bytes"));
    }
    let Ok(document) = serde_json::from_str::<Value>(policy) else {
        return invalid("This policy contains invalid Json");
    };
    let Some(document) = document.as_object() else {
        return invalid("This text appears not to be a policy");
    };
    let statements = match document.get("Statement") {
        None => return invalid("Missing required field Statement"),
        Some(Value::Array(statements)) if statements.is_empty() => {
            return invalid("Could not parse the policy: Statement is empty!");
        }
        Some(Value::Array(statements)) => statements.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    for statement in statements {
        check_statement(statement)?;
    }
    Ok(())
}

fn check_statement(statement: &Value) -> Result<(), ApiError> {
    let Some(statement) = statement.as_object() else {
        return invalid("Could not parse the policy: a Statement is not an object");
    };
    match statement.get("Effect").map(Value::as_str) {
        Some(Some("Allow" | "Deny")) => {}
        Some(_) => return invalid("Effect must be Allow or Deny"),
        None => return invalid("Missing required field Effect"),
    }
    for fields in [
        ["Principal", "NotPrincipal"],
        ["Action", "NotAction"],
        ["Resource", "NotResource"],
    ] {
        match fields.map(|field| statement.contains_key(field)) {
            [false, false] => return invalid(format!("Missing required field {}", fields[0])),
            [true, true] => {
                return invalid(format!(
                    "{} and {} cannot be used together",
                    fields[0], fields[1]
                ));
            }
            [true, false] | [false, true] => {}
        }
    }
    if let Some(field) = statement
        .keys()
        .find(|field| !FIELDS.contains(&field.as_str()))
    {
        return invalid(format!("Invalid field in Statement: {field}"));
    }
    if let Some((field, _)) = statement
        .iter()
        .find(|(_, value)| value.as_array().is_some_and(Vec::is_empty))
    {
        return invalid(format!("{field} is empty"));
    }
    let actions = ["Action", "NotAction"]
        .into_iter()
        .filter_map(|field| statement.get(field))
        .flat_map(|given| {
            given
                .as_array()
                .map_or_else(|| std::slice::from_ref(given), Vec::as_slice)
        });
    let unknown: Vec<String> = actions
        .map(|action| {
            action
                .as_str()
                .map_or_else(|| action.to_string(), str::to_owned)
        })
        .filter(|action| !is_action(action))
        .map(|action| format!("\"{action}\""))
        .collect();
    if !unknown.is_empty() {
        return invalid(format!(
            "The following action names are invalid: {}",
            unknown.join(", ")
        ));
    }
    Ok(())
}

/// Whether an action, which may contain `*` and `?`, matches an action on a table or a stream.
fn is_action(action: &str) -> bool {
    if action == "*" {
        return true;
    }
    let Some((service, name)) = action.split_once(':') else {
        return false;
    };
    let operations = Operation::ALL
        .iter()
        .filter(|operation| !NOT_OF_A_RESOURCE.contains(operation));
    service.eq_ignore_ascii_case("dynamodb")
        && operations
            .map(|operation| operation.name())
            .chain(OTHER_ACTIONS.iter().copied())
            .any(|known| {
                matches(
                    &name.to_ascii_lowercase().into_bytes(),
                    &known.to_ascii_lowercase().into_bytes(),
                )
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_policies_are_refused() {
        let statement = |action: &str| {
            format!(
                r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":"*","Action":{action},"Resource":"*"}}]}}"#
            )
        };
        for action in [
            r#""dynamodb:GetItem""#,
            r#"["dynamodb:*","dynamodb:P*t?tem"]"#,
            r#""*""#,
        ] {
            assert!(check(&statement(action)).is_ok(), "{action}");
        }
        let cases = [
            ("{", "This policy contains invalid Json"),
            ("null", "This text appears not to be a policy"),
            (
                r#"{"Statement":[]}"#,
                "Could not parse the policy: Statement is empty!",
            ),
            (r#"{"Statement":[{}]}"#, "Missing required field Effect"),
            (
                r#"{"Version":"2012-10-17"}"#,
                "Missing required field Statement",
            ),
        ];
        for (policy, why) in cases {
            let message = check(policy).unwrap_err().to_string();
            let expected = format!(
                "One or more parameter values were invalid: Invalid policy document: {why}"
            );
            assert!(message.ends_with(&expected), "{message}");
        }
        for (wrong, why) in [
            (r#"[]"#, "Action is empty"),
            (
                r#""dynamodb:GetItem","Foo":1"#,
                "Invalid field in Statement: Foo",
            ),
            (
                r#""*","NotAction":"*""#,
                "Action and NotAction cannot be used together",
            ),
        ] {
            let message = check(&statement(wrong)).unwrap_err().to_string();
            assert!(message.ends_with(why), "{message}");
        }
        let message = check(&statement(r#"["dynamodb:ListStreams","s3:Get*"]"#))
            .unwrap_err()
            .to_string();
        let why = r#"The following action names are invalid: "dynamodb:ListStreams", "s3:Get*""#;
        assert!(message.ends_with(why), "{message}");
    }
}

//! PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy. `table::policy` evaluates policies.
//!
//! The expected revision is compared in the critical section in which the policy changes, and which no
//! write of an item overlaps: a write that is acknowledged came before the policy that denies it.

use crate::base::pending::Pending;
use crate::check::Constraints;
use crate::core::Core;
use crate::core::change_table::try_change_table;
use crate::ops::definition::sentence;
use crate::ops::policy_document;
use crate::ops::tags;
use crate::table::Table;
use crate::table::arn::{Arn, Part};
use crate::table::policy::Policy;
use keyfold_api::{
    ApiError, DeleteResourcePolicyInput, DeleteResourcePolicyOutput, ErrorKind,
    GetResourcePolicyInput, GetResourcePolicyOutput, PutResourcePolicyInput,
    PutResourcePolicyOutput,
};
use std::sync::Arc;

/// The expected revision of a resource without a policy.
const NO_POLICY: &str = "NO_POLICY";
/// Characters of a revision's id at the most.
const REVISION_CHARS_MAX: usize = 255;

/// Finds the table of a resource, and the rest of its ARN: empty, or a stream.
fn resource(core: &Core, arn: &str) -> Result<(Arc<Table>, String), ApiError> {
    let Some(Arn {
        table,
        part: Part::Stream(label),
    }) = Arn::parse(arn)
    else {
        return Ok((tags::table_of(core, arn)?, String::new()));
    };
    let table = core.table(table);
    match table.filter(|table| table.settings.latest_stream.as_deref() == Some(label)) {
        None => Err(ApiError::ResourceNotFound(format!(
            "Requested resource not found: Stream: {arn} not found"
        ))),
        Some(table) => Ok((table, Part::Stream(label).to_string())),
    }
}

fn missing(arn: &str) -> ApiError {
    ApiError::Plain(
        ErrorKind::PolicyNotFound,
        format!("Resource-based policy not found for the provided ResourceArn: {arn}"),
    )
}

fn check_expected(
    expected: Option<&str>,
    revision: Option<&str>,
    arn: &str,
) -> Result<(), ApiError> {
    match (expected, revision) {
        (None, _) | (Some(NO_POLICY), None) => Ok(()),
        (Some(expected), Some(revision)) if expected == revision => Ok(()),
        (Some(expected), _) => Err(ApiError::Plain(
            ErrorKind::PolicyNotFound,
            format!("The resource-based policy of {arn} has not the expected revision {expected}"),
        )),
    }
}

pub(crate) fn put(core: &Core, input: PutResourcePolicyInput) -> Pending<PutResourcePolicyOutput> {
    Pending::ready(put_policy(core, input))
}

fn put_policy(
    core: &Core,
    input: PutResourcePolicyInput,
) -> Result<PutResourcePolicyOutput, ApiError> {
    let mut constraints = Constraints::default();
    tags::arn(&mut constraints, &input.resource_arn);
    constraints.required("policy", &input.policy);
    if let Some(expected) = &input.expected_revision_id {
        constraints.count(
            "expectedRevisionId",
            expected.len(),
            expected,
            1,
            REVISION_CHARS_MAX,
        );
    }
    constraints.finish()?;
    let (arn, policy) = (
        input.resource_arn.unwrap_or_default(),
        input.policy.unwrap_or_default(),
    );
    policy_document::check(&policy)?;
    let (table, place) = resource(core, &arn)?;
    let expected = input.expected_revision_id;
    let now_ms = core.now_ms();
    let put = try_change_table(core, &table, |table| {
        let known = table.settings.policies.get(&place);
        let before = known.map(|policy| policy.revision.as_str());
        check_expected(expected.as_deref(), before, &arn)?;
        let revision = match known {
            Some(same) if same.text == policy => same.revision.clone(),
            Some(_) | None => policy_document::revision(now_ms, before),
        };
        let stored = Policy::new(policy, revision.clone());
        table.settings.policies.insert(place, stored);
        Ok(Some(revision))
    })?;
    // The table was deleted meanwhile.
    let revision = put.ok_or_else(ApiError::table_not_found)?;
    Ok(PutResourcePolicyOutput {
        revision_id: Some(revision),
    })
}

pub(crate) fn get(core: &Core, input: GetResourcePolicyInput) -> Pending<GetResourcePolicyOutput> {
    Pending::ready(get_policy(core, input))
}

fn get_policy(
    core: &Core,
    input: GetResourcePolicyInput,
) -> Result<GetResourcePolicyOutput, ApiError> {
    let mut constraints = Constraints::default();
    tags::arn(&mut constraints, &input.resource_arn);
    constraints.finish()?;
    let arn = input.resource_arn.unwrap_or_default();
    let (table, place) = resource(core, &arn)?;
    let policy = table.settings.policies.get(&place);
    let policy = policy.cloned().ok_or_else(|| missing(&arn))?;
    Ok(GetResourcePolicyOutput {
        policy: Some(policy.text),
        revision_id: Some(policy.revision),
    })
}

pub(crate) fn delete(
    core: &Core,
    input: DeleteResourcePolicyInput,
) -> Pending<DeleteResourcePolicyOutput> {
    Pending::ready(delete_policy(core, input))
}

fn delete_policy(
    core: &Core,
    input: DeleteResourcePolicyInput,
) -> Result<DeleteResourcePolicyOutput, ApiError> {
    let mut constraints = Constraints::default();
    tags::arn(&mut constraints, &input.resource_arn);
    constraints.finish()?;
    let arn = input.resource_arn.unwrap_or_default();
    if input.expected_revision_id.as_deref() == Some(NO_POLICY) {
        return sentence(format!(
            "ExpectedRevisionId cannot be {NO_POLICY} when a policy is deleted"
        ));
    }
    let (table, place) = resource(core, &arn)?;
    let expected = input.expected_revision_id;
    let before = try_change_table(core, &table, |table| {
        let before = table.settings.policies.remove(&place);
        let before = before.map(|policy| policy.revision);
        check_expected(expected.as_deref(), before.as_deref(), &arn)?;
        Ok(before)
    })?;
    Ok(DeleteResourcePolicyOutput {
        revision_id: before,
    })
}

//! Whether a policy of a table denies a write to the caller of its request.

use crate::core::Core;
use crate::table::Table;
use crate::table::policy::{Policy, Right};
use keyfold_api::{ApiError, ErrorKind};

/// Refuses a right that a policy of the table denies to a request's caller. The catalog is locked, so that
/// the policy stays until the write is staged.
///
/// # Errors
/// `AccessDenied`.
pub(crate) fn check_right(core: &Core, table: &Table, right: Right) -> Result<(), ApiError> {
    match table.settings.policies.get("") {
        None => Ok(()),
        Some(policy) => check_policy(core, table, policy, right),
    }
}

#[cold]
fn check_policy(core: &Core, table: &Table, policy: &Policy, right: Right) -> Result<(), ApiError> {
    let caller = core.caller();
    let Some(denial) = policy.denial(&table.name, right, caller.agent) else {
        return Ok(());
    };
    let moved = denial.moved_to.as_ref();
    let moved = moved.map_or_else(String::new, |to| format!(". The table has moved to {to}"));
    Err(ApiError::Plain(
        ErrorKind::AccessDenied,
        format!(
            "User: arn:aws:iam::{}:user/{} is not authorized to perform: dynamodb:{} on resource: {} with an \
             explicit deny in a resource-based policy{moved}",
            core.options().account,
            caller.user.unwrap_or("anonymous"),
            right.name(),
            core.table_arn(&table.name),
        ),
    ))
}

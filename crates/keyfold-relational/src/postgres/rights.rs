//! What a role must be allowed to, before anything is made: each right that it lacks is said with the statement that
//! gives it.

use super::catalog::Table;
use super::quoting::quoted;
use super::session::Session;
use crate::source::SourceError;

/// What a run and a switch make, and whether the tables of programs are written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A publication and a slot.
    Follow,
    /// A schema, triggers and rows.
    Lead,
}

/// Checks that the role of a session has what is needed.
///
/// # Errors
/// With a line for each right that is missing.
pub(super) fn check(session: &mut Session, tables: &[Table], need: Use) -> Result<(), SourceError> {
    let rows = session.simple(
        "SELECT current_user, current_database(), has_database_privilege(current_database(), 'CREATE'), \
         coalesce((SELECT r.rolsuper OR r.rolreplication OR EXISTS (SELECT FROM pg_roles m WHERE m.rolname = \
         'rds_replication' AND pg_has_role(r.oid, m.oid, 'MEMBER')) FROM pg_roles r WHERE r.rolname = current_user), \
         false), pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on'",
    )?;
    let Some(row) = rows.first() else {
        return Ok(());
    };
    let text = |at: usize| row.get(at).unwrap_or_default();
    let (role, database) = (quoted(text(0)), quoted(text(1)));
    if text(4) == "t" {
        return Err(SourceError::lasting(
            "this PostgreSQL is a standby, which takes no writes: name the server that it follows",
        ));
    }
    let mut faults = Vec::new();
    if text(5) == "t" {
        faults.push(format!(
            "the transactions of the role only read (default_transaction_read_only is on): ALTER ROLE {role} SET \
             default_transaction_read_only = off"
        ));
    }
    if text(2) != "t" {
        let what = match need {
            Use::Follow => "a publication",
            Use::Lead => "a schema",
        };
        faults.push(format!(
            "the role may not create {what} (CREATE on the database): GRANT CREATE ON DATABASE {database} TO {role}"
        ));
    }
    if text(3) != "t" {
        faults.push(format!(
            "the role may not make a replication slot (REPLICATION): ALTER ROLE {role} REPLICATION"
        ));
    }
    for table in tables {
        faults.extend(of_table(session, table, &role, need)?);
    }
    faults.dedup();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(SourceError::lasting(faults.join("\n"))),
    }
}

/// What the role lacks at a table and its partitions.
fn of_table(
    session: &mut Session,
    table: &Table,
    role: &str,
    need: Use,
) -> Result<Vec<String>, SourceError> {
    let rights: &[&str] = match need {
        Use::Follow => &["SELECT"],
        Use::Lead => &["SELECT", "INSERT", "UPDATE", "DELETE", "TRIGGER"],
    };
    let asked: Vec<String> = rights
        .iter()
        .map(|right| format!("has_table_privilege(c.oid, '{right}')"))
        .collect();
    let number = table.number;
    let rows = session.simple(&format!(
        "SELECT n.nspname, c.relname, pg_get_userbyid(c.relowner), c.oid = {number}, pg_has_role(c.relowner, 'USAGE'), {} FROM \
         pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = {number} OR c.oid IN (SELECT relid FROM \
         pg_partition_tree({number})) ORDER BY 1, 2",
        asked.join(", ")
    ))?;
    let mut faults = Vec::new();
    for row in &rows {
        let text = |at: usize| row.get(at).unwrap_or_default();
        let place = format!("{}.{}", quoted(text(0)), quoted(text(1)));
        let owner = quoted(text(2));
        let is_table = text(3) == "t";
        if text(4) != "t" && (is_table || need == Use::Lead) {
            let what = match need {
                Use::Follow => "publish it",
                Use::Lead => "let it refuse writes",
            };
            faults.push(format!(
                "{place} belongs to {owner}, and only its owner may {what}: GRANT {owner} TO {role}, or ALTER TABLE {place} \
                 OWNER TO {role}"
            ));
        }
        let missing = rights.iter().enumerate();
        let missing = missing.filter(|(at, _)| text(5 + at) != "t");
        let missing: Vec<&str> = missing.map(|(_, right)| *right).collect();
        if is_table && !missing.is_empty() {
            let missing = missing.join(", ");
            faults.push(format!(
                "the role lacks {missing} on {place}: GRANT {missing} ON {place} TO {role}"
            ));
        }
    }
    Ok(faults)
}

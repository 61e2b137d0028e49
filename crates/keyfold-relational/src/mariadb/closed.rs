//! MariaDB while the tables lead. Triggers of the mapped tables refuse the writes of every session but one whose
//! variable says that it carries items of this migration. No trigger sees TRUNCATE. Statements that make triggers are no part of a transaction:
//! their names are noted before, in a table beside those of the programs.

use super::quoting::{literal, quoted};
use super::session::Session;
use super::table::Table;
use crate::noted::{FENCE, ID};
use crate::source::SourceError;
use sha2::{Digest as _, Sha256};

/// The table of what is noted.
pub(super) const LEAD: &str = "keyfold_lead";
/// What the names of the triggers begin with.
pub(super) const PREFIX: &str = "keyfold_closed_";
/// What the part of a trigger begins with, which is a statement's name for it.
pub(super) const TRIGGER: &str = "trigger ";
/// The variable of a session that carries items.
pub(super) const VARIABLE: &str = "@keyfold_migration";
/// The most letters of what a trigger says.
pub(super) const SENTENCE_MAX: usize = 400;
/// How many seconds transactions are waited for that hold a table: others wait behind this one.
pub(super) const LOCK_WITHIN: &str = "SET SESSION lock_wait_timeout = 5";
/// As long as ever.
pub(super) const LOCK_AS_EVER: &str = "SET SESSION lock_wait_timeout = 30";

/// The place of the table of notes, as SQL names it.
pub(super) fn lead(session: &Session) -> String {
    format!("{}.{LEAD}", quoted(session.database()))
}

pub(super) fn is_there(session: &mut Session) -> Result<bool, SourceError> {
    let found = session.text(&format!(
        "SELECT count(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND TABLE_NAME = '{LEAD}'",
        literal(session.database())
    ))?;
    Ok(found != "0")
}

/// Whether a run has what is noted, which nobody changes until the transaction ends.
pub(super) fn is_noted(
    session: &mut Session,
    (id, fence): (&str, u64),
) -> Result<bool, SourceError> {
    if !is_there(session)? {
        return Ok(false);
    }
    let rows = session.texts(&format!(
        "SELECT part, value FROM {} WHERE part IN ('{ID}', '{FENCE}') FOR UPDATE",
        lead(session)
    ))?;
    let is = |part: &str, due: &str| rows.iter().any(|row| *row == [part, due]);
    Ok(is(ID, id) && is(FENCE, &fence.to_string()))
}

/// The statement that notes parts.
pub(super) fn note(session: &Session, parts: &[(String, String)]) -> String {
    let rows = parts.iter();
    let rows = rows.map(|(part, value)| format!("({}, {})", literal(part), literal(value)));
    let rows: Vec<String> = rows.collect();
    format!(
        "INSERT INTO {} (part, value) VALUES {} ON DUPLICATE KEY UPDATE value = VALUES(value)",
        lead(session),
        rows.join(", ")
    )
}

/// The triggers that refuse writes of a table, by their names.
pub(super) fn refusals(table: &Table, (id, instead): (&str, &str)) -> Vec<(String, String)> {
    let sentence = format!("programs write to {instead} now: keyfold migrate has switched");
    let sentence: String = sentence.chars().take(SENTENCE_MAX).collect();
    let digest = Sha256::digest(table.name.as_bytes());
    let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
    let digits: String = digits.collect();
    let schema = quoted(&table.schema);
    let of = |when: &str| {
        let name = format!("{PREFIX}{digits}_{}", when.to_lowercase());
        let name = format!("{schema}.{}", quoted(&name));
        let sql = format!(
            "CREATE OR REPLACE TRIGGER {name} BEFORE {when} ON {schema}.{} FOR EACH ROW IF {VARIABLE} IS NULL OR {VARIABLE} <> {} \
             THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {}; END IF",
            quoted(&table.name),
            literal(id),
            literal(&sentence)
        );
        (name, sql)
    };
    ["INSERT", "UPDATE", "DELETE"].map(of).to_vec()
}

/// Runs statements that wait for those who hold a table, but not for long.
pub(super) fn waiting(session: &mut Session, statements: &[String]) -> Result<(), SourceError> {
    session.execute(LOCK_WITHIN)?;
    let mut done = Ok(());
    for statement in statements {
        done = done.and_then(|()| session.execute(statement));
    }
    session.execute(LOCK_AS_EVER)?;
    done.map_err(|error| match error.message.contains("SUPER") {
        true => SourceError {
            message: format!(
                "the role may not make triggers in a database with a binary log: SET GLOBAL log_bin_trust_function_creators \
                 = 1, or GRANT SUPER ON *.* TO it ({})",
                error.message
            ),
            ..error
        },
        false => error,
    })
}

/// Drops everything that switches have made, if it is there.
pub(super) fn drop_all(session: &mut Session) -> Result<(), SourceError> {
    if !is_there(session)? {
        return Ok(());
    }
    let lead = lead(session);
    let rows = session.texts(&format!(
        "SELECT part FROM {lead} WHERE part LIKE '{TRIGGER}%'"
    ))?;
    let names = rows
        .iter()
        .filter_map(|row| row.first()?.strip_prefix(TRIGGER));
    let mut statements: Vec<String> = names
        .map(|name| format!("DROP TRIGGER IF EXISTS {name}"))
        .collect();
    statements.push(format!("DROP TABLE {lead}"));
    waiting(session, &statements)
}

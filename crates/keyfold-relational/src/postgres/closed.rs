//! PostgreSQL while the tables lead. Triggers of the mapped tables and of their partitions refuse writes and TRUNCATE,
//! but in a transaction that says by a setting that it carries items of this migration. They call a function of a
//! schema that a switch makes, which also holds what is noted. Tables are closed and opened one after the other.

use super::catalog::Table;
use super::locks::{self, LOCK_WITHIN, Mode};
use super::quoting::{literal, quoted};
use super::session::Session;
use crate::noted::{FENCE, ID};
use crate::source::SourceError;
use std::collections::BTreeSet;

/// The schema.
pub(super) const SCHEMA: &str = "keyfold_migrate";
/// The table of what is noted.
pub(super) const LEAD: &str = "keyfold_migrate.lead";
/// What the names of the triggers begin with.
pub(super) const PREFIX: &str = "keyfold_closed_";
/// The setting that a transaction has which carries items.
pub(super) const SETTING: &str = "keyfold.migration";
/// What the comment of the schema begins with.
pub(super) const MADE: &str = "keyfold migration ";

pub(super) fn is_there(session: &mut Session) -> Result<bool, SourceError> {
    let found = session.text(&format!("SELECT to_regclass('{LEAD}') IS NOT NULL"))?;
    Ok(found == "t")
}

/// Whether a run has what is noted, which nobody changes until the transaction ends.
pub(super) fn is_noted(
    session: &mut Session,
    (id, fence): (&str, u64),
) -> Result<bool, SourceError> {
    if !is_there(session)? {
        return Ok(false);
    }
    let rows = session.simple(&format!(
        "SELECT part, value FROM {LEAD} WHERE part IN ('{ID}', '{FENCE}') FOR UPDATE"
    ))?;
    let is = |part: &str, due: &str| {
        let mut rows = rows.iter();
        rows.any(|row| row.get(0) == Some(part) && row.get(1) == Some(due))
    };
    Ok(is(ID, id) && is(FENCE, &fence.to_string()))
}

/// Lets a transaction write to the tables, if the run has what is noted.
pub(super) fn begun(session: &mut Session, of: (&str, u64)) -> Result<bool, SourceError> {
    if !is_noted(session, of)? {
        return Ok(false);
    }
    let id = literal(of.0);
    session.execute(&format!("SELECT set_config('{SETTING}', {id}, true)"))?;
    Ok(true)
}

/// The statement that notes parts.
pub(super) fn note(parts: &[(String, String)]) -> String {
    let rows = parts.iter();
    let rows = rows.map(|(part, value)| format!("({}, {})", literal(part), literal(value)));
    let rows: Vec<String> = rows.collect();
    format!(
        "INSERT INTO {LEAD} (part, value) VALUES {} ON CONFLICT (part) DO UPDATE SET value = EXCLUDED.value",
        rows.join(", ")
    )
}

/// The statement that makes the function of the triggers.
pub(super) fn function(id: &str, instead: &str) -> String {
    let sentence = format!("programs write to {instead} now: keyfold migrate has switched");
    let body = format!(
        "BEGIN IF current_setting('{SETTING}', true) IS DISTINCT FROM {} THEN RAISE EXCEPTION USING ERRCODE = \
         'read_only_sql_transaction', MESSAGE = {}; END IF; IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END",
        literal(id),
        literal(&sentence)
    );
    format!(
        "CREATE OR REPLACE FUNCTION {SCHEMA}.refuse() RETURNS trigger LANGUAGE plpgsql AS {}",
        literal(&body)
    )
}

/// The statements that let a table refuse writes, but for the triggers that it has. Those of a row come to its partitions
/// by themselves.
pub(super) fn refusals(
    session: &mut Session,
    table: &Table,
    made: &BTreeSet<String>,
) -> Result<Vec<String>, SourceError> {
    let number = table.number;
    let rows = session.simple(&format!(
        "SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = \
         {number} OR c.oid IN (SELECT relid FROM pg_partition_tree({number}))"
    ))?;
    let mut statements = Vec::new();
    let mut trigger = |name: String, place: &str, of: &str| {
        let quoted = quoted(&name);
        if !made.contains(&name) {
            statements.push(format!(
                "CREATE TRIGGER {quoted} BEFORE {of} EXECUTE FUNCTION {SCHEMA}.refuse()"
            ));
        }
        // Also what a replica applies is refused. The lock waits for those who have written.
        statements.push(format!(
            "ALTER TABLE {place} ENABLE ALWAYS TRIGGER {quoted}"
        ));
    };
    let root = table.quoted();
    let of = format!("INSERT OR UPDATE OR DELETE ON {root} FOR EACH ROW");
    trigger(format!("{PREFIX}{number}"), &root, &of);
    for row in &rows {
        let text = |at: usize| row.get(at).unwrap_or_default();
        let place = format!("{}.{}", quoted(text(1)), quoted(text(2)));
        let of = format!("TRUNCATE ON {place} FOR EACH STATEMENT");
        trigger(format!("{PREFIX}{}_{number}", text(0)), &place, &of);
    }
    Ok(statements)
}

/// The statements that move the sequences of columns behind the rows that were carried.
pub(super) fn sequences(session: &mut Session) -> Result<Vec<String>, SourceError> {
    let rows = session.simple(&format!(
        "SELECT DISTINCT n.nspname, c.relname, a.attname, s.seqrelid::regclass, s.seqmax FROM pg_trigger t JOIN pg_proc p ON p.oid = \
         t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a \
         ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_depend d ON d.refclassid = \
         'pg_class'::regclass AND d.refobjid = c.oid AND d.refobjsubid = a.attnum AND d.classid = 'pg_class'::regclass AND \
         d.deptype IN ('a', 'i') JOIN pg_sequence s ON s.seqrelid = d.objid AND s.seqincrement > 0 WHERE p.pronamespace = \
         to_regnamespace('{SCHEMA}')"
    ))?;
    let statements = rows.iter().map(|row| {
        let text = |at: usize| row.get(at).unwrap_or_default();
        let (table, column) = (
            format!("{}.{}", quoted(text(0)), quoted(text(1))),
            quoted(text(2)),
        );
        let (sequence, most) = (text(3), text(4));
        format!(
            "SELECT setval({}, found.most) FROM (SELECT max({column})::bigint AS most FROM {table}) AS found WHERE \
             found.most BETWEEN (SELECT last_value FROM {sequence}) AND {most}",
            literal(sequence)
        )
    });
    Ok(statements.collect())
}

/// The tables that triggers of a switch refuse writes of.
fn closed_tables(session: &mut Session) -> Result<Vec<Table>, SourceError> {
    let rows = session.simple(&format!(
        "SELECT DISTINCT c.oid, n.nspname, c.relname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_class c ON \
         c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE p.pronamespace = to_regnamespace('{SCHEMA}') \
         AND t.tgparentid = 0 ORDER BY 1"
    ))?;
    let tables = rows.iter().map(|row| {
        let text = |at: usize| row.get(at).unwrap_or_default().to_owned();
        let number = text(0);
        let number = number.parse().map_err(|_| {
            SourceError::lasting(format!(
                "the database names a table by `{number}`, which is no number"
            ))
        })?;
        Ok(Table {
            number,
            schema: text(1),
            name: text(2),
        })
    });
    tables.collect()
}

/// The statements that drop the triggers of a table.
fn admissions(session: &mut Session, table: &Table) -> Result<Vec<String>, SourceError> {
    let rows = session.simple(&format!(
        "SELECT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.pronamespace = \
         to_regnamespace('{SCHEMA}') AND t.tgrelid = {} AND t.tgparentid = 0",
        table.number
    ))?;
    let names = rows.iter().map(|row| {
        let name = quoted(row.get(0).unwrap_or_default());
        format!("DROP TRIGGER IF EXISTS {name} ON {}", table.quoted())
    });
    Ok(names.collect())
}

/// Drops what switches have made, as long as it is `due`: whether it was to the end.
pub(super) fn drop_while(
    session: &mut Session,
    due: impl Fn(&mut Session) -> Result<bool, SourceError>,
) -> Result<bool, SourceError> {
    for table in closed_tables(session)? {
        let statements = admissions(session, &table)?;
        if !locks::change(session, (&table, Mode::Dropping), &due, &statements)? {
            return Ok(false);
        }
    }
    session.begin_writing()?;
    let dropped = dropped(session, due);
    if !matches!(dropped, Ok(true)) {
        session.end()?;
    }
    dropped
}

fn dropped(
    session: &mut Session,
    due: impl Fn(&mut Session) -> Result<bool, SourceError>,
) -> Result<bool, SourceError> {
    if !due(session)? {
        return Ok(false);
    }
    let done = session.commit(&format!("{LOCK_WITHIN}; DROP SCHEMA {SCHEMA} CASCADE"))?;
    done.map(|()| true).map_err(SourceError::lasting)
}

/// Drops everything that switches have made, if it is there.
pub(super) fn drop_all(session: &mut Session) -> Result<(), SourceError> {
    let made = session.text(&format!(
        "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace WHERE nspname = '{SCHEMA}'"
    ))?;
    match made.starts_with(MADE) {
        true => drop_while(session, |_| Ok(true)).map(drop),
        false => Ok(()),
    }
}

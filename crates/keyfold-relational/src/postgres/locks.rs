//! Changes of a table that lock it, beside programs that use it and others in orders of their own. Nothing else is
//! held while the lock is waited for: then no program waits for this one and is waited for by it, and none is ended
//! by a deadlock that is not its own. A table that has partitions is locked with them in less time than PostgreSQL
//! waits before it looks for deadlocks, or is let go and tried again.

use super::catalog::Table;
use super::quoting::{literal, quoted};
use super::session::Session;
use crate::source::SourceError;
use crate::world;
use std::time::Duration;

/// How long transactions are waited for that hold a table: others wait behind this one.
pub(super) const LOCK_WITHIN: &str = "SET LOCAL lock_timeout = '5s'";
/// How often a table is tried whose partitions are locked with it.
const TRIES: u32 = 30;
const PAUSE: Duration = Duration::from_millis(50);

/// What a change lets programs do meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// They read.
    Making,
    /// They wait.
    Dropping,
}

impl Mode {
    fn sql(self) -> &'static str {
        match self {
            Mode::Making => "SHARE ROW EXCLUSIVE",
            Mode::Dropping => "ACCESS EXCLUSIVE",
        }
    }
}

/// A table with its partitions: the places of all of them, the table's first.
pub(super) fn places(session: &mut Session, table: &Table) -> Result<Vec<String>, SourceError> {
    let number = table.number;
    let rows = session.simple(&format!(
        "SELECT n.nspname, c.relname FROM pg_partition_tree({number}) p JOIN pg_class c ON c.oid = p.relid JOIN pg_namespace n \
         ON n.oid = c.relnamespace WHERE c.oid <> {number} ORDER BY p.level, c.oid"
    ))?;
    let parts = rows.iter().map(|row| {
        let text = |at: usize| row.get(at).unwrap_or_default();
        format!("{}.{}", quoted(text(0)), quoted(text(1)))
    });
    Ok(std::iter::once(table.quoted()).chain(parts).collect())
}

/// Runs statements in a transaction that has locked a table with its partitions, if it is `due` at its beginning:
/// whether it was.
pub(super) fn change(
    session: &mut Session,
    (table, mode): (&Table, Mode),
    due: impl Fn(&mut Session) -> Result<bool, SourceError>,
    statements: &[String],
) -> Result<bool, SourceError> {
    let places = places(session, table)?;
    let most = match places.len() {
        1 => String::new(),
        _ => format!(
            "SET LOCAL statement_timeout = {}",
            before_deadlocks(session)?
        ),
    };
    let lock = [most, locking(&table.quoted(), mode, "")];
    let mut tries = 0;
    loop {
        session.begin_writing()?;
        let changed = changed(session, &due, &lock, statements);
        if matches!(changed, Ok(true)) {
            return changed;
        }
        session.end()?;
        tries += 1;
        match changed {
            Err(error) if error.may_pass && places.len() > 1 && tries < TRIES => {}
            Err(error) => return Err(held(session, &places, error)),
            Ok(is_due) => return Ok(is_due),
        }
        // Each by itself: a long transaction is waited for, and a worker that cleans the table makes room.
        for place in &places {
            await_alone(session, place, mode)?;
        }
        world::pause(PAUSE);
    }
}

fn changed(
    session: &mut Session,
    due: impl Fn(&mut Session) -> Result<bool, SourceError>,
    lock: &[String],
    statements: &[String],
) -> Result<bool, SourceError> {
    session.execute(LOCK_WITHIN)?;
    if !due(session)? {
        return Ok(false);
    }
    for sql in lock {
        session.execute(sql)?;
    }
    session.execute("SET LOCAL statement_timeout = 0")?;
    let done = session.commit(&statements.join("; "))?;
    done.map(|()| true).map_err(SourceError::lasting)
}

/// Waits until a table could be locked without its partitions, and lets it go.
fn await_alone(session: &mut Session, place: &str, mode: Mode) -> Result<(), SourceError> {
    session.begin_writing()?;
    let lock = locking(place, mode, "ONLY ");
    let locked = session.execute(&format!("{LOCK_WITHIN}; {lock}"));
    session.end()?;
    locked.map_err(|error| held(session, &[place.to_owned()], error))
}

fn locking(place: &str, mode: Mode, only: &str) -> String {
    format!("LOCK TABLE {only}{place} IN {} MODE", mode.sql())
}

/// Half of the time, in milliseconds, after which PostgreSQL ends one of those who wait for each other.
fn before_deadlocks(session: &mut Session) -> Result<u64, SourceError> {
    let set = session.text("SELECT setting FROM pg_settings WHERE name = 'deadlock_timeout'")?;
    Ok((set.parse().unwrap_or(1_000) / 2).clamp(1, 500))
}

/// An error of a wait, with those who hold what is waited for.
fn held(session: &mut Session, places: &[String], error: SourceError) -> SourceError {
    let all: Vec<String> = places
        .iter()
        .map(|place| format!("to_regclass({})", literal(place)))
        .collect();
    let holders = session.text(&format!(
        "SELECT string_agg(DISTINCT pid::text, ', ') FROM pg_locks WHERE granted AND relation IN ({}) AND pid <> \
         pg_backend_pid()",
        all.join(", ")
    ));
    match holders {
        Ok(holders) if error.may_pass && !holders.is_empty() => SourceError {
            message: format!(
                "transactions hold {} for too long (process {holders} of PostgreSQL): end them, and try again ({})",
                places.first().map_or("a table", String::as_str),
                error.message
            ),
            ..error
        },
        Ok(_) | Err(_) => error,
    }
}

//! What a server must be like for its log to tell rows, and what a role must be allowed to.

use super::session::Session;
use crate::source::SourceError;

/// The first version whose log can name columns.
const VERSION_MIN: (u32, u32) = (10, 5);
/// The first versions of which a stored UUID has one form.
const ONE_UUID: [(u32, u32, u32); 4] = [(10, 11, 5), (11, 0, 3), (11, 1, 2), (11, 2, 0)];

/// The parts of a version such as `10.11.19-MariaDB`.
fn version(text: &str) -> (u32, u32, u32) {
    // Some servers put `5.5.5-` before their version, for old clients.
    let text = text.strip_prefix("5.5.5-").unwrap_or(text);
    let mut parts = text.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

/// Whether the UUIDs that a server stores have one form.
pub(super) fn has_one_uuid(session: &mut Session) -> Result<bool, SourceError> {
    let version = version(&session.text("SELECT version()")?);
    let (major, minor, _) = version;
    let of_line = ONE_UUID.iter().find(|one| (one.0, one.1) == (major, minor));
    Ok(of_line.map_or(version > (11, 2, 0), |first| version >= *first))
}

/// Checks that the log of a server tells rows.
pub(super) fn check(session: &mut Session) -> Result<(), SourceError> {
    let text = session.text("SELECT version()")?;
    let (major, minor, _) = version(&text);
    if (major, minor) < VERSION_MIN {
        return Err(SourceError::lasting(format!(
            "this is MariaDB {text}, and 10.5 is the first whose log names columns"
        )));
    }
    if session.text("SELECT @@log_bin")? != "1" {
        return Err(SourceError::lasting(
            "this MariaDB keeps no binary log: put `log_bin` and `binlog_format = ROW` under [mariadb] in its \
             configuration, and start the server anew",
        ));
    }
    let mut faults = Vec::new();
    let settings = [
        ("binlog_format", &["ROW"][..]),
        ("binlog_row_image", &["FULL", "FULL_NODUP"]),
        ("binlog_row_metadata", &["FULL"]),
        ("log_bin_compress", &["0"]),
    ];
    for (setting, due) in settings {
        let is = session.text(&format!("SELECT @@GLOBAL.{setting}"))?;
        if let Some(first) = due.first().filter(|_| !due.contains(&is.as_str())) {
            faults.push(format!(
                "the log of this MariaDB does not tell rows as it must ({setting} is {is}): SET GLOBAL {setting} = \
                 {first}, also in its configuration, and connect the programs anew"
            ));
        }
    }
    faults.extend(repeated(session)?);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(SourceError::lasting(faults.join("\n"))),
    }
}

/// Why a server that repeats the changes of others does not log them.
fn repeated(session: &mut Session) -> Result<Option<String>, SourceError> {
    let settings = "SELECT @@log_slave_updates, @@wsrep_on, @@gtid_slave_pos";
    let rows = session.texts(settings)?;
    let row = rows.first().map(Vec::as_slice).unwrap_or_default();
    let [logs, cluster, repeated] = row else {
        return Ok(None);
    };
    if logs == "1" {
        return Ok(None);
    }
    let is_replica = match session.texts("SHOW ALL SLAVES STATUS") {
        Ok(masters) => !masters.is_empty(),
        Err(error) if error.may_pass => return Err(error),
        // The role may not see it. A server that has repeated changes once may do so still.
        Err(_) => !repeated.is_empty(),
    };
    let why = "this MariaDB repeats the changes of other servers and does not log them: put `log_slave_updates` under \
               [mariadb] in its configuration and start it anew, or migrate from the server that has the changes first";
    Ok((is_replica || cluster == "1").then(|| why.to_owned()))
}

/// Checks that the log has the changes of all databases.
pub(super) fn check_filters(session: &mut Session, schemas: &[&str]) -> Result<(), SourceError> {
    let status = session
        .texts("SHOW MASTER STATUS")
        .map_err(|error| SourceError {
            message: format!(
                "the state of the log cannot be read: GRANT BINLOG MONITOR ON *.* TO the role ({})",
                error.message
            ),
            ..error
        })?;
    let row = status.first().map(Vec::as_slice).unwrap_or_default();
    let list = |at: usize| {
        let text = row.get(at).map(String::as_str).unwrap_or_default();
        let names = text.split(',').map(str::trim).filter(|one| !one.is_empty());
        names.collect::<Vec<&str>>()
    };
    let (kept, left) = (list(2), list(3));
    for schema in schemas {
        let is = |one: &&str| one.eq_ignore_ascii_case(schema);
        if left.iter().any(is) || !(kept.is_empty() || kept.iter().any(is)) {
            return Err(SourceError::lasting(format!(
                "the log leaves the database `{schema}` out: take `binlog_do_db` and `binlog_ignore_db` out of the \
                 configuration, and start the server anew"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(version("10.11.19-MariaDB-0+deb12u1-log"), (10, 11, 19));
        assert_eq!(version("5.5.5-10.4.2-MariaDB"), (10, 4, 2));
        assert_eq!(version("11.4-MariaDB"), (11, 4, 0));
    }
}

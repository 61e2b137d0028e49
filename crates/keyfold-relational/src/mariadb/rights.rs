//! What a role must be allowed to for a switch, before anything is made: each right that it lacks is said with the
//! statement that gives it. What a role may is read from its own grants, those of its roles among them.

use super::closed::LEAD;
use super::quoting::{literal, quoted};
use super::session::Session;
use super::table::Table;
use crate::source::SourceError;

/// The rights at a mapped table.
const OF_TABLE: [&str; 5] = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRIGGER"];
/// Those at the table of what is noted.
const OF_LEAD: [&str; 6] = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP"];

/// Rights that were granted at a place.
#[derive(Debug, PartialEq, Eq)]
struct Grant {
    rights: Vec<String>,
    /// A pattern of databases; all where there is none.
    schema: Option<String>,
    /// A table; all of the database where there is none.
    table: Option<String>,
}

/// A name of a grant, or `*`, and what comes behind it.
fn name(text: &str) -> Option<(Option<String>, &str)> {
    if let Some(rest) = text.strip_prefix('*') {
        return Some((None, rest));
    }
    let mut found = String::new();
    let mut rest = text.strip_prefix('`')?;
    loop {
        let (before, behind) = rest.split_once('`')?;
        found.push_str(before);
        match behind.strip_prefix('`') {
            Some(behind) => {
                found.push('`');
                rest = behind;
            }
            None => return Some((Some(found), behind)),
        }
    }
}

impl Grant {
    /// What a line of SHOW GRANTS says; none where it grants a role, or a right at something else than tables.
    fn of(line: &str) -> Option<Grant> {
        let (rights, place) = line.strip_prefix("GRANT ")?.split_once(" ON ")?;
        let (schema, rest) = name(place)?;
        let (table, rest) = name(rest.strip_prefix('.')?)?;
        rest.starts_with(" TO ").then(|| Grant {
            rights: rights.split(", ").map(str::to_owned).collect(),
            schema,
            table,
        })
    }

    fn gives(&self, right: &str, schema: &str, table: &str) -> bool {
        let mut rights = self.rights.iter();
        let is_right = rights.any(|one| one == right || one == "ALL PRIVILEGES");
        let is_schema = match (&self.schema, &self.table) {
            (None, _) => true,
            (Some(own), Some(_)) => own.eq_ignore_ascii_case(schema),
            (Some(pattern), None) => is_like(pattern.as_bytes(), schema.as_bytes()),
        };
        let is_table = self.table.as_ref();
        is_right && is_schema && is_table.is_none_or(|own| own.eq_ignore_ascii_case(table))
    }

    fn gives_everywhere(&self, right: &str) -> bool {
        let mut rights = self.rights.iter();
        self.schema.is_none() && rights.any(|one| one == right || one == "ALL PRIVILEGES")
    }
}

/// Whether a name is like a pattern of a grant, in which `_` is a letter, `%` any letters, and a backslash takes
/// these for themselves.
fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], name) => name.is_empty(),
        ([b'%', rest @ ..], name) => {
            (0..=name.len()).any(|at| name.get(at..).is_some_and(|name| is_like(rest, name)))
        }
        ([b'\\', letter, rest @ ..], [first, name @ ..]) => {
            letter.eq_ignore_ascii_case(first) && is_like(rest, name)
        }
        ([letter, rest @ ..], [first, name @ ..]) => {
            (*letter == b'_' || letter.eq_ignore_ascii_case(first)) && is_like(rest, name)
        }
        ([_, ..], []) => false,
    }
}

/// Checks that the role of a session may do what a switch does.
///
/// # Errors
/// With a line for each right that is missing.
pub(super) fn check(session: &mut Session, tables: &[Table]) -> Result<(), SourceError> {
    let mut grants = Vec::new();
    // A server that takes no grants refuses the first. What everybody may, older ones have no word for.
    for asked in ["SHOW GRANTS", "SHOW GRANTS FOR PUBLIC"] {
        match session.texts(asked) {
            Ok(lines) => {
                let lines = lines.iter().filter_map(|line| line.first());
                grants.extend(lines.filter_map(|line| Grant::of(line)));
            }
            Err(error) if error.may_pass => return Err(error),
            Err(_) if grants.is_empty() => return Ok(()),
            Err(_) => {}
        }
    }
    let role = session.text("SELECT current_user()")?;
    let (user, host) = role.rsplit_once('@').unwrap_or((&role, "%"));
    let role = format!("{}@{}", literal(user), literal(host));
    let has = |right: &str| grants.iter().any(|one| one.gives_everywhere(right));
    let mut faults = Vec::new();
    let mut check = |rights: &[&str], schema: &str, table: &str| {
        let lacks = |right: &&&str| !grants.iter().any(|one| one.gives(right, schema, table));
        let missing: Vec<&str> = rights.iter().filter(lacks).copied().collect();
        if !missing.is_empty() {
            let (missing, place) = (
                missing.join(", "),
                format!("{}.{}", quoted(schema), quoted(table)),
            );
            faults.push(format!(
                "the role lacks {missing} on {place}: GRANT {missing} ON {place} TO {role}"
            ));
        }
    };
    for table in tables {
        check(&OF_TABLE, &table.schema, &table.name);
    }
    let database = session.database().to_owned();
    check(&OF_LEAD, &database, LEAD);
    faults.dedup();
    let settings = "SELECT @@GLOBAL.log_bin_trust_function_creators, @@GLOBAL.read_only";
    let settings = session.texts(settings)?;
    let is_on = |at: usize| {
        let row = settings.first().and_then(|row| row.get(at));
        row.is_some_and(|value| value == "1")
    };
    if !is_on(0) && !has("SUPER") && !has("BINLOG ADMIN") {
        faults.push(format!(
            "the role may not make triggers in a database with a binary log: SET GLOBAL log_bin_trust_function_creators = \
             1, or GRANT SUPER ON *.* TO {role}"
        ));
    }
    if is_on(1) && !has("SUPER") && !has("READ_ONLY ADMIN") {
        faults.push(format!(
            "this MariaDB takes no writes of the role (read_only is on): name the server that it follows, or GRANT READ_ONLY \
             ADMIN ON *.* TO {role}"
        ));
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(SourceError::lasting(faults.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::Grant;

    fn gives(line: &str, right: &str) -> bool {
        Grant::of(line).is_some_and(|one| one.gives(right, "shop_1", "orders"))
    }

    #[test]
    fn grants_are_read_with_their_places() {
        assert!(gives("GRANT SELECT, TRIGGER ON *.* TO `r`@`%`", "TRIGGER"));
        assert!(gives(
            "GRANT ALL PRIVILEGES ON `shop\\_1`.* TO `r`@`%` WITH GRANT OPTION",
            "TRIGGER"
        ));
        assert!(gives("GRANT DROP ON `s%`.* TO `r`@`%`", "DROP"));
        assert!(gives("GRANT DROP ON `shop_1`.`orders` TO `r`", "DROP"));
        assert!(!gives("GRANT DROP ON `shop_1`.`lines` TO `r`", "DROP"));
        assert!(!gives("GRANT DROP ON `shop_1x`.* TO `r`@`%`", "DROP"));
        assert!(!gives("GRANT DROP ON `shop\\_`.* TO `r`@`%`", "DROP"));
        assert!(!gives(
            "GRANT UPDATE (`a`, `b`) ON `shop_1`.`orders` TO `r`",
            "UPDATE"
        ));
        assert!(!gives("GRANT USAGE ON *.* TO `r`@`%`", "SELECT"));
        for line in [
            "GRANT `teller` TO `r`@`%`",
            "GRANT EXECUTE ON PROCEDURE `shop_1`.`orders` TO `r`@`%`",
            "SET DEFAULT ROLE `teller` FOR `r`@`%`",
        ] {
            assert_eq!(Grant::of(line), None);
        }
    }
}

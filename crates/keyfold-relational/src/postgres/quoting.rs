//! Names and texts in the SQL of PostgreSQL.

/// A name as PostgreSQL quotes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as PostgreSQL quotes it; it takes the type of what it stands beside.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

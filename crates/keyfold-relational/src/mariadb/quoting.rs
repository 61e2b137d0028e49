//! Names and texts in the SQL of MariaDB.

/// A name as MariaDB quotes it.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text as MariaDB quotes it.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Bytes as MariaDB writes them.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{digits}'")
}

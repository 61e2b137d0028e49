//! Names of mappings.

/// What the name of a mapping begins with that was given none.
const PREFIX: &str = "on-stream ";

/// A mapping as the lines of a server name it, of the name under which its positions are kept.
pub(super) fn named(name: &str) -> String {
    match name.strip_prefix(PREFIX) {
        Some(rest) => rest.replacen(' ', "=", 1),
        None => name.to_owned(),
    }
}

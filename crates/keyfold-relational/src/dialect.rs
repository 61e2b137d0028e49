//! The databases, as far as their SQL differs.

use crate::source::Source;

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
    Mariadb,
}

impl Dialect {
    pub(crate) fn of(source: &dyn Source) -> Dialect {
        let name = source.name();
        match name.split_once(':') {
            Some(("sqlite", _)) => Dialect::Sqlite,
            Some(("mariadb", _)) => Dialect::Mariadb,
            Some(_) | None => Dialect::Postgres,
        }
    }

    /// The type that a value is cast to, to be a text.
    pub(crate) fn text_type(self) -> &'static str {
        match self {
            Dialect::Sqlite | Dialect::Postgres => "TEXT",
            Dialect::Mariadb => "CHAR",
        }
    }

    /// The moment that is so many seconds behind the beginning of 1970.
    pub(crate) fn moment(self, seconds: &str) -> String {
        match self {
            Dialect::Sqlite => format!("datetime({seconds}, 'unixepoch')"),
            Dialect::Postgres => format!("to_timestamp({seconds})"),
            Dialect::Mariadb => format!("from_unixtime({seconds})"),
        }
    }
}

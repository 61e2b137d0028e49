//! What the databases' SQL differs in where rows are made of items.

use crate::dialect::Dialect;
use crate::mapping::base_of;
use crate::source::Source;
use keyfold_model::Type;

/// The name that an attribute has in SQL over attributes: PostgreSQL takes names without quotes in small letters.
pub(crate) fn name_of(source: &dyn Source, attribute: &str) -> String {
    match Dialect::of(source) {
        Dialect::Postgres => source.quoted(&attribute.to_lowercase()),
        Dialect::Sqlite | Dialect::Mariadb => source.quoted(attribute),
    }
}

/// The place of an argument that is the value of an attribute.
pub(crate) fn given(source: &dyn Source, number: usize, kind: &Type) -> String {
    let place = source.argument(number);
    match Dialect::of(source) {
        Dialect::Sqlite => place,
        Dialect::Postgres => {
            let kind = match kind {
                Type::Int | Type::Number => "numeric",
                Type::Bool => "boolean",
                Type::Time(_) => "timestamptz",
                Type::Date => "date",
                Type::Binary => "bytea",
                Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_) => "jsonb",
                Type::String | Type::Words(_) | Type::Ulid | Type::Uuid | Type::Period(_) => "text",
            };
            format!("{place}::{kind}")
        }
        Dialect::Mariadb => match kind {
            Type::Int => format!("CAST({place} AS DECIMAL(38))"),
            Type::Number => format!("CAST({place} AS DECIMAL(65, 30))"),
            Type::Time(_) => format!("CAST({place} AS DATETIME(6))"),
            Type::Date => format!("CAST({place} AS DATE)"),
            Type::Bool
            | Type::Binary
            | Type::List(_)
            | Type::Map(_)
            | Type::Set(_)
            | Type::Record(_)
            | Type::String
            | Type::Words(_)
            | Type::Ulid
            | Type::Uuid
            | Type::Period(_) => place,
        },
    }
}

/// The place of an argument that is the value of a column of a type: as [`Source::read`] reads it.
pub(crate) fn placed(source: &dyn Source, number: usize, kind: &str) -> String {
    let place = source.argument(number);
    match Dialect::of(source) {
        Dialect::Postgres if kind.ends_with("[]") => format!(
            "(CASE WHEN {place}::jsonb IS NULL THEN NULL ELSE ARRAY(SELECT \
             jsonb_array_elements_text({place}::jsonb)) END)::{kind}"
        ),
        Dialect::Mariadb if base_of(kind) == "float" => format!("CAST({place} AS FLOAT)"),
        // A value by itself is a text of the session.
        Dialect::Mariadb if is_bytes(&base_of(kind)) => format!("CAST({place} AS BINARY)"),
        Dialect::Sqlite | Dialect::Postgres | Dialect::Mariadb => source.argument_of(number, kind),
    }
}

/// What lets a row say a value that the database would make itself.
pub(crate) fn overriding(source: &dyn Source) -> &'static str {
    match Dialect::of(source) {
        Dialect::Postgres => "OVERRIDING SYSTEM VALUE ",
        Dialect::Sqlite | Dialect::Mariadb => "",
    }
}

/// An expression as a column of a type takes it.
pub(crate) fn taken(source: &dyn Source, sql: &str, kind: &str) -> String {
    match Dialect::of(source) {
        Dialect::Postgres => format!("({sql})::{kind}"),
        Dialect::Sqlite | Dialect::Mariadb => format!("({sql})"),
    }
}

/// The condition that a column holds a value and no other, capitals and blanks included.
pub(crate) fn is_same(source: &dyn Source, (column, value): (&str, &str), kind: &str) -> String {
    let base = base_of(kind);
    match Dialect::of(source) {
        Dialect::Sqlite => format!("{column} IS {value} COLLATE BINARY"),
        Dialect::Postgres if ["numeric", "real", "double precision"].contains(&base.as_str()) => {
            format!("{column} IS NOT DISTINCT FROM {value}")
        }
        Dialect::Postgres if base == "json" => {
            format!("{column}::jsonb IS NOT DISTINCT FROM {value}::jsonb")
        }
        Dialect::Postgres => format!(
            "({column}::text COLLATE \"C\") IS NOT DISTINCT FROM ({value}::text COLLATE \"C\")"
        ),
        Dialect::Mariadb if is_text(&base) => format!(
            "CONVERT({column} USING utf8mb4) COLLATE utf8mb4_nopad_bin <=> CONVERT({value} USING utf8mb4) COLLATE \
             utf8mb4_nopad_bin"
        ),
        Dialect::Mariadb => format!("{column} <=> {value}"),
    }
}

/// Whether a column of MariaDB holds bytes, as places also are.
fn is_bytes(base: &str) -> bool {
    const BYTES: [&str; 6] = [
        "binary",
        "blob",
        "geometry",
        "point",
        "linestring",
        "polygon",
    ];
    BYTES.iter().any(|one| base.contains(one))
}

fn is_text(base: &str) -> bool {
    ["char", "text", "enum", "set"]
        .iter()
        .any(|one| base.contains(one))
}

//! Types of other languages, and those of this one.

/// The types that have a name, with those of other languages that mean them.
const TYPES: [(&str, &[&str]); 9] = [
    (
        "string",
        &[
            "str",
            "text",
            "varchar",
            "varchar2",
            "nvarchar",
            "char",
            "character",
        ],
    ),
    (
        "int",
        &[
            "integer",
            "long",
            "bigint",
            "smallint",
            "short",
            "serial",
            "bigserial",
            "i64",
            "u64",
            "i32",
            "u32",
        ],
    ),
    (
        "number",
        &[
            "float", "double", "decimal", "real", "numeric", "money", "f64", "f32",
        ],
    ),
    ("bool", &["boolean"]),
    ("time", &["datetime", "timestamp", "timestamptz", "instant"]),
    ("date", &[]),
    ("binary", &["bytes", "blob", "bytea", "varbinary"]),
    ("ulid", &[]),
    ("uuid", &["guid"]),
];

/// The type that a type of another language means.
pub(crate) fn type_meant(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let found = TYPES
        .iter()
        .find(|(_, others)| others.contains(&name.as_str()));
    found.map(|(meant, _)| *meant)
}

/// Whether a word is a type, of this language or of another.
pub(crate) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|(own, _)| *own == word) || type_meant(word).is_some()
}

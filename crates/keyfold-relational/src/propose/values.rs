//! What an attribute is, as its column's type, constraints and values say together.

use crate::catalog::{Measured, TableColumn};

/// Most bytes of a text that is part of a key as it is.
pub(super) const IN_KEY_MAX: u64 = 700;
/// Most digits of a number in a table.
const DIGITS_MAX: u32 = 38;

/// What an attribute is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// The most digits that it is written with.
    Int(u32),
    /// Its digits and those behind the point, where they are declared.
    Number(Option<(u32, u32)>),
    Bool,
    /// `s`, `ms`, `us` or `ns`.
    Time(&'static str),
    Date,
    Uuid,
    Words(Vec<String>),
    Binary,
    List(Box<Kind>),
}

impl Kind {
    /// As the language writes it.
    pub(super) fn written(&self) -> String {
        match self {
            Kind::Text => "string".to_owned(),
            Kind::Int(_) => "int".to_owned(),
            Kind::Number(_) => "number".to_owned(),
            Kind::Bool => "bool".to_owned(),
            Kind::Time("ms") => "time".to_owned(),
            Kind::Time(unit) => format!("time({unit})"),
            Kind::Date => "date".to_owned(),
            Kind::Uuid => "uuid".to_owned(),
            Kind::Words(words) => {
                let words: Vec<String> = words.iter().map(|one| word(one)).collect();
                words.join(" | ")
            }
            Kind::Binary => "binary".to_owned(),
            Kind::List(of) => format!("list of {}", of.written()),
        }
    }

    /// Whether two attributes have the same values.
    pub(super) fn is_like(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Int(_), Kind::Int(_)) | (Kind::Number(_), Kind::Number(_)) => true,
            (Kind::Time(one), Kind::Time(other)) => one == other,
            (one, other) => one == other,
        }
    }

    /// Whether it can be part of a key.
    pub(super) fn fits_key(&self) -> bool {
        !matches!(self, Kind::Binary | Kind::List(_))
    }
}

/// A word of an enumeration. The first one of a line must not be taken for a type.
fn word(word: &str) -> String {
    match keyfold_model::is_word(word) && word.is_ascii() && !TYPES.contains(&word) {
        true => keyfold_model::written(word),
        false => format!("\"{word}\""),
    }
}

/// Names of types.
const TYPES: [&str; 13] = [
    "string", "int", "number", "bool", "time", "date", "ulid", "uuid", "binary", "list", "map",
    "set", "now",
];

/// How a value becomes what its attribute is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cast {
    /// As it is.
    None,
    /// As a text of the database.
    Text,
    /// As bytes.
    Bytes,
}

/// What an attribute of a column is, and how it is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) kind: Kind,
    pub(super) cast: Cast,
    /// What was decided against the column's type, for people.
    pub(super) why: Option<String>,
}

impl Judged {
    pub(super) fn of(kind: Kind) -> Judged {
        Judged {
            kind,
            cast: Cast::None,
            why: None,
        }
    }

    pub(super) fn text(why: impl Into<String>) -> Judged {
        Judged {
            kind: Kind::Text,
            cast: Cast::Text,
            why: Some(why.into()),
        }
    }

    /// The next weaker form, for values that do not fit: a text, then bytes. `None` if there is none.
    pub(super) fn weaker(&self, is_typed: bool) -> Option<Judged> {
        let why = || Some("not every value is one of its type".to_owned());
        match (&self.kind, self.cast) {
            (Kind::Time("s" | "ms"), Cast::None) => Some(Judged {
                why: self.why.clone(),
                ..Judged::of(Kind::Time("us"))
            }),
            (Kind::Binary, _) => None,
            (Kind::Text, Cast::Text) if is_typed => None,
            (Kind::Text, Cast::Text) => Some(Judged {
                kind: Kind::Binary,
                cast: Cast::Bytes,
                why: why(),
            }),
            _ => Some(Judged::text("not every value is one of its type")),
        }
    }
}

/// The digits in the parentheses of a type: `numeric(10,2)`.
pub(super) fn digits(kind: &str) -> Option<(u32, u32)> {
    let inside = kind.split_once('(')?.1.split_once(')')?.0;
    let mut parts = inside.split(',').map(|one| one.trim().parse::<u32>());
    let all = parts.next()?.ok()?;
    let places = parts.next().map_or(Some(0), Result::ok)?;
    (all <= DIGITS_MAX && places <= all).then_some((all, places))
}

/// The digits of the greatest whole number that is there, and at least those that are usual.
fn width(measured: &Measured, usual: u32) -> u32 {
    let greatest = measured.greatest.unsigned_abs();
    let most = greatest.max(measured.least.unsigned_abs());
    match most < 10_u64.pow(usual.min(18)) {
        true => usual,
        false => 19,
    }
}

/// The words of an enumeration, if they can be words of the model.
pub(super) fn words_of(words: &[String]) -> Option<Kind> {
    let fits = |one: &String| {
        !one.is_empty() && keyfold_model::unwritable(one).is_none() && one.trim() == one
    };
    let mut distinct = words.to_vec();
    distinct.sort();
    distinct.dedup();
    (words.iter().all(fits) && distinct.len() == words.len() && words.len() > 1)
        .then(|| Kind::Words(words.to_vec()))
}

/// What an attribute of a column of a typed database is.
pub(super) fn of_typed(
    column: &TableColumn,
    words: Option<&[String]>,
    measured: &Measured,
) -> Judged {
    let kind = column.kind.as_str();
    if let Some(element) = kind.strip_suffix("[]") {
        let element = TableColumn {
            kind: element.to_owned(),
            words: column.words.clone(),
            ..TableColumn::default()
        };
        let of = of_typed(&element, None, &Measured::default());
        let is_plain = matches!(of.kind, Kind::Text | Kind::Int(_) | Kind::Bool | Kind::Uuid);
        return match of.cast == Cast::None && is_plain {
            true => Judged::of(Kind::List(Box::new(of.kind))),
            false => Judged {
                kind: Kind::Text,
                cast: Cast::None,
                why: Some(format!("{kind} is kept as the text of its JSON")),
            },
        };
    }
    if let Some(words) = words.and_then(words_of) {
        return Judged::of(words);
    }
    let is_whole = measured.odd == 0;
    match kind {
        "smallint" => Judged::of(Kind::Int(width(measured, 5))),
        "integer" | "oid" => Judged::of(Kind::Int(10)),
        "bigint" => Judged::of(Kind::Int(19)),
        "boolean" => Judged::of(Kind::Bool),
        "date" if measured.no_date == 0 => Judged::of(Kind::Date),
        "uuid" => Judged::of(Kind::Uuid),
        "bytea" => Judged::of(Kind::Binary),
        "real" | "double precision" if is_whole => Judged::of(Kind::Number(None)),
        _ if kind.starts_with("numeric") && is_whole => match digits(kind) {
            Some((all, 0)) => Judged::of(Kind::Int(all)),
            found => Judged::of(Kind::Number(found)),
        },
        _ if kind.starts_with("timestamp") && measured.no_time == 0 => {
            Judged::of(Kind::Time(match digits(kind) {
                Some((0, _)) => "s",
                Some((1..=3, _)) => "ms",
                _ => "us",
            }))
        }
        "real" | "double precision" => Judged::text("it has numbers that no table holds"),
        _ if kind.starts_with("numeric") => Judged::text("it has numbers that no table holds"),
        "date" => Judged::text("it has days that are none, such as infinity"),
        _ if kind.starts_with("timestamp") => {
            Judged::text("it has moments that are none, such as infinity")
        }
        // Everything else is read as a text.
        _ => Judged::of(Kind::Text),
    }
}

/// What an attribute of a column is whose type binds no value: what the type says, if the values agree.
pub(super) fn of_untyped(
    column: &TableColumn,
    words: Option<&[String]>,
    measured: &Measured,
) -> Judged {
    let kind = column.kind.to_ascii_uppercase();
    let says = |all: &[&str]| all.iter().any(|one| kind.contains(one));
    let Measured {
        integers,
        reals,
        texts,
        blobs,
        ..
    } = *measured;
    let are_numbers = texts + blobs == 0;
    if let Some(words) = words.and_then(words_of)
        && blobs + reals == 0
    {
        return Judged::of(words);
    }
    let is_empty = integers + reals + texts + blobs == 0;
    if says(&["BOOL"]) && measured.no_bool == 0 {
        return Judged::of(Kind::Bool);
    }
    if says(&["DATETIME", "TIMESTAMP"]) && measured.no_time == 0 {
        return Judged::of(Kind::Time(match measured.fraction {
            0..=3 => "ms",
            4..=6 => "us",
            _ => "ns",
        }));
    }
    if kind.trim() == "DATE" && measured.no_date == 0 {
        return Judged::of(Kind::Date);
    }
    if says(&["DATE", "TIME"]) && integers > 0 && reals + texts + blobs == 0 {
        return Judged {
            why: Some("moments as whole numbers: `datetime(…, 'unixepoch')` in `from` would make times of them".to_owned()),
            ..Judged::of(Kind::Int(width(measured, 10)))
        };
    }
    if says(&["INT"]) && are_numbers && reals == 0 {
        return Judged::of(Kind::Int(width(measured, 10)));
    }
    let is_number = says(&["INT", "REAL", "FLOA", "DOUB", "NUM", "DEC"])
        || (!says(&["CHAR", "TEXT", "CLOB", "BLOB"]) && integers + reals > 0);
    if is_number && are_numbers && measured.odd == 0 {
        return Judged::of(Kind::Number(digits(&kind)));
    }
    if blobs > 0 || (says(&["BLOB"]) && is_empty) {
        return match integers + reals + texts {
            0 => Judged::of(Kind::Binary),
            _ => Judged {
                kind: Kind::Binary,
                cast: Cast::Bytes,
                why: Some("it has bytes and other values".to_owned()),
            },
        };
    }
    if reals > 0 {
        return Judged::text(match measured.odd {
            0 => "it has numbers and texts",
            _ => "it has numbers that no table holds",
        });
    }
    // Whole numbers are texts as they are.
    Judged {
        why: (is_number && texts > 0).then(|| "it has numbers and texts".to_owned()),
        ..Judged::of(Kind::Text)
    }
}

/// The default of an attribute, as the language writes it; `None` if there is none of this kind.
pub(super) fn default(sql: &str, kind: &Kind) -> Option<String> {
    // A cast of PostgreSQL behind a value says nothing more.
    let plain = sql.trim().trim_start_matches('(').trim_end_matches(')');
    let value = plain.split("::").next().unwrap_or(plain).trim();
    let text = value
        .strip_prefix('\'')
        .and_then(|one| one.strip_suffix('\''))
        .map(|one| one.replace("''", "'"));
    let lower = sql.trim().to_ascii_lowercase();
    match kind {
        Kind::Int(_) | Kind::Number(_) => {
            let number = text.as_deref().unwrap_or(value);
            let digits = number.strip_prefix('-').unwrap_or(number);
            let is_whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
            (is_whole && digits.len() < 16).then(|| number.to_owned())
        }
        Kind::Bool => match text
            .as_deref()
            .unwrap_or(value)
            .to_ascii_lowercase()
            .as_str()
        {
            "1" | "true" | "t" => Some("true".to_owned()),
            "0" | "false" | "f" => Some("false".to_owned()),
            _ => None,
        },
        Kind::Words(words) => text.filter(|one| words.contains(one)).map(|one| word(&one)),
        Kind::Text => text
            .filter(|one| !one.contains(['"', '\n', '\r', '\\', '\0', '{', '}']))
            .map(|one| format!("\"{one}\"")),
        Kind::Time(_) => {
            (lower.starts_with("current_timestamp") || lower == "now()" || lower == "(now())")
                .then(|| "now".to_owned())
        }
        Kind::Date => {
            let today = ["current_date", "(current_date)", "curdate()"];
            today.contains(&lower.as_str()).then(|| "now".to_owned())
        }
        Kind::Uuid => {
            (lower.contains("gen_random_uuid") || lower == "uuid()").then(|| "new".to_owned())
        }
        Kind::Binary | Kind::List(_) => None,
    }
}

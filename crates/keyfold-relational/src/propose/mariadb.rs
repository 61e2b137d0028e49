//! What an attribute is of a column of MariaDB.

use super::values::{Judged, Kind, digits, words_of};
use crate::catalog::{Measured, TableColumn};

/// What an attribute of a column is, as its type says, if the values agree.
pub(super) fn judged(
    column: &TableColumn,
    words: Option<&[String]>,
    measured: &Measured,
) -> Judged {
    if let Some(words) = words.and_then(words_of) {
        return Judged::of(words);
    }
    let kind = column.kind.as_str();
    let is_unsigned = kind.contains("unsigned");
    let is_bit = matches!(kind, "tinyint(1)" | "tinyint(1) unsigned" | "bit(1)");
    let base = kind.split(['(', ' ']).next().unwrap_or_default();
    match base {
        "tinyint" | "bit" if is_bit && measured.no_bool == 0 => Judged::of(Kind::Bool),
        "tinyint" => Judged::of(Kind::Int(3)),
        "year" => Judged::of(Kind::Int(4)),
        "smallint" => Judged::of(Kind::Int(5)),
        "mediumint" => Judged::of(Kind::Int(8)),
        "int" => Judged::of(Kind::Int(10)),
        "bigint" if !is_unsigned => Judged::of(Kind::Int(19)),
        "bigint" | "bit" => Judged::of(Kind::Int(20)),
        "float" | "double" | "decimal" if measured.odd > 0 => {
            Judged::text("it has numbers that no table holds")
        }
        "float" | "double" => Judged::of(Kind::Number(None)),
        "decimal" => match digits(kind) {
            Some((all, 0)) => Judged::of(Kind::Int(all)),
            found => Judged::of(Kind::Number(found)),
        },
        "date" if measured.no_date == 0 => Judged::of(Kind::Date),
        "datetime" | "timestamp" if measured.no_time == 0 => {
            Judged::of(Kind::Time(match digits(kind) {
                None | Some((0, _)) => "s",
                Some((1..=3, _)) => "ms",
                Some(_) => "us",
            }))
        }
        "date" | "datetime" | "timestamp" => {
            Judged::text("it has days that are none, such as 0000-00-00")
        }
        "uuid" => Judged::of(Kind::Uuid),
        _ if base.ends_with("binary") || base.ends_with("blob") || is_place(base) => {
            Judged::of(Kind::Binary)
        }
        // Everything else is read as a text.
        _ => Judged::of(Kind::Text),
    }
}

/// Whether the values of a type are places, which are bytes.
fn is_place(base: &str) -> bool {
    let ends = [
        "geometry",
        "geometrycollection",
        "point",
        "linestring",
        "polygon",
    ];
    ends.iter()
        .any(|end| base.strip_prefix("multi").unwrap_or(base) == *end)
}

#[cfg(test)]
mod tests {
    use super::judged;
    use crate::catalog::{Measured, TableColumn};

    #[test]
    fn types_are_those_of_the_language() {
        let written = |kind: &str, measured: Measured| {
            let column = TableColumn {
                kind: kind.to_owned(),
                ..TableColumn::default()
            };
            judged(&column, None, &measured).kind.written()
        };
        for (kind, due) in [
            ("tinyint(1)", "bool"),
            ("tinyint(4)", "int"),
            ("bit(1)", "bool"),
            ("bit(9)", "int"),
            ("bigint(20) unsigned", "int"),
            ("decimal(10,0)", "int"),
            ("decimal(10,2)", "number"),
            ("decimal(65,30)", "number"),
            ("double", "number"),
            ("datetime", "time(s)"),
            ("timestamp(3)", "time"),
            ("datetime(6)", "time(us)"),
            ("date", "date"),
            ("time", "string"),
            ("uuid", "uuid"),
            ("varbinary(9)", "binary"),
            ("multipoint", "binary"),
            ("set('a','b')", "string"),
        ] {
            assert_eq!(written(kind, Measured::default()), due, "{kind}");
        }
        let odd = Measured {
            odd: 1,
            no_date: 1,
            no_time: 1,
            no_bool: 1,
            ..Measured::default()
        };
        for (kind, due) in [
            ("tinyint(1)", "int"),
            ("bit(1)", "int"),
            ("decimal(65,30)", "string"),
            ("date", "string"),
            ("datetime", "string"),
        ] {
            assert_eq!(written(kind, odd), due, "{kind}");
        }
    }
}

//! Values of MariaDB as cells: those of rows that are read, and those of its log. A value has the same cell
//! either way, because what the log tells of a row that is gone must name the item that was made of it.

use super::kind::Kind;
use crate::cell::Cell;
use mysql::consts::ColumnType;
use mysql::{Column, Value};

/// The character set of bytes.
const BINARY: u16 = 63;
/// The most digits of a second.
const DIGITS_MAX: usize = 6;

/// A value of the log.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Told {
    Cell(Cell),
    /// A text in a character set that only the server knows.
    Foreign {
        charset: String,
        bytes: Vec<u8>,
    },
    /// It is none of its type.
    Odd,
}

/// A value of a row that was read.
pub(super) fn cell(column: &Column, value: Value) -> Cell {
    let digits = usize::from(column.decimals());
    let is_date = matches!(
        column.column_type(),
        ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_NEWDATE
    );
    match value {
        Value::NULL => Cell::Null,
        Value::Int(number) => Cell::Integer(number),
        Value::UInt(number) => unsigned(number),
        Value::Float(number) => Cell::Real(shortest(number)),
        Value::Double(number) => Cell::Real(number),
        value @ Value::Date(..) if is_date => Cell::Text(moment(&value, None)),
        value @ (Value::Date(..) | Value::Time(..)) => Cell::Text(moment(&value, Some(digits))),
        Value::Bytes(bytes) => match column.column_type() {
            ColumnType::MYSQL_TYPE_BIT => bits(&bytes),
            ColumnType::MYSQL_TYPE_GEOMETRY => Cell::Bytes(bytes),
            kind if is_of_texts(kind) && column.character_set() == BINARY => Cell::Bytes(bytes),
            _ => text(bytes),
        },
    }
}

/// Whether values of a type are bytes, where they are no texts.
fn is_of_texts(kind: ColumnType) -> bool {
    matches!(
        kind,
        ColumnType::MYSQL_TYPE_STRING
            | ColumnType::MYSQL_TYPE_VAR_STRING
            | ColumnType::MYSQL_TYPE_VARCHAR
            | ColumnType::MYSQL_TYPE_TINY_BLOB
            | ColumnType::MYSQL_TYPE_MEDIUM_BLOB
            | ColumnType::MYSQL_TYPE_LONG_BLOB
            | ColumnType::MYSQL_TYPE_BLOB
    )
}

/// A text, or bytes that are none.
fn text(bytes: Vec<u8>) -> Cell {
    match String::from_utf8(bytes) {
        Ok(text) => Cell::Text(text),
        Err(error) => Cell::Bytes(error.into_bytes()),
    }
}

fn unsigned(number: u64) -> Cell {
    i64::try_from(number).map_or_else(|_| Cell::Text(number.to_string()), Cell::Integer)
}

/// The number of 64 bits with the shortest digits of one of 32.
fn shortest(number: f32) -> f64 {
    let text = number.to_string();
    text.parse().unwrap_or_else(|_| f64::from(number))
}

/// Bits, the highest first, as a number.
fn bits(bytes: &[u8]) -> Cell {
    let number = bytes
        .iter()
        .fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    unsigned(number)
}

/// A date and a time as SQL writes them, with so many digits of a second; without them, a date.
fn moment(value: &Value, digits: Option<usize>) -> String {
    let (mut text, micros) = match value {
        Value::Date(year, month, day, ..) if digits.is_none() => {
            return format!("{year:04}-{month:02}-{day:02}");
        }
        Value::Date(year, month, day, hour, minute, second, micros) => (
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
            *micros,
        ),
        Value::Time(is_negative, days, hours, minutes, seconds, micros) => {
            let hours = u64::from(*days) * 24 + u64::from(*hours);
            let sign = if *is_negative { "-" } else { "" };
            (
                format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
                *micros,
            )
        }
        Value::NULL
        | Value::Bytes(_)
        | Value::Int(_)
        | Value::UInt(_)
        | Value::Float(_)
        | Value::Double(_) => return String::new(),
    };
    let all = format!("{micros:06}");
    match digits.unwrap_or(0) {
        0 => {}
        // An expression, which says nothing of its digits.
        more if more > DIGITS_MAX && micros == 0 => {}
        digits => text.push_str(&format!(".{}", all.get(..digits).unwrap_or(&all))),
    }
    text
}

/// A moment by its seconds since 1970; 0 is the date that is none.
fn of_seconds(seconds: u64, micros: u32) -> Value {
    if seconds == 0 && micros == 0 {
        return Value::Date(0, 0, 0, 0, 0, 0, 0);
    }
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since the first of March of the year 0, in periods of 400 years.
    let shifted = days + 719_468;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + shifted / 146_097 * 400 + u64::from(month <= 2);
    let small = |number: u64| u8::try_from(number).unwrap_or(0);
    Value::Date(
        u16::try_from(year).unwrap_or(0),
        small(month),
        small(day),
        small(rest / 3_600),
        small(rest % 3_600 / 60),
        small(rest % 60),
        micros,
    )
}

/// The value that a TIMESTAMP of the log is: its seconds, with or without digits behind a point.
fn timestamp(value: &Value) -> Option<Value> {
    match value {
        Value::Int(seconds) => Some(of_seconds(u64::try_from(*seconds).ok()?, 0)),
        Value::Bytes(bytes) => {
            let text = std::str::from_utf8(bytes).ok()?;
            let (seconds, micros) = text.split_once('.').unwrap_or((text, "0"));
            // Seconds have 32 bits; those behind the year 2038 are handed over with a sign.
            let seconds = seconds.parse::<i64>().ok()?.rem_euclid(1 << 32);
            Some(of_seconds(seconds.cast_unsigned(), micros.parse().ok()?))
        }
        Value::Date(..) => Some(value.clone()),
        Value::NULL | Value::UInt(_) | Value::Float(_) | Value::Double(_) | Value::Time(..) => None,
    }
}

/// A whole number of a type of so many bits: the log does not always say whether it has a sign.
fn whole(value: &Value, bits: u32, is_unsigned: bool) -> Option<Cell> {
    let number = match value {
        Value::Int(number) => i128::from(*number),
        Value::UInt(number) => i128::from(*number),
        Value::NULL
        | Value::Bytes(_)
        | Value::Float(_)
        | Value::Double(_)
        | Value::Date(..)
        | Value::Time(..) => return None,
    };
    let range = 1_i128 << bits;
    let number = number.rem_euclid(range);
    let number = match !is_unsigned && number >= range / 2 {
        true => number - range,
        false => number,
    };
    Some(i64::try_from(number).map_or_else(|_| Cell::Text(number.to_string()), Cell::Integer))
}

/// A value of the log in a column of a type.
pub(super) fn told(kind: &Kind, value: &Value) -> Told {
    if *value == Value::NULL {
        return Told::Cell(Cell::Null);
    }
    if let (true, Value::Bytes(bytes)) = (kind.is_text(), value) {
        return told_text(&kind.charset, bytes);
    }
    told_other(kind, value).map_or(Told::Odd, Told::Cell)
}

fn told_other(kind: &Kind, value: &Value) -> Option<Cell> {
    let number = |bits| whole(value, bits, kind.is_unsigned);
    let bytes = || match value {
        Value::Bytes(bytes) => Some(bytes.clone()),
        _ => None,
    };
    let digits = Some(kind.size());
    match kind.base.as_str() {
        "tinyint" | "boolean" => number(8),
        "smallint" => number(16),
        "mediumint" => number(24),
        "int" => number(32),
        "bigint" => number(64),
        "decimal" => Some(text(bytes()?)),
        "double" => match value {
            Value::Double(number) => Some(Cell::Real(*number)),
            _ => None,
        },
        "bit" => Some(bits(&bytes()?)),
        "year" => {
            let year: i64 = std::str::from_utf8(&bytes()?).ok()?.parse().ok()?;
            // The year 0 is the one that is none.
            Some(Cell::Integer(if year == 1900 { 0 } else { year }))
        }
        "date" => Some(Cell::Text(moment(value, None))),
        "datetime" | "time" => Some(Cell::Text(moment(value, digits))),
        "timestamp" => Some(Cell::Text(moment(&timestamp(value)?, digits))),
        "binary" => Some(Cell::Bytes(padded(bytes()?, kind.size()))),
        "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
            Some(Cell::Bytes(bytes()?))
        }
        "enum" => {
            let Value::Int(number) = value else {
                return None;
            };
            let at = usize::try_from(*number).ok()?;
            let label = at.checked_sub(1).map(|at| kind.labels().get(at).cloned());
            Some(Cell::Text(label.unwrap_or_else(|| Some(String::new()))?))
        }
        "uuid" => Some(Cell::Text(uuid(&padded(bytes()?, 16))?)),
        _ => None,
    }
}

/// Bytes with the zeros at their end, which the log leaves out.
fn padded(mut bytes: Vec<u8>, size: usize) -> Vec<u8> {
    bytes.resize(size.max(bytes.len()), 0);
    bytes
}

/// A UUID as MariaDB stores it: that of a version below 6 has its last part first, and each part as it is.
fn uuid(stored: &[u8]) -> Option<String> {
    let is_turned = stored.get(6)? & 0x80 != 0 && (1..0x60).contains(stored.get(8)?);
    let parts: [std::ops::Range<usize>; 5] = match is_turned {
        true => [12..16, 10..12, 8..10, 6..8, 0..6],
        false => [0..4, 4..6, 6..8, 8..10, 10..16],
    };
    let hex = |part: std::ops::Range<usize>| {
        let bytes = stored.get(part)?;
        Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    };
    let parts: Option<Vec<String>> = parts.into_iter().map(hex).collect();
    Some(parts?.join("-"))
}

fn told_text(charset: &str, bytes: &[u8]) -> Told {
    match charset {
        "utf8mb4" | "utf8mb3" | "utf8" | "ascii" => Told::Cell(text(bytes.to_vec())),
        "latin1" => Told::Cell(Cell::Text(bytes.iter().map(|byte| latin1(*byte)).collect())),
        _ => Told::Foreign {
            charset: charset.to_owned(),
            bytes: bytes.to_vec(),
        },
    }
}

/// A letter of MariaDB's latin1, which is that of Windows, and what it leaves out is itself.
fn latin1(byte: u8) -> char {
    const FROM_128: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    let of_table = byte
        .checked_sub(128)
        .and_then(|at| FROM_128.get(usize::from(at)));
    of_table.copied().unwrap_or_else(|| char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told_as(kind: &str, value: Value) -> Told {
        told(&Kind::of(kind), &value)
    }

    fn of_text(text: &str) -> Told {
        Told::Cell(Cell::Text(text.to_owned()))
    }

    #[test]
    fn numbers_have_the_sign_of_their_type() {
        let integer = |number| Told::Cell(Cell::Integer(number));
        assert_eq!(told_as("tinyint(3) unsigned", Value::Int(-1)), integer(255));
        assert_eq!(told_as("tinyint(4)", Value::UInt(255)), integer(-1));
        assert_eq!(told_as("mediumint(9)", Value::Int(0xff_ffff)), integer(-1));
        assert_eq!(
            told_as("bigint(20) unsigned", Value::Int(-1)),
            of_text("18446744073709551615")
        );
        assert_eq!(
            told_as("bigint(20)", Value::Int(i64::MIN)),
            integer(i64::MIN)
        );
        assert_eq!(told_as("bit(9)", Value::Bytes(vec![1, 0])), integer(256));
    }

    #[test]
    fn moments_are_written_as_sql_writes_them() {
        let seconds = |text: &str| Value::Bytes(text.as_bytes().to_vec());
        assert_eq!(
            told_as("timestamp", seconds("1772272800")),
            of_text("2026-02-28 10:00:00")
        );
        assert_eq!(
            told_as("timestamp", seconds("-2085978496")),
            of_text("2040-01-01 00:00:00")
        );
        assert_eq!(
            told_as("timestamp(3)", seconds("951782400.500000")),
            of_text("2000-02-29 00:00:00.500")
        );
        assert_eq!(
            told_as("timestamp", seconds("0")),
            of_text("0000-00-00 00:00:00")
        );
        assert_eq!(
            told_as("time(1)", Value::Time(true, 2, 3, 4, 5, 600_000)),
            of_text("-51:04:05.6")
        );
    }

    #[test]
    fn texts_are_read_by_their_character_set() {
        let bytes = || Value::Bytes(vec![0xe9, 0x80]);
        assert_eq!(
            told_as("char(2) character set latin1 collate latin1_bin", bytes()),
            of_text("é€")
        );
        let foreign = Told::Foreign {
            charset: "cp1251".to_owned(),
            bytes: vec![0xe9, 0x80],
        };
        assert_eq!(
            told_as("text character set cp1251 collate cp1251_bin", bytes()),
            foreign
        );
        assert_eq!(
            told_as("binary(3)", Value::Bytes(vec![7])),
            Told::Cell(Cell::Bytes(vec![7, 0, 0]))
        );
        let kind = "enum('a','b') character set utf8mb4 collate utf8mb4_bin";
        assert_eq!(told_as(kind, Value::Int(2)), of_text("b"));
        assert_eq!(told_as(kind, Value::Int(0)), of_text(""));
        assert_eq!(told_as(kind, Value::Int(3)), Told::Odd);
    }
}

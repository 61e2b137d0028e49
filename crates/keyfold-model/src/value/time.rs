//! Times and days: the form in which they are stored, and the reasons why a text is none.

use super::error::ValueError;
use crate::period::Precision;
use crate::types::Type;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use keyfold_types::Value;

/// The most hours that a zone is before or behind UTC.
const ZONE_HOURS_MAX: i8 = 25;

/// The stored text of a time.
///
/// # Errors
/// `Finer` when it has more digits than are kept, `Moment` when there is no such moment, `Text` for
/// another text.
pub(super) fn time(name: &str, precision: Precision, text: &str) -> Result<String, ValueError> {
    if is_stored_time(text, precision) {
        return Ok(text.to_owned());
    }
    if is_finer(text, precision) {
        return Err(ValueError::Finer {
            name: name.to_owned(),
            text: text.to_owned(),
            kind: Type::Time(precision).to_string(),
        });
    }
    canonical_time(text, precision).ok_or_else(|| {
        let form = "a time with its zone, like 2024-01-15T10:30:00Z (or a day: midnight UTC)";
        wrong(name, text, form)
    })
}

/// The stored text of a day.
///
/// # Errors
/// As [`time`].
pub(super) fn date(name: &str, text: &str) -> Result<String, ValueError> {
    let day = day(text).map(|date| date.to_string());
    day.ok_or_else(|| wrong(name, text, "a day like 2024-01-15"))
}

/// The error about a text that is no time or day.
fn wrong(name: &str, text: &str, wanted: &str) -> ValueError {
    let (name, text) = (name.to_owned(), text.to_owned());
    match Moment::of(&text).and_then(|moment| moment.fault()) {
        Some(why) => ValueError::Moment { name, text, why },
        None => ValueError::Text {
            name,
            text,
            wanted: wanted.to_owned(),
        },
    }
}

/// The numbers of a text that has the form of a day, or of a time with its zone.
struct Moment {
    /// `None` for a year that has a sign or more than four digits.
    year: Option<i16>,
    month: i8,
    day: i8,
    /// Hours, minutes and seconds.
    time: [i8; 3],
}

impl Moment {
    /// Reads a text; `None` when it has another form.
    fn of(text: &str) -> Option<Moment> {
        let (date, time) = match text.split_once(['T', 't', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let unsigned = date.trim_start_matches(['-', '+']);
        let mut parts = unsigned.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let is_date = parts.next().is_none()
            && is_digits(year, 4..=9)
            && is_digits(month, 2..=2)
            && is_digits(day, 2..=2);
        if !is_date {
            return None;
        }
        let clock = match time {
            None => [0; 3],
            Some(time) => clock(time)?,
        };
        Some(Moment {
            year: (unsigned == date && year.len() == 4)
                .then(|| year.parse().ok())
                .flatten(),
            month: month.parse().ok()?,
            day: day.parse().ok()?,
            time: clock,
        })
    }

    /// The reason why there is no such moment.
    fn fault(&self) -> Option<&'static str> {
        const OUTSIDE: &str = "it is outside the years 0001 to 9999 of UTC";
        let [hours, minutes, seconds] = self.time;
        Some(match self.year {
            None => OUTSIDE,
            Some(_) if seconds == 60 => {
                "a leap second would become the second before it; give `:59`, or the next minute"
            }
            Some(year) if Date::new(year, self.month, self.day).is_err() => {
                "the calendar has no such day"
            }
            Some(_) if hours > 23 || minutes > 59 || seconds > 60 => {
                "the clock has no such hour, minute or second"
            }
            Some(0 | 1 | 9999) => OUTSIDE,
            Some(_) => return None,
        })
    }
}

fn is_digits(text: &str, count: std::ops::RangeInclusive<usize>) -> bool {
    count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Hours, minutes and seconds of a time with its zone; `None` for another form.
fn clock(time: &str) -> Option<[i8; 3]> {
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (clock, _) = time.split_at_checked(zone)?;
    let clock = clock.split(['.', ',']).next().unwrap_or_default();
    let digits = clock.replace(':', "");
    if !is_digits(&digits, 4..=6) || digits.len() == 5 {
        return None;
    }
    let number = |from: usize| {
        digits
            .get(from..from + 2)
            .map_or(Some(0), |two| two.parse().ok())
    };
    Some([number(0)?, number(2)?, number(4)?])
}

/// Whether a text is a time in the form in which it is stored. A text that is none may still name
/// a time.
pub(super) fn is_stored_time(text: &str, precision: Precision) -> bool {
    let form: &[u8] = b"0000-00-00T00:00:00.000000000";
    let Some(digits) = text.strip_suffix('Z') else {
        return false;
    };
    let is_formed = text.len() == precision.width()
        && digits.bytes().zip(form).all(|(found, form)| match form {
            b'0' => found.is_ascii_digit(),
            other => found == *other,
        });
    let two = |from: usize| digits.get(from..from + 2).and_then(|two| two.parse().ok());
    is_formed
        && is_stored_date(digits.get(..10).unwrap_or_default())
        && two(11).is_some_and(|hours: u8| hours < 24)
        && two(14).is_some_and(|minutes: u8| minutes < 60)
        && two(17).is_some_and(|seconds: u8| seconds < 60)
}

/// Whether a text is a day in the form in which it is stored.
pub(super) fn is_stored_date(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    let is_formed = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let small = |number: i16| i8::try_from(number).ok();
    let date = || {
        let (month, day) = (small(number(5, 7)?)?, small(number(8, 10)?)?);
        let year = number(0, 4).filter(|year| *year > 0)?;
        Date::new(year, month, day).ok()
    };
    is_formed && date().is_some()
}

/// The day that a text names. A time is refused: without a zone, it would become midnight.
fn day(text: &str) -> Option<Date> {
    is_stored_date(text)
        .then(|| text.parse::<Date>().ok())
        .flatten()
}

/// The last value of a type that is not after a text: a time is truncated to its precision. Other
/// texts are returned unchanged.
pub fn at_most(kind: &Type, text: &str) -> String {
    let cut = match kind {
        Type::Time(precision) => canonical_time(text, *precision),
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => None,
    };
    cut.unwrap_or_else(|| text.to_owned())
}

/// Whether a text has a time with more digits than a precision keeps.
fn is_finer(text: &str, precision: Precision) -> bool {
    let exact = canonical_time(text, Precision::Nanos);
    exact.is_some_and(|exact| {
        let kept = precision.cut(exact.trim_end_matches('Z'));
        let rest = exact.get(kept.len() - 1..).unwrap_or_default();
        rest.chars().any(|c| c.is_ascii_digit() && c != '0')
    })
}

/// The time in UTC with a fixed number of digits, so that text order is time order.
fn canonical_time(text: &str, precision: Precision) -> Option<String> {
    // A leap second would become the second before it.
    if Moment::of(text).is_some_and(|moment| moment.time[2] == 60) {
        return None;
    }
    let time = match day(text) {
        Some(day) => day.at(0, 0, 0, 0),
        None => moment(text)?,
    };
    civil_text(time, precision)
}

/// The moment of a day, a clock and a zone, in UTC: the form that the clients of all languages take.
/// `clients/cases/times.txt` holds its cases.
fn moment(text: &str) -> Option<DateTime> {
    let (date, rest) = text.split_at_checked("2024-01-15".len())?;
    let date = day(date)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, zone) = rest.split_at_checked(rest.find(['Z', 'z', '+', '-'])?)?;
    let (clock, fraction) = match clock.split_once(['.', ',']) {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (two(parts.next()?)?, two(parts.next()?)?);
    let second = match (parts.next(), fraction) {
        (Some(second), _) => two(second)?,
        (None, Some(_)) => return None,
        (None, None) => 0,
    };
    let nanos = match fraction {
        Some(fraction) if is_digits(fraction, 1..=9) => format!("{fraction:0<9}").parse().ok()?,
        Some(_) => return None,
        None => 0,
    };
    if parts.next().is_some() {
        return None;
    }
    let clock = Time::new(hour, minute, second, nanos).ok()?;
    let offset = SignedDuration::from_mins(offset_minutes(zone)?);
    date.to_datetime(clock).checked_sub(offset).ok()
}

/// The minutes by which a zone is before UTC: `Z`, `+01:00`, `-0130`, `+02`.
fn offset_minutes(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, size) = match zone.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, zone.strip_prefix('+')?),
    };
    let (hours, minutes) = size.split_at_checked(2)?;
    let minutes = match minutes.strip_prefix(':').unwrap_or(minutes) {
        "" if minutes.is_empty() => 0,
        minutes => two(minutes)?,
    };
    let hours = two(hours)?;
    let is_zone = hours <= ZONE_HOURS_MAX && minutes < 60;
    is_zone.then(|| sign * (i64::from(hours) * 60 + i64::from(minutes)))
}

/// The number of two digits.
fn two(text: &str) -> Option<i8> {
    is_digits(text, 2..=2).then(|| text.parse().ok()).flatten()
}

fn time_text(timestamp: Timestamp, precision: Precision) -> Option<String> {
    civil_text(TimeZone::UTC.to_datetime(timestamp), precision)
}

fn civil_text(time: DateTime, precision: Precision) -> Option<String> {
    (1..=9999).contains(&time.year()).then(|| {
        precision.cut(&format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}",
            time.year(),
            time.month(),
            time.day(),
            time.hour(),
            time.minute(),
            time.second(),
            time.subsec_nanosecond()
        ))
    })
}

/// The seconds from 1970 to a time or day; `None` for another value.
pub fn epoch_seconds(value: &Value) -> Option<i64> {
    let Value::S(text) = value else { return None };
    match text.parse::<Timestamp>() {
        Ok(timestamp) => Some(timestamp.as_second()),
        Err(_) => Some(
            day(text)?
                .to_zoned(TimeZone::UTC)
                .ok()?
                .timestamp()
                .as_second(),
        ),
    }
}

/// A time in milliseconds since 1970 as a value of a time or date type; `None` for another type, and
/// outside the years 1 to 9999.
pub fn time_of_epoch_ms(kind: &Type, epoch_ms: i64) -> Option<Value> {
    let timestamp = Timestamp::from_millisecond(epoch_ms).ok()?;
    match kind {
        Type::Time(precision) => time_text(timestamp, *precision).map(Value::S),
        Type::Date => {
            let text = time_text(timestamp, Precision::Millis)?;
            Some(Value::S(text.get(..10)?.to_owned()))
        }
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Precision, time};

    /// The cases that the clients in all languages share.
    #[test]
    fn times_are_those_of_all_languages() {
        let cases = include_str!("../../../../clients/cases/times.txt").lines();
        for case in cases.filter(|line| !line.starts_with('#')) {
            let (text, stored) = case.split_once('\t').unwrap();
            let found = time("at", Precision::Millis, text);
            assert_eq!(found.as_deref().unwrap_or("-"), stored, "`{text}`");
        }
    }
}

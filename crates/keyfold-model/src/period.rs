//! Units of time for keys and tables (hours, days, months, years of UTC), and the precision of times.
//!
//! A time is text of fixed width, so that its period is a prefix of it: `2024-01-15T10:30:00.000Z` is
//! in the day `2024-01-15`.

use jiff::ToSpan;
use jiff::civil::{DateTime, date};
use std::fmt;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// An hour: `2024-01-15T10`.
    Hour,
    /// A day: `2024-01-15`.
    Day,
    /// A month: `2024-01`.
    Month,
    /// A year: `2024`.
    Year,
}

/// The precision of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Seconds.
    Seconds,
    /// Thousandths of a second.
    Millis,
    /// Millionths of a second.
    Micros,
    /// Billionths of a second.
    Nanos,
}

impl Precision {
    /// The length of a time as text.
    pub(crate) fn width(self) -> usize {
        // `2024-01-15T12:30:00Z`, and a point before the digits.
        match self.digits() {
            0 => 20,
            digits => 21 + digits,
        }
    }

    /// The number of digits after the seconds.
    pub fn digits(self) -> usize {
        match self {
            Precision::Seconds => 0,
            Precision::Millis => 3,
            Precision::Micros => 6,
            Precision::Nanos => 9,
        }
    }

    /// Its word in the language: `time(us)`.
    pub fn word(self) -> &'static str {
        match self {
            Precision::Seconds => "s",
            Precision::Millis => "ms",
            Precision::Micros => "us",
            Precision::Nanos => "ns",
        }
    }

    /// Truncates a time with nanoseconds to this precision.
    pub(crate) fn cut(self, text: &str) -> String {
        let end = match self.digits() {
            0 => 19,
            digits => 20 + digits,
        };
        format!("{}Z", text.get(..end).unwrap_or(text))
    }
}

/// Most periods in a range: each is a request.
pub const PERIODS_MAX: usize = 10_000;

impl Unit {
    /// All units, the shortest first.
    pub(crate) const ALL: [Unit; 4] = [Unit::Hour, Unit::Day, Unit::Month, Unit::Year];

    /// The unit that a word of the language names.
    pub(crate) fn of_word(word: &str) -> Option<Unit> {
        match word {
            "hour" => Some(Unit::Hour),
            // `date` is the older word for `day`.
            "day" | "date" => Some(Unit::Day),
            "month" => Some(Unit::Month),
            "year" => Some(Unit::Year),
            _ => None,
        }
    }

    /// Its word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Month => "month",
            Unit::Year => "year",
        }
    }

    /// The number of characters in the text of a period.
    pub fn width(self) -> usize {
        match self {
            Unit::Hour => 13,
            Unit::Day => 10,
            Unit::Month => 7,
            Unit::Year => 4,
        }
    }

    /// The period of a time or day.
    pub fn of(self, time: &str) -> &str {
        time.get(..self.width()).unwrap_or(time)
    }

    /// The start of the period that a text names.
    fn start(self, text: &str) -> Option<DateTime> {
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
        if text.len() != self.width() || !text.is_ascii() {
            return None;
        }
        let small = |value: i16| i8::try_from(value).ok();
        let month = if self < Unit::Year {
            small(number(5, 7)?)?
        } else {
            1
        };
        let day = if self < Unit::Month {
            small(number(8, 10)?)?
        } else {
            1
        };
        let hour = if self == Unit::Hour {
            small(number(11, 13)?)?
        } else {
            0
        };
        let year = number(0, 4).filter(|year| *year > 0)?;
        let made = jiff::civil::Date::new(year, month, day).ok()?;
        (0..24).contains(&hour).then(|| made.at(hour, 0, 0, 0))
    }

    /// A period as a part of a table's name: `2024_01`.
    pub(crate) fn in_name(period: &str) -> String {
        period.replace(['-', 'T'], "_")
    }

    /// The period that a part of a table's name stands for: `2024-01` of `2024_01`. `None` for other
    /// texts, also for those of no calendar, like `2024_13`.
    pub fn of_name(self, text: &str) -> Option<String> {
        let period: Option<String> = text
            .chars()
            .enumerate()
            .map(|(at, c)| match (at, c) {
                (4 | 7, '_') => Some('-'),
                (10, '_') => Some('T'),
                (_, digit) => digit.is_ascii_digit().then_some(digit),
            })
            .collect();
        period.filter(|period| self.is_period(period))
    }

    /// Whether the text names a period. `2024-02-30` does not.
    pub fn is_period(self, text: &str) -> bool {
        self.start(text)
            .is_some_and(|start| self.text(start) == text)
    }

    fn text(self, at: DateTime) -> String {
        match self {
            Unit::Hour => {
                format!(
                    "{:04}-{:02}-{:02}T{:02}",
                    at.year(),
                    at.month(),
                    at.day(),
                    at.hour()
                )
            }
            Unit::Day => format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day()),
            Unit::Month => format!("{:04}-{:02}", at.year(), at.month()),
            Unit::Year => format!("{:04}", at.year()),
        }
    }

    /// The periods from that of `low` to that of `high`, in order. `None` when there are more than
    /// [`PERIODS_MAX`], or a text is no time.
    pub(crate) fn between(self, low: &str, high: &str) -> Option<Vec<String>> {
        let (mut at, last) = (self.start(self.of(low))?, self.start(self.of(high))?);
        let mut periods = Vec::new();
        while at <= last {
            if periods.len() == PERIODS_MAX {
                return None;
            }
            periods.push(self.text(at));
            let step = match self {
                Unit::Hour => 1.hour(),
                Unit::Day => 1.day(),
                Unit::Month => 1.month(),
                Unit::Year => 1.year(),
            };
            // The calendar ends here.
            let Ok(next) = at.checked_add(step) else {
                break;
            };
            at = next;
        }
        Some(periods)
    }

    /// The first time of a period, with this precision; `None` gives the first day.
    pub fn first_time(period: &str, precision: Option<Precision>) -> String {
        // The first time of the calendar provides the digits that a period leaves out.
        let first = date(0, 1, 1).at(0, 0, 0, 0);
        let pattern = format!("{:04}-01-01T00:00:00.000000000Z", first.year());
        let mut text = period.to_owned();
        text.push_str(pattern.get(period.len()..).unwrap_or_default());
        match precision {
            None => text.get(..10).unwrap_or(&text).to_owned(),
            Some(precision) => precision.cut(&text),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_follow_the_calendar() {
        let days = Unit::Day
            .between("2024-02-28T22:00:00.000Z", "2024-03-01")
            .unwrap();
        assert_eq!(days, ["2024-02-28", "2024-02-29", "2024-03-01"]);
        assert_eq!(
            Unit::Month.between("2023-12-31", "2024-01-01").unwrap(),
            ["2023-12", "2024-01"]
        );
        assert_eq!(
            Unit::Hour
                .between("2024-01-01T23:59:00.000Z", "2024-01-02T00:00:00.000Z")
                .unwrap()
                .len(),
            2
        );
        assert_eq!(
            Unit::Year.between("2024-01-01", "2022-01-01").unwrap(),
            Vec::<String>::new()
        );
        assert_eq!(Unit::Hour.between("0001-01-01", "9000-01-01"), None);
    }

    /// The clients in other languages have the same cases in their tests.
    #[test]
    fn a_name_of_no_period_of_the_calendar_is_refused() {
        let cases = include_str!("../../../clients/cases/periods.txt").lines();
        for case in cases.filter(|line| !line.starts_with('#')) {
            let [unit, name, period] = case.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{case}");
            };
            let found = Unit::of_word(unit).unwrap().of_name(name);
            assert_eq!(found.as_deref().unwrap_or("-"), period, "{case}");
            if let Some(period) = found {
                assert_eq!(Unit::in_name(&period), name);
            }
        }
    }

    #[test]
    fn a_period_starts_with_its_first_time() {
        assert_eq!(
            Unit::first_time("2024-02", Some(Precision::Millis)),
            "2024-02-01T00:00:00.000Z"
        );
        assert_eq!(
            Unit::first_time("2024-02-03T04", Some(Precision::Seconds)),
            "2024-02-03T04:00:00Z"
        );
        assert_eq!(Unit::first_time("2024", None), "2024-01-01");
        assert!(Unit::Day.is_period("2024-02-29") && !Unit::Day.is_period("2023-02-29"));
    }
}

//! The line that says how far a table is, as far as it fits into the terminal.

use super::cost::{Priced, spoken_count, spoken_dollars, spoken_units};
use super::left::{Speed, spoken};
use keyfold_client::origin;
use keyfold_motion::tables::Found;
use keyfold_motion::{Figures, Units};
use std::time::Duration;

/// The characters of the bar.
const BAR_CHARS: u64 = 12;

/// How far a table is, or several together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Far {
    /// The items that were read, by all runs.
    pub(super) items: u64,
    /// The items of the source, about.
    pub(super) all_items: u64,
    /// The bytes that were read, by all runs, and all of them, about. Items, where no size is known.
    pub(super) done: u64,
    pub(super) all: u64,
    pub(super) segments_done: u32,
    pub(super) segments: u32,
    /// The changes that this run has applied.
    pub(super) changes: u64,
    /// The tables, those that are copied, and those that are even.
    pub(super) tables: [usize; 3],
    /// Whether changes are followed.
    pub(super) follows: bool,
    /// Whether it becomes an export, which is even with nothing.
    pub(super) is_export: bool,
    /// How far the run is behind the changes; of several tables the longest.
    pub(super) behind: Option<Duration>,
    pub(super) units: [Units; 2],
    pub(super) throttles: u64,
}

impl Far {
    /// How far a table is.
    pub(super) fn of(found: &Found, figures: &Figures, follows: bool) -> Far {
        let items = figures.earlier.read + figures.items + figures.kept;
        let (done, all) = match found.bytes() {
            0 => (items, found.items()),
            bytes => (figures.earlier.bytes + figures.bytes, bytes),
        };
        let is_copied = figures.segments > 0 && figures.segments_done == figures.segments;
        Far {
            items,
            all_items: found.items(),
            done,
            all,
            segments_done: figures.segments_done,
            segments: figures.segments,
            changes: figures.changes,
            tables: [1, usize::from(is_copied), usize::from(figures.is_even())],
            follows,
            is_export: false,
            behind: figures.behind(origin().now_epoch_ms),
            units: figures.units,
            throttles: figures.throttles,
        }
    }

    /// Several tables together.
    pub(super) fn of_all(all: &[Far]) -> Far {
        let mut sum = Far::default();
        for one in all {
            sum.items += one.items;
            sum.all_items += one.all_items;
            sum.done += one.done;
            sum.all += one.all;
            sum.segments_done += one.segments_done;
            sum.segments += one.segments;
            sum.changes += one.changes;
            sum.follows |= one.follows;
            sum.is_export |= one.is_export;
            sum.behind = sum.behind.max(one.behind);
            sum.throttles += one.throttles;
            for (sum, one) in sum.tables.iter_mut().zip(one.tables) {
                *sum += one;
            }
            for (sum, one) in sum.units.iter_mut().zip(one.units) {
                *sum += one;
            }
        }
        sum
    }

    pub(super) fn is_copied(&self) -> bool {
        let [tables, copied, _] = self.tables;
        tables > 0 && copied == tables
    }

    fn is_even(&self) -> bool {
        let [tables, _, even] = self.tables;
        tables > 0 && even == tables
    }

    /// How long the copy takes yet; `None` when nothing is known, and when it is done.
    pub(super) fn time_left(&self, speed: &Speed) -> Option<Duration> {
        // The source may have more than it has said.
        let left = self.all.checked_sub(self.done).filter(|left| *left > 0)?;
        speed.time_of(left).filter(|_| !self.is_copied())
    }

    /// The percents that are copied; `None` when the source has not said how much it has.
    fn percents(&self) -> Option<u64> {
        let percents = self.done.checked_mul(100)?.checked_div(self.all)?;
        Some(match self.is_copied() {
            true => 100,
            false => percents.min(99),
        })
    }

    /// What the line says, the more important the earlier.
    fn parts(&self, time_left: Option<Duration>, priced: Priced) -> Vec<String> {
        let mut parts = Vec::new();
        if let Some(percents) = self.percents().filter(|_| !self.is_copied()) {
            let full = usize::try_from(percents * BAR_CHARS / 100).unwrap_or(0);
            let empty = usize::try_from(BAR_CHARS).unwrap_or(0) - full;
            parts.push(format!(
                "{}{} {percents} %",
                "━".repeat(full),
                "┄".repeat(empty)
            ));
        }
        let state = match (self.is_copied(), self.is_even(), self.follows) {
            (_, true, _) if self.is_export => "exported".to_owned(),
            (_, true, _) => "even".to_owned(),
            (true, false, true) => match self.behind {
                Some(behind) => format!("copied, {} behind", spoken(behind)),
                None => "copied, following".to_owned(),
            },
            (true, false, false) => "copied".to_owned(),
            (false, false, _) => {
                time_left.map_or_else(String::new, |time| format!("about {} left", spoken(time)))
            }
        };
        parts.extend((!state.is_empty()).then_some(state));
        parts.push(format!("{} items", spoken_count(self.items)));
        if self.changes > 0 {
            parts.push(format!("{} changes", spoken_count(self.changes)));
        }
        let [source, target] = self.units;
        parts.push(format!(
            "{} units read, {} written",
            spoken_units(source.read_halves + target.read_halves),
            spoken_units(source.write_halves + target.write_halves)
        ));
        if let Some(dollars) = priced.dollars(self.units) {
            parts.push(spoken_dollars(dollars));
        }
        if self.throttles > 0 {
            parts.push(format!("throttled {}×", spoken_count(self.throttles)));
        }
        parts
    }

    /// The line of a table, of at most so many characters: what is less important is left out.
    pub(super) fn line(
        &self,
        (name, width): (&str, usize),
        time_left: Option<Duration>,
        priced: Priced,
    ) -> String {
        let mut line = cut(name, (width / 2).max(1));
        let mut chars = line.chars().count();
        for part in self.parts(time_left, priced) {
            let more = part.chars().count() + 2;
            if chars + more > width {
                break;
            }
            line.push_str("  ");
            line.push_str(&part);
            chars += more;
        }
        line
    }
}

/// The beginning of a name.
fn cut(name: &str, width: usize) -> String {
    match name.chars().count() <= width {
        true => name.to_owned(),
        false => name.chars().take(width - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far() -> Far {
        let units = Units {
            read_halves: 2_469,
            write_halves: 0,
        };
        Far {
            items: 12_345,
            all_items: 50_000,
            done: 250,
            all: 1_000,
            segments_done: 1,
            segments: 4,
            changes: 7,
            tables: [1, 0, 0],
            follows: true,
            is_export: false,
            behind: None,
            units: [units, Units::default()],
            throttles: 0,
        }
    }

    #[test]
    fn a_line_says_what_fits() {
        let left = Some(Duration::from_secs(600));
        let line = |width| far().line(("Orders", width), left, Priced::default());
        assert_eq!(
            line(200),
            "Orders  ━━━┄┄┄┄┄┄┄┄┄ 25 %  about 10 min left  12,345 items  7 changes  1,234.5 units read, \
             0 written"
        );
        assert_eq!(line(50), "Orders  ━━━┄┄┄┄┄┄┄┄┄ 25 %  about 10 min left");
        assert_eq!(line(6), "Or…");
        for width in 1..200 {
            assert!(line(width).chars().count() <= width, "{width}");
        }
    }

    #[test]
    fn dollars_are_said_where_they_are_known() {
        let priced = Priced {
            places: [true, false],
        };
        let line = far().line(("Orders", 200), None, priced);
        assert!(line.ends_with("0.0002 $"), "{line}");
    }

    #[test]
    fn a_copied_table_has_no_time_left() {
        let mut speed = Speed::default();
        speed.note(Duration::ZERO, 0);
        speed.note(Duration::from_secs(10), 250);
        assert_eq!(far().time_left(&speed), Some(Duration::from_secs(30)));
        let copied = Far {
            tables: [1, 1, 0],
            ..far()
        };
        assert_eq!(copied.time_left(&speed), None);
        let line = copied.line(("Orders", 40), None, Priced::default());
        assert_eq!(line, "Orders  copied, following  12,345 items");
        let behind = Far {
            behind: Some(Duration::from_secs(3)),
            ..copied.clone()
        };
        let both = Far::of_all(&[behind, copied]);
        let line = both.line(("2 tables", 30), None, Priced::default());
        assert_eq!(line, "2 tables  copied, 3 s behind");
        // A source that has more than it has said.
        let more = Far {
            done: 2_000,
            ..far()
        };
        assert_eq!(more.time_left(&speed), None);
        assert_eq!(more.percents(), Some(99));
    }

    #[test]
    fn an_export_is_even_with_nothing() {
        let exported = Far {
            tables: [1, 1, 1],
            follows: false,
            is_export: true,
            ..far()
        };
        let line = exported.line(("Orders", 30), None, Priced::default());
        assert_eq!(line, "Orders  exported  12,345 items");
        assert!(Far::of_all(&[exported]).is_export);
    }

    #[test]
    fn tables_add_up() {
        let both = Far::of_all(&[
            far(),
            Far {
                tables: [1, 1, 1],
                ..far()
            },
        ]);
        assert_eq!((both.items, both.tables), (24_690, [2, 1, 1]));
        assert!(!both.is_copied() && !both.is_even());
    }
}

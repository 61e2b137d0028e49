//! The units of both places, and what they cost where that is known.

use crate::cmd::proof_cost::dollars;
use keyfold_motion::Units;
use keyfold_types::CapacityHalves;
use serde_json::{Value as Json, json};

/// What is said of a sum of dollars.
pub(super) const PRICES: &str = "at the prices on demand of us-east-1 since November 2024";

/// Which places cost money for each unit: those of Amazon DynamoDB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Priced {
    /// The source and the target.
    pub(super) places: [bool; 2],
}

impl Priced {
    /// The dollars of the units of both places; `None` when neither costs any.
    pub(super) fn dollars(self, units: [Units; 2]) -> Option<f64> {
        let priced = self.places.iter().zip(units).filter(|(priced, _)| **priced);
        let all: Vec<Units> = priced.map(|(_, units)| units).collect();
        let sum = all.iter().fold(Units::default(), |sum, one| sum + *one);
        (!all.is_empty())
            .then(|| dollars(sum.write_halves.div_ceil(2), sum.read_halves.div_ceil(2)))
    }
}

/// Units for people, with commas: `1,234.5`.
pub(super) fn spoken_units(halves: u64) -> String {
    let half = if halves % 2 == 1 { ".5" } else { "" };
    format!("{}{half}", spoken_count(halves / 2))
}

/// A count for people, with commas: `1,234`.
pub(super) fn spoken_count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A sum for people: cents, and more digits of less than a cent.
pub(super) fn spoken_dollars(dollars: f64) -> String {
    match dollars {
        0.01.. => format!("{dollars:.2} $"),
        _ => format!("{dollars:.4} $"),
    }
}

/// The units for programs.
pub(super) fn units_view([source, target]: [Units; 2]) -> Json {
    let units = |halves: u64| CapacityHalves(halves).units();
    json!({
        "sourceRead": units(source.read_halves),
        "sourceWrite": units(source.write_halves),
        "targetRead": units(target.read_halves),
        "targetWrite": units(target.write_halves),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_with_a_price_cost_dollars() {
        let million = Units {
            read_halves: 2_000_000,
            write_halves: 2_000_000,
        };
        let dollars = |places| Priced { places }.dollars([million, million]);
        assert_eq!(dollars([false, false]), None);
        assert_eq!(dollars([true, false]), Some(0.75));
        assert_eq!(dollars([true, true]), Some(1.5));
    }

    #[test]
    fn units_are_said_exactly() {
        assert_eq!(spoken_units(1), "0.5");
        assert_eq!(spoken_units(2_469), "1,234.5");
        assert_eq!(spoken_units(2_000_000), "1,000,000");
        assert_eq!(spoken_dollars(0.004_2), "0.0042 $");
        assert_eq!(spoken_dollars(12.345), "12.35 $");
    }
}

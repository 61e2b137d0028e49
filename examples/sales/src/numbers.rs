//! The numbers of table B, in one form for the views and for SQL: so they are compared.

use crate::model::{DailySales, RegionProducts, RegionSales};
use keyfold::typed::{Number, Timestamp};
use serde::Serialize;
use std::collections::BTreeSet;

/// An order of a top list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BestOrder {
    /// The order.
    pub order_id: String,
    /// Who has ordered.
    pub customer_id: String,
    /// Its total.
    pub total_cents: i64,
}

/// A product on a day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DailyRow {
    /// The day, as `2026-11-24`.
    pub day: String,
    /// The product.
    pub product_id: String,
    /// Its name in the legacy system.
    pub product: Option<String>,
    /// Its category there.
    pub category: Option<String>,
    /// The number of orders that are paid.
    pub orders: i64,
    /// The number of pieces.
    pub sold: i64,
    /// The sum of the orders.
    pub turnover_cents: i64,
    /// Their mean, rounded.
    pub mean_cents: Option<i64>,
    /// The number of different customers.
    pub buyers: i64,
    /// The time of the last one.
    pub last: Option<String>,
    /// The greatest three, the greatest first.
    pub best: Vec<BestOrder>,
}

/// A region in a month.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegionRow {
    /// The month, as `2026-11`.
    pub month: String,
    /// The region.
    pub region_id: String,
    /// Its name in the legacy system.
    pub region: Option<String>,
    /// Who answers for it there.
    pub manager: Option<String>,
    /// The number of orders that are paid.
    pub orders: i64,
    /// The sum of the orders.
    pub turnover_cents: i64,
    /// Their mean, rounded.
    pub mean_cents: Option<i64>,
    /// The number of different customers.
    pub buyers: i64,
}

/// A product in a region in a month.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductRow {
    /// The month, as `2026-11`.
    pub month: String,
    /// The region.
    pub region_id: String,
    /// The product.
    pub product_id: String,
    /// The region's name in the legacy system.
    pub region: Option<String>,
    /// The product's name there.
    pub product: Option<String>,
    /// The number of orders that are paid.
    pub orders: i64,
    /// The number of pieces.
    pub sold: i64,
    /// The sum of the orders.
    pub turnover_cents: i64,
}

impl From<DailySales> for DailyRow {
    fn from(row: DailySales) -> DailyRow {
        let best = row.best.into_iter().map(|one| BestOrder {
            order_id: one.order_id,
            customer_id: one.customer_id,
            total_cents: one.total_cents,
        });
        DailyRow {
            day: beginning(row.created_at, 10),
            product_id: row.product_id.to_string(),
            product: row.product,
            category: row.category,
            orders: row.orders,
            sold: row.sold,
            turnover_cents: row.turnover_cents,
            mean_cents: row.mean_cents.as_ref().map(rounded),
            buyers: row.buyers,
            last: row.last.map(|at| at.to_string()),
            best: best.collect(),
        }
    }
}

impl From<RegionSales> for RegionRow {
    fn from(row: RegionSales) -> RegionRow {
        RegionRow {
            month: beginning(row.created_at, 7),
            region_id: row.region_id.to_string(),
            region: row.region,
            manager: row.manager,
            orders: row.orders,
            turnover_cents: row.turnover_cents,
            mean_cents: row.mean_cents.as_ref().map(rounded),
            buyers: row.buyers,
        }
    }
}

impl From<RegionProducts> for ProductRow {
    fn from(row: RegionProducts) -> ProductRow {
        ProductRow {
            month: beginning(row.created_at, 7),
            region_id: row.region_id.to_string(),
            product_id: row.product_id.to_string(),
            region: row.region,
            product: row.product,
            orders: row.orders,
            sold: row.sold,
            turnover_cents: row.turnover_cents,
        }
    }
}

/// The first characters of a time: its day has 10, its month 7.
pub(crate) fn beginning(time: Timestamp, characters: usize) -> String {
    time.to_string().chars().take(characters).collect()
}

/// The integer that is nearest to a number that is not negative. A half is rounded up.
fn rounded(number: &Number) -> i64 {
    let (digits, exponent) = (number.coefficient(), number.exponent());
    let power = 10_u128.checked_pow(exponent.unsigned_abs());
    let whole = match power {
        Some(power) if exponent >= 0 => digits.saturating_mul(power),
        // 38 digits and the half of a power of ten are less than the greatest u128.
        Some(power) => (digits + power / 2) / power,
        None if exponent >= 0 => u128::MAX,
        None => 0,
    };
    i64::try_from(whole).unwrap_or(i64::MAX)
}

/// All rows of table B.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    /// `DailySales`.
    pub daily: BTreeSet<DailyRow>,
    /// `RegionSales`.
    pub regions: BTreeSet<RegionRow>,
    /// `RegionProducts`.
    pub products: BTreeSet<ProductRow>,
}

impl Numbers {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.daily.len() + self.regions.len() + self.products.len()
    }

    /// The number and the sum of the orders in all rows of a view.
    pub fn total(&self) -> (i64, i64) {
        let orders = self.daily.iter().map(|row| row.orders).sum();
        (
            orders,
            self.daily.iter().map(|row| row.turnover_cents).sum(),
        )
    }

    /// The rows that only one of both has, as lines for people.
    pub fn differences(&self, other: &Numbers, names: (&str, &str)) -> Vec<String> {
        let mut lines = only_one(&self.daily, &other.daily, names);
        lines.extend(only_one(&self.regions, &other.regions, names));
        lines.extend(only_one(&self.products, &other.products, names));
        lines
    }
}

fn only_one<T: Ord + std::fmt::Debug>(
    one: &BTreeSet<T>,
    other: &BTreeSet<T>,
    names: (&str, &str),
) -> Vec<String> {
    let line = |name: &str, row: &T| format!("only {name}: {row:?}");
    let ones = one.difference(other).map(|row| line(names.0, row));
    let others = other.difference(one).map(|row| line(names.1, row));
    ones.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_to_cents() {
        let of = |text: &str| rounded(&text.parse().unwrap());
        assert_eq!(of("4490"), 4490);
        assert_eq!(of("4490.5"), 4491);
        assert_eq!(of("4490.49999999999999999999999999999999"), 4490);
        assert_eq!(of("33.333333333333333333333333333333333333"), 33);
        assert_eq!(of("51214.285714285714285714285714285714286"), 51_214);
        assert_eq!(
            of("99999999999999999.999999999999999999999"),
            100_000_000_000_000_000
        );
        assert_eq!(of("100"), 100);
        assert_eq!(of("0"), 0);
    }

    #[test]
    fn differences_name_the_side() {
        let row = |orders| RegionRow {
            month: "2026-11".to_owned(),
            region_id: "north".to_owned(),
            region: None,
            manager: None,
            orders,
            turnover_cents: 1,
            mean_cents: None,
            buyers: 1,
        };
        let numbers = |orders| Numbers {
            regions: [row(orders)].into(),
            ..Numbers::default()
        };
        let lines = numbers(1).differences(&numbers(2), ("the view", "SQL"));
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].starts_with("only the view: RegionRow"),
            "{lines:?}"
        );
        assert!(lines[1].contains("orders: 2"), "{lines:?}");
        assert!(numbers(1).differences(&numbers(1), ("a", "b")).is_empty());
    }
}

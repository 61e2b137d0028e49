//! The colours of entities: an entity, its copies and its guards look the same in every map.

use crate::chart::Chart;
use std::collections::BTreeMap;

/// The number of colours. Entities beyond it begin again with the first.
pub const HUES: usize = 10;

/// The colours of a model's entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hues(BTreeMap<String, usize>);

impl Hues {
    /// A colour for each entity, in the order of the chart.
    pub fn of(chart: &Chart) -> Hues {
        let mut hues = Hues::default();
        for row in chart.tables.iter().flat_map(|table| &table.rows) {
            let next = hues.0.len() % HUES;
            hues.0
                .entry(entity_of(&row.kind).to_owned())
                .or_insert(next);
        }
        hues
    }

    /// The colour of a kind of item: `Order`, `Order.summary`, `unique User.email`.
    pub fn hue(&self, kind: &str) -> usize {
        self.0.get(entity_of(kind)).copied().unwrap_or(0)
    }
}

/// The entity of a kind of item.
fn entity_of(kind: &str) -> &str {
    let word = kind.rsplit(' ').next().unwrap_or(kind);
    word.split('.').next().unwrap_or(word)
}

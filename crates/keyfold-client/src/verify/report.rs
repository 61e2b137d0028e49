//! The report of a verification.

use super::finding::{Finding, FindingKind, ModelLine};
use std::collections::BTreeMap;

/// The most examples of a group of findings.
const EXAMPLES_MAX: usize = 5;

/// The findings of one kind that break one line of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingGroup {
    /// The kind.
    pub kind: FindingKind,
    /// The kind of the items; `None` for items of no kind.
    pub item: Option<String>,
    /// The line.
    pub line: Option<ModelLine>,
    /// The number of findings.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Finding>,
}

/// The share of wrong entities, copies and guards in a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The number of entities, copies and guards in the sample.
    pub read: u64,
    /// The number of those with a finding.
    pub wrong: u64,
    /// The lower end of the interval that holds the table's share, with a confidence of 95%.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Share {
    /// Wilson's interval, which holds for small shares, too.
    pub(super) fn new(read: u64, wrong: u64) -> Share {
        const Z: f64 = 1.959_964;
        if read == 0 {
            return Share {
                read,
                wrong,
                low: 0.0,
                high: 1.0,
            };
        }
        let (n, p) = (read as f64, wrong as f64 / read as f64);
        let middle = p + Z * Z / (2.0 * n);
        let width = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        Share {
            read,
            wrong,
            low: ((middle - width) / scale).max(0.0),
            high: ((middle + width) / scale).min(1.0),
        }
    }
}

/// The report of a verification.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The number of items read by the first scan.
    pub items: u64,
    /// The number of items by kind.
    pub kinds: BTreeMap<String, u64>,
    /// The findings, grouped.
    pub groups: Vec<FindingGroup>,
    /// The number of scans: further ones confirm what needs the whole table.
    pub scans: u32,
    /// The read units of the scans and of consistent reads, in halves.
    pub halves: u64,
    /// The number of keys that changed during every scan, so that they could not be judged.
    pub undecided: u64,
    /// The number of rows of views that lag behind their sources, so that they could not be judged.
    pub undecided_rows: u64,
    /// The share of wrong items; only of a sample.
    pub sample: Option<Share>,
}

impl Report {
    /// The number of findings.
    pub fn findings(&self) -> u64 {
        self.groups.iter().map(|group| group.count).sum()
    }

    pub(super) fn add(&mut self, finding: Finding) {
        let known = self.groups.iter_mut().find(|group| {
            (group.kind, &group.line, &group.item) == (finding.kind, &finding.line, &finding.item)
        });
        match known {
            Some(group) => {
                group.count += 1;
                if group.examples.len() < EXAMPLES_MAX {
                    group.examples.push(finding);
                }
            }
            None => self.groups.push(FindingGroup {
                kind: finding.kind,
                item: finding.item.clone(),
                line: finding.line.clone(),
                count: 1,
                examples: vec![finding],
            }),
        }
    }

    /// Puts the groups into the order of the model's lines.
    pub(super) fn sort(&mut self) {
        self.groups.sort_by(|one, two| {
            (&one.line, one.kind, &one.item).cmp(&(&two.line, two.kind, &two.item))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_share_holds_it_and_stays_between_0_and_1() {
        let share = Share::new(100, 5);
        assert!((share.low - 0.0215).abs() < 0.001 && (share.high - 0.1118).abs() < 0.001);
        let none = Share::new(1000, 0);
        assert!(none.low < 1e-9 && none.high < 0.005);
        assert!(Share::new(10, 10).high > 0.999);
        assert!(Share::new(0, 0).high > 0.999);
    }
}

//! What stands in the way, before anything is written: every row is read and converted, and rows that make
//! the same item are found.

use crate::convert::Problem;
use crate::mapping::Mapping;
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;

/// The most problems that are listed; more are counted.
pub(crate) const LISTED_MAX: usize = 100;

/// What a look at all rows found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// The rows that make items, of each mapped entity.
    pub rows: Vec<(String, u64)>,
    /// The problems, the first ones.
    pub problems: Vec<Problem>,
    /// How many there are.
    pub count: u64,
}

impl Checked {
    fn add(&mut self, problem: Problem) {
        self.count += 1;
        if self.problems.len() < LISTED_MAX {
            self.problems.push(problem);
        }
    }
}

/// Reads all rows. Nothing is written, neither to the source nor to the target.
///
/// # Errors
/// When the source cannot be read, or cannot keep the changes of its tables.
pub fn check(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    progress: &Progress,
) -> Result<Checked, SourceError> {
    let mut checked = Checked::default();
    source.ready(&mapping.watched)?;
    for mapped in &mapping.entities {
        let doubled = mapped.statements.doubled(LISTED_MAX);
        for row in source.query(&doubled, &[])? {
            let (identity, count) = row.split_at(row.len().saturating_sub(1));
            let count = count.first().map_or(String::new(), |cell| cell.shown());
            let why = format!("{count} rows make the same {}", mapped.entity.name);
            checked.add(mapped.problem(identity, why));
        }
        let (mut after, mut good) = (Vec::new(), 0);
        loop {
            let sql = mapped.statements.page(source, after.is_empty(), PAGE);
            let rows = source.query(&sql, &after)?;
            for row in &rows {
                match mapped.values(row) {
                    Ok(_) => good += 1,
                    Err(problem) => checked.add(problem),
                }
            }
            progress.add_read(rows.len());
            match rows.last() {
                Some(last) if rows.len() == PAGE && !progress.is_stopping() => {
                    after = mapped.identity_of(last);
                }
                Some(_) | None => break,
            }
        }
        checked.rows.push((mapped.entity.name.clone(), good));
    }
    Ok(checked)
}

//! Each row is made an item, and the item a row again: what would come back as another row is listed.

use super::{Back, at_once, forms, is_json, ways};
use crate::cell::Cell;
use crate::check::{Checked, check};
use crate::convert::Problem;
use crate::dialect::Dialect;
use crate::mapping::{MapError, Mapped, Mapping};
use crate::pages::Cursor;
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use crate::statement::{PAGE, table};
use keyfold_lower::arguments::Values;
use keyfold_model::value;

/// Reads all rows as [`check`] does, and takes each of them back.
///
/// # Errors
/// `Model` where a line has no way back; `Source` when the database cannot be read, or cannot keep its changes.
pub fn check_back(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    progress: &Progress,
) -> Result<Checked, MapError> {
    let ways = ways(mapping, source)?;
    let mut checked = check(mapping, source, progress)?;
    for (mapped, back) in mapping.entities.iter().zip(&ways) {
        let mut cursor = Cursor::default();
        while !progress.is_stopping() {
            // A row is read and compared at one moment: programs write meanwhile.
            source.hold()?;
            let page = back.changed_of_page(source, mapped, &mut cursor);
            let released = source.release();
            let page = page?;
            released?;
            let Some((read, changed)) = page else { break };
            progress.add_read(read);
            changed.into_iter().for_each(|one| checked.add(one));
        }
    }
    checked.is_stopped |= progress.is_stopping();
    Ok(checked)
}

/// What a row comes back as, with its number.
type Made<'m> = (usize, &'m Vec<Cell>);

/// Whether a row has values that a query of several rows does not hold: MariaDB cuts texts of more than 65,535 bytes
/// there.
fn is_alone(source: &dyn Source, cells: &[Cell]) -> bool {
    const BYTES_MAX: usize = 8_000;
    let is_long = |cell: &Cell| match cell {
        Cell::Text(text) => text.len() > BYTES_MAX,
        Cell::Bytes(bytes) => bytes.len() > BYTES_MAX,
        Cell::Null | Cell::Integer(_) | Cell::Real(_) => false,
    };
    Dialect::of(source) == Dialect::Mariadb && cells.iter().any(is_long)
}

impl Back {
    /// How many rows the next page has, and those that would come back as others; `None` behind the last page.
    fn changed_of_page(
        &self,
        source: &mut dyn Source,
        mapped: &Mapped<'_>,
        cursor: &mut Cursor,
    ) -> Result<Option<(usize, Vec<Problem>)>, SourceError> {
        let Some(page) = cursor.next(mapped, source, PAGE)? else {
            return Ok(None);
        };
        let mut changed = Vec::new();
        for rows in page.rows.chunks(at_once(self.columns.len())) {
            changed.extend(self.changed(source, mapped, rows)?);
        }
        Ok(Some((page.rows.len(), changed)))
    }

    /// The rows that would come back as others. A row that is no item is none of them: it says so itself.
    fn changed(
        &self,
        source: &mut dyn Source,
        mapped: &Mapped<'_>,
        rows: &[Vec<Cell>],
    ) -> Result<Vec<Problem>, SourceError> {
        let items = rows
            .iter()
            .filter_map(|row| Some((mapped.identity_of(row), mapped.values(row).ok()?)));
        let (identities, items): (Vec<Vec<Cell>>, Vec<Values>) = items.unzip();
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let all: Vec<&Values> = items.iter().collect();
        let made = self.cells(source, mapped, &all)?;
        let made = made.iter().enumerate();
        let (alone, together): (Vec<Made<'_>>, Vec<Made<'_>>) =
            made.partition(|(_, cells)| is_alone(source, cells));
        let mut queries: Vec<_> = alone
            .into_iter()
            .map(|made| self.compared_alone(source, mapped, made))
            .collect();
        if !together.is_empty() {
            queries.push(self.compared(source, mapped, &together));
        }
        let mut found: Vec<Option<Vec<Cell>>> = vec![None; identities.len()];
        for (sql, arguments) in queries {
            for mut row in source.query(&sql, &arguments)? {
                if let Some(Cell::Integer(number)) = row.first()
                    && let Ok(number) = usize::try_from(*number)
                    && let Some(place) = found.get_mut(number)
                {
                    row.remove(0);
                    *place = Some(row);
                }
            }
        }
        let mut problems = Vec::new();
        for (identity, row) in identities.iter().zip(found) {
            match row {
                None => {
                    let why = "would come back as a row with another key";
                    problems.push(mapped.problem(identity, why));
                }
                Some(row) => problems.extend(self.differing(mapped, identity, &row)),
            }
        }
        Ok(problems)
    }

    /// The query of rows beside what they come back as: their number, and for each column whether it is the same,
    /// what it is, and what it would be.
    fn compared(
        &self,
        source: &dyn Source,
        mapped: &Mapped<'_>,
        made: &[Made<'_>],
    ) -> (String, Vec<Cell>) {
        let (mut rows, mut arguments) = (Vec::new(), Vec::new());
        for (number, cells) in made {
            let all = self.columns.iter().zip(cells.iter()).enumerate();
            let all = all.map(|(at, (column, cell))| {
                arguments.push(cell.clone());
                let place = forms::placed(source, arguments.len(), &column.kind);
                format!("{place} AS c{at}")
            });
            let all: Vec<String> = all.collect();
            rows.push(format!("SELECT {number} AS n, {}", all.join(", ")));
        }
        let places = (0..self.columns.len()).map(|at| format!("keyfold_back.c{at}"));
        let (shown, found) = self.beside(source, mapped, &places.collect::<Vec<String>>());
        let sql = format!(
            "SELECT keyfold_back.n, {shown} FROM ({}) AS keyfold_back JOIN {} ON {found}",
            rows.join(" UNION ALL "),
            table(source, &mapped.origin.table),
        );
        (sql, arguments)
    }

    /// As [`Back::compared`], of one row.
    fn compared_alone(
        &self,
        source: &dyn Source,
        mapped: &Mapped<'_>,
        (number, cells): Made<'_>,
    ) -> (String, Vec<Cell>) {
        let columns = self.columns.iter().enumerate();
        let places = columns.map(|(at, column)| forms::placed(source, at + 1, &column.kind));
        let (shown, found) = self.beside(source, mapped, &places.collect::<Vec<String>>());
        let sql = format!(
            "SELECT {number}, {shown} FROM {} WHERE {found}",
            table(source, &mapped.origin.table),
        );
        (sql, cells.clone())
    }

    /// What is shown of a row beside what it comes back as, which stands at some places, and the condition that it is
    /// that row.
    fn beside(
        &self,
        source: &dyn Source,
        mapped: &Mapped<'_>,
        places: &[String],
    ) -> (String, String) {
        let alias = &mapped.origin.table.alias;
        let own = |name: &str| format!("{}.{}", source.quoted(alias), source.quoted(name));
        let (mut shown, mut found) = (Vec::new(), Vec::new());
        for (at, (column, due)) in self.columns.iter().zip(places).enumerate() {
            let is = own(&column.name);
            let same = forms::is_same(source, (&is, due), &column.kind);
            if self.identity.contains(&at) {
                found.push(format!("{is} = {due} AND {same}"));
            }
            shown.push(format!("CASE WHEN {same} THEN 1 ELSE 0 END"));
            shown.push(source.read(is, &column.kind));
            shown.push(source.read(due.clone(), &column.kind));
        }
        (shown.join(", "), found.join(" AND "))
    }

    /// The columns of a row that would be others.
    fn differing(&self, mapped: &Mapped<'_>, identity: &[Cell], row: &[Cell]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (at, (column, cells)) in self.columns.iter().zip(row.chunks(3)).enumerate() {
            let [same, is, due] = cells else { continue };
            if *same == Cell::Integer(1) || self.is_same_json(mapped, at, (is, due)) {
                continue;
            }
            let name = &column.name;
            let why = format!(
                "`{name}` is {}, and would come back as {}",
                is.shown(),
                due.shown()
            );
            let form = format!("`{name}` would come back as another value");
            let mut problem = mapped.problem(identity, why).alike(form);
            problem.help = Some(format!("say its way back: `back {name} = \"...\"`").into());
            problems.push(problem);
        }
        problems
    }

    /// Whether a column holds the JSON of an attribute, in another layout than it would be written.
    fn is_same_json(&self, mapped: &Mapped<'_>, at: usize, (is, due): (&Cell, &Cell)) -> bool {
        let from = self.columns.get(at).map(|one| &one.from);
        let Some(super::From::Attribute(filled)) = from else {
            return false;
        };
        let Some(one) = mapped.filled.get(*filled) else {
            return false;
        };
        let kind = &one.attribute.kind;
        let read = |cell: &Cell| match cell {
            Cell::Text(text) => value::parse("", kind, text).ok(),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Bytes(_) => None,
        };
        let is = read(is);
        is_json(kind) && is.is_some() && is == read(due)
    }
}

//! Items become rows, in one transaction of the database with the positions of the streams. A row that a constraint
//! refuses waits for the others: what it refers to may come with them. Each row is read again before the end: as
//! the database has it, it must make the item that it is of.

use super::holds::{Holds, lead};
use crate::back::{Back, at_once, forms};
use crate::cell::Cell;
use crate::convert::Problem;
use crate::mapping::{Mapped, Mapping};
use crate::run::Ended;
use crate::source::{Lead, Source, SourceError, Tip, Wrote};
use crate::statement::table;
use keyfold_lower::arguments::Values;
use keyfold_model::{DefaultValue, value};
use std::collections::BTreeMap;

/// What an item is now.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    /// The position of its mapping.
    pub(crate) mapped: usize,
    /// The attributes that identify it.
    pub(crate) key: Values,
    /// Its attributes; `None` where it is gone.
    pub(crate) values: Option<Values>,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) put: u64,
    pub(crate) deleted: u64,
}

/// An item whose row is to change.
struct Due {
    now: Now,
    /// The cells of its row; of one that is gone, those that identify it.
    cells: Vec<Cell>,
    /// What identifies the row.
    identity: Vec<Cell>,
}

/// Writes rows.
pub(crate) struct Rows<'r, 'm> {
    pub(crate) mapping: &'r Mapping<'m>,
    pub(crate) ways: &'r [Back],
}

/// As [`lead`], for others.
pub(crate) fn leading(source: &mut dyn Source) -> Result<&mut dyn Lead, SourceError> {
    lead(source)
}

impl<'m> Rows<'_, 'm> {
    pub(super) fn of(&self, at: usize) -> Option<(&Mapped<'m>, &Back)> {
        Some((self.mapping.entities.get(at)?, self.ways.get(at)?))
    }

    /// Writes the rows of items and notes how far streams are carried, or changes nothing.
    ///
    /// # Errors
    /// `Overtaken` when another run has the migration; `Problem` when a row cannot be as its item is; the database's.
    pub(crate) fn carry(
        &self,
        source: &mut dyn Source,
        of: (&str, u64),
        (items, tips): (Vec<Now>, &[Tip]),
    ) -> Result<Carried, Ended> {
        match self.carry_once(source, of, (items.clone(), tips)) {
            Err(Ended::Source(said)) if !said.may_pass => {
                let left = self.readable(source, of, items, said)?;
                self.carry_once(source, of, (left, tips))
            }
            carried => carried,
        }
    }

    fn carry_once(
        &self,
        source: &mut dyn Source,
        of: (&str, u64),
        (items, tips): (Vec<Now>, &[Tip]),
    ) -> Result<Carried, Ended> {
        if !lead(source)?.begin(of)? {
            return Err(Ended::Overtaken);
        }
        let carried = self.within(source, items).and_then(|carried| {
            let first = carried.1;
            match lead(source)?.commit(tips)? {
                Wrote::Rows(_) => Ok(carried.0),
                Wrote::Refused(why) => Err(match first {
                    Some(problem) => Ended::Problem(Problem { why, ..problem }),
                    None => Ended::Source(SourceError::lasting(why)),
                }),
            }
        });
        if carried.is_err() {
            lead(source)?.rollback()?;
        }
        carried
    }

    /// Writes the rows, within a transaction: also a problem that names the first of them.
    fn within(
        &self,
        source: &mut dyn Source,
        items: Vec<Now>,
    ) -> Result<(Carried, Option<Problem>), Ended> {
        let mut carried = Carried::default();
        let due = self.due(source, items)?;
        let first = due.first().and_then(|one| self.problem(&one.now, ""));
        let mut left: Vec<&Due> = due.iter().collect();
        // What goes, children first; then what comes, parents first.
        left.sort_by_key(|one| {
            let place = i64::try_from(one.now.mapped).unwrap_or(i64::MAX);
            let comes = one.now.values.is_some();
            (comes, if comes { place } else { -place })
        });
        while !left.is_empty() {
            let mut refused = Vec::new();
            for one in &left {
                match self.write(source, one)? {
                    Wrote::Refused(why) => refused.push((*one, why)),
                    Wrote::Rows(_) if one.now.values.is_some() => carried.put += 1,
                    Wrote::Rows(_) => carried.deleted += 1,
                }
            }
            match refused.first() {
                Some((one, why)) if refused.len() == left.len() => {
                    let table = self.of(one.now.mapped);
                    let table = table.map_or("", |(mapped, _)| &mapped.origin.table.name);
                    let said = || format!("the database refuses its row of `{table}`: {why}");
                    let why = self.unheld(source, one)?.unwrap_or_else(said);
                    return Err(self.refused(&one.now, &why));
                }
                Some(_) | None => left = refused.into_iter().map(|(one, _)| one).collect(),
            }
        }
        self.check(source, &due)?;
        Ok((carried, first))
    }

    /// The items whose rows are not as they should be.
    fn due(&self, source: &mut dyn Source, items: Vec<Now>) -> Result<Vec<Due>, Ended> {
        let mut of_entity: BTreeMap<usize, Vec<Now>> = BTreeMap::new();
        for item in items {
            of_entity.entry(item.mapped).or_default().push(item);
        }
        let mut due = Vec::new();
        for (at, items) in of_entity {
            let Some((mapped, back)) = self.of(at) else {
                continue;
            };
            for some in items.chunks(at_once(back.columns.len().max(mapped.filled.len()))) {
                let said: Vec<&Values> = some
                    .iter()
                    .map(|one| one.values.as_ref().unwrap_or(&one.key))
                    .collect();
                let made = back.cells(source, mapped, &said)?;
                let mut found = Vec::new();
                for (now, cells) in some.iter().zip(made) {
                    let identity = back.identity.iter().map(|at| cells.get(*at).cloned());
                    let identity: Vec<Cell> = identity.flatten().collect();
                    found.push(Due {
                        now: now.clone(),
                        cells,
                        identity,
                    });
                }
                let rows = rows_of(source, mapped, &found)?;
                due.extend(found.into_iter().filter(|one| {
                    let row = rows.iter().find(|(key, _)| *key == one.now.key);
                    match (&one.now.values, row) {
                        (None, row) => row.is_some(),
                        (Some(_), None) => true,
                        (Some(values), Some((_, row))) => mapped.lacks(row, values).is_some(),
                    }
                }));
            }
        }
        Ok(due)
    }

    /// Makes a row what its item is.
    fn write(&self, source: &mut dyn Source, one: &Due) -> Result<Wrote, SourceError> {
        let Some((mapped, back)) = self.of(one.now.mapped) else {
            return Ok(Wrote::Rows(0));
        };
        let name = table_name(source, mapped);
        let mut arguments: Vec<Cell> = Vec::new();
        let condition = |source: &dyn Source, arguments: &mut Vec<Cell>| {
            let own = back.identity.iter().zip(&one.identity);
            let own = own.filter_map(|(at, cell)| {
                let column = back.columns.get(*at)?;
                arguments.push(cell.clone());
                let place = forms::placed(source, arguments.len(), &column.kind);
                Some(format!("{} = {place}", source.quoted(&column.name)))
            });
            own.collect::<Vec<String>>().join(" AND ")
        };
        if one.now.values.is_none() {
            let condition = condition(source, &mut arguments);
            let sql = format!("DELETE FROM {name} WHERE {condition}");
            return lead(source)?.write(&sql, &arguments);
        }
        let mut set = Vec::new();
        for (at, (column, cell)) in back.columns.iter().zip(&one.cells).enumerate() {
            if !back.identity.contains(&at) {
                arguments.push(cell.clone());
                let place = forms::placed(source, arguments.len(), &column.kind);
                set.push(format!("{} = {place}", source.quoted(&column.name)));
            }
        }
        let same = |source: &dyn Source| {
            let first = back.identity.first().and_then(|at| back.columns.get(*at));
            first.map_or(String::new(), |column| {
                let column = source.quoted(&column.name);
                format!("{column} = {column}")
            })
        };
        let set = match set.is_empty() {
            true => same(source),
            false => set.join(", "),
        };
        let condition = condition(source, &mut arguments);
        let sql = format!("UPDATE {name} SET {set} WHERE {condition}");
        match lead(source)?.write(&sql, &arguments)? {
            Wrote::Rows(0) => {}
            done @ (Wrote::Rows(_) | Wrote::Refused(_)) => return Ok(done),
        }
        let columns = back.columns.iter().map(|one| source.quoted(&one.name));
        let columns: Vec<String> = columns.collect();
        let places = back.columns.iter().enumerate();
        let places = places.map(|(at, one)| forms::placed(source, at + 1, &one.kind));
        let places: Vec<String> = places.collect();
        let sql = format!(
            "INSERT INTO {name} ({}) {}VALUES ({})",
            columns.join(", "),
            forms::overriding(source),
            places.join(", ")
        );
        lead(source)?.write(&sql, &one.cells)
    }

    /// Checks that the rows make the items which they are of.
    fn check(&self, source: &mut dyn Source, due: &[Due]) -> Result<(), Ended> {
        for (at, mapped) in self.mapping.entities.iter().enumerate() {
            let own: Vec<&Due> = due.iter().filter(|one| one.now.mapped == at).collect();
            for some in own.chunks(100) {
                let rows = rows_of(source, mapped, some.iter().copied())?;
                for one in some {
                    let mut found = rows.iter().filter(|(key, _)| *key == one.now.key);
                    let why = match (&one.now.values, found.next()) {
                        (None, None) => continue,
                        (None, Some(_)) => "its row is there still".to_owned(),
                        (Some(_), None) => self.unheld(source, one)?.unwrap_or_else(|| {
                            "its row would be none of the `from` line: another key, a join or `where` leaves it out"
                                .to_owned()
                        }),
                        (Some(values), Some((_, row))) => match mapped.lacks(row, values) {
                            None => continue,
                            Some(why) => why,
                        },
                    };
                    return Err(self.refused(&one.now, &why));
                }
            }
        }
        Ok(())
    }

    /// Why a column cannot hold what an item says; `None` if all of them can.
    fn unheld(&self, source: &mut dyn Source, one: &Due) -> Result<Option<String>, SourceError> {
        let Some((mapped, back)) = self.of(one.now.mapped) else {
            return Ok(None);
        };
        for (column, cell) in back.columns.iter().zip(&one.cells) {
            let holds = Holds {
                table: &mapped.origin.table.name,
                column: &column.name,
                kind: &column.kind,
                cell,
            };
            if let Some(why) = holds.refused(source)? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    pub(super) fn refused(&self, now: &Now, why: &str) -> Ended {
        match self.problem(now, why) {
            Some(problem) => Ended::Problem(problem),
            None => Ended::Source(SourceError::lasting(why)),
        }
    }

    /// What is wrong with an item, which is named.
    fn problem(&self, now: &Now, why: &str) -> Option<Problem> {
        let (mapped, _) = self.of(now.mapped)?;
        let key = now.key.iter();
        let key = key.map(|(name, held)| format!("{name} = {}", value::shown(held)));
        let key: Vec<String> = key.collect();
        Some(Problem {
            row: format!("{} ({})", mapped.entity.name, key.join(", ")),
            ..mapped.problem(&[], why)
        })
    }
}

fn table_name(source: &dyn Source, mapped: &Mapped<'_>) -> String {
    let named = table(source, &mapped.origin.table);
    let alias = format!(" AS {}", source.quoted(&mapped.origin.table.alias));
    named.strip_suffix(&alias).unwrap_or(&named).to_owned()
}

/// The rows of items as the `from` line has them, with the keys of the items that they make. A row that makes none
/// is left out.
fn rows_of<'d>(
    source: &mut dyn Source,
    mapped: &Mapped<'_>,
    due: impl IntoIterator<Item = &'d Due>,
) -> Result<Vec<(Values, Values)>, SourceError> {
    let identities: Vec<Vec<Cell>> = due.into_iter().map(|one| one.identity.clone()).collect();
    if identities.is_empty() {
        return Ok(Vec::new());
    }
    let (sql, arguments) = mapped.statements.of_identities(source, &identities);
    let rows = source.query(&sql, &arguments)?;
    let made = rows.iter().filter_map(|row| {
        let key = mapped.key(&mapped.identity_of(row)).ok()?;
        Some((key, mapped.values(row).ok()?))
    });
    Ok(made.collect())
}

impl Mapped<'_> {
    /// What an item has and its row does not say: the row as attributes, without those of joined tables.
    fn lacks(&self, row: &Values, item: &Values) -> Option<String> {
        let entity = &self.entity.name;
        for one in &self.filled {
            let name = &one.attribute.name;
            let is_joined = one.column.is_some() && one.own.is_none();
            if !is_joined && row.get(name) != item.get(name) {
                let shown =
                    |values: &Values| values.get(name).map_or("absent".to_owned(), value::shown);
                return Some(format!(
                    "{name} of {entity} is {}, and its row makes it {}",
                    shown(item),
                    shown(row)
                ));
            }
        }
        for name in &self.unfilled {
            let mut all = self.entity.attributes.iter();
            let attribute = all.find(|one| one.name == *name);
            let default = attribute.and_then(|one| one.default.as_ref());
            let is_lost = match (item.get(*name), default) {
                (None, _) => false,
                (Some(held), Some(DefaultValue::Value(value))) => held != value,
                (Some(_), Some(_)) => false,
                (Some(_), None) => true,
            };
            if is_lost {
                return Some(format!(
                    "{name} of {entity} has a value, and no column takes it"
                ));
            }
        }
        None
    }
}

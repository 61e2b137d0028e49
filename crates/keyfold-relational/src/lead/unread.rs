//! Items of which the database cannot read a value: each is named with the column that does not take it. One that is
//! gone, and whose key no column can hold, has no row: its change is passed over, so that it can be mended by its
//! deletion.

use super::holds::{Holds, lead};
use super::rows::{Now, Rows};
use crate::back::{From, cells};
use crate::dialect::Dialect;
use crate::run::Ended;
use crate::source::{Source, SourceError, Wrote};
use keyfold_model::Type;

impl Rows<'_, '_> {
    /// The items without those that are gone and that no row can be of, where the database has said an error that
    /// lasts. No transaction is open, before and after.
    ///
    /// # Errors
    /// `Problem` with the first item that no row can be of; the error that was said if there is none.
    pub(super) fn readable(
        &self,
        source: &mut dyn Source,
        of: (&str, u64),
        items: Vec<Now>,
        said: SourceError,
    ) -> Result<Vec<Now>, Ended> {
        if !lead(source)?.begin(of)? {
            return Err(Ended::Overtaken);
        }
        let left = self.left(source, items, said);
        lead(source)?.rollback()?;
        left
    }

    fn left(
        &self,
        source: &mut dyn Source,
        items: Vec<Now>,
        said: SourceError,
    ) -> Result<Vec<Now>, Ended> {
        let (mut left, count) = (Vec::new(), items.len());
        for item in items {
            match self.unread(source, &item)? {
                None => left.push(item),
                Some(why) if item.values.is_some() => return Err(self.refused(&item, &why)),
                Some(_) => {}
            }
        }
        match left.len() == count {
            true => Err(Ended::Source(said)),
            false => Ok(left),
        }
    }

    /// Why the database cannot read an item; `None` if it can.
    fn unread(&self, source: &mut dyn Source, item: &Now) -> Result<Option<String>, SourceError> {
        let Some((mapped, back)) = self.of(item.mapped) else {
            return Ok(None);
        };
        if mapped.dialect == Dialect::Sqlite {
            return Ok(None);
        }
        let values = item.values.as_ref().unwrap_or(&item.key);
        for column in &back.columns {
            let From::Attribute(at) = column.from else {
                continue;
            };
            let one = mapped.filled.get(at).map(|one| &one.attribute);
            let Some((kind, value)) = one.and_then(|one| Some((&one.kind, values.get(&one.name)?)))
            else {
                continue;
            };
            let of: (&Type, &str) = (kind, &column.kind);
            let holds = Holds {
                table: &mapped.origin.table.name,
                column: &column.name,
                kind: &column.kind,
                cell: &cells::in_column(of, Some(value), mapped.dialect),
            };
            if let Some(why) = holds.refused(source)? {
                return Ok(Some(why));
            }
        }
        let Some((sql, arguments)) = back.computing(source, mapped, &[values]) else {
            return Ok(None);
        };
        match lead(source)?.write(&sql, &arguments)? {
            Wrote::Refused(why) => Ok(Some(format!(
                "no row of `{}` can be computed of it ({why}): give the item other values, or the columns other types",
                mapped.origin.table.name
            ))),
            Wrote::Rows(_) => Ok(None),
        }
    }
}

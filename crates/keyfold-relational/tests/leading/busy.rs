//! Programs that write to the side of a shop that takes it, beside the calls of a database that dies at one of them.

use super::{Op, Shop, Written};
use fastrand::Rng;
use keyfold_model::schema::origin::SqlTable;
use keyfold_relational::{
    Cell, Change, Column, End, Ended, Lead, Noted, Side, Sorted, Source, SourceError, Switch,
    TableColumn, Tip, Turned, Watched, Wrote,
};
use std::cell::RefCell;

/// The programs of a shop, which write to the side that takes it.
pub(crate) struct Programs<'s> {
    pub(crate) shop: &'s Shop,
    pub(crate) written: RefCell<Written>,
    pub(crate) left: RefCell<u32>,
    /// Whether a side refuses writes from now on.
    pub(crate) is_turned: RefCell<bool>,
}

impl<'s> Programs<'s> {
    /// Programs that have written nothing, and write nothing more yet.
    pub(crate) fn of(shop: &'s Shop) -> Programs<'s> {
        Programs {
            shop,
            written: RefCell::default(),
            left: RefCell::new(0),
            is_turned: RefCell::new(false),
        }
    }

    /// Writes once, if a side takes it: what.
    pub(crate) fn write(&self, rng: &mut Rng) -> Option<Op> {
        let mut left = self.left.borrow_mut();
        if *left == 0 {
            return None;
        }
        *left -= 1;
        let takes = self.shop.takes();
        let is_turned = *self.is_turned.borrow();
        assert!(
            !(is_turned && takes.rows && takes.items),
            "both sides take writes"
        );
        let mut written = self.written.borrow_mut();
        let op = Op::of(rng);
        if !op.is_due(&written) {
            return None;
        }
        match (takes.rows, takes.items) {
            (true, _) => op.to_rows(self.shop),
            (false, true) => op.to_items(self.shop, &written),
            (false, false) => return None,
        }
        op.clone().note(&mut written);
        Some(op)
    }
}

/// When something happens beside a call of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// While it writes itself, so that no program can.
    Within,
    /// Where it is about to refuse writes, or has begun to.
    Closing,
    Otherwise,
}

/// A database beside whose calls programs write, and which dies at one of them.
pub(crate) struct Busy<'p> {
    inner: Box<dyn Source>,
    /// What happens beside a call.
    beside: Box<dyn FnMut(When) -> Result<(), SourceError> + 'p>,
    /// Whether it writes itself, so that no program can.
    is_within: bool,
}

impl<'p> Busy<'p> {
    pub(crate) fn new(
        inner: Box<dyn Source>,
        beside: impl FnMut(When) -> Result<(), SourceError> + 'p,
    ) -> Busy<'p> {
        Busy {
            inner,
            beside: Box::new(beside),
            is_within: false,
        }
    }

    fn led(&mut self) -> &mut dyn Lead {
        self.inner.lead().unwrap()
    }

    fn called(&mut self) -> Result<(), SourceError> {
        (self.beside)(match self.is_within {
            true => When::Within,
            false => When::Otherwise,
        })
    }
}

impl Source for Busy<'_> {
    fn name(&self) -> String {
        self.inner.name()
    }
    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        self.inner.columns(table)
    }
    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError> {
        self.inner.described(table)
    }
    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        self.inner.key(table)
    }
    fn quoted(&self, name: &str) -> String {
        self.inner.quoted(name)
    }
    fn argument(&self, number: usize) -> String {
        self.inner.argument(number)
    }
    fn argument_of(&self, number: usize, kind: &str) -> String {
        self.inner.argument_of(number, kind)
    }
    fn read(&self, sql: String, kind: &str) -> String {
        self.inner.read(sql, kind)
    }
    fn comparable(&self, kind: &str, other: &str) -> Result<(), String> {
        self.inner.comparable(kind, other)
    }
    fn is_null(&self, column: &str) -> String {
        self.inner.is_null(column)
    }
    fn sorted(&self, column: String, kind: &str) -> String {
        self.inner.sorted(column, kind)
    }
    fn beside(&self, columns: &[Sorted], side: Side, first: usize) -> String {
        self.inner.beside(columns, side, first)
    }
    fn place(&self) -> Option<String> {
        self.inner.place()
    }
    fn resume(&mut self, place: &str) -> Result<(), SourceError> {
        self.called()?;
        self.inner.resume(place)
    }
    fn behind(&mut self, place: &str) -> Result<Option<String>, SourceError> {
        self.inner.behind(place)
    }
    fn settle(&mut self) -> Result<(), SourceError> {
        self.inner.settle()
    }
    fn skip(&mut self) -> Result<bool, SourceError> {
        self.called()?;
        let done = self.inner.skip()?;
        self.called()?;
        Ok(done)
    }
    fn joined(
        &mut self,
        ends: (&End<'_>, &End<'_>),
        is_own_first: bool,
        number: usize,
    ) -> Result<String, SourceError> {
        self.inner.joined(ends, is_own_first, number)
    }
    fn ready(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.ready(watched)
    }
    fn hold(&mut self) -> Result<(), SourceError> {
        self.called()?;
        self.inner.hold()
    }
    fn release(&mut self) -> Result<(), SourceError> {
        self.inner.release()
    }
    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError> {
        self.called()?;
        self.inner.query(sql, arguments)
    }
    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        self.called()?;
        self.inner.watched_by()
    }
    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError> {
        self.called()?;
        self.inner.watch(watched, id)?;
        self.called()
    }
    fn check_same(&mut self) -> Result<(), SourceError> {
        self.inner.check_same()
    }
    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.check_watch(watched)
    }
    fn unwatch(&mut self) -> Result<(), SourceError> {
        self.called()?;
        self.inner.unwatch()
    }
    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        self.called()?;
        self.inner.changes(watched, most)
    }
    fn forget(&mut self, watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        self.called()?;
        self.inner.forget(watched, change)?;
        self.called()
    }
    fn lead(&mut self) -> Option<&mut dyn Lead> {
        Some(self)
    }
    fn claim(&mut self) -> Result<(), SourceError> {
        self.inner.claim()
    }
}

impl Lead for Busy<'_> {
    fn may_lead(&mut self, tables: &[Watched]) -> Result<(), SourceError> {
        self.called()?;
        self.led().may_lead(tables)
    }
    fn noted(&mut self) -> Result<Option<Noted>, SourceError> {
        self.called()?;
        self.led().noted()
    }
    fn close(&mut self, tables: &[Watched], of: (&str, u64), to: &str) -> Result<(), SourceError> {
        (self.beside)(When::Closing)?;
        self.led().close(tables, of, to)?;
        (self.beside)(When::Closing)
    }
    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.called()?;
        let done = self.led().open(of)?;
        self.called()?;
        Ok(done)
    }
    fn take(&mut self, of: (&str, u64)) -> Result<(), SourceError> {
        self.called()?;
        self.led().take(of)
    }
    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.called()?;
        self.is_within = self.led().begin(of)?;
        Ok(self.is_within)
    }
    fn write(&mut self, sql: &str, arguments: &[Cell]) -> Result<Wrote, SourceError> {
        self.called()?;
        self.led().write(sql, arguments)
    }
    fn commit(&mut self, tips: &[Tip]) -> Result<Wrote, SourceError> {
        self.called()?;
        let wrote = self.led().commit(tips)?;
        self.is_within = !matches!(wrote, Wrote::Rows(_));
        self.called()?;
        Ok(wrote)
    }
    fn rollback(&mut self) -> Result<(), SourceError> {
        self.is_within = false;
        self.led().rollback()
    }
}

/// Calls something with databases that die, until one of them does not.
fn until_done<T>(
    programs: &Programs<'_>,
    rng: &mut Rng,
    mut does: impl FnMut(&mut Busy<'_>) -> Option<T>,
) -> T {
    loop {
        let mut beside = rng.fork();
        let mut left = match rng.u8(0..4) {
            0 => u32::MAX,
            _ => rng.u32(1..80),
        };
        let mut source = Busy::new(programs.shop.source(), move |when| {
            if when == When::Closing {
                // However many they wrote before: whom the database refuses may try the tables at once.
                *programs.left.borrow_mut() += 3;
            }
            for _ in 0..beside.u8(0..3) {
                if when != When::Within {
                    programs.write(&mut beside);
                }
            }
            left = left.saturating_sub(1);
            match left {
                0 => Err(SourceError::lasting("killed")),
                _ => Ok(()),
            }
        });
        if let Some(done) = does(&mut source) {
            return done;
        }
    }
}

pub(crate) fn run(programs: &Programs<'_>, rng: &mut Rng) {
    until_done(programs, rng, |source| {
        match programs.shop.with(source, |migration| migration.run(true)) {
            Ended::Caught => Some(()),
            Ended::Source(error) if error.message.contains("killed") => None,
            other => panic!("{other:?}"),
        }
    });
}

pub(crate) fn switched(programs: &Programs<'_>, rng: &mut Rng, way: Switch) {
    *programs.is_turned.borrow_mut() |= programs.shop.state().unwrap().turns > 0;
    let is_quick = rng.bool();
    until_done(programs, rng, |source| {
        let turned = programs
            .shop
            .with(source, |migration| migration.switch(way, is_quick));
        match turned {
            Ok(Turned::Done(_) | Turned::Already) => Some(()),
            Err(Ended::Source(error)) if error.message.contains("killed") => None,
            other => panic!("{other:?}"),
        }
    });
    *programs.is_turned.borrow_mut() = true;
}

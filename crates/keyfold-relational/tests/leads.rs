//! Who leads changes to and fro while programs write, by runs and switches that die again and again: each write
//! that a side took is on both sides at the end, and never do both sides take writes.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test fails by panicking, and its errors may be large"
)]

mod leading;

use fastrand::Rng;
use keyfold_model::schema::origin::SqlTable;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Cell, Change, Column, End, Ended, Lead, Noted, Source, SourceError, Switch, TableColumn, Tip,
    Turned, Watched, Wrote, abort,
};
use keyfold_types::Value;
use leading::{Op, Shop, Takes, Written, values};
use std::cell::RefCell;

/// The programs of a shop, which write to the side that takes it.
struct Programs<'s> {
    shop: &'s Shop,
    written: RefCell<Written>,
    left: RefCell<u32>,
    /// Whether a side refuses writes from now on.
    is_turned: RefCell<bool>,
}

impl Programs<'_> {
    fn write(&self, rng: &mut Rng) {
        let mut left = self.left.borrow_mut();
        if *left == 0 {
            return;
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
            return;
        }
        match (takes.rows, takes.items) {
            (true, _) => op.to_rows(self.shop),
            (false, true) if is_turned => op.to_items(self.shop, &written),
            (false, _) => return,
        }
        op.note(&mut written);
    }
}

/// A database beside whose calls programs write, and which dies at one of them.
struct Busy<'p> {
    inner: Sqlite,
    programs: &'p Programs<'p>,
    rng: Rng,
    left: u32,
    /// Whether it writes itself, so that no program can.
    is_within: bool,
}

impl Busy<'_> {
    fn called(&mut self) -> Result<(), SourceError> {
        for _ in 0..self.rng.u8(0..3) {
            if !self.is_within {
                self.programs.write(&mut self.rng);
            }
        }
        self.left = self.left.saturating_sub(1);
        match self.left {
            0 => Err(SourceError::lasting("killed")),
            _ => Ok(()),
        }
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
    fn noted(&mut self) -> Result<Option<Noted>, SourceError> {
        self.called()?;
        self.inner.noted()
    }
    fn close(&mut self, tables: &[Watched], of: (&str, u64), to: &str) -> Result<(), SourceError> {
        self.called()?;
        self.inner.close(tables, of, to)?;
        self.called()
    }
    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.called()?;
        let done = self.inner.open(of)?;
        self.called()?;
        Ok(done)
    }
    fn take(&mut self, of: (&str, u64)) -> Result<(), SourceError> {
        self.called()?;
        self.inner.take(of)
    }
    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.called()?;
        self.is_within = self.inner.begin(of)?;
        Ok(self.is_within)
    }
    fn write(&mut self, sql: &str, arguments: &[Cell]) -> Result<Wrote, SourceError> {
        self.called()?;
        self.inner.write(sql, arguments)
    }
    fn commit(&mut self, tips: &[Tip]) -> Result<Wrote, SourceError> {
        self.called()?;
        let wrote = self.inner.commit(tips)?;
        self.is_within = !matches!(wrote, Wrote::Rows(_));
        self.called()?;
        Ok(wrote)
    }
    fn rollback(&mut self) -> Result<(), SourceError> {
        self.is_within = false;
        self.inner.rollback()
    }
}

/// Calls something with databases that die, until one of them does not.
fn until_done<T>(
    programs: &Programs<'_>,
    rng: &mut Rng,
    mut does: impl FnMut(&mut Busy<'_>) -> Option<T>,
) -> T {
    loop {
        let mut source = Busy {
            inner: programs.shop.source(),
            programs,
            rng: rng.fork(),
            left: match rng.u8(0..4) {
                0 => u32::MAX,
                _ => rng.u32(1..80),
            },
            is_within: false,
        };
        if let Some(done) = does(&mut source) {
            return done;
        }
    }
}

fn run(programs: &Programs<'_>, rng: &mut Rng) {
    until_done(programs, rng, |source| {
        match programs.shop.with(source, |migration| migration.run(true)) {
            Ended::Caught => Some(()),
            Ended::Source(error) if error.message.contains("killed") => None,
            other => panic!("{other:?}"),
        }
    });
}

fn switched(programs: &Programs<'_>, rng: &mut Rng, way: Switch) {
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

fn one_world(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let shop = Shop::new();
    let programs = Programs {
        shop: &shop,
        written: RefCell::default(),
        left: RefCell::new(60),
        is_turned: RefCell::new(false),
    };
    for _ in 0..rng.u8(0..60) {
        programs.write(&mut rng);
    }
    run(&programs, &mut rng);
    for _ in 0..3 {
        *programs.left.borrow_mut() = 120;
        switched(&programs, &mut rng, Switch::Forth);
        assert_eq!(
            shop.takes(),
            Takes {
                rows: false,
                items: true
            }
        );
        run(&programs, &mut rng);
        *programs.left.borrow_mut() += 60;
        switched(&programs, &mut rng, Switch::Back);
        assert_eq!(
            shop.takes(),
            Takes {
                rows: true,
                items: false
            }
        );
        run(&programs, &mut rng);
    }
    if rng.bool() {
        switched(&programs, &mut rng, Switch::Forth);
    }
    *programs.left.borrow_mut() = 0;
    run(&programs, &mut rng);
    assert_eq!(shop.differences(), [""; 0], "seed {seed}");
    assert_eq!(shop.rows(), *programs.written.borrow(), "seed {seed}");
    shop.with(&mut shop.source(), |migration| migration.complete())
        .unwrap();
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'keyfold%'";
    let left: u32 = shop.program.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
    assert_eq!(
        shop.takes(),
        Takes {
            rows: true,
            items: true
        }
    );
}

#[test]
fn whoever_leads_nothing_is_lost_or_doubled() {
    let said = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let worlds = said("MIGRATION_WORLDS").unwrap_or(6);
    let first = said("MIGRATION_SEED").unwrap_or(0);
    for seed in first..first + worlds {
        one_world(seed);
    }
}

/// A shop with a customer, a product and an order, whose tables lead.
fn led() -> Shop {
    let shop = Shop::new();
    let mut written = Written::default();
    for op in [
        Op::Customer(1, Some("m".to_owned()), "Ann".to_owned()),
        Op::Product("ink".to_owned(), "Ink".to_owned()),
        Op::Order(1, "a".to_owned(), ("ink".to_owned(), 250, None)),
    ] {
        op.to_rows(&shop);
        op.note(&mut written);
    }
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Done(_))));
    shop
}

fn order(price: &str) -> std::collections::BTreeMap<String, Value> {
    values([
        ("customerId", Value::from(1_i64)),
        ("orderId", "a".into()),
        ("sku", "ink".into()),
        ("title", "Ink".into()),
        ("price", Value::N(price.parse().unwrap())),
        ("placedAt", "2026-01-02T03:04:05Z".into()),
    ])
}

fn problem(ended: Ended) -> String {
    match ended {
        Ended::Problem(problem) => problem.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn programs_are_told_where_to_write() {
    let shop = led();
    let said = shop.program.execute("DELETE FROM orders", []).unwrap_err();
    assert_eq!(
        said.to_string(),
        "programs write to keyfold:./shop now: keyfold migrate has switched"
    );
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Already)));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Already)));
}

#[test]
fn what_sql_refuses_is_named_and_carried_when_it_is_mended() {
    let shop = led();
    shop.put("Order", &order("0")).unwrap();
    let due = "Order (customerId = 1, orderId = a): the database refuses its row: CHECK constraint failed: cents > 0";
    assert_eq!(problem(shop.run()), due);
    // Nothing of it is there, and the place of the stream did not move.
    assert_eq!(shop.rows().orders[&(1, "a".to_owned())].1, 250);
    assert_eq!(problem(shop.run()), due);
    shop.put("Order", &order("3.75")).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.rows().orders[&(1, "a".to_owned())].1, 375);
}

#[test]
fn what_a_row_cannot_hold_is_not_lost() {
    let shop = led();
    shop.put("Order", &order("3.755")).unwrap();
    assert_eq!(
        problem(shop.run()),
        "Order (customerId = 1, orderId = a): price of Order is 3.755, and its row makes it 3.76"
    );
    shop.put("Order", &order("3.75")).unwrap();
    let mut held = values([("customerId", Value::from(1_i64)), ("name", "Ann".into())]);
    held.insert("note".to_owned(), "hello".into());
    shop.put("Customer", &held).unwrap();
    assert_eq!(
        problem(shop.run()),
        "Customer (customerId = 1): note of Customer has a value, and no column takes it"
    );
    held.remove("note");
    shop.put("Customer", &held).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.differences(), [""; 0]);
}

#[test]
fn a_unique_value_changes_hands() {
    let shop = led();
    let customer = |id: i64, mail: Option<&str>| {
        let mut held = values([("customerId", Value::from(id)), ("name", "n".into())]);
        held.extend(mail.map(|mail| ("mail".to_owned(), Value::from(mail))));
        shop.put("Customer", &held).unwrap();
    };
    // In the order of their keys, the one that takes it comes first.
    customer(1, None);
    customer(0, Some("m"));
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.differences(), [""; 0]);
}

#[test]
fn a_migration_is_given_up_while_the_database_leads_alone() {
    let shop = led();
    let give_up = || {
        abort(
            &mut shop.source(),
            &shop.backend,
            (&shop.model, Some(&shop.tables)),
            false,
        )
    };
    let Err(Ended::Target(said)) = give_up() else {
        panic!("it was given up")
    };
    assert!(said.to_string().contains("switch --back"), "{said}");
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert!(give_up().is_ok());
    assert_eq!(
        shop.takes(),
        Takes {
            rows: true,
            items: true
        }
    );
}

#[test]
fn a_switch_of_sides_that_differ_changes_nothing() {
    let shop = led();
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    shop.put("Order", &order("9")).unwrap();
    let Ok(Turned::Differs(found)) = shop.switch(Switch::Forth) else {
        panic!("it was switched")
    };
    assert_eq!(found.count, 1);
    assert_eq!(
        shop.takes(),
        Takes {
            rows: true,
            items: false
        }
    );
}

#[test]
fn a_run_that_was_overtaken_writes_nothing() {
    let shop = led();
    let mut source = shop.source();
    let lead = source.lead().unwrap();
    let noted = lead.noted().unwrap().unwrap();
    lead.take((&noted.id, noted.fence + 1)).unwrap();
    assert!(!lead.begin((&noted.id, noted.fence)).unwrap());
    assert!(!lead.open((&noted.id, noted.fence)).unwrap());
    assert!(lead.take(("another", noted.fence)).is_err());
    assert_eq!(
        shop.takes(),
        Takes {
            rows: false,
            items: true
        }
    );
}

//! A switch compares rows and items while programs write, and what changed meanwhile again when nobody does: whatever
//! differs of what changed, who led leads still, and nobody waits while all is compared.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test fails by panicking, and its errors may be large"
)]

mod leading;
mod mariadb_server;
mod support;
mod worlds;

use fastrand::Rng;
use keyfold_relational::{
    Ended, Figures, Mapping, Migration, Progress, Sizes, SourceError, Switch, Turned,
};
use keyfold_types::Value;
use leading::bases::{Base, OfMariadb, OfPostgres, OfSqlite};
use leading::busy::{Busy, Programs, When};
use leading::{Op, Shop, Takes, values};
use std::cell::Cell;

const FORTH: Takes = Takes {
    rows: false,
    items: true,
};
const BACK: Takes = Takes {
    rows: true,
    items: false,
};
const NOBODY: Takes = Takes {
    rows: false,
    items: false,
};

/// Switches, and does something beside each call of the database.
fn turned(
    shop: &Shop,
    way: Switch,
    changed: usize,
    mut beside: impl FnMut(&Figures) -> Result<(), SourceError>,
) -> Result<Turned, Ended> {
    let mapping = Mapping::of(&shop.model, shop.source().as_mut()).unwrap();
    let progress = Progress::default();
    let mut source = Busy::new(shop.source(), |when| match when {
        When::Within => Ok(()),
        When::Closing | When::Otherwise => beside(&progress.figures()),
    });
    let sizes = Sizes {
        changed,
        ..Sizes::default()
    };
    Migration::new(&mapping, &mut source, &shop.backend, &progress)
        .with_tables(&shop.tables)
        .with_sizes(sizes)
        .switch(way, false)
}

/// What somebody is about to spoil: a product or a customer that a program has written.
#[derive(Debug, Clone)]
enum Aim {
    Product(String, String),
    Customer(i64, String),
}

impl Aim {
    fn of(op: &Op) -> Option<Aim> {
        match op {
            Op::Product(sku, title) => Some(Aim::Product(sku.clone(), title.clone())),
            Op::Customer(id, _, name) => Some(Aim::Customer(*id, name.clone())),
            Op::NoCustomer(_) | Op::Order(..) | Op::NoOrder(..) => None,
        }
    }

    /// Spoils the side that follows, if it has what was written: whether it has.
    fn spoil(&self, shop: &Shop, way: Switch, does: bool) -> bool {
        match (way, self) {
            (Switch::Forth, Aim::Product(sku, title)) => {
                let key = (format!("PRODUCT#{sku}"), "PRODUCT");
                let is_there = shop.held(&key.0, key.1, "title") == Some(title.as_str().into());
                if is_there && does {
                    shop.spoil(&key.0, key.1, "title", "spoilt".into());
                }
                is_there
            }
            (Switch::Forth, Aim::Customer(id, name)) => {
                let key = (format!("CUSTOMER#{id}"), "PROFILE");
                let is_there = shop.held(&key.0, key.1, "name") == Some(name.as_str().into());
                if is_there && does {
                    shop.spoil(&key.0, key.1, "name", "spoilt".into());
                }
                is_there
            }
            (Switch::Back, aim) => {
                let (table, column, key, held) = match aim {
                    Aim::Product(sku, title) => {
                        ("products", "title", format!("sku = '{sku}'"), title)
                    }
                    Aim::Customer(id, name) => ("customers", "name", format!("id = {id}"), name),
                };
                let sql = format!("SELECT {column} FROM {table} WHERE {key}");
                let is_there = shop.base.must(&sql).first() == Some(&vec![Some(held.clone())]);
                if is_there && does {
                    past_the_triggers(
                        shop,
                        &format!("UPDATE {table} SET {column} = 'spoilt' WHERE {key}"),
                    );
                }
                is_there
            }
        }
    }
}

/// Writes rows as somebody does who knows how SQLite refuses writes.
fn past_the_triggers(shop: &Shop, sql: &str) {
    for sql in [
        "UPDATE keyfold_lead SET value = '1' WHERE part = 'carries'",
        sql,
        "UPDATE keyfold_lead SET value = '0' WHERE part = 'carries'",
    ] {
        shop.base.must(sql);
    }
}

/// Switches once while a program writes, and somebody bad spoils one of the items or rows that were carried of it, before
/// it can be compared again: whether it was switched. A later write may have mended it.
fn one_turn(programs: &Programs<'_>, way: Switch, mut is_bad: bool, rng: &mut Rng) -> bool {
    let (shop, mut aims, mut beside) = (programs.shop, Vec::<Aim>::new(), rng.fork());
    let changed = rng.usize(0..6);
    *programs.left.borrow_mut() = 40;
    let turned = turned(shop, way, changed, |figures| {
        // The first call behind that which carries a change comes before it is compared.
        aims.retain(|aim| {
            let does = is_bad && beside.u8(0..6) == 0;
            let is_carried = aim.spoil(shop, way, does);
            if does && is_carried {
                // A later write would mend it.
                *programs.left.borrow_mut() = 0;
                is_bad = false;
            }
            !is_carried
        });
        for _ in 0..beside.u8(0..3) {
            if figures.compares && !figures.is_closed {
                let op = programs.write(&mut beside);
                aims.extend(op.as_ref().and_then(Aim::of));
            }
        }
        Ok(())
    });
    let (led, leads) = match way {
        Switch::Forth => (BACK, FORTH),
        Switch::Back => (FORTH, BACK),
    };
    match turned {
        Ok(Turned::Done(_)) => {
            assert_eq!(shop.differences(), [""; 0]);
            assert_eq!(shop.rows(), *programs.written.borrow());
            assert_eq!(shop.takes(), leads);
            true
        }
        Ok(Turned::Differs(found)) => {
            assert!(
                found.count > 0 && !found.differences.is_empty(),
                "{found:?}"
            );
            assert!(!shop.differences().is_empty());
            assert_eq!(shop.takes(), led);
            false
        }
        other => panic!("{other:?}"),
    }
}

/// Shops of many seeds: the sides are equal whenever a switch is done.
#[test]
fn what_leads_after_a_switch_is_as_it_was_compared() {
    let (mut done, mut refused) = ([0, 0], [0, 0]);
    worlds::of_seeds(5, |seed| {
        println!("seed {seed}");
        let mut rng = Rng::with_seed(seed);
        let shop = Shop::new(OfSqlite::boxed());
        let programs = Programs::of(&shop);
        *programs.left.borrow_mut() = 60;
        for _ in 0..60 {
            programs.write(&mut rng);
        }
        assert!(matches!(shop.run(), Ended::Caught));
        for (at, way) in [Switch::Forth, Switch::Back].into_iter().enumerate() {
            *programs.is_turned.borrow_mut() = at > 0;
            // Each refusal takes seconds, in which what differs is looked at again.
            let mut is_bad = true;
            while !one_turn(&programs, way, std::mem::take(&mut is_bad), &mut rng) {
                refused[at] += 1;
                shop.mended(way);
            }
            done[at] += 1;
        }
    });
    println!("{done:?} done, {refused:?} refused");
    assert!(refused.iter().sum::<u32>() > 0, "{refused:?}");
}

/// A shop with a few rows, which are copied.
fn copied(base: Box<dyn Base>) -> Shop {
    let shop = Shop::new(base);
    for op in [
        Op::Customer(1, Some("m".to_owned()), "Ann".to_owned()),
        Op::Product("ink".to_owned(), "Ink".to_owned()),
        Op::Order(1, "a".to_owned(), ("ink".to_owned(), 250, None)),
    ] {
        op.to_rows(&shop);
    }
    assert!(matches!(shop.run(), Ended::Caught));
    shop
}

/// Programs write until the last changes are carried, and are refused for as long alone.
#[test]
fn programs_write_while_all_is_compared() {
    let shop = copied(OfSqlite::boxed());
    for (way, led) in [(Switch::Forth, BACK), (Switch::Back, FORTH)] {
        let (open, closed) = (Cell::new(0), Cell::new(0));
        let turned = turned(&shop, way, 100, |figures| {
            match (figures.compares, figures.is_closed) {
                (true, false) => {
                    assert_eq!(shop.takes(), led, "{figures:?}");
                    open.set(open.get() + 1);
                }
                (_, true) if shop.takes() == NOBODY => closed.set(closed.get() + 1),
                (_, _) => {}
            }
            Ok(())
        });
        assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
        assert!(open.get() > 0 && closed.get() > 0, "{open:?} {closed:?}");
    }
}

/// The calls of the database while nobody can write are as many for 20 rows as for 2,000.
#[test]
fn nobody_waits_for_the_number_of_rows() {
    let calls = [20, 2_000].map(|rows| {
        let shop = Shop::new(OfSqlite::boxed());
        let many = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?) INSERT INTO products SELECT \
                    'p' || n, 'title' FROM n";
        shop.base.must(&many.replace('?', &rows.to_string()));
        assert!(matches!(shop.run(), Ended::Caught));
        [Switch::Forth, Switch::Back].map(|way| {
            let calls = Cell::new(0);
            let turned = turned(&shop, way, 100, |figures| {
                calls.set(calls.get() + u32::from(figures.is_closed));
                Ok(())
            });
            assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
            calls.get()
        })
    });
    assert_eq!(calls[0], calls[1]);
}

/// What was compared is known to the process alone: the next call lets programs write, and compares again.
#[test]
fn a_switch_that_was_killed_while_nobody_wrote_begins_anew() {
    let shop = copied(OfSqlite::boxed());
    for (way, led) in [(Switch::Forth, BACK), (Switch::Back, FORTH)] {
        let killed = turned(&shop, way, 100, |figures| {
            match figures.is_closed && shop.takes() == NOBODY {
                true => Err(SourceError::lasting("killed")),
                false => Ok(()),
            }
        });
        assert!(matches!(killed, Err(Ended::Source(_))), "{killed:?}");
        assert_eq!(shop.takes(), NOBODY);
        let compared = Cell::new(0);
        let turned = turned(&shop, way, 100, |figures| {
            if figures.compares && !figures.is_closed {
                assert_eq!(shop.takes(), led);
                compared.set(compared.get() + 1);
            }
            Ok(())
        });
        assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
        assert!(compared.get() > 0);
        assert_eq!(shop.differences(), [""; 0]);
    }
}

/// Switches back while something happens once, when all rows have been compared: what differs then.
fn differing(shop: &Shop, mut does: impl FnMut()) -> Vec<String> {
    let is_done = Cell::new(false);
    let turned = turned(shop, Switch::Back, 100, |figures| {
        if figures.compared >= 3 && !figures.is_closed && !is_done.replace(true) {
            does();
        }
        Ok(())
    });
    let Ok(Turned::Differs(found)) = turned else {
        panic!("{turned:?}")
    };
    assert_eq!(shop.takes(), FORTH);
    let lines = found.differences.iter();
    lines
        .map(|one| format!("{}: {}", one.row, one.what))
        .collect()
}

/// A trigger of a program's own changes another row than that which is carried: no item tells it.
fn a_row_that_changes_with_another_is_compared_again(base: Box<dyn Base>, trigger: &str) {
    let shop = copied(base);
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Done(_))));
    shop.base.must(trigger);
    let found = differing(&shop, || {
        let held = [("sku", "ink".into()), ("title", "Black".into())];
        shop.put("Product", &values(held)).unwrap();
        let mut order = values([
            ("customerId", Value::from(1_i64)),
            ("orderId", "a".into()),
            ("sku", "ink".into()),
            ("title", "Black".into()),
            ("placedAt", "2026-01-02T03:04:05Z".into()),
        ]);
        order.insert("price".to_owned(), Value::N("2.5".parse().unwrap()));
        shop.put("Order", &order).unwrap();
    });
    let due = "customers (customerId = 1): name of Customer differs";
    assert_eq!(found, [due]);
}

#[test]
fn rows_that_change_with_others_are_compared_again() {
    let trigger = "CREATE TRIGGER own AFTER UPDATE ON products BEGIN UPDATE customers SET name = 'x' WHERE id = 1; END";
    a_row_that_changes_with_another_is_compared_again(OfSqlite::boxed(), trigger);
    let server = support::Server::start();
    let trigger = "CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE customers SET name = 'x' WHERE id \
                   = 1; RETURN NULL; END $$; CREATE TRIGGER own AFTER UPDATE ON products EXECUTE FUNCTION own()";
    a_row_that_changes_with_another_is_compared_again(
        OfPostgres::boxed(&server, "beside"),
        trigger,
    );
    let server = mariadb_server::Server::start();
    let trigger = "CREATE TRIGGER own AFTER UPDATE ON products FOR EACH ROW UPDATE customers SET name = 'x' WHERE id = 1";
    a_row_that_changes_with_another_is_compared_again(OfMariadb::boxed(&server, "beside"), trigger);
}

/// A joined title is that of its product, and no column of the order's row: no row tells that it is another one.
#[test]
fn an_item_whose_row_stays_is_compared_again() {
    let shop = copied(OfSqlite::boxed());
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Done(_))));
    let found = differing(&shop, || {
        let mut order = values([
            ("customerId", Value::from(1_i64)),
            ("orderId", "a".into()),
            ("sku", "ink".into()),
            ("title", "Pink".into()),
            ("placedAt", "2026-01-02T03:04:05Z".into()),
        ]);
        order.insert("price".to_owned(), Value::N("2.5".parse().unwrap()));
        shop.put("Order", &order).unwrap();
    });
    let due = "orders (customerId = 1, orderId = \"a\"): title of Order differs";
    assert_eq!(found, [due]);
}

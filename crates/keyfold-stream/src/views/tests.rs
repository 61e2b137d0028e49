//! The writes of rows, with other workers in between.

use super::definition::{Definition, Groups, Share};
use super::keeper::actions;
use super::place::{PARTITION, SORT, Space, TABLE};
use super::requests::{get, transact};
use super::rows::{Change, Note, Target, Way};
use super::state::Mode;
use crate::tables::ensure;
use crate::threads::{Sends, Threads, sends};
use keyfold_api::Request;
use keyfold_client::{Backend, FoundItem, blocked};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Order in Orders
  id: string, product: string, total: int
  key "O#{id}" "O"
view Sold in Sales of Order
  key "S#{product}" "S"
  orders: count, total: sum total
view Peak in Sales of Order
  key "D#{product}" "D"
  orders: count, least: min total, kinds: distinct total, best: top 2 total only id
pattern sold(product) -> Sold?
pattern peak(product) -> Peak?
"#;

/// A view, and the backend in which its rows are.
struct Place {
    definition: Definition,
    send: Sends,
}

impl Place {
    fn new(view: usize) -> Place {
        let compiled = keyfold_model::compile(MODEL);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics);
        };
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let send = sends(Arc::new(Backend::Embedded(Arc::new(engine))));
        let io = Threads::new(Arc::clone(&send));
        blocked(ensure(&*io, TABLE, &[PARTITION, SORT])).unwrap();
        blocked(ensure(&*io, "Sales", &["PK", "SK"])).unwrap();
        Place {
            definition: Definition::all(&Arc::new(model)).unwrap().remove(view),
            send,
        }
    }

    fn share(&self, id: &str, total: i64) -> Share {
        let found = FoundItem {
            kind: "Order".to_owned(),
            attributes: vec![
                ("id".to_owned(), Value::from(id)),
                ("product".to_owned(), Value::from("p")),
                ("total".to_owned(), Value::from(total)),
            ],
        };
        let share = self.definition.share(&found, &mut Groups::new());
        share.unwrap().unwrap()
    }

    /// Carries a change of an order out, by requests that are sent in this way.
    fn change(
        &self,
        send: &Sends,
        id: &str,
        (old, new): (Option<i64>, Option<i64>),
    ) -> Result<(), ClientError> {
        let io = Threads::new(Arc::clone(send));
        let share = |total: Option<i64>| total.map(|total| self.share(id, total));
        let change = Change {
            key: Item::from_iter([("PK", format!("O#{id}")), ("SK", "O".to_owned())]),
            old: share(old),
            new: share(new),
            note: Note::None,
            replays: None,
        };
        let target = Target {
            definition: &self.definition,
            space: Space {
                view: self.definition.name.clone(),
                generation: 1,
            },
            is_aside: false,
        };
        let mode = Mode::Live {
            items: false,
            aside: false,
        };
        let made = blocked(actions(&*io, &target, (mode, Way::Blind), &[change]))?;
        match made.is_empty() {
            true => Ok(()),
            false => blocked(transact(&*io, made)),
        }
    }

    fn row(&self) -> Option<Item> {
        let io = Threads::new(Arc::clone(&self.send));
        let key = match self.definition.entity().name == "Sold" {
            true => [("PK", "S#p"), ("SK", "S")],
            false => [("PK", "D#p"), ("SK", "D")],
        };
        blocked(get(&*io, "Sales", Item::from_iter(key))).unwrap()
    }
}

/// Another worker makes a row and deletes it between the reads of one that found it absent.
#[test]
fn a_row_that_came_and_went_leaves_no_support() {
    let place = Arc::new(Place::new(1));
    let (of, has_come) = (Arc::clone(&place), AtomicBool::new(false));
    let between: Sends = Arc::new(move |request| {
        // The first read of the table of views follows that of the row.
        let reads_support = if let Request::BatchGetItem(input) = &request {
            let mut tables = input.request_items.iter().flatten();
            tables.any(|(table, _)| table == TABLE)
        } else {
            matches!(request, Request::Query(_))
        };
        if !reads_support || has_come.swap(true, Ordering::SeqCst) {
            return (of.send)(request);
        }
        of.change(&of.send, "other", (None, Some(5))).unwrap();
        let answer = (of.send)(request);
        of.change(&of.send, "other", (Some(5), None)).unwrap();
        answer
    });
    place.change(&between, "1", (None, Some(5))).unwrap();
    let send = Arc::clone(&place.send);
    place.change(&send, "2", (None, Some(9))).unwrap();
    let row = place.row().unwrap();
    assert_eq!(row.get("kinds"), Some(&Value::from(2_i64)));
    place.change(&send, "1", (Some(5), None)).unwrap();
    let row = place.row().unwrap();
    assert_eq!(row.get("least"), Some(&Value::from(9_i64)));
    assert_eq!(row.get("kinds"), Some(&Value::from(1_i64)));
    let Some(Value::L(best)) = row.get("best") else {
        panic!("{row:?}");
    };
    assert_eq!(best.len(), 1);
}

/// A row that lacks items that leave it is said to, whatever comes to it in the same batch.
#[test]
fn items_that_a_row_lacks_do_not_leave_it() {
    for view in [0, 1] {
        let place = Place::new(view);
        let send = Arc::clone(&place.send);
        for change in [(Some(1), None), (Some(1), Some(2))] {
            let error = place.change(&send, "1", change).unwrap_err().to_string();
            assert!(error.contains("lacks items"), "{view} {change:?}: {error}");
            assert_eq!(place.row(), None);
        }
        place.change(&send, "1", (None, Some(1))).unwrap();
        place.change(&send, "1", (Some(1), Some(3))).unwrap();
        place.change(&send, "1", (Some(3), None)).unwrap();
        assert_eq!(place.row(), None);
    }
}

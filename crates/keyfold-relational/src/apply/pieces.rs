//! Entities of one kind in pieces, each of which is written in one request: a batch where nothing follows from
//! them, and otherwise a transaction, with the copies, guards, counts and sums of all.

use crate::mapping::Mapped;
use crate::wish::Wish;
use keyfold_lower::arguments::Values;
use keyfold_lower::write::Contribution;
use keyfold_model::schema::Aggregate;
use keyfold_types::Value;
use keyfold_types::limits::{BATCH_WRITE_REQUESTS_MAX, TRANSACTION_ACTIONS_MAX};

/// The most bytes of the items of a piece: a transaction has 4 MB, and a request 16 MB.
pub(super) const BYTES_MAX: u64 = 3_000_000;

/// Entities that are written in one request.
#[derive(Debug)]
pub(super) struct Piece {
    /// Their positions.
    pub(super) wishes: Vec<usize>,
    /// Whether they are a batch, and no transaction.
    pub(super) is_batch: bool,
}

/// The pieces of wishes of one kind, in lanes: those of a lane are written one after the other.
pub(super) fn pieces(mapped: &Mapped<'_>, wishes: &[Wish]) -> Vec<Vec<Piece>> {
    let (model, entity) = (mapped.model, mapped.entity);
    let is_batch = model.follows_from(entity).is_none();
    let aggregates: Vec<&Aggregate> = model.aggregates_of(entity).map(|(_, one)| one).collect();
    let mut order: Vec<(Option<Values>, usize)> = Vec::new();
    for (at, wish) in wishes.iter().enumerate() {
        // The parent of what goes may not be part of its key.
        let held = wish.values.as_ref().or(wish.stored.as_ref());
        let values = held.unwrap_or(&wish.key);
        let parent = aggregates.first();
        order.push((parent.and_then(|one| Contribution::parent(one, values)), at));
    }
    if !aggregates.is_empty() {
        // Whoever has one parent stands together, and its count is changed once.
        order.sort_by_cached_key(|(parent, _)| format!("{parent:?}"));
    }
    let mut lanes: Vec<Vec<Piece>> = Vec::new();
    let mut room = Room::default();
    let mut last = None;
    for (parent, at) in order {
        let size = wishes
            .get(at)
            .map_or(Size::default(), |wish| size(mapped, wish, aggregates.len()));
        let is_same = parent.is_some() && last.as_ref() == Some(&parent);
        let fits = room.takes(size, is_batch);
        let lane = lanes.last_mut().filter(|_| fits || is_same);
        match (lane, fits) {
            (Some(lane), true) => {
                if let Some(piece) = lane.last_mut() {
                    piece.wishes.push(at);
                }
            }
            (Some(lane), false) => {
                lane.push(Piece {
                    wishes: vec![at],
                    is_batch,
                });
                room = Room::with(size);
            }
            (None, _) => {
                lanes.push(vec![Piece {
                    wishes: vec![at],
                    is_batch,
                }]);
                room = Room::with(size);
            }
        }
        last = Some(parent);
    }
    lanes
}

/// What an entity takes of a request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) actions: usize,
    pub(super) bytes: u64,
}

/// What a request holds already.
#[derive(Debug, Default)]
struct Room {
    entities: usize,
    taken: Size,
}

impl Room {
    fn with(size: Size) -> Room {
        Room {
            entities: 1,
            taken: size,
        }
    }

    /// Adds an entity, if there is room for it.
    fn takes(&mut self, size: Size, is_batch: bool) -> bool {
        let taken = Size {
            actions: self.taken.actions + size.actions,
            bytes: self.taken.bytes + size.bytes,
        };
        let has_room = match is_batch {
            true => self.entities < BATCH_WRITE_REQUESTS_MAX,
            false => taken.actions <= TRANSACTION_ACTIONS_MAX,
        };
        if !has_room || taken.bytes > BYTES_MAX {
            return false;
        }
        self.entities += 1;
        self.taken = taken;
        true
    }
}

/// What an entity takes at most: its items, and each parent that counts it.
fn size(mapped: &Mapped<'_>, wish: &Wish, aggregates: usize) -> Size {
    let entity = mapped.entity;
    if entity.split.is_some() {
        // A list is over several items.
        return Size {
            actions: TRANSACTION_ACTIONS_MAX,
            bytes: 0,
        };
    }
    let own = size_of(mapped, wish, aggregates);
    Size {
        actions: own.actions + guards(mapped, wish),
        ..own
    }
}

/// What an entity takes at most beside the guards of its unique values.
pub(super) fn size_beside_guards(mapped: &Mapped<'_>, wish: &Wish) -> Size {
    let aggregates = mapped.model.aggregates_of(mapped.entity).count();
    size_of(mapped, wish, aggregates)
}

fn size_of(mapped: &Mapped<'_>, wish: &Wish, aggregates: usize) -> Size {
    let entity = mapped.entity;
    let value_bytes = |(name, value): (&String, &Value)| name.len() as u64 + value.size_bytes();
    let values = wish.values.iter().flatten();
    let bytes: u64 = values.map(value_bytes).sum();
    Size {
        actions: 1 + entity.copies.len() + usize::from(entity.id_guard().is_some()) + aggregates,
        bytes: bytes * (1 + entity.copies.len() as u64),
    }
}

/// The guards of its unique values: the one of a value that it gives away, and the one of a value that it takes.
fn guards(mapped: &Mapped<'_>, wish: &Wish) -> usize {
    let uniques = mapped.entity.uniques.iter();
    let each = uniques.map(|unique| match (&wish.stored, &wish.values) {
        (Some(is), Some(due)) => {
            let mut attributes = unique.attributes();
            1 + usize::from(attributes.any(|name| is.get(name) != due.get(name)))
        }
        (Some(_) | None, Some(_) | None) => 1,
    });
    each.sum()
}

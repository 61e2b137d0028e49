//! Entities by their keys: BatchGetItem, in the order of the keys, absent ones as absent.

use super::answer::FoundItem;
use super::batch::{Wanted, columns, distinct, fetch};
use crate::arguments::Values;
use crate::derive::{Place, held_place, identifying_place, table};
use crate::error::ClientError;
use crate::kind_name::{says_another, unknown_item};
use crate::lookup::{Found, Placed};
use crate::lowering::{Io, Lowering, Origin, together};
use crate::retry::{TRIES, back_off};
use crate::stored::{check_types, values_of};
use crate::unknown::{OnUnknown, UnknownItem, key_of, shown_key, unwritten};
use keyfold_api::KeysAndAttributes;
use keyfold_model::{Entity, Model, Table};
use keyfold_types::limits::BATCH_GET_KEYS_MAX;
use keyfold_types::{CapacityHalves, Item};

/// Entities that were read by their keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Many {
    /// The entity of each key; `None` for an absent one.
    pub items: Vec<Option<FoundItem>>,
    /// The number of requests.
    pub requests: u32,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
}

/// Reads entities by the attributes that identify them, 100 of them in a request. A key that is given
/// twice is read once. The items are not of one moment.
///
/// # Errors
/// The result has: `Invalid` for an entity whose list is split over several items; `Value` and
/// `Missing` when a key cannot be made; `UnknownItem` when an item is not where the guard of its `id` says.
pub fn many<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    keys: &'l [Values],
    (strong, on_unknown): (bool, OnUnknown),
) -> Lowering<'l, Many> {
    Lowering::new(origin, move |io| async move {
        let question = Question {
            io: &io,
            model,
            entity,
            strong: strong || entity.moves(),
            on_unknown,
        };
        get_many(&question, keys).await
    })
}

/// The entity that is read.
struct Question<'q> {
    io: &'q Io,
    model: &'q Model,
    entity: &'q Entity,
    strong: bool,
    on_unknown: OnUnknown,
}

/// A table and a key in it.
type Keyed = (String, Item);

async fn get_many(question: &Question<'_>, keys: &[Values]) -> Result<Many, ClientError> {
    let Question {
        io, model, entity, ..
    } = *question;
    if entity.split.is_some() {
        return Err(ClientError::Invalid(format!(
            "{} is stored as several items, which one key does not read; read each by a pattern",
            entity.name
        )));
    }
    let table = table(model, entity)?;
    let mut many = Many {
        items: vec![None; keys.len()],
        requests: 0,
        capacity: CapacityHalves::ZERO,
    };
    let places = keys
        .iter()
        .enumerate()
        .map(|(at, key)| identifying_place(model, entity, key).map_err(|error| error.of_item(at)));
    let places: Vec<Keyed> = places.collect::<Result<_, _>>()?;
    let columns = columns(table);
    let mut left: Vec<usize> = (0..keys.len()).collect();
    for tried in 0..TRIES {
        let wanted = left.iter().filter_map(|at| places.get(*at).cloned());
        let found = question.read(wanted, &mut many).await?;
        let mut moved = Vec::new();
        let items = if entity.moves() {
            moved = question.places(keys, &places, &left, &found)?;
            let wanted = moved.iter().map(|(_, place)| place.clone());
            question.read(wanted, &mut many).await?
        } else {
            moved.extend(
                left.iter()
                    .filter_map(|at| Some((*at, places.get(*at)?.clone()))),
            );
            found
        };
        left.clear();
        let items = Found::new(&items, &columns);
        for (at, (name, key)) in moved {
            let Some(item) = items.at(&Placed(name, key)) else {
                // An item that moves was there when its guard was read.
                left.extend(entity.moves().then_some(at));
                continue;
            };
            let values = match values_in((table, entity), item) {
                Err(ClientError::UnknownItem(_)) if question.on_unknown == OnUnknown::Skip => {
                    continue;
                }
                other => other?,
            };
            if let Some(place) = many.items.get_mut(at) {
                *place = Some(found_item(entity, &values));
            }
        }
        if left.is_empty() {
            return Ok(many);
        }
        io.pause(back_off(tried)).await;
    }
    Err(ClientError::unknown(UnknownItem::because(format!(
        "items of {} are not where the guards of their ids say: they were not written through the model, or move without end",
        entity.name
    ))))
}

/// The attributes of an entity in its item.
fn values_in((table, entity): (&Table, &Entity), item: &Item) -> Result<Values, ClientError> {
    if says_another(table, &entity.name, item) {
        return Err(unknown_item("a key has", table, item));
    }
    let names = entity.attributes.iter();
    let names = names.map(|attribute| attribute.name.as_str());
    let values = values_of(table, entity, None, names, std::slice::from_ref(item))?;
    let mut required = entity
        .attributes
        .iter()
        .filter(|one| entity.always_has(one));
    if let Some(missing) = required.find(|one| !values.contains_key(&one.name)) {
        let missing = &missing.name;
        let unknown = UnknownItem::because(format!(
            "there is an item of {} without `{missing}`, which is neither stored nor in a key ({}): {}",
            entity.name,
            shown_key(table, item),
            unwritten(entity, item, missing)
        ));
        let unknown = unknown.at(key_of(table, item));
        return Err(ClientError::unknown(unknown.of(&entity.name, missing)));
    }
    let found = || format!("there is an item of {}", entity.name);
    check_types((table, entity), &entity.name, &values, item, found)?;
    Ok(values)
}

/// An entity with its attributes in the order of their declaration.
fn found_item(entity: &Entity, values: &Values) -> FoundItem {
    let attributes = entity.attributes.iter().filter_map(|attribute| {
        let name = &attribute.name;
        Some((name.clone(), values.get(name)?.clone()))
    });
    FoundItem {
        kind: entity.name.clone(),
        attributes: attributes.collect(),
    }
}

impl Question<'_> {
    /// Where the guards say that items are, for the keys that are left. A key without a guard has no
    /// item.
    fn places(
        &self,
        keys: &[Values],
        guards: &[Keyed],
        left: &[usize],
        found: &[Keyed],
    ) -> Result<Vec<(usize, Keyed)>, ClientError> {
        let table = table(self.model, self.entity)?;
        let columns = columns(table);
        let found = Found::new(found, &columns);
        let mut places = Vec::new();
        for at in left {
            let (Some(id), Some((name, key))) = (keys.get(*at), guards.get(*at)) else {
                continue;
            };
            if let Some(guard) = found.at(&Placed(name.clone(), key.clone())) {
                let values = held_place(self.entity, id, guard)?;
                let place = Place::of(self.model, self.entity, &values)?;
                places.push((*at, (place.table_name, place.key)));
            }
        }
        Ok(places)
    }

    /// Reads the items with these keys, each once. Returns them with their tables.
    async fn read(
        &self,
        wanted: impl Iterator<Item = Keyed>,
        many: &mut Many,
    ) -> Result<Vec<Keyed>, ClientError> {
        let distinct = distinct(&wanted.collect::<Vec<_>>());
        let has_periods = table(self.model, self.entity)?.period.is_some();
        let batches = distinct.chunks(BATCH_GET_KEYS_MAX);
        let requests = batches.flat_map(|batch| self.requests(batch, has_periods));
        let parts = requests.map(|wanted| fetch(self.io, has_periods, wanted));
        let mut all = Vec::new();
        for answer in together(parts).await {
            let (found, cost) = answer?;
            many.requests += cost.requests;
            many.capacity += cost.capacity;
            all.extend(found);
        }
        Ok(all)
    }

    /// The requests for one batch of keys.
    fn requests(&self, batch: &[Keyed], has_periods: bool) -> Vec<Wanted> {
        let mut wanted: Wanted = Vec::new();
        for (name, key) in batch {
            match wanted.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.keys.get_or_insert_default().push(Ok(key.clone())),
                None => {
                    let keys = KeysAndAttributes {
                        keys: Some(vec![Ok(key.clone())]),
                        consistent_read: self.strong.then_some(true),
                        ..KeysAndAttributes::default()
                    };
                    wanted.push((name.clone(), keys));
                }
            }
        }
        // One absent table of a period would fail the request for all tables.
        if has_periods {
            return wanted.into_iter().map(|one| vec![one]).collect();
        }
        vec![wanted]
    }
}

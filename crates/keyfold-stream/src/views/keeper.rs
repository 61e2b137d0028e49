//! The handler of a view: what records change of its rows.

use super::belongs;
use super::definition::{Definition, Share};
use super::images::{Image, Images};
use super::links::refresh;
use super::lost::Lost;
use super::place::{Kind, Space, TABLE, bytes, digest};
use super::requests::{delete, get_many, is_of_values, is_overtaken, put, transact};
use super::rows::{Change, Note, Target, Way, version};
use super::state::{Mode, State};
use super::{notes, simple, single, whole};
use crate::handler::{Effects, Failure, Handler, Record};
use crate::world::Io;
use keyfold_api::{ExpressionAttributes, StreamEvent, TransactWriteItem};
use keyfold_client::FoundItem;
use keyfold_lower::ClientError;
use keyfold_types::Item;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often rows are read anew that another worker has changed meanwhile.
const TRIES: u32 = 12;
/// The longest pause between two of these tries doubles from this time.
const PAUSE_MS: u64 = 2;
/// The attributes of what an item gives.
const SHARE: &str = "view:share";
const STAMP: &str = "view:stamp";
/// The number of the last record of the item that was set aside.
const RECORD: &str = "view:record";

/// Keeps a generation of a view, from the stream of one table.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) definition: Arc<Definition>,
    pub(crate) generation: u64,
    pub(crate) table: String,
}

/// What records change.
#[derive(Debug, Default, Clone)]
struct Batch {
    changes: Vec<Change>,
    /// Items that rows refer to: the entity's position, and the item's key.
    referred: Vec<(usize, Item)>,
    /// Items of this table that are no changes, and cannot be read or could not.
    notes: Vec<(Item, Note)>,
}

impl Handler for Keeper {
    fn handle(&self, records: &[Record]) -> Result<Effects, Failure> {
        let batch = self.batch(records)?;
        if batch.changes.is_empty() && batch.referred.is_empty() && batch.notes.is_empty() {
            return Ok(Effects::none());
        }
        let keeper = self.clone();
        Ok(Effects::steps(move |plain, joined| {
            Box::pin(async move { keeper.carry(plain, joined, batch).await })
        }))
    }

    fn set_aside(&self, record: &Record, stored: Vec<TransactWriteItem>) -> Effects {
        let Some((key, old)) = self.before(record) else {
            return Effects::of(stored);
        };
        let (keeper, number) = (self.clone(), record.number().to_owned());
        Effects::steps(move |plain, joined| {
            Box::pin(async move {
                let aside = Aside {
                    key: &key,
                    old: old.as_ref(),
                    number: &number,
                };
                let make = |_| keeper.aside(plain, aside, &stored);
                write(joined, make).await
            })
        })
    }
}

/// Handles a record that was set aside, once more.
pub(crate) struct Replay(pub(crate) Keeper);

impl Handler for Replay {
    fn handle(&self, records: &[Record]) -> Result<Effects, Failure> {
        let mut batch = self.0.batch(records)?;
        let number = records.first().map(|record| record.number().to_owned());
        for change in &mut batch.changes {
            change.replays.clone_from(&number);
        }
        let keeper = self.0.clone();
        Ok(Effects::steps(move |plain, joined| {
            Box::pin(async move { keeper.carry(plain, joined, batch).await })
        }))
    }
}

/// A record that is set aside: the item's key, what it gave before, and the record's number.
#[derive(Clone, Copy)]
struct Aside<'r> {
    key: &'r Item,
    old: Option<&'r Share>,
    number: &'r str,
}

impl Keeper {
    pub(crate) fn space(&self) -> Space {
        Space {
            view: self.definition.name.clone(),
            generation: self.generation,
        }
    }

    fn target(&self, mode: Mode) -> Target<'_> {
        Target {
            definition: &self.definition,
            space: self.space(),
            is_aside: matches!(mode, Mode::Build { .. }),
            has_foreign: Arc::default(),
        }
    }

    /// Whether its table is that of the source.
    fn is_source(&self) -> bool {
        let definition = &self.definition;
        definition.table_of(definition.source()).name == self.table
    }

    /// What records change, for each item once.
    fn batch(&self, records: &[Record]) -> Result<Batch, ClientError> {
        let mut images = Images::new(&self.definition, &self.table);
        let is_source = self.is_source();
        let mut changes: BTreeMap<Vec<u8>, Change> = BTreeMap::new();
        let mut notes: BTreeMap<Vec<u8>, (Item, Note)> = BTreeMap::new();
        let mut referred: BTreeSet<(usize, Vec<u8>)> = BTreeSet::new();
        let mut batch = Batch::default();
        for record in records {
            let Some(key) = key_of(record) else { continue };
            let [old, new] = both(record)?.map(|image| images.read(key, image));
            for entity in self.definition.view().joined() {
                if self.concerns(entity, &old, &new) && referred.insert((entity, bytes(key))) {
                    batch.referred.push((entity, key.clone()));
                }
            }
            if is_source && (images.counts(&old) || images.counts(&new)) {
                let (share, why) = images.share(&new);
                let at = changes.entry(bytes(key));
                let known = at.or_insert_with(|| {
                    let (old, why) = images.share(&old);
                    Change {
                        key: key.clone(),
                        old,
                        new: None,
                        note: why.map_or(Note::None, Note::Broken),
                        replays: None,
                    }
                });
                known.new = share;
                known.note.then(why);
            } else if let (Image::Broken(_), _) | (_, Image::Broken(_)) = (&old, &new) {
                let (_, before) = images.share(&old);
                let at = notes.entry(bytes(key));
                let note = || (key.clone(), before.map_or(Note::None, Note::Broken));
                at.or_insert_with(note).1.then(images.share(&new).1);
            }
        }
        batch.changes = changes.into_values().collect();
        batch.notes = notes.into_values().collect();
        Ok(batch)
    }

    /// Whether rows have an attribute of an entity that a change concerns.
    fn concerns(&self, entity: usize, old: &Image, new: &Image) -> bool {
        let of = |image| match image {
            &Image::Of(at, ref found) if at == entity => Some(found),
            Image::Of(..) | Image::Absent | Image::Other | Image::Broken(_) => None,
        };
        let (old, new) = (of(old), of(new));
        let held =
            |item: Option<&FoundItem>, name: &str| item.and_then(|one| one.get(name)).cloned();
        let links = self.definition.links.iter();
        let mut used = links
            .filter(|link| link.entity == entity)
            .flat_map(|link| &link.columns);
        match (old, new) {
            (None, None) => false,
            (None, Some(_)) | (Some(_), None) => true,
            (Some(_), Some(_)) => used.any(|(_, name)| held(old, name) != held(new, name)),
        }
    }

    /// The key of the source item of a record, and what it gave before.
    fn before(&self, record: &Record) -> Option<(Item, Option<Share>)> {
        let (key, [old, new]) = (key_of(record)?, both(record).ok()?);
        let mut images = Images::new(&self.definition, &self.table);
        let [old, new] = [old, new].map(|image| images.read(key, image));
        let is_own = self.is_source() && (images.counts(&old) || images.counts(&new));
        is_own.then(|| (key.clone(), images.share(&old).0))
    }

    /// Carries a batch out: rows of items that are referred to in transactions of their own, the others
    /// together with the position.
    async fn carry(
        &self,
        plain: &dyn Io,
        joined: &dyn Io,
        batch: Batch,
    ) -> Result<(), ClientError> {
        let mode = self.mode(&State::read(plain, &self.definition.name).await?)?;
        let target = self.target(mode);
        let carried = self.write(plain, joined, (&target, mode), &batch).await;
        if target.has_foreign.load(Ordering::SeqCst) {
            // Else one that follows has written them, behind which this one sleeps.
            let lost = (self.generation, Lost::Rows);
            belongs::note(plain, &self.definition.name, lost).await?;
            return Err(ClientError::Transport(format!(
                "the view {} has rows that this worker has not written, and takes no records until others are in their \
                 place",
                self.definition.name
            )));
        }
        carried
    }

    async fn write(
        &self,
        plain: &dyn Io,
        joined: &dyn Io,
        (target, mode): (&Target<'_>, Mode),
        batch: &Batch,
    ) -> Result<(), ClientError> {
        for (entity, key) in &batch.referred {
            refresh(plain, target, *entity, (&self.table, key)).await?;
        }
        if batch.changes.is_empty() && batch.notes.is_empty() {
            return Ok(());
        }
        write(joined, async |way| {
            let mut all = actions(joined, target, (mode, way), &batch.changes).await?;
            let notes = batch.notes.iter();
            let notes = notes
                .filter_map(|(key, note)| notes::action(&target.space, (&self.table, key), note));
            all.extend(notes);
            Ok(all)
        })
        .await
    }

    fn mode(&self, state: &State) -> Result<Mode, ClientError> {
        match state.mode(self.generation) {
            Mode::Wait => Err(ClientError::Transport(format!(
                "the view {} switches to its rebuilt rows, and takes no records until that is done",
                self.definition.name
            ))),
            mode @ (Mode::Build { .. } | Mode::Live { .. }) => Ok(mode),
        }
    }

    /// The actions that set a record aside. They keep what its item gives to its row: what it gave
    /// before, since the record has done nothing.
    async fn aside(
        &self,
        io: &dyn Io,
        of: Aside<'_>,
        stored: &[TransactWriteItem],
    ) -> Result<Vec<TransactWriteItem>, ClientError> {
        let mut state = State::read(io, &self.definition.name).await?;
        let mode = self.mode(&state)?;
        let target = self.target(mode);
        let [own, aside] =
            [Kind::Items, Kind::Aside].map(|kind| target.space.key(kind, &digest(of.key)));
        let known = get_many(io, TABLE, vec![own.clone(), aside.clone()]).await?;
        let (held, before) = (known.get(&bytes(&own)), known.get(&bytes(&aside)));
        let gives = match (before.or(held), mode) {
            (Some(known), _) => known.get(SHARE).and_then(Share::of_value),
            (None, Mode::Build { .. }) => None,
            (None, Mode::Live { .. } | Mode::Wait) => of.old.cloned(),
        };
        let mut all = stored.to_vec();
        if held.is_none() && matches!(mode, Mode::Build { .. }) {
            // The scan has not come to it yet, and leaves it out.
            all.push(put(TABLE, item(io, own, None), Some(unchanged(held))));
        }
        let mut kept = item(io, aside, gives.as_ref());
        kept.insert(RECORD, of.number);
        all.push(put(TABLE, kept, Some(unchanged(before))));
        if let Some(generation) = state.generation(self.generation) {
            generation.has_aside = true;
        }
        all.push(state.action(&self.definition.name));
        Ok(all)
    }
}

/// The images of a record.
fn both(record: &StreamEvent) -> Result<[Option<&Item>; 2], ClientError> {
    let Some(images) = &record.dynamodb else {
        return Err(ClientError::Invalid(
            "the stream record is empty".to_owned(),
        ));
    };
    let [old, new] = [&images.old_image, &images.new_image].map(|image| {
        let wrong = |error: &_| ClientError::Invalid(format!("the stream record: {error}"));
        image
            .as_ref()
            .map(|one| one.as_ref().map_err(wrong))
            .transpose()
    });
    match (old?, new?) {
        (None, None) => Err(ClientError::Invalid(
            "the stream record has no image of its item: the stream of the table must have new and old \
             images"
                .to_owned(),
        )),
        images => Ok(images.into()),
    }
}

/// The key of a record's item.
pub(crate) fn key_of(record: &StreamEvent) -> Option<&Item> {
    let keys = record.dynamodb.as_ref()?.keys.as_ref()?;
    keys.as_ref().ok()
}

/// Makes actions and writes them, again when an item has changed meanwhile. What is refused without
/// reading rows is made again of what they are.
///
/// # Errors
/// The backend's; a passing one when items change each time.
pub(crate) async fn write<F>(io: &dyn Io, mut make: impl FnMut(Way) -> F) -> Result<(), ClientError>
where
    F: Future<Output = Result<Vec<TransactWriteItem>, ClientError>>,
{
    let (mut tried, mut way) = (0, Way::Blind);
    loop {
        let actions = make(way).await?;
        if actions.is_empty() {
            return Ok(());
        }
        let written = transact(io, actions).await;
        let stricter = way.stricter();
        way = match way {
            Way::Blind | Way::Read => Way::Read,
            Way::Exact => Way::Exact,
        };
        match (written, stricter) {
            (Ok(()), _) => return Ok(()),
            (Err(error), Some(stricter)) if is_of_values(&error) => way = stricter,
            (Err(error), _) if !is_overtaken(&error) => return Err(error),
            (Err(error), _) if tried == TRIES => {
                let why = format!("the rows change faster than they are written: {error}");
                return Err(ClientError::Transport(why));
            }
            (Err(_), _) => {
                tried += 1;
                let most = PAUSE_MS << tried.min(6);
                io.pause(Duration::from_millis(io.random() % most)).await;
            }
        }
    }
}

/// The actions of changes.
///
/// # Errors
/// The backend's; `Refused` for values that no row can have.
pub(crate) async fn actions(
    io: &dyn Io,
    target: &Target<'_>,
    (mode, way): (Mode, Way),
    changes: &[Change],
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let is_plain = mode
        == Mode::Live {
            items: false,
            aside: false,
        };
    let replays = changes.iter().any(|change| change.replays.is_some());
    let (own, mut kept) = match is_plain && !replays {
        true => (None, Vec::new()),
        false => {
            let (changes, kept) = with_items(io, target, mode, changes).await?;
            (Some(changes), kept)
        }
    };
    let changes = own.as_deref().unwrap_or(changes);
    let view = target.definition.view();
    let actions = if !view.is_grouped {
        single::actions(io, target, changes).await?
    } else if target.definition.is_read_first() {
        whole::actions(io, target, target.rows(changes)?).await?
    } else {
        simple::actions(io, target, target.rows(changes)?, way).await?
    };
    kept.extend(actions);
    let source = target.definition.table_of(target.definition.source());
    let notes = changes.iter().filter_map(|change| {
        notes::action(&target.space, (&source.name, &change.key), &change.note)
    });
    kept.extend(notes);
    Ok(kept)
}

/// The key under which is kept what an item gives.
pub(crate) fn item_key(target: &Target<'_>, key: &Item) -> Item {
    target.space.key(Kind::Items, &digest(key))
}

/// An item with what a source item gives.
pub(crate) fn item(io: &dyn Io, mut key: Item, share: Option<&Share>) -> Item {
    key.insert(STAMP, version(io));
    if let Some(share) = share {
        key.insert(SHARE, share.to_value());
    }
    key
}

/// The condition that an item is as it was read.
fn unchanged(held: Option<&Item>) -> (String, ExpressionAttributes) {
    let attributes = ExpressionAttributes::default().name("#s", STAMP);
    match held.and_then(|held| held.get(STAMP)) {
        Some(stamp) => ("#s = :s".to_owned(), attributes.value(":s", stamp.clone())),
        None => ("attribute_not_exists(#s)".to_owned(), attributes),
    }
}

/// Changes from what is kept of items, and the actions that keep it. What was kept when a record was set
/// aside comes first: it is what the row holds.
async fn with_items(
    io: &dyn Io,
    target: &Target<'_>,
    mode: Mode,
    changes: &[Change],
) -> Result<(Vec<Change>, Vec<TransactWriteItem>), ClientError> {
    let (reads_items, reads_aside, builds) = match mode {
        Mode::Build { aside } => (true, aside, true),
        Mode::Live { items, aside } => (items, aside, false),
        Mode::Wait => (false, false, false),
    };
    let of = |kind: Kind, change: &Change| target.space.key(kind, &digest(&change.key));
    let mut keys = Vec::new();
    for change in changes {
        if reads_items {
            keys.push(of(Kind::Items, change));
        }
        if reads_aside || change.replays.is_some() {
            keys.push(of(Kind::Aside, change));
        }
    }
    let stored = get_many(io, TABLE, keys).await?;
    let (mut made, mut actions) = (Vec::new(), Vec::new());
    for change in changes {
        let mut change = change.clone();
        let [own, aside] = [Kind::Items, Kind::Aside].map(|kind| of(kind, &change));
        let (held, before) = (stored.get(&bytes(&own)), stored.get(&bytes(&aside)));
        if let Some(number) = &change.replays {
            let last = before.and_then(|before| before.get(RECORD));
            if last.and_then(super::held::text) != Some(number) {
                // Later records of the item were handled, or set aside, with what it was then.
                continue;
            }
        }
        if let Some(known) = before.or(held) {
            change.old = known.get(SHARE).and_then(Share::of_value);
        } else if builds {
            change.old = None;
        }
        if before.is_some() {
            actions.push(delete(TABLE, aside, Some(unchanged(before))));
            if change.note == Note::None {
                // A scan notes an item that it leaves out.
                change.note = Note::Mended;
            }
        }
        if builds {
            let item = item(io, own, change.new.as_ref());
            actions.push(put(TABLE, item, Some(unchanged(held))));
        } else if held.is_some() {
            // From here on the item gives what its last record says.
            actions.push(delete(TABLE, own, None));
        }
        made.push(change);
    }
    Ok((made, actions))
}

//! Items of a table as a view sees them: in images of records, and in pages of a scan.
//!
//! An item that the model cannot read gives nothing to a view, and is noted. Only attributes that the
//! view uses are looked at.

use super::definition::{Definition, Groups, Share};
use keyfold_client::FoundItem;
use keyfold_client::event::Events;
use keyfold_types::Item;

/// An item as a view sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Image {
    /// There is none.
    Absent,
    /// It is of an entity that the view does not look at.
    Other,
    /// It is of the entity with this position.
    Of(usize, FoundItem),
    /// It cannot be read, for this reason.
    Broken(String),
}

/// Reads items of a table.
pub(crate) struct Images<'d> {
    definition: &'d Definition,
    events: Events<'d>,
    table: &'d str,
    known: Groups,
}

impl<'d> Images<'d> {
    pub(crate) fn new(definition: &'d Definition, table: &'d str) -> Images<'d> {
        Images {
            definition,
            events: Events::new(&definition.model),
            table,
            known: Groups::new(),
        }
    }

    /// Reads an item whose key stands beside it.
    pub(crate) fn read(&self, key: &Item, image: Option<&Item>) -> Image {
        let Some(image) = image else {
            return Image::Absent;
        };
        if key.iter().all(|(name, _)| image.get(name).is_some()) {
            return self.whole(image);
        }
        let mut whole = image.clone();
        for (name, held) in key {
            whole.insert(name.as_str(), held.clone());
        }
        self.whole(&whole)
    }

    fn whole(&self, item: &Item) -> Image {
        let used = self.definition.used();
        match self.events.item(self.table, item, |at| used.get(&at)) {
            Ok(Some((at, found))) => Image::Of(at, found),
            Ok(None) => Image::Other,
            Err(why) => Image::Broken(why.to_string()),
        }
    }

    /// Whether an image is an item of the source, or cannot be read.
    pub(crate) fn counts(&self, image: &Image) -> bool {
        match image {
            Image::Of(at, _) => *at == self.definition.view().source,
            Image::Broken(_) => true,
            Image::Absent | Image::Other => false,
        }
    }

    /// What an item gives to the view, and the reason for which it cannot be read.
    pub(crate) fn share(&mut self, image: &Image) -> (Option<Share>, Option<String>) {
        let found = match image {
            Image::Of(at, found) if *at == self.definition.view().source => found,
            Image::Broken(why) => return (None, Some(why.clone())),
            Image::Of(..) | Image::Absent | Image::Other => return (None, None),
        };
        match self.definition.share(found, &mut self.known) {
            Ok(share) => (share, None),
            Err(why) => (None, Some(why.to_string())),
        }
    }
}

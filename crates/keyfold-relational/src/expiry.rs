//! Items that expire: their time comes, and the tables delete them within hours, while their rows stay as long as the
//! database leads. So an item whose row says that its time is over may be there or not.

use crate::mapping::Mapped;
use crate::world;
use keyfold_lower::arguments::Values;
use keyfold_model::{DefaultValue, value};

/// Items whose time was over so many seconds ago are kept by the tables: five years.
const KEPT_SECONDS: i64 = 5 * 365 * 24 * 60 * 60;

impl Mapped<'_> {
    /// Whether the time of an item is over, by its attributes as a row says them: the tables delete it, or have done so.
    pub fn is_over(&self, values: &Values) -> bool {
        let Some(name) = &self.entity.ttl else {
            return false;
        };
        let mut all = self.entity.attributes.iter();
        let attribute = all.find(|one| one.name == *name);
        let made = attribute.and_then(|one| one.default.as_ref());
        let time = match (values.get(name), made) {
            (Some(said), _) => said,
            (None, Some(DefaultValue::Value(fixed))) => fixed,
            // It is over as soon as it is written.
            (None, Some(DefaultValue::Now | DefaultValue::Always)) => return true,
            (None, Some(DefaultValue::New) | None) => return false,
        };
        let age = value::epoch_seconds(time).map(|time| world::epoch_seconds() - time);
        age.is_some_and(|age| (0..=KEPT_SECONDS).contains(&age))
    }
}

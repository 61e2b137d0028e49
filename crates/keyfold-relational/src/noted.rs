//! What a database notes while it does not lead, as rows of two texts: parts and their values.

use crate::source::{Noted, SourceError, Tip};
use keyfold_stream::{Position, ShardKey};

/// The part that names the migration.
pub(crate) const ID: &str = "id";
/// The part that holds the fence of the run that has it.
pub(crate) const FENCE: &str = "fence";
/// The part that holds where programs write instead.
pub(crate) const PLACE: &str = "place";
/// What the part of a shard begins with.
const SHARD: &str = "shard ";

/// The error of a table of notes that is not as it was written.
pub(crate) fn damaged(table: &str) -> SourceError {
    SourceError::lasting(format!("the table `{table}` was changed by somebody"))
}

/// Up to where a shard is carried, as a part and its value.
pub(crate) fn of_tip((key, position): &Tip) -> (String, String) {
    let part = format!("{SHARD}{} {}", key.stream, key.shard);
    (part, position.to_string())
}

/// What rows note; `None` where one of them is damaged. Other parts are left out.
pub(crate) fn noted<'r>(rows: impl IntoIterator<Item = (&'r str, &'r str)>) -> Option<Noted> {
    let (mut id, mut fence, mut place, mut tips) = (None, None, None, Vec::new());
    for (part, value) in rows {
        if let Some(shard) = part.strip_prefix(SHARD) {
            let (stream, shard) = shard.rsplit_once(' ')?;
            let key = ShardKey {
                stream: stream.to_owned(),
                shard: shard.to_owned(),
            };
            tips.push((key, Position::of(value)?));
        } else if part == ID {
            id = Some(value.to_owned());
        } else if part == FENCE {
            fence = value.parse().ok();
        } else if part == PLACE {
            place = Some(value.to_owned());
        }
    }
    Some(Noted {
        id: id?,
        fence: fence?,
        place,
        tips,
    })
}

#[cfg(test)]
mod tests {
    use super::{noted, of_tip};

    #[test]
    fn what_is_noted_is_read_again() {
        let rows = [
            ("carries", "0"),
            ("fence", "7"),
            ("id", "m"),
            ("place", "http://h"),
            ("shard arn:a/stream/1 s1", "SHARD_END"),
        ];
        let found = noted(rows).map(|noted| {
            let tips = noted.tips.iter().map(of_tip);
            let tips = tips.collect::<Vec<_>>();
            (noted.id, noted.fence, noted.place, tips)
        });
        let tip = (rows[4].0.to_owned(), rows[4].1.to_owned());
        let place = Some("http://h".to_owned());
        assert_eq!(found, Some(("m".to_owned(), 7, place, vec![tip])));
        assert_eq!(noted([("id", "m"), ("fence", "x")]), None);
        let no_stream = ("shard x", "SHARD_END");
        assert_eq!(noted([("id", "m"), ("fence", "7"), no_stream]), None);
    }
}

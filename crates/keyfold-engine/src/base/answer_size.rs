//! The size of an answer as text. Items are counted by what they take stored; their numbers can be
//! thirty times as long in an answer, where each has all its zeros.

use keyfold_codec::RawItem;

/// Bytes of numbers that an answer may have before no more items are put into it. No data of
/// ordinary numbers comes near.
const NUMBER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of stored items at the beginning of an answer that are not looked at: their numbers have
/// 4.5 MB at the most.
const UNSEEN_BYTES: usize = 128 * 1024;

/// The items of an answer. Most answers are too small to be looked at.
#[derive(Default)]
pub(crate) struct AnswerSize {
    stored_bytes: usize,
    number_bytes: usize,
}

impl AnswerSize {
    /// Adds an item that is in the answer; returns whether the answer is full.
    pub(crate) fn add(&mut self, item: &RawItem) -> bool {
        self.stored_bytes += item.bytes().len();
        if self.stored_bytes > UNSEEN_BYTES {
            self.number_bytes += item.number_text_bytes();
        }
        self.number_bytes > NUMBER_BYTES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::{Item, Number, Value};

    fn item(number: &str, count: usize) -> RawItem {
        let number = Value::N(number.parse::<Number>().unwrap());
        RawItem::encode(&Item::from_iter([(
            "l".to_owned(),
            Value::L(vec![number; count]),
        )]))
    }

    #[test]
    fn long_numbers_fill_an_answer_and_ordinary_ones_do_not() {
        let (long, short) = (item("1e125", 10_000), item("12345.67", 10_000));
        let full_at = |item: &RawItem| {
            let mut size = AnswerSize::default();
            (1..=100).find(|_| size.add(item))
        };
        let unseen = UNSEEN_BYTES / long.bytes().len();
        assert_eq!(
            full_at(&long),
            Some(unseen + NUMBER_BYTES_MAX / long.number_text_bytes() + 1)
        );
        assert_eq!(full_at(&short), None, "7 MB of them");
        // Items that are not inspected are bounded.
        assert!(long.number_text_bytes() < 35 * long.bytes().len());
    }
}

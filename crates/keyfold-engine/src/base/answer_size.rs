//! The size of an answer as text. Limits count items by their stored size. As text, with all
//! zeros, a number can be thirty times as long.

use keyfold_codec::RawItem;

/// Bytes of number text above which no more items are added to an answer. Ordinary numbers stay far
/// below.
const NUMBER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of stored items at the beginning of an answer whose numbers are not counted: they have
/// 4.5 MB of text at the most.
const UNCOUNTED_BYTES: usize = 128 * 1024;

/// The bytes of an answer so far. The numbers of most answers are never counted.
#[derive(Default)]
pub(crate) struct AnswerSize {
    stored_bytes: usize,
    number_bytes: usize,
}

impl AnswerSize {
    /// Adds an item that is in the answer; returns whether the answer is full.
    pub(crate) fn add(&mut self, item: &RawItem) -> bool {
        self.stored_bytes += item.bytes().len();
        if self.stored_bytes > UNCOUNTED_BYTES {
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
        let uncounted = UNCOUNTED_BYTES / long.bytes().len();
        assert_eq!(
            full_at(&long),
            Some(uncounted + NUMBER_BYTES_MAX / long.number_text_bytes() + 1)
        );
        assert_eq!(full_at(&short), None, "7 MB of them");
        // Items that are not inspected are bounded.
        assert!(long.number_text_bytes() < 35 * long.bytes().len());
    }
}

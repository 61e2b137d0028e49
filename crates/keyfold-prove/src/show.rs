//! Values and items for people. Long values are cut: a key of 2,048 bytes is no text to read.

use keyfold_client::FoundItem;
use keyfold_client::arguments::Values;
use keyfold_model::value;
use keyfold_types::Value;

/// The most characters of a value that are shown whole.
const CHARS_MAX: usize = 160;
/// The characters at the beginning and at the end of a value that is cut.
const CHARS_OF_END: usize = 24;

/// A value, cut where it is long.
pub(crate) fn value(held: &Value) -> String {
    cut(value::display(held))
}

/// Values with their names, a blank before each.
pub(crate) fn values(all: &Values) -> String {
    let one = |(name, held): (&String, &Value)| format!(" {name}={}", value(held));
    all.iter().map(one).collect()
}

/// An item that was found.
pub(crate) fn item(item: &FoundItem) -> String {
    let one = |(name, held): &(String, Value)| format!(" {name}={}", value(held));
    let attributes: String = item.attributes.iter().map(one).collect();
    format!("{}{attributes}", item.kind)
}

/// Items that were found, of which some may be absent.
pub(crate) fn items(all: &[Option<FoundItem>]) -> String {
    let one = |found: &Option<FoundItem>| found.as_ref().map_or("nothing".to_owned(), item);
    let all: Vec<String> = all.iter().map(one).collect();
    format!("[{}]", all.join("; "))
}

fn cut(text: String) -> String {
    let length = text.chars().count();
    if length <= CHARS_MAX {
        return text;
    }
    let start: String = text.chars().take(CHARS_OF_END).collect();
    let end: String = text.chars().skip(length - CHARS_OF_END).collect();
    format!("{start}…{end} ({} bytes)", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_and_its_length_is_shown() {
        let short = "a".repeat(CHARS_MAX);
        assert_eq!(value(&Value::S(short.clone())), short);
        let long = format!("{}é", "b".repeat(2046));
        let (start, end) = ("b".repeat(CHARS_OF_END), "b".repeat(CHARS_OF_END - 1));
        let shown = format!("{start}…{end}é (2048 bytes)");
        assert_eq!(value(&Value::S(long)), shown);
    }
}

//! The items of an Ion stream.

use super::binary;
use super::decode::named_item;
use super::limits::BINARY_BYTES_MAX;
use super::scanner::Scanner;
use crate::source::Source;
use ion_rs::Element;
use keyfold_types::Item;

/// The annotation of a text's symbol table.
const SYMBOLS: &[u8] = b"$ion_symbol_table";

/// The items of a text or binary stream, one after another. A value that is no item is an error for
/// people. A text is cut into its values first, and each is measured before it is parsed.
pub(crate) struct Values {
    source: Source,
    state: Stream,
    /// The symbol table of a text, which belongs to all later values.
    symbols: Vec<u8>,
}

enum Stream {
    Unknown,
    Text,
    Binary(std::vec::IntoIter<Result<Item, String>>),
}

impl Values {
    pub(crate) fn new(source: Source) -> Values {
        Values {
            source,
            state: Stream::Unknown,
            symbols: Vec::new(),
        }
    }

    pub(crate) fn source(&mut self) -> &mut Source {
        &mut self.source
    }

    /// Reads the next item; `None` at the end.
    pub(crate) fn next_item(&mut self) -> Option<Result<Item, String>> {
        if let Stream::Unknown = self.state {
            self.state = if self.source.ahead().starts_with(&binary::MARKER) {
                Stream::Binary(self.read_binary().into_iter())
            } else {
                Stream::Text
            };
        }
        match &mut self.state {
            Stream::Binary(items) => items.next(),
            Stream::Unknown | Stream::Text => self.next_of_text(),
        }
    }

    fn next_of_text(&mut self) -> Option<Result<Item, String>> {
        loop {
            let scanner = self.scan_value();
            let value = scanner.value.trim_ascii();
            if let Some(fault) = scanner.fault {
                return Some(Err(fault.to_owned()));
            }
            if value.is_empty() {
                return None;
            }
            let document = [self.symbols.as_slice(), value].concat();
            match Element::read_all(document) {
                Err(error) => return Some(Err(format!("the file is no Ion: {error}"))),
                // A symbol table or a version marker.
                Ok(elements) if elements.is_empty() => {
                    if value.windows(SYMBOLS.len()).any(|part| part == SYMBOLS) {
                        self.symbols = [value, b"\n"].concat();
                    }
                }
                Ok(elements) => return elements.iter().last().map(named_item),
            }
        }
    }

    /// Reads up to the end of a value.
    fn scan_value(&mut self) -> Scanner {
        let mut scanner = Scanner::default();
        loop {
            let ahead = self.source.ahead();
            if ahead.is_empty() {
                return scanner;
            }
            let (count, is_over) = scanner.scan(ahead);
            self.source.take(count);
            if is_over {
                return scanner;
            }
        }
    }

    /// Reads all items of a binary object.
    fn read_binary(&mut self) -> Vec<Result<Item, String>> {
        let mut bytes = Vec::new();
        loop {
            let ahead = self.source.ahead();
            let count = ahead.len();
            if count == 0 {
                break;
            }
            bytes.extend_from_slice(ahead);
            self.source.take(count);
            if bytes.len() > BINARY_BYTES_MAX {
                return vec![Err(format!(
                    "a binary object has more than {BINARY_BYTES_MAX} bytes"
                ))];
            }
        }
        if let Err(fault) = binary::measure(&bytes) {
            return vec![Err(fault.to_owned())];
        }
        match Element::read_all(bytes) {
            Err(error) => vec![Err(format!("the file is no Ion: {error}"))],
            Ok(elements) => elements.iter().map(named_item).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::{NUMBER_TOO_LONG, TOO_DEEP, TOO_LONG};
    use super::*;
    use crate::source::VALUE_BYTES_MAX;
    use keyfold_types::Value;

    fn read(bytes: &[u8]) -> Vec<Result<Item, String>> {
        let mut values = Values::new(Source::new(Box::new(std::io::Cursor::new(bytes.to_vec()))));
        std::iter::from_fn(|| values.next_item()).collect()
    }

    fn binary_of(text: &str) -> Vec<u8> {
        let element = Element::read_one(text).unwrap();
        let bytes: Vec<u8> = element.encode_as(ion_rs::v1_0::Binary).unwrap();
        bytes
    }

    #[test]
    fn values_are_found_whatever_their_strings_hold() {
        let text = r#"$ion_1_0 {Item:{p:"a}\"{",'q}':"x",l:[1,{m:(b)}],b:{{aGVsbG8=}}}} // {
            /* } */ {Item:{p:'''long } 'text' '''}}
            $ion_1_0 {Item:{n:-1.50}}"#;
        let items: Vec<Item> = read(text.as_bytes())
            .into_iter()
            .map(|item| item.unwrap())
            .collect();
        assert_eq!(items.len(), 3, "{items:?}");
        assert_eq!(items[0].get("p"), Some(&Value::from("a}\"{")));
        assert_eq!(items[1].get("p"), Some(&Value::from("long } 'text' ")));
        assert_eq!(items[2].get("n"), Some(&Value::n("-1.5").unwrap()));
    }

    /// The texts of the attribute `p` of all items.
    fn texts(text: &str) -> Vec<String> {
        let items = read(text.as_bytes()).into_iter().map(Result::unwrap);
        items
            .map(|item| match item.get("p") {
                Some(Value::S(text)) => text.clone(),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// A mark's bytes belong to no other mark: the star of `/*` is not the star of `*/`.
    #[test]
    fn values_are_found_whatever_marks_stand_side_by_side() {
        for between in [
            "",
            "/**/",
            "/*/ { */",
            "/*/{*//*{*/",
            "/***/",
            "/* *//* { */",
            "//*\n",
            "/*//*/",
            "// /*\n",
            "/*'*/",
            "/*\"*/ // '''\n",
        ] {
            let items = ["a", "b", "c"].map(|text| format!("{{Item:{{p:\"{text}\"}}}} {between}"));
            assert_eq!(texts(&items.concat()), ["a", "b", "c"], "{between}");
        }
    }

    #[test]
    fn values_are_found_whatever_their_quotes() {
        for (quoted, expected) in [
            ("''''''", ""),
            ("''''a'''", "'a"),
            ("'''a''b'''", "a''b"),
            ("'''a''' '''}'''", "a}"),
            ("'''a''''''}'''", "a}"),
            ("'''\\''''", "'"),
            ("\"'\"", "'"),
            ("\"\\\\\"", "\\"),
            ("\"$ion_symbol_table\"", "$ion_symbol_table"),
        ] {
            let text = format!("{{Item:{{p:{quoted}}}}} {{Item:{{'p':\"}}\",'':\"{{\"}}}}");
            assert_eq!(texts(&text), [expected, "}"], "{quoted}");
        }
    }

    #[test]
    fn the_text_of_a_clob_does_not_end_it() {
        for clob in ["{{\"}}\"}}", "{{'''}}''' '''\"'''}}", "{{ \"\\\"}}\" }}"] {
            let rows = read(format!("{{Item:{{c:{clob}}}}} {{Item:{{p:\"b\"}}}}").as_bytes());
            let are_items: Vec<bool> = rows.iter().map(Result::is_ok).collect();
            assert_eq!(are_items, [true, true], "{clob}");
        }
    }

    #[test]
    fn symbols_of_a_table_are_known_to_all_later_values() {
        let table = r#"$ion_symbol_table::{symbols:["Item","p"]}"#;
        let text = format!(r#"$ion_1_0 {table} {{$10:{{$11:"a"}}}} {{$10:{{$11:"b"}}}}"#);
        assert_eq!(texts(&text), ["a", "b"]);
    }

    #[test]
    fn too_deep_or_too_long_values_are_refused_and_later_ones_are_read() {
        let deep =
            |count: usize| format!("{{Item:{{p:{}1{}}}}}", "[".repeat(count), "]".repeat(count));
        let long = format!("{{Item:{{p:{}}}}}", "1".repeat(100_000));
        let huge = format!("{{Item:{{p:\"{}\"}}}}", "x".repeat(VALUE_BYTES_MAX));
        let text = [&deep(1_500), &long, &huge, &deep(20)]
            .map(String::as_str)
            .join("\n");
        let rows = read(text.as_bytes());
        let outcomes: Vec<String> = rows
            .iter()
            .map(|row| row.clone().map_or_else(|fault| fault, |_| "item".into()))
            .collect();
        assert_eq!(outcomes, [TOO_DEEP, NUMBER_TOO_LONG, TOO_LONG, "item"]);
        assert_eq!(read(&binary_of(&deep(20))).len(), 1);
        assert!(read(&binary_of(&deep(20)))[0].is_ok());
        for hostile in [deep(60), long] {
            assert!(read(&binary_of(&hostile))[0].is_err());
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end() {
        let mut random = 7u64;
        let valid = binary_of("{Item:{p:\"a\",l:[1,2,{m:3}],n:12345678901234567890}}");
        for _ in 0..20_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut changed = valid.clone();
            let at = 4 + (random >> 33) as usize % (valid.len() - 4);
            changed[at] = (random >> 20) as u8;
            read(&changed);
            let text: Vec<u8> = random
                .to_le_bytes()
                .iter()
                .map(|byte| b"{}[]()'\"\\/*a1"[*byte as usize % 13])
                .collect();
            read(&text.repeat(3));
        }
    }
}

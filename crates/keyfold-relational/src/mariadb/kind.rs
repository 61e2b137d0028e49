//! The types of columns, as MariaDB's catalog writes them.

/// A column's type: its name, what stands in its parentheses, and for texts how they are written and compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    /// `bigint`, `varchar`.
    pub(super) base: String,
    /// `20` of `varchar(20)`, `10,2` of `decimal(10,2)`, `'a','b'` of an enum.
    pub(super) inside: String,
    pub(super) is_unsigned: bool,
    pub(super) charset: String,
    pub(super) collation: String,
}

/// The text of a type, with the character set and the collation of a column of texts.
pub(super) fn written(kind: &str, charset: &str, collation: &str) -> String {
    match charset.is_empty() {
        true => kind.to_owned(),
        false => format!("{kind} character set {charset} collate {collation}"),
    }
}

impl Kind {
    /// The type of a text that [`written`] made.
    pub(super) fn of(text: &str) -> Kind {
        let (text, collation) = text.rsplit_once(" collate ").unwrap_or((text, ""));
        let (text, charset) = text.rsplit_once(" character set ").unwrap_or((text, ""));
        let end = text.find(['(', ' ']).unwrap_or(text.len());
        let (base, rest) = text.split_at(end);
        let inside = rest
            .strip_prefix('(')
            .and_then(|rest| rest.rsplit_once(')'));
        let (inside, behind) = inside.unwrap_or(("", rest));
        Kind {
            base: base.to_ascii_lowercase(),
            inside: inside.to_owned(),
            is_unsigned: behind.contains("unsigned"),
            charset: charset.to_owned(),
            collation: collation.to_owned(),
        }
    }

    /// The number in the parentheses; 0 if there is none.
    pub(super) fn size(&self) -> usize {
        self.inside.parse().unwrap_or(0)
    }

    pub(super) fn is_text(&self) -> bool {
        let texts = [
            "char",
            "varchar",
            "tinytext",
            "text",
            "mediumtext",
            "longtext",
            "enum",
            "set",
        ];
        texts.contains(&self.base.as_str())
    }

    /// Whether its values are words that are sorted by their numbers, and compared with texts as texts.
    pub(super) fn is_sorted_by_number(&self) -> bool {
        matches!(self.base.as_str(), "enum" | "set")
    }

    pub(super) fn is_binary(&self) -> bool {
        self.base.ends_with("binary") || self.base.ends_with("blob")
    }

    /// Whether its values are numbers, or compared as such.
    pub(super) fn is_number(&self) -> bool {
        let numbers = ["decimal", "double", "float", "bit", "year", "boolean"];
        self.base.ends_with("int") || numbers.contains(&self.base.as_str())
    }

    /// The values of an enum.
    pub(super) fn labels(&self) -> Vec<String> {
        let mut labels = Vec::new();
        let mut rest = self.inside.chars().peekable();
        while rest.next() == Some('\'') {
            let mut label = String::new();
            while let Some(letter) = rest.next() {
                match letter {
                    '\'' if rest.peek() == Some(&'\'') => {
                        rest.next();
                        label.push('\'');
                    }
                    '\'' => break,
                    letter => label.push(letter),
                }
            }
            labels.push(label);
            // The comma.
            rest.next();
        }
        labels
    }

    /// Why rows cannot be told by a column of this type.
    pub(super) fn untold(&self) -> Option<&'static str> {
        const TOLD: [&str; 28] = [
            "tinyint",
            "smallint",
            "mediumint",
            "int",
            "bigint",
            "decimal",
            "double",
            "bit",
            "year",
            "date",
            "datetime",
            "timestamp",
            "time",
            "char",
            "varchar",
            "tinytext",
            "text",
            "mediumtext",
            "longtext",
            "binary",
            "varbinary",
            "tinyblob",
            "blob",
            "mediumblob",
            "longblob",
            "enum",
            "uuid",
            "boolean",
        ];
        match self.base.as_str() {
            "float" => Some("is a FLOAT, which is not found again by the value that is read"),
            // The library that reads the log takes those below zero for others.
            "time" if matches!(self.size(), 1 | 2) => Some(
                "is a TIME of one or two digits behind the second, which is not read from the log",
            ),
            base if TOLD.contains(&base) => None,
            _ => Some("is of a type by which rows are not found again"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_taken_apart() {
        let kind = Kind::of("bigint(20) unsigned");
        assert_eq!(
            (kind.base.as_str(), kind.size(), kind.is_unsigned),
            ("bigint", 20, true)
        );
        let text = written("varchar(9)", "latin1", "latin1_swedish_ci");
        let kind = Kind::of(&text);
        assert_eq!((kind.base.as_str(), kind.size()), ("varchar", 9));
        assert_eq!(
            (kind.charset.as_str(), kind.collation.as_str()),
            ("latin1", "latin1_swedish_ci")
        );
        let kind = Kind::of("enum('a','b''c','d,)') character set utf8mb4 collate utf8mb4_bin");
        assert_eq!(kind.labels(), ["a", "b'c", "d,)"]);
        assert_eq!(Kind::of("date").base, "date");
    }
}

//! Statements in the log: those that change tables, and those that change rows without telling which.

use super::table::Table;

/// A piece of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// A word, as it is written.
    Word(String),
    /// A name in quotes.
    Name(String),
    Sign(char),
}

impl Piece {
    fn is(&self, word: &str) -> bool {
        matches!(self, Piece::Word(text) if text.eq_ignore_ascii_case(word))
    }

    fn name(&self) -> Option<&str> {
        match self {
            Piece::Word(text) | Piece::Name(text) => Some(text),
            Piece::Sign(_) => None,
        }
    }
}

/// The pieces of a statement. Texts and comments are left out; what stands in `/*! */` is carried out, and is not.
fn pieces(sql: &str) -> Vec<Piece> {
    let letters: Vec<char> = sql.chars().collect();
    let at = |place: usize| letters.get(place).copied().unwrap_or('\0');
    let is_inside = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (mut pieces, mut place) = (Vec::new(), 0);
    while place < letters.len() {
        let first = at(place);
        match (first, at(place + 1)) {
            ('/', '*') if matches!(at(place + 2), '!' | 'M') => {
                place += 3;
                while at(place) == '!' || at(place).is_ascii_digit() {
                    place += 1;
                }
            }
            ('*', '/') => place += 2,
            ('/', '*') => {
                while place < letters.len() && (at(place), at(place + 1)) != ('*', '/') {
                    place += 1;
                }
                place += 2;
            }
            ('#', _) | ('-', '-') => {
                while place < letters.len() && at(place) != '\n' {
                    place += 1;
                }
            }
            ('\'' | '"' | '`', _) => {
                let (text, end) = quoted(&letters, place);
                place = end;
                if first != '\'' {
                    pieces.push(Piece::Name(text));
                }
            }
            (c, _) if is_inside(c) => {
                let start = place;
                while is_inside(at(place)) {
                    place += 1;
                }
                let word = letters.get(start..place).unwrap_or_default();
                pieces.push(Piece::Word(word.iter().collect()));
            }
            (c, _) => {
                if !c.is_whitespace() {
                    pieces.push(Piece::Sign(c));
                }
                place += 1;
            }
        }
    }
    pieces
}

/// What stands in quotes from a place on, and the place behind it.
fn quoted(letters: &[char], start: usize) -> (String, usize) {
    let at = |place: usize| letters.get(place).copied().unwrap_or('\0');
    let quote = at(start);
    let (mut text, mut place) = (String::new(), start + 1);
    while place < letters.len() {
        match at(place) {
            '\\' if quote != '`' => {
                text.push(at(place + 1));
                place += 2;
            }
            letter if letter == quote && at(place + 1) == quote => {
                text.push(quote);
                place += 2;
            }
            letter if letter == quote => break,
            letter => {
                text.push(letter);
                place += 1;
            }
        }
    }
    (text, place + 1)
}

/// Whether pieces name a table, with its database or in it.
fn mentions(pieces: &[Piece], table: &Table, schema: &str) -> bool {
    let mut places = pieces.iter().enumerate();
    places.any(|(at, piece)| {
        let Some(name) = piece.name() else {
            return false;
        };
        let is_qualified = at >= 2 && pieces.get(at - 1) == Some(&Piece::Sign('.'));
        let of = match is_qualified {
            true => pieces.get(at - 2).and_then(Piece::name),
            false => Some(schema),
        };
        of.is_some_and(|of| table.is(of, name))
    })
}

/// Whether what follows the name in ALTER TABLE changes rows or what they are: more is added, and an index may
/// go, without harm.
fn alters_rows(pieces: &[Piece]) -> bool {
    const HARM: [&str; 8] = [
        "modify", "change", "convert", "exchange", "truncate", "discard", "import", "cascade",
    ];
    const MAY_GO: [&str; 7] = [
        "index",
        "key",
        "constraint",
        "foreign",
        "primary",
        "check",
        "default",
    ];
    let mut places = pieces.iter().enumerate();
    places.any(|(at, piece)| {
        let next_is = |words: &[&str]| {
            let next = pieces.get(at + 1);
            next.is_some_and(|next| words.iter().any(|word| next.is(word)))
        };
        HARM.iter().any(|word| piece.is(word))
            || (piece.is("drop") && !next_is(&MAY_GO))
            || (piece.is("rename") && !next_is(&["index", "key"]))
            || (piece.is("set") && next_is(&["null"]))
    })
}

/// Whether a statement of the log, carried out in a database, makes what the log told of a table wrong.
pub(super) fn harms(sql: &str, schema: &str, table: &Table) -> bool {
    let pieces = pieces(sql);
    let word = |at: usize| match pieces.get(at) {
        Some(Piece::Word(text)) => text.to_ascii_lowercase(),
        Some(Piece::Name(_) | Piece::Sign(_)) | None => String::new(),
    };
    let has = |one: &str| pieces.iter().any(|piece| piece.is(one));
    let is_mentioned = || mentions(&pieces, table, schema);
    match word(0).as_str() {
        "insert" | "update" | "delete" | "replace" | "load" | "with" | "truncate" => is_mentioned(),
        "rename" => word(1).starts_with("table") && is_mentioned(),
        "drop" if matches!(word(1).as_str(), "database" | "schema") => {
            let mut names = pieces.iter().filter_map(Piece::name);
            names.any(|name| table.is(name, &table.name))
        }
        "drop" => word(1).starts_with("table") && is_mentioned(),
        "create" => {
            let head = pieces.iter().position(|piece| piece.is("table"));
            let head = head.filter(|at| *at <= 3 && !has("temporary") && !has("if"));
            let named = head.and_then(|at| pieces.get(at + 1..(at + 4).min(pieces.len())));
            named.is_some_and(|named| mentions(named_only(named), table, schema))
        }
        "alter" => {
            let head = pieces.iter().position(|piece| piece.is("table"));
            let behind = head.and_then(|at| pieces.get(at + 1..)).unwrap_or_default();
            let behind = match behind.first().is_some_and(|first| first.is("if")) {
                true => behind.get(2..).unwrap_or_default(),
                false => behind,
            };
            let named = named_only(behind);
            mentions(named, table, schema)
                && alters_rows(behind.get(named.len()..).unwrap_or_default())
        }
        _ => false,
    }
}

/// The name at the beginning of pieces, with its database.
fn named_only(pieces: &[Piece]) -> &[Piece] {
    let count = match pieces.get(1) == Some(&Piece::Sign('.')) {
        true => 3,
        false => 1,
    };
    pieces.get(..count.min(pieces.len())).unwrap_or_default()
}

/// What a foreign key does to rows when those change that they refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) key: String,
    /// The table that the rows refer to.
    pub(super) other: String,
    /// `ON DELETE CASCADE`.
    pub(super) rule: String,
}

/// The foreign keys of a statement of SHOW CREATE TABLE that change rows.
pub(super) fn actions(sql: &str) -> Vec<Action> {
    let pieces = pieces(sql);
    let is_at = |at: usize, word: &str| pieces.get(at).is_some_and(|piece| piece.is(word));
    let name_at = |at: usize| pieces.get(at).and_then(Piece::name);
    let (mut key, mut other) = (String::new(), String::new());
    let mut actions: Vec<Action> = Vec::new();
    for at in 0..pieces.len() {
        if is_at(at, "constraint") {
            key = name_at(at + 1).unwrap_or_default().to_owned();
        } else if is_at(at, "references") {
            let behind = pieces.get(at + 1..).unwrap_or_default();
            let last = named_only(behind).last().and_then(Piece::name);
            other = last.unwrap_or_default().to_owned();
        } else if is_at(at, "on") && (is_at(at + 1, "delete") || is_at(at + 1, "update")) {
            let rule = match (is_at(at + 2, "cascade"), is_at(at + 2, "set")) {
                (true, _) => "CASCADE".to_owned(),
                (false, true) => format!("SET {}", name_at(at + 3).unwrap_or_default()),
                (false, false) => continue,
            };
            let event = name_at(at + 1).unwrap_or_default();
            if actions.last().is_none_or(|last| last.key != key) {
                actions.push(Action {
                    key: key.clone(),
                    other: other.clone(),
                    rule: format!("ON {event} {rule}"),
                });
            }
        }
    }
    actions
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForeignKey {
    pub(super) columns: Vec<String>,
    /// The database of the table that the rows refer to, if it is another one.
    pub(super) schema: Option<String>,
    pub(super) other: String,
    pub(super) to: Vec<String>,
    /// Whether rows go with the row that they refer to.
    pub(super) cascades: bool,
}

/// The foreign keys of a statement of SHOW CREATE TABLE.
pub(super) fn foreign_keys(sql: &str) -> Vec<ForeignKey> {
    let pieces = pieces(sql);
    let is_at = |at: usize, word: &str| pieces.get(at).is_some_and(|piece| piece.is(word));
    let mut keys = Vec::new();
    for at in 0..pieces.len() {
        if is_at(at, "foreign") && is_at(at + 1, "key") {
            keys.extend(foreign_key(pieces.get(at + 2..).unwrap_or_default()));
        }
    }
    keys
}

/// The foreign key whose columns, table and rules stand at the beginning of pieces.
fn foreign_key(pieces: &[Piece]) -> Option<ForeignKey> {
    let references = pieces.iter().position(|piece| piece.is("references"))?;
    let (own, behind) = (pieces.get(..references)?, pieces.get(references + 1..)?);
    let named = named_only(behind);
    let rest = behind.get(named.len()..)?;
    let end = rest.iter().position(|one| *one == Piece::Sign(')'))?;
    let (to, rules) = (rest.get(..end)?, rest.get(end..)?);
    let rules = rules.iter().take_while(|one| **one != Piece::Sign(','));
    let rules: Vec<&Piece> = rules.collect();
    let is_cascade = |words: &[&Piece]| {
        let due = ["on", "delete", "cascade"];
        words.iter().zip(due).all(|(piece, word)| piece.is(word))
    };
    let schema = named.first().filter(|_| named.len() > 1);
    Some(ForeignKey {
        columns: names(own),
        schema: schema.and_then(Piece::name).map(str::to_owned),
        other: named.last()?.name()?.to_owned(),
        to: names(to),
        cascades: rules.windows(3).any(is_cascade),
    })
}

/// The names in parentheses.
fn names(pieces: &[Piece]) -> Vec<String> {
    let behind = pieces.iter().skip_while(|one| **one != Piece::Sign('('));
    let names = behind.filter_map(Piece::name);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_keys_are_read() {
        let sql = "CREATE TABLE `t` (\n `a` int, `b` int,\n CONSTRAINT `x` FOREIGN KEY (`a`, `b`) REFERENCES `p` (`id`, `on`) ON \
                   DELETE CASCADE,\n CONSTRAINT `y` FOREIGN KEY (`b`) REFERENCES `e`.`q` (`id`) ON DELETE SET NULL ON UPDATE \
                   CASCADE\n) ENGINE=InnoDB";
        let found: Vec<String> = foreign_keys(sql)
            .into_iter()
            .map(|one| {
                let schema = one.schema.unwrap_or_default();
                format!(
                    "{:?} {schema}.{} {:?} {}",
                    one.columns, one.other, one.to, one.cascades
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                r#"["a", "b"] .p ["id", "on"] true"#,
                r#"["b"] e.q ["id"] false"#
            ]
        );
    }

    #[test]
    fn the_actions_of_foreign_keys_are_found() {
        let sql = "CREATE TABLE `t` (\n `on` int COMMENT 'ON DELETE CASCADE',\n `at` timestamp ON UPDATE \
                   current_timestamp(),\n CONSTRAINT `a` FOREIGN KEY (`on`) REFERENCES `p` (`id`),\n CONSTRAINT `b` \
                   FOREIGN KEY (`on`) REFERENCES `e`.`q` (`id`) ON DELETE SET NULL ON UPDATE CASCADE,\n CONSTRAINT `c` \
                   FOREIGN KEY (`on`) REFERENCES `r` (`id`) ON DELETE NO ACTION ON UPDATE CASCADE\n) ENGINE=InnoDB";
        let found = actions(sql);
        let found: Vec<[&str; 3]> = found
            .iter()
            .map(|one| [one.key.as_str(), one.other.as_str(), one.rule.as_str()])
            .collect();
        assert_eq!(
            found,
            [
                ["b", "q", "ON DELETE SET NULL"],
                ["c", "r", "ON UPDATE CASCADE"]
            ]
        );
    }

    fn is_harm(sql: &str) -> bool {
        let table = Table {
            schema: "d".to_owned(),
            name: "t".to_owned(),
            columns: Vec::new(),
            is_exact: true,
        };
        harms(sql, "d", &table)
    }

    #[test]
    fn what_changes_rows_without_a_word_is_harm() {
        for sql in [
            "TRUNCATE t",
            "truncate table `d`.`t`",
            "DROP TABLE IF EXISTS `x`,`t` /* generated by server */",
            "DROP DATABASE d",
            "drop schema if exists `d`",
            "RENAME TABLE a TO b, t TO c",
            "CREATE OR REPLACE TABLE t (id int)",
            "CREATE TABLE d.t (id int)",
            "ALTER TABLE t MODIFY v int",
            "ALTER ONLINE TABLE `d`.t DROP v",
            "ALTER TABLE t DROP COLUMN v, ADD v int",
            "ALTER TABLE IF EXISTS t RENAME TO x",
            "ALTER TABLE t RENAME COLUMN v TO w",
            "ALTER TABLE t DROP PARTITION p",
            "ALTER TABLE t ADD FOREIGN KEY (v) REFERENCES x (id) ON DELETE SET NULL",
            "ALTER TABLE t CONVERT TO CHARACTER SET latin1",
            "/* 'it' */ DELETE FROM t",
            "UPDATE x JOIN t USING (id) SET x.v = 1",
            "INSERT INTO `t` VALUES (1)",
        ] {
            assert!(is_harm(sql), "{sql}");
        }
    }

    #[test]
    fn everything_else_is_none() {
        for sql in [
            "BEGIN",
            "ALTER TABLE t ADD w int DEFAULT 5",
            "ALTER TABLE t ADD COLUMN w int AFTER id, ADD INDEX (w)",
            "ALTER TABLE t DROP INDEX i, DROP FOREIGN KEY f, ALTER v DROP DEFAULT",
            "ALTER TABLE t COMMENT 'drop v'",
            "ALTER TABLE x DROP t",
            "ALTER TABLE e.t DROP v",
            "CREATE INDEX i ON t (v)",
            "DROP INDEX i ON t",
            "DROP TEMPORARY TABLE t",
            "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `t`",
            "CREATE TEMPORARY TABLE t (id int)",
            "CREATE TABLE IF NOT EXISTS t (id int)",
            "CREATE TABLE x LIKE t",
            "TRUNCATE e.t",
            "DROP TABLE x -- t",
            "DROP DATABASE e",
            "INSERT INTO x VALUES ('t')",
            "FLUSH TABLES",
        ] {
            assert!(!is_harm(sql), "{sql}");
        }
    }
}

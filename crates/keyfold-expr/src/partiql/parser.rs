//! Tokens to a statement, by recursive descent with a bounded depth.

use super::lexer::{self, Token};
use super::{PartiqlError, Returning, Select, Statement};
use crate::ast::Sign;
use crate::path::{Path, PathPart, PathTree};
use crate::placeholder::Literal;
use crate::update::{Term, Update};
use keyfold_types::limits::{LIST_INDEX_MAX, PATH_DEPTH_MAX, STATEMENT_CHARS_MAX};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Groups and values inside each other that are still read.
const DEPTH_MAX: usize = 64;

/// Words that are no names unless they stand between double quotes.
const KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "DELETE",
    "DESC",
    "DISTINCT",
    "EXISTS",
    "FALSE",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INSERT",
    "INTO",
    "IS",
    "JOIN",
    "LIKE",
    "LIMIT",
    "MISSING",
    "NOT",
    "NULL",
    "OFFSET",
    "OR",
    "ORDER",
    "REMOVE",
    "RETURNING",
    "SELECT",
    "SET",
    "SIZE",
    "TRUE",
    "UNION",
    "UPDATE",
    "VALUE",
    "VALUES",
    "WHERE",
];

pub(super) type Parsed<T> = Result<T, PartiqlError>;

pub(super) struct Parser<'p> {
    tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) parameters: &'p [Value],
    pub(super) used: usize,
    depth: usize,
}

pub(super) fn parse(text: &str, parameters: &[Value]) -> Parsed<Statement> {
    // Before anything is made of it.
    if text.len() > STATEMENT_CHARS_MAX * 4 || text.chars().count() > STATEMENT_CHARS_MAX {
        return Err(PartiqlError::TooLong);
    }
    let tokens = lexer::tokens(text)?;
    let marks = tokens
        .iter()
        .filter(|token| **token == Token::Parameter)
        .count();
    if marks != parameters.len() {
        return Err(PartiqlError::Parameters);
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        parameters,
        used: 0,
        depth: 0,
    };
    let statement = parser.statement()?;
    parser.take_sign(";");
    if *parser.peek() != Token::End {
        return Err(parser.unexpected());
    }
    Ok(statement)
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    pub(super) fn peek_second(&self) -> &Token {
        self.tokens.get(self.at + 1).unwrap_or(&Token::End)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub(super) fn unexpected(&self) -> PartiqlError {
        let what = match self.peek() {
            Token::Word(word) if is_keyword(word) => "Unexpected keyword".to_owned(),
            Token::Word(text) | Token::Name(text) => format!("Unexpected term '{text}'"),
            Token::Text(text) => format!("Unexpected literal '{text}'"),
            Token::Number(text) => format!("Unexpected literal {text}"),
            Token::Sign(sign) => format!("Unexpected token '{sign}'"),
            Token::Parameter => "Unexpected parameter".to_owned(),
            Token::End => "Unexpected end of statement".to_owned(),
        };
        PartiqlError::Syntax(what)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Runs `read` one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH_MAX {
            return Err(too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        if self.take_word("SELECT") {
            return self.select().map(Statement::Select);
        }
        if self.take_word("INSERT") {
            return self.insert();
        }
        if self.take_word("UPDATE") {
            return self.update();
        }
        if self.take_word("DELETE") {
            return self.delete();
        }
        if self.take_word("EXISTS") {
            self.expect_sign("(")?;
            self.expect_word("SELECT")?;
            let select = self.select()?;
            self.expect_sign(")")?;
            return Ok(Statement::Exists(select));
        }
        Err(PartiqlError::Syntax(
            "Expected data manipulation".to_owned(),
        ))
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.advance();
                Ok(name)
            }
            Token::Word(word) if !is_keyword(&word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn select(&mut self) -> Parsed<Select> {
        let columns = if self.take_sign("*") {
            None
        } else {
            let mut columns = vec![self.path()?];
            while self.take_sign(",") {
                columns.push(self.path()?);
            }
            Some(distinct(columns)?)
        };
        self.expect_word("FROM")?;
        let table = self.name()?;
        let index = if self.take_sign(".") {
            Some(self.name()?)
        } else {
            None
        };
        if self.is_word("JOIN") || matches!(self.peek(), Token::Sign(",")) {
            return Err(PartiqlError::Unsupported(
                "Joins are not supported.".to_owned(),
            ));
        }
        let condition = if self.take_word("WHERE") {
            Some(self.condition()?)
        } else {
            None
        };
        let mut order = Vec::new();
        if self.take_word("ORDER") {
            self.expect_word("BY")?;
            loop {
                let name = self.name()?;
                let descending = self.take_word("DESC");
                if !descending {
                    self.take_word("ASC");
                }
                order.push((name, descending));
                if !self.take_sign(",") {
                    break;
                }
            }
        }
        for clause in ["GROUP", "HAVING", "LIMIT", "OFFSET"] {
            if self.is_word(clause) {
                return Err(PartiqlError::Unsupported(format!(
                    "{clause} is not supported."
                )));
            }
        }
        Ok(Select {
            columns,
            table,
            index,
            condition,
            order,
        })
    }

    fn insert(&mut self) -> Parsed<Statement> {
        self.expect_word("INTO")?;
        let table = self.name()?;
        if matches!(self.peek(), Token::Sign("-")) {
            return Err(PartiqlError::Syntax(
                "Expected data manipulation".to_owned(),
            ));
        }
        if !self.take_word("VALUE") {
            return Err(PartiqlError::Syntax("Unexpected keyword".to_owned()));
        }
        if matches!(self.peek(), Token::Sign("<<")) {
            return Err(PartiqlError::Unsupported(
                "Inserting multiple items in a single statement is not supported, use \"INSERT INTO tableName VALUE item\" instead"
                    .to_owned(),
            ));
        }
        match self.value()? {
            Value::M(map) => Ok(Statement::Insert {
                table,
                item: Item::from(map),
            }),
            _ => Err(PartiqlError::Syntax(
                "the value of an INSERT must be a map".to_owned(),
            )),
        }
    }

    fn update(&mut self) -> Parsed<Statement> {
        let table = self.name()?;
        if matches!(self.peek(), Token::Sign("-")) {
            return Err(PartiqlError::Syntax(
                "Expected data manipulation".to_owned(),
            ));
        }
        let mut parts = UpdateParts::default();
        loop {
            if self.take_word("SET") {
                self.assignment(&mut parts)?;
                while self.take_sign(",") {
                    self.assignment(&mut parts)?;
                }
            } else if self.take_word("REMOVE") {
                parts.remove.push(self.path()?);
                while self.take_sign(",") {
                    parts.remove.push(self.path()?);
                }
            } else {
                break;
            }
        }
        if parts.is_empty() {
            return Err(self.unexpected());
        }
        self.expect_word("WHERE")?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        let update = parts.finish()?;
        Ok(Statement::Update {
            table,
            update,
            condition,
            returning,
        })
    }

    fn assignment(&mut self, parts: &mut UpdateParts) -> Parsed<()> {
        let path = self.path()?;
        self.expect_sign("=")?;
        for (function, is_add) in [("set_add", true), ("set_delete", false)] {
            if self.is_word(function) && *self.peek_second() == Token::Sign("(") {
                self.at += 2;
                if self.path()? != path {
                    return Err(PartiqlError::Unsupported(format!(
                        "The first argument of {function} must be the attribute that is set."
                    )));
                }
                self.expect_sign(",")?;
                let members = self.value()?;
                if !members.kind().is_set() {
                    return Err(PartiqlError::Syntax(format!(
                        "the second argument of {function} must be a set"
                    )));
                }
                self.expect_sign(")")?;
                let members = Literal::new(members);
                if is_add {
                    &mut parts.add
                } else {
                    &mut parts.delete
                }
                .push((path, members));
                return Ok(());
            }
        }
        let term = self.term()?;
        parts.set.push((path, term));
        Ok(())
    }

    fn term(&mut self) -> Parsed<Term> {
        let mut left = self.single_term()?;
        let mut terms = 0;
        loop {
            let sign = match self.peek() {
                Token::Sign("+") => Sign::Plus,
                Token::Sign("-") => Sign::Minus,
                _ => return Ok(left),
            };
            self.advance();
            // Each is one level of the tree.
            terms += 1;
            if terms > DEPTH_MAX {
                return Err(too_deep());
            }
            let right = self.single_term()?;
            left = Term::Sum(Box::new(left), sign, Box::new(right));
        }
    }

    fn single_term(&mut self) -> Parsed<Term> {
        let is_call = *self.peek_second() == Token::Sign("(");
        if is_call && self.take_word("list_append") {
            return self.deeper(|parser| {
                parser.expect_sign("(")?;
                let first = parser.term()?;
                parser.expect_sign(",")?;
                let second = parser.term()?;
                parser.expect_sign(")")?;
                Ok(Term::ListAppend(Box::new(first), Box::new(second)))
            });
        }
        if is_call && self.take_word("if_not_exists") {
            return self.deeper(|parser| {
                parser.expect_sign("(")?;
                let path = parser.path()?;
                parser.expect_sign(",")?;
                let otherwise = parser.term()?;
                parser.expect_sign(")")?;
                Ok(Term::IfNotExists(path, Box::new(otherwise)))
            });
        }
        if self.is_path() {
            self.path().map(Term::Path)
        } else {
            self.value().map(|value| Term::Literal(Literal::new(value)))
        }
    }

    fn delete(&mut self) -> Parsed<Statement> {
        self.expect_word("FROM")?;
        let table = self.name()?;
        self.expect_word("WHERE")?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        if returning.is_some_and(|returning| returning != Returning::AllOld) {
            return Err(PartiqlError::Unsupported(
                "A DELETE can return ALL OLD * only.".to_owned(),
            ));
        }
        Ok(Statement::Delete {
            table,
            condition,
            returning,
        })
    }

    fn returning(&mut self) -> Parsed<Option<Returning>> {
        if !self.take_word("RETURNING") {
            return Ok(None);
        }
        let whole = self.take_word("ALL");
        if !whole {
            self.expect_word("MODIFIED")?;
        }
        let old = self.take_word("OLD");
        if !old {
            self.expect_word("NEW")?;
        }
        self.expect_sign("*")?;
        Ok(Some(match (whole, old) {
            (true, true) => Returning::AllOld,
            (true, false) => Returning::AllNew,
            (false, true) => Returning::ModifiedOld,
            (false, false) => Returning::ModifiedNew,
        }))
    }

    /// Whether a path is next, not a literal or a call.
    pub(super) fn is_path(&self) -> bool {
        match self.peek() {
            Token::Name(_) => true,
            Token::Word(word) => !is_keyword(word),
            Token::Text(_) | Token::Number(_) | Token::Sign(_) | Token::Parameter | Token::End => {
                false
            }
        }
    }

    pub(super) fn path(&mut self) -> Parsed<Path> {
        let mut parts = vec![PathPart::Name(self.name()?.into())];
        loop {
            if parts.len() > PATH_DEPTH_MAX {
                let levels = parts.len();
                return Err(PartiqlError::PathTooDeep { levels });
            }
            if self.take_sign(".") {
                let is_bare_keyword = matches!(self.peek(), Token::Word(word) if is_keyword(word));
                if is_bare_keyword {
                    return Err(PartiqlError::Syntax(
                        "Invalid path dot component".to_owned(),
                    ));
                }
                parts.push(PathPart::Name(self.name()?.into()));
            } else if self.take_sign("[") {
                match self.advance() {
                    Token::Number(digits) => {
                        let index = digits.parse().ok().filter(|index| *index <= LIST_INDEX_MAX);
                        let index = index.ok_or(PartiqlError::ListIndex(digits))?;
                        parts.push(PathPart::Index(index));
                    }
                    Token::Text(name) => parts.push(PathPart::Name(name.into())),
                    _ => return Err(PartiqlError::Syntax("Unexpected path component".to_owned())),
                }
                self.expect_sign("]")?;
            } else {
                return Ok(Path::new(parts));
            }
        }
    }
}

/// Each column once. Two paths that would be called the same hide one another, and are refused.
fn distinct(columns: Vec<Path>) -> Parsed<Vec<Path>> {
    let mut names: BTreeMap<String, Path> = BTreeMap::new();
    let mut kept = Vec::with_capacity(columns.len());
    for path in columns {
        match names.entry(path.column()) {
            Entry::Vacant(slot) => {
                slot.insert(path.clone());
                kept.push(path);
            }
            Entry::Occupied(slot) if *slot.get() == path => {}
            Entry::Occupied(slot) => return Err(PartiqlError::Columns(slot.key().clone())),
        }
    }
    Ok(kept)
}

fn too_deep() -> PartiqlError {
    PartiqlError::Syntax("the statement is nested too deeply".to_owned())
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS
        .iter()
        .any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The clauses of an UPDATE, collected.
#[derive(Default)]
struct UpdateParts {
    set: Vec<(Path, Term)>,
    remove: Vec<Path>,
    add: Vec<(Path, Literal)>,
    delete: Vec<(Path, Literal)>,
}

impl UpdateParts {
    fn is_empty(&self) -> bool {
        self.set.is_empty()
            && self.remove.is_empty()
            && self.add.is_empty()
            && self.delete.is_empty()
    }

    fn finish(self) -> Parsed<Update> {
        let update = Update::of_parts(self.set, self.remove, self.add, self.delete);
        match PathTree::clash(update.targets().iter()) {
            Some((one, two, _)) => Err(PartiqlError::Overlap(one, two)),
            None => Ok(update),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Statement {
        Statement::parse(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn the_guides_statements_are_read() {
        for text in [
            r#"SELECT OrderID, Total FROM "Orders" WHERE OrderID IN [1, 2, 3] ORDER BY OrderID DESC"#,
            r#"select * from Orders where OrderID = 1 or OrderID = 2"#,
            r#"UPDATE "Music" SET AwardsWon=1 SET AwardDetail={'Grammys':[2020, 2018]} WHERE Artist='Acme' AND SongTitle='PartiQL'"#,
            r#"UPDATE Music SET AwardDetail.Grammys =list_append(AwardDetail.Grammys,[2016]) WHERE Artist='A' RETURNING ALL NEW *"#,
            r#"UPDATE Music REMOVE AwardDetail.Grammys[2] WHERE Artist='A'"#,
            r#"UPDATE Music SET BandMembers =set_add(BandMembers, <<'x'>>) WHERE Artist='A'"#,
            r#"INSERT INTO "Music" value {'Artist' : 'Acme Band','n': -1.5e3, 'l': [true, null], 's': <<1, 2>>}"#,
            r#"DELETE FROM "Music" WHERE "Artist" = 'Acme' AND a IS NOT MISSING RETURNING ALL OLD *"#,
            r#"EXISTS(SELECT * FROM "Music" WHERE "Artist" = 'Acme')"#,
            r#"SELECT * FROM Orders.Idx WHERE size(lines) > 3 AND NOT (a BETWEEN 1 AND 2 OR contains(b, 'x')) AND c IS STRING"#,
        ] {
            parsed(text);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, message) in [
            (
                "SHOW TABLES",
                "Statement wasn't well formed, can't be processed: Expected data manipulation",
            ),
            (
                "SELECT payload.size FROM T",
                "Statement wasn't well formed, can't be processed: Invalid path dot component",
            ),
            (
                "SELECT a FROM T WHERE a = ?",
                "Number of parameters in request and statement don't match.",
            ),
            (
                "SELECT a FROM T WHERE a = 'x",
                "Statement wasn't well formed, can't be processed: a quote is not closed",
            ),
            (
                "SELECT a FROM T LIMIT 3",
                "Unsupported operation: LIMIT is not supported.",
            ),
            (
                "INSERT INTO T (a) VALUES (1)",
                "Statement wasn't well formed, can't be processed: Unexpected keyword",
            ),
            (
                "INSERT INTO T VALUE {'a': <<>>}",
                "Statement wasn't well formed, can't be processed: a set may not be empty",
            ),
            (
                "UPDATE T SET a.b = 1 SET a = 2 WHERE p = 1",
                "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
            ),
        ] {
            assert_eq!(
                Statement::parse(text, &[]).map_err(|error| error.to_string()),
                Err(message.to_owned())
            );
        }
        let deep = format!(
            "SELECT a FROM T WHERE {}a = 1{}",
            "(".repeat(4000),
            ")".repeat(4000)
        );
        assert!(Statement::parse(&deep, &[]).is_err());
        let deep = format!("INSERT INTO T VALUE {}", "[".repeat(8000));
        assert!(Statement::parse(&deep, &[]).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(SELECT|UPDATE|INSERT|DELETE|[ a-z'\"?=<>(){}\\[\\],.*0-9-]|WHERE|AND|SET){0,40}") {
            let parameters = vec![Value::Null; text.matches('?').count()];
            // What is read has a table, what is refused a reason; neither panics.
            match Statement::parse(&text, &parameters) {
                Ok(statement) => prop_assert!(!statement.table().is_empty() || text.contains("\"\"")),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}

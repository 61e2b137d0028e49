//! The statements: which clauses each has, in which order.

use super::error::PartiqlError;
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::statement::{Returning, Select, Statement};
use crate::path::Path;
use keyfold_types::limits::STATEMENT_CHARS_MAX;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The most bytes of a character in UTF-8.
const CHAR_BYTES_MAX: usize = 4;

impl Statement {
    /// Parses a statement; `parameters` are the values of its `?`, in order.
    ///
    /// # Errors
    /// [`PartiqlError`]: the length is checked first, then the number of parameters, then the
    /// grammar from left to right.
    pub fn parse(text: &str, parameters: &[Value]) -> Result<Statement, PartiqlError> {
        let is_too_long = text.len() > STATEMENT_CHARS_MAX * CHAR_BYTES_MAX
            || text.chars().count() > STATEMENT_CHARS_MAX;
        if is_too_long {
            return Err(PartiqlError::TooLong);
        }
        let mut parser = Parser::new(text, parameters)?;
        let statement = parser.statement()?;
        parser.take_sign(";");
        if *parser.peek() != Token::End {
            return Err(parser.unexpected());
        }
        Ok(statement)
    }
}

impl Parser<'_> {
    fn statement(&mut self) -> Parsed<Statement> {
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
        Err(no_manipulation())
    }

    fn select(&mut self) -> Parsed<Select> {
        let columns = self.columns()?;
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
        let order = if self.take_word("ORDER") {
            self.order()?
        } else {
            Vec::new()
        };
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

    /// Takes the columns of a SELECT; none for `*`.
    fn columns(&mut self) -> Parsed<Option<Vec<Path>>> {
        if self.take_sign("*") {
            return Ok(None);
        }
        let mut columns = vec![self.path()?];
        while self.take_sign(",") {
            columns.push(self.path()?);
        }
        distinct(columns).map(Some)
    }

    /// Takes the rest of an ORDER BY: names, each with whether its order is descending.
    fn order(&mut self) -> Parsed<Vec<(String, bool)>> {
        self.expect_word("BY")?;
        let mut order = Vec::new();
        loop {
            let name = self.name()?;
            let descending = self.take_word("DESC");
            if !descending {
                self.take_word("ASC");
            }
            order.push((name, descending));
            if !self.take_sign(",") {
                return Ok(order);
            }
        }
    }

    /// Takes the table of an INSERT or UPDATE. DynamoDB refuses a `-` behind a bare name as it
    /// refuses an unknown statement.
    fn table_of_write(&mut self) -> Parsed<String> {
        let table = self.name()?;
        if matches!(self.peek(), Token::Sign("-")) {
            return Err(no_manipulation());
        }
        Ok(table)
    }

    fn insert(&mut self) -> Parsed<Statement> {
        self.expect_word("INTO")?;
        let table = self.table_of_write()?;
        if !self.take_word("VALUE") {
            return Err(PartiqlError::Syntax("Unexpected keyword".to_owned()));
        }
        if matches!(self.peek(), Token::Sign("<<")) {
            return Err(PartiqlError::Unsupported(
                "Inserting multiple items in a single statement is not supported, use \"INSERT INTO tableName VALUE item\" instead"
                    .to_owned(),
            ));
        }
        let Value::M(map) = self.value()? else {
            return Err(PartiqlError::Syntax(
                "the value of an INSERT must be a map".to_owned(),
            ));
        };
        let item = Item::from(map);
        Ok(Statement::Insert { table, item })
    }

    fn update(&mut self) -> Parsed<Statement> {
        let table = self.table_of_write()?;
        let clauses = self.update_clauses()?;
        self.expect_word("WHERE")?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        Ok(Statement::Update {
            table,
            update: clauses.finish()?,
            condition,
            returning,
        })
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
        let all = self.take_word("ALL");
        if !all {
            self.expect_word("MODIFIED")?;
        }
        let old = self.take_word("OLD");
        if !old {
            self.expect_word("NEW")?;
        }
        self.expect_sign("*")?;
        Ok(Some(match (all, old) {
            (true, true) => Returning::AllOld,
            (true, false) => Returning::AllNew,
            (false, true) => Returning::ModifiedOld,
            (false, false) => Returning::ModifiedNew,
        }))
    }
}

/// The error of a text without the first word of a statement.
fn no_manipulation() -> PartiqlError {
    PartiqlError::Syntax("Expected data manipulation".to_owned())
}

/// Keeps each column once. Refuses two paths of the same name: one would hide the other.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Statement {
        Statement::parse(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn statements_of_the_guide_are_parsed() {
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
    fn errors_name_their_reason() {
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
        fn any_text_is_parsed_or_refused(text in "(SELECT|UPDATE|INSERT|DELETE|[ a-z'\"?=<>(){}\\[\\],.*0-9-]|WHERE|AND|SET){0,40}") {
            let parameters = vec![Value::Null; text.matches('?').count()];
            // A parsed statement has a table, a refused one a reason; neither panics.
            match Statement::parse(&text, &parameters) {
                Ok(statement) => prop_assert!(!statement.table().is_empty() || text.contains("\"\"")),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}

//! Lines to declarations. A line that cannot be read is reported and left out; the next one is read again.

use super::ast::{
    ActionDecl, AssignmentDecl, AttributeDecl, Column, ConditionDecl, CopyDecl, EntityDecl, IndexDecl,
    IndexKeyDecl, KeyDecl, Name, ParameterDecl, PartDecl, PatternDecl, ProjectionDecl, ReturnedDecl,
    SparseDecl, TableDecl, TemplateDecl, Tree, TypeDecl, WriteDecl,
};
use super::lexer::{self, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Span};

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// What the indented lines belong to.
enum Current {
    Nothing,
    Table,
    Entity,
    Pattern,
    Write,
}

pub(crate) fn parse(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Tree {
    let mut tree = Tree::default();
    let mut current = Current::Nothing;
    let mut lines = lexer::lines(source, diagnostics).into_iter().peekable();
    while let Some(mut line) = lines.next() {
        let is_pattern = matches!(line.tokens.first(), Some(Token { kind: TokenKind::Word(word), .. }) if word == "pattern");
        if is_pattern && !line.indented {
            // A pattern may go on in indented lines.
            while let Some(next) = lines.next_if(|next| next.indented) {
                line.tokens.extend(next.tokens);
            }
        }
        let mut cursor = Cursor { tokens: &line.tokens, at: 0 };
        let outcome = if line.indented {
            member(&mut cursor, &mut tree, &current)
        } else {
            declaration(&mut cursor, &mut tree).map(|declared| current = declared)
        };
        if let Err(diagnostic) = outcome.and_then(|()| cursor.expect_end()) {
            diagnostics.push(*diagnostic);
            note_broken_key(&line, &mut tree, &current);
        }
    }
    tree
}

/// A key line that could not be read: its entity shall not be told that it has no key.
fn note_broken_key(line: &super::lexer::Line, tree: &mut Tree, current: &Current) {
    let is_key =
        matches!(line.tokens.first(), Some(Token { kind: TokenKind::Word(word), .. }) if word == "key");
    if let (true, Current::Entity, Some(entity)) = (is_key, current, tree.entities.last_mut()) {
        entity.is_broken = true;
    }
}

struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<&'t TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn peek_second(&self) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + 1).map(|token| &token.kind)
    }

    fn span(&self) -> Span {
        match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span { start: last.span.end, end: last.span.end },
            (None, None) => Span::default(),
        }
    }

    fn before(&self) -> Span {
        self.tokens.get(self.at.saturating_sub(1)).map_or(Span::default(), |token| token.span)
    }

    fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.peek() {
            None => "the line ends here".to_owned(),
            Some(TokenKind::Word(text) | TokenKind::Number(text)) => format!("found `{text}`"),
            Some(TokenKind::Text(text)) => format!("found \"{text}\""),
            Some(TokenKind::Braces(text)) => format!("found {{{text}}}"),
            Some(TokenKind::Sign(sign)) => format!("found `{sign}`"),
        };
        Err(Box::new(Diagnostic::error("KF001", self.span(), format!("expected {wanted}"), found)))
    }

    fn expect_end(&self) -> Parsed<()> {
        if self.at >= self.tokens.len() { Ok(()) } else { self.fail("the end of the line") }
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(TokenKind::Sign(found)) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { self.fail(&format!("`{sign}`")) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(TokenKind::Word(found)) if found == word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, wanted: &str) -> Parsed<Name> {
        match self.peek() {
            Some(TokenKind::Word(text)) => {
                let name = Name { text: text.clone(), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            _ => self.fail(wanted),
        }
    }

    /// A word or number: an operand.
    fn operand(&mut self) -> Parsed<Name> {
        match self.peek() {
            Some(TokenKind::Word(text) | TokenKind::Number(text)) => {
                let name = Name { text: text.clone(), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            // The quotes stay, to tell a text from a name.
            Some(TokenKind::Text(text)) => {
                let name = Name { text: format!("\"{text}\""), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            _ => self.fail("a parameter, an attribute, a number or a text in quotes"),
        }
    }

    fn number(&mut self, wanted: &str) -> Parsed<u32> {
        match self.peek() {
            Some(TokenKind::Number(text)) => match text.parse() {
                Ok(number) => {
                    self.at += 1;
                    Ok(number)
                }
                Err(_) => self.fail(wanted),
            },
            _ => self.fail(wanted),
        }
    }

    fn words(&mut self, wanted: &str) -> Parsed<Vec<Name>> {
        let mut words = vec![self.word(wanted)?];
        while self.take_sign(",") {
            words.push(self.word(wanted)?);
        }
        Ok(words)
    }
}

const DECLARATIONS: &str = "`model`, `table`, `entity`, `pattern` or `write`";

fn declaration(cursor: &mut Cursor<'_>, tree: &mut Tree) -> Parsed<Current> {
    let keyword = cursor.word(DECLARATIONS)?;
    match keyword.text.as_str() {
        "model" => {
            if tree.name.is_some() {
                let message = "a file holds one model";
                return Err(Box::new(Diagnostic::error(
                    "KF003",
                    keyword.span,
                    message,
                    "a second one starts here",
                )));
            }
            tree.name = Some(cursor.word("the model's name")?);
            if cursor.peek().is_some() {
                tree.version = Some(cursor.number("the model's version, a number")?);
            }
            Ok(Current::Nothing)
        }
        "table" => {
            let name = cursor.word("the table's name")?;
            let columns = columns(cursor)?;
            let type_attribute =
                if cursor.take_word("type") { Some(cursor.word("an attribute")?) } else { None };
            tree.tables.push(TableDecl { name, columns, type_attribute, indexes: Vec::new() });
            Ok(Current::Table)
        }
        "entity" => {
            let name = cursor.word("the entity's name")?;
            let table = if cursor.take_word("in") { Some(cursor.word("a table")?) } else { None };
            tree.entities.push(EntityDecl {
                name,
                table,
                attributes: Vec::new(),
                key: None,
                indexes: Vec::new(),
                copies: Vec::new(),
                uniques: Vec::new(),
                is_broken: false,
            });
            Ok(Current::Entity)
        }
        "pattern" => {
            tree.patterns.push(pattern(cursor)?);
            Ok(Current::Pattern)
        }
        "write" => {
            tree.writes.push(write(cursor)?);
            Ok(Current::Write)
        }
        other => {
            let near = ["model", "table", "entity", "pattern", "write"].into_iter().find(|word| {
                word.chars().next() == other.chars().next() && word.len().abs_diff(other.len()) <= 2
            });
            let mut diagnostic = Diagnostic::error(
                "KF001",
                keyword.span,
                format!("`{other}` starts no declaration"),
                format!("expected {DECLARATIONS}"),
            );
            diagnostic = match near {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help("lines that belong to the declaration above are indented"),
            };
            Err(Box::new(diagnostic))
        }
    }
}

fn member(cursor: &mut Cursor<'_>, tree: &mut Tree, current: &Current) -> Parsed<()> {
    match current {
        Current::Table => match tree.tables.last_mut() {
            Some(table) => {
                table.indexes.push(index(cursor)?);
                Ok(())
            }
            None => cursor.fail("a declaration"),
        },
        Current::Entity => match tree.entities.last_mut() {
            Some(entity) => entity_member(cursor, entity),
            None => cursor.fail("a declaration"),
        },
        Current::Write => match tree.writes.last_mut() {
            Some(write) => {
                write.actions.push(action(cursor)?);
                Ok(())
            }
            None => cursor.fail("a declaration"),
        },
        Current::Nothing | Current::Pattern => {
            cursor.fail("a declaration in the first column: this line belongs to nothing")
        }
    }
}

fn columns(cursor: &mut Cursor<'_>) -> Parsed<Vec<Column>> {
    cursor.sign("(")?;
    let mut columns = Vec::new();
    loop {
        let name = cursor.word("a key attribute")?;
        let kind =
            if cursor.take_sign(":") { Some(cursor.word("`string`, `number` or `binary`")?) } else { None };
        columns.push(Column { name, kind });
        if !cursor.take_sign(",") {
            break;
        }
    }
    cursor.sign(")")?;
    Ok(columns)
}

fn index(cursor: &mut Cursor<'_>) -> Parsed<IndexDecl> {
    let kind = cursor.word("`gsi` or `lsi`")?;
    let local = match kind.text.as_str() {
        "gsi" => false,
        "lsi" => true,
        _ => {
            cursor.at -= 1;
            return cursor.fail("`gsi` or `lsi`");
        }
    };
    let name = cursor.word("the index's name")?;
    let columns = columns(cursor)?;
    let projection = if !cursor.take_word("project") || cursor.take_word("all") {
        ProjectionDecl::All
    } else if cursor.take_word("keys") {
        ProjectionDecl::Keys
    } else {
        cursor.sign("(")?;
        let names = cursor.words("an attribute")?;
        cursor.sign(")")?;
        ProjectionDecl::Only(names)
    };
    Ok(IndexDecl { local, name, columns, projection })
}

fn entity_member(cursor: &mut Cursor<'_>, entity: &mut EntityDecl) -> Parsed<()> {
    if matches!(cursor.peek_second(), Some(TokenKind::Sign(":"))) {
        return attributes(cursor, entity);
    }
    let word = cursor.word("an attribute, `key`, `copy`, `unique` or an index")?;
    match word.text.as_str() {
        "key" => {
            let key = key(cursor)?;
            if entity.key.is_some() {
                return Err(Box::new(
                    Diagnostic::error("KF003", word.span, "an entity has one key", "this is a second one")
                        .help("other ways to reach the entity are indexes (`GSI1 ...`) or copies (`copy name ...`)"),
                ));
            }
            entity.key = Some(key);
        }
        "copy" => {
            let name = cursor.word("the copy's name")?;
            let key = key(cursor)?;
            let only = if cursor.take_word("only") { Some(cursor.words("an attribute")?) } else { None };
            entity.copies.push(CopyDecl { name, key, only });
        }
        "unique" => entity.uniques.extend(cursor.words("an attribute")?),
        _ => {
            let key = key(cursor)?;
            let sparse = if cursor.take_word("sparse") { Some(sparse(cursor)?) } else { None };
            entity.indexes.push(IndexKeyDecl { index: word, key, sparse });
        }
    }
    Ok(())
}

fn sparse(cursor: &mut Cursor<'_>) -> Parsed<SparseDecl> {
    if !cursor.take_word("when") {
        return cursor.fail("`when`");
    }
    let attribute = cursor.word("an attribute")?;
    let value = if cursor.take_sign("=") { Some(cursor.operand()?) } else { None };
    Ok(SparseDecl { attribute, value })
}

fn attributes(cursor: &mut Cursor<'_>, entity: &mut EntityDecl) -> Parsed<()> {
    loop {
        let name = cursor.word("an attribute")?;
        cursor.sign(":")?;
        let first = cursor.word("a type")?;
        let kind = if cursor.take_sign(".") {
            TypeDecl::Reference(first, cursor.word("an attribute of the entity")?)
        } else if matches!(cursor.peek(), Some(TokenKind::Sign("|"))) {
            let mut words = vec![first];
            while cursor.take_sign("|") {
                words.push(cursor.word("a word")?);
            }
            TypeDecl::Words(words)
        } else {
            TypeDecl::Named(first)
        };
        let optional = cursor.take_sign("?");
        entity.attributes.push(AttributeDecl { name, kind, optional });
        if !cursor.take_sign(",") {
            return Ok(());
        }
    }
}

fn key(cursor: &mut Cursor<'_>) -> Parsed<KeyDecl> {
    let start = cursor.span();
    let partition = template(cursor)?;
    let sort = match cursor.peek() {
        Some(TokenKind::Text(_) | TokenKind::Braces(_)) => Some(template(cursor)?),
        _ => None,
    };
    Ok(KeyDecl { partition, sort, span: start.to(cursor.before()) })
}

fn template(cursor: &mut Cursor<'_>) -> Parsed<TemplateDecl> {
    let span = cursor.span();
    match cursor.peek() {
        Some(TokenKind::Text(text)) => {
            cursor.at += 1;
            Ok(TemplateDecl { parts: parts(text, span.start + 1)?, bare: false, span })
        }
        Some(TokenKind::Braces(text)) => {
            cursor.at += 1;
            Ok(TemplateDecl { parts: vec![field(text, span.start + 1)?], bare: true, span })
        }
        _ => cursor.fail("a key template in quotes, like \"USER#{userId}\""),
    }
}

/// The parts of a template's text, which starts at `start` in the source.
fn parts(text: &str, start: usize) -> Parsed<Vec<PartDecl>> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut at = start;
    while let Some(open) = rest.find('{') {
        if open > 0 {
            parts.push(PartDecl::Text(rest.get(..open).unwrap_or_default().to_owned()));
        }
        let Some(close) = rest.find('}').filter(|close| *close > open) else {
            let span = Span { start: at + open, end: at + rest.len() };
            return Err(Box::new(
                Diagnostic::error("KF001", span, "a field is not closed", "no `}` in this template")
                    .help("a field is an attribute in braces: {userId}"),
            ));
        };
        parts.push(field(rest.get(open + 1..close).unwrap_or_default(), at + open + 1)?);
        at += close + 1;
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    if !rest.is_empty() {
        parts.push(PartDecl::Text(rest.to_owned()));
    }
    Ok(parts)
}

fn field(text: &str, start: usize) -> Parsed<PartDecl> {
    let (name, format) = match text.split_once(':') {
        Some((name, format)) => (name, Some(format)),
        None => (text, None),
    };
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let span = Span { start, end: start + text.len() };
    if !is_name(name) || format.is_some_and(|format| !is_name(format)) {
        return Err(Box::new(
            Diagnostic::error(
                "KF001",
                span,
                "this is no field",
                "expected {attribute} or {attribute:format}",
            )
            .help("formats: {id:08} pads a number to 8 digits, {createdAt:date} keeps the day of a time"),
        ));
    }
    let name_span = Span { start, end: start + name.len() };
    let format = format.map(|format| Name {
        text: format.to_owned(),
        span: Span { start: start + name.len() + 1, end: span.end },
    });
    Ok(PartDecl::Field { name: Name { text: name.to_owned(), span: name_span }, format })
}

fn pattern(cursor: &mut Cursor<'_>) -> Parsed<PatternDecl> {
    let name = cursor.word("the pattern's name")?;
    cursor.sign("(")?;
    let mut parameters = Vec::new();
    if !cursor.take_sign(")") {
        loop {
            parameters.push(parameter(cursor)?);
            if !cursor.take_sign(",") {
                break;
            }
        }
        cursor.sign(")")?;
    }
    cursor.sign("->")?;
    let mut returned = vec![returned_entity(cursor)?];
    while cursor.take_sign("+") {
        returned.push(returned_entity(cursor)?);
    }
    let mut pattern =
        PatternDecl { name, parameters, returned, order: None, page: None, strong: None, fixed: Vec::new() };
    loop {
        let word = match cursor.peek() {
            None => return Ok(pattern),
            Some(TokenKind::Word(word)) => word.as_str(),
            Some(_) => return cursor.fail("an order, `page N` or `strong`"),
        };
        match word {
            "newest" | "oldest" | "highest" | "lowest" => pattern.order = Some(cursor.word("an order")?),
            "page" => {
                cursor.at += 1;
                let span = cursor.span();
                let page = cursor.number("a number of items")?;
                if page == 0 || pattern.page.is_some() {
                    let message = "a pattern has one page size, of 1 or more items";
                    return Err(Box::new(Diagnostic::error("KF001", span, message, "not this one")));
                }
                pattern.page = Some(page);
            }
            "strong" => {
                pattern.strong = Some(cursor.span());
                cursor.at += 1;
            }
            "where" => {
                cursor.at += 1;
                loop {
                    let attribute = cursor.word("an attribute")?;
                    cursor.sign("=")?;
                    pattern.fixed.push((attribute, cursor.operand()?));
                    if !cursor.take_sign(",") {
                        break;
                    }
                }
            }
            _ => {
                return cursor.fail("`where`, `newest`, `oldest`, `highest`, `lowest`, `page N` or `strong`");
            }
        }
    }
}

fn parameter(cursor: &mut Cursor<'_>) -> Parsed<ParameterDecl> {
    let attribute = cursor.word("an attribute")?;
    if cursor.take_sign(">=") {
        return Ok(ParameterDecl::AtLeast(attribute, cursor.word("the parameter's name")?));
    }
    if cursor.take_sign("<=") {
        return Ok(ParameterDecl::AtMost(attribute, cursor.word("the parameter's name")?));
    }
    if cursor.take_word("in") {
        let low = cursor.word("the lower parameter's name")?;
        cursor.sign("..")?;
        return Ok(ParameterDecl::Within(attribute, low, cursor.word("the upper parameter's name")?));
    }
    Ok(ParameterDecl::Equal(attribute))
}

fn returned_entity(cursor: &mut Cursor<'_>) -> Parsed<ReturnedDecl> {
    let entity = cursor.word("an entity")?;
    let copy = if cursor.take_sign(".") { Some(cursor.word("a copy of the entity")?) } else { None };
    let many = cursor.take_sign("[]");
    let optional = !many && cursor.take_sign("?");
    Ok(ReturnedDecl { entity, copy, many, optional })
}

fn write(cursor: &mut Cursor<'_>) -> Parsed<WriteDecl> {
    let name = cursor.word("the write's name")?;
    let mut parameters = Vec::new();
    if cursor.take_sign("(") && !cursor.take_sign(")") {
        loop {
            let parameter = cursor.word("a parameter")?;
            let kind = if cursor.take_sign(":") { Some(cursor.word("a type")?) } else { None };
            parameters.push((parameter, kind));
            if !cursor.take_sign(",") {
                break;
            }
        }
        cursor.sign(")")?;
    }
    Ok(WriteDecl { name, parameters, actions: Vec::new() })
}

fn action(cursor: &mut Cursor<'_>) -> Parsed<ActionDecl> {
    let verb = cursor.word("`create`, `update` or `delete`")?;
    match verb.text.as_str() {
        "create" => Ok(ActionDecl::Create(cursor.word("an entity")?)),
        "delete" => Ok(ActionDecl::Delete(cursor.word("an entity")?)),
        "update" => {
            let entity = cursor.word("an entity")?;
            if !cursor.take_word("set") {
                return cursor.fail("`set`");
            }
            let mut assignments = Vec::new();
            loop {
                let attribute = cursor.word("an attribute")?;
                cursor.sign("=")?;
                let left = cursor.operand()?;
                let right = if cursor.take_sign("+") {
                    Some((true, cursor.operand()?))
                } else if cursor.take_sign("-") {
                    Some((false, cursor.operand()?))
                } else {
                    None
                };
                assignments.push(AssignmentDecl { attribute, left, right });
                if !cursor.take_sign(",") {
                    break;
                }
            }
            let condition = if cursor.take_word("when") { Some(condition(cursor)?) } else { None };
            Ok(ActionDecl::Update { entity, assignments, condition })
        }
        _ => {
            cursor.at -= 1;
            cursor.fail("`create`, `update` or `delete`")
        }
    }
}

fn condition(cursor: &mut Cursor<'_>) -> Parsed<ConditionDecl> {
    let attribute = cursor.word("an attribute")?;
    let span = cursor.span();
    let comparator = ["=", "<>", ">=", "<=", ">", "<"].into_iter().find(|sign| cursor.take_sign(sign));
    let Some(comparator) = comparator else {
        return cursor.fail("a comparison: `=`, `<>`, `<`, `<=`, `>`, `>=`");
    };
    let comparator = Name { text: comparator.to_owned(), span };
    Ok(ConditionDecl { attribute, comparator, operand: cursor.operand()? })
}

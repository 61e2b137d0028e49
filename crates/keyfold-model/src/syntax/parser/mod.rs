//! Lines to declarations. A line with an error is reported and left out; parsing goes on at the next
//! line.

mod condition;
mod cursor;
mod entity;
mod former;
mod origin;
mod pattern;
mod recover;
mod settings;
mod table;
mod template;
mod view;
mod write;

use super::ast::{Head, RecordDecl, Tree};
use super::foreign;
use super::lexer::{self, Line, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::sources::Sources;
use cursor::{Cursor, Parsed};
use recover::{Recovered, recover};
use std::collections::VecDeque;

pub use entity::MEMBER_WORDS;

/// The declaration that the indented lines belong to.
#[derive(Clone, Copy)]
enum Current {
    Nothing,
    Record,
    Table,
    Entity,
    /// A view, whose lines are among the entities.
    View,
    Pattern,
    Write,
    /// One whose first line cannot be read.
    Unknown,
}

/// The words that start a declaration, as an error message lists them.
const DECLARATIONS: &str = "`model`, `owner`, `use`, `record`, `table`, `entity`, `view`, \
    `pattern`, `write` or `shared`";

/// The declarations that may be shared, as an error message lists them.
const SHARED: &str = "`table`, `entity`, `view` or `record`";

/// Reads the texts of a model. A line with an error is reported, and read as it was probably meant;
/// if that is not known, it is left out and noted in `broken`.
pub(crate) fn parse(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Tree {
    let mut tree = Tree::default();
    for file in sources.files() {
        let text = sources.text_of(file);
        tree = parse_file(text, file.span().start, tree, diagnostics);
    }
    tree
}

/// The owners and the used files that a text names, which lie at the start of lines.
pub(crate) fn head(text: &str) -> Tree {
    let starts = |line: &&str| {
        let line = line.trim_start_matches(lexer::BYTE_ORDER_MARK);
        line.starts_with("use") || line.starts_with("owner")
    };
    let lines: String = text.split_inclusive('\n').filter(starts).collect();
    parse_file(&lines, 0, Tree::default(), &mut Vec::new())
}

/// Adds the declarations of a file to those of others. `start` is the place of its text.
fn parse_file(text: &str, start: usize, tree: Tree, diagnostics: &mut Vec<Diagnostic>) -> Tree {
    let mut parser = Parser {
        tree,
        current: Current::Nothing,
    };
    let known = diagnostics.len();
    let lines = lexer::lines(text, start, diagnostics);
    let garbled = diagnostics.iter().skip(known);
    garbled.for_each(|one| parser.tree.broken.push(one.place()));
    let mut lines: VecDeque<Line> = lines.into();
    while let Some(mut line) = lines.pop_front() {
        if first_word(&line) == Some("pattern") && !line.indented {
            // The indented lines after a pattern continue it.
            while lines.front().is_some_and(|next| next.indented) {
                let Some(next) = lines.pop_front() else { break };
                line.breaks.push(line.tokens.len());
                line.is_garbled |= next.is_garbled;
                line.tokens.extend(next.tokens);
            }
        }
        parser.line(line, &mut lines, diagnostics);
    }
    parser.tree
}

struct Parser {
    tree: Tree,
    current: Current,
}

impl Parser {
    /// Reads a line. Where one with an error turns out to be several, the rest is put back.
    fn line(
        &mut self,
        mut line: Line,
        rest: &mut VecDeque<Line>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut explained = None;
        if !line.is_garbled
            && let Err((failed, diagnostic)) = self.reads(&line.tokens, line.indented)
        {
            match self.meant(&line, rest, failed, *diagnostic) {
                (found, Some(tokens)) => {
                    diagnostics.extend(found);
                    line.tokens = tokens;
                }
                (found, None) => explained = Some(found),
            }
        }
        let (outcome, _) = read(
            &line.tokens,
            line.indented,
            &mut self.tree,
            &mut self.current,
        );
        extend(&mut self.tree, self.current, &line);
        if let Err(diagnostic) = outcome {
            // A line that says again what another says is missed by nobody.
            if diagnostic.code != "KF003" {
                let start = line.tokens.first().map_or(0, |token| token.span.start);
                self.tree.broken.push(start);
            }
            if !line.is_garbled {
                diagnostics.extend(explained.unwrap_or_else(|| vec![*diagnostic]));
            }
            if !line.indented {
                self.current = Current::Unknown;
            }
        }
    }

    /// The errors of a line, with what is known of their repairs, and the tokens that were
    /// probably meant; `None` if that is not known.
    fn meant(
        &self,
        line: &Line,
        rest: &mut VecDeque<Line>,
        failed: usize,
        diagnostic: Diagnostic,
    ) -> Recovered {
        let reads = |tokens: &[Token]| self.reads(tokens, line.indented);
        // A missing parenthesis joins the lines behind it.
        if let Some(own) = line.breaks.first().and_then(|cut| line.tokens.get(..*cut))
            && let Err((failed, diagnostic)) = self.reads(own, line.indented)
            && let (found, Some(tokens)) = recover(own, failed, *diagnostic, &reads)
        {
            split(line, rest);
            return (found, Some(tokens));
        }
        recover(&line.tokens, failed, diagnostic, &reads)
    }

    /// Reads tokens into nothing. An error comes with the number of tokens before it.
    fn reads(&self, tokens: &[Token], indented: bool) -> Result<(), (usize, Box<Diagnostic>)> {
        let mut tree = Tree::default();
        let mut current = self.current;
        let head = match current {
            Current::Record => "record R",
            Current::Table => "table T (A)",
            Current::Entity => "entity E",
            Current::View => "view V of E",
            Current::Write => "write w",
            Current::Nothing | Current::Unknown | Current::Pattern => "",
        };
        if indented {
            for line in lexer::lines(head, 0, &mut Vec::new()) {
                drop(read(&line.tokens, false, &mut tree, &mut current));
            }
        }
        let (outcome, failed) = read(tokens, indented, &mut tree, &mut current);
        outcome.map_err(|diagnostic| (failed, diagnostic))
    }
}

/// Reads the tokens of a line into a tree. Returns the number of tokens that were read, too.
fn read(
    tokens: &[Token],
    indented: bool,
    tree: &mut Tree,
    current: &mut Current,
) -> (Parsed<()>, usize) {
    let mut cursor = Cursor::new(tokens);
    let outcome = if indented {
        member(&mut cursor, tree, *current)
    } else {
        declaration(&mut cursor, tree).map(|declared| *current = declared)
    };
    let is_skipped = indented && matches!(current, Current::Unknown);
    let outcome = outcome.and_then(|()| {
        if is_skipped {
            Ok(())
        } else {
            cursor.expect_end()
        }
    });
    (outcome, cursor.place())
}

/// Puts the further lines of the file that continue a line back, as lines of their own.
fn split(line: &Line, rest: &mut VecDeque<Line>) {
    let mut end = line.tokens.len();
    for from in line.breaks.iter().rev().copied() {
        let tokens = line.tokens.get(from..end).unwrap_or_default().to_vec();
        rest.push_front(Line {
            indented: true,
            end: tokens.last().map_or(0, |token| token.span.end),
            tokens,
            breaks: Vec::new(),
            is_garbled: false,
        });
        end = from;
    }
}

/// Moves the end of the current entity or table behind a line of it.
fn extend(tree: &mut Tree, current: Current, line: &Line) {
    let line_end = line.tokens.last().map_or(0, |token| token.span.end);
    let end = match current {
        Current::Entity | Current::View => tree.entities.last_mut().map(|entity| &mut entity.end),
        Current::Table => tree.tables.last_mut().map(|table| &mut table.end),
        Current::Nothing
        | Current::Record
        | Current::Pattern
        | Current::Write
        | Current::Unknown => None,
    };
    if let Some(end) = end {
        *end = line_end.max(*end);
    }
}

fn first_word(line: &Line) -> Option<&str> {
    match line.tokens.first() {
        Some(Token {
            kind: TokenKind::Word(word),
            ..
        }) => Some(word),
        _ => None,
    }
}

/// Reads a line in the first column: the start of a declaration.
fn declaration(cursor: &mut Cursor<'_>, tree: &mut Tree) -> Parsed<Current> {
    let keyword = cursor.word(DECLARATIONS)?;
    match keyword.text.as_str() {
        "model" => {
            if let Some(first) = &tree.name {
                let message = "the model has a name already";
                let again = Diagnostic::error("KF003", keyword.span, message, "a second one");
                return Err(Box::new(
                    again
                        .label(first.span, "the first one")
                        .help("remove one of the lines"),
                ));
            }
            tree.name = Some(cursor.word("the model's name")?);
            if cursor.peek().is_some() {
                tree.version = Some(cursor.number("the model's version, a number")?);
            }
            Ok(Current::Nothing)
        }
        "owner" => {
            let owner = cursor.name("the owner's name")?;
            if owner.text.trim().is_empty() {
                cursor.step_back();
                return cursor.fail("the owner's name");
            }
            tree.owners.push(owner);
            Ok(Current::Nothing)
        }
        "use" => {
            let path = cursor.text("the path of a file, in quotes")?;
            tree.uses.push(path);
            Ok(Current::Nothing)
        }
        "shared" => {
            let shared = cursor.word(SHARED)?;
            match sharable(&shared.text, shared.span, true, cursor, tree)? {
                Some(current) => Ok(current),
                None => {
                    cursor.step_back();
                    cursor.fail(SHARED)
                }
            }
        }
        "pattern" => {
            tree.patterns.push(pattern::pattern(cursor)?);
            Ok(Current::Pattern)
        }
        "write" => {
            tree.writes.push(write::write(cursor)?);
            Ok(Current::Write)
        }
        other => match sharable(other, keyword.span, false, cursor, tree)? {
            Some(current) => Ok(current),
            None => Err(Box::new(no_declaration(other, keyword.span))),
        },
    }
}

/// Reads a declaration that may be shared; `None` if the word starts none.
fn sharable(
    word: &str,
    span: Span,
    is_shared: bool,
    cursor: &mut Cursor<'_>,
    tree: &mut Tree,
) -> Parsed<Option<Current>> {
    let head = Head { is_shared, span };
    match word {
        "record" => {
            tree.records.push(RecordDecl {
                name: cursor.word("the record's name")?,
                head,
                fields: Vec::new(),
            });
            Ok(Some(Current::Record))
        }
        "table" => {
            tree.tables.push(table::table(cursor, head)?);
            Ok(Some(Current::Table))
        }
        "entity" => {
            tree.entities.push(entity::entity(cursor, head)?);
            Ok(Some(Current::Entity))
        }
        "view" => {
            tree.entities.push(view::view(cursor, head)?);
            Ok(Some(Current::View))
        }
        _ => Ok(None),
    }
}

/// The error about a word that starts no declaration.
fn no_declaration(word: &str, span: Span) -> Diagnostic {
    let message = format!("`{word}` starts no declaration");
    let error = Diagnostic::error("KF001", span, message, format!("expected {DECLARATIONS}"));
    match foreign::declaration(word) {
        Some((help, Some(meant))) => error.help(help).repair(vec![Edit::replace(span, meant)]),
        Some((help, None)) => error.help(help),
        None => error.note("lines that belong to the declaration above are indented"),
    }
}

/// Reads an indented line: a part of the current declaration.
fn member(cursor: &mut Cursor<'_>, tree: &mut Tree, current: Current) -> Parsed<()> {
    let nothing = "a declaration in the first column: this line belongs to nothing";
    match current {
        Current::Record => match tree.records.last_mut() {
            Some(record) => entity::attributes(cursor, &mut record.fields),
            None => cursor.fail(nothing),
        },
        Current::Table => match tree.tables.last_mut() {
            Some(table) => table::member(cursor, table),
            None => cursor.fail(nothing),
        },
        Current::Entity => match tree.entities.last_mut() {
            Some(entity) => entity::member(cursor, entity),
            None => cursor.fail(nothing),
        },
        Current::View => match tree.entities.last_mut() {
            Some(entity) => view::member(cursor, entity),
            None => cursor.fail(nothing),
        },
        Current::Write => match tree.writes.last_mut() {
            Some(write) => {
                write.actions.push(write::action(cursor)?);
                Ok(())
            }
            None => cursor.fail(nothing),
        },
        Current::Nothing | Current::Pattern => cursor.fail(nothing),
        Current::Unknown => Ok(()),
    }
}

//! SQL in quotes: the condition of a `from` line, and the expressions of `set`. What a row is must follow from
//! the row and those that it is joined to, since their changes are what is seen. So an expression does not
//! look at other rows, at the clock or at chance, and it stays inside of its parentheses.

use crate::dialect::Dialect;
use crate::source::{Source, SourceError};
use crate::statement::Statements;
use keyfold_model::diagnostic::{Diagnostic, Span};
use keyfold_model::schema::origin::{Origin, Taken};

/// Names of functions and words whose values are not the rows': of SQLite, then of PostgreSQL.
const UNSTEADY: [&str; 43] = [
    "random",
    "randomblob",
    "current_timestamp",
    "current_date",
    "current_time",
    "last_insert_rowid",
    "changes",
    "total_changes",
    "load_extension",
    "sqlite_offset",
    "now",
    "localtime",
    "localtimestamp",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "timeofday",
    "gen_random_uuid",
    "gen_random_bytes",
    "uuidv4",
    "uuidv7",
    "uuid_generate_v1",
    "uuid_generate_v1mc",
    "uuid_generate_v4",
    "random_normal",
    "setseed",
    "nextval",
    "currval",
    "lastval",
    "setval",
    "txid_current",
    "pg_current_xact_id",
    "pg_current_wal_lsn",
    "pg_backend_pid",
    "pg_sleep",
    "current_user",
    "session_user",
    "current_role",
    "current_schema",
    "current_catalog",
    "current_database",
    "current_setting",
    "inet_client_addr",
];
/// Those of MariaDB, which others may have for something else.
const OF_MARIADB: [&str; 26] = [
    "rand",
    "random_bytes",
    "uuid",
    "uuid_v4",
    "uuid_v7",
    "uuid_short",
    "sys_guid",
    "sysdate",
    "curdate",
    "curtime",
    "connection_id",
    "user",
    "system_user",
    "database",
    "schema",
    "row_count",
    "found_rows",
    "last_insert_id",
    "sleep",
    "benchmark",
    "get_lock",
    "release_lock",
    "is_used_lock",
    "is_free_lock",
    "load_file",
    "version",
];
/// Functions of SQLite and MariaDB that are the present moment without an argument, or with `'now'`.
const MOMENTS: [&str; 8] = [
    "unix_timestamp",
    "date",
    "time",
    "datetime",
    "julianday",
    "unixepoch",
    "strftime",
    "timediff",
];
/// Texts that PostgreSQL reads as the present moment.
const SPECIAL: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];

/// What is wrong with the SQL of a `from` line, at its place.
///
/// # Errors
/// When the database does not answer.
pub(crate) fn faults(
    source: &mut dyn Source,
    origin: &Origin,
) -> Result<Vec<Diagnostic>, SourceError> {
    let mut all: Vec<(&str, Span)> = Vec::new();
    all.extend(
        origin
            .only
            .as_ref()
            .map(|(sql, span)| (sql.as_str(), *span)),
    );
    for (_, taken) in &origin.set {
        if let Taken::Expression(sql, span) = taken {
            all.push((sql.as_str(), *span));
        }
    }
    let mut faults = Vec::new();
    if !all.is_empty() {
        // What the database refuses here is not the expression's fault.
        source.query(&Statements::tried(source, origin, "1"), &[])?;
    }
    for (sql, span) in all {
        let tried = Statements::tried(source, origin, sql);
        faults.extend(fault(source, (sql, span), &tried)?);
    }
    Ok(faults)
}

/// What is wrong with SQL of the model, which is tried by a query that reads nothing.
///
/// # Errors
/// When the database does not answer.
pub(crate) fn fault(
    source: &mut dyn Source,
    (sql, span): (&str, Span),
    tried: &str,
) -> Result<Option<Diagnostic>, SourceError> {
    if let Some(refusal) = refusal(sql, Dialect::of(source)) {
        let error = Diagnostic::error("KF005", span, refusal.message, refusal.label);
        return Ok(Some(error.help(refusal.help)));
    }
    match source.query(tried, &[]) {
        Ok(_) => Ok(None),
        Err(error) if error.may_pass => Err(error),
        Err(error) => {
            let said = said(&error.message, tried);
            let message = format!("the database refuses this SQL: {said}");
            Ok(Some(Diagnostic::error("KF005", span, message, "refused")))
        }
    }
}

/// Whether SQL speaks of a name, in whatever letters.
pub(crate) fn names(sql: &str, name: &str, dialect: Dialect) -> bool {
    let name = name.to_lowercase();
    let is_it = |token: &Token| matches!(token, Token::Word(word) if *word == name);
    tokens(sql, dialect).iter().any(is_it)
}

/// What the database says, without the query that the model does not have.
fn said<'s>(message: &'s str, query: &str) -> &'s str {
    let end = message.find(&format!(" in {query}"));
    end.and_then(|end| message.get(..end)).unwrap_or(message)
}

struct Refusal {
    message: String,
    label: &'static str,
    help: &'static str,
}

/// A piece of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A word, in small letters.
    Word(String),
    /// A text in single quotes.
    Text(String),
    Sign(char),
    /// Something that ends what stands before it: a comment.
    Comment,
    /// The place of an argument.
    Argument(String),
}

/// The pieces of an expression; names in quotes are left out.
fn tokens(sql: &str, dialect: Dialect) -> Vec<Token> {
    let letters: Vec<char> = sql.chars().collect();
    let at = |place: usize| letters.get(place).copied().unwrap_or('\0');
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut place) = (Vec::new(), 0);
    while place < letters.len() {
        let (first, second) = (at(place), at(place + 1));
        let start = place;
        place += 1;
        match (first, second) {
            ('\'' | '"' | '`', _) => {
                let mut text = String::new();
                let has_escapes = dialect == Dialect::Mariadb && first != '`';
                while place < letters.len() {
                    if has_escapes && at(place) == '\\' {
                        text.push(at(place + 1));
                        place += 2;
                        continue;
                    }
                    if at(place) == first && at(place + 1) != first {
                        break;
                    }
                    place += usize::from(at(place) == first);
                    text.push(at(place));
                    place += 1;
                }
                place += 1;
                if first == '\'' {
                    tokens.push(Token::Text(text.to_lowercase()));
                }
            }
            ('-', '-') | ('/', '*') => tokens.push(Token::Comment),
            ('#', _) if dialect == Dialect::Mariadb => tokens.push(Token::Comment),
            ('?', _) if dialect != Dialect::Postgres => {
                tokens.push(Token::Argument("?".to_owned()))
            }
            ('$' | ':' | '@', _) if is_inside(second) && at(start.wrapping_sub(1)) != ':' => {
                let is_argument = first == '$' || dialect != Dialect::Postgres;
                while is_inside(at(place)) {
                    place += 1;
                }
                let text = letters
                    .get(start..place)
                    .unwrap_or_default()
                    .iter()
                    .collect();
                if is_argument {
                    tokens.push(Token::Argument(text));
                }
            }
            (c, _) if is_inside(c) => {
                while is_inside(at(place)) || at(place) == '$' {
                    place += 1;
                }
                let word = letters.get(start..place).unwrap_or_default();
                let word: String = word.iter().collect();
                tokens.push(Token::Word(word.to_lowercase()));
            }
            (c, _) if c.is_whitespace() => {}
            (c, _) => tokens.push(Token::Sign(c)),
        }
    }
    tokens
}

/// Why an expression is refused before the database is asked.
fn refusal(sql: &str, dialect: Dialect) -> Option<Refusal> {
    let tokens = tokens(sql, dialect);
    let refused = |message: String, label, help| {
        Some(Refusal {
            message,
            label,
            help,
        })
    };
    let mut depth = 0_i64;
    for (at, token) in tokens.iter().enumerate() {
        let behind = (tokens.get(at + 1), tokens.get(at + 2));
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_column = before == Some(&Token::Sign('.'));
        match token {
            Token::Word(word) if word == "select" && !is_column => {
                return refused(
                    "a query inside of an expression reads rows whose changes are not seen"
                        .to_owned(),
                    "a query",
                    "join the table in the line; what follows from several rows is a `count`, `sum` or `max` of the model",
                );
            }
            Token::Word(word) if !is_column && is_unsteady(word, behind, dialect) => {
                return refused(
                    format!("`{word}` is another value each time, and no change of a row says so"),
                    "not of the row",
                    "an expression is made of the columns of its row alone",
                );
            }
            Token::Text(text) if is_moment(text, (before, behind.0), &tokens, dialect) => {
                return refused(
                    format!(
                        "`'{text}'` is another moment each time, and no change of a row says so"
                    ),
                    "not of the row",
                    "an expression is made of the columns of its row alone",
                );
            }
            Token::Sign(';') | Token::Comment => {
                return refused(
                    "this SQL does not end where its text ends".to_owned(),
                    "has a `;` or a comment",
                    "write one expression, without `;`, `--` and `/*`",
                );
            }
            Token::Argument(name) => {
                return refused(
                    format!("`{name}` is the place of an argument, and there is none"),
                    "has no value",
                    "write the value",
                );
            }
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Word(_) | Token::Text(_) | Token::Sign(_) => {}
        }
        if depth < 0 {
            break;
        }
    }
    if depth == 0 {
        return None;
    }
    refused(
        "the parentheses of this SQL are not pairs".to_owned(),
        "one is left over",
        "write one expression",
    )
}

/// Whether a word is a function or a value of the moment, with the two pieces behind it.
fn is_unsteady(
    word: &str,
    (next, second): (Option<&Token>, Option<&Token>),
    dialect: Dialect,
) -> bool {
    let is_call = next == Some(&Token::Sign('('));
    let is_bare =
        word.starts_with("current_") || word.starts_with("localtime") || word == "session_user";
    let is_empty = is_call && second == Some(&Token::Sign(')'));
    if dialect == Dialect::Mariadb {
        let is_bare = word.starts_with("utc_");
        let is_sequence =
            ["next", "previous"].contains(&word) && next == Some(&Token::Word("value".to_owned()));
        if is_bare || is_sequence || (OF_MARIADB.contains(&word) && is_call) {
            return true;
        }
    }
    (UNSTEADY.contains(&word) && (is_call || is_bare)) || (MOMENTS.contains(&word) && is_empty)
}

/// Whether a text is the present moment.
fn is_moment(
    text: &str,
    (before, next): (Option<&Token>, Option<&Token>),
    all: &[Token],
    dialect: Dialect,
) -> bool {
    let is_word = |token: Option<&Token>, words: &[&str]| matches!(token, Some(Token::Word(word)) if words.contains(&word.as_str()));
    if dialect == Dialect::Sqlite {
        let has_moments = all.iter().any(|one| is_word(Some(one), &MOMENTS));
        return text == "now" && has_moments;
    }
    let is_cast = next == Some(&Token::Sign(':')) || is_word(next, &["as"]);
    SPECIAL.contains(&text)
        && (is_cast || is_word(before, &["timestamp", "timestamptz", "date", "time"]))
}

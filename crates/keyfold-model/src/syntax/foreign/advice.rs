//! What to do about lines of other languages that no change of their tokens makes one of this one.

use super::tokens::{is_sign, is_text, word};
use crate::syntax::lexer::Token;

/// Help for what an entity or a view keeps of other items.
const KEPT: &str = "an entity keeps `count orders of Order`, `sum spent of Order.total` and `max dearest of Order.total`; a least value and an average are columns of a view: `cheapest: min total`, `usual: average total`";

/// Help for the line of an error.
pub(crate) fn advice(tokens: &[Token], failed: usize, expected: &str) -> Option<&'static str> {
    let first = word(tokens, 0)?;
    let is_template = expected.starts_with("expected a key template");
    if expected.contains("`gsi`, `lsi`") {
        return of_table(first);
    }
    if tokens.len() == 1 && (is_template || expected.contains("`:`")) {
        return Some(
            "an attribute has a type, as in `name: string`; a name with `#`, which begins a comment, stands in quotes",
        );
    }
    if is_template {
        let of_line = of_entity(first).filter(|_| !is_text(tokens, 1));
        let in_quotes = || {
            word(tokens, failed).map(|_| {
                "a template stands in quotes: `key \"USER#{userId}\" \"PROFILE\"`; outside of quotes `#` begins a comment"
            })
        };
        return of_line.or_else(in_quotes);
    }
    if expected.starts_with("expected `only`, `where`") {
        return of_pattern(tokens, failed);
    }
    if expected.starts_with("expected `)`") {
        return of_kept(tokens);
    }
    if expected.starts_with("expected the end of the line") {
        let of_head = |failed: &str| of_head(tokens, first, failed);
        return of_kept(tokens).or_else(|| word(tokens, failed).and_then(of_head));
    }
    None
}

/// Help for a word of other languages that begins no declaration, and the word that is meant if it
/// is one.
pub(crate) fn declaration(word: &str) -> Option<(&'static str, Option<&'static str>)> {
    match word {
        "class" | "interface" | "struct" | "schema" | "object" => {
            Some(("write `entity`", Some("entity")))
        }
        "type" => Some((
            "write `entity` for what is stored as an item, `record` for a value with fields",
            None,
        )),
        "query" | "access" | "get" | "find" => Some((
            "write `pattern`, as in `pattern orders(userId) -> Order[]`",
            None,
        )),
        "mutation" | "transaction" | "command" => {
            Some(("write `write`, with the actions indented beneath it", None))
        }
        _ => None,
    }
}

fn of_table(first: &str) -> Option<&'static str> {
    match first.to_ascii_lowercase().as_str() {
        "index" | "global" | "secondary" => {
            Some("an index has a name and its key attributes: `gsi GSI1 (GSI1PK, GSI1SK)`")
        }
        "local" => Some("a local index has a name and its sort key: `lsi LSI1 (LSI1SK)`"),
        "pk" | "sk" | "partition" | "sort" | "hash" | "range" | "primary" | "key" => {
            Some("the key attributes stand behind the table's name: `table Shop (PK, SK)`")
        }
        "ttl" | "type" => Some(
            "it stands in the line of the table: `table Shop (PK, SK) type kind ttl expiresAt`",
        ),
        "billing" | "throughput" | "provisioned" => {
            Some("write `capacity on demand`, or units: `capacity 25 read 10 write`")
        }
        _ => None,
    }
}

fn of_entity(first: &str) -> Option<&'static str> {
    match first.to_ascii_lowercase().as_str() {
        "index" | "indexes" | "gsi" | "lsi" => Some(
            "an index is a `gsi` of the table; in an entity its name begins the line of its key: `GSI1 \"EMAIL#{email}\" \"USER\"`",
        ),
        "primary" | "partition" | "sort" | "hash" | "range" => Some(
            "the key is one line, with a template for each key attribute of the table: `key \"USER#{userId}\" \"PROFILE\"`",
        ),
        "references" | "foreign" | "belongs" | "has" => {
            Some("a reference is the type of an attribute: `userId: User.userId`")
        }
        word if is_fold(word) => Some(KEPT),
        _ => None,
    }
}

/// Help for `cheapest: min total of Order` and `cheapest: min(Order.total)`: in a view there is
/// less behind it.
fn of_kept(tokens: &[Token]) -> Option<&'static str> {
    let is_kept = is_sign(tokens, 1, ":") && is_fold(word(tokens, 2)?);
    (is_kept && tokens.len() > 3).then_some(KEPT)
}

/// Whether a word makes one value of several in this or another language.
fn is_fold(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "count" | "sum" | "max" | "min" | "avg" | "average" | "mean" | "minimum" | "maximum"
    )
}

fn of_pattern(tokens: &[Token], failed: usize) -> Option<&'static str> {
    let before = failed.checked_sub(1).and_then(|at| word(tokens, at));
    match (word(tokens, failed), before) {
        (Some("join" | "include" | "populate" | "with"), _) => Some(
            "kinds of one partition are answered together: `Customer + Order[]`; a value of another entity is a `copy` or a view",
        ),
        (None, Some("count" | "sum" | "max" | "min" | "avg" | "distinct")) => Some(
            "what is counted is kept: `count orders of Order` in an entity, or a `view`, which a pattern reads",
        ),
        (Some("group" | "having"), _) => {
            Some("groups are the rows of a `view`, which a pattern reads")
        }
        (Some("offset" | "skip"), _) => {
            Some("a page begins where the one before it ended: its cursor is given to the call")
        }
        (Some("or" | "and"), _) => Some("conditions on what is read stand behind `filter`"),
        (_, _) => None,
    }
}

fn of_head(tokens: &[Token], first: &str, failed: &str) -> Option<&'static str> {
    let is_sparse = (0..tokens.len()).any(|at| word(tokens, at) == Some("sparse"));
    match (first, failed) {
        ("entity", "extends" | "inherits" | "implements" | "is") => Some(
            "entities have no parents: write the attributes in each of them; those that belong together may be a `record`",
        ),
        (_, _) if is_sparse => Some(
            "`sparse when` takes one attribute, or one and its value: `sparse when shippedAt`, `sparse when status = open`",
        ),
        (_, _) => None,
    }
}

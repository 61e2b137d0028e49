//! What may be written in a pattern: attributes of its result as parameters, kinds, and modifiers.

use super::line::Line;
use super::offers::{
    Offer, UNITS, all_attributes, attributes, copies, entities, parameters_of, types, words,
};
use keyfold_model::names::{NameKind, Names};

const ORDERS: [&str; 6] = [
    "newest",
    "oldest",
    "highest",
    "lowest",
    "ascending",
    "descending",
];
const MODIFIERS: [&str; 13] = [
    "newest",
    "oldest",
    "highest",
    "lowest",
    "ascending",
    "descending",
    "page",
    "only",
    "where",
    "filter",
    "strong",
    "scan",
    "fetch all",
];

pub(super) fn offers(line: &Line, names: &Names) -> Vec<Offer> {
    let arrow = line.tokens.iter().position(|token| token == "->");
    match arrow {
        None => parameter(line, names),
        Some(arrow) => result(line, arrow, names),
    }
}

/// The attributes of the entities in the result, wherever it stands.
fn of_result(line: &Line, names: &Names) -> Vec<Offer> {
    let before = line.tokens.iter().skip_while(|token| *token != "->");
    let before = before.map(String::as_str);
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let behind = match line.behind.split_once("->") {
        Some((_, result)) => result,
        None => line.behind.as_str(),
    };
    let behind = behind.split(|c: char| !is_letter(c));
    let kinds = [NameKind::Entity, NameKind::View];
    let found = before.chain(behind);
    let found = found.filter(|word| names.named(&kinds, word).is_some());
    let all: Vec<Offer> = found.flat_map(|word| attributes(names, word)).collect();
    if all.is_empty() {
        all_attributes(names)
    } else {
        all
    }
}

fn parameter(line: &Line, names: &Names) -> Vec<Offer> {
    match line.last(0) {
        "(" | "," => [of_result(line, names), words(&UNITS)].concat(),
        "of" => of_result(line, names),
        ":" => types(names),
        "." => words(&["now"]),
        ")" => words(&["->"]),
        "pattern" | "in" | ">" | "<" | "=" | "starts" => Vec::new(),
        _ if line.tokens.len() <= 2 => Vec::new(),
        last if UNITS.contains(&last) => words(&["of"]),
        _ => words(&["in", "starts"]),
    }
}

fn result(line: &Line, arrow: usize, names: &Names) -> Vec<Offer> {
    let parameters = || parameters_of(names, &line.name);
    match line.last(0) {
        "->" | "+" | "(" if line.clause(&MODIFIERS).is_empty() => entities(names),
        "," if line.clause(&MODIFIERS).is_empty() => entities(names),
        "." => match copies(names, line.last(1)) {
            found if found.is_empty() => attributes(names, line.last(1)),
            found => found,
        },
        "only" | "where" | "filter" | "," | "and" | "or" | "not" | "(" => of_result(line, names),
        "=" | ">" | "<" => parameters(),
        "page" | "expect" | "as" => Vec::new(),
        "fetch" => words(&["all"]),
        last if ORDERS.contains(&last) => [of_result(line, names), words(&MODIFIERS)].concat(),
        _ if line.token(arrow + 1) == "(" => words(&["as", "where", "batch", "only", "strong"]),
        _ => words(&[&MODIFIERS[..], &["expect", "batch"]].concat()),
    }
}

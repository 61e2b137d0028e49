//! Names of SQL as a model has them: `order_lines` is the entity `OrderLine`, `customer_id` the attribute
//! `customerId`.

/// Words that have another singular than their letters say.
const SINGULARS: [(&str, &str); 14] = [
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("mice", "mouse"),
    ("indices", "index"),
    ("matrices", "matrix"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("analyses", "analysis"),
    ("bases", "basis"),
    ("aliases", "alias"),
    ("leaves", "leaf"),
    ("shelves", "shelf"),
];
/// Words that are their own plural.
const ALIKE: [&str; 8] = [
    "series", "news", "species", "data", "media", "status", "address", "canvas",
];

/// The words of a name: `order_lines`, `OrderLines` and `order lines` have the same. Accents go, other
/// letters stay.
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let (mut words, mut word) = (Vec::new(), String::new());
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let follows_small = before.is_some_and(|one| one.is_lowercase() || one.is_numeric());
        let begins_word = before.is_some_and(|one| one.is_uppercase())
            && after.is_some_and(|one| one.is_lowercase());
        if letter.is_uppercase() && (follows_small || begins_word) {
            words.push(std::mem::take(&mut word));
        }
        word.extend(letter.to_lowercase().filter(|one| one.is_alphanumeric()));
    }
    words.push(word);
    words.retain(|one| !one.is_empty());
    words
}

/// A word with a capital first letter.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// The singular of a word.
fn singular(word: &str) -> String {
    if let Some((_, one)) = SINGULARS.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    let ends = |all: &[&str]| all.iter().any(|end| word.ends_with(end));
    if ALIKE.contains(&word) || word.len() < 4 || ends(&["ss", "us", "is"]) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let keeps_e = ends(&["ouses", "auses", "ases", "oses", "nses", "rses"]);
    if ends(&["sses", "shes", "ches", "xes", "zzes"]) || (ends(&["uses"]) && !keeps_e) {
        return word.strip_suffix("es").unwrap_or(word).to_owned();
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

/// The plural of a word.
fn plural(word: &str) -> String {
    if let Some((many, _)) = SINGULARS.iter().find(|(_, one)| *one == word) {
        return (*many).to_owned();
    }
    let ends = |all: &[&str]| all.iter().any(|end| word.ends_with(end));
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) && !stem.is_empty() => {
            format!("{stem}ies")
        }
        _ if ends(&["s", "x", "z", "ch", "sh"]) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// Words of which the last one is another.
fn with_last(words: &[String], does: impl Fn(&str) -> String) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(last) = words.last_mut() {
        *last = does(last);
    }
    words
}

/// The names of an entity.
#[derive(Debug, Clone)]
pub(super) struct EntityName {
    /// `OrderLine`.
    pub(super) entity: String,
    /// `order_line`.
    pub(super) one: String,
    /// `order_lines`.
    pub(super) many: String,
    /// `ORDER_LINE`.
    pub(super) label: String,
}

impl EntityName {
    /// The names of the entity of a table. A name without letters that a word has is a number.
    pub(super) fn of(table: &str, number: usize) -> EntityName {
        let plain = |c: &char| c.is_ascii_alphanumeric();
        let words: Vec<String> = words(table);
        let words: Vec<String> = words
            .iter()
            .map(|word| word.chars().filter(plain).collect::<String>())
            .filter(|word| !word.is_empty())
            .collect();
        let mut words = with_last(&words, singular);
        if words.is_empty() {
            words = vec!["table".to_owned(), number.to_string()];
        }
        if words
            .iter()
            .take(1)
            .any(|one| one.starts_with(|c: char| c.is_ascii_digit()))
        {
            words.insert(0, "table".to_owned());
        }
        EntityName::of_words(&words)
    }

    fn of_words(words: &[String]) -> EntityName {
        let one = words.join("_");
        EntityName {
            entity: words.iter().map(|word| capital(word)).collect(),
            many: with_last(words, plural).join("_"),
            label: one.to_uppercase(),
            one,
        }
    }

    /// The names with a number behind them.
    pub(super) fn numbered(&self, number: usize) -> EntityName {
        EntityName {
            entity: format!("{}{number}", self.entity),
            one: format!("{}{number}", self.one),
            many: format!("{}{number}", self.many),
            label: format!("{}{number}", self.label),
        }
    }
}

/// The attribute of a column; a name that the language cannot write is one of its own.
pub(super) fn attribute(column: &str, number: usize) -> String {
    let words = words(column);
    let mut name = String::new();
    for (at, word) in words.iter().enumerate() {
        name.push_str(&if at == 0 { word.clone() } else { capital(word) });
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    match keyfold_model::is_word(&name) && name.len() < 200 {
        true => name,
        false => format!("column{number}"),
    }
}

/// `customer_id` of `customerId`.
pub(super) fn in_sql(name: &str) -> String {
    words(name).join("_")
}

/// A name as a word of ASCII.
pub(super) fn identifier(name: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric();
    let words = words(name).into_iter();
    let words: Vec<String> = words
        .map(|word| word.chars().filter(plain).collect::<String>())
        .filter(|word| !word.is_empty())
        .collect();
    match words.join("_") {
        name if name.is_empty() => "relational".to_owned(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("db_{name}"),
        name => name,
    }
}

/// A name with a number behind it, if it is taken.
pub(super) fn distinct(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = base.to_owned();
    let mut number = 2;
    while is_taken(&name) {
        name = format!("{base}{number}");
        number += 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{EntityName, attribute, words};

    #[test]
    fn tables_are_entities_in_the_singular() {
        for (table, entity, one, many) in [
            ("order_lines", "OrderLine", "order_line", "order_lines"),
            ("MediaType", "MediaType", "media_type", "media_types"),
            ("addresses", "Address", "address", "addresses"),
            ("Categories", "Category", "category", "categories"),
            ("people", "Person", "person", "people"),
            ("statuses", "Status", "status", "statuses"),
            ("warehouses", "Warehouse", "warehouse", "warehouses"),
            ("boxes", "Box", "box", "boxes"),
            (
                "order details",
                "OrderDetail",
                "order_detail",
                "order_details",
            ),
            (
                "2024 sales",
                "Table2024Sale",
                "table_2024_sale",
                "table_2024_sales",
            ),
            ("表", "Table7", "table_7", "table_7s"),
        ] {
            let name = EntityName::of(table, 7);
            let names = [name.entity, name.one, name.many];
            assert_eq!(names, [entity, one, many], "{table}");
        }
    }

    #[test]
    fn columns_are_attributes() {
        for (column, name) in [
            ("customer_id", "customerId"),
            ("CustomerId", "customerId"),
            ("HTTPStatus", "httpStatus"),
            ("order date", "orderDate"),
            ("größe", "größe"),
            ("名前", "名前"),
            ("2nd", "n2nd"),
            ("\"!", "column3"),
            ("key", "key"),
        ] {
            assert_eq!(attribute(column, 3), name, "{column}");
        }
        assert_eq!(words("GSI1PK"), ["gsi1", "pk"]);
    }
}

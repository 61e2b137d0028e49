//! What the model does not take, as a sentence for the callers of an application. Keyfold's own sentences
//! are for the author of the model: they name patterns, keys and templates.

/// The characters of a given text that a sentence shows at most.
const SHOWN_MAX: usize = 60;

/// A text that somebody gave, in quotes. One that is long is cut.
pub fn shown(given: &str) -> String {
    format!("{:?}", cut(given))
}

/// The beginning of a text.
pub(crate) fn cut(given: &str) -> String {
    let mut start: String = given.chars().take(SHOWN_MAX).collect();
    if start.len() < given.len() {
        start.push('…');
    }
    start
}

/// The member and the sentence about an argument that the model does not take. Its name may be that of
/// several members, whose values are too long together.
pub(crate) fn of_invalid(why: &str, attribute: Option<&str>) -> (Option<String>, String) {
    let Some(names) = attribute else {
        let detail = "It cannot be asked or stored so. /api/openapi.json says what it has to be.";
        return (None, detail.to_owned());
    };
    let field = names.split(", ").next().unwrap_or(names);
    let mark = format!("{names}: ");
    let why = why.rsplit_once(&mark).map_or(why, |(_, why)| why);
    (Some(field.to_owned()), sentence(field, why))
}

/// The sentence about a member: what is wrong with its value, and what to do.
fn sentence(field: &str, why: &str) -> String {
    if field == "after" {
        return "This after is of another list or time. Begin at the first page.".to_owned();
    }
    if why.contains(" bytes long, ") {
        return format!("The member {field} is too long. Shorten it.");
    }
    if why.contains(":escape`") {
        return format!(
            "The member {field} has a character that it cannot have. Take out `#`, and what cannot be seen."
        );
    }
    if why.contains(" is empty, ") {
        return format!("The member {field} is empty. Send a text.");
    }
    // These say only what the value is and what it has to be.
    let starts = ["`", "there is no `", "from "];
    match starts.iter().any(|start| why.starts_with(start)) {
        true => format!("The member {field} is not taken: {why}. Send another one."),
        false => format!(
            "The member {field} is not taken. /api/openapi.json says what it has to be: send that."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_invalid, shown};

    #[test]
    fn no_sentence_has_what_is_inside() {
        let long = "the pattern class: classId makes PK 5006 bytes long, and a partition key has at most 2048 bytes";
        let long_of_two =
            "View: a, b makes PK 5006 bytes long, and a sort key has at most 1024 bytes";
        let delimiter = "item 0 of the batch: a: `#` contains `#`, which separates the parts of the key; write the field with `:escape` in the template, or choose another value";
        let missing = "the write w: a is missing, and a key is made of it";
        for (why, names, field, detail) in [
            (
                long,
                "classId",
                "classId",
                "The member classId is too long. Shorten it.",
            ),
            (
                long_of_two,
                "a, b",
                "a",
                "The member a is too long. Shorten it.",
            ),
            (
                delimiter,
                "a",
                "a",
                "The member a has a character that it cannot have. Take out `#`, and what cannot be seen.",
            ),
            (
                "a is empty, and a key is made of it",
                "a",
                "a",
                "The member a is empty. Send a text.",
            ),
            (
                "the pattern orders: status: there is no `2026-13`: it has 12 months",
                "status",
                "status",
                "The member status is not taken: there is no `2026-13`: it has 12 months. Send another one.",
            ),
            (
                missing,
                "a",
                "a",
                "The member a is not taken. /api/openapi.json says what it has to be: send that.",
            ),
        ] {
            let said = of_invalid(why, Some(names));
            assert_eq!(said, (Some(field.to_owned()), detail.to_owned()));
        }
        let (field, detail) = of_invalid("the pattern x needs its table", None);
        assert_eq!(field, None);
        assert!(detail.starts_with("It cannot be asked or stored so. "));
    }

    #[test]
    fn a_text_that_is_long_is_cut() {
        assert_eq!(shown("a\n"), "\"a\\n\"");
        assert_eq!(shown(&"ä".repeat(61)), format!("\"{}…\"", "ä".repeat(60)));
    }
}

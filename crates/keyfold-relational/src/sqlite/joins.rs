//! Joins as SQLite compares their columns: by the affinities that their declared types give them, and by the
//! collation of the first one. A value by itself has neither, so a condition with it says them.

use rusqlite::Connection;

/// What a column does to values that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Affinity {
    Number,
    Text,
    None,
    /// That of ANY: none in a STRICT table, and a number's in others.
    Either,
}

impl Affinity {
    fn of(declared: &str) -> Affinity {
        let declared = declared.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        if has(&["INT"]) {
            Affinity::Number
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Affinity::Text
        } else if declared.is_empty() || has(&["BLOB"]) {
            Affinity::None
        } else if declared == "ANY" {
            Affinity::Either
        } else {
            Affinity::Number
        }
    }
}

/// A column as it is compared.
pub(super) struct Compared {
    affinity: Affinity,
    collation: String,
}

impl Compared {
    /// A column of a table.
    pub(super) fn of(
        connection: &Connection,
        schema: &str,
        table: &str,
        column: &str,
    ) -> Result<Compared, rusqlite::Error> {
        let (declared, collation, ..) = connection.column_metadata(Some(schema), table, column)?;
        let text = |text: Option<&std::ffi::CStr>| {
            text.map_or(String::new(), |text| text.to_string_lossy().into_owned())
        };
        Ok(Compared {
            affinity: Affinity::of(&text(declared)),
            collation: text(collation),
        })
    }
}

/// The condition that `other`, a column, is joined to the value of a column at the place of an argument. It may
/// be true of more rows.
pub(super) fn condition(
    (own, other): (&Compared, &Compared),
    is_own_first: bool,
    (column, argument): (&str, &str),
) -> String {
    let first = if is_own_first { own } else { other };
    let collated = match first.collation.eq_ignore_ascii_case(&other.collation) {
        true => String::new(),
        false => format!(" COLLATE {}", super::triggers::quoted(&first.collation)),
    };
    let mut all = format!("{column} = {argument}{collated}");
    // A number beside a column of texts, or of anything, is compared as a number.
    if matches!(own.affinity, Affinity::Number | Affinity::Either)
        && other.affinity != Affinity::Number
    {
        all.push_str(&format!(
            " OR {column} = CAST({argument} AS NUMERIC){collated}"
        ));
    }
    format!("({all})")
}

#[cfg(test)]
mod tests {
    use super::Affinity;

    #[test]
    fn declared_types_have_affinities() {
        for (declared, due) in [
            ("INTEGER", Affinity::Number),
            ("bigint", Affinity::Number),
            ("varchar(20)", Affinity::Text),
            ("CHARINT", Affinity::Number),
            ("", Affinity::None),
            ("blob", Affinity::None),
            ("any", Affinity::Either),
            ("DECIMAL(10,2)", Affinity::Number),
            ("double", Affinity::Number),
        ] {
            assert_eq!(Affinity::of(declared), due, "{declared}");
        }
    }
}

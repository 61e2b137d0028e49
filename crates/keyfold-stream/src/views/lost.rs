//! Why a generation of a view is lost.

/// Why the rows of a generation are kept no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The table of the rows is another one.
    Table,
    /// A consumer has not begun any stream.
    Leases,
    /// Rows are of a generation that is neither this one nor one that follows it.
    Rows,
}

impl Lost {
    const ALL: [Lost; 3] = [Lost::Table, Lost::Leases, Lost::Rows];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Lost::Table => "table",
            Lost::Leases => "leases",
            Lost::Rows => "rows",
        }
    }

    pub(crate) fn of(text: &str) -> Option<Lost> {
        Lost::ALL.into_iter().find(|one| one.word() == text)
    }

    /// The reason, in words, with the tables of the rows and of the leases.
    pub(crate) fn why(self, table: &str, leases: &str) -> String {
        match self {
            Lost::Table => {
                format!("the table {table} is not the one that its rows were written to")
            }
            Lost::Leases => format!(
                "its leases are gone from the table {leases}, so nobody knows which records are in its rows"
            ),
            Lost::Rows => format!("the table {table} has rows that were written elsewhere"),
        }
    }
}

//! What a database says of its tables: columns, keys, references and constraints, in one form for all
//! databases. `sqlite` and `postgres` read it, `propose` makes a model of it.

pub use crate::source::TableColumn;
use crate::source::{Source, SourceError};

/// The tables of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The database's name, for people.
    pub name: String,
    /// Its tables, in the order of their names.
    pub tables: Vec<Table>,
    /// What is no table whose changes can be followed, with the reason.
    pub passed: Vec<(String, String)>,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Its schema, where the name alone does not find it.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<TableColumn>,
    /// The positions of the columns of its primary key, in order; empty without one.
    pub key: Vec<usize>,
    /// What is unique beside the primary key.
    pub uniques: Vec<Unique>,
    /// What refers to rows of tables.
    pub references: Vec<Reference>,
    /// Conditions of its rows, in the database's SQL.
    pub checks: Vec<String>,
    /// Constraints that have no form here, with the reason.
    pub remarks: Vec<String>,
    /// The positions of the columns that are told of a row that is gone; `None` if all are.
    pub told: Option<Vec<usize>>,
}

/// Columns whose values no two rows share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unique {
    /// The positions of the columns.
    pub columns: Vec<usize>,
    /// Whether capitals and small letters are equal.
    pub is_folded: bool,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The positions of the columns.
    pub columns: Vec<usize>,
    /// The position of the table that is referred to.
    pub table: usize,
    /// The positions of that table's columns.
    pub to: Vec<usize>,
    /// Whether rows go with the row that they refer to.
    pub cascades: bool,
}

impl Table {
    /// The position of a column.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|one| one.name == name);
        exact.or_else(|| {
            let mut columns = self.columns.iter();
            columns.position(|one| one.name.eq_ignore_ascii_case(name))
        })
    }

    /// The positions of columns; `None` if one is not there.
    pub(crate) fn positions<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<Vec<usize>> {
        names.into_iter().map(|name| self.position(name)).collect()
    }

    /// The columns by which a row is found: its primary key, or else the shortest unique columns that are
    /// never NULL. Empty if there are none.
    pub(crate) fn identity(&self) -> Vec<usize> {
        if !self.key.is_empty() {
            return self.key.clone();
        }
        let is_required = |at: &usize| self.columns.get(*at).is_some_and(|one| one.is_required);
        let mut sure = self.uniques.iter().filter(|one| !one.is_folded);
        let first = sure.clone().map(|one| one.columns.len()).min();
        let found = sure
            .find(|one| Some(one.columns.len()) == first && one.columns.iter().all(is_required));
        found.map_or_else(Vec::new, |one| one.columns.clone())
    }

    /// Its name as people write it.
    pub(crate) fn shown(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A query that was run, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its text.
    pub sql: String,
    /// How often it was run, if that is known.
    pub calls: Option<u64>,
    /// How long it took on average, in thousandths of a second, if that is known.
    pub mean_ms: Option<f64>,
}

/// What was measured of the values of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measured {
    /// Values, with those that are NULL.
    pub rows: u64,
    /// Values that are NULL.
    pub nulls: u64,
    /// Whole numbers, where types are those of values.
    pub integers: u64,
    /// Other numbers, where types are those of values.
    pub reals: u64,
    /// Texts, where types are those of values.
    pub texts: u64,
    /// Bytes, where types are those of values.
    pub blobs: u64,
    /// Texts without a letter.
    pub empty: u64,
    /// Texts with the sign that separates the parts of keys.
    pub delimited: u64,
    /// The longest text, in bytes.
    pub longest: u64,
    /// The least whole number, or 0.
    pub least: i64,
    /// The greatest whole number, or 0.
    pub greatest: i64,
    /// Values that are no day.
    pub no_date: u64,
    /// Values that are no moment.
    pub no_time: u64,
    /// The most digits behind the second.
    pub fraction: u64,
    /// Numbers that are none of a table's: too large, too long or infinite.
    pub odd: u64,
    /// Values that are neither true nor false.
    pub no_bool: u64,
}

/// How many figures there are of a column.
pub(crate) const MEASURES: usize = 16;

impl Measured {
    /// The figures in the order of [`Describe::measures`].
    pub(crate) fn of(figures: [i64; MEASURES]) -> Measured {
        let [
            rows,
            nulls,
            integers,
            reals,
            texts,
            blobs,
            empty,
            delimited,
            longest,
            least,
            greatest,
            no_date,
            no_time,
            fraction,
            odd,
            no_bool,
        ] = figures;
        let count = |figure: i64| u64::try_from(figure).unwrap_or(0);
        Measured {
            rows: count(rows),
            nulls: count(nulls),
            integers: count(integers),
            reals: count(reals),
            texts: count(texts),
            blobs: count(blobs),
            empty: count(empty),
            delimited: count(delimited),
            longest: count(longest),
            least,
            greatest,
            no_date: count(no_date),
            no_time: count(no_time),
            fraction: count(fraction),
            odd: count(odd),
            no_bool: count(no_bool),
        }
    }
}

/// A source that says of itself what a model can be proposed from.
pub trait Describe: Source {
    /// Its tables.
    ///
    /// # Errors
    /// When they cannot be read.
    fn catalog(&mut self) -> Result<Catalog, SourceError>;

    /// The queries that were run, as far as the database keeps them; or why it does not.
    ///
    /// # Errors
    /// When the database does not answer.
    fn asked(&mut self) -> Result<Result<Vec<Asked>, String>, SourceError>;

    /// The SQL of the figures of a column, in the order of [`Measured`]'s fields: aggregates of whole numbers, or
    /// NULL.
    fn measures(&self, column: &TableColumn) -> Vec<String>;

    /// The SQL of a column as a text, inside of a text of the model, which has no double quotes; `None` if there
    /// is no such SQL.
    fn unquoted(&self, column: &str) -> Option<String>;

    /// Whether the types of columns are those of all their values.
    fn is_typed(&self) -> bool;
}

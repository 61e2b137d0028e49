//! What a migration needs of a relational database.

use crate::cell::Cell;
use keyfold_model::schema::origin::SqlTable;
use keyfold_stream::{Position, ShardKey};

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    /// What is wrong, and how it is mended.
    pub message: String,
    /// Whether trying again may help: the database is locked or does not answer.
    pub may_pass: bool,
}

impl SourceError {
    /// An error that stays.
    pub fn lasting(message: impl Into<String>) -> SourceError {
        SourceError {
            message: message.into(),
            may_pass: false,
        }
    }
}

/// A column of a table of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, as the database writes it.
    pub kind: String,
}

/// A column as rows are written to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its type, as the database writes it; that under a domain.
    pub kind: String,
    /// Whether it is never NULL.
    pub is_required: bool,
    /// Its default, in SQL.
    pub default: Option<String>,
    /// Whether the database computes it.
    pub is_generated: bool,
    /// The values of an enumeration.
    pub words: Option<Vec<String>>,
    /// Whether capitals and small letters are equal in it, as far as the catalog says.
    pub is_folded: bool,
}

/// A table whose changes are kept, and the columns by which a change is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The schema, if the model says one.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// The columns, in order.
    pub columns: Vec<String>,
}

/// A row that is another one than before: what one of its columns held, or holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// The position of its table among those that are watched.
    pub table: usize,
    /// The values of the watched columns, in order.
    pub cells: Vec<Cell>,
}

/// Changes since those that were forgotten, and the entities that they are about: what rows hold is of the
/// same snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The rows that were touched.
    pub touched: Vec<Touched>,
    /// What names them when they are forgotten.
    pub mark: Vec<i64>,
    /// Whether there are more.
    pub has_more: bool,
}

/// A column by which rows are put in order, as SQL, with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    /// The column, as it is sorted.
    pub sql: String,
    /// Its type, as the database writes it.
    pub kind: String,
}

/// A side of a place in the order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The rows that come behind it.
    Behind,
    /// The rows that come before it.
    Before,
}

/// One end of a join.
#[derive(Debug, Clone, Copy)]
pub struct End<'e> {
    /// The table.
    pub table: &'e SqlTable,
    /// The column.
    pub column: &'e str,
    /// Its type, as the database writes it.
    pub kind: &'e str,
}

/// A relational database.
pub trait Source {
    /// What names it, without its password.
    fn name(&self) -> String;

    /// The columns of a table; `None` if there is no such table. A view is an error, because nobody says when
    /// its rows change.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError>;

    /// The columns of a table as rows are written to it, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError>;

    /// The columns of a key of a table, in whose order the database reads its rows without sorting them: no two
    /// rows have the same, and none is NULL. Empty where there is no such key.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        let _ = table;
        Ok(Vec::new())
    }

    /// A name as the database's SQL quotes it.
    fn quoted(&self, name: &str) -> String;

    /// The place of the argument with a number, from 1.
    fn argument(&self, number: usize) -> String;

    /// A column or an expression of the model as it is read, by its type: where a type has a form of its own
    /// that is no JSON, the database is asked for another one.
    fn read(&self, sql: String, kind: &str) -> String {
        let _ = kind;
        sql
    }

    /// What is written behind SELECT where rows are read page by page, so that the first table is read in the order
    /// that is asked for, and the others are joined to its rows. Nothing for a planner that sees that by itself.
    fn joined_in_order(&self) -> &'static str {
        ""
    }

    /// The condition that a column is NULL.
    fn is_null(&self, column: &str) -> String {
        format!("{column} IS NULL")
    }

    /// Looks whether the database can keep the changes of tables, without a change of it.
    ///
    /// # Errors
    /// When it cannot, with everything that stands in the way.
    fn ready(&mut self, watched: &[Watched]) -> Result<(), SourceError>;

    /// The place of an argument that is compared as a value of a type.
    fn argument_of(&self, number: usize, kind: &str) -> String {
        let _ = kind;
        self.argument(number)
    }

    /// Whether columns of two types may be compared in a join, so that a change of either tells the rows of the
    /// other.
    ///
    /// # Errors
    /// Why they may not.
    fn comparable(&self, kind: &str, other: &str) -> Result<(), String> {
        let _ = (kind, other);
        Ok(())
    }

    /// A column of rows that are put in order, as it is sorted and compared by its type.
    fn sorted(&self, column: String, kind: &str) -> String {
        let _ = kind;
        column
    }

    /// The condition of rows on one side of a place in the order of some columns, with the rows at the place. Its
    /// values are the arguments from a number on.
    fn beside(&self, columns: &[Sorted], side: Side, first: usize) -> String {
        let own: Vec<&str> = columns.iter().map(|one| one.sql.as_str()).collect();
        let places = (first..).take(own.len()).map(|at| self.argument(at));
        let places: Vec<String> = places.collect();
        let sign = match side {
            Side::Behind => ">=",
            Side::Before => "<=",
        };
        format!("({}) {sign} ({})", own.join(", "), places.join(", "))
    }

    /// The place from which changes are read next, in a log whose places the source does not keep itself: it is
    /// kept beside the tables. `None` where the source keeps it.
    fn place(&self) -> Option<String> {
        None
    }

    /// Goes on from a place that was kept.
    ///
    /// # Errors
    /// When it is none, or the log does not have it any more.
    fn resume(&mut self, place: &str) -> Result<(), SourceError> {
        let _ = place;
        Ok(())
    }

    /// A place behind one that was kept, where the database stands before that one, as an older copy does that was put
    /// back: noted instead, it says so also when this run has brought the copy forward.
    ///
    /// # Errors
    /// When it is no place, or the database cannot be read.
    fn behind(&mut self, place: &str) -> Result<Option<String>, SourceError> {
        let _ = place;
        Ok(None)
    }

    /// Checks that the database is the one that was opened, and has all changes that were carried.
    ///
    /// # Errors
    /// When it is another one: an older copy was put back.
    fn check_same(&mut self) -> Result<(), SourceError> {
        Ok(())
    }

    /// The condition that the second end of a join is joined to a value of the first one, which is an argument. It
    /// is true of every row that the join reaches, and may be of more.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn joined(
        &mut self,
        (own, other): (&End<'_>, &End<'_>),
        is_own_first: bool,
        number: usize,
    ) -> Result<String, SourceError> {
        let _ = is_own_first;
        let (alias, column) = (self.quoted(&other.table.alias), self.quoted(other.column));
        let argument = self.argument_of(number, own.kind);
        Ok(format!("{alias}.{column} = {argument}"))
    }

    /// Waits until what was read is durable in the database: a row that a failure takes back must not have
    /// become an item.
    ///
    /// # Errors
    /// When the database does not answer.
    fn settle(&mut self) -> Result<(), SourceError> {
        Ok(())
    }

    /// Begins a snapshot: all that is read until [`Source::release`] is of one moment. Changes are read first
    /// in it, if they are read at all.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn hold(&mut self) -> Result<(), SourceError>;

    /// Ends the snapshot.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn release(&mut self) -> Result<(), SourceError>;

    /// The rows of a query.
    ///
    /// # Errors
    /// When the database refuses the query, with its reason.
    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError>;

    /// The migration that [`Source::watch`] was called for; `None` if nobody watches.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn watched_by(&mut self) -> Result<Option<String>, SourceError>;

    /// What a person should know who begins, though nothing stands in the way: sentences.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn advice(&mut self) -> Result<Vec<String>, SourceError> {
        Ok(Vec::new())
    }

    /// The log that the database keeps because a migration has not carried it yet; `None` where it keeps none.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn kept_log(&mut self) -> Result<Option<KeptLog>, SourceError> {
        Ok(None)
    }

    /// Makes the database keep the changes of tables from now on, for a migration. Those of tables that it
    /// watches so already are kept.
    ///
    /// # Errors
    /// When it cannot, with the reason, among others that another migration has it.
    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError>;

    /// Checks that the changes of tables were kept since [`Source::watch`].
    ///
    /// # Errors
    /// When they were not: somebody took away what keeps them.
    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError>;

    /// Ends what [`Source::watch`] began, and leaves nothing behind.
    ///
    /// # Errors
    /// When the database refuses it.
    fn unwatch(&mut self) -> Result<(), SourceError>;

    /// The changes that are kept, about so many at most. The snapshot holds all of them.
    ///
    /// # Errors
    /// When they cannot be read, among others because nobody watches any more.
    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError>;

    /// Forgets changes that were carried.
    ///
    /// # Errors
    /// When the database refuses it.
    fn forget(&mut self, watched: &[Watched], change: &Change) -> Result<(), SourceError>;

    /// Passes over all changes up to now at once, which are those of this process: nobody else writes. `false` where
    /// they must be read and forgotten instead.
    ///
    /// # Errors
    /// When the database does not answer.
    fn skip(&mut self) -> Result<bool, SourceError> {
        Ok(false)
    }

    /// What a switch to the tables needs; `None` for a database that cannot follow them.
    fn lead(&mut self) -> Option<&mut dyn Lead> {
        None
    }

    /// Takes the right to migrate, which one process at a time has, as long as it lives.
    ///
    /// # Errors
    /// When another process has it.
    fn claim(&mut self) -> Result<(), SourceError>;
}

/// The part of its log that a database keeps for a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptLog {
    /// Its bytes.
    pub bytes: u64,
    /// How many bytes more may come before the database throws it away; `None` where it never does.
    pub left: Option<u64>,
}

impl KeptLog {
    /// Whether less than a fifth is left of what the database keeps at most.
    pub(crate) fn is_short(self) -> bool {
        self.left
            .is_some_and(|left| left.saturating_mul(4) < self.bytes)
    }
}

/// Up to where a shard of a table's stream is carried.
pub type Tip = (ShardKey, Position);

/// What a database notes while it does not lead.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// The migration.
    pub id: String,
    /// That of the run that has it.
    pub fence: u64,
    /// Where programs write instead, as the command names it; absent in notes of earlier versions.
    pub place: Option<String>,
    /// Up to where streams are carried.
    pub tips: Vec<Tip>,
}

/// What became of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrote {
    /// It changed so many rows.
    Rows(u64),
    /// A constraint refused it: what the database says. It changed nothing, and the transaction goes on.
    Refused(String),
}

/// What a switch needs of a database: that it refuses writes of programs, and takes rows of items.
pub trait Lead {
    /// Looks whether the database can let tables refuse writes and take rows of items, without a change of it.
    ///
    /// # Errors
    /// When it cannot, with every right that is missing.
    fn may_lead(&mut self, tables: &[Watched]) -> Result<(), SourceError> {
        let _ = tables;
        Ok(())
    }

    /// What is noted; `None` while the database leads.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn noted(&mut self) -> Result<Option<Noted>, SourceError>;

    /// Notes that the database does not lead, and lets tables refuse writes of everybody else: in one transaction.
    /// `instead` is where programs write then. What is noted already goes on with another fence.
    ///
    /// # Errors
    /// When the database refuses it.
    fn close(
        &mut self,
        tables: &[Watched],
        of: (&str, u64),
        instead: &str,
    ) -> Result<(), SourceError>;

    /// Lets the tables take writes again, and forgets what is noted, if it has this fence: whether it had.
    ///
    /// # Errors
    /// When the database refuses it.
    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError>;

    /// Takes what is noted for another run: it has its fence from now on.
    ///
    /// # Errors
    /// When the database refuses it.
    fn take(&mut self, of: (&str, u64)) -> Result<(), SourceError>;

    /// Begins a transaction in which rows are written; `false` if another fence is noted.
    ///
    /// # Errors
    /// When the database refuses it.
    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError>;

    /// Changes rows.
    ///
    /// # Errors
    /// When the database fails otherwise than by a constraint.
    fn write(&mut self, sql: &str, arguments: &[Cell]) -> Result<Wrote, SourceError>;

    /// Notes up to where streams are carried, and ends the transaction.
    ///
    /// # Errors
    /// When the database fails otherwise than by a constraint.
    fn commit(&mut self, tips: &[Tip]) -> Result<Wrote, SourceError>;

    /// Takes the transaction back.
    ///
    /// # Errors
    /// When the database refuses it.
    fn rollback(&mut self) -> Result<(), SourceError>;
}

//! The `from` lines of a model beside the tables that a database has: which column an attribute is taken
//! from, and which rows of other tables an entity depends on.

use crate::dialect::Dialect;
use crate::source::{Column, End, Source, SourceError, Watched};
use crate::sql;
use crate::statement::{self, Order, Statements};
use keyfold_model::diagnostic::Diagnostic;
use keyfold_model::schema::Attribute;
use keyfold_model::schema::origin::{Origin, SqlColumn, SqlTable, Taken};
use keyfold_model::{Entity, Model, Type};
use std::collections::BTreeMap;

/// Why a model cannot be mapped to a database.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The model asks for what the database does not have.
    #[error("the model does not fit the database")]
    Model(Vec<Diagnostic>),
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// An attribute, and the SQL that it is taken from.
#[derive(Debug)]
pub struct Filled<'m> {
    /// The attribute.
    pub attribute: &'m Attribute,
    /// A column or an expression.
    pub sql: String,
    /// The column as the model would name it, if it is one.
    pub(crate) column: Option<String>,
    /// The column of the first table, if it is one of it.
    pub(crate) own: Option<String>,
    /// The type of the column, as the database writes it; empty for an expression.
    pub(crate) kind: String,
}

/// A table by whose rows an entity changes.
#[derive(Debug)]
pub(crate) struct Dependence {
    /// The position of the table among those that are watched.
    pub(crate) watched: usize,
    /// The positions of the columns among those that are watched of it.
    pub(crate) columns: Vec<usize>,
    /// The query of the identities of the entities that depend on a row with such values; `None` where the
    /// values are the identity.
    pub(crate) sql: Option<String>,
}

/// An entity and its rows.
#[derive(Debug)]
pub struct Mapped<'m> {
    /// The model.
    pub(crate) model: &'m Model,
    /// The entity.
    pub entity: &'m Entity,
    /// Its `from` line.
    pub origin: &'m Origin,
    /// Its attributes that rows fill, in the order of the columns of a row.
    pub filled: Vec<Filled<'m>>,
    /// The positions in a row of the attributes that identify an item.
    pub identity: Vec<usize>,
    /// The attributes that no column fills, and that need none.
    pub unfilled: Vec<&'m str>,
    pub(crate) dialect: Dialect,
    /// Where in a row the values stand by which rows are put in order, and whether bytes are what the column holds
    /// (and no text that is none).
    pub(crate) order: Vec<(usize, bool)>,
    /// Whether they are a key: no two rows have the same, and none is NULL.
    pub(crate) has_key: bool,
    /// Whether two rows may make one item, as far as the database's keys and types say.
    pub(crate) may_double: bool,
    pub(crate) statements: Statements,
    pub(crate) depends: Vec<Dependence>,
}

/// All entities that come from a database.
#[derive(Debug)]
pub struct Mapping<'m> {
    /// The model.
    pub model: &'m Model,
    /// The entities, each behind those that it refers to.
    pub entities: Vec<Mapped<'m>>,
    /// The tables whose changes matter.
    pub watched: Vec<Watched>,
}

/// The columns of the tables of a `from` line, by the names that it gives them.
type Tables = BTreeMap<String, Vec<Column>>;

impl<'m> Mapping<'m> {
    /// The mapping of a model to a database.
    ///
    /// # Errors
    /// `Model` with everything that does not fit, at its place in the model; `Source` when the database
    /// cannot be read.
    pub fn of(model: &'m Model, source: &mut dyn Source) -> Result<Mapping<'m>, MapError> {
        let mut mapping = Mapping {
            model,
            entities: Vec::new(),
            watched: Vec::new(),
        };
        let mut faults = Vec::new();
        for entity in in_order(model) {
            let Some(origin) = &entity.origin else {
                continue;
            };
            let Some(tables) = tables(origin, source, &mut faults)? else {
                continue;
            };
            let known = faults.len();
            let one = Draft {
                entity,
                origin: named(origin, &tables),
                tables,
            };
            let filled = one.filled(source, &mut faults);
            one.check_joins(source, &mut faults);
            if faults.len() == known {
                faults.extend(sql::faults(source, &one.origin)?);
            }
            let identity = one.identity(&filled, &mut faults);
            if faults.len() == known {
                let depends = one.depends(source, &identity, &mut mapping.watched)?;
                let columns: Vec<&str> = filled.iter().map(|one| one.sql.as_str()).collect();
                let key = source.key(&one.origin.table)?;
                let order = one.order(&filled, &identity, &key);
                let sorted = one.sorted(&identity, &key);
                let statements = Statements::of(source, &one.origin, &columns, &identity, sorted);
                mapping.entities.push(Mapped {
                    order,
                    has_key: !key.is_empty(),
                    may_double: one.may_double(&filled, &identity, &key),
                    model,
                    entity,
                    unfilled: one.unfilled_of(&filled),
                    dialect: Dialect::of(source),
                    origin,
                    statements,
                    identity: identity.into_iter().map(|(at, _)| at).collect(),
                    filled,
                    depends,
                });
            }
        }
        match faults.is_empty() {
            true => Ok(mapping),
            false => Err(MapError::Model(faults)),
        }
    }
}

/// The entities of a model, each behind those that its attributes refer to, as far as there is no circle.
fn in_order(model: &Model) -> Vec<&Entity> {
    fn visit<'m>(model: &'m Model, at: usize, seen: &mut Vec<usize>, order: &mut Vec<&'m Entity>) {
        let Some(entity) = model.entities.get(at).filter(|_| !seen.contains(&at)) else {
            return;
        };
        seen.push(at);
        let refers = entity
            .attributes
            .iter()
            .filter_map(|one| one.refers.as_ref());
        for (name, _) in refers {
            if let Some(at) = model.entities.iter().position(|one| one.name == *name) {
                visit(model, at, seen, order);
            }
        }
        order.push(entity);
    }
    let (mut seen, mut order) = (Vec::new(), Vec::new());
    for at in 0..model.entities.len() {
        visit(model, at, &mut seen, &mut order);
    }
    order
}

/// The columns of the tables of a line; `None` after a report that one is absent.
fn tables(
    origin: &Origin,
    source: &mut dyn Source,
    faults: &mut Vec<Diagnostic>,
) -> Result<Option<Tables>, SourceError> {
    let mut tables = Tables::new();
    let known = faults.len();
    for table in origin.tables() {
        match source.columns(table)? {
            Some(columns) => {
                tables.insert(table.alias.clone(), columns);
            }
            None => {
                let message = format!("the database has no table `{}`", table.name);
                faults.push(Diagnostic::error("KF002", table.span, message, "not there"));
            }
        }
    }
    Ok((faults.len() == known).then_some(tables))
}

/// The column with a name: exactly so, or the only one that has it without regard to case.
fn called<'c>(columns: &'c [Column], name: &str) -> Option<&'c Column> {
    if let Some(column) = columns.iter().find(|one| one.name == name) {
        return Some(column);
    }
    let mut alike = columns
        .iter()
        .filter(|one| one.name.eq_ignore_ascii_case(name));
    alike.next().filter(|_| alike.next().is_none())
}

/// A line, with the names of its columns as the database has them.
fn named(origin: &Origin, tables: &Tables) -> Origin {
    let mut origin = origin.clone();
    let of_joins = origin.joins.iter_mut().flat_map(|join| &mut join.on);
    let of_joins = of_joins.flat_map(|(one, other)| [one, other]);
    let of_set = origin.set.iter_mut().filter_map(|(_, taken)| match taken {
        Taken::Column(column) => Some(column),
        Taken::Expression(..) => None,
    });
    for column in of_joins.chain(of_set) {
        let columns = tables.get(&column.alias).map_or(&[][..], Vec::as_slice);
        if let Some(known) = called(columns, &column.column) {
            column.column.clone_from(&known.name);
        }
    }
    origin
}

/// An entity whose mapping is being made.
struct Draft<'m> {
    entity: &'m Entity,
    /// Its line, with the columns' names as the database has them.
    origin: Origin,
    tables: Tables,
}

impl<'m> Draft<'m> {
    fn columns(&self, alias: &str) -> &[Column] {
        self.tables.get(alias).map_or(&[], Vec::as_slice)
    }

    /// What is wrong with a column that the database does not have.
    fn lacking(&self, column: &SqlColumn) -> Option<Diagnostic> {
        let columns = self.columns(&column.alias);
        if called(columns, &column.column).is_some() {
            return None;
        }
        let names: Vec<&str> = columns.iter().map(|one| one.name.as_str()).collect();
        let message = format!("`{}` has no column `{}`", column.alias, column.column);
        let error = Diagnostic::error("KF002", column.span, message, "not in the database");
        Some(error.help(format!("it has {}", names.join(", "))))
    }

    fn check_joins(&self, source: &dyn Source, faults: &mut Vec<Diagnostic>) {
        for (one, other) in self.origin.joins.iter().flat_map(|join| &join.on) {
            faults.extend(self.lacking(one));
            faults.extend(self.lacking(other));
            let kind = |column: &SqlColumn| self.kind_of(&column.alias, &column.column);
            if let Err(why) = source.comparable(kind(one), kind(other)) {
                let message = format!(
                    "`{}.{}` and `{}.{}` {why}",
                    one.alias, one.column, other.alias, other.column
                );
                faults.push(Diagnostic::error("KF005", one.span, message, "compared"));
            }
        }
    }

    /// The attributes that rows fill. Those that Keyfold keeps itself, and those that may be absent and have
    /// no column, are none of them.
    fn filled(&self, source: &dyn Source, faults: &mut Vec<Diagnostic>) -> Vec<Filled<'m>> {
        let mut filled = Vec::new();
        for attribute in self.entity.attributes.iter().filter(|one| !one.is_kept) {
            let of_column = |alias: &str, column: &str| {
                let sql = self.read(source, alias, column);
                let kind = self.kind_of(alias, column).to_owned();
                let is_own = alias == self.origin.table.alias;
                let own = is_own.then(|| column.to_owned());
                (sql, Some(format!("{alias}.{column}")), own, kind)
            };
            let sql = match self.origin.taken(&attribute.name) {
                Some(Taken::Expression(sql, _)) => {
                    Some((format!("({sql})"), None, None, String::new()))
                }
                Some(Taken::Column(column)) => {
                    faults.extend(self.lacking(column));
                    Some(of_column(&column.alias, &column.column))
                }
                None => self
                    .like(&attribute.name)
                    .map(|column| of_column(&self.origin.table.alias, column)),
            };
            match sql {
                Some((sql, column, own, kind)) => filled.push(Filled {
                    attribute,
                    sql,
                    column,
                    own,
                    kind,
                }),
                None if attribute.optional || attribute.default.is_some() => {}
                None => faults.push(self.unfilled(attribute)),
            }
        }
        filled
    }

    /// The attributes that rows do not fill, and that the model does not keep itself.
    fn unfilled_of(&self, filled: &[Filled<'m>]) -> Vec<&'m str> {
        let is_filled = |name: &str| filled.iter().any(|one| one.attribute.name == name);
        let all = self.entity.attributes.iter().filter(|one| !one.is_kept);
        let names = all.map(|one| one.name.as_str());
        names.filter(|name| !is_filled(name)).collect()
    }

    /// The type of a column; empty for one that is not there.
    fn kind_of(&self, alias: &str, name: &str) -> &str {
        let mut columns = self.columns(alias).iter();
        let found = columns.find(|one| one.name == name);
        found.map_or("", |one| one.kind.as_str())
    }

    /// A column as it is read.
    fn read(&self, source: &dyn Source, alias: &str, name: &str) -> String {
        let sql = statement::column(source, alias, name);
        source.read(sql, self.kind_of(alias, name))
    }

    /// The column of the first table that has an attribute's name, as it is or as SQL writes names.
    fn like(&self, attribute: &str) -> Option<&str> {
        let columns = self.columns(&self.origin.table.alias);
        let in_sql = in_sql(attribute);
        let names = [attribute, in_sql.as_str()];
        let mut exact = names
            .iter()
            .filter_map(|name| columns.iter().find(|one| one.name == *name));
        let found = exact.next();
        let found = found.or_else(|| names.iter().find_map(|name| called(columns, name)));
        found.map(|one| one.name.as_str())
    }

    /// The column that an attribute is most likely taken from: the `id` of the table for `orderId` of Order.
    fn likely(&self, attribute: &str) -> Option<&str> {
        let id = called(self.columns(&self.origin.table.alias), "id")?;
        let own = format!("{}Id", self.entity.name);
        let is_own = attribute.eq_ignore_ascii_case(&own) && self.entity.identifies(attribute);
        is_own.then_some(id.name.as_str())
    }

    fn unfilled(&self, attribute: &Attribute) -> Diagnostic {
        let table = &self.origin.table;
        let names: Vec<&str> = self
            .columns(&table.alias)
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        let message = format!(
            "no column fills `{}` of {}",
            attribute.name, self.entity.name
        );
        Diagnostic::error("KF005", self.origin.span, message, "says nothing of it")
            .label(attribute.span, "always has a value")
            .note(format!("`{}` has {}", table.name, names.join(", ")))
            .help(match self.likely(&attribute.name) {
                Some(column) => format!(
                    "say what it is taken from: `set {} = {}.{column}`",
                    attribute.name, table.alias
                ),
                None => format!(
                    "say what it is taken from: `set {} = {}.COLUMN`, or SQL in quotes",
                    attribute.name, table.alias
                ),
            })
    }

    /// The positions of the attributes that identify an item, and their columns in the first table: by
    /// these a change of a row tells which item it is about.
    fn identity(
        &self,
        filled: &[Filled<'m>],
        faults: &mut Vec<Diagnostic>,
    ) -> Vec<(usize, String)> {
        let mut identity = Vec::new();
        for name in self.entity.identity() {
            let column = match self.origin.taken(name) {
                Some(Taken::Column(column)) if column.alias == self.origin.table.alias => {
                    Some(column.column.clone())
                }
                Some(_) => None,
                None => self.like(name).map(str::to_owned),
            };
            let at = filled.iter().position(|one| one.attribute.name == name);
            match (at, column) {
                (Some(at), Some(column)) => identity.push((at, column)),
                (Some(_), None) => faults.push(self.not_own(name)),
                (None, _) if faults.is_empty() => {
                    let message = format!(
                        "`{name}` identifies {}, and no column fills it",
                        self.entity.name
                    );
                    let error =
                        Diagnostic::error("KF005", self.origin.span, message, "says nothing of it");
                    faults.push(error.help("items of rows have keys that are made of columns"));
                }
                (None, _) => {}
            }
        }
        identity
    }

    /// The type of a column of the first table.
    fn kind(&self, name: &str) -> &str {
        self.kind_of(&self.origin.table.alias, name)
    }

    /// The columns in whose order rows are read: a key's, or else the identity's.
    fn sorted<'o>(&'o self, identity: &'o [(usize, String)], key: &'o [String]) -> Order<'o> {
        let names: Vec<&str> = match key.is_empty() {
            true => identity.iter().map(|(_, name)| name.as_str()).collect(),
            false => key.iter().map(String::as_str).collect(),
        };
        Order {
            columns: names
                .into_iter()
                .map(|name| (name, self.kind(name)))
                .collect(),
            is_key: !key.is_empty(),
        }
    }

    /// The places of the columns in whose order rows are read: of a key, they stand behind the others.
    fn order(
        &self,
        filled: &[Filled<'m>],
        identity: &[(usize, String)],
        key: &[String],
    ) -> Vec<(usize, bool)> {
        if key.is_empty() {
            let is_binary = |at: usize| {
                let kind = filled.get(at).map(|one| &one.attribute.kind);
                matches!(kind, Some(Type::Binary))
            };
            return identity
                .iter()
                .map(|(at, _)| (*at, is_binary(*at)))
                .collect();
        }
        let key = key.iter().enumerate();
        let place = |(at, name): (usize, &String)| {
            (filled.len() + at, holds_bytes(&base_of(self.kind(name))))
        };
        key.map(place).collect()
    }

    /// Whether two rows may make one item: the identity does not hold all columns of a key, or a column has several
    /// spellings of one value.
    fn may_double(
        &self,
        filled: &[Filled<'m>],
        identity: &[(usize, String)],
        key: &[String],
    ) -> bool {
        let is_distinct = |name: &String| {
            let own = identity.iter().find(|(_, column)| column == name);
            let one = own.and_then(|(at, _)| filled.get(*at));
            one.is_some_and(|one| has_one_spelling(self.kind(name), &one.attribute.kind))
        };
        key.is_empty() || !key.iter().all(is_distinct)
    }

    fn not_own(&self, name: &str) -> Diagnostic {
        let span = match self.origin.taken(name) {
            Some(Taken::Column(column)) => column.span,
            Some(Taken::Expression(_, span)) => *span,
            None => self.origin.span,
        };
        let message = format!(
            "`{name}` identifies {}, and is no column of `{}`",
            self.entity.name, self.origin.table.alias
        );
        Diagnostic::error("KF005", span, message, "of another table, or computed")
            .note("a change of a row tells which item it is about by the row's own columns, also when the row is gone")
            .help(format!(
                "take it from a column of `{0}`, or add a generated column to `{0}`",
                self.origin.table.alias
            ))
    }

    fn depends(
        &self,
        source: &mut dyn Source,
        identity: &[(usize, String)],
        watched: &mut Vec<Watched>,
    ) -> Result<Vec<Dependence>, SourceError> {
        let columns: Vec<&str> = identity.iter().map(|(_, column)| column.as_str()).collect();
        let own = &self.origin.table;
        let (at, positions) = watch(watched, own, &columns);
        let mut depends = vec![Dependence {
            watched: at,
            columns: positions,
            sql: None,
        }];
        for (number, join) in self.origin.joins.iter().enumerate() {
            let alias = &join.table.alias;
            let pairs = join
                .on
                .iter()
                .map(|(one, other)| match one.alias == *alias {
                    true => (one, other, true),
                    false => (other, one, false),
                });
            let (mut columns, mut conditions) = (Vec::new(), Vec::new());
            for (own, other, is_own_first) in pairs {
                columns.push(own.column.as_str());
                let ends = (self.end(own), self.end(other));
                if let (Some(own), Some(other)) = ends {
                    let number = conditions.len() + 1;
                    conditions.push(source.joined((&own, &other), is_own_first, number)?);
                }
            }
            let (at, positions) = watch(watched, &join.table, &columns);
            let sql = statement::dependent(source, &self.origin, number, &conditions, identity);
            depends.push(Dependence {
                watched: at,
                columns: positions,
                sql: Some(sql),
            });
        }
        Ok(depends)
    }

    /// A column of a join.
    fn end<'e>(&'e self, column: &'e SqlColumn) -> Option<End<'e>> {
        let mut tables = self.origin.tables();
        let table = tables.find(|one| one.alias == column.alias)?;
        let mut columns = self.columns(&column.alias).iter();
        let found = columns.find(|one| one.name == column.column);
        Some(End {
            table,
            column: &column.column,
            kind: found.map_or("", |one| one.kind.as_str()),
        })
    }
}

/// The name of a type, in small letters, without what stands in its parentheses or behind them.
pub(crate) fn base_of(kind: &str) -> String {
    let kind = kind.split('(').next().unwrap_or_default();
    let kind = kind.split(" character set ").next().unwrap_or_default();
    kind.trim().to_lowercase()
}

/// Whether the columns of a type hold bytes.
fn holds_bytes(base: &str) -> bool {
    base.contains("blob") || base.contains("binary") || base == "bytea"
}

/// Whether different values of a column are different values of an attribute.
fn has_one_spelling(column: &str, attribute: &Type) -> bool {
    let column = base_of(column);
    match attribute {
        Type::Int | Type::Number => ["int", "numeric", "decimal"]
            .iter()
            .any(|one| column.contains(one)),
        Type::String | Type::Words(_) => ["int", "char", "text", "uuid"]
            .iter()
            .any(|one| column.contains(one)),
        Type::Uuid => column == "uuid",
        Type::Date => column == "date",
        Type::Binary => holds_bytes(&column),
        Type::Bool
        | Type::Time(_)
        | Type::Period(_)
        | Type::Ulid
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => false,
    }
}

/// Adds columns of a table to those that are watched: the positions of the table and of the columns.
fn watch(watched: &mut Vec<Watched>, table: &SqlTable, columns: &[&str]) -> (usize, Vec<usize>) {
    let is_same = |one: &Watched| one.table == table.name && one.schema == table.schema;
    let at = watched.iter().position(is_same).unwrap_or_else(|| {
        watched.push(Watched {
            schema: table.schema.clone(),
            table: table.name.clone(),
            columns: Vec::new(),
        });
        watched.len() - 1
    });
    let mut positions = Vec::new();
    if let Some(one) = watched.get_mut(at) {
        for column in columns {
            let known = one.columns.iter().position(|known| known == column);
            positions.push(known.unwrap_or_else(|| {
                one.columns.push((*column).to_owned());
                one.columns.len() - 1
            }));
        }
    }
    (at, positions)
}

/// A name of the model as SQL writes names: `customerId` is `customer_id`.
fn in_sql(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

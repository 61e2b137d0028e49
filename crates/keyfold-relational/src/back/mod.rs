//! The way back of a `from` line: what the columns of a row are of the attributes of an item. A column that an
//! attribute is taken from gets that attribute; what an attribute is computed of is said behind `back`, in SQL over
//! attributes. What belongs to a joined table is the matter of the entity whose rows those are.
//!
//! - `cells`: values as cells; `forms`: SQL that differs between databases. `proof`: each row, forth and back.

pub(crate) mod cells;
pub(crate) mod forms;
pub(crate) mod proof;

use crate::cell::Cell;
use crate::mapping::{Filled, MapError, Mapped, Mapping};
use crate::source::TableColumn;
use crate::source::{Source, SourceError};
use crate::sql;
use keyfold_lower::arguments::Values;
use keyfold_model::Type;
use keyfold_model::diagnostic::{Diagnostic, Span};
use keyfold_model::schema::origin::{Origin, Taken};

/// What a column is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    /// An attribute, by its position among those that are filled.
    Attribute(usize),
    /// SQL over attributes.
    Expression(String),
}

/// A column of the first table of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackColumn {
    pub(crate) name: String,
    /// Its type, as the database writes it.
    pub(crate) kind: String,
    pub(crate) from: From,
}

/// The way back of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Back {
    /// The columns that an item says.
    pub(crate) columns: Vec<BackColumn>,
    /// Which of them identify the item, in the order of the mapping's.
    pub(crate) identity: Vec<usize>,
}

/// The ways back of all mapped entities, in their order.
///
/// # Errors
/// `Model` with each attribute and each column for which there is none; `Source` when the database cannot be read.
pub(crate) fn ways(mapping: &Mapping<'_>, source: &mut dyn Source) -> Result<Vec<Back>, MapError> {
    let (mut ways, mut faults) = (Vec::new(), Vec::new());
    for mapped in &mapping.entities {
        let known = source.described(&mapped.origin.table)?;
        let draft = Draft {
            mapping,
            mapped,
            known,
        };
        draft.check_alone(&mut faults);
        let columns = draft.columns(source, &mut faults)?;
        draft.check_attributes(&mut faults);
        draft.check_columns(&columns, &mut faults);
        let identity = mapped.identity.iter().filter_map(|at| {
            let is_it = |one: &BackColumn| one.from == From::Attribute(*at);
            columns.iter().position(is_it)
        });
        ways.push(Back {
            identity: identity.collect(),
            columns,
        });
    }
    match faults.is_empty() {
        true => Ok(ways),
        false => Err(MapError::Model(faults)),
    }
}

struct Draft<'d, 'm> {
    mapping: &'d Mapping<'m>,
    mapped: &'d Mapped<'m>,
    /// The columns of the first table.
    known: Vec<TableColumn>,
}

fn fault(span: Span, message: String, label: &str, help: String) -> Diagnostic {
    Diagnostic::error("KF005", span, message, label).help(help)
}

impl Draft<'_, '_> {
    fn origin(&self) -> &Origin {
        self.mapped.origin
    }

    fn column(&self, name: &str) -> Option<&TableColumn> {
        let exact = self.known.iter().find(|one| one.name == name);
        exact.or_else(|| {
            let mut all = self.known.iter();
            all.find(|one| one.name.eq_ignore_ascii_case(name))
        })
    }

    /// The place of what fills an attribute.
    fn span_of(&self, attribute: &str) -> Span {
        match self.origin().taken(attribute) {
            Some(Taken::Column(column)) => column.span,
            Some(Taken::Expression(_, span)) => *span,
            None => self.origin().span,
        }
    }

    /// A row is one item: the row of two entities would go with either of them.
    fn check_alone(&self, faults: &mut Vec<Diagnostic>) {
        let own = self.origin();
        let is_shared = |other: &Mapped<'_>| {
            let (one, two) = (&own.table, &other.origin.table);
            let is_same_table = (&one.schema, &one.name) == (&two.schema, &two.name);
            let is_divided = own.only.is_some() && other.origin.only.is_some();
            other.entity.name != self.mapped.entity.name && is_same_table && !is_divided
        };
        if let Some(other) = self.mapping.entities.iter().find(|one| is_shared(one)) {
            let (entity, table) = (&self.mapped.entity.name, &own.table.name);
            let message = format!(
                "the rows of `{table}` are items of {entity} and of {}",
                other.entity.name
            );
            let help = "say by `where` which rows are the items of each: a row would go when either item goes";
            faults.push(fault(
                own.span,
                message,
                "no way back to the rows",
                help.to_owned(),
            ));
        }
    }

    /// The columns that an item says: by `back`, and by attributes that are taken from columns.
    fn columns(
        &self,
        source: &mut dyn Source,
        faults: &mut Vec<Diagnostic>,
    ) -> Result<Vec<BackColumn>, SourceError> {
        let mut columns: Vec<BackColumn> = Vec::new();
        for given in &self.origin().back {
            let table = &self.origin().table.name;
            let Some(known) = self.column(&given.column) else {
                let message = format!("`{table}` has no column `{}`", given.column);
                let names: Vec<&str> = self.known.iter().map(|one| one.name.as_str()).collect();
                let help = format!("it has {}", names.join(", "));
                faults.push(fault(given.span, message, "not in the database", help));
                continue;
            };
            let is_identity = |at: &usize| {
                let one = self.mapped.filled.get(*at);
                one.is_some_and(|one| one.own.as_ref() == Some(&known.name))
            };
            if known.is_generated || self.mapped.identity.iter().any(is_identity) {
                let (why, help) = match known.is_generated {
                    true => ("the database computes it", "leave it out"),
                    false => (
                        "it identifies the item, and is as its attribute",
                        "leave it out",
                    ),
                };
                let message = format!("`{}` has no other way back: {why}", known.name);
                faults.push(fault(given.span, message, "not needed", help.to_owned()));
                continue;
            }
            let tried = self.tried(source, &given.sql);
            faults.extend(sql::fault(source, (&given.sql, given.sql_span), &tried)?);
            columns.push(BackColumn {
                name: known.name.clone(),
                kind: known.kind.clone(),
                from: From::Expression(given.sql.clone()),
            });
        }
        for (at, one) in self.mapped.filled.iter().enumerate() {
            let Some(known) = one.own.as_ref().and_then(|name| self.column(name)) else {
                continue;
            };
            if known.is_generated || columns.iter().any(|one| one.name == known.name) {
                continue;
            }
            columns.push(BackColumn {
                name: known.name.clone(),
                kind: known.kind.clone(),
                from: From::Attribute(at),
            });
        }
        Ok(columns)
    }

    /// A query that reads nothing, and that the database refuses where it refuses SQL over attributes.
    fn tried(&self, source: &dyn Source, sql: &str) -> String {
        let all = self.mapped.filled.iter().enumerate();
        let all = all.map(|(at, one)| {
            let place = source.argument(at + 1);
            let given = forms::given(source, at + 1, &one.attribute.kind);
            let name = forms::name_of(source, &one.attribute.name);
            format!("{} AS {name}", given.replacen(&place, "NULL", 1))
        });
        let all: Vec<String> = all.collect();
        format!(
            "SELECT 1 FROM (SELECT {}) AS item WHERE ({sql}) IS NULL AND 1 = 0",
            all.join(", ")
        )
    }

    /// Whether some `back` of the line speaks of an attribute.
    fn is_named_back(&self, attribute: &str) -> bool {
        let dialect = self.mapped.dialect;
        let mut all = self.origin().back.iter();
        all.any(|one| sql::names(&one.sql, attribute, dialect))
    }

    fn check_attributes(&self, faults: &mut Vec<Diagnostic>) {
        for (at, one) in self.mapped.filled.iter().enumerate() {
            let (name, entity) = (&one.attribute.name, &self.mapped.entity.name);
            if self.is_named_back(name) {
                continue;
            }
            let span = self.span_of(name);
            match (&one.column, &one.own) {
                (_, Some(own)) => {
                    let is_generated = self.column(own).is_some_and(|one| one.is_generated);
                    if is_generated && self.mapped.identity.contains(&at) {
                        let message = format!(
                            "`{name}` identifies {entity}, and the database computes `{own}`"
                        );
                        let help = "items whose key is a generated column have no way back";
                        faults.push(fault(span, message, "computed", help.to_owned()));
                    }
                }
                (Some(column), None) if !self.is_of_other(one) => {
                    let message = format!(
                        "`{name}` is taken from `{column}`, which is a column of no entity"
                    );
                    let help = format!(
                        "make the rows of that table items of their own, with an attribute of this column, or say what \
                         {name} goes back to: `back COLUMN = \"...{name}...\"`"
                    );
                    faults.push(fault(span, message, "no way back", help));
                }
                (Some(_), None) => {}
                (None, None) => {
                    let message =
                        format!("`{name}` is computed, and nothing says its way back to a column");
                    let help = format!(
                        "say what of the row follows from it: `back COLUMN = \"...{name}...\"`"
                    );
                    faults.push(fault(span, message, "no way back", help));
                }
            }
        }
    }

    /// Whether an attribute is taken from a column that an entity of its own has.
    fn is_of_other(&self, one: &Filled<'_>) -> bool {
        let Some((alias, column)) = one.column.as_ref().and_then(|one| one.split_once('.')) else {
            return false;
        };
        let mut tables = self.origin().tables();
        let Some(table) = tables.find(|table| table.alias == alias) else {
            return false;
        };
        self.mapping.entities.iter().any(|other| {
            let own = &other.origin.table;
            let is_it = (&own.schema, &own.name) == (&table.schema, &table.name);
            let mut filled = other.filled.iter();
            is_it && filled.any(|one| one.own.as_deref() == Some(column))
        })
    }

    /// Columns that nothing fills and that cannot be left out, and those that the line joins by.
    fn check_columns(&self, columns: &[BackColumn], faults: &mut Vec<Diagnostic>) {
        let origin = self.origin();
        let is_said = |name: &str| {
            let mut all = columns.iter();
            all.any(|one| one.name.eq_ignore_ascii_case(name))
        };
        let pairs = origin.joins.iter().flat_map(|join| &join.on);
        for column in pairs.flat_map(|(one, other)| [one, other]) {
            if column.alias == origin.table.alias && !is_said(&column.column) {
                let message = format!(
                    "the line joins by `{}.{}`, and no attribute of {} says it",
                    column.alias, column.column, self.mapped.entity.name
                );
                let help = "take an attribute from it, or say it behind `back`";
                faults.push(fault(column.span, message, "no way back", help.to_owned()));
            }
        }
        for one in &self.known {
            let is_needed = one.is_required && one.default.is_none() && !one.is_generated;
            if is_needed && !is_said(&one.name) {
                let message = format!(
                    "`{}` of `{}` is never NULL, has no default, and no attribute of {} says it",
                    one.name, origin.table.name, self.mapped.entity.name
                );
                let help = format!(
                    "take an attribute from it, or say what a new row has: `back {} = \"...\"`",
                    one.name
                );
                faults.push(fault(origin.table.span, message, "no way back", help));
            }
        }
    }
}

impl Back {
    /// The cells that identify the row of an item.
    pub(crate) fn identity_of(&self, mapped: &Mapped<'_>, key: &Values) -> Vec<Cell> {
        let columns = self.identity.iter();
        let columns = columns.filter_map(|at| self.columns.get(*at));
        columns
            .map(|column| self.cell(mapped, column, key))
            .collect()
    }

    /// The cell of a column that is taken from an attribute.
    fn cell(&self, mapped: &Mapped<'_>, column: &BackColumn, values: &Values) -> Cell {
        let From::Attribute(at) = &column.from else {
            return Cell::Null;
        };
        mapped.filled.get(*at).map_or(Cell::Null, |one| {
            let value = values.get(&one.attribute.name);
            let of = (&one.attribute.kind, column.kind.as_str());
            cells::in_column(of, value, mapped.dialect)
        })
    }

    /// The cells of items, in the order of the columns.
    ///
    /// # Errors
    /// When the database refuses an expression of a value.
    pub(crate) fn cells(
        &self,
        source: &mut dyn Source,
        mapped: &Mapped<'_>,
        items: &[&Values],
    ) -> Result<Vec<Vec<Cell>>, SourceError> {
        let computed = self.computed(source, mapped, items)?;
        let mut all = Vec::new();
        for (values, computed) in items.iter().zip(computed) {
            let mut computed = computed.into_iter();
            let cells = self.columns.iter().map(|column| match &column.from {
                From::Expression(_) => computed.next().unwrap_or(Cell::Null),
                From::Attribute(_) => self.cell(mapped, column, values),
            });
            all.push(cells.collect());
        }
        Ok(all)
    }

    /// What the expressions are of items, which the database computes.
    fn computed(
        &self,
        source: &mut dyn Source,
        mapped: &Mapped<'_>,
        items: &[&Values],
    ) -> Result<Vec<Vec<Cell>>, SourceError> {
        match self.computing(source, mapped, items) {
            Some((sql, arguments)) => source.query(&sql, &arguments),
            None => Ok(vec![Vec::new(); items.len()]),
        }
    }

    /// The query of what the expressions are of items, with its arguments; `None` where there is no expression.
    pub(crate) fn computing(
        &self,
        source: &dyn Source,
        mapped: &Mapped<'_>,
        items: &[&Values],
    ) -> Option<(String, Vec<Cell>)> {
        let expressions = self.columns.iter().filter_map(|one| match &one.from {
            From::Expression(sql) => {
                let taken = forms::taken(source, sql, &one.kind);
                Some(source.read(taken, &one.kind))
            }
            From::Attribute(_) => None,
        });
        let expressions: Vec<String> = expressions.collect();
        if expressions.is_empty() {
            return None;
        }
        let (mut rows, mut arguments) = (Vec::new(), Vec::new());
        for (number, values) in items.iter().enumerate() {
            let all = mapped.filled.iter().map(|one| {
                let (name, kind) = (&one.attribute.name, &one.attribute.kind);
                arguments.push(cells::cell(kind, values.get(name), mapped.dialect));
                let given = forms::given(source, arguments.len(), kind);
                format!("{given} AS {}", forms::name_of(source, name))
            });
            let all: Vec<String> = all.collect();
            rows.push(format!(
                "SELECT {number} AS keyfold_number, {}",
                all.join(", ")
            ));
        }
        let sql = format!(
            "SELECT {} FROM ({}) AS item ORDER BY keyfold_number",
            expressions.join(", "),
            rows.join(" UNION ALL ")
        );
        Some((sql, arguments))
    }
}

/// Whether a value is one of those that are written as JSON, whose layout does not matter.
pub(crate) fn is_json(kind: &Type) -> bool {
    matches!(
        kind,
        Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_)
    )
}

/// How many items are asked for at once, of so many columns each: a query has a limited number of arguments.
pub(crate) fn at_once(columns: usize) -> usize {
    const ARGUMENTS_MAX: usize = 20_000;
    const ITEMS_MAX: usize = 100;
    (ARGUMENTS_MAX / columns.max(1)).clamp(1, ITEMS_MAX)
}

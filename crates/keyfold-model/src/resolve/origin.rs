//! Resolves `from`: the rows of a relational database that the items of an entity are made of.

use super::names::{attribute_of, distinct, unknown};
use crate::diagnostic::{Diagnostic, report};
use crate::schema::Entity;
use crate::schema::origin::{GivenBack, Join, Origin, SqlColumn, SqlTable, Taken};
use crate::syntax::ast::{
    EntityDecl, JoinDecl, Name, OriginDecl, SqlColumnDecl, SqlDecl, SqlTableDecl,
};

/// Resolves the `from` line. A mistake in it is reported, and the entity has none then.
pub(super) fn resolve(
    declared: &EntityDecl,
    entity: &mut Entity,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(origin) = &declared.origin else {
        return;
    };
    let before = diagnostics.len();
    let aliases: Vec<&Name> = tables(origin).map(|one| &one.alias).collect();
    distinct("table name", aliases.iter().copied(), diagnostics);
    let named = origin.set.iter().map(|(name, _)| name);
    distinct("source of", named, diagnostics);
    let columns = origin.back.iter().map(|(column, _)| column);
    distinct("way back to", columns, diagnostics);
    let mut joins = Vec::new();
    for (at, join) in origin.joins.iter().enumerate() {
        // A condition speaks of the tables before it and of its own.
        let known = aliases.get(..at + 2).unwrap_or(&aliases);
        joins.extend(report(joined(join, known), diagnostics));
    }
    let mut set = Vec::new();
    for (name, from) in &origin.set {
        let found = of_attribute(declared, entity, name).and_then(|()| taken(from, &aliases));
        let found = report(found, diagnostics);
        set.extend(found.map(|from| (name.text.clone(), from)));
    }
    if diagnostics.len() == before {
        entity.origin = Some(Origin {
            table: table(&origin.table),
            joins,
            only: origin
                .only
                .as_ref()
                .map(|text| (text.text.clone(), text.span)),
            set,
            back: origin.back.iter().map(given_back).collect(),
            span: origin.span,
        });
    }
}

fn tables(origin: &OriginDecl) -> impl Iterator<Item = &SqlTableDecl> {
    std::iter::once(&origin.table).chain(origin.joins.iter().map(|join| &join.table))
}

fn table(declared: &SqlTableDecl) -> SqlTable {
    SqlTable {
        schema: declared.schema.as_ref().map(|name| name.text.clone()),
        name: declared.name.text.clone(),
        alias: declared.alias.text.clone(),
        span: declared.name.span,
    }
}

fn joined(declared: &JoinDecl, known: &[&Name]) -> Result<Join, Box<Diagnostic>> {
    let own = &declared.table.alias.text;
    let mut on = Vec::new();
    for (one, other) in &declared.on {
        let pair = (column(one, known)?, column(other, known)?);
        let has_own = [&pair.0, &pair.1].map(|one| one.alias == *own);
        if has_own[0] == has_own[1] {
            let span = one.alias.span.to(other.column.span);
            let message = format!("the condition does not join `{own}` to a table before it");
            let error =
                Diagnostic::error("KF002", span, message, "both sides are of the same tables");
            return Err(Box::new(error.help(format!(
                "compare a column of `{own}` with one of an earlier table: `{own}.id = {}.{own}_id`",
                known.first().map_or("o", |first| first.text.as_str())
            ))));
        }
        on.push(pair);
    }
    Ok(Join {
        is_left: declared.is_left,
        table: table(&declared.table),
        on,
    })
}

fn column(declared: &SqlColumnDecl, known: &[&Name]) -> Result<SqlColumn, Box<Diagnostic>> {
    let alias = &declared.alias;
    if !known.iter().any(|one| one.text == alias.text) {
        let names = known.iter().map(|one| one.text.as_str());
        return Err(Box::new(unknown("table", alias, names)));
    }
    Ok(SqlColumn {
        alias: alias.text.clone(),
        column: declared.column.text.clone(),
        span: alias.span.to(declared.column.span),
    })
}

fn taken(declared: &SqlDecl, known: &[&Name]) -> Result<Taken, Box<Diagnostic>> {
    Ok(match declared {
        SqlDecl::Column(one) => Taken::Column(column(one, known)?),
        SqlDecl::Expression(text) => Taken::Expression(text.text.clone(), text.span),
    })
}

fn given_back((column, sql): &(Name, Name)) -> GivenBack {
    GivenBack {
        column: column.text.clone(),
        span: column.span,
        sql: sql.text.clone(),
        sql_span: sql.span,
    }
}

/// Refuses attributes that no row gives: those that Keyfold counts itself.
fn of_attribute(
    declared: &EntityDecl,
    entity: &Entity,
    name: &Name,
) -> Result<(), Box<Diagnostic>> {
    let kept = declared.aggregates.iter().map(|one| &one.attribute);
    let counted = kept.chain(&declared.version);
    if let Some(line) = counted.into_iter().find(|one| one.text == name.text) {
        let message = format!("`{}` is counted, not taken from rows", name.text);
        let error = Diagnostic::error("KF003", name.span, message, "has a value of its own");
        return Err(Box::new(
            error
                .label(line.span, "counted because of this line")
                .help(format!("take `{}` out of the `from` line", name.text)),
        ));
    }
    attribute_of(entity, name).map(drop)
}

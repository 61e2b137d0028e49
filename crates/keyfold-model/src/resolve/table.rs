//! Tables and indexes.

use super::names::{distinct, unknown};
use super::settings;
use crate::diagnostic::Diagnostic;
use crate::period::Unit;
use crate::schema::{Capacity, Column, Index, IndexKind, Projection, Table};
use crate::syntax::ast::{self, IndexDecl, ProjectionDecl, TableDecl, texts};
use keyfold_types::KeyKind;
use keyfold_types::limits::INDEX_KEY_ATTRIBUTES_MAX;

/// Resolves a table with its indexes. Faulty parts are reported and replaced by defaults.
pub(super) fn resolve(declared: &TableDecl, diagnostics: &mut Vec<Diagnostic>) -> Table {
    let (partition, sort) = key(declared, diagnostics);
    distinct(
        "index",
        declared.indexes.iter().map(|index| &index.name),
        diagnostics,
    );
    let capacity = settings::capacity(declared.capacity.as_ref(), diagnostics);
    let indexes = declared
        .indexes
        .iter()
        .map(|one| Index {
            capacity: settings::of_index(one, capacity, diagnostics),
            ..index(one, &partition, sort.as_ref(), diagnostics)
        })
        .collect();
    diagnostics.extend(bookkeeping(&declared.name));
    let text = |name: &ast::Name| name.text.clone();
    Table {
        name: declared.name.text.clone(),
        span: declared.name.span,
        end: declared.end,
        is_shared: declared.head.is_shared,
        partition,
        sort,
        type_attribute: declared.type_attribute.as_ref().map(text),
        ttl_attribute: declared.ttl_attribute.as_ref().map(text),
        period: period(declared, diagnostics),
        capacity: capacity.unwrap_or(Capacity::OnDemand),
        cooled: settings::cooled(declared, diagnostics),
        settings: settings::resolve(&declared.settings, diagnostics),
        indexes,
        delimiters: Vec::new(),
    }
}

/// How the names of the tables begin that Keyfold keeps for itself: leases, records that were set
/// aside, the state of views.
const OWN_PREFIX: &str = "keyfold_";

/// Reports a table whose name Keyfold may use for a table of its own, with another key.
fn bookkeeping(name: &ast::Name) -> Option<Diagnostic> {
    if !name.text.starts_with(OWN_PREFIX) {
        return None;
    }
    let message = format!("`{}` names a table of Keyfold itself", name.text);
    Some(
        Diagnostic::error("KF004", name.span, message, "taken")
            .note(format!(
                "consumers of streams and workers of views keep leases, failures and states in tables whose names begin with `{OWN_PREFIX}`"
            ))
            .help("give the table another name"),
    )
}

/// The partition and sort key of a table.
fn key(declared: &TableDecl, diagnostics: &mut Vec<Diagnostic>) -> (Column, Option<Column>) {
    let all = columns(&declared.columns, diagnostics);
    if let Some(third) = declared.columns.get(2) {
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                third.name.span,
                "a table's key has one or two attributes",
                "one too many",
            )
            .help("keep the partition key and the sort key; a global index may have up to four of each"),
        );
    }
    let mut all = all.into_iter();
    let partition = all.next().unwrap_or(Column {
        name: "PK".to_owned(),
        kind: KeyKind::S,
        span: declared.name.span,
    });
    (partition, all.next())
}

/// The unit of `per unit`, which `then` needs.
fn period(declared: &TableDecl, diagnostics: &mut Vec<Diagnostic>) -> Option<Unit> {
    let period = declared.period.as_ref().and_then(|word| {
        let unit = Unit::of_word(&word.text);
        if unit.is_none() {
            let known = Unit::ALL.map(Unit::word).into_iter();
            diagnostics.push(unknown("period", word, known));
        }
        unit
    });
    if let (None, Some(_)) = (period, declared.cooled) {
        let message = format!(
            "`then` says the capacity of past periods, and {} has none",
            declared.name.text
        );
        let label = "one table for all times";
        diagnostics.push(
            Diagnostic::error("KF004", declared.name.span, message, label)
                .help("declare `per month` behind the key, or remove `then ...`"),
        );
    }
    period
}

/// Resolves an index. A local index has the table's partition key.
fn index(
    declared: &IndexDecl,
    partition: &Column,
    sort: Option<&Column>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Index {
    let own_partition = columns(&declared.partition, diagnostics);
    let own_sort = columns(&declared.sort, diagnostics);
    let (most, too_many) = match declared.kind {
        IndexKind::Local => (
            1,
            "a local index names its sort key only; it shares the table's partition key".to_owned(),
        ),
        IndexKind::Global => (
            INDEX_KEY_ATTRIBUTES_MAX,
            format!(
                "a key of a global index has at most {INDEX_KEY_ATTRIBUTES_MAX} attributes in each part"
            ),
        ),
    };
    for group in [&declared.partition, &declared.sort] {
        if let Some(extra) = group.get(most) {
            let message = too_many.clone();
            diagnostics.push(Diagnostic::error(
                "KF004",
                extra.name.span,
                message,
                "one too many",
            ));
        }
    }
    if declared.kind == IndexKind::Local && sort.is_none() {
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                declared.name.span,
                "a local index needs a table with a sort key",
                "this table has none",
            )
            .help("give the table a second key attribute, or make this a `gsi`"),
        );
    }
    Index {
        name: declared.name.text.clone(),
        span: declared.name.span,
        kind: declared.kind,
        partition: match declared.kind {
            IndexKind::Local => vec![partition.clone()],
            IndexKind::Global => own_partition,
        },
        sort: own_sort,
        projection: match &declared.projection {
            ProjectionDecl::All => Projection::All,
            ProjectionDecl::Keys => Projection::Keys,
            ProjectionDecl::Only(names) => Projection::Only(texts(names)),
        },
        projection_span: declared.projection_span,
        // It depends on the table's.
        capacity: None,
    }
}

/// Resolves key attributes; an unknown type counts as text.
fn columns(declared: &[ast::Column], diagnostics: &mut Vec<Diagnostic>) -> Vec<Column> {
    let mut kind = |name: &ast::Name| match name.text.as_str() {
        "string" => KeyKind::S,
        "number" => KeyKind::N,
        "binary" => KeyKind::B,
        _ => {
            let known = ["string", "number", "binary"];
            diagnostics.push(unknown("key type", name, known.into_iter()));
            KeyKind::S
        }
    };
    declared
        .iter()
        .map(|column| Column {
            name: column.name.text.clone(),
            kind: column.kind.as_ref().map_or(KeyKind::S, &mut kind),
            span: column.span(),
        })
        .collect()
}

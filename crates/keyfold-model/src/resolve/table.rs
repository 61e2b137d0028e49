//! Tables and indexes.

use crate::diagnostic::Diagnostic;
use crate::period::Unit;
use crate::schema::{Capacity, Column, Index, IndexKind, Projection, Table};
use crate::syntax::ast::{self, CapacityDecl, IndexDecl, ProjectionDecl, TableDecl};
use keyfold_types::KeyKind;

/// Most attributes of a partition or sort key of a global index.
const GROUP_MAX: usize = 4;

pub(super) fn resolve(declared: &TableDecl, diagnostics: &mut Vec<Diagnostic>) -> Table {
    let mut columns = declared.columns.iter().map(|one| column(one, diagnostics));
    let partition = columns.next().unwrap_or(Column {
        name: "PK".to_owned(),
        kind: KeyKind::S,
    });
    let sort = columns.next();
    drop(columns);
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
    super::distinct(
        "index",
        declared.indexes.iter().map(|index| &index.name),
        diagnostics,
    );
    let indexes = declared
        .indexes
        .iter()
        .map(|one| index(one, &partition, sort.as_ref(), diagnostics))
        .collect();
    let period = declared.period.as_ref().and_then(|word| {
        let unit = Unit::of_word(&word.text);
        if unit.is_none() {
            let units = ["hour", "day", "month", "year"];
            diagnostics.push(super::unknown("period", word, units.into_iter()));
        }
        unit
    });
    if let (None, Some(_)) = (period, declared.cooled) {
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                declared.name.span,
                format!(
                    "`then` says the capacity of past periods, and {} has none",
                    declared.name.text
                ),
                "one table for all times",
            )
            .help("declare `per month` behind the key, or remove `then ...`"),
        );
    }
    Table {
        name: declared.name.text.clone(),
        span: declared.name.span,
        end: declared.end,
        partition,
        sort,
        type_attribute: declared
            .type_attribute
            .as_ref()
            .map(|name| name.text.clone()),
        ttl_attribute: declared
            .ttl_attribute
            .as_ref()
            .map(|name| name.text.clone()),
        period,
        capacity: declared.capacity.map_or(Capacity::OnDemand, capacity),
        cooled: declared.cooled.map(capacity),
        indexes,
        delimiters: Vec::new(),
    }
}

fn capacity(declared: CapacityDecl) -> Capacity {
    match declared {
        CapacityDecl::OnDemand => Capacity::OnDemand,
        CapacityDecl::Provisioned { reads, writes } => Capacity::Provisioned { reads, writes },
    }
}

fn index(
    declared: &IndexDecl,
    partition: &Column,
    sort: Option<&Column>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Index {
    let mut all = |group: &[ast::Column]| -> Vec<Column> {
        group.iter().map(|one| column(one, diagnostics)).collect()
    };
    let (mut own_partition, own_sort) = (all(&declared.partition), all(&declared.sort));
    let most = if declared.local { 1 } else { GROUP_MAX };
    for group in [&declared.partition, &declared.sort] {
        if let Some(extra) = group.get(most) {
            let message = if declared.local {
                "a local index names its sort key only; it shares the table's partition key"
                    .to_owned()
            } else {
                format!("a key of a global index has at most {GROUP_MAX} attributes in each part")
            };
            diagnostics.push(Diagnostic::error(
                "KF004",
                extra.name.span,
                message,
                "one too many",
            ));
        }
    }
    if declared.local {
        own_partition = vec![partition.clone()];
        if sort.is_none() {
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
    }
    Index {
        name: declared.name.text.clone(),
        span: declared.name.span,
        kind: if declared.local {
            IndexKind::Local
        } else {
            IndexKind::Global
        },
        partition: own_partition,
        sort: own_sort,
        projection: match &declared.projection {
            ProjectionDecl::All => Projection::All,
            ProjectionDecl::Keys => Projection::Keys,
            ProjectionDecl::Only(names) => {
                Projection::Only(names.iter().map(|name| name.text.clone()).collect())
            }
        },
        projection_span: declared.projection_span,
    }
}

fn column(declared: &ast::Column, diagnostics: &mut Vec<Diagnostic>) -> Column {
    let kind = match &declared.kind {
        None => KeyKind::S,
        Some(name) => match name.text.as_str() {
            "string" => KeyKind::S,
            "number" => KeyKind::N,
            "binary" => KeyKind::B,
            _ => {
                let known = ["string", "number", "binary"];
                diagnostics.push(super::unknown("key type", name, known.into_iter()));
                KeyKind::S
            }
        },
    };
    Column {
        name: declared.name.text.clone(),
        kind,
    }
}

//! Key attributes in words.

use keyfold_model::schema::Column;

/// Key attributes with their types: `PK: S, SK: N`.
pub(super) fn columns_text<'c>(columns: impl Iterator<Item = &'c Column>) -> String {
    let one = |Column {
                   name,
                   kind,
                   span: _,
               }: &Column| format!("{name}: {}", kind.descriptor());
    columns.map(one).collect::<Vec<_>>().join(", ")
}

//! Columns that filled attributes when a migration began, and do so no more: somebody has dropped or renamed them. The
//! model fits the database nevertheless where the attributes need no value.

use crate::mapping::Mapping;
use crate::state::State;
use keyfold_model::diagnostic::Diagnostic;

impl Mapping<'_> {
    /// The columns that fill attributes which need none, as `Entity attribute alias.column`.
    pub(crate) fn optional_columns(&self) -> Vec<String> {
        let mut all = Vec::new();
        for mapped in &self.entities {
            let filled = mapped.filled.iter();
            let optional =
                filled.filter(|one| one.attribute.optional || one.attribute.default.is_some());
            all.extend(optional.filter_map(|one| {
                let column = one.column.as_ref()?;
                Some(format!(
                    "{} {} {column}",
                    mapped.entity.name, one.attribute.name
                ))
            }));
        }
        all
    }

    /// The columns that are not what they were when the migration began, each with its line of the model.
    pub fn lost(&self, state: &State) -> Vec<Diagnostic> {
        let now = self.optional_columns();
        let gone = state.filled.iter().filter(|one| !now.contains(one));
        gone.filter_map(|one| self.lost_column(one, &now)).collect()
    }

    fn lost_column(&self, line: &str, now: &[String]) -> Option<Diagnostic> {
        let (entity, rest) = line.split_once(' ')?;
        let (attribute, column) = rest.split_once(' ')?;
        let mut entities = self.entities.iter();
        let mapped = entities.find(|one| one.entity.name == entity)?;
        let mut attributes = mapped.entity.attributes.iter();
        let named = attributes.find(|one| one.name == attribute)?;
        let before = format!("{entity} {attribute} ");
        let other = now.iter().find_map(|one| one.strip_prefix(&before));
        let message = match other {
            Some(other) => format!(
                "`{column}` filled `{attribute}` of {entity} when the migration began, and `{other}` does now"
            ),
            None => format!(
                "`{column}` filled `{attribute}` of {entity} when the migration began, and is no column any more"
            ),
        };
        let error = Diagnostic::error("KF002", mapped.origin.span, message, "not in the database");
        Some(error.label(named.span, "filled by it").help(format!(
            "give the database the column `{column}` again; or `keyfold migrate abort`, begin again, and `keyfold \
             migrate verify --mend` at the end"
        )))
    }
}

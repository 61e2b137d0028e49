//! Columns that filled attributes when a migration began, and do so no more: somebody has dropped or renamed them, or has
//! changed the `from` line. The model fits the database nevertheless where the attributes need no value.

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
        // A line that says where the attribute is taken from, or another name of the table, is another line.
        let name = |column: &str| column.rsplit('.').next().map(str::to_owned);
        let is_renamed = other.is_some_and(|other| name(other) == name(column));
        let is_other_line = is_renamed || mapped.origin.taken(attribute).is_some();
        let now = match other {
            Some(other) => format!("`{other}` does now"),
            None if is_other_line => "SQL in quotes does now".to_owned(),
            None => "is no column any more".to_owned(),
        };
        let message = format!(
            "`{column}` filled `{attribute}` of {entity} when the migration began, and {now}"
        );
        let anew =
            "`keyfold migrate abort`, begin again, and `keyfold migrate verify --mend` at the end";
        let (place, help) = match is_other_line {
            true => (
                "another line than then",
                format!(
                    "the `from` line was changed, and that needs a new migration: say the line as it was; or {anew}"
                ),
            ),
            false => (
                "not in the database",
                format!("give the database the column `{column}` again; or {anew}"),
            ),
        };
        let error = Diagnostic::error("KF002", mapped.origin.span, message, place);
        Some(error.label(named.span, "filled by it").help(help))
    }
}

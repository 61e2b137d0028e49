//! Tables of a proof's own at an endpoint: the model's under other names, without settings that cost
//! money or keep them from being deleted. They are deleted when the proof ends.

use crate::ProveError;
use keyfold_api::{DeleteTableInput, ErrorKind, ListTablesInput, Response};
use keyfold_client::{Backend, ClientError};
use keyfold_model::schema::{Capacity, Settings};
use keyfold_model::{Model, PatternPlan};

/// The model with the names of its tables behind a prefix, on demand and without settings.
pub(crate) fn renamed(model: &Model, prefix: &str) -> Model {
    let mut model = model.clone();
    for table in &mut model.tables {
        table.name.insert_str(0, prefix);
        table.capacity = Capacity::OnDemand;
        table.cooled = None;
        table.settings = Settings::default();
    }
    for pattern in &mut model.patterns {
        rename(&mut pattern.plan, prefix);
        for (_, plan) in &mut pattern.variants {
            rename(plan, prefix);
        }
    }
    let aggregates = model
        .entities
        .iter_mut()
        .flat_map(|one| &mut one.aggregates);
    for plan in aggregates.filter_map(|aggregate| aggregate.next.as_mut()) {
        rename(plan, prefix);
    }
    model
}

fn rename(plan: &mut PatternPlan, prefix: &str) {
    plan.table.insert_str(0, prefix);
    for get in &mut plan.gets {
        rename(&mut get.plan, prefix);
    }
    for (_, beside) in &mut plan.beside {
        rename(beside, prefix);
    }
}

/// The names of all tables with a prefix.
///
/// # Errors
/// The backend's.
pub(crate) fn names(backend: &Backend, prefix: &str) -> Result<Vec<String>, ProveError> {
    let mut names = Vec::new();
    let mut after = None;
    loop {
        let input = ListTablesInput {
            exclusive_start_table_name: after.take(),
            ..ListTablesInput::default()
        };
        let Response::ListTables(output) = backend.call(input.into())? else {
            return Err(unexpected());
        };
        let page = output.table_names.unwrap_or_default();
        names.extend(page.into_iter().filter(|name| name.starts_with(prefix)));
        match output.last_evaluated_table_name {
            Some(last) => after = Some(last),
            None => return Ok(names),
        }
    }
}

/// Deletes all tables with a prefix.
///
/// # Errors
/// The backend's.
pub(crate) fn delete(backend: &Backend, prefix: &str) -> Result<(), ProveError> {
    for name in names(backend, prefix)? {
        let input = DeleteTableInput {
            table_name: Some(name),
        };
        match backend.call(input.into()) {
            Ok(_) => {}
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

pub(crate) fn unexpected() -> ProveError {
    ProveError::Client(ClientError::Transport(
        "the engine answered another operation".to_owned(),
    ))
}

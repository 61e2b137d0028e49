//! The tables of the model that the place has not, made.

use super::fault::Fault;
use super::place::Place;
use keyfold_client::tables::{self, Outcome};
use keyfold_model::Model;
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    /// Whether somebody has agreed a second time.
    #[serde(default, rename = "isSure")]
    is_sure: bool,
}

/// Makes the tables, and returns the names of those that were not there.
pub(super) fn make(place: &Place, model: &Model, asked: &Asked) -> Result<Json, Fault> {
    place.consent(asked.is_sure)?;
    let outcomes = tables::ensure(&place.backend, model)?;
    let is_made = |(name, outcome): &(String, Outcome)| match outcome {
        Outcome::Created => Some(name.clone()),
        Outcome::Existing => None,
    };
    let made: Vec<String> = outcomes.iter().filter_map(is_made).collect();
    Ok(json!({ "made": made, "notes": tables::notes(model, &outcomes) }))
}

//! The projection of an index as DynamoDB's JSON, which CloudFormation and NoSQL Workbench share.

use keyfold_model::schema::Projection;
use serde_json::{Value as Json, json};

pub(crate) fn json(projection: &Projection) -> Json {
    match projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::Keys => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Only(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    }
}

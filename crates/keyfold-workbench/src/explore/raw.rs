//! A page of a Query, a Scan or a statement as somebody has written it.

use super::exchange::send;
use super::fault::Fault;
use super::items::rows;
use super::place::Place;
use super::typed;
use keyfold_api::{Operation, Response};
use keyfold_lower::{capacity, unexpected};
use keyfold_model::Model;
use keyfold_wire::DecodeError;
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    operation: String,
    /// The input in JSON, as it is sent.
    request: Json,
    /// The table whose items come, by which their kinds are known.
    table: String,
}

/// Reads the page.
pub(super) fn page(place: &Place, model: Option<&Model>, asked: &Asked) -> Result<Json, Fault> {
    let operation = reading(asked)?;
    let body = asked.request.to_string();
    let request = keyfold_wire::decode(operation, body.as_bytes()).map_err(malformed)?;
    let mut notes = Vec::new();
    let (items, units, next) = match send(place, request, &mut notes) {
        Ok(Response::Query(output) | Response::Scan(output)) => (
            output.items.unwrap_or_default(),
            output.consumed_capacity,
            output.last_evaluated_key.as_ref().map(typed::item),
        ),
        Ok(Response::ExecuteStatement(output)) => (
            output.items,
            output.consumed_capacity,
            output.next_token.map(Json::from),
        ),
        Ok(_) => return Err(unexpected().into()),
        Err(error) => return Err(Fault::from(error).after(notes)),
    };
    Ok(json!({
        "items": rows(model, &asked.table, items),
        "units": capacity::total(units).units(),
        "next": next,
        "exchanges": notes,
    }))
}

/// The operation, which must read only.
fn reading(asked: &Asked) -> Result<Operation, Fault> {
    match asked.operation.as_str() {
        "Query" => Ok(Operation::Query),
        "Scan" => Ok(Operation::Scan),
        "ExecuteStatement" => {
            let statement = asked.request["Statement"].as_str().unwrap_or_default();
            match is_select(statement) {
                true => Ok(Operation::ExecuteStatement),
                false => Err(Fault::because(
                    "statements here only read: they begin with SELECT".to_owned(),
                )),
            }
        }
        other => Err(Fault::because(format!("{other} is not asked here"))),
    }
}

/// Whether the first word of a statement is SELECT, so that it writes nothing.
fn is_select(statement: &str) -> bool {
    let first = statement
        .trim_start()
        .split(|c: char| !c.is_ascii_alphabetic());
    first
        .take(1)
        .any(|word| word.eq_ignore_ascii_case("SELECT"))
}

/// The sentence about an input that is not one.
pub(super) fn malformed(error: DecodeError) -> Fault {
    Fault::because(match error {
        DecodeError::Malformed => "this is no input in JSON".to_owned(),
        DecodeError::Shape(why) => why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operations_that_read_are_asked() {
        let asked = |operation: &str, statement: &str| {
            let asked = Asked {
                file: None,
                operation: operation.to_owned(),
                request: json!({ "Statement": statement }),
                table: String::new(),
            };
            reading(&asked).ok()
        };
        let select = Some(Operation::ExecuteStatement);
        assert_eq!(asked("Query", ""), Some(Operation::Query));
        assert_eq!(asked("ExecuteStatement", " select * from \"T\""), select);
        assert_eq!(asked("ExecuteStatement", "SELECT* FROM T"), select);
        for wrong in [
            "DELETE FROM T WHERE PK = 'a'",
            "/* SELECT */ DELETE FROM T WHERE PK = 'a'",
            "SELECTED",
            "INSERT INTO T VALUE {'PK': 'SELECT'}",
            "",
        ] {
            assert_eq!(asked("ExecuteStatement", wrong), None, "{wrong}");
        }
        for wrong in ["PutItem", "BatchExecuteStatement", "DeleteTable", "scan"] {
            assert_eq!(asked(wrong, "SELECT * FROM T"), None, "{wrong}");
        }
    }
}

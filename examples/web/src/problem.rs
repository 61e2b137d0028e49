//! Problems: what is wrong, and what to do.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use keyfold::Error;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::io::Write;

/// What stands in the way of a request. Its message is a sentence with what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Problem {
        Problem {
            status,
            code,
            message: message.into(),
        }
    }

    /// The request itself is wrong.
    pub fn invalid(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// What is there already does not go with the request.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, code, message)
    }

    /// Something that the service needs cannot be used at the moment.
    pub fn unavailable(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }

    /// The request comes from a page of another site.
    pub(crate) fn foreign() -> Problem {
        let message = "The request is of another site's page. Use the application's own pages.";
        Problem::new(StatusCode::FORBIDDEN, "forbidden", message)
    }
}

/// Any error as a problem. The cause of one that is the service's own is written to the log.
impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let problem = of_error(&error);
        if problem.status.is_server_error() {
            // Where there is no log, nobody can be asked for it.
            writeln!(std::io::stderr(), "{error}").unwrap_or_default();
        }
        problem
    }
}

fn of_error(error: &Error) -> Problem {
    match error {
        Error::Invalid { message: why, .. } => {
            Problem::invalid(format!("It was not taken: {why}."))
        }
        Error::NotFound(_) => Problem::not_found("It is not there. Look for it in the lists."),
        Error::Exists(_) | Error::Taken { .. } => {
            Problem::conflict("exists", "It is there already. Choose another name.")
        }
        Error::Refused(_) | Error::StaleVersion(_) => Problem::conflict(
            "changed_meanwhile",
            "Somebody was faster. Nothing was changed: look at it as it is now.",
        ),
        Error::Throttled { .. } | Error::Overtaken(_) => Problem::unavailable(
            "busy",
            "It is very busy. Nothing was changed: try again in a minute.",
        ),
        Error::Unavailable(_) | Error::TimedOut(_) | Error::Closed => Problem::unavailable(
            "unavailable",
            "The tables cannot be reached. Nothing was changed: try again in a minute.",
        ),
        Error::OutcomeUnknown { .. } | Error::Incomplete(_) => Problem::new(
            StatusCode::BAD_GATEWAY,
            "unknown_outcome",
            "The tables did not say whether it was done. Look before you send it again.",
        ),
        Error::Model(_)
        | Error::TableDiffers { .. }
        | Error::Open(_)
        | Error::TooMany { .. }
        | Error::UnknownItem(_)
        | Error::Service { .. } => fault(),
        // The crate may get more kinds of errors.
        _ => fault(),
    }
}

fn fault() -> Problem {
    Problem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "fault",
        "Something is wrong with the service itself. Its log says what.",
    )
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({ "error": { "code": self.code, "message": self.message } });
        (self.status, Json(body)).into_response()
    }
}

/// The body of a request.
///
/// # Errors
/// A body that is no JSON of this form is a problem that says what is wrong.
pub fn decoded<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|why| Problem::invalid(format!("The body: {why}.")))
}

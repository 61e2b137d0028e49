//! Problems: what is wrong, and what to do.

use crate::refused::of_invalid;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use keyfold::{Error, Incomplete};
use serde_json::json;
use std::io::Write;

/// The media type of problems (RFC 9457).
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// What stands in the way of a request. Its detail is a sentence with what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    /// The member of the request that is wrong, where it is one.
    field: Option<String>,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        Problem {
            status,
            code,
            detail: detail.into(),
            field: None,
        }
    }

    /// The request itself is wrong.
    pub fn invalid(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "invalid", detail)
    }

    /// A member of the request, of its body or of its query, is wrong or missing.
    pub fn wrong(field: impl Into<String>, detail: impl Into<String>) -> Problem {
        Problem {
            field: Some(field.into()),
            ..Problem::invalid(detail)
        }
    }

    /// Refuses a text of blanks, which nobody sees on a page, and one that is empty.
    ///
    /// # Errors
    /// A problem with the member.
    pub fn check_written(field: &str, text: &str) -> Result<(), Problem> {
        if !text.trim().is_empty() {
            return Ok(());
        }
        let (fault, wanted) = match text.is_empty() {
            true => ("empty", "Send a text."),
            false => ("blank", "Send a text that can be seen."),
        };
        Err(Problem::wrong(
            field,
            format!("The member {field} is {fault}. {wanted}"),
        ))
    }

    /// There is no such thing.
    pub fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// What is there already does not go with the request.
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, code, detail)
    }

    /// Something that the service needs cannot be used at the moment.
    pub fn unavailable(code: &'static str, detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
    }

    /// The sentence about it, with what to do.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The member of the request that is wrong, where it is one.
    #[cfg(test)]
    pub(crate) fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// The problem, where a caller knows a member of the model by another name.
    #[must_use]
    pub fn called(self, name: &str, known_as: &str) -> Problem {
        if self.field.as_deref() != Some(name) {
            return self;
        }
        Problem {
            detail: (self.detail)
                .replace(&format!("member {name} "), &format!("member {known_as} ")),
            field: Some(known_as.to_owned()),
            ..self
        }
    }

    /// What the routes have refused before a handler saw it. Their own sentences are not for callers.
    pub(crate) fn refused(status: StatusCode) -> Problem {
        let detail = match status {
            StatusCode::METHOD_NOT_ALLOWED => {
                "This address does not take that method. The header allow has those that it takes."
            }
            StatusCode::PAYLOAD_TOO_LARGE => "The body is too large. Send at most 2 megabytes.",
            _ => "The request cannot be read. /api/openapi.json says what it has to be.",
        };
        Problem::new(status, "invalid", detail)
    }

    /// The request calls the application by a name that may be anybody's.
    pub(crate) fn misnamed(name: &str) -> Problem {
        let detail = format!(
            "{name} is no name of this application. If it is, start it with ALLOW_HOST={name}."
        );
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// The request calls the application by no name.
    pub(crate) fn unnamed() -> Problem {
        let detail = "Host has no name of this application. Send the one that its address has.";
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// The request comes from a page of another site.
    pub(crate) fn foreign() -> Problem {
        let detail = "The request is of another site's page. Use the application's own pages.";
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
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
        Error::Invalid {
            message: why,
            attribute,
            ..
        } => {
            let (field, detail) = of_invalid(why, attribute.as_deref());
            Problem {
                field,
                ..Problem::invalid(detail)
            }
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
        Error::Incomplete(batch) if batch.unknown.is_empty() => in_part(batch),
        Error::OutcomeUnknown { .. } | Error::Incomplete(_) => Problem::new(
            StatusCode::BAD_GATEWAY,
            "unknown_outcome",
            "The tables did not say whether it was done. Look before you send it again.",
        ),
        Error::Model(_)
        | Error::TableDiffers { .. }
        | Error::Open { .. }
        | Error::TooMany { .. }
        | Error::UnknownItem(_)
        | Error::Service { .. } => fault(),
        // The crate may get more kinds of errors.
        _ => fault(),
    }
}

/// Some items of a batch are stored, and all of them are known.
fn in_part(batch: &Incomplete) -> Problem {
    let (written, unwritten) = (batch.written.len(), batch.unwritten.len());
    let all = written + unwritten;
    let detail = format!(
        "Of {all} items {written} were written and {unwritten} not. What was written stays; what is sent again is written beside it."
    );
    Problem::unavailable("written_in_part", detail)
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
        let status = self.status.as_u16();
        let mut body = json!({ "status": status, "code": self.code, "detail": self.detail });
        if let Some(field) = self.field {
            body["field"] = field.into();
        }
        let kind = [(header::CONTENT_TYPE, PROBLEM_JSON)];
        (self.status, kind, body.to_string()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::{Problem, StatusCode};
    use keyfold::{Error, Incomplete};

    #[test]
    fn a_batch_that_was_written_in_part_says_how_much() {
        let of = |unknown: Vec<usize>| {
            Problem::from(Error::Incomplete(Incomplete {
                of: "Activity".to_owned(),
                written: vec![0, 1],
                unwritten: vec![2],
                unknown,
                why: "the capacity is exhausted".to_owned(),
            }))
        };
        let known = of(Vec::new());
        let status = StatusCode::SERVICE_UNAVAILABLE;
        assert_eq!((known.status, known.code), (status, "written_in_part"));
        let begin = "Of 3 items 2 were written and 1 not. ";
        assert!(known.detail.starts_with(begin), "{}", known.detail);
        let unknown = of(vec![3]);
        let status = StatusCode::BAD_GATEWAY;
        assert_eq!((unknown.status, unknown.code), (status, "unknown_outcome"));
    }
}

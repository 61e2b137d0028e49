//! A request under way, for its observer and its span.

use crate::observer::Sent;
use crate::span::Span;
use crate::terms::Terms;
use keyfold_api::{Operation, Request, Response};
use keyfold_lower::ClientError;
use std::time::Instant;

/// A request under way that somebody looks at.
pub(crate) struct Watch {
    terms: Terms,
    operation: Operation,
    tables: Vec<String>,
    began: Instant,
    span: Span,
}

impl Watch {
    /// Begins to look at a request, if anybody does. `address` is the host and port of its endpoint.
    pub(crate) fn begin(
        request: &Request,
        terms: &Terms,
        address: Option<(&str, u16)>,
    ) -> Option<Watch> {
        let (operation, tables) = (request.operation(), || {
            let names = request.table_names().into_iter();
            names.map(str::to_owned).collect::<Vec<_>>()
        });
        let span = Span::of(operation.name(), &tables, terms.call(), address);
        if terms.observer().is_none() && !span.is_on() {
            return None;
        }
        Some(Watch {
            terms: terms.clone(),
            operation,
            tables: tables(),
            began: Instant::now(),
            span,
        })
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Reports the outcome.
    pub(crate) fn end(self, result: &Result<Response, ClientError>, attempts: u32) {
        let sent = Sent {
            call: self.terms.call(),
            operation: self.operation.name(),
            tables: &self.tables,
            attempts,
            time: self.began.elapsed(),
            units: result
                .as_ref()
                .ok()
                .and_then(Response::consumed)
                .map(|halves| halves.units()),
            error: result.as_ref().err(),
        };
        self.span.record(&sent.units, attempts, sent.error);
        if let Some(observer) = self.terms.observer() {
            observer.observe(&sent);
        }
    }
}

//! Spans of the crate `tracing`, one for each request, with the attributes that OpenTelemetry's
//! semantic conventions name for DynamoDB. Without the feature `tracing` a span is nothing.

#[cfg(feature = "tracing")]
pub(crate) use on::Span;

#[cfg(not(feature = "tracing"))]
pub(crate) use off::Span;

#[cfg(feature = "tracing")]
mod on {
    use keyfold_lower::ClientError;
    use tracing::field::Empty;
    use tracing::{Instrument, info_span};

    /// A span of a request.
    pub(crate) struct Span(tracing::Span);

    impl Span {
        /// A span that begins now.
        pub(crate) fn of(
            operation: &'static str,
            tables: &dyn Fn() -> Vec<String>,
            call: Option<&str>,
            address: Option<(&str, u16)>,
        ) -> Span {
            let span = info_span!(
                target: "keyfold",
                "request",
                otel.name = operation,
                otel.kind = "client",
                otel.status_code = Empty,
                db.system.name = "aws.dynamodb",
                db.operation.name = operation,
                db.collection.name = Empty,
                rpc.system = "aws-api",
                rpc.service = "DynamoDB",
                rpc.method = operation,
                aws.dynamodb.table_names = Empty,
                server.address = address.map(|(host, _)| host),
                server.port = address.map(|(_, port)| port),
                http.request.resend_count = Empty,
                "error.type" = Empty,
                keyfold.call = call,
                keyfold.capacity_units = Empty,
            );
            if !span.is_disabled() {
                let tables = tables();
                span.record("aws.dynamodb.table_names", tracing::field::debug(&tables));
                if let [table] = tables.as_slice() {
                    span.record("db.collection.name", table.as_str());
                    span.record("otel.name", format!("{operation} {table}"));
                }
            }
            Span(span)
        }

        /// The span that this thread is in.
        pub(crate) fn current() -> Span {
            Span(tracing::Span::current())
        }

        /// Whether anybody looks at it.
        pub(crate) fn is_on(&self) -> bool {
            !self.0.is_disabled()
        }

        /// Runs something inside the span.
        pub(crate) fn within<T>(&self, call: impl FnOnce() -> T) -> T {
            self.0.in_scope(call)
        }

        /// Awaits something inside the span.
        pub(crate) async fn around<F: Future>(&self, future: F) -> F::Output {
            future.instrument(self.0.clone()).await
        }

        /// Adds what the answer shows.
        pub(crate) fn record(
            &self,
            units: &Option<f64>,
            attempts: u32,
            error: Option<&ClientError>,
        ) {
            let Span(span) = self;
            span.record("keyfold.capacity_units", units);
            if attempts > 1 {
                span.record("http.request.resend_count", attempts - 1);
            }
            if let Some(error) = error {
                span.record("otel.status_code", "ERROR");
                span.record("error.type", kind(error));
            }
        }
    }

    /// The kind of an error: the exception's name, or what the transport found.
    fn kind(error: &ClientError) -> &str {
        match error {
            ClientError::Service { exception, .. } => exception,
            ClientError::Transport(_) => "transport",
            ClientError::TimedOut(_) => "timeout",
            ClientError::OutcomeUnknown { .. } => "outcome_unknown",
            ClientError::Value(_)
            | ClientError::Unknown(_)
            | ClientError::Named { .. }
            | ClientError::Missing { .. }
            | ClientError::Invalid(_)
            | ClientError::TableDiffers { .. }
            | ClientError::Exists(_)
            | ClientError::Refused(_)
            | ClientError::Taken { .. }
            | ClientError::StaleVersion(_)
            | ClientError::NotFound(_)
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Incomplete(_) => "_OTHER",
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use keyfold_lower::ClientError;

    /// Nothing.
    pub(crate) struct Span;

    impl Span {
        pub(crate) fn of(
            _operation: &'static str,
            _tables: &dyn Fn() -> Vec<String>,
            _call: Option<&str>,
            _address: Option<(&str, u16)>,
        ) -> Span {
            Span
        }

        pub(crate) fn current() -> Span {
            Span
        }

        pub(crate) fn is_on(&self) -> bool {
            false
        }

        pub(crate) fn within<T>(&self, call: impl FnOnce() -> T) -> T {
            call()
        }

        pub(crate) async fn around<F: Future>(&self, future: F) -> F::Output {
            future.await
        }

        pub(crate) fn record(
            &self,
            _units: &Option<f64>,
            _attempts: u32,
            _error: Option<&ClientError>,
        ) {
        }
    }
}

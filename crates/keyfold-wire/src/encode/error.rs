//! Errors to response bodies.

use super::stored::raw_item;
use super::writer::Writer;
use keyfold_api::{ApiError, CancellationReason, ThrottlingReason};

/// Appends the body of an error.
pub fn encode_error(out: &mut Vec<u8>, error: &ApiError) {
    let kind = error.kind();
    Writer::new(out).object(|writer| {
        writer.name("__type");
        writer.quoted_plain(format_args!("{}#{}", kind.namespace(), kind.exception()));
        if let ApiError::ConditionalCheckFailed(Some(item)) = error {
            writer.name("Item");
            raw_item(writer, item);
        }
        if let ApiError::TransactionCanceled(reasons) = error {
            writer.name("CancellationReasons");
            writer.array(|writer| {
                reasons
                    .iter()
                    .for_each(|reason| cancellation(writer, reason))
            });
        }
        if let ApiError::Throttled(throttling) = error {
            writer.name(if throttling.is_on_demand {
                "throttlingReasons"
            } else {
                "ThrottlingReasons"
            });
            writer.array(|writer| {
                throttling
                    .reasons
                    .iter()
                    .for_each(|reason| exhausted(writer, reason))
            });
        }
        if let Some(message) = error.message() {
            writer.string_member(
                if kind.has_capital_message() {
                    "Message"
                } else {
                    "message"
                },
                &message,
            );
        }
    });
}

fn exhausted(writer: &mut Writer<'_>, reason: &ThrottlingReason) {
    writer.object(|writer| {
        writer.string_member("reason", &reason.reason);
        writer.string_member("resource", &reason.resource);
    });
}

fn cancellation(writer: &mut Writer<'_>, reason: &CancellationReason) {
    writer.object(|writer| {
        writer.string_member("Code", reason.code().name());
        if let Some(item) = reason.item() {
            writer.name("Item");
            raw_item(writer, item);
        }
        if let Some(message) = reason.message() {
            writer.string_member("Message", message);
        }
    });
}

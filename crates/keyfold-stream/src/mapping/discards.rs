//! Batches that a mapping has discarded, as the lines of its destination have them.

use crate::lease::ShardKey;
use crate::mapping::event::MAPPING;
use crate::position::Position;
use crate::streams::table_of;
use serde_json::Value as Json;

/// A batch that was discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discard {
    /// The ID of the last call; empty where there was none.
    pub id: String,
    /// The name of the mapping that has discarded it. Lines of AWS, and of earlier versions, have none.
    pub mapping: Option<String>,
    /// The ARN of its function.
    pub function: Option<String>,
    /// Why it was discarded, in AWS's word: `RetryAttemptsExhausted` or `RecordAgeExceeded`.
    pub condition: String,
    /// How often the function was called with it.
    pub calls: u64,
    /// The moment at which it was discarded, as ISO 8601 has it.
    pub at: String,
    /// The moment of its first record.
    pub first_at: Option<String>,
    /// The shard of its records.
    pub shard: ShardKey,
    /// The sequence number of its first record.
    pub first: String,
    /// That of its last record.
    pub last: String,
    /// The number of its records.
    pub count: usize,
}

impl Discard {
    /// Reads a line of a destination.
    ///
    /// # Errors
    /// A sentence about what the line lacks.
    pub fn parse(line: &str) -> Result<Discard, String> {
        let json: Json =
            serde_json::from_str(line).map_err(|error| format!("it is no JSON: {error}"))?;
        let text = |part: &str, name: &str| {
            let found = json.get(part).and_then(|part| part.get(name));
            let text = found.and_then(Json::as_str).map(str::to_owned);
            text.ok_or_else(|| format!("it has no text `{part}.{name}`"))
        };
        let whole = |part: &str, name: &str| {
            let found = json.get(part).and_then(|part| part.get(name));
            let number = found.and_then(Json::as_u64);
            number.ok_or_else(|| format!("it has no number `{part}.{name}`"))
        };
        let (request, batch) = ("requestContext", "DDBStreamBatchInfo");
        let number = |name: &str| {
            let text = text(batch, name)?;
            match Position::of(&text) {
                Some(Position::After(number)) => Ok(number),
                Some(Position::Horizon | Position::End) | None => {
                    Err(format!("`{batch}.{name}` is no sequence number"))
                }
            }
        };
        let at = json.get("timestamp").and_then(Json::as_str);
        Ok(Discard {
            id: text(request, "requestId").unwrap_or_default(),
            mapping: json.get(MAPPING).and_then(Json::as_str).map(str::to_owned),
            function: text(request, "functionArn").ok(),
            condition: text(request, "condition")?,
            calls: whole(request, "approximateInvokeCount")?,
            at: at.unwrap_or_default().to_owned(),
            first_at: text(batch, "approximateArrivalOfFirstRecord").ok(),
            shard: ShardKey {
                stream: text(batch, "streamArn")?,
                shard: text(batch, "shardId")?,
            },
            first: number("startSequenceNumber")?,
            last: number("endSequenceNumber")?,
            count: usize::try_from(whole(batch, "batchSize")?).unwrap_or(usize::MAX),
        })
    }

    /// Its mapping's name, or the function's where the line has none; empty where it has neither.
    pub fn whose(&self) -> &str {
        let whose = self.mapping.as_deref().or(self.function.as_deref());
        whose.unwrap_or_default()
    }

    /// The table of its stream.
    pub fn table(&self) -> &str {
        table_of(&self.shard.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_batch_is_refused_with_what_it_lacks() {
        let line = r#"{"requestContext":{"condition":"RecordAgeExceeded","approximateInvokeCount":0},
            "DDBStreamBatchInfo":{"shardId":"s","startSequenceNumber":"1","endSequenceNumber":"2","batchSize":2,
            "streamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Notes/stream/2026"}}"#;
        assert_eq!(Discard::parse(line).unwrap().table(), "Notes");
        for (from, to, why) in [
            ("{\"req", "req", "no JSON"),
            ("condition", "other", "no text `requestContext.condition`"),
            (
                "batchSize",
                "other",
                "no number `DDBStreamBatchInfo.batchSize`",
            ),
            (
                "\"1\"",
                "\"x\"",
                "startSequenceNumber` is no sequence number",
            ),
        ] {
            let error = Discard::parse(&line.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}

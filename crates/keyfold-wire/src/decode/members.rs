//! Members that several operations share.

use super::reader::{Decoded, Reader};
use super::value;
use keyfold_api::{ExpressionAttributes, Named, Returns, WireName};
use std::collections::BTreeMap;

impl Reader<'_> {
    /// Reads a word of the API.
    pub(crate) fn word<T: WireName>(&mut self) -> Decoded<Option<Named<T>>> {
        Ok(self.string()?.map(|text| T::named(&text)))
    }

    /// Reads `ReturnConsumedCapacity` or `ReturnItemCollectionMetrics`.
    pub(super) fn returns(&mut self, member: &str, returns: &mut Returns) -> Decoded<()> {
        match member {
            "ReturnConsumedCapacity" => returns.consumed_capacity = self.word()?,
            _ => returns.item_collection_metrics = self.word()?,
        }
        Ok(())
    }

    /// Reads `ExpressionAttributeNames` or `ExpressionAttributeValues`.
    pub(super) fn placeholders(
        &mut self,
        member: &str,
        placeholders: &mut ExpressionAttributes,
    ) -> Decoded<()> {
        if member == "ExpressionAttributeNames" {
            placeholders.names = self.string_map()?;
        } else {
            placeholders.values = value::expression_values(self)?;
        }
        Ok(())
    }

    fn string_map(&mut self) -> Decoded<Option<BTreeMap<String, String>>> {
        let mut map = BTreeMap::new();
        let found = self.map(|reader, name| {
            if let Some(text) = reader.string()? {
                map.insert(name, text);
            }
            Ok(())
        })?;
        Ok(found.then_some(map))
    }
}

//! A model on an engine in memory, with short calls for writes and patterns.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

pub mod verifying;

use keyfold_api::{PutItemInput, Response, ScanInput};
use keyfold_client::read::{self, Pages};
use keyfold_client::{Backend, ClientError, PageRequest, arguments, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::{Entity, Model, value};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names and texts.
pub type Text<'t> = &'t [(&'t str, &'t str)];

/// A model and the engine that executes it.
pub struct Place {
    pub model: Model,
    pub backend: Backend,
}

pub fn given(text: Text<'_>) -> BTreeMap<String, String> {
    text.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

impl Place {
    pub fn new(model: &str) -> Place {
        let compiled = keyfold_model::compile(model);
        let model = compiled
            .model
            .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Backend::Embedded(Arc::new(engine));
        tables::ensure(&backend, &model).unwrap();
        Place { model, backend }
    }

    pub fn entity(&self, name: &str) -> &Entity {
        self.model.entity(name).unwrap()
    }

    pub fn values(&self, entity: &str, text: Text<'_>) -> arguments::Values {
        arguments::of_entity(self.entity(entity), &given(text)).unwrap()
    }

    pub fn put(&self, entity: &str, text: Text<'_>) {
        self.put_values(entity, &self.values(entity, text));
    }

    pub fn put_values(&self, entity: &str, values: &arguments::Values) {
        write::put(&self.backend, &self.model, self.entity(entity), values).unwrap();
    }

    pub fn update(&self, entity: &str, text: Text<'_>) -> Result<write::Written, ClientError> {
        let changes = arguments::some_of_entity(self.entity(entity), &given(text)).unwrap();
        write::update(
            &self.backend,
            &self.model,
            self.entity(entity),
            &changes,
            &[],
        )
    }

    pub fn delete(&self, entity: &str, text: Text<'_>) -> Result<write::Written, ClientError> {
        let key = arguments::some_of_entity(self.entity(entity), &given(text)).unwrap();
        write::delete(&self.backend, &self.model, self.entity(entity), &key)
    }

    /// All pages, or one when `start` has a cursor or a limit.
    pub fn ask(
        &self,
        name: &str,
        text: Text<'_>,
        start: &PageRequest,
    ) -> Result<read::Found, ClientError> {
        let pattern = self.model.pattern(name).unwrap();
        let values = arguments::of_pattern(pattern, &given(text))?;
        let pages = if start.after.is_none() && start.limit.is_none() {
            Pages::All
        } else {
            Pages::One
        };
        read::run(&self.backend, &self.model, pattern, &values, start, pages)
    }

    /// An attribute of all items that a pattern finds.
    pub fn found(&self, name: &str, text: Text<'_>, of: &str) -> Vec<String> {
        let found = self.ask(name, text, &PageRequest::default()).unwrap();
        found
            .items
            .iter()
            .map(|item| item.get(of).map(value::display).unwrap_or_default())
            .collect()
    }

    /// Writes an item of texts, as another program would.
    pub fn put_raw(&self, attributes: Text<'_>) {
        let mut item = Item::new();
        for (name, text) in attributes {
            item.insert(*name, *text);
        }
        self.put_item(item);
    }

    /// Writes an item, as another program would.
    pub fn put_item(&self, item: Item) {
        let input = PutItemInput {
            table_name: self.model.tables.first().map(|table| table.name.clone()),
            item: Some(Ok(item)),
            ..PutItemInput::default()
        };
        self.backend.call(input.into()).unwrap();
    }

    /// All items of the model's first table.
    pub fn stored(&self) -> Vec<Item> {
        let table_name = self.model.tables.first().map(|table| table.name.clone());
        let scanned = self.backend.call(
            ScanInput {
                table_name,
                ..ScanInput::default()
            }
            .into(),
        );
        let Ok(Response::Scan(output)) = scanned else {
            panic!("a scan is answered")
        };
        output
            .items
            .unwrap()
            .iter()
            .map(|item| item.to_item())
            .collect()
    }
}

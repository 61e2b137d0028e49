//! What the model keeps in items by itself: it meets nothing that is declared, and notices every change.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use keyfold_api::{Response, ScanInput};
use keyfold_client::{Backend, arguments, read, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::{Model, value};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Place {
    model: Model,
    backend: Backend,
}

impl Place {
    fn new(model: &str) -> Place {
        let compiled = keyfold_model::compile(model);
        let model = compiled.model.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Backend::Embedded(Arc::new(engine));
        tables::ensure(&backend, &model).unwrap();
        Place { model, backend }
    }

    fn values(&self, entity: &str, text: &[(&str, &str)]) -> arguments::Values {
        let given: BTreeMap<String, String> =
            text.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        arguments::of_entity(self.model.entity(entity).unwrap(), &given).unwrap()
    }

    fn put(&self, entity: &str, values: &arguments::Values) {
        write::put(&self.backend, &self.model, self.model.entity(entity).unwrap(), values).unwrap();
    }

    fn ask(&self, pattern: &str, name: &str, of: &str) -> Vec<String> {
        let pattern = self.model.pattern(pattern).unwrap();
        let given = BTreeMap::from([(name.to_owned(), "1".to_owned())]);
        let values = arguments::of_pattern(pattern, &given).unwrap();
        let found =
            read::run(&self.backend, &self.model, pattern, &values, &Default::default(), true).unwrap();
        found.items.iter().map(|item| item.get(of).map(value::display).unwrap_or_default()).collect()
    }

    fn stored(&self) -> Vec<Item> {
        let table_name = Some(self.model.tables[0].name.clone());
        let Ok(Response::Scan(output)) =
            self.backend.call(ScanInput { table_name, ..ScanInput::default() }.into())
        else {
            panic!("a scan is answered")
        };
        output.items.unwrap().iter().map(|item| item.to_item()).collect()
    }
}

/// A model of a list of this type.
fn split(of: &str) -> String {
    format!(
        "model split 1\ntable Split (PK, SK)\nentity Doc\n  id: string, parts: list of {of}\n  key \"DOC#{{id}}\" \"META\"\n  \
         split parts by 2\npattern doc(id) -> Doc?\n"
    )
}

fn list(elements: &[Value]) -> Value {
    Value::L(elements.to_vec())
}

/// Lists that are printed alike.
#[test]
fn every_change_of_a_split_list_is_written() {
    let texts = |texts: [&str; 3]| texts.map(Value::from);
    let binaries = |bytes: [u8; 3]| bytes.map(|byte| Value::B(vec![byte; 3]));
    let pairs = [
        ("string", texts(["x", "a, b", "c"]), texts(["x", "a", "b, c"])),
        ("string", texts(["x, y", "z", "c"]), texts(["x", "y, z", "c"])),
        ("binary", binaries([1, 2, 3]), binaries([1, 2, 4])),
        ("binary", binaries([1, 2, 3]), binaries([0, 2, 3])),
    ];
    for (of, before, after) in pairs {
        let place = Place::new(&split(of));
        let doc = place.model.entity("Doc").unwrap();
        let with = |elements: &[Value]| {
            let mut values = place.values("Doc", &[("id", "1"), ("parts", "[]")]);
            values.insert("parts".to_owned(), list(elements));
            values
        };
        place.put("Doc", &with(&before));
        for elements in [&after, &before] {
            write::update(&place.backend, &place.model, doc, &with(elements), &[]).unwrap();
            let mut items = place.stored();
            items.sort_by_key(|item| item.get("SK").map(value::display));
            let parts = items.iter().map(|item| match item.get("parts") {
                Some(Value::L(part)) => part.clone(),
                other => panic!("{other:?}"),
            });
            assert_eq!(parts.collect::<Vec<_>>().concat(), *elements, "{of}");
        }
    }
}

/// Attributes as they could be named after the ones that the model keeps.
const BESIDE: &str = r##"
model beside 1
table Beside (PK, SK)
entity Account
  id: string, total_items: int?, log: list of string?, log_parts: int?, log_digest: string?
  key "ACCOUNT#{id}" "META"
  sum total of Entry.amount
  split log by 2
entity Entry
  account: Account.id, n: int, amount: int
  key "ACCOUNT#{account}" "ENTRY#{n:04}"
pattern account(id) -> Account?
"##;

#[test]
fn what_is_kept_has_no_name_that_can_be_declared() {
    let place = Place::new(BESIDE);
    let own = [("total_items", "70"), ("log_parts", "80"), ("log_digest", "mine")];
    let mut account = place.values("Account", &[&[("id", "1"), ("log", "[]")], &own[..]].concat());
    account.insert("log".to_owned(), list(&["a", "b", "c"].map(Value::from)));
    place.put("Account", &account);
    for n in ["1", "2"] {
        place.put("Entry", &place.values("Entry", &[("account", "1"), ("n", n), ("amount", "5")]));
    }
    for (name, value) in own {
        assert_eq!(place.ask("account", "id", name), [value], "{name}");
    }
    assert_eq!(place.ask("account", "id", "total"), ["10"]);
    assert_eq!(place.ask("account", "id", "log"), ["[a, b, c]"]);
}

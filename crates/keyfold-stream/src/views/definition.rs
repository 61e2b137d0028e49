//! A view of a model as its upkeep needs it: what an item of the source gives to which row.

use super::held;
use super::place::bytes;
use keyfold_client::FoundItem;
use keyfold_lower::arguments::Values;
use keyfold_lower::{ClientError, derive, view};
use keyfold_model::schema::view::{From, View};
use keyfold_model::schema::{Settings, StreamView};
use keyfold_model::{Entity, Model, Table, near, value, view_form};
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A view of a model.
#[derive(Clone)]
pub(crate) struct Definition {
    pub(crate) model: Arc<Model>,
    /// The position of the view among the model's entities.
    at: usize,
    /// `model.View`.
    pub(crate) name: String,
    /// The digest of what the rows follow from: another one makes other rows.
    pub(crate) print: String,
    /// The items of other entities that rows refer to.
    pub(crate) links: Vec<Link>,
    /// The attributes that are read of the source and of the entities that rows refer to.
    used: BTreeMap<usize, BTreeSet<String>>,
}

/// An item that rows refer to, and what they have of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Link {
    /// The position of the entity.
    pub(crate) entity: usize,
    /// Its key attributes, and the attributes of the source that have their values.
    pub(crate) of: Vec<(String, String)>,
    /// The row's attributes, and those of the item that they have.
    pub(crate) columns: Vec<(String, String)>,
}

/// What one item of the source gives to its row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Share {
    /// The attributes that all items of the row share.
    pub(crate) group: Values,
    /// For each column the value that it is made of; a record for the items of a top list.
    pub(crate) given: Vec<Option<Value>>,
    /// For each link the key attributes of the item, where all are there.
    pub(crate) links: Vec<Option<Values>>,
    /// The item's identity, as text.
    pub(crate) identity: String,
}

/// Whether groups, by the bytes of their attributes, make the key of a row.
pub(crate) type Groups = BTreeMap<Vec<u8>, bool>;

const GROUP: &str = "group";
const GIVEN: &str = "given";
const LINKS: &str = "links";
const IDENTITY: &str = "identity";

impl Definition {
    /// The views of a model.
    ///
    /// # Errors
    /// `Refused` for a view whose upkeep is not possible.
    pub(crate) fn all(model: &Arc<Model>) -> Result<Vec<Definition>, ClientError> {
        let views = model.entities.iter().enumerate();
        let views = views.filter(|(_, entity)| entity.view.is_some());
        views.map(|(at, _)| Definition::new(model, at)).collect()
    }

    /// The views of a model, or the one that is named.
    ///
    /// # Errors
    /// `Unknown` when the model has no view of this name; those of [`Definition::all`].
    pub(crate) fn named(
        model: &Arc<Model>,
        view: Option<&str>,
    ) -> Result<Vec<Definition>, ClientError> {
        let mut all = Definition::all(model)?;
        if all.is_empty() {
            let why = format!("the model {} has no views", model.name);
            return Err(ClientError::Unknown(why));
        }
        let Some(view) = view else {
            return Ok(all);
        };
        let known: Vec<String> = all.iter().map(|one| one.entity().name.clone()).collect();
        all.retain(|one| one.entity().name == view);
        if all.is_empty() {
            let why = format!(
                "the model {} has no view {view}{}; it has {}",
                model.name,
                near::meant(view, known.iter().map(String::as_str)),
                known.join(", ")
            );
            return Err(ClientError::Unknown(why));
        }
        Ok(all)
    }

    fn new(model: &Arc<Model>, at: usize) -> Result<Definition, ClientError> {
        let mut made = Definition {
            model: Arc::clone(model),
            at,
            name: String::new(),
            print: String::new(),
            links: Vec::new(),
            used: BTreeMap::new(),
        };
        made.name = format!("{}.{}", made.table().name, made.entity().name);
        made.links = links(made.view());
        for entity in made.read().into_iter().chain([made.at]) {
            made.check(entity)?;
        }
        if !made.view().is_grouped && made.source().moves() {
            return Err(made.refused("its source moves, and its rows have one item each"));
        }
        made.used = view_form::used(made.view(), made.source());
        made.print = value::digest(&made.written());
        Ok(made)
    }

    /// The view as an entity.
    pub(crate) fn entity(&self) -> &Entity {
        match self.model.entities.get(self.at) {
            Some(entity) => entity,
            None => unreachable!("a definition is made of a position in the model"),
        }
    }

    pub(crate) fn view(&self) -> &View {
        match &self.entity().view {
            Some(view) => view,
            None => unreachable!("a definition is made of a view"),
        }
    }

    /// The entity whose items make the rows.
    pub(crate) fn source(&self) -> &Entity {
        self.entity_at(self.view().source)
    }

    pub(crate) fn entity_at(&self, at: usize) -> &Entity {
        match self.model.entities.get(at) {
            Some(entity) => entity,
            None => unreachable!("a compiled view names entities of its model"),
        }
    }

    pub(crate) fn table_of(&self, entity: &Entity) -> &Table {
        match self.model.tables.get(entity.table) {
            Some(table) => table,
            None => unreachable!("an entity of a compiled model has a table"),
        }
    }

    /// The table of the rows.
    pub(crate) fn table(&self) -> &Table {
        self.table_of(self.entity())
    }

    /// The names of the tables whose streams are read, that of the source first.
    pub(crate) fn streams(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for entity in self.read() {
            let name = &self.table_of(self.entity_at(entity)).name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The positions of the entities that are read, the source first.
    fn read(&self) -> Vec<usize> {
        let mut all = vec![self.view().source];
        all.extend(self.view().joined());
        all
    }

    fn check(&self, entity: usize) -> Result<(), ClientError> {
        let table = self.table_of(self.entity_at(entity));
        if table.period.is_some() {
            let why = format!("the table {} is one for each period", table.name);
            return Err(self.refused(&why));
        }
        let Settings { stream, .. } = &table.settings;
        if entity != self.at && *stream != Some(StreamView::NewAndOld) {
            let why = format!("the table {} has no stream of both images", table.name);
            return Err(self.refused(&why));
        }
        Ok(())
    }

    fn refused(&self, why: &str) -> ClientError {
        ClientError::refused(format!("the view {} cannot be kept: {why}", self.name))
    }

    /// Whether rows are read before they are written.
    pub(crate) fn is_read_first(&self) -> bool {
        let mut columns = self.view().columns.iter();
        !self.links.is_empty()
            || columns.any(|column| match column.from {
                From::Min { .. }
                | From::Max { .. }
                | From::Average { .. }
                | From::Distinct { .. }
                | From::Top { .. }
                | From::Joined { .. } => true,
                From::Group { .. } | From::Copied { .. } | From::Count | From::Sum { .. } => false,
            })
    }

    /// All that the rows follow from.
    fn written(&self) -> String {
        view_form::written(&self.model, self.entity()).unwrap_or_default()
    }

    /// The attributes that are read of entities, by their positions.
    pub(crate) fn used(&self) -> &BTreeMap<usize, BTreeSet<String>> {
        &self.used
    }

    /// What an item of the source gives to its row; `None` when the view is not of it, and when its
    /// attributes make no key of a row. `known` has the groups of which the latter is known.
    ///
    /// # Errors
    /// `Refused` when a condition cannot be decided.
    pub(crate) fn share(
        &self,
        item: &FoundItem,
        known: &mut Groups,
    ) -> Result<Option<Share>, ClientError> {
        let share = self.given(item)?;
        Ok(share.filter(|share| {
            let at = bytes(&Item::from(share.group.clone()));
            let known = known.entry(at);
            *known.or_insert_with(|| self.start(&share.group).is_ok())
        }))
    }

    fn given(&self, item: &FoundItem) -> Result<Option<Share>, ClientError> {
        let values: Values = item.attributes.iter().cloned().collect();
        let Some(given) = view::given(&self.model, (self.entity(), self.view()), &values)? else {
            return Ok(None);
        };
        let links = self.links.iter().map(|link| {
            let of = link.of.iter().map(|(key, own)| {
                let held = values.get(own)?;
                Some((key.clone(), held.clone()))
            });
            // No item has a key that cannot be made.
            let key = of.collect::<Option<Values>>()?;
            let entity = self.entity_at(link.entity);
            let is_key = derive::Place::of(&self.model, entity, &key).is_ok();
            is_key.then_some(key)
        });
        let identity = self.source().identity();
        let identity = identity
            .iter()
            .map(|name| values.get(*name).map_or_else(String::new, value::display));
        Ok(Some(Share {
            group: given.group,
            given: given.columns,
            links: links.collect(),
            identity: identity.collect::<Vec<_>>().join("\u{0}"),
        }))
    }

    /// The item of a row with these attributes of its group, without what is made of its items.
    ///
    /// # Errors
    /// Those of [`derive::derive`].
    pub(crate) fn start(&self, group: &Values) -> Result<Item, ClientError> {
        view::start(&self.model, (self.entity(), self.view()), group)
    }

    /// The item of a row with these attributes.
    ///
    /// # Errors
    /// Those of [`derive::derive`].
    pub(crate) fn row(&self, values: &Values) -> Result<Item, ClientError> {
        view::row(&self.model, self.entity(), values)
    }

    /// The key attributes of an item of a table.
    pub(crate) fn key(table: &Table, item: &Item) -> Item {
        let columns = table.columns();
        let held = columns.filter_map(|column| {
            let held = item.get(&column.name)?;
            Some((column.name.clone(), held.clone()))
        });
        held.collect()
    }
}

/// The items that a view's rows refer to, each once.
fn links(view: &View) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for column in &view.columns {
        let From::Joined { entity, link, of } = &column.from else {
            continue;
        };
        let pair = (column.attribute.clone(), of.clone());
        match links
            .iter_mut()
            .find(|one| one.entity == *entity && one.of == *link)
        {
            Some(known) => known.columns.push(pair),
            None => links.push(Link {
                entity: *entity,
                of: link.clone(),
                columns: vec![pair],
            }),
        }
    }
    links
}

impl Share {
    /// The share as a value of an item.
    pub(crate) fn to_value(&self) -> Value {
        let optional = |one: &Option<Value>| {
            Value::M(
                one.iter()
                    .map(|held| ("v".to_owned(), held.clone()))
                    .collect(),
            )
        };
        let links = self.links.iter().map(|one| {
            let held = one.as_ref().map(|values| Value::M(values.clone()));
            optional(&held)
        });
        Value::M(BTreeMap::from([
            (GROUP.to_owned(), Value::M(self.group.clone())),
            (
                GIVEN.to_owned(),
                Value::L(self.given.iter().map(optional).collect()),
            ),
            (LINKS.to_owned(), Value::L(links.collect())),
            (IDENTITY.to_owned(), Value::S(self.identity.clone())),
        ]))
    }

    /// Reads a share back; `None` for any other value.
    pub(crate) fn of_value(held: &Value) -> Option<Share> {
        let all = held::members(held)?;
        let list = |name: &str| {
            let elements = held::elements(all.get(name)?)?.iter();
            let inside = elements.map(|one| Some(held::members(one)?.get("v").cloned()));
            inside.collect::<Option<Vec<Option<Value>>>>()
        };
        let links = list(LINKS)?.into_iter().map(|one| match one {
            Some(key) => Some(Some(held::members(&key)?.clone())),
            None => Some(None),
        });
        Some(Share {
            group: held::members(all.get(GROUP)?)?.clone(),
            given: list(GIVEN)?,
            links: links.collect::<Option<Vec<_>>>()?,
            identity: held::text(all.get(IDENTITY)?)?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Products (PK, SK)
  stream new and old images
table Sales (PK, SK)
  gsi ByDay (G1, G2)
entity Product in Products
  product: string, name: string?, weight: int?
  key "P#{product}" "P"
entity Order in Orders
  id: string, product: Product.product, total: number, paidAt: time?, note: string?, state: open | paid
  key "O#{id}" "O"
view Sold in Sales of Order where state = paid and exists paidAt
  key "S#{product}" "D#{paidAt:day}"
  orders: count, total: sum total, mean: average total, most: max total, least: min total
  kinds: distinct product, best: top 3 total only id, name: Product.name
  ByDay "D#{paidAt:day}" "S#{product}"
pattern order(id) -> Order?
pattern product(product) -> Product?
pattern sold(product) -> Sold[] page 10
"#;

    fn definition(text: &str) -> Definition {
        let compiled = keyfold_model::compile(text);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics);
        };
        Definition::all(&Arc::new(model)).unwrap().remove(0)
    }

    #[test]
    fn the_written_form_is_stable() {
        let expected = r##"keyfold view 1
source Order in Orders "O#{id}" "O" between #
  id: string
  paidAt: time 3?
  product: string
  state: one of open|paid
  total: number
joined Product in Products "P#{product}" "P" between #
  name: string?
  product: string
where state = "paid"
where exists paidAt
view Sold in Sales "S#{product}" "D#{paidAt:day}" between #
  index ByDay "D#{paidAt:day}" "S#{product}"
  product: string
    group product
  paidAt: time 3
    group day of paidAt
  orders: int kept
    count
  total: number kept
    sum total
  mean: number? kept
    average total
  most: number? kept
    max total
  least: number? kept
    min total
  kinds: int kept
    distinct product
  best: list of ({ total: number id: string }) kept
    top 3 greatest total only total, id
  name: string? kept
    joined Product.name by product = product
"##;
        assert_eq!(definition(MODEL).written(), expected);
    }

    #[test]
    fn what_a_view_does_not_use_may_change() {
        let print = definition(MODEL).print;
        for (before, after) in [
            ("note: string?", "note: string?, colour: string?"),
            (", note: string?", ""),
            ("note: string?", "note: int?"),
            ("weight: int?", "weight: number?, height: int?"),
            ("model shop 1", "model shop 2"),
        ] {
            let changed = MODEL.replace(before, after);
            assert_ne!(changed, MODEL, "{before}");
            assert_eq!(definition(&changed).print, print, "{before} -> {after}");
        }
        for (before, after) in [
            ("total: number", "total: int"),
            ("paidAt: time?", "paidAt: time"),
            ("name: string?", "name: string"),
            ("open | paid", "open | paid | void"),
            ("where state = paid", "where state = open"),
            ("\"S#{product}\" \"D#", "\"T#{product}\" \"D#"),
            ("ByDay \"D#", "ByDay \"E#"),
            ("top 3 total", "top 4 total"),
            ("top 3 total", "top 3 lowest total"),
            ("most: max total", "most: min total"),
            ("\"O#{id}\"", "\"Q#{id}\""),
        ] {
            let changed = MODEL.replace(before, after);
            assert_ne!(changed, MODEL, "{before}");
            assert_ne!(definition(&changed).print, print, "{before} -> {after}");
        }
    }
}

//! The tables of both places: whether they are there, whose they are, and their tags and expiry.

use keyfold_api::{
    AttributeDefinition, CreateTableInput, DescribeTimeToLiveOutput, ErrorKind, KeySchemaElement,
    KeyType, ListTagsOfResourceOutput, Named, Request, Response, ScalarAttributeType,
    StreamSpecification, StreamViewType, TableDescription, TableStatus, Tag, TimeToLiveDescription,
    TimeToLiveStatus, TransactWriteItem, UpdateTimeToLiveOutput,
};
use keyfold_client::ClientError;
use keyfold_motion::world::Place;

/// The table of rows.
pub(crate) const ROWS: &str = "keyfold_motion";
/// The table that is moved.
pub(crate) const TABLE: &str = "T";

/// The target's table.
pub(crate) struct Table {
    id: u64,
    tags: Vec<Tag>,
    pub(crate) expires: bool,
}

#[derive(Default)]
pub(crate) struct Settings {
    /// The target's table.
    pub(crate) table: Option<Table>,
    has_rows: bool,
    made: u64,
    /// Whether the source has a stream.
    pub(crate) has_stream: bool,
    streams: usize,
    /// The stream seems to be the first one, and on, of a mutant.
    pub(crate) seems_on: bool,
    /// The tags that tables ever had; `Some` of a mutant, whose tables have them all.
    pub(crate) all_tags: Option<Vec<Tag>>,
}

impl Settings {
    /// Switches the stream of the source on, and returns its number.
    pub(crate) fn switch_on(&mut self) -> usize {
        self.has_stream = true;
        self.streams += 1;
        self.streams
    }

    /// Whether the table of a request is there.
    pub(crate) fn has(&self, request: &Request) -> bool {
        let name = match request {
            Request::GetItem(input) => input.table_name.as_deref(),
            Request::Scan(input) => input.table_name.as_deref(),
            Request::PutItem(input) => input.table_name.as_deref(),
            Request::UpdateItem(input) => input.table_name.as_deref(),
            Request::DeleteItem(input) => input.table_name.as_deref(),
            Request::BatchWriteItem(_) => Some(ROWS),
            Request::TransactWriteItems(_) => return true,
            other => panic!("{other:?}"),
        };
        self.has_table(name.unwrap())
    }

    fn has_table(&self, name: &str) -> bool {
        match name {
            ROWS => self.has_rows,
            TABLE => self.table.is_some(),
            other => panic!("a table {other}"),
        }
    }

    /// Whether the tables of a transaction are there.
    pub(crate) fn has_all(&self, actions: &[TransactWriteItem]) -> bool {
        actions.iter().all(|action| {
            let names = [
                action.put.as_ref().map(|one| &one.table_name),
                action.update.as_ref().map(|one| &one.table_name),
                action.delete.as_ref().map(|one| &one.table_name),
                action.condition_check.as_ref().map(|one| &one.table_name),
            ];
            let name = names.into_iter().flatten().next().unwrap();
            self.has_table(name.as_deref().unwrap())
        })
    }

    pub(crate) fn answer(
        &mut self,
        place: Place,
        request: &Request,
    ) -> Result<Response, ClientError> {
        match (place, request) {
            (_, Request::DescribeTable(input)) => {
                let name = input.table_name.as_deref().unwrap();
                self.described(place, name).map(Response::DescribeTable)
            }
            (Place::Target, Request::CreateTable(input)) => self.create(input),
            (Place::Target, Request::DeleteTable(input)) => {
                let name = input.table_name.as_deref().unwrap();
                let found = self.described(place, name)?;
                match name {
                    ROWS => self.has_rows = false,
                    _ => self.table = None,
                }
                Ok(Response::DeleteTable(found))
            }
            (_, Request::DescribeTimeToLive(_)) => {
                let expires = match place {
                    Place::Source => true,
                    Place::Target => self.table()?.expires,
                };
                Ok(Response::DescribeTimeToLive(DescribeTimeToLiveOutput {
                    time_to_live_description: Some(TimeToLiveDescription {
                        attribute_name: expires.then(|| "until".to_owned()),
                        time_to_live_status: Some(Named::Known(match expires {
                            true => TimeToLiveStatus::Enabled,
                            false => TimeToLiveStatus::Disabled,
                        })),
                    }),
                }))
            }
            (Place::Target, Request::UpdateTimeToLive(_)) => {
                if self.table()?.expires {
                    return Err(super::values::service(ErrorKind::Validation));
                }
                self.table()?.expires = true;
                Ok(Response::UpdateTimeToLive(UpdateTimeToLiveOutput::default()))
            }
            (_, Request::ListTagsOfResource(_)) => {
                let tags = match place {
                    Place::Source => Vec::new(),
                    Place::Target => {
                        let tags = self.table()?.tags.clone();
                        self.all_tags.clone().unwrap_or(tags)
                    }
                };
                Ok(Response::ListTagsOfResource(ListTagsOfResourceOutput {
                    tags: Some(tags),
                    next_token: None,
                }))
            }
            (Place::Target, Request::UntagResource(_)) => {
                self.table()?.tags.clear();
                Ok(Response::UntagResource(()))
            }
            (place, other) => panic!("{place:?} was asked {other:?}"),
        }
    }

    fn table(&mut self) -> Result<&mut Table, ClientError> {
        self.table
            .as_mut()
            .ok_or_else(|| super::values::service(ErrorKind::ResourceNotFound))
    }

    fn create(&mut self, input: &CreateTableInput) -> Result<Response, ClientError> {
        let name = input.table_name.as_deref().unwrap();
        if self.has_table(name) {
            return Err(super::values::service(ErrorKind::ResourceInUse));
        }
        match name {
            ROWS => self.has_rows = true,
            _ => {
                self.made += 1;
                if let Some(all) = &mut self.all_tags {
                    all.extend(input.tags.clone().unwrap());
                }
                self.table = Some(Table {
                    id: self.made,
                    tags: input.tags.clone().unwrap(),
                    expires: false,
                });
            }
        }
        self.described(Place::Target, name)
            .map(Response::CreateTable)
    }

    fn described(&self, place: Place, name: &str) -> Result<TableDescription, ClientError> {
        if place == Place::Target && !self.has_table(name) {
            return Err(super::values::service(ErrorKind::ResourceNotFound));
        }
        let (key, id) = match (place, name) {
            (Place::Source, _) => ("id", "source".to_owned()),
            (_, ROWS) => ("part", "rows".to_owned()),
            (_, _) => ("id", format!("target {}", self.table.as_ref().unwrap().id)),
        };
        let has_stream = (self.has_stream || self.seems_on) && place == Place::Source;
        Ok(TableDescription {
            table_name: Some(name.to_owned()),
            table_arn: Some(format!("arn of {id}")),
            table_id: Some(id),
            attribute_definitions: Some(vec![AttributeDefinition {
                attribute_name: Some(key.to_owned()),
                attribute_type: Some(Named::Known(ScalarAttributeType::S)),
            }]),
            key_schema: Some(vec![KeySchemaElement {
                attribute_name: Some(key.to_owned()),
                key_type: Some(Named::Known(KeyType::Hash)),
            }]),
            table_status: Some(Named::Known(TableStatus::Active)),
            latest_stream_arn: has_stream.then(|| match self.seems_on {
                true => "stream 1".to_owned(),
                false => format!("stream {}", self.streams),
            }),
            stream_specification: has_stream.then_some(StreamSpecification {
                stream_enabled: Some(true),
                stream_view_type: Some(Named::Known(StreamViewType::NewAndOldImages)),
            }),
            ..TableDescription::default()
        })
    }
}

//! How a table refuses writes of everybody but the mover: a statement in its resource-based policy.
//!
//! The statement denies the actions that write items to every client whose `User-Agent` is not the mover's,
//! and says beside that where the table is now. A policy that the table has already is kept: the statement
//! is added to it, under a name of its own, and removed again. Each change names the revision that it was
//! made from, so that a policy which somebody else has changed meanwhile is read again.
//!
//! A table without a policy has no revision that distinguishes it from the same table later, when a policy was
//! put there and removed. So it gets a statement first that denies nothing, and is closed for the revision of that.

use crate::options::Options;
use crate::patience::Patience;
use crate::tables::at;
use crate::world::{Place, World};
use keyfold_api::{
    DeleteItemInput, DeleteResourcePolicyInput, ErrorKind, ExpressionAttributes,
    GetResourcePolicyInput, PutResourcePolicyInput,
};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_stream::world::ask;
use keyfold_types::{Item, KeyKind, KeySchema, Number, Value};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// The `User-Agent` of the mover's client.
pub const MOVING_AGENT: &str = concat!("keyfold-move/", env!("CARGO_PKG_VERSION"));
/// The `User-Agent` of a request that shows whether a table refuses writes.
pub const PROBING_AGENT: &str = concat!("keyfold-probe/", env!("CARGO_PKG_VERSION"));
/// The agents that the statement lets through.
const AGENTS: &str = "keyfold-move/*";
/// What the pattern of a condition begins with that only says where the table is now.
const MOVED_TO: &str = "keyfold-moved-to ";
/// What the name of the statement begins with. The fence of the process follows, which closed the table.
const SID: &str = "KeyfoldMove";
/// What the name of a statement begins with that denies nothing, and gives a policy a revision.
const MARK_SID: &str = "KeyfoldMark";
/// The version of the language of policies.
const VERSION: &str = "2012-10-17";
/// The most bytes of a policy. Source: "Resource-based policy considerations".
const BYTES_MAX: usize = 20_480;
/// A revision that no policy has.
pub const NO_REVISION: &str = "0";
/// The actions that write items. Transactions are authorized by those of their parts.
const ACTIONS: [&str; 7] = [
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:PartiQLInsert",
    "dynamodb:PartiQLUpdate",
    "dynamodb:PartiQLDelete",
];
/// The revision of a table without a policy.
const NO_POLICY: &str = "NO_POLICY";
/// How often a policy is read again that others change meanwhile, and the time between. Amazon refuses a
/// second change of a policy within 15 seconds ("Resource-based policy considerations").
const TRIES: u32 = 40;
const TRY_PAUSE: Duration = Duration::from_secs(1);
/// The time between two probes.
const PROBE_PAUSE: Duration = Duration::from_millis(500);

/// How a refusal comes into force at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Force {
    /// For how long each probe must be refused.
    pub steady: Duration,
    /// The longest that the first refusal may take.
    pub most: Duration,
}

/// A policy, and its revision.
type Found = (Option<String>, String);

/// Whether a place has policies; a sentence when it does not.
///
/// # Errors
/// The backend's.
pub(crate) async fn lacks_policies(
    world: &dyn World,
    options: &Options,
    place: Place,
) -> Result<Option<String>, ClientError> {
    match read(world, options, place).await {
        Ok(_) => Ok(None),
        Err(error) if error.kind() == Some(ErrorKind::UnknownOperation) => {
            Ok(Some(error.to_string()))
        }
        Err(ClientError::Service {
            kind: None,
            message,
            ..
        }) => Ok(Some(message)),
        Err(error) => Err(error),
    }
}

/// Whether the table of a place has replicas. A policy refuses the writes of one region alone, and keeps DynamoDB
/// itself from replicating: after 20 hours a replica is for good a table of its own. Source: "DynamoDB global tables
/// security" of Amazon's developer guide.
///
/// # Errors
/// The backend's.
pub(crate) async fn has_replicas(
    world: &dyn World,
    options: &Options,
    place: Place,
) -> Result<bool, ClientError> {
    let found = described(&at(world, place), &options.table).await?;
    Ok(found.is_some_and(|found| found.replicas.is_some()))
}

async fn arn(world: &dyn World, options: &Options, place: Place) -> Result<String, ClientError> {
    let found = described(&at(world, place), &options.table).await?;
    found.and_then(|found| found.table_arn).ok_or_else(|| {
        ClientError::refused(format!(
            "the table {} of the {} is gone, or has no ARN",
            options.table,
            place.word()
        ))
    })
}

async fn read(world: &dyn World, options: &Options, place: Place) -> Result<Found, ClientError> {
    let input = GetResourcePolicyInput {
        resource_arn: Some(arn(world, options, place).await?),
    };
    match ask(&at(world, place), input).await {
        Ok(found) => {
            let revision = found.revision_id.unwrap_or_default();
            Ok((found.policy, revision))
        }
        Err(error) if error.kind() == Some(ErrorKind::PolicyNotFound) => {
            Ok((None, NO_POLICY.to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// How a table is closed: where programs find it now, and the fence of the process that closes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closing<'c> {
    pub(crate) moved_to: &'c str,
    pub(crate) fence: u64,
}

/// Lets the table of a place refuse writes of everybody but the mover. `is_due` says before each change whether
/// it is still to happen.
///
/// # Errors
/// The backend's; that of `is_due`; `Refused` when others change the policy without an end.
pub(crate) async fn close(
    world: &dyn World,
    options: &Options,
    (place, closing): (Place, Closing<'_>),
    is_due: &dyn IsDue,
) -> Result<(), ClientError> {
    let arn = arn(world, options, place).await?;
    let edit = Edit {
        arn: &arn,
        statement: Some(statement(&arn, closing)),
        mark: Some(marking(&arn, closing)),
    };
    change(world, options, place, is_due, &edit).await
}

/// Gives the table of a place a policy that denies nothing, if it has none: the revision of that is what the table
/// is closed for. It goes again where `is_due` says behind it that it was not to come.
///
/// # Errors
/// The backend's; that of `is_due`.
pub(crate) async fn mark(
    world: &dyn World,
    options: &Options,
    (place, closing): (Place, Closing<'_>),
    is_due: &dyn IsDue,
) -> Result<(), ClientError> {
    is_due.look().await?;
    let arn = arn(world, options, place).await?;
    if read(world, options, place).await?.0.is_some() {
        return Ok(());
    }
    let mark = marking(&arn, closing);
    match put_mark(world, place, (&arn, &mark)).await {
        Err(error) if !is_late(&error) => return Err(error),
        Ok(_) | Err(_) => {}
    }
    // Another process may have gone on with the switch between the first look and this change, even to its end:
    // then no later change takes the statement out.
    let Err(lost) = is_due.look().await else {
        return Ok(());
    };
    if let Ok(found) = read(world, options, place).await {
        unmark(world, place, (&arn, &mark), found).await;
    }
    Err(lost)
}

/// Puts the statement that denies nothing into the policy of a table that has none. Returns the policy.
async fn put_mark(
    world: &dyn World,
    place: Place,
    (arn, mark): (&str, &Json),
) -> Result<Found, ClientError> {
    let policy = json!({ "Version": VERSION, "Statement": [mark] }).to_string();
    let input = PutResourcePolicyInput {
        resource_arn: Some(arn.to_owned()),
        policy: Some(policy.clone()),
        expected_revision_id: Some(NO_POLICY.to_owned()),
        ..PutResourcePolicyInput::default()
    };
    let put = ask(&at(world, place), input).await?;
    Ok((Some(policy), put.revision_id.unwrap_or_default()))
}

/// Whether the policy of a table has a statement of the mover: that of a process with a fence, or any.
///
/// # Errors
/// The backend's.
pub(crate) async fn is_closed(
    world: &dyn World,
    options: &Options,
    place: Place,
    fence: Option<u64>,
) -> Result<bool, ClientError> {
    let (policy, _) = read(world, options, place).await?;
    let name = fence.map(sid);
    Ok(policy.is_some_and(|policy| {
        statements(&policy)
            .iter()
            .any(|one| is_named(one, SID) && name.as_ref().is_none_or(|name| one["Sid"] == **name))
    }))
}

/// Looks whether a table may be closed, before anything changes: whether the policy would be too large, and
/// whether this client has the right to change it. A change for a revision that no policy has changes nothing,
/// and is refused for the right first. `otherwise` says what helps beside a smaller policy, where the command has that.
///
/// # Errors
/// The backend's; `Refused` when the policy would be too large.
pub(crate) async fn check_closing(
    world: &dyn World,
    options: &Options,
    (place, closing): (Place, Closing<'_>),
    otherwise: &str,
) -> Result<(), ClientError> {
    let arn = arn(world, options, place).await?;
    let (policy, _) = read(world, options, place).await?;
    let has_own = policy
        .iter()
        .any(|text| statements(text).iter().any(is_ours));
    // Where the revision is ignored, this one denies nothing.
    let harmless = marking(&arn, closing);
    let text = match (
        has_own,
        edited(options, with(policy.as_deref(), Some(&harmless)))?,
    ) {
        (false, Edited::Changed(text)) => text,
        (true, _) | (_, Edited::Same | Edited::Removed) => policy.clone().unwrap_or_default(),
    };
    if text.len() > BYTES_MAX {
        return Err(ClientError::refused(format!(
            "the policy of the table {} of the {} would be larger than {BYTES_MAX} bytes with the statement that \
             refuses writes: make it smaller{otherwise}",
            options.table,
            place.word()
        )));
    }
    let put = PutResourcePolicyInput {
        resource_arn: Some(arn.clone()),
        policy: Some(text),
        expected_revision_id: Some(NO_REVISION.to_owned()),
        ..PutResourcePolicyInput::default()
    };
    may(ask(&at(world, place), put).await)?;
    if policy.is_some() {
        return Ok(());
    }
    let removed = DeleteResourcePolicyInput {
        resource_arn: Some(arn),
        expected_revision_id: Some(NO_REVISION.to_owned()),
    };
    may(ask(&at(world, place), removed).await)
}

/// Whether a request that was to fail by its revision failed for another reason, which lasts.
fn may<T>(answer: Result<T, ClientError>) -> Result<(), ClientError> {
    match answer {
        Ok(_) => Ok(()),
        Err(error) if is_late(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Lets the table of a place take writes again.
///
/// # Errors
/// As [`close`].
pub(crate) async fn open(
    world: &dyn World,
    options: &Options,
    place: Place,
    is_due: &dyn IsDue,
) -> Result<(), ClientError> {
    let arn = arn(world, options, place).await?;
    let edit = Edit {
        arn: &arn,
        statement: None,
        mark: None,
    };
    change(world, options, place, is_due, &edit).await
}

/// Whether a change is still to happen: the switch may belong to another process since.
pub(crate) trait IsDue: Sync + Send {
    /// Looks.
    fn look(&self) -> keyfold_stream::world::Boxed<'_, Result<(), ClientError>>;
}

/// What is to become of the statements of the mover in the policy of a table.
struct Edit<'e> {
    arn: &'e str,
    /// The one that stands afterwards.
    statement: Option<Json>,
    /// The one that a table without a policy gets first.
    mark: Option<Json>,
}

async fn change(
    world: &dyn World,
    options: &Options,
    place: Place,
    is_due: &dyn IsDue,
    edit: &Edit<'_>,
) -> Result<(), ClientError> {
    for _ in 0..TRIES {
        let answer = match marked(world, options, place, edit).await? {
            Ok(found) => {
                // The revision is older than this look: what another process does later makes another one.
                if let Err(error) = is_due.look().await {
                    if let Some(mark) = &edit.mark {
                        unmark(world, place, (edit.arn, mark), found).await;
                    }
                    return Err(error);
                }
                let edited = with(found.0.as_deref(), edit.statement.as_ref());
                let edited = self::edited(options, edited)?;
                put(world, place, edit.arn, (edited, found.1)).await
            }
            Err(late) => Err(late),
        };
        match answer {
            Ok(()) => return Ok(()),
            Err(error) if is_late(&error) => world.pause(TRY_PAUSE).await,
            Err(error) => return Err(error),
        }
    }
    Err(ClientError::refused(format!(
        "the policy of the table {} of the {} could not be changed, which others change meanwhile: the same \
         command goes on",
        options.table,
        place.word()
    )))
}

/// The policy that is changed, and its revision: one that denies nothing, where there was none and one is to come.
/// The inner error is that of the request that puts it.
async fn marked(
    world: &dyn World,
    options: &Options,
    place: Place,
    edit: &Edit<'_>,
) -> Result<Result<Found, ClientError>, ClientError> {
    let found = read(world, options, place).await?;
    Ok(match (&found.0, &edit.mark) {
        (None, Some(mark)) => put_mark(world, place, (edit.arn, mark)).await,
        (Some(_), _) | (_, None) => Ok(found),
    })
}

/// Removes the statement that denies nothing, which this process has put into a policy, if nobody has changed that
/// since. Where it stays, it harms nobody.
async fn unmark(
    world: &dyn World,
    place: Place,
    (arn, mark): (&str, &Json),
    (policy, revision): Found,
) {
    let is_marked = policy
        .as_deref()
        .is_some_and(|policy| statements(policy).contains(mark));
    if let (true, Ok(edited)) = (is_marked, with(policy.as_deref(), None)) {
        put(world, place, arn, (edited, revision)).await.ok();
    }
}

/// Makes a policy what an edit has made of it, if it has the revision still.
async fn put(
    world: &dyn World,
    place: Place,
    arn: &str,
    (edited, revision): (Edited, String),
) -> Result<(), ClientError> {
    let resource_arn = Some(arn.to_owned());
    let expected_revision_id = Some(revision);
    match edited {
        Edited::Same => Ok(()),
        Edited::Removed => {
            let input = DeleteResourcePolicyInput {
                resource_arn,
                expected_revision_id,
            };
            ask(&at(world, place), input).await.map(drop)
        }
        Edited::Changed(text) => {
            let input = PutResourcePolicyInput {
                resource_arn,
                policy: Some(text),
                expected_revision_id,
                ..PutResourcePolicyInput::default()
            };
            ask(&at(world, place), input).await.map(drop)
        }
    }
}

/// Whether a change is to be tried again: the policy is another one, the endpoint blocks it for a while, or
/// whether it happened is not known.
fn is_late(error: &ClientError) -> bool {
    let kinds = [
        ErrorKind::PolicyNotFound,
        ErrorKind::ResourceInUse,
        ErrorKind::LimitExceeded,
    ];
    let is_known = error.kind().is_some_and(|kind| kinds.contains(&kind));
    is_known || Patience::new().after(error, 0).is_some()
}

fn edited(options: &Options, edited: Result<Edited, String>) -> Result<Edited, ClientError> {
    edited.map_err(|why| {
        let table = &options.table;
        ClientError::refused(format!(
            "the policy of the table {table} cannot be read: {why}"
        ))
    })
}

/// What an edit makes of a policy.
enum Edited {
    Same,
    Removed,
    Changed(String),
}

/// A policy with the statement, or without it.
fn with(policy: Option<&str>, statement: Option<&Json>) -> Result<Edited, String> {
    let mut document = match policy {
        Some(text) => serde_json::from_str(text).map_err(|error| error.to_string())?,
        None => json!({ "Version": VERSION, "Statement": [] }),
    };
    let before = document.clone();
    let Some(statements) = document.get_mut("Statement") else {
        return Err("it has no statements".to_owned());
    };
    let mut all = match statements.as_array() {
        Some(all) => all.clone(),
        None => vec![statements.clone()],
    };
    let had = all.iter().find(|one| is_ours(one)).cloned();
    if had.as_ref() == statement {
        return Ok(Edited::Same);
    }
    all.retain(|one| !is_ours(one));
    all.extend(statement.cloned());
    if all.is_empty() {
        return Ok(Edited::Removed);
    }
    *statements = Json::Array(all);
    match document == before {
        true => Ok(Edited::Same),
        false => Ok(Edited::Changed(document.to_string())),
    }
}

/// The statements of a policy; none when it cannot be read.
fn statements(policy: &str) -> Vec<Json> {
    let document: Json = serde_json::from_str(policy).unwrap_or_default();
    match document.get("Statement") {
        Some(Json::Array(all)) => all.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    }
}

/// Whether a statement is one of the mover, of this process or of another one.
fn is_ours(statement: &Json) -> bool {
    [SID, MARK_SID].iter().any(|name| is_named(statement, name))
}

/// Whether the name of a statement is one that ends with a fence.
fn is_named(statement: &Json, begins: &str) -> bool {
    let name = statement.get("Sid").and_then(Json::as_str);
    let fence = name.and_then(|name| name.strip_prefix(begins));
    fence.is_some_and(|fence| fence.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The name of the statement of a process. A statement of before, which a request of a killed process has left,
/// has another one.
fn sid(fence: u64) -> String {
    format!("{SID}{fence:016x}")
}

fn statement(arn: &str, closing: Closing<'_>) -> Json {
    let moved_to = closing.moved_to;
    json!({
        "Sid": sid(closing.fence),
        "Effect": "Deny",
        "Principal": "*",
        "Action": ACTIONS,
        "Resource": arn,
        "Condition": { "StringNotLike": { "aws:UserAgent": [AGENTS, format!("{MOVED_TO}{moved_to}")] } },
    })
}

/// The statement that denies nothing: no client has the name of a pattern.
fn marking(arn: &str, closing: Closing<'_>) -> Json {
    let mut marking = statement(arn, closing);
    let condition = marking["Condition"]["StringNotLike"].take();
    marking["Sid"] = Json::String(format!("{MARK_SID}{:016x}", closing.fence));
    marking["Condition"] = json!({ "StringEquals": condition });
    marking
}

/// Waits until writes of programs are refused. Returns whether they are.
///
/// # Errors
/// The backend's.
pub(crate) async fn is_in_force(
    world: &dyn World,
    options: &Options,
    (place, schema): (Place, &KeySchema),
    force: Force,
) -> Result<bool, ClientError> {
    let began = world.now();
    let mut refused_since = None;
    loop {
        let sent = world.now();
        if refuses(world, options, place, schema).await? {
            let since = *refused_since.get_or_insert(sent);
            if sent.saturating_sub(since) >= force.steady {
                return Ok(true);
            }
        } else {
            refused_since = None;
            if sent.saturating_sub(began) > force.most {
                return Ok(false);
            }
        }
        world.pause(PROBE_PAUSE).await;
    }
}

/// Whether a table refuses a write of a program, which would change nothing.
async fn refuses(
    world: &dyn World,
    options: &Options,
    place: Place,
    schema: &KeySchema,
) -> Result<bool, ClientError> {
    let name = schema
        .attributes()
        .next()
        .map_or("", |key| key.name.as_str());
    let input = DeleteItemInput {
        table_name: Some(options.table.clone()),
        key: Some(Ok(probe_key(schema))),
        condition_expression: Some(
            "attribute_exists(#key) AND attribute_not_exists(#key)".to_owned(),
        ),
        expression_attributes: ExpressionAttributes::default().name("#key", name),
        ..DeleteItemInput::default()
    };
    let mut patience = Patience::new();
    loop {
        let error = match world.ask_as_program(place, input.clone().into()).await {
            Ok(_) => return Ok(false),
            Err(error) => error,
        };
        match error.kind() {
            Some(ErrorKind::AccessDenied) => return is_by_policy(options, place, &error),
            Some(ErrorKind::ConditionalCheckFailed) => return Ok(false),
            Some(_) | None => match patience.after(&error, world.random()) {
                Some(pause) => world.pause(pause).await,
                None => return Err(error),
            },
        }
    }
}

/// Whether the refusal of a write may be that of the statement. The message of Amazon names the kind of the policy,
/// or names none. Source: "Troubleshoot access denied error messages".
fn is_by_policy(options: &Options, place: Place, error: &ClientError) -> Result<bool, ClientError> {
    let said = error.to_string();
    let is_other = said.contains("explicit deny in") || said.contains("policy allows");
    match said.contains("resource-based policy") && !said.contains("policy allows") || !is_other {
        true => Ok(true),
        false => Err(ClientError::refused(format!(
            "the table {} of the {} refuses a write for another reason than its policy, so that it is not known \
             whether programs may write: {said}",
            options.table,
            place.word()
        ))),
    }
}

/// Refuses a table that refuses a write of a program before it is to: then its refusal would show nothing.
///
/// # Errors
/// The backend's; `Refused`.
pub(crate) async fn check_open(
    world: &dyn World,
    options: &Options,
    (place, schema): (Place, &KeySchema),
) -> Result<(), ClientError> {
    if is_closed(world, options, place, None).await?
        || !refuses(world, options, place, schema).await?
    {
        return Ok(());
    }
    Err(ClientError::refused(format!(
        "the table {} of the {} refuses writes of other clients with these credentials already, so that a refusal \
         by its policy would show nothing: let them write, or pass --writers-stopped",
        options.table,
        place.word()
    )))
}

fn probe_key(schema: &KeySchema) -> Item {
    let attributes = schema.attributes();
    Item::from_iter(attributes.map(|key| {
        let value = match key.kind {
            KeyKind::S => Value::from("keyfold-probe"),
            KeyKind::N => Value::N(Number::from(0_u64)),
            KeyKind::B => Value::B(b"keyfold-probe".to_vec()),
        };
        (key.name.as_str(), value)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSING: Closing<'static> = Closing {
        moved_to: "http://t",
        fence: 7,
    };

    #[test]
    fn a_statement_of_another_process_is_replaced() {
        let before = statement(
            "arn",
            Closing {
                fence: 6,
                ..CLOSING
            },
        );
        let ours = statement("arn", CLOSING);
        let closed = changed(None, Some(&before)).unwrap();
        let again = changed(Some(&closed.to_string()), Some(&ours)).unwrap();
        assert_eq!(again["Statement"], json!([ours]));
        let foreign = json!({ "Sid": "KeyfoldMoves", "Effect": "Deny" });
        assert!(!is_ours(&foreign));
    }

    #[test]
    fn a_refusal_for_another_reason_is_none_of_the_statement() {
        let by = |why: &str| {
            let error = ClientError::refused(format!(
                "User: u is not authorized to perform: x on resource: y {why}"
            ));
            is_by_policy(&Options::new("T"), Place::Source, &error).is_ok()
        };
        assert!(by("with an explicit deny in a resource-based policy"));
        assert!(by(""));
        assert!(!by("with an explicit deny in an identity-based policy"));
        assert!(!by("with an explicit deny in a service control policy"));
        assert!(!by("because no identity-based policy allows the x action"));
        assert!(!by("because no resource-based policy allows the x action"));
    }

    fn changed(policy: Option<&str>, statement: Option<&Json>) -> Option<Json> {
        match with(policy, statement).unwrap() {
            Edited::Changed(text) => Some(serde_json::from_str(&text).unwrap()),
            Edited::Same | Edited::Removed => None,
        }
    }

    #[test]
    fn a_policy_of_somebody_else_is_kept() {
        let own = json!({ "Sid": "Own", "Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*" });
        let before = json!({ "Version": "2012-10-17", "Id": "x", "Statement": own });
        let ours = statement("arn", CLOSING);
        let closed = changed(Some(&before.to_string()), Some(&ours)).unwrap();
        assert_eq!(closed["Id"], "x");
        assert_eq!(closed["Statement"], json!([own, ours]));
        let again = with(Some(&closed.to_string()), Some(&ours)).unwrap();
        assert!(matches!(again, Edited::Same));
        let opened = changed(Some(&closed.to_string()), None).unwrap();
        assert_eq!(opened["Statement"], json!([own]));
    }

    #[test]
    fn a_policy_with_our_statement_alone_is_removed() {
        let ours = statement("arn", CLOSING);
        let closed = changed(None, Some(&ours)).unwrap();
        assert!(matches!(
            with(Some(&closed.to_string()), None),
            Ok(Edited::Removed)
        ));
        assert!(matches!(with(None, None), Ok(Edited::Same)));
    }
}

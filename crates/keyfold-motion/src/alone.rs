//! One table refuses writes of programs, whose other side is no table: as a side of a move does, by the same
//! statement in its policy.

use crate::options::Options;
use crate::refusal::{
    Closing, Force, IsDue, check_closing, close, is_closed, is_in_force, lacks_policies, mark, open,
};
use crate::tables::look;
use crate::world::{Place, World};
use keyfold_client::ClientError;
use keyfold_stream::world::Boxed;

/// Says whether a change of a policy is still to happen.
pub type Due<'d> = dyn Fn() -> Result<(), ClientError> + Sync + Send + 'd;

struct Asked<'d>(&'d Due<'d>);

impl IsDue for Asked<'_> {
    fn look(&self) -> Boxed<'_, Result<(), ClientError>> {
        Box::pin(std::future::ready((self.0)()))
    }
}

/// How a table comes to refuse writes.
#[derive(Debug, Clone, Copy)]
pub struct Refusing<'r> {
    /// The table, at both places of a world.
    pub table: &'r str,
    /// Where programs write instead.
    pub lead: &'r str,
    /// Grows with each process that changes the policy.
    pub fence: u64,
    /// How the refusal comes into force.
    pub force: Force,
}

impl Refusing<'_> {
    fn closing(&self) -> Closing<'_> {
        Closing {
            moved_to: self.lead,
            fence: self.fence,
        }
    }
}

/// Looks whether a table can refuse writes, before anything changes.
///
/// # Errors
/// `Refused` when it cannot; the backend's.
pub async fn may_refuse(world: &dyn World, refusing: Refusing<'_>) -> Result<(), ClientError> {
    let options = Options::new(refusing.table);
    if let Some(why) = lacks_policies(world, &options, Place::Target).await? {
        return Err(ClientError::refused(format!(
            "the table {} has no resource-based policy, by which it would refuse writes ({why})",
            refusing.table
        )));
    }
    check_closing(world, &options, (Place::Target, refusing.closing()), "").await
}

/// Lets a table refuse writes of everybody but the mover, and waits until it does.
///
/// # Errors
/// `Refused` when it takes writes all the same; that of `due`; the backend's.
pub async fn refuse(
    world: &dyn World,
    refusing: Refusing<'_>,
    due: &Due<'_>,
) -> Result<(), ClientError> {
    let options = Options::new(refusing.table);
    let (due, of) = (Asked(due), (Place::Target, refusing.closing()));
    mark(world, &options, of, &due).await?;
    close(world, &options, of, &due).await?;
    let schema = look(world, refusing.table).await?.schema;
    match is_in_force(world, &options, (Place::Target, &schema), refusing.force).await? {
        true => Ok(()),
        false => Err(ClientError::refused(format!(
            "the policy that denies writes to the table {} was kept, and it takes writes all the same",
            refusing.table
        ))),
    }
}

/// Lets a table take writes again.
///
/// # Errors
/// That of `due`; the backend's.
pub async fn admit(world: &dyn World, table: &str, due: &Due<'_>) -> Result<(), ClientError> {
    let options = Options::new(table);
    match lacks_policies(world, &options, Place::Target).await? {
        Some(_) => Ok(()),
        None => open(world, &options, Place::Target, &Asked(due)).await,
    }
}

/// Whether a table has the statement by which it refuses writes.
///
/// # Errors
/// The backend's.
pub async fn refuses(world: &dyn World, table: &str) -> Result<bool, ClientError> {
    is_closed(world, &Options::new(table), Place::Target, None).await
}

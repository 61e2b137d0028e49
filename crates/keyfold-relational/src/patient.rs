//! Requests to the target that are sent again as long as their errors may pass.

use crate::world;
use keyfold_client::ClientError;
use keyfold_motion::Patience;

/// The result of a call, once it succeeds or fails for good.
pub(crate) fn patient<T>(call: impl Fn() -> Result<T, ClientError>) -> Result<T, ClientError> {
    let mut patience = Patience::new();
    loop {
        let error = match call() {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let pause = patience.after(&error, world::random());
        world::pause(pause.ok_or(error)?);
    }
}

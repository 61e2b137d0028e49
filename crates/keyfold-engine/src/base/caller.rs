//! The caller of a request, as policies see it.

/// The caller of a request: the region of its full names, and what a policy may ask of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caller<'c> {
    /// The region of the request's signature; `None` for the engine's own.
    pub region: Option<&'c str>,
    /// The name of the user, for messages.
    pub user: Option<&'c str>,
    /// The `User-Agent` of the request.
    pub agent: Option<&'c [u8]>,
}

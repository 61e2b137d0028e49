//! The parts of one transaction: as a tuple of different writes, each with its own type, or as a list
//! of alike ones.

use super::made::{Kept, Made};
use super::part::Part;
use crate::error::Error;
use crate::transaction::{One, Transaction};
use crate::written::{OneOfSeveral, Transacted};
use keyfold_client::write;

/// The parts of one transaction of the model `M`: a tuple of at most twelve, or an array or `Vec` of
/// parts of one type. [`Part::untyped`] makes different writes parts of one type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transaction of `{M}`",
    label = "these are not the parts of one model",
    note = "a transaction is a tuple, an array or a `Vec` of what the methods of `part()` return"
)]
pub trait Parted<M> {
    /// The effect of each part.
    type Done;

    /// Adds each write to a transaction.
    #[doc(hidden)]
    fn give(self, writes: &mut Writes);

    /// Takes the effect of each part.
    ///
    /// # Errors
    /// When what a write made does not fit.
    #[doc(hidden)]
    fn done(reports: &mut Reports) -> Result<Self::Done, Error>;
}

/// Writes that are put together.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Writes {
    writes: Vec<One>,
    kept: Vec<Kept>,
}

impl Writes {
    pub(super) fn of<M>(parts: impl Parted<M>) -> Writes {
        let mut writes = Writes::default();
        parts.give(&mut writes);
        writes
    }

    fn add<M, T>(&mut self, part: Part<M, T>) {
        let (write, kept) = part.into_parts();
        self.writes.push(write);
        self.kept.push(kept);
    }

    /// The transaction, and the arguments that are kept for its report.
    pub(super) fn into_transaction(self) -> (Transaction, Vec<Kept>) {
        (Transaction::of(self.writes), self.kept)
    }
}

/// The effects of writes, in their order.
#[doc(hidden)]
#[derive(Debug)]
pub struct Reports {
    reports: std::vec::IntoIter<(Kept, write::OfPart)>,
}

impl Reports {
    /// The effect of each part of `P`.
    pub(super) fn of<M, P: Parted<M>>(
        mut done: write::Transacted,
        kept: Vec<Kept>,
    ) -> Result<Transacted<P::Done>, Error> {
        let writes = std::mem::take(&mut done.writes);
        let each: Vec<_> = kept.into_iter().zip(writes).collect();
        let mut reports = Reports {
            reports: each.into_iter(),
        };
        Ok(Transacted::typed(&done, P::done(&mut reports)?))
    }

    /// The effect of the next write.
    fn next<T: Made>(&mut self) -> Result<OneOfSeveral<T>, Error> {
        let (kept, of_part) = self.reports.next().unwrap_or_default();
        Ok(OneOfSeveral {
            changes: of_part.changes,
            made: kept.made(of_part.made)?,
        })
    }

    /// The effects of all other writes.
    fn rest<T: Made>(&mut self) -> Result<Vec<OneOfSeveral<T>>, Error> {
        (0..self.reports.len()).map(|_| self.next()).collect()
    }
}

impl<M, T: Made> Parted<M> for Vec<Part<M, T>> {
    type Done = Vec<OneOfSeveral<T>>;

    fn give(self, writes: &mut Writes) {
        for part in self {
            writes.add(part);
        }
    }

    fn done(reports: &mut Reports) -> Result<Self::Done, Error> {
        reports.rest()
    }
}

impl<M, T: Made, const N: usize> Parted<M> for [Part<M, T>; N] {
    type Done = Vec<OneOfSeveral<T>>;

    fn give(self, writes: &mut Writes) {
        for part in self {
            writes.add(part);
        }
    }

    fn done(reports: &mut Reports) -> Result<Self::Done, Error> {
        reports.rest()
    }
}

macro_rules! tuple {
    ($($part:ident: $made:ident),+) => {
        impl<M, $($made: Made),+> Parted<M> for ($(Part<M, $made>,)+) {
            type Done = ($(OneOfSeveral<$made>,)+);

            fn give(self, writes: &mut Writes) {
                let ($($part,)+) = self;
                $(writes.add($part);)+
            }

            fn done(reports: &mut Reports) -> Result<Self::Done, Error> {
                Ok(($(reports.next::<$made>()?,)+))
            }
        }
    };
}

tuple!(a: A);
tuple!(a: A, b: B);
tuple!(a: A, b: B, c: C);
tuple!(a: A, b: B, c: C, d: D);
tuple!(a: A, b: B, c: C, d: D, e: E);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F, g: G);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K);
tuple!(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L);

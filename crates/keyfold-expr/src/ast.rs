//! Expressions as written: the trees between parser and binding, still holding placeholders.

/// A document path as written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawPath<'t> {
    pub(crate) elements: Vec<RawElement<'t>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RawElement<'t> {
    Word(&'t str),
    Placeholder(&'t str),
    Index(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawOperand<'t> {
    Path(RawPath<'t>),
    Value(&'t str),
    Call(RawCall<'t>),
    Sum {
        left: Box<RawOperand<'t>>,
        sign: Sign,
        right: Box<RawOperand<'t>>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

impl Sign {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Sign::Plus => "+",
            Sign::Minus => "-",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawCall<'t> {
    pub(crate) function: &'t str,
    pub(crate) arguments: Vec<RawOperand<'t>>,
}

/// `=`, `<>`, `<`, `<=`, `>`, `>=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// Equal: same type and value.
    Eq,
    /// Not equal.
    Ne,
    /// Below.
    Lt,
    /// Below or equal.
    Le,
    /// Above.
    Gt,
    /// Above or equal.
    Ge,
}

impl Comparator {
    /// The comparator's sign.
    pub fn text(self) -> &'static str {
        match self {
            Comparator::Eq => "=",
            Comparator::Ne => "<>",
            Comparator::Lt => "<",
            Comparator::Le => "<=",
            Comparator::Gt => ">",
            Comparator::Ge => ">=",
        }
    }

    /// The comparator with its sides exchanged.
    pub fn mirrored(self) -> Comparator {
        match self {
            Comparator::Lt => Comparator::Gt,
            Comparator::Le => Comparator::Ge,
            Comparator::Gt => Comparator::Lt,
            Comparator::Ge => Comparator::Le,
            Comparator::Eq | Comparator::Ne => self,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawCondition<'t> {
    And(Vec<RawCondition<'t>>),
    Or(Vec<RawCondition<'t>>),
    Not(Box<RawCondition<'t>>),
    Compare {
        comparator: Comparator,
        left: RawOperand<'t>,
        right: RawOperand<'t>,
    },
    Between {
        value: RawOperand<'t>,
        low: RawOperand<'t>,
        high: RawOperand<'t>,
    },
    In {
        value: RawOperand<'t>,
        list: Vec<RawOperand<'t>>,
    },
    Call(RawCall<'t>),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RawUpdate<'t> {
    pub(crate) set: Vec<(RawPath<'t>, RawOperand<'t>)>,
    pub(crate) remove: Vec<RawPath<'t>>,
    pub(crate) add: Vec<(RawPath<'t>, RawOperand<'t>)>,
    pub(crate) delete: Vec<(RawPath<'t>, RawOperand<'t>)>,
}

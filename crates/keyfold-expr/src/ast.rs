//! Expressions as written: the trees that the parser builds and binding reads. They still hold
//! placeholders.

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
    /// The sign that is written as `text`.
    pub(crate) fn from_text(text: &str) -> Option<Sign> {
        [Sign::Plus, Sign::Minus]
            .into_iter()
            .find(|sign| sign.text() == text)
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Sign::Plus => "+",
            Sign::Minus => "-",
        }
    }
}

/// A call as written; the name may be that of no function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawCall<'t> {
    pub(crate) name: &'t str,
    pub(crate) arguments: Vec<RawOperand<'t>>,
}

impl RawCall<'_> {
    /// The function of the name; none if there is no such function.
    pub(crate) fn function(&self) -> Option<Function> {
        Function::ALL
            .into_iter()
            .find(|one| one.name() == self.name)
    }
}

/// A function of the expression language. Names are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

impl Function {
    const ALL: [Function; 8] = [
        Function::AttributeExists,
        Function::AttributeNotExists,
        Function::AttributeType,
        Function::BeginsWith,
        Function::Contains,
        Function::Size,
        Function::IfNotExists,
        Function::ListAppend,
    ];

    fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
            Function::IfNotExists => "if_not_exists",
            Function::ListAppend => "list_append",
        }
    }
}

/// `=`, `<>`, `<`, `<=`, `>`, `>=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// Equal: same type and value.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Comparator {
    const ALL: [Comparator; 6] = [
        Comparator::Eq,
        Comparator::Ne,
        Comparator::Lt,
        Comparator::Le,
        Comparator::Gt,
        Comparator::Ge,
    ];

    /// The comparator that is written as `text`.
    pub(crate) fn from_text(text: &str) -> Option<Comparator> {
        Comparator::ALL.into_iter().find(|one| one.text() == text)
    }

    /// The comparator's sign, as expressions write it.
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

    /// The comparator that holds when the operands are exchanged.
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

/// A clause of an update expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clause {
    Set,
    Remove,
    Add,
    Delete,
}

impl Clause {
    pub(crate) const ALL: [Clause; 4] = [Clause::Set, Clause::Remove, Clause::Add, Clause::Delete];

    /// The clause's keyword.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Clause::Set => "SET",
            Clause::Remove => "REMOVE",
            Clause::Add => "ADD",
            Clause::Delete => "DELETE",
        }
    }
}

/// The clauses of an update expression. The operands of ADD and DELETE are value placeholders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RawUpdate<'t> {
    pub(crate) set: Vec<(RawPath<'t>, RawOperand<'t>)>,
    pub(crate) remove: Vec<RawPath<'t>>,
    pub(crate) add: Vec<(RawPath<'t>, &'t str)>,
    pub(crate) delete: Vec<(RawPath<'t>, &'t str)>,
}

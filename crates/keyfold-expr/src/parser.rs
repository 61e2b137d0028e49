//! Builds trees from tokens, by recursive descent. Boolean groups are kept on an explicit stack, so
//! that deeply nested text cannot exhaust the thread's stack.

use crate::ast::{
    Clause, Comparator, RawCall, RawCondition, RawElement, RawOperand, RawPath, RawUpdate, Sign,
};
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::lexer::{self, Token, TokenKind};
use keyfold_types::limits::{
    EXPRESSION_BYTES_MAX, EXPRESSION_OPERATORS_MAX, LIST_INDEX_MAX, PATH_DEPTH_MAX,
};

/// The deepest nesting of functions; every meaningful expression is far below.
const CALL_DEPTH_MAX: usize = 32;

type Parsed<T> = Result<T, ExprError>;

pub(crate) struct Parser<'t> {
    expression: ExpressionKind,
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    operators: usize,
}

impl<'t> Parser<'t> {
    /// Checks the length, and cuts the text into tokens.
    ///
    /// # Errors
    /// `TooLong` and `Empty`.
    pub(crate) fn new(expression: ExpressionKind, text: &'t str) -> Parsed<Parser<'t>> {
        let fail = |kind| Err(ExprError { expression, kind });
        if text.len() > EXPRESSION_BYTES_MAX {
            return fail(ExprErrorKind::TooLong { bytes: text.len() });
        }
        let tokens = lexer::tokens(text);
        if tokens.len() == 1 {
            return fail(ExprErrorKind::Empty);
        }
        Ok(Parser {
            expression,
            text,
            tokens,
            at: 0,
            operators: 0,
        })
    }

    fn peek(&self) -> TokenKind<'t> {
        self.tokens
            .get(self.at)
            .map_or(TokenKind::End, |token| token.kind)
    }

    fn peek_second(&self) -> TokenKind<'t> {
        self.tokens
            .get(self.at + 1)
            .map_or(TokenKind::End, |token| token.kind)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.peek() == TokenKind::Sign(sign)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.syntax())
        }
    }

    fn fail(&self, kind: ExprErrorKind) -> ExprError {
        ExprError {
            expression: self.expression,
            kind,
        }
    }

    /// A syntax error at the next token, with the text from the token before it to the token after
    /// it.
    fn syntax(&self) -> ExprError {
        let place = self.at.min(self.tokens.len().saturating_sub(1));
        let slice = |from: Option<&Token<'t>>, to: Option<&Token<'t>>| {
            let start = from.map_or(0, |token| token.start);
            let end = to.map_or(self.text.len(), |token| token.end);
            self.text
                .get(start..end)
                .unwrap_or_default()
                .trim_end()
                .to_owned()
        };
        let token = self.tokens.get(place);
        let near = slice(
            self.tokens.get(place.saturating_sub(1)),
            self.tokens.get(place + 1).or(token),
        );
        let token = match token.map(|token| token.kind) {
            None | Some(TokenKind::End) => "<EOF>".to_owned(),
            Some(_) => slice(token, token),
        };
        self.fail(ExprErrorKind::Syntax { token, near })
    }

    fn expect_end(&self) -> Parsed<()> {
        if self.peek() != TokenKind::End {
            return Err(self.syntax());
        }
        if self.operators > EXPRESSION_OPERATORS_MAX {
            return Err(self.fail(ExprErrorKind::TooManyOperators {
                count: self.operators,
            }));
        }
        Ok(())
    }

    fn path(&mut self) -> Parsed<RawPath<'t>> {
        let mut elements = vec![self.path_name()?];
        loop {
            if self.take_sign(".") {
                elements.push(self.path_name()?);
            } else if self.take_sign("[") {
                let TokenKind::Digits(digits) = self.peek() else {
                    return Err(self.syntax());
                };
                let index = digits.parse().ok().filter(|index| *index <= LIST_INDEX_MAX);
                let index = index.ok_or_else(|| {
                    self.fail(ExprErrorKind::ListIndex {
                        index: (*digits).to_owned(),
                    })
                })?;
                self.advance();
                self.expect_sign("]")?;
                elements.push(RawElement::Index(index));
            } else {
                break;
            }
        }
        if elements.len() > PATH_DEPTH_MAX {
            return Err(self.fail(ExprErrorKind::PathTooDeep {
                levels: elements.len(),
            }));
        }
        Ok(RawPath { elements })
    }

    fn path_name(&mut self) -> Parsed<RawElement<'t>> {
        let element = match self.peek() {
            TokenKind::Word(word) => RawElement::Word(word),
            TokenKind::Name(placeholder) => RawElement::Placeholder(placeholder),
            TokenKind::Value(_) | TokenKind::Digits(_) | TokenKind::Sign(_) | TokenKind::End => {
                return Err(self.syntax());
            }
        };
        self.advance();
        Ok(element)
    }

    fn call(&mut self, depth: usize) -> Parsed<RawCall<'t>> {
        let TokenKind::Word(name) = self.peek() else {
            return Err(self.syntax());
        };
        if depth > CALL_DEPTH_MAX {
            return Err(self.fail(ExprErrorKind::TooDeep));
        }
        self.advance();
        self.expect_sign("(")?;
        self.operators += 1;
        let mut arguments = vec![self.operand(depth + 1)?];
        while self.take_sign(",") {
            arguments.push(self.operand(depth + 1)?);
        }
        self.expect_sign(")")?;
        Ok(RawCall { name, arguments })
    }

    fn operand(&mut self, depth: usize) -> Parsed<RawOperand<'t>> {
        match self.peek() {
            TokenKind::Value(placeholder) => {
                self.advance();
                Ok(RawOperand::Value(placeholder))
            }
            TokenKind::Word(_) if self.peek_second() == TokenKind::Sign("(") => {
                self.call(depth).map(RawOperand::Call)
            }
            TokenKind::Word(_) | TokenKind::Name(_) => self.path().map(RawOperand::Path),
            TokenKind::Digits(_) | TokenKind::Sign(_) | TokenKind::End => Err(self.syntax()),
        }
    }

    /// Parses the whole text as a condition.
    pub(crate) fn condition(mut self) -> Parsed<RawCondition<'t>> {
        let mut stack: Vec<Group<'t>> = vec![Group::default()];
        loop {
            // Before an operand: NOT and opening parentheses.
            loop {
                if self.take_keyword("NOT") {
                    self.operators += 1;
                    current(&mut stack).negations += 1;
                } else if self.take_sign("(") {
                    stack.push(Group {
                        opened_at: Some(self.at - 1),
                        ..Group::default()
                    });
                } else {
                    break;
                }
            }
            let simple = self.simple_condition()?;
            current(&mut stack).push(simple);
            // After an operand: closing parentheses, then AND, OR or the end.
            while stack.len() > 1 && self.take_sign(")") {
                let closed = stack.pop().unwrap_or_default();
                self.check_redundant(&closed)?;
                current(&mut stack).push(closed.finish());
            }
            if self.take_keyword("AND") {
                self.operators += 1;
            } else if self.take_keyword("OR") {
                self.operators += 1;
                current(&mut stack).next_alternative();
            } else if stack.len() == 1 {
                self.expect_end()?;
                return Ok(stack.pop().unwrap_or_default().finish());
            } else {
                return Err(self.syntax());
            }
        }
    }

    /// Refuses a group whose whole content is another group.
    fn check_redundant(&self, closed: &Group<'t>) -> Parsed<()> {
        let Some(opened) = closed.opened_at else {
            return Ok(());
        };
        let sign_at = |place: usize, sign| {
            self.tokens
                .get(place)
                .is_some_and(|t| t.kind == TokenKind::Sign(sign))
        };
        // `( ( ... ) )`: an inner group opens right behind the outer parenthesis, and closes right
        // before its end.
        let inner_spans = sign_at(opened + 1, "(") && sign_at(self.at - 2, ")");
        if inner_spans && is_single_group(self.tokens.as_slice(), opened, self.at - 1) {
            return Err(self.fail(ExprErrorKind::RedundantParentheses));
        }
        Ok(())
    }

    fn simple_condition(&mut self) -> Parsed<RawCondition<'t>> {
        let value = self.operand(0)?;
        if let Some(comparator) = self.comparator() {
            self.operators += 1;
            let right = self.operand(0)?;
            return Ok(RawCondition::Compare {
                comparator,
                left: value,
                right,
            });
        }
        if self.take_keyword("BETWEEN") {
            self.operators += 1;
            let low = self.operand(0)?;
            if !self.take_keyword("AND") {
                return Err(self.syntax());
            }
            let high = self.operand(0)?;
            return Ok(RawCondition::Between { value, low, high });
        }
        if self.take_keyword("IN") {
            self.operators += 1;
            self.expect_sign("(")?;
            let mut list = vec![self.operand(0)?];
            while self.take_sign(",") {
                list.push(self.operand(0)?);
            }
            self.expect_sign(")")?;
            return Ok(RawCondition::In { value, list });
        }
        match value {
            RawOperand::Call(call) => Ok(RawCondition::Call(call)),
            RawOperand::Path(_) | RawOperand::Value(_) | RawOperand::Sum { .. } => {
                Err(self.syntax())
            }
        }
    }

    fn comparator(&mut self) -> Option<Comparator> {
        let TokenKind::Sign(text) = self.peek() else {
            return None;
        };
        let comparator = Comparator::from_text(text)?;
        self.advance();
        Some(comparator)
    }

    /// Parses the whole text as a projection.
    pub(crate) fn projection(mut self) -> Parsed<Vec<RawPath<'t>>> {
        let mut paths = vec![self.path()?];
        while self.take_sign(",") {
            paths.push(self.path()?);
        }
        self.expect_end()?;
        Ok(paths)
    }

    /// Parses the whole text as an update.
    pub(crate) fn update(mut self) -> Parsed<RawUpdate<'t>> {
        let mut update = RawUpdate::default();
        let mut seen: Vec<Clause> = Vec::new();
        while self.peek() != TokenKind::End {
            let keyword = Clause::ALL
                .into_iter()
                .find(|clause| self.is_keyword(clause.text()));
            let Some(clause) = keyword else {
                return Err(self.syntax());
            };
            if seen.contains(&clause) {
                let clause = clause.text();
                return Err(self.fail(ExprErrorKind::RepeatedClause { clause }));
            }
            seen.push(clause);
            self.advance();
            self.action(clause, &mut update)?;
            while self.take_sign(",") {
                self.action(clause, &mut update)?;
            }
        }
        self.expect_end()?;
        Ok(update)
    }

    /// Parses one action of a clause.
    fn action(&mut self, clause: Clause, update: &mut RawUpdate<'t>) -> Parsed<()> {
        let path = self.path()?;
        match clause {
            Clause::Set => {
                self.expect_sign("=")?;
                let value = self.set_value(0)?;
                self.operators += 1;
                update.set.push((path, value));
            }
            Clause::Remove => update.remove.push(path),
            Clause::Add => update.add.push((path, self.value_placeholder()?)),
            Clause::Delete => update.delete.push((path, self.value_placeholder()?)),
        }
        Ok(())
    }

    fn value_placeholder(&mut self) -> Parsed<&'t str> {
        let TokenKind::Value(placeholder) = self.peek() else {
            return Err(self.syntax());
        };
        self.advance();
        Ok(placeholder)
    }

    /// Parses `operand [+|- operand]`; each side may stand in parentheses.
    fn set_value(&mut self, depth: usize) -> Parsed<RawOperand<'t>> {
        let left = self.set_term(depth)?;
        let Some(sign) = self.arithmetic_sign() else {
            return Ok(left);
        };
        self.operators += 1;
        let right = self.set_term(depth)?;
        Ok(RawOperand::Sum {
            left: Box::new(left),
            sign,
            right: Box::new(right),
        })
    }

    fn arithmetic_sign(&mut self) -> Option<Sign> {
        let TokenKind::Sign(text) = self.peek() else {
            return None;
        };
        let sign = Sign::from_text(text)?;
        self.advance();
        Some(sign)
    }

    fn set_term(&mut self, depth: usize) -> Parsed<RawOperand<'t>> {
        if !self.take_sign("(") {
            return self.operand(depth);
        }
        if depth > CALL_DEPTH_MAX {
            return Err(self.fail(ExprErrorKind::TooDeep));
        }
        let inner = self.set_value(depth + 1)?;
        self.expect_sign(")")?;
        Ok(inner)
    }
}

/// An open parenthesis (or the whole text), with the alternatives of conjunctions parsed so far.
#[derive(Default)]
struct Group<'t> {
    /// The place of the parenthesis; none for the whole text.
    opened_at: Option<usize>,
    alternatives: Vec<Vec<RawCondition<'t>>>,
    conjunction: Vec<RawCondition<'t>>,
    /// NOTs in front of the next operand.
    negations: usize,
}

/// The innermost open group.
fn current<'s, 't>(stack: &'s mut Vec<Group<'t>>) -> &'s mut Group<'t> {
    if stack.is_empty() {
        stack.push(Group::default());
    }
    stack
        .last_mut()
        .expect("a group was pushed if there was none")
}

impl<'t> Group<'t> {
    fn push(&mut self, mut condition: RawCondition<'t>) {
        // An even run of NOTs cancels out, so the tree stays flat.
        if !self.negations.is_multiple_of(2) {
            condition = RawCondition::Not(Box::new(condition));
        }
        self.negations = 0;
        self.conjunction.push(condition);
    }

    fn next_alternative(&mut self) {
        self.alternatives
            .push(std::mem::take(&mut self.conjunction));
    }

    fn finish(mut self) -> RawCondition<'t> {
        self.next_alternative();
        let join = |mut members: Vec<RawCondition<'t>>,
                    wrap: fn(Vec<RawCondition<'t>>) -> RawCondition<'t>| {
            if members.len() == 1 {
                members.remove(0)
            } else {
                wrap(members)
            }
        };
        let alternatives = self
            .alternatives
            .into_iter()
            .map(|conjunction| join(conjunction, RawCondition::And));
        join(alternatives.collect(), RawCondition::Or)
    }
}

/// Whether the parenthesis behind `opened` closes right before `closed`.
fn is_single_group(tokens: &[Token<'_>], opened: usize, closed: usize) -> bool {
    let mut depth = 0usize;
    for place in opened + 1..closed {
        match tokens.get(place).map(|token| token.kind) {
            Some(TokenKind::Sign("(")) => depth += 1,
            Some(TokenKind::Sign(")")) => {
                depth -= 1;
                if depth == 0 {
                    return place == closed - 1;
                }
            }
            _ => {}
        }
    }
    false
}

//! Exact decimals of up to 38 significant digits: DynamoDB's Number.
//!
//! A number is a sign, a coefficient without trailing zeros, and a power of ten. It is compared by
//! value, never passes through floating point, and prints in DynamoDB's plain form (no exponent).
//!
//! ```text
//! "1.50e2" -> coefficient 15, exponent 1 -> "150"
//! ```

use crate::limits::NUMBER_DIGITS_MAX;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Smallest power of ten of a number's first digit.
pub(crate) const MAGNITUDE_MIN: i32 = -130;
/// Largest power of ten of a number's first digit.
pub(crate) const MAGNITUDE_MAX: i32 = 125;

/// A decimal of at most 38 significant digits, magnitude 1E-130 to 9.99…E+125, or zero.
///
/// Source: "Supported data types and naming rules", Number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    /// Below 10^38 and without a trailing zero digit; 0 only for zero.
    coefficient: u128,
    /// Power of ten of the coefficient's last digit; 0 for zero.
    exponent: i16,
}

/// The reason why a text or a result is no Number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is not a decimal number.
    #[error("not a number")]
    Syntax,
    /// Magnitude above 9.99…E+125.
    #[error("magnitude larger than supported")]
    Overflow,
    /// Magnitude below 1E-130.
    #[error("magnitude smaller than supported")]
    Underflow,
    /// More than 38 significant digits.
    #[error("more than 38 significant digits")]
    Precision,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number {
        negative: false,
        coefficient: 0,
        exponent: 0,
    };

    /// The number `±coefficient × 10^exponent`. Trailing zeros of the coefficient are dropped.
    ///
    /// # Errors
    /// `Precision`, `Overflow` or `Underflow` when the value is outside DynamoDB's range.
    pub fn new(
        negative: bool,
        mut coefficient: u128,
        mut exponent: i32,
    ) -> Result<Number, NumberError> {
        if coefficient == 0 {
            return Ok(Number::ZERO);
        }
        while coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        let digits = coefficient.ilog10() + 1;
        let magnitude = exponent + digits as i32 - 1;
        if magnitude > MAGNITUDE_MAX {
            return Err(NumberError::Overflow);
        }
        if magnitude < MAGNITUDE_MIN {
            return Err(NumberError::Underflow);
        }
        if digits > NUMBER_DIGITS_MAX {
            return Err(NumberError::Precision);
        }
        // In range: -130 - 37 <= exponent <= 125.
        Ok(Number {
            negative,
            coefficient,
            exponent: exponent as i16,
        })
    }

    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.coefficient == 0
    }

    /// The significant digits as an integer, without trailing zeros.
    pub fn coefficient(&self) -> u128 {
        self.coefficient
    }

    /// The power of ten of the last significant digit.
    pub fn exponent(&self) -> i32 {
        i32::from(self.exponent)
    }

    /// The number of significant digits; 0 for zero.
    pub fn digits(&self) -> u32 {
        if self.coefficient == 0 {
            0
        } else {
            self.coefficient.ilog10() + 1
        }
    }

    /// The exact sum.
    ///
    /// # Errors
    /// `Precision` or `Overflow` when the exact result is no Number; nothing is rounded.
    pub fn checked_add(&self, other: &Number) -> Result<Number, NumberError> {
        if self.is_zero() {
            return Ok(*other);
        }
        if other.is_zero() {
            return Ok(*self);
        }
        let (high, low) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let gap = (high.exponent - low.exponent) as u32;
        // If this overflows, the result has a nonzero last digit and at least 39 digits.
        let scaled = 10u128
            .checked_pow(gap)
            .and_then(|scale| high.coefficient.checked_mul(scale))
            .ok_or(NumberError::Precision)?;
        let (negative, coefficient) = if high.negative == low.negative {
            (
                high.negative,
                scaled
                    .checked_add(low.coefficient)
                    .ok_or(NumberError::Precision)?,
            )
        } else if scaled >= low.coefficient {
            (high.negative, scaled - low.coefficient)
        } else {
            (low.negative, low.coefficient - scaled)
        };
        Number::new(negative, coefficient, i32::from(low.exponent))
    }

    /// The exact difference.
    ///
    /// # Errors
    /// As [`Number::checked_add`].
    pub fn checked_sub(&self, other: &Number) -> Result<Number, NumberError> {
        self.checked_add(&other.negated())
    }

    /// The number with the opposite sign.
    pub fn negated(&self) -> Number {
        Number {
            negative: !self.negative && self.coefficient != 0,
            ..*self
        }
    }

    /// The least number that is greater; `None` for the greatest. Numbers have at most 38 digits, so
    /// none lies between the two.
    pub fn next_up(&self) -> Option<Number> {
        if self.is_zero() {
            return Number::new(false, 1, MAGNITUDE_MIN).ok();
        }
        let missing = NUMBER_DIGITS_MAX - self.digits();
        let full = self.coefficient * 10_u128.pow(missing);
        let exponent = self.exponent() - i32::try_from(missing).ok()?;
        if !self.negative {
            return Number::new(false, full + 1, exponent).ok();
        }
        // Below a power of ten, numbers have one more digit behind the point.
        let is_power = self.coefficient == 1;
        let (less, exponent) = if is_power {
            (full * 10 - 1, exponent - 1)
        } else {
            (full - 1, exponent)
        };
        // No number lies between the greatest negative one and zero.
        Some(Number::new(true, less, exponent).unwrap_or(Number::ZERO))
    }

    /// The value as an integer; `None` when it is none or does not fit.
    pub fn to_i64(&self) -> Option<i64> {
        let exponent = u32::try_from(self.exponent).ok()?;
        let magnitude = 10i128
            .checked_pow(exponent)?
            .checked_mul(i128::try_from(self.coefficient).ok()?)?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// Size in bytes as DynamoDB counts it: one byte, one for each two digits before the point, one
    /// for each two behind it, and one for a negative sign. Zeros at the ends do not count; the
    /// number zero takes one byte.
    pub fn size_bytes(&self) -> u64 {
        if self.is_zero() {
            return 1;
        }
        let digits = self.digits();
        let fraction = digits.min(u32::try_from(-self.exponent()).unwrap_or(0));
        let pairs = (digits - fraction).div_ceil(2) + fraction.div_ceil(2);
        1 + u64::from(pairs) + u64::from(self.is_negative())
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::new(value < 0, u128::from(value.unsigned_abs()), 0).expect("19 digits fit in 38")
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        Number::new(false, u128::from(value), 0).expect("20 digits fit in 38")
    }
}

/// ```
/// # use keyfold_types::Number;
/// assert_eq!(Number::from(12), Number::from(12_i64));
/// ```
impl From<i32> for Number {
    fn from(value: i32) -> Number {
        Number::from(i64::from(value))
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Number {
        Number::from(u64::from(value))
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Number, NumberError> {
        let bytes = text.as_bytes();
        let (negative, mut rest) = match bytes {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let mut digits = Digits::default();
        let whole = take_digits(&mut rest, |digit| digits.push_whole(digit));
        let mut fraction = 0;
        if let [b'.', tail @ ..] = rest {
            rest = tail;
            fraction = take_digits(&mut rest, |digit| digits.push_fraction(digit));
        }
        if whole + fraction == 0 {
            return Err(NumberError::Syntax);
        }
        let exponent = parse_exponent(rest)?;
        digits.finish(negative, exponent)
    }
}

/// A coefficient under construction, digit by digit.
#[derive(Default)]
struct Digits {
    coefficient: u128,
    exponent: i64,
    /// Zeros since the last nonzero digit, which are not in the coefficient yet.
    zeros: i64,
    /// Whether a digit did not fit into the coefficient.
    has_overflowed: bool,
}

impl Digits {
    fn push(&mut self, digit: u8) {
        if digit == 0 {
            if self.coefficient != 0 {
                self.zeros += 1;
            }
            return;
        }
        let scaled = u32::try_from(self.zeros + 1)
            .ok()
            .and_then(|power| 10u128.checked_pow(power))
            .and_then(|scale| self.coefficient.checked_mul(scale))
            .and_then(|scaled| scaled.checked_add(u128::from(digit)));
        match scaled {
            Some(value) => self.coefficient = value,
            None => self.has_overflowed = true,
        }
        self.zeros = 0;
    }

    fn push_whole(&mut self, digit: u8) {
        self.push(digit);
    }

    fn push_fraction(&mut self, digit: u8) {
        self.push(digit);
        self.exponent -= 1;
    }

    fn finish(self, negative: bool, exponent: i64) -> Result<Number, NumberError> {
        if self.has_overflowed {
            return Err(NumberError::Precision);
        }
        if self.coefficient == 0 {
            return Ok(Number::ZERO);
        }
        let exponent = (self.exponent + self.zeros + exponent).clamp(-100_000, 100_000);
        Number::new(negative, self.coefficient, exponent as i32)
    }
}

/// Takes the digits at the front of a text; returns their count.
fn take_digits(rest: &mut &[u8], mut push: impl FnMut(u8)) -> usize {
    let mut taken = 0;
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        push(digit - b'0');
        *rest = tail;
        taken += 1;
    }
    taken
}

/// The exponent at the end of a text; 0 for an empty text.
fn parse_exponent(rest: &[u8]) -> Result<i64, NumberError> {
    let (negative, digits) = match rest {
        [] => return Ok(0),
        [b'e' | b'E', b'-', digits @ ..] => (true, digits),
        [b'e' | b'E', b'+', digits @ ..] | [b'e' | b'E', digits @ ..] => (false, digits),
        _ => return Err(NumberError::Syntax),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::Syntax);
    }
    let magnitude = digits.iter().fold(0i64, |sum, digit| {
        (sum * 10 + i64::from(digit - b'0')).min(1_000_000)
    });
    Ok(if negative { -magnitude } else { magnitude })
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => {
                return if other.negative {
                    Ordering::Greater
                } else {
                    Ordering::Less
                };
            }
            (false, true) => {
                return if self.negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                };
            }
            (false, false) => {}
        }
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => cmp_magnitude(self, other),
            (true, true) => cmp_magnitude(other, self),
        }
    }
}

/// Compares two numbers other than zero, without their signs.
fn cmp_magnitude(a: &Number, b: &Number) -> Ordering {
    let (digits_a, digits_b) = (a.digits(), b.digits());
    let leading = |number: &Number, digits: u32| number.exponent() + digits as i32;
    leading(a, digits_a)
        .cmp(&leading(b, digits_b))
        .then_with(|| {
            // Align both to 38 digits; 10^38 fits in u128.
            let pad = |coefficient: u128, digits: u32| {
                coefficient * 10u128.pow(NUMBER_DIGITS_MAX - digits)
            };
            pad(a.coefficient, digits_a).cmp(&pad(b.coefficient, digits_b))
        })
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Number {
    /// Appends the text of [`Display`](fmt::Display). Faster for short numbers.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        let fraction = usize::from(self.exponent.unsigned_abs());
        let (Ok(mut rest), true) = (
            u64::try_from(self.coefficient),
            self.exponent <= 0 && fraction < 18,
        ) else {
            return out.extend_from_slice(self.to_string().as_bytes());
        };
        // Digits from the last to the first, at least one before the point.
        let mut text = [0u8; 22];
        let (mut at, mut digits) = (text.len(), 0);
        while rest > 0 || digits <= fraction {
            if digits == fraction && fraction > 0 {
                at -= 1;
                text[at] = b'.';
            }
            at -= 1;
            text[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            digits += 1;
        }
        if self.negative {
            at -= 1;
            text[at] = b'-';
        }
        out.extend_from_slice(&text[at..]);
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        if self.exponent >= 0 {
            let zeros = if self.is_zero() {
                0
            } else {
                self.exponent as usize
            };
            return write!(f, "{sign}{}{:0<zeros$}", self.coefficient, "");
        }
        let fraction = usize::from(self.exponent.unsigned_abs());
        let digits = self.coefficient.to_string();
        match digits.split_at_checked(digits.len().saturating_sub(fraction)) {
            Some(("", tail)) => write!(f, "{sign}0.{tail:0>fraction$}"),
            Some((whole, tail)) => write!(f, "{sign}{whole}.{tail}"),
            None => write!(f, "{sign}{digits}"),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn prints_in_plain_form() {
        for (given, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("+7", "7"),
            ("007", "7"),
            ("1.50", "1.5"),
            ("1e-5", "0.00001"),
            ("-0.10", "-0.1"),
            ("1E2", "100"),
            (".5", "0.5"),
            ("5.", "5"),
            ("123.456e2", "12345.6"),
            ("0.000e10", "0"),
            ("100", "100"),
            ("0e-999999999999", "0"),
        ] {
            assert_eq!(number(given).to_string(), expected, "{given}");
        }
        assert_eq!(number("1E100").to_string(), format!("1{}", "0".repeat(100)));
        let low = format!("0.{}1", "0".repeat(129));
        assert_eq!(number("1E-130").to_string(), low);
    }

    #[test]
    fn the_next_number_is_one_of_the_last_digit_of_38_away() {
        let tail = |digits: usize| format!("{}1", "0".repeat(digits - 1));
        for (given, next) in [
            ("0", Some("1e-130".to_owned())),
            ("-1e-130", Some("0".to_owned())),
            ("5", Some(format!("5.{}", tail(37)))),
            ("99", Some(format!("99.{}", tail(36)))),
            ("-1", Some(format!("-0.{}", "9".repeat(38)))),
            ("-2", Some(format!("-1.{}", "9".repeat(37)))),
            (
                "9.9999999999999999999999999999999999999",
                Some("10".to_owned()),
            ),
            ("99999999999999999999999999999999999999e88", None),
        ] {
            let next = next.map(|text| number(&text));
            assert_eq!(number(given).next_up(), next, "{given}");
            if let Some(next) = next {
                assert_eq!(next.negated().next_up(), Some(number(given).negated()));
            }
        }
    }

    #[test]
    fn refuses_what_dynamodb_refuses() {
        for (given, error) in [
            ("", NumberError::Syntax),
            ("abc", NumberError::Syntax),
            ("1e", NumberError::Syntax),
            ("--1", NumberError::Syntax),
            (" 1", NumberError::Syntax),
            ("NaN", NumberError::Syntax),
            (".", NumberError::Syntax),
            ("1.2.3", NumberError::Syntax),
            ("1e5x", NumberError::Syntax),
            ("1E126", NumberError::Overflow),
            ("1E-131", NumberError::Underflow),
            ("1e999999999999999999999", NumberError::Overflow),
            (
                "123456789012345678901234567890123456789",
                NumberError::Precision,
            ),
        ] {
            assert_eq!(given.parse::<Number>(), Err(error), "{given}");
        }
        assert_eq!(number(&"9".repeat(38)).digits(), 38);
        assert_eq!(
            number(&format!("{}{}", "9".repeat(38), "0".repeat(88))).digits(),
            38
        );
    }

    #[test]
    fn arithmetic_is_exact_or_an_error() {
        assert_eq!(number("0.1").checked_add(&number("0.2")), Ok(number("0.3")));
        assert_eq!(number("1").checked_sub(&number("1")), Ok(Number::ZERO));
        assert_eq!(
            number("1E20")
                .checked_add(&number("1E-17"))
                .map(|n| n.digits()),
            Ok(38)
        );
        assert_eq!(
            number("1E20").checked_add(&number("1E-18")),
            Err(NumberError::Precision)
        );
        assert_eq!(
            number("1E125").checked_add(&number("1E-130")),
            Err(NumberError::Precision)
        );
        assert_eq!(
            number("9E125").checked_add(&number("9E125")),
            Err(NumberError::Overflow)
        );
    }

    #[test]
    fn size_counts_pairs_of_digits() {
        for (given, bytes) in [
            ("0", 1),
            ("1", 2),
            ("12", 2),
            ("123", 3),
            ("-12", 3),
            ("100", 2),
            ("10", 2),
            ("1.5", 3),
            ("0.15", 2),
        ] {
            assert_eq!(number(given).size_bytes(), bytes, "{given}");
        }
    }

    fn any_number() -> impl Strategy<Value = Number> {
        (any::<bool>(), 0u128..10u128.pow(38), -130i32..=88)
            .prop_filter_map("in range", |(negative, coefficient, exponent)| {
                Number::new(negative, coefficient, exponent).ok()
            })
    }

    proptest! {
        #[test]
        fn text_round_trips(number in any_number()) {
            prop_assert_eq!(number.to_string().parse::<Number>(), Ok(number));
        }

        #[test]
        fn both_ways_to_print_agree(number in any_number(), short in any::<i64>(), exponent in -20i32..3) {
            let short = Number::new(short < 0, u128::from(short.unsigned_abs()), exponent).unwrap();
            for number in [number, short] {
                let mut out = b"before".to_vec();
                number.append_to(&mut out);
                prop_assert_eq!(String::from_utf8(out).unwrap(), format!("before{number}"));
            }
        }

        #[test]
        fn order_agrees_with_subtraction(a in any_number(), b in any_number()) {
            if let Ok(difference) = a.checked_sub(&b) {
                let expected = if difference.is_zero() { Ordering::Equal }
                    else if difference.is_negative() { Ordering::Less } else { Ordering::Greater };
                prop_assert_eq!(a.cmp(&b), expected);
            }
        }

        #[test]
        fn parsing_any_text_does_not_panic(text in ".*") {
            if let Ok(number) = text.parse::<Number>() {
                prop_assert_eq!(number.to_string().parse::<Number>(), Ok(number));
            }
        }
    }
}

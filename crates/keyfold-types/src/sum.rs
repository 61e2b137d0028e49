//! Sums of any number of digits: numbers are added and taken out in any order, and only what is left
//! needs a place among DynamoDB's numbers.
//!
//! A sum is a [`Number`] while it has a place there. Another one is kept in limbs of nine digits, and is a
//! number again as soon as it has a place.
//!
//! ```text
//! 1e30 + 1e-10          41 digits: no number
//! 1e30 + 1e-10 - 1e30   1e-10
//! ```

use crate::limits::NUMBER_DIGITS_MAX;
use crate::number::{MAGNITUDE_MAX, MAGNITUDE_MIN};
use crate::{Number, NumberError};
use std::fmt;
use std::str::FromStr;

/// The decimal digits of a limb.
const DIGITS: usize = 9;
const BASE: i64 = 1_000_000_000;
/// The power of ten of the last digit: that of the smallest number, with 37 digits behind its first.
const EXPONENT_MIN: i32 = -167;
/// Digits up to 10^125, and room for the carries of as many numbers as there can be.
const LIMBS: usize = 35;
/// A coefficient in limbs, and one more for the shift.
const PARTS: usize = 6;

/// The exact sum of numbers.
///
/// # Example: a sum that is no number for a while
/// ```
/// use keyfold_types::{Number, NumberError, Sum};
///
/// let (large, small): (Number, Number) = ("1e30".parse()?, "1e-10".parse()?);
/// let mut sum = Sum::from(large);
/// sum.add(&small);
/// assert_eq!(sum.number(), Err(NumberError::Precision));
/// sum.take_out(&large);
/// assert_eq!(sum.number(), Ok(small));
/// # Ok::<(), NumberError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum(Kept);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    Number(Number),
    /// What is no number.
    Wide(Box<Limbs>),
}

/// A sum in limbs, the least first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Limbs {
    is_negative: bool,
    /// Each between 0 and its digits.
    limbs: [i64; LIMBS],
}

impl Default for Sum {
    fn default() -> Sum {
        Sum(Kept::Number(Number::ZERO))
    }
}

impl From<Number> for Sum {
    fn from(number: Number) -> Sum {
        Sum(Kept::Number(number))
    }
}

impl Sum {
    /// Adds a number.
    pub fn add(&mut self, number: &Number) {
        self.join(&Sum::from(*number));
    }

    /// Subtracts a number.
    pub fn take_out(&mut self, number: &Number) {
        self.add(&number.negated());
    }

    /// Adds another sum.
    pub fn join(&mut self, other: &Sum) {
        if let (Kept::Number(one), Kept::Number(two)) = (&self.0, &other.0)
            && let Ok(sum) = one.checked_add(two)
        {
            self.0 = Kept::Number(sum);
            return;
        }
        let (mut signed, more) = (self.signed(), other.signed());
        for (limb, more) in signed.iter_mut().zip(more) {
            *limb += more;
        }
        *self = Sum::of(signed);
    }

    /// The sum as a number.
    ///
    /// # Errors
    /// When it is no number of DynamoDB: `Overflow` for its magnitude, `Precision` for its digits,
    /// `Underflow` when it is too small.
    pub fn number(&self) -> Result<Number, NumberError> {
        match &self.0 {
            Kept::Number(number) => Ok(*number),
            Kept::Wide(limbs) => limbs.number(),
        }
    }

    /// The quotient by a count, rounded half away from zero: to 38 digits, and to 1E-130 where it is
    /// smaller than that. `None` for a count of 0.
    pub fn divided_by(&self, count: u64) -> Option<Number> {
        let count = u128::from(count);
        if count == 0 {
            return None;
        }
        let limbs = Limbs::of(self.signed());
        let (mut quotient, mut rest) = (0_u128, 0_u128);
        let mut exponent = EXPONENT_MIN + i32::try_from(LIMBS * DIGITS).unwrap_or_default();
        let mut digits = limbs.digits().into_iter().rev();
        // Until the quotient has all its digits, and is not finer than the smallest number.
        while quotient < 10_u128.pow(NUMBER_DIGITS_MAX - 1) {
            if exponent <= MAGNITUDE_MIN && quotient == 0 {
                break;
            }
            let digit = digits.next().unwrap_or_default();
            if rest == 0 && digits.len() == 0 && digit == 0 {
                break;
            }
            rest = rest * 10 + u128::from(digit);
            quotient = quotient * 10 + rest / count;
            rest %= count;
            exponent -= 1;
        }
        let next = rest * 10 + u128::from(digits.next().unwrap_or_default());
        if next / count >= 5 {
            quotient += 1;
        }
        // No mean is greater than the greatest of its numbers.
        Number::new(limbs.is_negative, quotient, exponent).ok()
    }

    fn of(signed: [i64; LIMBS]) -> Sum {
        let limbs = Limbs::of(signed);
        match limbs.number() {
            Ok(number) => Sum::from(number),
            Err(_) => Sum(Kept::Wide(Box::new(limbs))),
        }
    }

    /// The sum in limbs with its sign.
    fn signed(&self) -> [i64; LIMBS] {
        match &self.0 {
            Kept::Number(number) => signed(number),
            Kept::Wide(limbs) if limbs.is_negative => limbs.limbs.map(|limb| -limb),
            Kept::Wide(limbs) => limbs.limbs,
        }
    }
}

/// A number in limbs with its sign.
fn signed(number: &Number) -> [i64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let place = usize::try_from(number.exponent() - EXPONENT_MIN).unwrap_or_default();
    let shift = 10_i64.pow(u32::try_from(place % DIGITS).unwrap_or_default());
    let mut rest = number.coefficient();
    let mut carry = 0;
    for limb in limbs.iter_mut().skip(place / DIGITS).take(PARTS) {
        let base = u128::from(BASE.unsigned_abs());
        let digits = i64::try_from(rest % base).unwrap_or_default();
        rest /= base;
        // Below 10^9 * 10^8 + 10^9.
        let shifted = digits * shift + carry;
        carry = shifted / BASE;
        let part = shifted % BASE;
        *limb = if number.is_negative() { -part } else { part };
    }
    limbs
}

impl Limbs {
    /// Brings limbs of any signs to one sign, each within its digits.
    fn of(mut signed: [i64; LIMBS]) -> Limbs {
        let mut carry = 0;
        for limb in &mut signed {
            let sum = *limb + carry;
            carry = sum / BASE;
            *limb = sum % BASE;
        }
        let first = signed.iter().rfind(|limb| **limb != 0);
        let is_negative = first.is_some_and(|limb| *limb < 0);
        let mut borrow = 0;
        let limbs = signed.map(|limb| {
            let own = if is_negative { -limb } else { limb } - borrow;
            borrow = i64::from(own < 0);
            own + borrow * BASE
        });
        Limbs { is_negative, limbs }
    }

    /// All digits, the last first.
    fn digits(&self) -> Vec<u8> {
        let mut digits = Vec::with_capacity(LIMBS * DIGITS);
        for mut limb in self.limbs {
            for _ in 0..DIGITS {
                digits.push(u8::try_from(limb % 10).unwrap_or_default());
                limb /= 10;
            }
        }
        digits
    }

    fn number(&self) -> Result<Number, NumberError> {
        let digits = self.digits();
        let is_digit = |digit: &u8| *digit != 0;
        let (Some(last), Some(first)) = (
            digits.iter().position(is_digit),
            digits.iter().rposition(is_digit),
        ) else {
            return Ok(Number::ZERO);
        };
        let exponent = |place: usize| i32::try_from(place).unwrap_or(i32::MAX) + EXPONENT_MIN;
        if exponent(first) > MAGNITUDE_MAX {
            return Err(NumberError::Overflow);
        }
        if first - last >= NUMBER_DIGITS_MAX as usize {
            return Err(NumberError::Precision);
        }
        let own = digits.iter().take(first + 1).skip(last).rev();
        let coefficient = own.fold(0, |all, digit| all * 10 + u128::from(*digit));
        Number::new(self.is_negative, coefficient, exponent(last))
    }
}

/// All digits, without an exponent.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limbs = match &self.0 {
            Kept::Number(number) => return number.fmt(f),
            Kept::Wide(limbs) => limbs,
        };
        let digits = limbs.digits().into_iter();
        let digits: String = digits.rev().map(|one| char::from(b'0' + one)).collect();
        let behind = usize::try_from(-EXPONENT_MIN).unwrap_or_default();
        let (whole, fraction) = digits.split_at(digits.len() - behind);
        let (whole, fraction) = (
            whole.trim_start_matches('0'),
            fraction.trim_end_matches('0'),
        );
        let sign = if limbs.is_negative { "-" } else { "" };
        let whole = if whole.is_empty() { "0" } else { whole };
        match fraction {
            "" => write!(f, "{sign}{whole}"),
            fraction => write!(f, "{sign}{whole}.{fraction}"),
        }
    }
}

/// Reads what `Display` writes.
impl FromStr for Sum {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Sum, NumberError> {
        let own = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = own.split_once('.').unwrap_or((own, ""));
        let is_digits = |text: &str| text.bytes().all(|one| one.is_ascii_digit());
        let before = i32::try_from(whole.len()).map_err(|_| NumberError::Syntax)?;
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return Err(NumberError::Syntax);
        }
        let mut signed = [0; LIMBS];
        for (exponent, digit) in (0..before)
            .rev()
            .chain((i32::MIN..0).rev())
            .zip(whole.bytes().chain(fraction.bytes()))
        {
            let digit = i64::from(digit - b'0');
            let place = usize::try_from(exponent - EXPONENT_MIN).ok();
            let limb = place.and_then(|place| signed.get_mut(place / DIGITS));
            match (place, limb) {
                (Some(place), Some(limb)) => {
                    *limb += digit * 10_i64.pow(u32::try_from(place % DIGITS).unwrap_or_default());
                }
                (_, _) if digit == 0 => {}
                (_, _) => return Err(NumberError::Syntax),
            }
        }
        let is_negative = text.starts_with('-');
        Ok(Sum::of(
            signed.map(|limb| if is_negative { -limb } else { limb }),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREATEST: &str = "9.9999999999999999999999999999999999999e125";

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    fn sum(texts: &[&str]) -> Sum {
        let mut sum = Sum::default();
        for text in texts {
            match text.strip_prefix("out ") {
                Some(text) => sum.take_out(&number(text)),
                None => sum.add(&number(text)),
            }
        }
        sum
    }

    #[test]
    fn what_is_taken_out_leaves_the_rest() {
        let least = "1e-130";
        let out = format!("out {GREATEST}");
        for (texts, wanted) in [
            (&[][..], Ok("0")),
            (&["1e125", "out 1e125", "3"], Ok("3")),
            (
                &["3", "1e125", "1e-100", "out 1e125", "out 1e-100"],
                Ok("3"),
            ),
            (
                &[GREATEST, least, GREATEST, &out],
                Err(NumberError::Precision),
            ),
            (&[GREATEST, least, &out], Ok(least)),
            (&["-1e30", "1e-10", "1e30"], Ok("1e-10")),
            (&["1", "-1000000000", "999999999"], Ok("0")),
            (&["out 5", "2"], Ok("-3")),
            (&["1e9", "-1"], Ok("999999999")),
            (
                &["-1e100", "1e70"],
                Ok("-999999999999999999999999999999e70"),
            ),
            (
                &["12345678901234567890123456789012345678e-130"],
                Ok("12345678901234567890123456789012345678e-130"),
            ),
            (
                &["12345678901234567890123456789012345678e88"],
                Ok("12345678901234567890123456789012345678e88"),
            ),
            (&["9e125", "9e125"], Err(NumberError::Overflow)),
            (&["9e125", "9e125", "1e-100"], Err(NumberError::Overflow)),
            (&["1e30", "1e-10"], Err(NumberError::Precision)),
            (&["1.1e-130", "out 1e-130"], Err(NumberError::Underflow)),
        ] {
            let found = sum(texts).number();
            assert_eq!(found, wanted.map(number), "{texts:?}");
        }
    }

    #[test]
    fn numbers_come_back_in_any_order() {
        let numbers = [
            "7e120",
            "-3.25",
            "1e-130",
            "-99999999999999999999e10",
            "42",
            "-1e125",
        ];
        let whole = sum(&numbers);
        for from in 0..numbers.len() {
            let mut sum = Sum::default();
            let turned = numbers.iter().cycle().skip(from).take(numbers.len());
            for text in turned {
                sum.add(&number(text));
            }
            assert_eq!(sum, whole, "{from}");
            for text in numbers {
                if text != "42" {
                    sum.take_out(&number(text));
                }
            }
            assert_eq!(sum.number(), Ok(Number::from(42_i64)), "{from}");
        }
    }

    #[test]
    fn texts_come_back() {
        for texts in [
            &["1e30", "1e-10"][..],
            &["-1e125", "1e-130"],
            &[GREATEST, GREATEST],
            &["1.1e-130", "out 1e-130"],
            &["5"],
            &["out 2.5"],
        ] {
            let sum = sum(texts);
            assert_eq!(sum.to_string().parse(), Ok(sum), "{texts:?}");
        }
        assert_eq!(
            sum(&["-1e39", "1e-2"]).to_string(),
            format!("-{}.99", "9".repeat(39))
        );
        for text in ["", "-", "1e5", "1.x", ".5", "+1", &"1".repeat(400)] {
            assert_eq!(text.parse::<Sum>(), Err(NumberError::Syntax), "{text}");
        }
    }

    /// The quotient of a number as on paper: digit for digit, the last one rounded half away from zero.
    fn long_division(one: &Number, count: u64) -> Option<Number> {
        let count = u128::from(count);
        let (mut quotient, mut rest) = (one.coefficient() / count, one.coefficient() % count);
        let mut exponent = one.exponent();
        while rest > 0 && quotient < 10_u128.pow(NUMBER_DIGITS_MAX - 1) {
            quotient = quotient * 10 + rest * 10 / count;
            rest = rest * 10 % count;
            exponent -= 1;
        }
        quotient += u128::from(rest * 2 >= count);
        Number::new(one.is_negative(), quotient, exponent).ok()
    }

    #[test]
    fn quotients_are_those_of_numbers_and_have_a_place() {
        let tenth = "0.1e-130";
        for (texts, count, wanted) in [
            (&["10"][..], 4, "2.5"),
            (&["1"], 3, &format!("0.{}", "3".repeat(38))),
            (&["-2"], 3, &format!("-0.{}7", "6".repeat(37))),
            (&[GREATEST, GREATEST], 2, GREATEST),
            (&[GREATEST, GREATEST, "1e-130"], 2, GREATEST),
            (&["1e30", "1e-10"], 2, "5e29"),
            (&["1e-130"], 2, "1e-130"),
            (&["-1e-130"], 3, "0"),
            (&["1e-130", "1e-167"], 1, "1e-130"),
            (&["0"], 7, "0"),
            (&["1e125", "-1e125", "3"], 3, "1"),
            (&["7"], 2, "3.5"),
            (&["-7"], 2, "-3.5"),
            (&["1e40"], 8, "1250000000000000000000000000000000000000"),
            (&[&"9".repeat(38)], 1, &"9".repeat(38)),
            (&[&"9".repeat(38)], 10, &format!("{}.9", "9".repeat(37))),
            (&["18446744073709551615"], u64::MAX, "1"),
        ] {
            let texts = texts.iter().filter(|text| **text != "1e-167");
            let texts: Vec<&str> = texts.copied().collect();
            let found = sum(&texts).divided_by(count);
            assert_eq!(found, Some(number(wanted)), "{texts:?} {count}");
        }
        assert_eq!(sum(&["1"]).divided_by(0), None);
        assert!(tenth.parse::<Number>().is_err());
        let mut chance = 7_u64;
        for _ in 0..2_000 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005) + 1;
            let (whole, count) = (chance >> 20, (chance >> 3) % 1_000 + 1);
            let exponent = i32::try_from(chance % 120).unwrap() - 60;
            let one = Number::new(chance.is_multiple_of(2), u128::from(whole), exponent).unwrap();
            let found = Sum::from(one).divided_by(count);
            assert_eq!(found, long_division(&one, count), "{one} / {count}");
        }
    }
}

//! Sums of any number of digits: numbers are added and taken out in any order, and only what is left
//! needs a place among DynamoDB's numbers.

use keyfold_lower::ClientError;
use keyfold_types::{Number, NumberError};

/// The decimal digits of a limb.
const DIGITS: usize = 9;
const BASE: i64 = 1_000_000_000;
/// The power of ten of the last digit: that of the smallest number, with 37 digits behind its first.
const EXPONENT_MIN: i32 = -167;
/// Digits up to 10^125, and room for the carries of as many numbers as there can be.
const LIMBS: usize = 35;
/// A coefficient in limbs, and one more for the shift.
const PARTS: usize = 6;

/// An exact sum.
#[derive(Debug, Clone)]
pub(crate) struct Exact {
    /// The least first. A limb may be negative, or greater than its digits, until the sum is read.
    limbs: [i64; LIMBS],
}

impl Exact {
    pub(crate) fn zero() -> Exact {
        Exact { limbs: [0; LIMBS] }
    }

    pub(crate) fn add(&mut self, number: &Number) {
        self.change(number, number.is_negative());
    }

    pub(crate) fn take_out(&mut self, number: &Number) {
        self.change(number, !number.is_negative());
    }

    fn change(&mut self, number: &Number, is_less: bool) {
        let place = usize::try_from(number.exponent() - EXPONENT_MIN).unwrap_or_default();
        let shift = 10_i64.pow(u32::try_from(place % DIGITS).unwrap_or_default());
        let mut rest = number.coefficient();
        let mut carry = 0;
        for limb in self.limbs.iter_mut().skip(place / DIGITS).take(PARTS) {
            let digits = i64::try_from(rest % BASE.unsigned_abs() as u128).unwrap_or_default();
            rest /= BASE.unsigned_abs() as u128;
            // Below 10^9 * 10^8 + 10^9.
            let shifted = digits * shift + carry;
            carry = shifted / BASE;
            let part = shifted % BASE;
            *limb += if is_less { -part } else { part };
        }
        self.carry();
    }

    /// Brings each limb between minus and plus its digits.
    fn carry(&mut self) {
        let mut carry = 0;
        for limb in &mut self.limbs {
            let sum = *limb + carry;
            carry = sum / BASE;
            *limb = sum % BASE;
        }
    }

    /// The sum.
    ///
    /// # Errors
    /// When it is no number of DynamoDB.
    pub(crate) fn number(&self) -> Result<Number, NumberError> {
        let is_negative = self.limbs.iter().rfind(|limb| **limb != 0);
        let is_negative = is_negative.is_some_and(|limb| *limb < 0);
        let mut digits = Vec::with_capacity(LIMBS * DIGITS);
        let mut borrow = 0;
        for limb in self.limbs {
            let own = if is_negative { -limb } else { limb } - borrow;
            borrow = i64::from(own < 0);
            let mut own = own + borrow * BASE;
            for _ in 0..DIGITS {
                digits.push(own % 10);
                own /= 10;
            }
        }
        let Some(first) = digits.iter().position(|digit| *digit != 0) else {
            return Ok(Number::ZERO);
        };
        let mut coefficient = 0_u128;
        for digit in digits.iter().skip(first).rev() {
            let digit = u128::from(digit.unsigned_abs());
            let more = coefficient
                .checked_mul(10)
                .and_then(|ten| ten.checked_add(digit));
            coefficient = more.ok_or(NumberError::Precision)?;
        }
        let first = i32::try_from(first).unwrap_or_default();
        Number::new(is_negative, coefficient, first + EXPONENT_MIN)
    }

    /// The sum of a column.
    ///
    /// # Errors
    /// `Refused` when it is no number of DynamoDB.
    pub(crate) fn of_column(&self, attribute: &str) -> Result<Number, ClientError> {
        self.number().map_err(|error| {
            ClientError::refused(format!(
                "{attribute} would leave DynamoDB's numbers: {error}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Result<String, NumberError> {
        let mut sum = Exact::zero();
        for text in texts {
            match text.strip_prefix("out ") {
                Some(text) => sum.take_out(&text.parse().unwrap()),
                None => sum.add(&text.parse().unwrap()),
            }
        }
        sum.number().map(|number| number.to_string())
    }

    #[test]
    fn what_is_taken_out_leaves_the_rest() {
        let greatest = "9.9999999999999999999999999999999999999e125";
        let least = "1e-130";
        for (texts, wanted) in [
            (&[][..], "0"),
            (&["1e125", "out 1e125", "3"], "3"),
            (&["3", "1e125", "1e-100", "out 1e125", "out 1e-100"], "3"),
            (
                &[
                    greatest,
                    least,
                    greatest,
                    "out 9.9999999999999999999999999999999999999e125",
                ],
                "",
            ),
            (
                &[
                    greatest,
                    least,
                    "out 9.9999999999999999999999999999999999999e125",
                ],
                least,
            ),
            (&["-1e30", "1e-10", "1e30"], "1e-10"),
            (&["1", "-1000000000", "999999999"], "0"),
            (&["out 5", "2"], "-3"),
            (&["1e9", "-1"], "999999999"),
            (&["-1e100", "1e70"], "-999999999999999999999999999999e70"),
            (
                &["12345678901234567890123456789012345678e-130"],
                "12345678901234567890123456789012345678e-130",
            ),
            (
                &["12345678901234567890123456789012345678e88"],
                "12345678901234567890123456789012345678e88",
            ),
        ] {
            let found = of(texts);
            match wanted {
                "" => assert_eq!(found, Err(NumberError::Precision), "{texts:?}"),
                wanted => {
                    let wanted: Number = wanted.parse().unwrap();
                    assert_eq!(found, Ok(wanted.to_string()), "{texts:?}");
                }
            }
        }
        assert_eq!(of(&["9e125", "9e125"]), Err(NumberError::Overflow));
        assert_eq!(of(&["1e30", "1e-10"]), Err(NumberError::Precision));
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
        for from in 0..numbers.len() {
            let mut sum = Exact::zero();
            for at in 0..numbers.len() {
                let text = numbers.get((from + at) % numbers.len()).unwrap();
                sum.add(&text.parse().unwrap());
            }
            for text in numbers {
                if text != "42" {
                    sum.take_out(&text.parse().unwrap());
                }
            }
            assert_eq!(sum.number(), Ok(Number::from(42_i64)), "{from}");
        }
    }
}

//! Measures binary Ion before it is parsed.

use super::limits::{DEPTH_MAX, NUMBER_BYTES_MAX, NUMBER_TOO_LONG, TOO_DEEP};

/// The bytes with which binary Ion begins.
pub(super) const MARKER: [u8; 4] = [0xe0, 0x01, 0x00, 0xea];

/// Checks nesting and numbers of binary Ion against their limits, without recursion.
pub(super) fn measure(bytes: &[u8]) -> Result<(), &'static str> {
    const BROKEN: &str = "the file is no Ion: a value is longer than what it is in";
    // The ends of the enclosing values, and whether they are structs, whose values have names.
    let mut enclosing: Vec<(usize, bool)> = vec![(bytes.len(), false)];
    let mut at = 0;
    while let Some((end, is_struct)) = enclosing.last().copied() {
        if at >= end {
            enclosing.pop();
            continue;
        }
        if enclosing.len() == 1 && bytes.get(at..at + 4) == Some(&MARKER) {
            at += 4;
            continue;
        }
        if is_struct {
            variable_length(bytes, &mut at).ok_or(BROKEN)?;
        }
        let descriptor = bytes.get(at).copied().ok_or(BROKEN)?;
        at += 1;
        let (kind, low) = (descriptor >> 4, usize::from(descriptor & 0xf));
        let length = match (kind, low) {
            (_, 15) | (1, _) => 0,
            (0xd, 1) | (_, 14) => variable_length(bytes, &mut at).ok_or(BROKEN)?,
            _ => low,
        };
        let value_end = at
            .checked_add(length)
            .filter(|value_end| *value_end <= end)
            .ok_or(BROKEN)?;
        if (2..=5).contains(&kind) && length > NUMBER_BYTES_MAX {
            return Err(NUMBER_TOO_LONG);
        }
        if !(0xb..=0xe).contains(&kind) {
            at = value_end;
            continue;
        }
        if enclosing.len() > DEPTH_MAX {
            return Err(TOO_DEEP);
        }
        if kind == 0xe {
            let names = variable_length(bytes, &mut at).ok_or(BROKEN)?;
            at = at
                .checked_add(names)
                .filter(|start| *start <= value_end)
                .ok_or(BROKEN)?;
        }
        enclosing.push((value_end, kind == 0xd));
    }
    Ok(())
}

/// Reads a number of seven bits a byte, the last with its highest bit set.
fn variable_length(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0usize;
    for _ in 0..5 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number = number.checked_shl(7)? | usize::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            return Some(number);
        }
    }
    None
}

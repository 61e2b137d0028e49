//! Varints: unsigned integers in seven bits a byte, lowest first.

/// Appends `value`.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The length of a value's encoding in bytes.
pub(crate) fn length(value: u64) -> usize {
    (u64::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
}

/// Takes a value from the front of `bytes`; `None` when it is incomplete or too long.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    match bytes.split_first() {
        // Most values take one byte.
        Some((&byte, rest)) if byte < 0x80 => {
            *bytes = rest;
            Some(u64::from(byte))
        }
        _ => take_long(bytes),
    }
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Takes `length` bytes from the front; `None` when there are fewer.
pub(crate) fn take_bytes<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(head)
}

/// Takes a length and then that many bytes.
pub(crate) fn take_chunk<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take(bytes)?).ok()?;
    take_bytes(bytes, length)
}

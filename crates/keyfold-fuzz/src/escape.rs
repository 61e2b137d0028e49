//! Inputs as lines of text, with escapes for bytes that are no printable ASCII. `xtask` includes
//! this file: it writes corpora for libFuzzer.

/// Encodes an input as a line.
pub fn escape(input: &[u8]) -> String {
    input.escape_ascii().to_string()
}

/// Decodes the input of a line.
pub fn unescape(line: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digit = |byte: Option<u8>| {
                    char::from(byte.unwrap_or(b'0')).to_digit(16).unwrap_or(0) as u8
                };
                let high = digit(bytes.next());
                high << 4 | digit(bytes.next())
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescape(&escape(&all)), all);
    }
}

//! Small letters in keys: those of one version of Unicode, whatever version a runtime has.
//!
//! A later version gives small letters to further code points. Clients in other languages run on
//! runtimes of many versions, and a key must have one form in all of them: the mapping is that of
//! Unicode 13, which Python 3.10 has, and any later code point stays as it is.

/// The ranges of the code points that have a small letter in Unicode 13, first and last. Between them are
/// code points that Unicode 13 does not have.
const WITH_SMALL: [(char, char); 42] = [
    ('\u{41}', '\u{376}'),
    ('\u{37f}', '\u{37f}'),
    ('\u{386}', '\u{38a}'),
    ('\u{38c}', '\u{38c}'),
    ('\u{38e}', '\u{3a1}'),
    ('\u{3a3}', '\u{52e}'),
    ('\u{531}', '\u{556}'),
    ('\u{10a0}', '\u{10c5}'),
    ('\u{10c7}', '\u{10c7}'),
    ('\u{10cd}', '\u{10cd}'),
    ('\u{13a0}', '\u{13f5}'),
    ('\u{1c90}', '\u{1cba}'),
    ('\u{1cbd}', '\u{1cbf}'),
    ('\u{1e00}', '\u{1f0f}'),
    ('\u{1f18}', '\u{1f1d}'),
    ('\u{1f28}', '\u{1f3f}'),
    ('\u{1f48}', '\u{1f4d}'),
    ('\u{1f59}', '\u{1f59}'),
    ('\u{1f5b}', '\u{1f5b}'),
    ('\u{1f5d}', '\u{1f5d}'),
    ('\u{1f5f}', '\u{1f6f}'),
    ('\u{1f88}', '\u{1faf}'),
    ('\u{1fb8}', '\u{1fbc}'),
    ('\u{1fc8}', '\u{1fcc}'),
    ('\u{1fd8}', '\u{1fdb}'),
    ('\u{1fe8}', '\u{1fec}'),
    ('\u{1ff8}', '\u{1ffc}'),
    ('\u{2126}', '\u{2183}'),
    ('\u{24b6}', '\u{24cf}'),
    ('\u{2c00}', '\u{2c2e}'),
    ('\u{2c60}', '\u{2cf2}'),
    ('\u{a640}', '\u{a69a}'),
    ('\u{a722}', '\u{a7be}'),
    ('\u{a7c2}', '\u{a7c9}'),
    ('\u{a7f5}', '\u{a7f5}'),
    ('\u{ff21}', '\u{ff3a}'),
    ('\u{10400}', '\u{10427}'),
    ('\u{104b0}', '\u{104d3}'),
    ('\u{10c80}', '\u{10cb2}'),
    ('\u{118a0}', '\u{118bf}'),
    ('\u{16e40}', '\u{16e5f}'),
    ('\u{1e900}', '\u{1e921}'),
];

/// A text in small letters. Each letter is changed on its own, so that a prefix of the text gives a
/// prefix of the result.
pub fn lower(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for letter in text.chars() {
        if has_small(letter) {
            made.extend(letter.to_lowercase());
        } else {
            made.push(letter);
        }
    }
    made
}

fn has_small(letter: char) -> bool {
    let at = WITH_SMALL.partition_point(|(_, last)| *last < letter);
    WITH_SMALL
        .get(at)
        .is_some_and(|(first, _)| *first <= letter)
}

#[cfg(test)]
mod tests {
    use super::lower;

    /// The other languages have the same list in their tests.
    #[test]
    fn every_code_point_has_the_small_letter_of_unicode_13() {
        let listed = include_str!("../../../../clients/cases/lower.txt");
        let listed: Vec<&str> = listed
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let hex = |text: &str| {
            let points = text.chars().map(|c| format!("{:04X}", u32::from(c)));
            points.collect::<Vec<_>>().join(" ")
        };
        let all = ('\0'..=char::MAX).map(String::from);
        let changed = all.filter(|letter| lower(letter) != *letter);
        let found = changed.map(|letter| format!("{} {}", hex(&letter), hex(&lower(&letter))));
        assert_eq!(found.collect::<Vec<_>>(), listed);
    }
}

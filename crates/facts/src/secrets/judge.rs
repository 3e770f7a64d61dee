//! Whether characters are random enough to be a secret, told in whole numbers so that every machine tells the same.

/// Words that nobody issues in a secret, in lowercase.
const PLACEHOLDERS: &[&[u8]] = &[
    b"example",
    b"placeholder",
    b"changeme",
    b"change-me",
    b"change_me",
    b"replace",
    b"redacted",
    b"dummy",
    b"sample",
    b"your-",
    b"your_",
    b"yourkey",
    b"yourtoken",
    b"yoursecret",
    b"yourapi",
    b"insert",
    b"xxxx",
    b"****",
    b"....",
    b"deadbeefdeadbeef",
];

/// Whether somebody wrote it to stand for a secret: words, the alphabet, one character or one block again and again.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| contains(&lower, word)) || is_mostly_sequences(&lower) || repeats_a_block(&lower)
}

pub(super) fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// A sequence of fewer characters than this comes about by chance.
const SEQUENCE: usize = 4;

/// Whether more than half of it is `abcd`, `9876`, `1111` or `a1b2c3d4`.
fn is_mostly_sequences(value: &[u8]) -> bool {
    let covered = |stride: usize, least: usize| -> usize {
        let steps = value.iter().zip(value.iter().skip(stride)).map(|(first, second)| step(*first, *second));
        let mut total = 0;
        let mut run: (Option<i8>, usize) = (None, 0);
        for step in steps.chain([None]) {
            let continues = step.is_some() && step == run.0;
            if !continues {
                total += if run.1 + stride >= least { run.1 + stride } else { 0 };
            }
            run = (step, if continues { run.1 + 1 } else { usize::from(step.is_some()) });
        }
        total
    };
    covered(1, SEQUENCE) * 2 > value.len() || covered(2, 2 * SEQUENCE) * 2 > value.len()
}

/// By how much a character follows another in the alphabet, if by one at most.
fn step(first: u8, second: u8) -> Option<i8> {
    let both = first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric();
    let round = matches!((first, second), (b'9', b'0' | b'a') | (b'z', b'0'));
    match second.wrapping_sub(first) {
        _ if !both => None,
        0 => Some(0),
        1 => Some(1),
        u8::MAX => Some(-1),
        _ => round.then_some(1),
    }
}

/// Whether it is one block four times or more.
fn repeats_a_block(value: &[u8]) -> bool {
    let has_period = |period: usize| value.iter().zip(value.iter().skip(period)).all(|(first, again)| first == again);
    (1..=value.len() / 4).any(has_period)
}

/// Tenths of a bit that each character carries, by how often the characters occur.
pub(super) fn entropy(value: &[u8]) -> u32 {
    let mut counts = [0_u32; 256];
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let length = u64::try_from(value.len()).unwrap_or(u64::MAX);
    let weighed: u64 = counts.iter().map(|count| u64::from(*count) * log2(u64::from(*count))).sum();
    let bits = (length.saturating_mul(log2(length))).saturating_sub(weighed);
    u32::try_from(bits * 10 / (length.max(1) * UNIT)).unwrap_or(u32::MAX)
}

/// One bit, in the fixed point of [`log2`].
const UNIT: u64 = 1 << 16;

/// The logarithm by squaring: each time the square passes two, the next binary place is one.
fn log2(number: u64) -> u64 {
    let Some(whole) = number.checked_ilog2() else { return 0 };
    let mut rest = if whole > 30 { number >> (whole - 30) } else { number << (30 - whole) };
    let mut result = u64::from(whole) * UNIT;
    let mut place = UNIT / 2;
    while place > 0 {
        rest = (rest * rest) >> 30;
        if rest >> 31 == 1 {
            rest >>= 1;
            result += place;
        }
        place /= 2;
    }
    result
}

/// How many of digits, small and capital letters occur.
pub(super) fn classes(value: &[u8]) -> usize {
    let has = |is: fn(&u8) -> bool| usize::from(value.iter().any(is));
    has(u8::is_ascii_digit) + has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase)
}

/// How often digits, small and capital letters take turns, of a hundred places: 60 by chance, 30 in a name of words.
pub(super) fn class_changes(value: &[u8]) -> usize {
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let class_changes = value.windows(2).filter(|pair| pair.first().map(class) != pair.last().map(class)).count();
    class_changes * 100 / value.len().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_textbook() {
        for number in [1_u64, 2, 3, 5, 7, 10, 100, 255, 256, 4095, 1 << 40] {
            let expected = (number as f64).log2() * UNIT as f64;
            assert!((log2(number) as f64 - expected).abs() < 4.0, "{number}");
        }
        assert_eq!(log2(0), 0);
    }

    #[test]
    fn entropy_is_that_of_the_counts() {
        let cases: [(&[u8], u32); 5] =
            [(b"", 0), (b"aaaaaaaa", 0), (b"abababab", 10), (b"0123456789abcdef", 40), (b"aab", 9)];
        for (value, tenths) in cases {
            assert_eq!(entropy(value), tenths, "{value:?}");
        }
    }

    #[test]
    fn what_people_write_to_stand_for_a_secret_is_told() {
        let placeholders = [
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "0123456789abcdef0123456789abcdef",
            "abcdefghijklmnopqrstuvwxyz0123456789",
            "AbCdEfGhIjKlMnOpQrStUvWxYz",
            "1234567890123456789012345678901234567890",
            "a1b2c3d4e5f6g7h8i9j0",
            "0000000000000000000000000000",
            "IOSFODNN7EXAMPLE",
            "your-api-key-here",
            "q8Zq8Zq8Zq8Zq8Zq8Z",
            "9876543210",
        ];
        for text in placeholders {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
        for text in ["q7Tz0XwK4mB9cLr2VfYpH6sJ", "8f3a61c0d97be245", "Zx12345kQp9LmT0w"] {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }
}

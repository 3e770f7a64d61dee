//! Marks in a case that stand for bytes which should not stand there themselves: tokens that other scanners would find,
//! bytes that are no text, and what would be long. `tests/review/README.md` lists them.

/// What a mark stands for, by the part behind its name.
type Expand = fn(&[u8]) -> Option<Vec<u8>>;

const MARKS: &[(&[u8], Expand)] =
    &[(b"{{rand:", random), (b"{{hex:", hex), (b"{{repeat:", repeated), (b"{{base64:", base64), (b"{{wide:", wide)];

const END: &[u8] = b"}}";

/// The bytes with every mark replaced, the innermost first.
pub(crate) fn expanded(mut bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut before = bytes.len();
    while let Some((start, (name, expand))) = last_mark(&bytes, before) {
        let inside = start + name.len();
        let end = inside + position(&bytes[inside..], END).ok_or("a mark has no end")?;
        let whole = || String::from_utf8_lossy(&bytes[start..end]).into_owned();
        let made = expand(&bytes[inside..end]).ok_or_else(|| format!("{} stands for nothing", whole()))?;
        bytes.splice(start..end + END.len(), made);
        before = start;
    }
    Ok(bytes)
}

fn last_mark(bytes: &[u8], before: usize) -> Option<(usize, &'static (&'static [u8], Expand))> {
    let begins = |at: usize| MARKS.iter().find(|(name, _)| bytes[at..].starts_with(name)).map(|mark| (at, mark));
    (0..before).rev().filter(|at| bytes[*at] == b'{').find_map(begins)
}

fn position(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

/// `rand:AZ09:20:seed`: twenty characters of the ranges and characters, the same in every run.
fn random(rest: &[u8]) -> Option<Vec<u8>> {
    let rest = std::str::from_utf8(rest).ok()?;
    let (alphabet, rest) = rest.split_once(':')?;
    let (length, seed) = rest.split_once(':')?;
    let alphabet = alphabet_of(alphabet.as_bytes());
    let mut state = seed
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (state ^ state >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        alphabet[(mixed >> 33) as usize % alphabet.len()]
    };
    Some((0..length.parse().ok()?).map(|_| next()).collect())
}

const RANGES: &[(&[u8], std::ops::RangeInclusive<u8>)] = &[
    (b"AZ", b'A'..=b'Z'),
    (b"az", b'a'..=b'z'),
    (b"09", b'0'..=b'9'),
    (b"19", b'1'..=b'9'),
    (b"27", b'2'..=b'7'),
    (b"AF", b'A'..=b'F'),
    (b"af", b'a'..=b'f'),
];

fn alphabet_of(mut text: &[u8]) -> Vec<u8> {
    let mut alphabet = Vec::new();
    while let Some((first, rest)) = text.split_first() {
        match RANGES.iter().find(|(name, _)| text.starts_with(name)) {
            Some((name, range)) => {
                alphabet.extend(range.clone());
                text = &text[name.len()..];
            }
            None => {
                alphabet.push(*first);
                text = rest;
            }
        }
    }
    alphabet
}

/// `hex:00ff`: these bytes. Blanks and line breaks between the digits say nothing.
fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    data_encoding::HEXLOWER.decode(&digits).ok()
}

/// `repeat:3:ab`: `ababab`.
fn repeated(rest: &[u8]) -> Option<Vec<u8>> {
    let colon = position(rest, b":")?;
    let times: usize = std::str::from_utf8(&rest[..colon]).ok()?.parse().ok()?;
    Some(rest[colon + 1..].repeat(times))
}

/// `base64:text`: the text in base64.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    Some(data_encoding::BASE64.encode(text).into_bytes())
}

/// `wide:text`: the text in UTF-16, without a byte order mark.
fn wide(text: &[u8]) -> Option<Vec<u8>> {
    Some(std::str::from_utf8(text).ok()?.encode_utf16().flat_map(u16::to_le_bytes).collect())
}

#[test]
fn marks_stand_for_what_they_say() {
    let expand = |text: &str| String::from_utf8(expanded(text.into()).unwrap()).unwrap();
    assert_eq!(expand("a {{hex:62 63}} {{repeat:3:(}} d"), "a bc ((( d");
    assert_eq!(expand("{{repeat:2:{{hex:3c}}b}}"), "<b<b");
    assert_eq!(expand("{{base64:a:{{rand:09:0:s}}b}}"), "YTpi");
    assert_eq!(expand("style={{color}} {{repeat:2:{}}"), "style={{color}} {{");
    assert_eq!(expanded(b"{{wide:a}}".to_vec()).unwrap(), b"a\0");
    let drawn = expand("{{rand:AZ09_:40:a}}");
    assert!(drawn.len() == 40 && drawn == expand("{{rand:AZ09_:40:a}}") && drawn != expand("{{rand:AZ09_:40:b}}"));
    assert!(expanded(b"{{hex:zz}}".to_vec()).is_err() && expanded(b"{{hex:00".to_vec()).is_err());
}

//! The tokenizer: a cursor over checked UTF-8 that knows the grammar and every bound.
//!
//! It never recurses; whoever calls it nests no deeper than [`bounds::DEPTH`] because [`Tokenizer::descend`]
//! counts. Recoverable faults (numbers, characters, surrogates) are returned after the token was passed, so that a
//! collecting caller can go on.

use std::borrow::Cow;

use crate::{
    bounds, characters,
    fault::{Fault, FaultKind, Span},
    scan,
};

/// What starts at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A string that is not handed over.
pub(crate) struct RefusedText<'a> {
    pub(crate) fault: Box<Fault>,
    /// What it says all the same, when reading can go on behind it.
    pub(crate) value: Option<Cow<'a, str>>,
}

impl From<Box<Fault>> for Box<RefusedText<'_>> {
    fn from(fault: Box<Fault>) -> Self {
        Self::new(RefusedText { fault, value: None })
    }
}

/// A cursor over one document.
#[derive(Clone, Debug)]
pub(crate) struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Tokenizer<'a> {
    /// Accepts the bytes when they are UTF-8 without a byte order mark.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, Box<Fault>> {
        #[cfg(feature = "counts")]
        crate::counts::note_read();
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(Fault::new(FaultKind::NotUtf8, Span::new(0, 3), "the document starts with a byte order mark"));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let start = error.valid_up_to();
            let length = error.error_len().unwrap_or(1);
            Fault::new(FaultKind::NotUtf8, Span::new(start, start + length), "bytes that are not UTF-8")
        })?;
        Ok(Self::of_text(text))
    }

    /// At the start of what is known to be UTF-8.
    pub(crate) fn of_text(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// The same text at another place, to read one token there again.
    pub(crate) fn at(&self, offset: usize) -> Self {
        Self { at: offset, ..self.clone() }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// How many levels are open.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Skips white space and tells what value starts here.
    pub(crate) fn value(&mut self) -> Result<Token, Box<Fault>> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => Ok(Token::Object),
            Some(b'[') => Ok(Token::Array),
            Some(b'"') => Ok(Token::String),
            Some(b'-' | b'0'..=b'9') => Ok(Token::Number),
            Some(b't') => self.at_word("true", Token::True),
            Some(b'f') => self.at_word("false", Token::False),
            Some(b'n') => self.at_word("null", Token::Null),
            _ => Err(self.unexpected("expected a value")),
        }
    }

    /// Passes a word that [`Tokenizer::value`] has just seen.
    pub(crate) fn pass_word(&mut self, token: Token) -> Span {
        let start = self.at;
        self.at += if token == Token::False { 5 } else { 4 };
        Span::new(start, self.at)
    }

    /// Passes `{` or `[` and counts the level.
    pub(crate) fn descend(&mut self) -> Result<(), Box<Fault>> {
        let start = self.at;
        self.at += 1;
        self.depth += 1;
        if self.depth > bounds::DEPTH {
            let detail = format!("nested deeper than {} levels", bounds::DEPTH);
            return Err(Fault::new(FaultKind::TooLarge, Span::new(start, self.at), detail));
        }
        Ok(())
    }

    /// Passes `close` when it is next and leaves the level.
    pub(crate) fn ascend(&mut self, close: u8) -> bool {
        self.skip_space();
        let closed = self.peek() == Some(close);
        if closed {
            self.at += 1;
            self.depth -= 1;
        }
        closed
    }

    /// Passes the comma between two values.
    pub(crate) fn comma(&mut self, close: u8) -> Result<(), Box<Fault>> {
        self.skip_space();
        if self.peek() != Some(b',') {
            return Err(self.unexpected(if close == b'}' { "expected `,` or `}`" } else { "expected `,` or `]`" }));
        }
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(close) {
            return Err(self.unexpected("a trailing comma is not JSON"));
        }
        Ok(())
    }

    /// Skips white space and tells where the next token starts.
    pub(crate) fn next_offset(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// Passes a member name.
    pub(crate) fn key(&mut self) -> Result<Cow<'a, str>, Box<RefusedText<'a>>> {
        let start = self.next_offset();
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("expected a member name in double quotes").into());
        }
        let key = self.string()?;
        if key.len() > bounds::MEMBER_NAME_BYTES {
            let detail = format!("a member name longer than {} bytes", bounds::MEMBER_NAME_BYTES);
            let fault = Fault::new(FaultKind::TooLarge, Span::new(start, self.at), detail);
            return Err(Box::new(RefusedText { fault, value: Some(key) }));
        }
        Ok(key)
    }

    /// Passes the colon behind a member name.
    pub(crate) fn colon(&mut self) -> Result<(), Box<Fault>> {
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("expected `:` after a member name"));
        }
        self.at += 1;
        Ok(())
    }

    /// Passes a number; what is not an integer within ±(2^53−1) comes back as a fault after the whole token.
    pub(crate) fn number(&mut self) -> Result<i64, Box<Fault>> {
        let start = self.at;
        let token = self.pass_number_token();
        let span = Span::new(start, self.at);
        let refuse = |kind, detail: &str| Err(Fault::new(kind, span, detail));
        let digits = token.strip_prefix('-').unwrap_or(token);
        if !digits.starts_with(|first: char| first.is_ascii_digit()) {
            return refuse(FaultKind::Syntax, "a number needs a digit");
        }
        if digits.len() > 1 && digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            return refuse(FaultKind::Syntax, "a number has no leading zeros");
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return refuse(FaultKind::Number, "only integers exist here: no fraction, no exponent");
        }
        if token == "-0" {
            return refuse(FaultKind::Number, "zero has no sign");
        }
        match token.parse::<i64>() {
            Ok(number) if (-bounds::INTEGER..=bounds::INTEGER).contains(&number) => Ok(number),
            Ok(_) | Err(_) => refuse(FaultKind::Number, "beyond ±(2^53−1)"),
        }
    }

    /// Passes a string. One with a refused character, with half a surrogate pair or of too many bytes comes back as a
    /// fault after the whole token.
    pub(crate) fn string(&mut self) -> Result<Cow<'a, str>, Box<RefusedText<'a>>> {
        let start = self.at;
        self.at += 1;
        // What is behind the last escape stands for itself; the rest has to be put together.
        let (mut plain, mut unescaped) = (self.at, None);
        let (mut half, mut refused) = (None, None);
        loop {
            self.at += scan::printable_run(self.text.as_bytes().get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let value: &mut String = unescaped.get_or_insert_default();
                    value.push_str(self.text.get(plain..self.at).unwrap_or_default());
                    let character = self.escape(&mut half)?;
                    refused = refused.or_else(|| refused_after(value, character));
                    value.push(character);
                    plain = self.at;
                }
                Some(..0x20) => {
                    return Err(self.unexpected("a control character must be escaped inside a string").into());
                }
                _ => {
                    let end = || self.unexpected("expected `\"`");
                    let character = self.next_character().ok_or_else(end)?;
                    let before = match self.text.get(plain..self.at) {
                        None | Some("") => unescaped.as_deref().unwrap_or_default(),
                        Some(before) => before,
                    };
                    refused = refused.or_else(|| refused_after(before, character));
                    self.at += character.len_utf8();
                }
            }
        }
        let plain = self.text.get(plain..self.at).unwrap_or_default();
        let value = match unescaped {
            None => Cow::Borrowed(plain),
            Some(before) => Cow::Owned(before + plain),
        };
        self.at += 1;
        let span = Span::new(start, self.at);
        let fault = half.or_else(|| too_long(&value, span)).or_else(|| refused_character(refused?, span));
        match fault {
            None => Ok(value),
            Some(fault) => Err(Box::new(RefusedText { fault, value: Some(value) })),
        }
    }

    /// Requires that nothing but white space is left.
    pub(crate) fn end(&mut self) -> Result<(), Box<Fault>> {
        self.skip_space();
        if self.at == self.text.len() {
            return Ok(());
        }
        let length = self.next_character().map_or(1, char::len_utf8);
        let span = Span::new(self.at, self.at + length);
        Err(Fault::new(FaultKind::TrailingData, span, "something follows the end of the document"))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next_character(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    #[inline]
    fn skip_space(&mut self) {
        self.at += scan::space_run(self.text.as_bytes().get(self.at..).unwrap_or_default());
    }

    fn at_word(&self, word: &str, token: Token) -> Result<Token, Box<Fault>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) { Ok(token) } else { Err(self.unexpected("expected a value")) }
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Box<Fault> {
        match self.next_character() {
            None => Fault::new(
                FaultKind::Syntax,
                Span::new(self.at, self.at),
                format!("{expected}, found the end of the document"),
            ),
            Some(found) => Fault::new(FaultKind::Syntax, Span::new(self.at, self.at + found.len_utf8()), expected),
        }
    }

    fn pass_number_token(&mut self) -> &'a str {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The next character of a string that was passed before, by what it says. Nothing at its end.
    pub(crate) fn decoded_character(&mut self) -> Option<char> {
        match self.next_character()? {
            '"' => None,
            '\\' => self.escape(&mut None).ok(),
            character => {
                self.at += character.len_utf8();
                Some(character)
            }
        }
    }

    fn escape(&mut self, fault: &mut Option<Box<Fault>>) -> Result<char, Box<Fault>> {
        let start = self.at;
        self.at += 1;
        let short = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start, fault),
            _ => return Err(self.unexpected("expected one of \" \\ / b f n r t u after `\\`")),
        };
        self.at += 1;
        Ok(short)
    }

    fn unicode_escape(&mut self, start: usize, fault: &mut Option<Box<Fault>>) -> Result<char, Box<Fault>> {
        self.at += 1;
        let high = self.four_hex()?;
        let point =
            if (0xD800..0xDC00).contains(&high) && self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u") {
                let before_low = self.at;
                self.at += 2;
                let low = self.four_hex()?;
                if (0xDC00..0xE000).contains(&low) {
                    0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
                } else {
                    self.at = before_low;
                    high
                }
            } else {
                high
            };
        Ok(char::from_u32(point).unwrap_or_else(|| {
            fault.get_or_insert(Fault::new(FaultKind::NotUtf8, Span::new(start, self.at), "half of a surrogate pair"));
            char::REPLACEMENT_CHARACTER
        }))
    }

    fn four_hex(&mut self) -> Result<u32, Box<Fault>> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.unexpected("expected four hexadecimal digits"));
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| self.unexpected("expected four hexadecimal digits"))
    }
}

fn too_long(value: &str, span: Span) -> Option<Box<Fault>> {
    let detail = || format!("a string longer than {} bytes", bounds::STRING_BYTES);
    (value.len() > bounds::STRING_BYTES).then(|| Fault::new(FaultKind::TooLarge, span, detail()))
}

/// The character, when no string may hold it behind what it follows.
fn refused_after(before: &str, character: char) -> Option<char> {
    characters::refused_after(before.chars().next_back(), character).map(|_| character)
}

fn refused_character(character: char, span: Span) -> Option<Box<Fault>> {
    let detail = format!("U+{:04X}, a {}", u32::from(character), characters::refused(character)?);
    Some(Fault::new(FaultKind::Character, span, detail))
}

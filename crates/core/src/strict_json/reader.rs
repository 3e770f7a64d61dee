//! The tokenizer: a cursor over checked UTF-8 that knows the grammar and every bound.
//!
//! It never recurses; whoever calls it nests no deeper than [`limits::JSON_DEPTH`] because [`Reader::descend`]
//! counts. Recoverable faults (numbers, characters, surrogates) are returned after the token was passed, so that a
//! collecting caller can go on.

use std::borrow::Cow;

use simdutf8::compat;

use super::{
    characters,
    digested::{Digested, Keeper, Part},
    fault::{Fault, FaultKind, Span},
    plain,
    row::{INDENTATION, Layout, Row},
};
use crate::{limits, sixteen};

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

/// A string with the faults met inside it.
pub(crate) struct Text<'a> {
    pub(crate) value: Cow<'a, str>,
    pub(crate) span: Span,
    pub(crate) fault: Option<Fault>,
}

/// A cursor over one document.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    keeper: Option<Keeper>,
    /// That of the rows which are being read.
    layout: Option<Layout>,
    /// The members and the depth of the last object that could have been a row.
    seen: Option<(&'static [&'static str], usize)>,
}

impl<'a> Reader<'a> {
    /// Accepts the bytes when they are UTF-8 without a byte order mark.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(Fault::new(FaultKind::NotUtf8, Span::new(0, 3), "the document starts with a byte order mark"));
        }
        let text = compat::from_utf8(bytes).map_err(|error| {
            let start = error.valid_up_to();
            let length = error.error_len().unwrap_or(1);
            Fault::new(FaultKind::NotUtf8, Span::new(start, start + length), "bytes that are not UTF-8")
        })?;
        Ok(Self { text, at: 0, depth: 0, keeper: None, layout: None, seen: None })
    }

    /// The same reader, taking digests as long as the document is in canonical order.
    pub(crate) fn digesting(self, parts: &'static [Part]) -> Self {
        Self { keeper: Some(Keeper::new(parts)), ..self }
    }

    /// The digests that were taken.
    pub(crate) fn digested(self) -> Option<Digested> {
        Some(self.keeper?.finish(self.text))
    }

    /// The document is not in canonical order, so that its text gives no digests.
    pub(crate) fn forget(&mut self) {
        self.keeper = None;
    }

    /// Tells of the member whose name was just passed. Whether it is a part.
    #[inline]
    pub(crate) fn begin_member(&mut self, name: &str) -> bool {
        self.depth <= 2 && self.keeper.as_mut().is_some_and(|keeper| keeper.begin(self.text, self.depth, name, self.at))
    }

    /// Tells of a member whose name was passed letter by letter: where it ends and where space is, is not known.
    pub(crate) fn begin_unsure(&mut self, name: &str) {
        if self.keeper.as_ref().is_some_and(|keeper| keeper.is_part(self.depth, name)) {
            self.forget();
        }
    }

    /// Tells that the part was passed.
    pub(crate) fn end_part(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.end(self.text, self.at);
        }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Passes a row with these members, when one is next. The first object of a kind only tells that others may follow.
    #[inline]
    pub(super) fn row(&mut self, members: &'static [&'static str], row: &mut Row<'a>) -> bool {
        let Some(layout) = self.layout.as_ref().filter(|layout| layout.is_of(members, self.depth)) else {
            self.expect_rows(members);
            return false;
        };
        let end = match &mut self.keeper {
            Some(keeper) => keeper.pass_row(self.text, self.at, layout, row),
            None => layout.read(self.text, self.at, row, None),
        };
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }

    fn expect_rows(&mut self, members: &'static [&'static str]) {
        let is_second = self.seen.is_some_and(|(seen, depth)| std::ptr::eq(seen, members) && depth == self.depth);
        if is_second {
            self.layout = Layout::of(members, self.depth);
        }
        self.seen = Some((members, self.depth));
    }

    /// Skips white space and tells what value starts here.
    pub(crate) fn value(&mut self) -> Result<Token, Fault> {
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

    /// Skips white space and tells whether this byte is next.
    #[inline]
    pub(crate) fn starts_with(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.peek() == Some(byte)
    }

    /// Passes a word that [`Reader::value`] has just seen.
    pub(crate) fn pass_word(&mut self, token: Token) -> Span {
        let start = self.at;
        self.at += if token == Token::False { 5 } else { 4 };
        Span::new(start, self.at)
    }

    /// Passes `{` or `[` and counts the level.
    pub(crate) fn descend(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        self.depth += 1;
        if self.depth > limits::JSON_DEPTH {
            let detail = format!("nested deeper than {} levels", limits::JSON_DEPTH);
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
    pub(crate) fn comma(&mut self, close: u8) -> Result<(), Fault> {
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

    /// Passes the end of a line and the indentation of the next value, and the comma before them unless it is the first:
    /// how lists and objects begin and go on in our own layout.
    #[inline]
    pub(crate) fn pass_line(&mut self, is_first: bool) -> bool {
        let line = match self.text.as_bytes().get(self.at..) {
            Some([b'\n', line @ ..]) if is_first => line,
            Some([b',', b'\n', line @ ..]) if !is_first => line,
            _ => return false,
        };
        let Some((blanks, [next, ..])) = line.split_at_checked(INDENTATION * self.depth) else { return false };
        let goes_on = *next > b' ' && !matches!(next, b'}' | b']') && plain::are_blanks(blanks);
        if goes_on {
            self.at += usize::from(!is_first);
            self.leave_out(1 + blanks.len());
        }
        goes_on
    }

    /// Passes the end of a line, the indentation and what closes an object or a list: how they end in our own layout.
    #[inline]
    pub(crate) fn pass_last_line(&mut self, close: u8) -> bool {
        let Some([b'\n', line @ ..]) = self.text.as_bytes().get(self.at..) else { return false };
        let indentation = (INDENTATION * self.depth).saturating_sub(INDENTATION);
        let Some((blanks, [next, ..])) = line.split_at_checked(indentation) else { return false };
        let closes = *next == close && plain::are_blanks(blanks);
        if closes {
            self.leave_out(1 + blanks.len());
            self.at += 1;
            self.depth -= 1;
        }
        closes
    }

    /// Passes a member name and its colon.
    pub(crate) fn key(&mut self) -> Result<Text<'a>, Fault> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("expected a member name in double quotes"));
        }
        let mut key = self.string()?;
        if key.value.len() > limits::JSON_KEY_BYTES && key.fault.is_none() {
            let detail = format!("a member name longer than {} bytes", limits::JSON_KEY_BYTES);
            key.fault = Some(Fault::new(FaultKind::TooLarge, key.span, detail));
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("expected `:` after a member name"));
        }
        self.at += 1;
        Ok(key)
    }

    /// Passes a number; what is not an integer within ±(2^53−1) comes back as a fault after the whole token.
    pub(crate) fn number(&mut self) -> Result<i64, Fault> {
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
            Ok(number) if (-limits::JSON_INTEGER..=limits::JSON_INTEGER).contains(&number) => Ok(number),
            Ok(_) | Err(_) => refuse(FaultKind::Number, "beyond ±(2^53−1)"),
        }
    }

    /// Passes a small number, when one is next.
    #[inline]
    pub(crate) fn small_number(&mut self) -> Option<u64> {
        let (number, length) = plain::small_number(self.text.as_bytes().get(self.at..)?)?;
        self.at += length;
        Some(number)
    }

    /// Passes a string of printable ASCII without escapes, when one is next: what nearly all strings are.
    #[inline]
    pub(crate) fn simple_string(&mut self, most: usize) -> Option<&'a str> {
        let [b'"', rest @ ..] = self.text.as_bytes().get(self.at..)? else { return None };
        let length = plain::printable_run(rest);
        if rest.get(length) != Some(&b'"') || length > most {
            return None;
        }
        let start = self.at + 1;
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    /// Passes this very member name and its colon, when they are next without anything between.
    #[inline]
    pub(crate) fn pass_member(&mut self, name: &str) -> bool {
        let Some([b'"', rest @ ..]) = self.text.as_bytes().get(self.at..) else { return false };
        let Some((found, [b'"', b':', ..])) = rest.split_at_checked(name.len()) else { return false };
        let passed = sixteen::same(found, name.as_bytes());
        if passed {
            self.at += name.len() + 3;
        }
        passed
    }

    /// Passes a member name of that kind and the colon right behind it.
    #[inline]
    pub(crate) fn simple_key(&mut self) -> Option<&'a str> {
        self.skip_space();
        let start = self.at;
        let key = self.simple_string(limits::JSON_KEY_BYTES)?;
        if self.peek() == Some(b':') {
            self.at += 1;
            return Some(key);
        }
        self.at = start;
        None
    }

    /// Passes a string. A refused character or half a surrogate pair is kept as the text's fault.
    pub(crate) fn string(&mut self) -> Result<Text<'a>, Fault> {
        let start = self.at;
        if let Some(text) = self.simple_string(limits::JSON_STRING_BYTES) {
            return Ok(Text { value: Cow::Borrowed(text), span: Span::new(start, self.at), fault: None });
        }
        self.at += 1;
        let plain_end = self.plain_run(start + 1);
        let mut fault = None;
        let value = if self.text.as_bytes().get(plain_end) == Some(&b'"') {
            self.at = plain_end + 1;
            Cow::Borrowed(self.text.get(start + 1..plain_end).unwrap_or_default())
        } else {
            // Some escapes are canonical; a text without any needs no second look.
            self.forget();
            Cow::Owned(self.escaped_string(start + 1, plain_end, &mut fault)?)
        };
        let span = Span::new(start, self.at);
        if fault.is_none() {
            fault = string_fault(&value, span);
        }
        Ok(Text { value, span, fault })
    }

    /// Requires that nothing but white space is left.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        self.skip_space();
        if self.at == self.text.len() {
            return Ok(());
        }
        let length = self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let span = Span::new(self.at, self.at + length);
        Err(Fault::new(FaultKind::TrailingData, span, "something follows the end of the document"))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        match self.text.as_bytes().get(self.at..) {
            // One blank, as behind every colon of our own layout.
            Some([b' ', next, ..]) if *next > b' ' => self.leave_out(1),
            Some([..=b' ', ..]) => self.pass_space(),
            _ => {}
        }
    }

    /// Passes some bytes of space.
    #[inline]
    fn leave_out(&mut self, length: usize) {
        let from = self.at;
        self.at += length;
        if let Some(keeper) = &mut self.keeper {
            keeper.leave_out(self.text, from, self.at);
        }
    }

    /// Half of a file in our own layout is a line's end and its indentation: one step each.
    fn pass_space(&mut self) {
        let bytes = self.text.as_bytes();
        let mut end = self.at;
        loop {
            end += usize::from(bytes.get(end) == Some(&b'\n'));
            end += plain::blank_run(bytes.get(end..).unwrap_or_default());
            match bytes.get(end) {
                Some(b'\n') => {}
                Some(b'\t' | b'\r') => end += 1,
                _ => break,
            }
        }
        self.leave_out(end - self.at);
    }

    fn at_word(&self, word: &str, token: Token) -> Result<Token, Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) { Ok(token) } else { Err(self.unexpected("expected a value")) }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.chars().next() {
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

    /// The end of the run of bytes from `from` that stand for themselves.
    fn plain_run(&self, from: usize) -> usize {
        from + plain::run(self.text.as_bytes().get(from..).unwrap_or_default())
    }

    fn escaped_string(&mut self, first: usize, plain_end: usize, fault: &mut Option<Fault>) -> Result<String, Fault> {
        let mut value = String::from(self.text.get(first..plain_end).unwrap_or_default());
        self.at = plain_end;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(value);
                }
                Some(b'\\') => value.push(self.escape(fault)?),
                Some(_) if self.peek() < Some(0x20) => {
                    return Err(self.unexpected("a control character must be escaped inside a string"));
                }
                Some(_) => {
                    let end = self.plain_run(self.at);
                    value.push_str(self.text.get(self.at..end).unwrap_or_default());
                    self.at = end;
                }
                None => return Err(self.unexpected("expected `\"`")),
            }
        }
    }

    fn escape(&mut self, fault: &mut Option<Fault>) -> Result<char, Fault> {
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

    fn unicode_escape(&mut self, start: usize, fault: &mut Option<Fault>) -> Result<char, Fault> {
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

    fn four_hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.unexpected("expected four hexadecimal digits"));
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| self.unexpected("expected four hexadecimal digits"))
    }
}

fn string_fault(value: &str, span: Span) -> Option<Fault> {
    if value.len() > limits::JSON_STRING_BYTES {
        let detail = format!("a string longer than {} bytes", limits::JSON_STRING_BYTES);
        return Some(Fault::new(FaultKind::TooLarge, span, detail));
    }
    // Looks at every byte without stopping early, which compilers turn into a few wide steps.
    if value.bytes().fold(true, |plain, byte| plain & (0x20..0x7F).contains(&byte)) {
        return None;
    }
    value.chars().find_map(|character| {
        let name = characters::refused(character)?;
        let detail = format!("U+{:04X}, a {name}", u32::from(character));
        Some(Fault::new(FaultKind::Character, span, detail))
    })
}

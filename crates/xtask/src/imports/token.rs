//! Rust source as tokens: enough to find paths, and not to be fooled by comments, strings, raw strings or lifetimes.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword; a raw name without its `r#`.
    Word,
    /// A string, a character or a number. Its text is not kept: no path in it is an import.
    Literal,
    Lifetime,
    /// `::`
    PathSeparator,
    /// Any other sign, alone.
    Sign,
}

/// A token and its line, counted from one.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Token {
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }
}

/// All tokens of a source. A file that ends inside a comment or a string has none after that.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { rest: text, line: 1, found: Vec::new() };
    while let Some(first) = reader.rest.chars().next() {
        reader.step(first);
    }
    reader.found
}

/// The place behind the group that opens at `at`; the end of all tokens if it never closes.
pub(crate) fn group_end(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        if token.kind == Kind::Sign {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return place + 1;
            }
        }
    }
    tokens.len()
}

struct Reader<'s> {
    rest: &'s str,
    line: usize,
    found: Vec<Token>,
}

impl Reader<'_> {
    fn step(&mut self, first: char) {
        if self.rest.starts_with("//") {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.skip(comment_length(self.rest));
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if first == '"' {
            self.literal(string_length(self.rest));
        } else if first == '\'' {
            self.quote();
        } else if first.is_ascii_digit() {
            self.literal(number_length(self.rest));
        } else if is_part_of_a_word(first) {
            self.word();
        } else if self.rest.starts_with("::") {
            self.push(Kind::PathSeparator, "::", 2);
        } else {
            self.push(Kind::Sign, &first.to_string(), first.len_utf8());
        }
    }

    /// A name, a raw name, or a literal that starts with letters.
    fn word(&mut self) {
        let length = word_length(self.rest);
        let (word, behind) = self.rest.split_at(length);
        let hashes = behind.len() - behind.trim_start_matches('#').len();
        let is_raw = matches!(word, "r" | "br" | "cr") && behind.trim_start_matches('#').starts_with('"');
        if is_raw {
            self.literal(length + raw_string_length(behind, hashes));
        } else if matches!(word, "b" | "c") && behind.starts_with('"') {
            self.literal(length + string_length(behind));
        } else if word == "b" && behind.starts_with('\'') {
            self.literal(length + character_length(behind).unwrap_or(1));
        } else if word == "r" && hashes == 1 {
            let name = behind.get(1..).unwrap_or_default();
            let name = name.get(..word_length(name)).unwrap_or_default().to_owned();
            self.push(Kind::Word, &name, length + 1 + name.len());
        } else {
            self.push(Kind::Word, word, length);
        }
    }

    /// A character, or a lifetime: the first has a second quote.
    fn quote(&mut self) {
        match character_length(self.rest) {
            Some(length) => self.literal(length),
            None => {
                let name = self.rest.get(1..).unwrap_or_default();
                self.push(Kind::Lifetime, "", 1 + word_length(name));
            }
        }
    }

    fn literal(&mut self, length: usize) {
        self.push(Kind::Literal, "", length);
    }

    fn push(&mut self, kind: Kind, text: &str, length: usize) {
        self.found.push(Token { kind, text: text.to_owned(), line: self.line });
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        let (gone, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.line += gone.matches('\n').count();
        self.rest = rest;
    }
}

fn is_part_of_a_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|character| !is_part_of_a_word(character)).unwrap_or(text.len())
}

/// Comments of this form nest.
fn comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            _ => escaped = character == '\\' && !escaped,
        }
    }
    text.len()
}

/// From the first `#` or the quote on.
fn raw_string_length(text: &str, hashes: usize) -> usize {
    let end = format!("\"{}", "#".repeat(hashes));
    let inside = text.get(hashes + 1..).unwrap_or_default();
    inside.find(&end).map_or(text.len(), |at| hashes + 1 + at + end.len())
}

/// Nothing for a lifetime.
fn character_length(text: &str) -> Option<usize> {
    let inside = text.get(1..)?;
    let first = inside.chars().next()?;
    if first == '\\' {
        let behind = inside.get(2..)?;
        return behind.find('\'').map(|at| at + 4);
    }
    inside.get(first.len_utf8()..)?.starts_with('\'').then_some(first.len_utf8() + 2)
}

fn number_length(text: &str) -> usize {
    let whole = word_length(text);
    let behind = text.get(whole..).unwrap_or_default();
    let fraction = behind.strip_prefix('.').filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    whole + fraction.map_or(0, |rest| 1 + word_length(rest))
}

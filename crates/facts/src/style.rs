//! Styles, read by the tokenizer of the CSS standard.
//!
//! The tokens are read as a flat list with a stack of what is open: nothing recurses, however deeply a style is nested.

use cssparser::{Parser, Token};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use svc_core::package::{
    fact_table::{
        CONTACT_STYLE_URL, REFERENCE_PICTURE, REFERENCE_RESOURCE, REFERENCE_STYLE, REMOTE_CODE_STYLE, UNREAD_ENCODING,
        UNREAD_SYNTAX,
    },
    sighting::Seen,
};

use crate::{
    encoding::{self, Decoded},
    notes::{Notes, Sink},
};

const IMPORT: Sink = Sink { remote: &REMOTE_CODE_STYLE, local: Some(&REFERENCE_STYLE), runs: true };
const BEHAVIOR: Sink = Sink { remote: &REMOTE_CODE_STYLE, local: Some(&REFERENCE_RESOURCE), runs: true };
const FONT: Sink = Sink { remote: &CONTACT_STYLE_URL, local: Some(&REFERENCE_RESOURCE), runs: false };
const PICTURE: Sink = Sink { remote: &CONTACT_STYLE_URL, local: Some(&REFERENCE_PICTURE), runs: false };

/// A rule, by what its addresses are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Import,
    Font,
    /// A rule that only compares addresses.
    Name,
    Plain,
}

/// The rules whose addresses are not pictures.
const RULES: &[(&str, Rule)] = &[
    ("-moz-document", Rule::Name),
    ("charset", Rule::Name),
    ("color-profile", Rule::Font),
    ("document", Rule::Name),
    ("font-face", Rule::Font),
    ("import", Rule::Import),
    ("namespace", Rule::Name),
];

/// The properties that load code.
const CODE_PROPERTIES: &[&str] = &["-moz-binding", "-ms-behavior", "behavior"];

/// The functions whose text is an address.
const ADDRESS_FUNCTIONS: &[&str] = &["-webkit-image-set", "image", "image-set", "src", "url"];

/// The functions that give an address only when the style is used.
const SUBSTITUTIONS: &[&str] = &["attr", "env", "var"];

/// What a style sheet tells.
pub(crate) fn read(bytes: &[u8]) -> Seen {
    let Decoded { text, is_broken } = encoding::decode(bytes, declared_encoding(bytes));
    let mut notes = read_part(&text);
    if is_broken {
        notes.note_whole(&UNREAD_ENCODING);
    }
    notes.finish(&text)
}

/// What a style inside a page tells, its places counted from the start of this text.
pub(crate) fn read_part(text: &str) -> Notes {
    let mut reader = Reader::default();
    if let Some(at) = text.find('\0') {
        reader.notes.note(at, &UNREAD_SYNTAX, None);
    }
    let mut start = 0;
    while start < text.len() {
        start = reader.read_run(text, start);
    }
    if !reader.open.is_empty() {
        reader.notes.note(text.len(), &UNREAD_SYNTAX, None);
    }
    reader.notes
}

/// The encoding that `@charset` names, which counts only in exactly this spelling at the very beginning.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let rest = bytes.strip_prefix(b"@charset \"")?;
    let rest = rest.get(..1024).unwrap_or(rest);
    let end = rest.windows(2).position(|pair| pair == b"\";")?;
    let named = Encoding::for_label(rest.get(..end)?)?;
    // What is written in bytes of one each cannot be wide.
    Some(if named == UTF_16BE || named == UTF_16LE { UTF_8 } else { named })
}

/// Where the reader stands.
#[derive(Default)]
struct Reader {
    notes: Notes,
    open: Vec<Block>,
    /// The rule whose prelude is read, or which is read to its semicolon.
    rule: Option<Rule>,
    property: Property,
}

/// What waits for its end.
struct Block {
    end: End,
    /// Whether a text directly inside is an address.
    holds_address: bool,
    /// The rule that it is the body of.
    rule: Option<Rule>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Parenthesis,
    Square,
    Curly,
}

/// Whether what follows is the value of a property that loads code.
#[derive(Default, PartialEq, Eq)]
enum Property {
    #[default]
    Plain,
    CodeBeforeColon,
    Code,
}

impl Reader {
    /// Reads up to and with the next block that opens, and tells where that was. The parser would skip the block, so a
    /// new one goes on inside it.
    fn read_run(&mut self, text: &str, start: usize) -> usize {
        let rest = text.get(start..).unwrap_or_default();
        let mut parser = Parser::new(rest);
        loop {
            let at = parser.position().byte_index();
            let Ok(token) = parser.next_including_whitespace_and_comments() else { return text.len() };
            let token = token.clone();
            let end = parser.position().byte_index();
            let source = rest.get(at..end).unwrap_or_default();
            if end == rest.len() && is_cut(&token, source) {
                self.notes.note(start + at, &UNREAD_SYNTAX, None);
            }
            if self.read_token(start + at, &token) {
                return start + end;
            }
        }
    }

    /// Whether the token opens a block.
    fn read_token(&mut self, at: usize, token: &Token<'_>) -> bool {
        match token {
            Token::AtKeyword(name) => self.rule = Some(Rule::by_name(name)),
            Token::Ident(name) => self.begin_property(name),
            Token::Colon if self.property == Property::CodeBeforeColon => self.property = Property::Code,
            Token::Semicolon => self.end_statement(),
            Token::QuotedString(text) => self.read_string(at, text),
            Token::UnquotedUrl(text) => self.read_address(at, text),
            Token::BadUrl(_) | Token::BadString(_) => self.notes.note(at, &UNREAD_SYNTAX, None),
            Token::Function(name) => return self.begin_function(at, name),
            Token::ParenthesisBlock => return self.begin_block(End::Parenthesis),
            Token::SquareBracketBlock => return self.begin_block(End::Square),
            Token::CurlyBracketBlock => return self.begin_block(End::Curly),
            Token::CloseParenthesis => self.end_block(End::Parenthesis),
            Token::CloseSquareBracket => self.end_block(End::Square),
            Token::CloseCurlyBracket => self.end_block(End::Curly),
            Token::Hash(_)
            | Token::IDHash(_)
            | Token::Delim(_)
            | Token::Number { .. }
            | Token::Percentage { .. }
            | Token::Dimension { .. }
            | Token::WhiteSpace(_)
            | Token::Comment(_)
            | Token::Colon
            | Token::Comma
            | Token::IncludeMatch
            | Token::DashMatch
            | Token::PrefixMatch
            | Token::SuffixMatch
            | Token::SubstringMatch
            | Token::CDO
            | Token::CDC => {}
        }
        false
    }

    fn begin_property(&mut self, name: &str) {
        if self.property != Property::Code {
            let is_code = CODE_PROPERTIES.iter().any(|known| name.eq_ignore_ascii_case(known));
            self.property = if is_code { Property::CodeBeforeColon } else { Property::Plain };
        }
    }

    fn end_statement(&mut self) {
        self.rule = None;
        self.property = Property::Plain;
    }

    fn begin_function(&mut self, at: usize, name: &str) -> bool {
        let is_one_of = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_inside_address = self.open.last().is_some_and(|block| block.holds_address);
        if is_inside_address && is_one_of(SUBSTITUTIONS) {
            self.notes.computed(at, self.sink().unwrap_or(&PICTURE));
        }
        self.open.push(Block { end: End::Parenthesis, holds_address: is_one_of(ADDRESS_FUNCTIONS), rule: None });
        true
    }

    fn begin_block(&mut self, end: End) -> bool {
        // The body of a rule that compares addresses has addresses of its own.
        let rule = if end == End::Curly { self.rule.take().filter(|rule| *rule == Rule::Font) } else { None };
        if end == End::Curly {
            self.property = Property::Plain;
        }
        self.open.push(Block { end, holds_address: false, rule });
        true
    }

    /// A closing token that fits nothing is passed over, as browsers do.
    fn end_block(&mut self, end: End) {
        if self.open.last().is_some_and(|block| block.end == end) {
            self.open.pop();
            if end == End::Curly {
                self.end_statement();
            }
        }
    }

    fn read_string(&mut self, at: usize, text: &str) {
        let holds_address = self.open.last().is_some_and(|block| block.holds_address);
        // `@import "a.css"` needs no function; a text of `layer()` or `supports()` behind it is none.
        let is_import = self.open.is_empty() && self.rule == Some(Rule::Import);
        if holds_address || is_import {
            self.read_address(at, text);
        }
    }

    fn read_address(&mut self, at: usize, text: &str) {
        if let Some(sink) = self.sink() {
            self.notes.address(at, sink, text);
        }
    }

    /// The sink of an address at this place.
    fn sink(&self) -> Option<&'static Sink> {
        if self.property == Property::Code {
            return Some(&BEHAVIOR);
        }
        let body = || self.open.iter().rev().take(LOOKED_BACK).find_map(|block| block.rule);
        self.rule.or_else(body).unwrap_or(Rule::Plain).sink()
    }
}

/// How many open blocks are looked at for the rule that an address stands in: a font's address stands in three at most.
const LOOKED_BACK: usize = 8;

impl Rule {
    fn by_name(name: &str) -> Self {
        RULES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map_or(Self::Plain, |(_, rule)| *rule)
    }

    fn sink(self) -> Option<&'static Sink> {
        match self {
            Self::Import => Some(&IMPORT),
            Self::Font => Some(&FONT),
            Self::Name => None,
            Self::Plain => Some(&PICTURE),
        }
    }
}

/// Whether a token that reaches to the end of the text lacks its own end. The stack waits for the ends of blocks.
fn is_cut(token: &Token<'_>, source: &str) -> bool {
    let is_cut_string = || source.len() < 2 || !ends_with_mark(source, source.get(..1).unwrap_or_default());
    matches!(token, Token::QuotedString(_)) && is_cut_string()
        || matches!(token, Token::UnquotedUrl(_)) && !ends_with_mark(source, ")")
        || matches!(token, Token::Comment(_)) && (source.len() < 4 || !source.ends_with("*/"))
}

/// Whether a text ends with a mark that no backslash takes the meaning from.
fn ends_with_mark(source: &str, mark: &str) -> bool {
    source.strip_suffix(mark).is_some_and(|before| {
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        backslashes.is_multiple_of(2)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use svc_core::scalar::subject::Subject;

    use super::*;

    fn lines_of(seen: Seen) -> Vec<String> {
        let subject = |subject: Option<&Subject>| subject.map_or(String::new(), |one| format!(" {}", one.as_str()));
        let sightings = seen
            .sightings
            .iter()
            .map(|one| format!("{}/{}{}", one.what.kind, one.what.word, subject(one.subject.as_ref())));
        let references =
            seen.references.iter().map(|one| format!("{}/{} {}", one.what.kind, one.what.word, one.address));
        sightings.chain(references).collect()
    }

    const FIRES: &[(&str, &str)] = &[
        ("@import \"https://a.example/x.css\";", "remote-code/style https://a.example"),
        ("@IMPORT url(//a.example/x.css) layer(x);", "remote-code/style https://a.example"),
        ("@import/**/url('https://a.example/x.css');", "remote-code/style https://a.example"),
        ("@\\69mport 'https://a.example/x.css'", "remote-code/style https://a.example"),
        ("@import 'theme.css' supports(display: grid);", "reference/style theme.css"),
        ("@import 'data:text/css,a{}';", "dynamic-code/data-code constant"),
        ("a{background:url(https://a.example/x.png)}", "contact/style-url https://a.example"),
        ("a{background:URL( 'https://a.example/x.png' )}", "contact/style-url https://a.example"),
        ("a{background:\\75rl(https://a.example/x.png)}", "contact/style-url https://a.example"),
        ("a{background:url(ht\\74ps://a.example)}", "contact/style-url https://a.example"),
        ("a{background:url(x.png)}", "reference/picture x.png"),
        ("a{background:src(\"https://a.example/x.png\")}", "contact/style-url https://a.example"),
        ("a{background:src(var(--x))}", "contact/style-url computed"),
        ("a{background:image-set(\"x.png\" 1x, url(https://a.example) 2x)}", "contact/style-url https://a.example"),
        ("a{background:-webkit-image-set(\"https://a.example/x.png\" 1x)}", "contact/style-url https://a.example"),
        ("a{--x:url(https://a.example)}", "contact/style-url https://a.example"),
        ("@media print{@supports (a:b){a{b{c:url(https://a.example)}}}}", "contact/style-url https://a.example"),
        (
            "@font-face{src:local(a),url(https://a.example/x.woff2)format('woff2')}",
            "contact/style-url https://a.example",
        ),
        ("@font-face{src:url(x.woff2)}", "reference/resource x.woff2"),
        ("@media screen{@font-face{src:url(x.woff2)}}", "reference/resource x.woff2"),
        ("a{behavior:url(https://a.example/x.htc)}", "remote-code/style https://a.example"),
        ("a{-moz-binding:url(x.xml#y)}", "reference/resource x.xml#y"),
        ("a{cursor:url(https://a.example/x.cur),auto}", "contact/style-url https://a.example"),
        ("background:url(https://a.example)", "contact/style-url https://a.example"),
        ("a[b=c){}}] d{e:url(https://a.example)}", "contact/style-url https://a.example"),
        ("a{b:'c", "unread/syntax"),
        ("a{b:'c\\'", "unread/syntax"),
        ("a{b:'c\nd'}", "unread/syntax"),
        ("a{b:url(c", "unread/syntax"),
        ("a{b:url(c d)}", "unread/syntax"),
        ("a{b:c", "unread/syntax"),
        ("a{} /* b", "unread/syntax"),
        ("a{} /*/", "unread/syntax"),
        ("a{}\0\0\0", "unread/syntax"),
    ];

    const PASSES: &[&str] = &[
        "/* @import 'https://a.example'; url(https://a.example) */",
        "a{content:'url(https://a.example)'}",
        "a::after{content:\"@import 'https://a.example'\"}",
        "@namespace svg url(http://www.w3.org/2000/svg);",
        "@namespace \"http://www.w3.org/1999/xhtml\";a{}",
        "@charset \"utf-8\";",
        "a{b:url(data:image/png;base64,AAAA)}",
        "a{fill:url(#b)}",
        "a[href='https://a.example']{}",
        "a[href^=\"url(https://a.example)\"]{}",
        ".url{} #src{} a{b:c}}",
        "@font-feature-values \"A b\"{@styleset{a:1}}",
        "@document url(https://a.example){a{b:c}}",
        "a{filter:progid:DXImageTransform.Microsoft.gradient(startColorstr='#1',endColorstr='#2')}",
        "a{b:'c'}/* d */",
        "a{b:c}/***/",
        "a{b:image-set(url(#c) type('image/png'))}",
        "",
    ];

    #[test]
    fn every_way_to_load_is_seen() {
        for (style, expected) in FIRES {
            let told = lines_of(read(style.as_bytes()));
            assert!(told.iter().any(|one| one == expected), "{style}: {told:?}");
        }
    }

    #[test]
    fn what_loads_nothing_is_not_seen() {
        for style in PASSES {
            assert_eq!(lines_of(read(style.as_bytes())), Vec::<String>::new(), "{style}");
        }
    }

    #[test]
    fn the_encoding_is_the_one_that_browsers_take() {
        let broken = |bytes: &[u8]| lines_of(read(bytes)).contains(&"unread/encoding".to_owned());
        assert!(broken(b"a{b:'\xE9'}"));
        assert!(!broken(b"@charset \"windows-1252\";a{b:'\xE9'}"));
        assert!(broken(b"@charset \"utf-16\";a{b:'\xE9'}"));
        let wide: Vec<u8> = "\u{feff}@import '//a.example';".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(lines_of(read(&wide)), ["remote-code/style https://a.example"]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let seen = read("a{}\nb{c:(d [e url(https://a.example)])}".as_bytes());
        let place = seen.sightings[0].position.unwrap();
        assert_eq!((place.line, place.column), (2, 11));
    }

    #[test]
    fn a_style_nested_without_end_is_read_in_one_pass() {
        for open in ["{", "(", "a(", "[", "url(", "url( ", "@a{", "image-set("] {
            assert!(lines_of(read(open.repeat(200_000).as_bytes())).contains(&"unread/syntax".to_owned()));
        }
        read("url(".repeat(100_000).as_bytes());
    }

    proptest! {
        #[test]
        fn any_tokens_are_read(parts in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "@import", " ", "url(", "src(", "'", "\"", "\\", ")", "(", "{", "}", "[", "]", ";", ":", "/*", "*/", "a", "\n",
                "https://a.example", "behavior", "\u{e9}", "\u{1f326}", "\0", "<!--", "-->", "#", "1e3", "\r", "\u{c}", "--", "@",
            ]).prop_map(str::to_owned),
            any::<String>(),
        ], 0..20)) {
            let text = parts.concat();
            read_part(&text).finish(&text);
        }
    }
}

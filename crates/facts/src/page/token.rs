//! The tokens of a page, each with its place.

use std::collections::{BTreeMap, VecDeque};

use html5gum::{Emitter, Error, State, Tokenizer};

use super::tree::{Doubt, Form, Space, Start, Tree};

/// A part of a page.
#[derive(Debug)]
pub(super) enum Token {
    Start(Tag),
    End {
        at: usize,
        name: String,
    },
    Text(Text),
    Comment {
        at: usize,
        text: String,
    },
    Doctype {
        name: String,
    },
    /// The file ends inside something that has an end of its own.
    Cut {
        at: usize,
    },
    Doubt {
        at: usize,
        why: Doubt,
    },
}

#[derive(Debug, Default)]
pub(super) struct Tag {
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, Text>,
    pub(super) is_self_closing: bool,
    pub(super) is_foreign: bool,
}

/// A text as browsers see it, and where it begins in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) at: usize,
    pub(super) text: String,
}

/// Splits a text into tokens as the standard says.
pub(super) fn tokens<'a>(source: &'a [u8], form: Form) -> impl Iterator<Item = Token> + 'a {
    Tokenizer::new_with_emitter(source, Gatherer::new(form)).map(|Ok(token)| token)
}

/// Gathers the pieces that the tokenizer finds.
#[derive(Debug)]
struct Gatherer {
    tree: Tree,
    ready: VecDeque<Token>,
    position: usize,
    /// Where the newest `<` stands.
    opened_at: usize,
    text_at: usize,
    text: Vec<u8>,
    /// A tag, the name of a document type, or a comment.
    name: Vec<u8>,
    is_end: bool,
    tag: Tag,
    attribute: Option<Attribute>,
    last_start: Vec<u8>,
    content: Option<State>,
}

#[derive(Debug, Default)]
struct Attribute {
    name: Vec<u8>,
    at: usize,
    value: Vec<u8>,
}

impl Gatherer {
    fn new(form: Form) -> Self {
        Self {
            tree: Tree::new(form),
            ready: VecDeque::new(),
            position: 0,
            opened_at: 0,
            text_at: 0,
            text: Vec::new(),
            name: Vec::new(),
            is_end: false,
            tag: Tag::default(),
            attribute: None,
            last_start: Vec::new(),
            content: None,
        }
    }

    fn push_text(&mut self) {
        if !self.text.is_empty() {
            self.ready.push_back(Token::Text(Text { at: self.text_at, text: text_of(&self.text) }));
            self.text.clear();
        }
    }

    fn push(&mut self, token: Token) {
        self.push_text();
        self.ready.push_back(token);
        self.text_at = self.position;
        if let Some(why) = self.tree.take_doubt() {
            self.ready.push_back(Token::Doubt { at: self.opened_at, why });
        }
    }

    /// Of two attributes of a name the first counts.
    fn end_attribute(&mut self) {
        if let Some(Attribute { name, at, value }) = self.attribute.take() {
            self.tag.attributes.entry(text_of(&name)).or_insert_with(|| Text { at, text: text_of(&value) });
        }
    }

    fn begin_tag(&mut self, is_end: bool) {
        self.name.clear();
        self.is_end = is_end;
        self.tag = Tag { at: self.opened_at, ..Tag::default() };
    }

    fn end_start_tag(&mut self) -> Option<State> {
        let mut tag = std::mem::take(&mut self.tag);
        tag.name = text_of(&self.name);
        let has = |name: &str| tag.attributes.contains_key(name);
        let start = Start {
            name: &tag.name,
            is_self_closing: tag.is_self_closing,
            is_styled: has("color") || has("face") || has("size"),
            holds_html: tag.attributes.get("encoding").is_some_and(|encoding| {
                let names = ["application/xhtml+xml", "text/html"];
                names.iter().any(|name| encoding.text.eq_ignore_ascii_case(name))
            }),
        };
        let (space, state) = self.tree.start(start);
        tag.is_foreign = space != Space::Html;
        self.last_start.clone_from(&self.name);
        self.push(Token::Start(tag));
        state
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Emitter for Gatherer {
    type Token = Token;

    fn move_position(&mut self, offset: isize) {
        self.position = self.position.saturating_add_signed(offset);
    }

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start = last_start_tag.unwrap_or_default().to_vec();
    }

    fn emit_eof(&mut self) {
        self.push_text();
        if self.content.is_some_and(|content| content != State::PlainText) {
            self.ready.push_back(Token::Cut { at: self.position });
        }
    }

    fn emit_error(&mut self, error: Error) {
        let is_cut = matches!(
            error,
            Error::EofBeforeTagName
                | Error::EofInCdata
                | Error::EofInComment
                | Error::EofInDoctype
                | Error::EofInScriptHtmlCommentLikeText
                | Error::EofInTag
        );
        if is_cut {
            self.ready.push_back(Token::Cut { at: self.position });
        }
    }

    fn pop_token(&mut self) -> Option<Token> {
        self.ready.pop_front()
    }

    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    fn init_start_tag(&mut self) {
        self.begin_tag(false);
    }

    fn init_end_tag(&mut self) {
        self.begin_tag(true);
    }

    fn init_comment(&mut self) {
        self.name.clear();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.end_attribute();
        self.content = if self.is_end {
            let name = text_of(&self.name);
            self.tree.end(&name);
            self.push(Token::End { at: self.opened_at, name });
            None
        } else {
            self.end_start_tag()
        };
        self.content
    }

    fn emit_current_comment(&mut self) {
        let text = text_of(&self.name);
        self.push(Token::Comment { at: self.opened_at, text });
    }

    fn emit_current_doctype(&mut self) {
        let name = text_of(&self.name);
        self.push(Token::Doctype { name });
    }

    fn set_self_closing(&mut self) {
        self.tag.is_self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, text: &[u8]) {
        self.name.extend_from_slice(text);
    }

    fn push_comment(&mut self, text: &[u8]) {
        self.name.extend_from_slice(text);
    }

    fn push_doctype_name(&mut self, text: &[u8]) {
        self.name.extend_from_slice(text);
    }

    fn init_doctype(&mut self) {
        self.name.clear();
    }

    fn init_attribute(&mut self) {
        self.end_attribute();
        self.attribute = Some(Attribute { at: self.position.saturating_sub(1), ..Attribute::default() });
    }

    fn init_attribute_value(&mut self) {
        if let Some(attribute) = &mut self.attribute {
            attribute.at = self.position;
        }
    }

    fn push_attribute_name(&mut self, text: &[u8]) {
        if let Some(attribute) = &mut self.attribute {
            attribute.name.extend_from_slice(text);
        }
    }

    fn push_attribute_value(&mut self, text: &[u8]) {
        if let Some(attribute) = &mut self.attribute {
            attribute.value.extend_from_slice(text);
        }
    }

    fn set_doctype_public_identifier(&mut self, _value: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _value: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _text: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _text: &[u8]) {}

    fn start_open_tag(&mut self) {
        self.opened_at = self.position.saturating_sub(1);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.last_start == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.tree.is_foreign()
    }
}

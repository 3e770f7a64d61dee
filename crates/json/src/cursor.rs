//! A pull reader over the tokens: whoever calls it walks a document value by value and keeps what it wants to keep.
//!
//! One driver for all that explains. It takes memory for the depth of a document and not for its length, but for four
//! bytes a member name of the objects that are open, where names that come twice are to be told.

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    bounds,
    fault::{Fault, FaultKind, Span},
    tokenizer::{RefusedText, Token, Tokenizer},
};

/// More faults than this are not noted, but for the first of each kind: one more than anybody lists, so that a list that
/// was cut shows.
const MOST_FAULTS: usize = 201;

/// How a value begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A value that holds no others, which was passed.
    Leaf(Leaf<'a>),
    /// An object: [`Cursor::next_member`] comes next, until there is none.
    Object,
    /// A list: [`Cursor::next_element`] comes next, until there is none.
    Array,
}

/// A value that holds no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf<'a> {
    Null,
    Bool(bool),
    /// An integer within ±(2^53−1).
    Integer(i64),
    /// A number that was refused.
    RefusedNumber,
    String(Cow<'a, str>),
}

impl Item<'_> {
    /// What kind of value this is, in the words of error messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Leaf(Leaf::Null) => "null",
            Self::Leaf(Leaf::Bool(_)) => "a boolean",
            Self::Leaf(Leaf::Integer(_) | Leaf::RefusedNumber) => "a number",
            Self::Leaf(Leaf::String(_)) => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }
}

/// The name of a member; its value is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The decoded name.
    pub text: Cow<'a, str>,
    /// Where it stands, with its quotes.
    pub span: Span,
}

/// A place between two tokens of a document.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    tokens: Tokenizer<'a>,
    /// A bit for each level: whether anything was read inside it.
    begun: u64,
    notes: Option<Notes>,
}

// A level deeper than the bound is opened before it is refused.
const _: () = assert!(bounds::DEPTH < 64, "every level has its bit");

/// What is told of a document beside its values.
#[derive(Clone, Debug, Default)]
struct Notes {
    faults: Vec<Fault>,
    /// Where the names of all open objects begin, outer ones first.
    names: Vec<u32>,
    /// How many names there were when each open object was opened.
    opened: Vec<usize>,
    /// Whether any of the faults is a name that comes twice.
    has_duplicates: bool,
}

impl<'a> Cursor<'a> {
    /// At the start of a document. Faults that do not stop the reading are noted.
    ///
    /// # Errors
    /// For bytes that are no text, and for more of them than an offset of four bytes can tell apart.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Box<Fault>> {
        let tokens = Tokenizer::new(bytes)?;
        if u32::try_from(bytes.len()).is_err() {
            return Err(Fault::new(FaultKind::TooLarge, Span::new(0, bytes.len()), "the document is too long"));
        }
        Ok(Self { tokens, begun: 0, notes: Some(Notes::default()) })
    }

    /// At the start of a text whose faults are told elsewhere: nothing is noted.
    #[must_use]
    pub fn unnoted(text: &'a str) -> Self {
        Self { tokens: Tokenizer::of_text(text), begun: 0, notes: None }
    }

    /// The same place of the same text, to look ahead: nothing is noted.
    #[must_use]
    pub fn ahead(&self) -> Self {
        Self { tokens: self.tokens.clone(), begun: self.begun, notes: None }
    }

    /// The source text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.tokens.text()
    }

    /// How far the text was read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.tokens.offset()
    }

    /// The next value and where it begins. It is passed when it is a leaf, otherwise entered.
    ///
    /// # Errors
    /// When there is no value that can be followed.
    pub fn value(&mut self) -> Result<(Item<'a>, usize), Box<Fault>> {
        let token = self.tokens.value()?;
        let start = self.tokens.offset();
        let leaf = match token {
            Token::Object => return self.enter().map(|()| (Item::Object, start)),
            Token::Array => return self.enter().map(|()| (Item::Array, start)),
            Token::String => {
                let text = self.tokens.string();
                Leaf::String(self.kept(text)?)
            }
            Token::Number => self.number()?,
            Token::True | Token::False => {
                self.tokens.pass_word(token);
                Leaf::Bool(token == Token::True)
            }
            Token::Null => {
                self.tokens.pass_word(token);
                Leaf::Null
            }
        };
        Ok((Item::Leaf(leaf), start))
    }

    /// The next name of the innermost open object, or nothing, which leaves it.
    ///
    /// # Errors
    /// When the object cannot be followed.
    pub fn next_member(&mut self) -> Result<Option<Name<'a>>, Box<Fault>> {
        if !self.is_followed(b'}')? {
            self.note_duplicates();
            return Ok(None);
        }
        let start = self.tokens.next_offset();
        let name = self.tokens.key();
        let span = Span::new(start, self.tokens.offset());
        let text = self.kept(name)?;
        self.tokens.colon()?;
        if let Some(notes) = &mut self.notes {
            notes.remember(span);
        }
        Ok(Some(Name { text, span }))
    }

    /// Whether the innermost open list has another element; otherwise it is left.
    ///
    /// # Errors
    /// When the list cannot be followed.
    pub fn next_element(&mut self) -> Result<bool, Box<Fault>> {
        self.is_followed(b']')
    }

    /// Passes the next value, whatever it is.
    ///
    /// # Errors
    /// When it cannot be followed.
    pub fn skip(&mut self) -> Result<Span, Box<Fault>> {
        let (item, start) = self.value()?;
        self.skip_rest(&item)?;
        Ok(Span::new(start, self.offset()))
    }

    /// Passes what is left of a value that began like this.
    ///
    /// # Errors
    /// When it cannot be followed.
    pub fn skip_rest(&mut self, item: &Item<'_>) -> Result<(), Box<Fault>> {
        match item {
            Item::Leaf(_) => {}
            Item::Object => {
                while self.next_member()?.is_some() {
                    self.skip()?;
                }
            }
            Item::Array => {
                while self.next_element()? {
                    self.skip()?;
                }
            }
        }
        Ok(())
    }

    /// Reads a whole document, its root with `read`: what came of that, and the faults that did not stop the reading.
    ///
    /// # Errors
    /// Every fault up to the one that stopped the reading.
    pub fn document<T>(
        mut self,
        read: impl FnOnce(&mut Self, Item<'a>, usize) -> Result<T, Box<Fault>>,
    ) -> Result<(T, Vec<Fault>), Vec<Fault>> {
        let read = self.root(read);
        let read = read.map_err(|fault| self.note(*fault));
        let faults = self.notes.map(|notes| notes.faults).unwrap_or_default();
        match read {
            Ok(root) => Ok((root, faults)),
            Err(()) => Err(faults),
        }
    }

    fn root<T>(
        &mut self,
        read: impl FnOnce(&mut Self, Item<'a>, usize) -> Result<T, Box<Fault>>,
    ) -> Result<T, Box<Fault>> {
        let (item, start) = self.value()?;
        let (is_object, type_name) = (item == Item::Object, item.type_name());
        let root = read(self, item, start)?;
        let span = Span::new(start, self.offset());
        // The document was read whole: what follows it must not hide what it says.
        if let Err(fault) = self.tokens.end() {
            self.note(*fault);
        }
        if !is_object {
            let detail = format!("the root is {type_name}, not an object");
            return Err(Fault::new(FaultKind::RootNotObject, span, detail));
        }
        Ok(root)
    }

    fn note(&mut self, fault: Fault) {
        if let Some(notes) = &mut self.notes
            && (notes.have_room() || notes.faults.iter().all(|noted| noted.kind != fault.kind))
        {
            notes.faults.push(fault);
        }
    }

    fn enter(&mut self) -> Result<(), Box<Fault>> {
        self.tokens.descend()?;
        self.begun &= !self.level();
        if let Some(notes) = &mut self.notes {
            notes.opened.push(notes.names.len());
        }
        Ok(())
    }

    /// Whether something follows inside the innermost level, which is left otherwise.
    fn is_followed(&mut self, close: u8) -> Result<bool, Box<Fault>> {
        let level = self.level();
        if self.tokens.ascend(close) {
            if close == b']'
                && let Some(notes) = &mut self.notes
            {
                notes.opened.pop();
            }
            return Ok(false);
        }
        if self.begun & level != 0 {
            self.tokens.comma(close)?;
        }
        self.begun |= level;
        Ok(true)
    }

    fn level(&self) -> u64 {
        1 << self.tokens.depth().min(63)
    }

    fn number(&mut self) -> Result<Leaf<'a>, Box<Fault>> {
        match self.tokens.number() {
            Ok(number) => Ok(Leaf::Integer(number)),
            Err(fault) if fault.kind == FaultKind::Number => {
                self.note(*fault);
                Ok(Leaf::RefusedNumber)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Notes what is wrong with a text, and goes on with what it says.
    fn kept(&mut self, text: Result<Cow<'a, str>, Box<RefusedText<'a>>>) -> Result<Cow<'a, str>, Box<Fault>> {
        text.or_else(|refused| match refused.value {
            Some(value) => {
                self.note(*refused.fault);
                Ok(value)
            }
            None => Err(refused.fault),
        })
    }

    /// Notes the names that the object that was just left has twice.
    fn note_duplicates(&mut self) {
        let Some(notes) = &mut self.notes else { return };
        let from = notes.opened.pop().unwrap_or_default();
        let room = notes.room_for_duplicates();
        let Notes { faults, names, has_duplicates, .. } = notes;
        let inside = names.get_mut(from..).unwrap_or_default();
        if inside.len() > 1 && room > 0 {
            // Names of one spelling stay in the order of the text.
            inside.sort_unstable_by(|left, right| compare(&self.tokens, *left, *right).then(left.cmp(right)));
            let repeated = inside.chunk_by(|left, right| compare(&self.tokens, *left, *right).is_eq());
            faults.extend(
                repeated
                    .filter_map(|same| same.split_first())
                    .flat_map(|(first, again)| again.iter().map(|name| duplicate(&self.tokens, *first, *name)))
                    .take(room)
                    .inspect(|_| *has_duplicates = true),
            );
        }
        names.truncate(from);
    }
}

impl Notes {
    fn have_room(&self) -> bool {
        self.faults.len() < MOST_FAULTS
    }

    /// The first duplicate is noted among however many other faults.
    fn room_for_duplicates(&self) -> usize {
        MOST_FAULTS.saturating_sub(self.faults.len()).max(usize::from(!self.has_duplicates))
    }

    fn remember(&mut self, name: Span) {
        // What would not be told is not kept either.
        if self.room_for_duplicates() > 0 {
            self.names.extend(u32::try_from(name.start));
        }
    }
}

/// A name by where it begins, decoded, and where it stands.
fn name_at<'a>(tokens: &Tokenizer<'a>, start: u32) -> (Cow<'a, str>, Span) {
    let start = start as usize;
    let mut tokens = tokens.at(start);
    let text = tokens.string().or_else(|refused| refused.value.ok_or(())).unwrap_or_default();
    (text, Span::new(start, tokens.offset()))
}

fn duplicate(tokens: &Tokenizer<'_>, first: u32, again: u32) -> Fault {
    let (name, span) = name_at(tokens, again);
    let shown: String = name.chars().take(64).collect();
    let mut fault = Fault::new(FaultKind::DuplicateMember, span, format!("`{shown}`"));
    fault.first = Some(name_at(tokens, first).1);
    *fault
}

/// Compares two names by what they say, character by character: nothing is decoded that does not matter.
fn compare(tokens: &Tokenizer<'_>, left: u32, right: u32) -> Ordering {
    let inside = |start: u32| tokens.text().as_bytes().get(start as usize + 1..).unwrap_or_default().iter();
    let mut same = 0;
    for pair in inside(left).zip(inside(right)) {
        match pair {
            (b'\\', _) | (_, b'\\') => break,
            (b'"', b'"') => return Ordering::Equal,
            (b'"', _) => return Ordering::Less,
            (_, b'"') => return Ordering::Greater,
            (left, right) if left != right => return left.cmp(right),
            _ => same += 1,
        }
    }
    let [mut left, mut right] = [left, right].map(|start| tokens.at(start as usize + 1 + same));
    loop {
        match (left.decoded_character(), right.decoded_character()) {
            (None, None) => return Ordering::Equal,
            (left, right) if left != right => return left.cmp(&right),
            _ => {}
        }
    }
}

//! Where the values stand that pointers lead to, found in one pass that keeps no other value.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    cursor::{Cursor, Item, Leaf, Name},
    fault::{Fault, Span},
    pointer,
};

/// A document that was read to its end, without its values.
#[derive(Debug)]
pub struct Survey<'a> {
    /// The source text.
    pub text: &'a str,
    /// Where the root stands.
    pub root: Span,
    /// Faults that were passed over; empty for a document that may be used.
    pub faults: Vec<Fault>,
    /// Where each pointer leads, in the order of the pointers.
    pub places: Vec<Surveyed>,
}

/// Where a pointer leads. Of members with the same name the first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// The value, or the innermost one on the way that is there.
    pub span: Span,
    /// Whether the value itself is there.
    pub is_whole: bool,
    /// The name of the member, when the value is one and is there.
    pub name: Option<Span>,
}

/// Reads a document, with its faults.
///
/// # Errors
/// As [`crate::tree::read`]: every fault up to the one that stopped the reading.
pub fn read<'a>(bytes: &'a [u8], pointers: &[&str]) -> Result<Survey<'a>, Vec<Fault>> {
    let cursor = Cursor::new(bytes).map_err(|fault| vec![*fault])?;
    scan(cursor, pointers)
}

/// Reads a document whose faults are reported elsewhere. Nothing when it cannot be read to its end.
#[must_use]
pub fn unnoted<'a>(bytes: &'a [u8], pointers: &[&str]) -> Option<Survey<'a>> {
    scan(Cursor::new(bytes).ok()?.ahead(), pointers).ok()
}

impl<'a> Survey<'a> {
    /// The text of the string that a pointer leads to, by the pointer's number.
    #[must_use]
    pub fn text_at(&self, number: usize) -> Option<Cow<'a, str>> {
        let place = self.places.get(number).filter(|place| place.is_whole)?;
        let mut value = Cursor::unnoted(self.text.get(place.span.start..place.span.end)?);
        if let (Item::Leaf(Leaf::String(text)), _) = value.value().ok()? { Some(text) } else { None }
    }
}

fn scan<'a>(cursor: Cursor<'a>, pointers: &[&str]) -> Result<Survey<'a>, Vec<Fault>> {
    let text = cursor.text();
    let mut wanted = Wanted::default();
    pointers.iter().for_each(|pointer| wanted.add(pointer));
    let (root, faults) = cursor.document(|cursor, item, start| wanted.find(cursor, &item, start))?;
    let places = pointers.iter().map(|pointer| wanted.place(pointer, root)).collect();
    Ok(Survey { text, root, faults, places })
}

/// What is looked for at a value and inside it.
#[derive(Default)]
struct Wanted {
    /// The place, once it was found.
    found: Option<(Option<Span>, Span)>,
    inside: BTreeMap<String, Wanted>,
}

impl Wanted {
    fn add(&mut self, pointer: &str) {
        let mut wanted = self;
        for part in pointer::parts(pointer) {
            wanted = wanted.inside.entry(part.into_owned()).or_default();
        }
    }

    /// Passes a value that was entered, and finds what is wanted inside it.
    fn find(&mut self, cursor: &mut Cursor<'_>, item: &Item<'_>, start: usize) -> Result<Span, Box<Fault>> {
        match item {
            Item::Object if !self.inside.is_empty() => self.find_members(cursor)?,
            Item::Array if !self.inside.is_empty() => self.find_elements(cursor)?,
            Item::Leaf(_) | Item::Object | Item::Array => cursor.skip_rest(item)?,
        }
        Ok(Span::new(start, cursor.offset()))
    }

    fn find_members(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Box<Fault>> {
        while let Some(Name { text, span }) = cursor.next_member()? {
            match self.inside.get_mut(text.as_ref()).filter(|wanted| wanted.found.is_none()) {
                Some(wanted) => wanted.find_next(cursor, Some(span))?,
                None => drop(cursor.skip()?),
            }
        }
        Ok(())
    }

    fn find_elements(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Box<Fault>> {
        let of_element = |(part, wanted): (&String, _)| index(part).map(|index| (index, wanted));
        let mut elements: BTreeMap<usize, &mut Wanted> = self.inside.iter_mut().filter_map(of_element).collect();
        let mut index = 0;
        while cursor.next_element()? {
            match elements.remove(&index) {
                Some(wanted) => wanted.find_next(cursor, None)?,
                None => drop(cursor.skip()?),
            }
            index += 1;
        }
        Ok(())
    }

    fn find_next(&mut self, cursor: &mut Cursor<'_>, name: Option<Span>) -> Result<(), Box<Fault>> {
        let (item, start) = cursor.value()?;
        let span = self.find(cursor, &item, start)?;
        self.found = Some((name, span));
        Ok(())
    }

    fn place(&self, pointer: &str, root: Span) -> Surveyed {
        let mut place = Surveyed { span: root, is_whole: true, name: None };
        let mut wanted = self;
        for part in pointer::parts(pointer) {
            let Some((inner, (name, span))) = wanted.inside.get(part.as_ref()).and_then(|it| Some((it, it.found?)))
            else {
                return Surveyed { is_whole: false, name: None, ..place };
            };
            place = Surveyed { span, is_whole: true, name };
            wanted = inner;
        }
        place
    }
}

/// The index of an element, which has one spelling.
fn index(part: &str) -> Option<usize> {
    let index = part.parse::<usize>().ok()?;
    (index.to_string() == part).then_some(index)
}

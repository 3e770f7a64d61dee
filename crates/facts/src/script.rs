//! Scripts, read by a parser with scopes: what is only called like a power of the browser is none, and comments and
//! strings are no code.

#![expect(clippy::wildcard_enum_match_arm, reason = "of two hundred kinds of syntax a few tell something")]

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_ast_visit::Visit as _;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use svc_core::package::{
    fact_table::{FactSpec, SHAPE_JSX, SHAPE_TYPESCRIPT, UNREAD_DEPTH, UNREAD_ENCODING, UNREAD_SYNTAX},
    sighting::Seen,
};

use crate::{
    encoding,
    language::Dialect,
    nesting::Nesting,
    notes::Notes,
    script::{names::Names, reader::Reader, scope::Scope},
};

mod addresses;
mod brackets;
mod call;
mod dynamic;
mod element;
mod factories;
mod holes;
mod inner;
mod libraries;
mod markup;
mod methods;
mod names;
mod object;
mod path;
mod powers;
mod reader;
mod scope;
mod shape;
mod styles;
mod text;

/// More levels of syntax than any script has that people or tools write; the stack of a reader holds them.
const DEPTH: usize = 10_000;

/// What a script tells.
pub(crate) fn read(dialect: Dialect, bytes: &[u8], nesting: Nesting) -> Seen {
    let decoded = encoding::decode(bytes, None);
    let mut notes = read_whole(dialect, &decoded.text, nesting);
    if decoded.is_broken {
        notes.note_whole(&UNREAD_ENCODING);
    }
    shape::read(&decoded.text, &mut notes);
    notes.finish(&decoded.text)
}

/// What a script inside a page tells, its places counted from the start of this text.
pub(crate) fn read_part(dialect: Dialect, text: &str, nesting: Nesting) -> Notes {
    read_whole(dialect, text, nesting)
}

fn read_whole(dialect: Dialect, text: &str, nesting: Nesting) -> Notes {
    if brackets::are_too_deep(text) {
        let mut notes = Notes::default();
        notes.note_whole(&UNREAD_DEPTH);
        return notes;
    }
    let mut first = None;
    for (kind, shape) in attempts(dialect) {
        let allocator = Allocator::default();
        let options =
            ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, text, kind).with_options(options).parse();
        let fault =
            parsed.diagnostics.iter().find_map(|fault| fault.labels.first().map(|label| label.offset() as usize));
        if parsed.diagnostics.is_empty() {
            let mut notes = read_program(&allocator, allocator.alloc(parsed.program), nesting);
            if let Some(shape) = shape {
                notes.note(0, shape, None);
            }
            return notes;
        }
        first.get_or_insert((kind, fault.unwrap_or_default()));
    }
    let mut notes = Notes::default();
    if let Some((kind, at)) = first {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, kind).parse();
        notes = read_program(&allocator, allocator.alloc(parsed.program), nesting);
        notes.note(at, &UNREAD_SYNTAX, None);
    }
    notes
}

/// In which ways a text is tried, and what it is when only that way fits. Browsers run none but the first ones.
fn attempts(dialect: Dialect) -> Vec<(SourceType, Option<&'static FactSpec>)> {
    let plain: &[SourceType] = match dialect {
        Dialect::Any => &[SourceType::mjs(), SourceType::script()],
        Dialect::Module => &[SourceType::mjs()],
        Dialect::Classic => &[SourceType::script(), SourceType::mjs()],
        Dialect::Jsx | Dialect::TypeScript | Dialect::Tsx => &[],
    };
    let jsx = (SourceType::jsx(), Some(&SHAPE_JSX));
    let typed = (SourceType::ts(), Some(&SHAPE_TYPESCRIPT));
    let both = (SourceType::tsx(), Some(&SHAPE_TYPESCRIPT));
    let others = match dialect {
        Dialect::Any | Dialect::Module | Dialect::Classic | Dialect::Jsx => [jsx, typed, both],
        Dialect::TypeScript => [typed, both, jsx],
        Dialect::Tsx => [both, typed, jsx],
    };
    let plain = plain.iter().map(|kind| (*kind, None));
    plain.chain(others.map(|(kind, shape)| (kind, shape.map(|shape: &'static FactSpec| shape)))).collect()
}

fn read_program<'a>(allocator: &'a Allocator, program: &'a Program<'a>, nesting: Nesting) -> Notes {
    let semantic = SemanticBuilder::new().build(program).semantic;
    let names = Names::of(program, semantic.scoping());
    let scope = Scope::new(allocator, semantic.scoping(), names);
    let mut reader = Reader::new(&scope, nesting);
    reader.visit_program(program);
    let mut notes = reader.notes;
    if reader.deepest > DEPTH {
        notes.note_whole(&UNREAD_DEPTH);
    }
    notes
}

#[cfg(test)]
mod tests;

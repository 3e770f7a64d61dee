//! What the bytes of one file tell: no files, no network, no clock, and the same answer on every machine.
//!
//! [`of_bytes`] looks at what any bytes tell and can be called anywhere. [`of_code`] parses a language: a parser may
//! overflow its stack, which nothing catches, so it is called in a process that may die without harm, on a thread whose
//! stack holds [`STACK_BYTES`].

use svc_core::package::sighting::{Seen, Sighting};

use crate::{language::Language, nesting::Nesting};

mod address;
mod encoding;
mod handler;
mod image;
pub mod language;
mod nesting;
mod notes;
mod page;
mod program;
mod script;
mod script_types;
mod secrets;
mod signature;
mod style;
mod text;
mod wasm;
pub mod wire;

pub use text::TEMPLATE_MARK;

/// The stack that a parser of this crate needs to read everything that is not nested more deeply than it reads.
pub const STACK_BYTES: usize = 512 * 1024 * 1024;

/// What a file of any kind tells: programs, archives, pictures, signatures, secrets and texts.
#[must_use]
pub fn of_bytes(path: &str, bytes: &[u8]) -> Vec<Sighting> {
    let mut seen: Vec<Sighting> = program::find(path, bytes).map(Sighting::of_file).into_iter().collect();
    seen.extend(image::find(bytes));
    seen.extend(signature::find(path, bytes).map(Sighting::of_file));
    seen.extend(secrets::find(bytes));
    seen.extend(secrets::find_in_path(path));
    seen.extend(text::find(path, bytes));
    seen
}

/// The pixels across and down of a PNG, by its header.
#[must_use]
pub fn png_pixels(bytes: &[u8]) -> Option<(u32, u32)> {
    image::png(bytes)
}

/// The secrets in a text that is no file.
#[must_use]
pub fn of_text(text: &str) -> Vec<Sighting> {
    secrets::find(text.as_bytes())
}

/// All that a file tells, read in this process: for whoever wrote the file, or can afford to die of it.
#[must_use]
pub fn of_file(path: &str, bytes: &[u8]) -> Seen {
    let mut seen = Language::of(path, bytes).map(|language| of_code(language, bytes)).unwrap_or_default();
    seen.sightings.extend(of_bytes(path, bytes));
    seen
}

/// What code tells, read by the parser of its language.
#[must_use]
pub fn of_code(language: Language, bytes: &[u8]) -> Seen {
    match language {
        Language::Script(dialect) => script::read(dialect, bytes, Nesting::outside(page::read_part)),
        Language::Page => page::read(bytes),
        Language::XmlPage => page::read_xml_page(bytes),
        Language::Drawing => page::read_drawing(bytes),
        Language::Xml => page::read_data(bytes),
        Language::Style => style::read(bytes),
        Language::Wasm => wasm::read(bytes),
    }
}

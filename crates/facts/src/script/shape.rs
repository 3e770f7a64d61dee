//! What a script looks like: written, minified or made hard to read.

use svc_core::package::fact_table::{SHAPE_MINIFIED, SHAPE_OBFUSCATED, SHAPE_SOURCE_MAP_PATHS};

use crate::notes::Notes;

/// A line that nobody writes by hand.
const LONG_LINE: usize = 1_000;

/// Names of the form that obfuscators give, before they are more than a coincidence.
const HEX_NAMES: usize = 20;

/// Looks at the text of a script.
pub(super) fn read(text: &str, notes: &mut Notes) {
    let long: usize = text.lines().map(str::len).filter(|length| *length >= LONG_LINE).sum();
    if long > 0 && long >= text.len() / 2 {
        notes.note_whole(&SHAPE_MINIFIED);
    }
    if text.match_indices("_0x").filter(|(at, _)| is_hex_name(text, *at)).take(HEX_NAMES).count() == HEX_NAMES {
        notes.note_whole(&SHAPE_OBFUSCATED);
    }
    if let Some(at) = text.rfind("sourceMappingURL=").filter(|at| names_machine(text, *at)) {
        notes.note(at, &SHAPE_SOURCE_MAP_PATHS, None);
    }
}

fn is_hex_name(text: &str, at: usize) -> bool {
    let digits = text.get(at + 3..).unwrap_or_default().bytes().take_while(u8::is_ascii_hexdigit).take(4).count();
    digits == 4
}

/// Whether the address of a source map is a path of the machine that made it.
fn names_machine(text: &str, at: usize) -> bool {
    let address = text.get(at..).and_then(|rest| rest.split_once('=')).map(|(_, address)| address).unwrap_or_default();
    ["file:", "/Users/", "/home/", "C:\\", "C:/"].iter().any(|start| address.starts_with(start))
}

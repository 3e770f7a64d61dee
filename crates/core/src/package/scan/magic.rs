//! Native programs, by their first bytes and by names that systems run.

use crate::package::fact_table::{ELF, FLASH, FactSpec, JAVA, MACH_O, RUN_BY_NAME, SHELL_SCRIPT, WINDOWS};

static MAGIC: &[(&[u8], &FactSpec)] = &[
    (b"\x7fELF", &ELF),
    (b"MZ", &WINDOWS),
    (b"\xfe\xed\xfa\xce", &MACH_O),
    (b"\xfe\xed\xfa\xcf", &MACH_O),
    (b"\xce\xfa\xed\xfe", &MACH_O),
    (b"\xcf\xfa\xed\xfe", &MACH_O),
    (b"\xca\xfe\xba\xbe", &JAVA),
    (b"#!", &SHELL_SCRIPT),
    (b"FWS", &FLASH),
    (b"CWS", &FLASH),
];

const EXTENSIONS: &[&str] = &[
    "apk", "app", "bat", "class", "cmd", "com", "deb", "dll", "dmg", "dylib", "exe", "jar", "msi", "node", "ps1",
    "rpm", "scr", "sh", "so", "swf", "vbs",
];

/// The kind of native program a file is.
pub(super) fn native_program(path: &str, head: &[u8]) -> Option<&'static FactSpec> {
    // Short marks could start a text; a program has a zero byte nearby, a text has none.
    let binary = head.iter().take(64).any(|byte| *byte == 0);
    let starts = |magic: &[u8]| head.starts_with(magic) && (binary || magic.len() > 3 || magic == b"#!");
    let by_bytes = MAGIC.iter().find(|(magic, _)| starts(magic)).map(|(_, what)| *what);
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
    let by_name = extension.filter(|extension| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()));
    by_bytes.or(by_name.map(|_| &RUN_BY_NAME))
}

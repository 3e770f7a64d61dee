//! Native programs, by their first bytes and by names that systems run.

const MAGIC: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\xfe\xed\xfa\xce", "a Mach-O program"),
    (b"\xfe\xed\xfa\xcf", "a Mach-O program"),
    (b"\xce\xfa\xed\xfe", "a Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\xca\xfe\xba\xbe", "a Java class or universal program"),
    (b"#!", "a script that a shell runs"),
    (b"FWS", "a Flash program"),
    (b"CWS", "a Flash program"),
];

const EXTENSIONS: &[&str] = &[
    "apk", "app", "bat", "class", "cmd", "com", "deb", "dll", "dmg", "dylib", "exe", "jar", "msi", "node", "ps1",
    "rpm", "scr", "sh", "so", "swf", "vbs",
];

/// The kind of native program a file is.
pub(super) fn native_program(path: &str, head: &[u8]) -> Option<&'static str> {
    // Short marks could start a text; a program has a zero byte nearby, a text has none.
    let binary = head.iter().take(64).any(|byte| *byte == 0);
    let starts = |magic: &[u8]| head.starts_with(magic) && (binary || magic.len() > 3 || magic == b"#!");
    let by_bytes = MAGIC.iter().find(|(magic, _)| starts(magic)).map(|(_, what)| *what);
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
    let by_name = extension.filter(|extension| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()));
    by_bytes.or(by_name.map(|_| "a file that systems run by its name"))
}

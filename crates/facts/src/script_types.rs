//! The types of script elements: what browsers run, and what is only data.

/// The types that browsers run.
const RUN: &[&str] = &[
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "text/ecmascript",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
];

/// Words in place of a type that browsers know.
const WORDS: &[&str] = &["importmap", "module", "speculationrules"];

/// Whether a type, in lowercase, is one that browsers run.
pub(crate) fn is_run(kind: &str) -> bool {
    RUN.contains(&kind)
}

/// Whether a script element of this type holds data that no browser looks at.
pub(crate) fn is_data(kind: &str) -> bool {
    let kind = kind.trim_ascii().to_ascii_lowercase();
    let plain = kind.split(';').next().unwrap_or_default().trim_ascii();
    !plain.is_empty() && !is_run(plain) && !WORDS.contains(&plain)
}

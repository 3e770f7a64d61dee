//! Names of event handlers, as pages and scripts set them.

/// Stands in markup for what is only known when the script runs: a letter that scripts take for a name, and nobody writes.
pub(crate) const HOLE: char = '\u{a4a5}';

/// Words that begin as handlers do.
const NO_EVENTS: &[&str] = &["on", "once", "one", "ongoing", "online", "only", "onset", "onto"];

/// Whether an attribute or property holds the code of a handler, also of one whose name is put together.
pub(crate) fn is_handler(name: &str) -> bool {
    if name.strip_prefix("on").is_some_and(|event| event.starts_with(HOLE)) {
        return true;
    }
    name.starts_with("on") && name.bytes().all(|byte| byte.is_ascii_lowercase()) && !NO_EVENTS.contains(&name)
}

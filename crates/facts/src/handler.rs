//! Names of event handlers, as pages and scripts set them.

/// Words that begin as handlers do.
const NO_EVENTS: &[&str] = &["on", "once", "one", "ongoing", "online", "only", "onset", "onto"];

/// Whether an attribute or property holds the code of a handler.
pub(crate) fn is_handler(name: &str) -> bool {
    name.starts_with("on") && name.bytes().all(|byte| byte.is_ascii_lowercase()) && !NO_EVENTS.contains(&name)
}

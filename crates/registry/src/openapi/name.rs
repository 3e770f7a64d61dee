//! Names for code, made of those on the wire, and references by them.

use serde_json::{Value, json};

/// A component by its section and name.
pub(super) fn reference(section: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{section}/{name}") })
}

/// `acceptance-request` as `AcceptanceRequest`.
pub(super) fn pascal(name: &str) -> String {
    name.split(['-', '.', '/']).map(capitalized).collect()
}

/// `validate-index` as `validateIndex`.
pub(super) fn camel(name: &str) -> String {
    let mut parts = name.split('-');
    parts.next().unwrap_or_default().to_owned() + &parts.map(capitalized).collect::<String>()
}

fn capitalized(part: &str) -> String {
    let mut characters = part.chars();
    characters.next().map(|first| first.to_ascii_uppercase().to_string() + characters.as_str()).unwrap_or_default()
}

//! The layout of a table: a row's members each on a line, and so is every edit and finding that fits.

use serde_json::{Map, Value, json};

/// The members of a row in the order of a file; others follow.
const ORDER: [&str; 9] = ["name", "about", "base", "edits", "computed", "splice", "policy", "checkpoint", "parent"];
/// What an edit does.
const ACTIONS: [&str; 3] = ["at", "insert", "remove"];
/// How wide a line may be, and one that has no list or object in its list or object.
const WIDTH: usize = 110;
const PLAIN_WIDTH: usize = 160;

/// The file.
pub(super) fn table(rows: &[Value]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("  {}", laid_out(row, 2, true))).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

fn laid_out(value: &Value, indent: usize, is_row: bool) -> String {
    let line = on_a_line(value);
    let width = if has_plain_parts(value) { PLAIN_WIDTH } else { WIDTH };
    if !is_row && (matches!(line.as_str(), "{}" | "[]") || line.chars().count() + indent <= width) {
        return line;
    }
    let (pad, end) = (" ".repeat(indent + 2), " ".repeat(indent));
    match value {
        Value::Object(members) => {
            let order: &[&str] = if is_row { &ORDER } else { &ACTIONS };
            let lines = ordered(members, order).into_iter();
            let lines = lines.map(|(name, it)| format!("{pad}{}: {}", json!(name), laid_out(it, indent + 2, false)));
            format!("{{\n{}\n{end}}}", lines.collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(elements) => {
            let lines = elements.iter().map(|it| format!("{pad}{}", laid_out(it, indent + 2, false)));
            format!("[\n{}\n{end}]", lines.collect::<Vec<_>>().join(",\n"))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => line,
    }
}

fn has_plain_parts(value: &Value) -> bool {
    let is_plain = |it: &Value| !it.is_object() && !it.is_array();
    match value {
        Value::Object(members) => members.values().all(is_plain),
        Value::Array(elements) => elements.iter().all(is_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// The members with these first, in this order.
fn ordered<'v>(members: &'v Map<String, Value>, order: &[&str]) -> Vec<(&'v String, &'v Value)> {
    let mut members: Vec<(&String, &Value)> = members.iter().collect();
    members.sort_by_key(|(name, _)| order.iter().position(|known| *known == name.as_str()).unwrap_or(order.len()));
    members
}

fn on_a_line(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(members) => {
            let members = ordered(members, &ACTIONS).into_iter();
            format!("{{{}}}", joined(members.map(|(name, it)| format!("{}: {}", json!(name), on_a_line(it))).collect()))
        }
        Value::Array(elements) => format!("[{}]", joined(elements.iter().map(on_a_line).collect())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

//! Where two JSON values differ.

use serde_json::Value;

use crate::check::cut;

/// More differences than this help nobody.
const MOST: usize = 12;

/// A place where two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) pointer: String,
    /// What should be there.
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Difference {
    /// The first part of the pointer.
    pub(crate) fn member(&self) -> &str {
        self.pointer.split('/').nth(1).unwrap_or_default()
    }
}

/// The differences, the first ones in the order of the expected value.
pub(crate) fn differences(expected: &Value, found: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(expected, found, String::new(), &mut differences);
    differences
}

fn compare(expected: &Value, found: &Value, pointer: String, differences: &mut Vec<Difference>) {
    if differences.len() >= MOST {
        return;
    }
    match (expected, found) {
        (Value::Object(left), Value::Object(right)) => {
            for (name, value) in left {
                let here = format!("{pointer}/{name}");
                match right.get(name) {
                    Some(other) => compare(value, other, here, differences),
                    None => push(differences, here, shown(value), "nothing".to_owned()),
                }
            }
            for (name, value) in right.iter().filter(|(name, _)| !left.contains_key(*name)) {
                push(differences, format!("{pointer}/{}", cut(name)), "nothing".to_owned(), shown(value));
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for (index, (value, other)) in left.iter().zip(right).enumerate() {
                compare(value, other, format!("{pointer}/{index}"), differences);
            }
            if left.len() != right.len() {
                let elements = |list: &[Value]| format!("{} elements", list.len());
                push(differences, pointer, elements(left), elements(right));
            }
        }
        (left, right) if left == right => {}
        (left, right) => push(differences, pointer, shown(left), shown(right)),
    }
}

fn push(differences: &mut Vec<Difference>, pointer: String, expected: String, found: String) {
    if differences.len() < MOST {
        differences.push(Difference { pointer, expected, found });
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(elements) => format!("{} elements", elements.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => format!("`{}`", cut(&plain(value))),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

//! JSON Schemas (2020-12), made from the types that read and write the wire.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The schema of a type under its public name.
#[must_use]
pub fn for_type<T: JsonSchema>(id: &str, title: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = Value::from(generator.into_root_schema_for::<T>());
    refuse_null(&mut schema);
    if let Value::Object(members) = &mut schema {
        members.insert("$id".into(), id.into());
        members.insert("title".into(), title.into());
    }
    schema
}

/// No document of ours holds `null`: an absent member is absent. Also drops the integer formats of Rust, which other
/// validators do not know.
fn refuse_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("format");
            only_type_but_null(members);
            if let Some(only) = only_choice_but_null(members) {
                members.remove("anyOf");
                members.extend(only);
            }
            members.values_mut().for_each(refuse_null);
        }
        Value::Array(elements) => elements.iter_mut().for_each(refuse_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn only_type_but_null(members: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = members.get("type") else { return };
    if let [only] = types.iter().filter(|kind| *kind != "null").cloned().collect::<Vec<_>>().as_slice() {
        members.insert("type".into(), only.clone());
    }
}

fn only_choice_but_null(members: &Map<String, Value>) -> Option<Map<String, Value>> {
    let choices = members.get("anyOf")?.as_array()?;
    let mut others = choices.iter().filter(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
    match (others.next(), others.next()) {
        (Some(Value::Object(only)), None) => Some(only.clone()),
        _ => None,
    }
}

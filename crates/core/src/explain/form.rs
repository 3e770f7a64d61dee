//! A schema made ready to walk beside: whatever the walk asks of every value is looked up once, not once for each value.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use svc_json::tree::Node;

use crate::{
    explain::scalars::scalar_of,
    rules::artifacts,
    words::{rule::Rule, wire::ScalarSpec},
};

/// The form that a schema asks for.
#[derive(Debug)]
pub struct Form {
    /// The rule that everything inside breaks, where the schema's title names one.
    pub(super) rule: Option<&'static Rule>,
    pub(super) expected: Expected,
}

/// What is expected of a value.
#[derive(Debug)]
pub(super) enum Expected {
    Scalar(&'static ScalarSpec),
    Constant(Json),
    Object(Object),
    List(List),
    Integer { least: Option<i64> },
    Boolean,
    Text,
    Anything,
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) members: BTreeMap<String, Form>,
    pub(super) required: Vec<String>,
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) element: Option<Box<Form>>,
    pub(super) least: usize,
    pub(super) most: usize,
}

/// Titles of constants whose value depends on the kind of artifact, with their rule.
static CONSTANTS: &[(&str, &Rule)] = &[
    ("kind", &artifacts::B001),
    ("schema-urn", &artifacts::B002),
    ("status", &artifacts::B006),
    ("gate-statuses", &artifacts::B007),
    ("no-signatures", &artifacts::B006),
];

impl Form {
    /// The form of a schema. Our schemas refer to their own definitions, to nothing else, and never to themselves.
    #[must_use]
    pub fn of(schema: &Json) -> Self {
        Self::within(schema, schema)
    }

    fn within(root: &Json, schema: &Json) -> Self {
        let name = schema.get("$ref").and_then(Json::as_str).and_then(|reference| reference.strip_prefix("#/$defs/"));
        let schema = name.and_then(|name| root.get("$defs")?.get(name)).unwrap_or(schema);
        let title = schema.get("title").and_then(Json::as_str).unwrap_or_default();
        let rule = CONSTANTS.iter().find(|(name, _)| *name == title).map(|(_, rule)| *rule);
        let expected = match (scalar_of(title), schema.get("const")) {
            (Some(scalar), _) => Expected::Scalar(scalar),
            (None, Some(constant)) => Expected::Constant(constant.clone()),
            (None, None) => Expected::of_type(root, schema),
        };
        Self { rule, expected }
    }
}

impl Expected {
    fn of_type(root: &Json, schema: &Json) -> Self {
        match schema.get("type").and_then(Json::as_str) {
            Some("object") => Self::Object(Object::of(root, schema)),
            Some("array") => Self::List(List::of(root, schema)),
            Some("integer") => Self::Integer { least: schema.get("minimum").and_then(Json::as_i64) },
            Some("boolean") => Self::Boolean,
            Some("string") => Self::Text,
            Some(_) | None => Self::Anything,
        }
    }

    /// What is expected, in the words of a message.
    pub(super) fn in_words(&self) -> &'static str {
        match self {
            Self::Object(_) => "an object",
            Self::List(_) => "a list",
            Self::Integer { .. } => "an integer",
            Self::Boolean => "a boolean",
            Self::Text => "a string",
            Self::Scalar(_) | Self::Constant(_) | Self::Anything => "another value",
        }
    }
}

impl Object {
    fn of(root: &Json, schema: &Json) -> Self {
        let members = schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Map::iter);
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
        Self {
            members: members.map(|(name, inner)| (name.clone(), Form::within(root, inner))).collect(),
            required: required.filter_map(Json::as_str).map(str::to_owned).collect(),
        }
    }

    /// The scalar that a member holds, or that its elements are.
    pub(super) fn scalar_at(&self, name: &str) -> Option<&'static ScalarSpec> {
        let held = &self.members.get(name)?.expected;
        let element =
            if let Expected::List(list) = held { list.element.as_deref().map(|form| &form.expected) } else { None };
        if let Expected::Scalar(scalar) = element.unwrap_or(held) { Some(scalar) } else { None }
    }

    /// The names that an object could have and has not.
    pub(super) fn unused_names(&self, object: &Node<'_>) -> Vec<&str> {
        self.members.keys().map(String::as_str).filter(|name| object.get(name).is_none()).collect()
    }
}

impl List {
    fn of(root: &Json, schema: &Json) -> Self {
        let bound = |name| schema.get(name).and_then(Json::as_u64).and_then(|bound| usize::try_from(bound).ok());
        Self {
            element: schema.get("items").map(|element| Box::new(Form::within(root, element))),
            least: bound("minItems").unwrap_or(0),
            most: bound("maxItems").unwrap_or(usize::MAX),
        }
    }
}

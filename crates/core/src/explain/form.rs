//! A schema made ready to walk beside: whatever the walk asks of every value is looked up once, not once for each value.

use serde_json::{Map, Value as Json};
use svc_json::{cursor::Cursor, fault::Fault};

use crate::{
    explain::scalars::scalar_of,
    words::{rule_code::RuleCode, wire::ScalarSpec},
};

/// The form that a schema asks for.
#[derive(Debug)]
pub struct Form {
    /// The rule that everything inside breaks, where the schema's title names one.
    pub(super) rule: Option<RuleCode>,
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
    /// Sorted by name.
    pub(super) members: Vec<(String, Form)>,
    /// The members that must be there, by their number, in the order of the schema.
    pub(super) required: Vec<usize>,
    /// Whether members that the schema does not name are somebody else's, and none of our business.
    pub(super) is_shared: bool,
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) element: Option<Box<Form>>,
    pub(super) least: usize,
    pub(super) most: usize,
}

/// Titles of constants whose value depends on the kind of artifact, with their rule.
static CONSTANTS: &[(&str, RuleCode)] = &[
    ("kind", RuleCode::B001),
    ("schema-urn", RuleCode::B002),
    ("status", RuleCode::B006),
    ("gate-statuses", RuleCode::B007),
    ("no-signatures", RuleCode::B006),
];

impl Form {
    /// The scalar that a value of this form is, or that its elements are.
    pub(super) fn scalar(&self) -> Option<&'static ScalarSpec> {
        let held = &self.expected;
        let element =
            if let Expected::List(list) = held { list.element.as_deref().map(|form| &form.expected) } else { None };
        if let Expected::Scalar(scalar) = element.unwrap_or(held) { Some(scalar) } else { None }
    }

    /// The form where the outermost object may have members of somebody else.
    #[must_use]
    pub(crate) fn shared_with_others(mut self) -> Self {
        if let Expected::Object(object) = &mut self.expected {
            object.is_shared = true;
        }
        self
    }

    /// The form of a schema. Our schemas refer to their own definitions, to nothing else, and never to themselves.
    #[must_use]
    pub fn from_schema(schema: &Json) -> Self {
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
            Some("object") => Self::Object(Object::from_schema(root, schema)),
            Some("array") => Self::List(List::from_schema(root, schema)),
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
    fn from_schema(root: &Json, schema: &Json) -> Self {
        let members = schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Map::iter);
        let mut members: Vec<(String, Form)> =
            members.map(|(name, inner)| (name.clone(), Form::within(root, inner))).collect();
        members.sort_by(|(left, _), (right, _)| left.cmp(right));
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        let required = required.filter_map(|name| number_of(&members, name)).collect();
        Self { members, required, is_shared: false }
    }

    /// The number and the form of the member of this name.
    pub(super) fn member(&self, name: &str) -> Option<(usize, &Form)> {
        let number = number_of(&self.members, name)?;
        self.members.get(number).map(|(_, form)| (number, form))
    }

    /// The names that the object could have and has not, by a cursor that has entered it.
    pub(super) fn unused_names(&self, mut inside: Cursor<'_>) -> Result<Vec<&str>, Box<Fault>> {
        let mut is_used = vec![false; self.members.len()];
        while let Some(name) = inside.next_member()? {
            if let Some(used) = self.member(&name.text).and_then(|(number, _)| is_used.get_mut(number)) {
                *used = true;
            }
            inside.skip()?;
        }
        let names = self.members.iter().zip(is_used).filter(|(_, is_used)| !is_used);
        Ok(names.map(|((name, _), _)| name.as_str()).collect())
    }
}

fn number_of(members: &[(String, Form)], name: &str) -> Option<usize> {
    members.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok()
}

impl List {
    fn from_schema(root: &Json, schema: &Json) -> Self {
        let bound = |name| schema.get(name).and_then(Json::as_u64).and_then(|bound| usize::try_from(bound).ok());
        Self {
            element: schema.get("items").map(|element| Box::new(Form::within(root, element))),
            least: bound("minItems").unwrap_or(0),
            most: bound("maxItems").unwrap_or(usize::MAX),
        }
    }
}

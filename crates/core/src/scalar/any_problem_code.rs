//! The code of a problem of any version.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::words::{
    problem_code::ProblemCode,
    rule_code::RuleCode,
    wire::{ScalarSpec, WireScalar, read_str, string_schema},
};

/// The code of a problem, also of one that this build does not know: a later version may add codes under a status that an
/// operation already has. We write only [`ProblemCode`]s.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnyProblemCode(Cow<'static, str>);

impl AnyProblemCode {
    const NAME: &'static str = "problem-code";
    /// What is expected.
    pub const EXPECTED: &'static str = "the code of a problem; one that is not known is like any other of its status";
    /// The form.
    pub const PATTERN: &'static str = "^[a-z0-9]+(-[a-z0-9]+)*$";
    /// The longest.
    pub const MOST_BYTES: usize = 64;

    /// Reads the text when it has the form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let known = ProblemCode::parse(text).map(Self::from);
        known.or_else(|| has_form(text).then(|| Self(Cow::Owned(text.to_owned()))))
    }

    /// The problem, when this build knows it.
    #[must_use]
    pub fn known(&self) -> Option<ProblemCode> {
        ProblemCode::parse(&self.0)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<ProblemCode> for AnyProblemCode {
    fn from(code: ProblemCode) -> Self {
        Self(Cow::Borrowed(code.as_str()))
    }
}

impl fmt::Display for AnyProblemCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl WireScalar for AnyProblemCode {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: Self::NAME,
        rule: |_| RuleCode::B015,
        expected: Self::EXPECTED,
        pattern: Self::PATTERN,
        accepts: |value| value.as_str().is_some_and(|text| Self::parse(text).is_some()),
        words: &[],
    };
}

impl Serialize for AnyProblemCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AnyProblemCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_str(deserializer, Self::EXPECTED, Self::parse)
    }
}

impl JsonSchema for AnyProblemCode {
    fn schema_name() -> Cow<'static, str> {
        Self::NAME.into()
    }

    /// The codes of this build are examples: an editor offers them, and a validator lets others pass.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = string_schema(Self::NAME, Self::EXPECTED, Self::PATTERN, Self::MOST_BYTES);
        schema.insert("examples".to_owned(), ProblemCode::WORDS.into());
        schema
    }
}

fn has_form(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.len() <= AnyProblemCode::MOST_BYTES && text.split('-').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_not_read_and_one_of_a_later_version_is() {
        let long = "a".repeat(65);
        for text in ["", "-", "a-", "-a", "a--b", "Accepted", "a b", "a_b", "é", "a\n", &long] {
            assert_eq!(AnyProblemCode::parse(text), None, "{text}");
        }
        let later = AnyProblemCode::parse("quota-exceeded-2").unwrap();
        assert_eq!((later.as_str(), later.known()), ("quota-exceeded-2", None));
        for code in ProblemCode::ALL {
            assert!(has_form(code.as_str()), "{code}");
            let read = AnyProblemCode::parse(code.as_str()).unwrap();
            assert_eq!((read.known(), read), (Some(*code), AnyProblemCode::from(*code)));
        }
    }
}

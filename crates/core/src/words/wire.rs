//! The leaves of the wire: values that one function reads and one rule guards.
//!
//! A leaf type reads itself in serde's typed pass, describes itself in the JSON Schemas, and is looked up by its
//! name when a refused document is explained. All three use the same `parse`, so they cannot disagree.

use svc_json::tree::Value;

use crate::words::rule_code::RuleCode;

/// What is known of a leaf type.
#[derive(Clone, Copy, Debug)]
pub struct ScalarSpec {
    /// The name, which is the schema's `title`.
    pub name: &'static str,
    /// The rule a wrong value breaks; the value may choose among several.
    pub rule: fn(&Value<'_>) -> RuleCode,
    /// What is expected, in words for people.
    pub expected: &'static str,
    /// The pattern of a text, empty for other values.
    pub pattern: &'static str,
    /// Whether a value reads as this type.
    pub accepts: fn(&Value<'_>) -> bool,
    /// The words that could have been meant, for closed vocabularies.
    pub words: &'static [&'static str],
}

impl ScalarSpec {
    /// What is expected; a long list of words is not repeated in every finding.
    #[must_use]
    pub fn expectation(&self) -> String {
        if self.words.len() > 6 {
            return format!("one of {} words", self.words.len());
        }
        self.expected.to_owned()
    }
}

/// A type that is a leaf.
pub trait WireScalar {
    /// The leaf's facts.
    const SCALAR: ScalarSpec;
}

impl WireScalar for svc_json::digest::Digest {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: Self::NAME,
        rule: |_| RuleCode::B004,
        expected: Self::EXPECTED,
        pattern: Self::PATTERN,
        accepts: |value| value.as_str().is_some_and(|text| Self::parse(text).is_some()),
        words: &[],
    };
}

/// Makes a string newtype a leaf: `parse(&str) -> Option<Self>` and `with_text`, which lends the written form, must
/// exist.
#[macro_export]
#[doc(hidden)]
macro_rules! wire_string {
    ($type:ty {
        name: $name:literal, rule: $rule:ident, expected: $expected:literal,
        pattern: $pattern:literal, max_length: $max:expr $(,)?
    }) => {
        $crate::wire_string! {
            $type {
                name: $name, rule_by: |_| $crate::words::rule_code::RuleCode::$rule, expected: $expected, pattern: $pattern, max_length: $max,
            }
        }
    };
    ($type:ty {
        name: $name:literal, rule_by: $rule_by:expr, expected: $expected:literal,
        pattern: $pattern:literal, max_length: $max:expr $(,)?
    }) => {
        impl $crate::words::wire::WireScalar for $type {
            const SCALAR: $crate::words::wire::ScalarSpec = $crate::words::wire::ScalarSpec {
                name: $name,
                rule: $rule_by,
                expected: $expected,
                pattern: $pattern,
                accepts: |value| value.as_str().is_some_and(|text| <$type>::parse(text).is_some()),
                words: &[],
            };
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.with_text(|text| serializer.serialize_str(text))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::words::wire::read_str(deserializer, $expected, <$type>::parse)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::words::wire::string_schema($name, $expected, $pattern, $max)
            }
        }
    };
}

/// Declares a string newtype and makes it a leaf.
#[macro_export]
#[doc(hidden)]
macro_rules! string_newtype {
    ($(#[$meta:meta])* pub struct $type:ident {
        check: $check:expr, $($fact:tt)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $type(String);

        impl $type {
            /// Reads the text when it has the form.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let check: fn(&str) -> bool = $check;
                check(text).then(|| Self(text.to_owned()))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
                write(&self.0)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        $crate::wire_string! { $type { $($fact)* } }
    };
}

/// Declares a closed vocabulary: an enum whose values are exactly these words. One word makes a constant.
#[macro_export]
#[doc(hidden)]
macro_rules! wire_enum {
    (
        $(#[$meta:meta])*
        pub enum $type:ident($name:literal, $rule:ident) {
            $($(#[$word_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type {
            $($(#[$word_meta])* $variant,)+
        }

        impl $type {
            /// Every value, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
            /// Every word, in the order of the table.
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the word; nothing else parses.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl $crate::words::wire::WireScalar for $type {
            const SCALAR: $crate::words::wire::ScalarSpec = $crate::words::wire::ScalarSpec {
                name: $name,
                rule: |_| $crate::words::rule_code::RuleCode::$rule,
                expected: concat!("one of" $(, " `", $word, "`")+),
                pattern: "",
                accepts: |value| value.as_str().is_some_and(|text| Self::parse(text).is_some()),
                words: Self::WORDS,
            };
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::words::wire::read_str(deserializer, <Self as $crate::words::wire::WireScalar>::SCALAR.expected, Self::parse)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::words::wire::words_schema($name, Self::WORDS)
            }
        }
    };
}

/// Declares closed objects of the wire, members in RFC 8785 order.
#[macro_export]
#[doc(hidden)]
macro_rules! wire_struct {
    ($($(#[$meta:meta])* $name:ident $title:literal {
        $($(#[$member_meta:meta])* $member:ident: $type:ty,)+
    })+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
            #[serde(deny_unknown_fields, rename_all = "camelCase")]
            #[schemars(rename = $title)]
            pub struct $name {
                $($(#[$member_meta])* pub $member: $type,)+
            }
        )+
    };
}

/// Reads a string and turns it into a leaf.
#[doc(hidden)]
pub fn read_str<'de, T, D: serde::Deserializer<'de>>(
    deserializer: D,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    struct Reader<F>(&'static str, F);

    impl<T, F: Fn(&str) -> Option<T>> serde::de::Visitor<'_> for Reader<F> {
        type Value = T;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str(self.0)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            (self.1)(text).ok_or_else(|| E::custom(format_args!("expected {}", self.0)))
        }
    }

    deserializer.deserialize_str(Reader(expected, parse))
}

/// The schema of a string with a form.
#[doc(hidden)]
#[must_use]
pub fn string_schema(name: &str, expected: &str, pattern: &str, max_length: usize) -> schemars::Schema {
    schemars::json_schema!({
        "type": "string", "title": name, "description": expected, "pattern": pattern,
        "minLength": 1, "maxLength": max_length,
    })
}

/// The schema of a closed vocabulary.
#[doc(hidden)]
#[must_use]
pub fn words_schema(name: &str, words: &[&str]) -> schemars::Schema {
    if let [word] = words {
        return schemars::json_schema!({ "type": "string", "title": name, "const": word });
    }
    schemars::json_schema!({ "type": "string", "title": name, "enum": words })
}

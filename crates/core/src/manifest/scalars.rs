//! The leaves of the manifest: texts, numbers and maps with a form of their own.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svc_json::tree::Value;

use crate::{
    manifest::vocabulary::CspDirective,
    scalar::ident::{is_line, is_name},
    string_newtype,
    words::{
        limits,
        rule_code::RuleCode,
        wire::{ScalarSpec, WireScalar},
    },
};

string_newtype! {
    /// A name for people.
    pub struct DisplayName {
        check: |text| is_name(text, 45),
        name: "display-name",
        rule: M014,
        expected: "one line of 1 to 45 characters with a letter or digit",
        pattern: "^\\S(.*\\S)?$",
        max_length: 45,
    }
}

string_newtype! {
    /// One sentence.
    pub struct Summary {
        check: |text| is_line(text, 132),
        name: "summary",
        rule: M016,
        expected: "one line of 1 to 132 characters",
        pattern: "^\\S(.*\\S)?$",
        max_length: 132,
    }
}

string_newtype! {
    /// The publisher's name for people.
    pub struct PublisherName {
        check: |text| is_name(text, 100),
        name: "publisher-name",
        rule: M014,
        expected: "one line of 1 to 100 characters with a letter or digit",
        pattern: "^\\S(.*\\S)?$",
        max_length: 100,
    }
}

string_newtype! {
    /// A short text on one line.
    pub struct Label {
        check: |text| is_line(text, 200),
        name: "label",
        rule: M003,
        expected: "one line of 1 to 200 characters",
        pattern: "^\\S(.*\\S)?$",
        max_length: 200,
    }
}

string_newtype! {
    /// One source of a content security policy.
    pub struct CspSource {
        check: is_csp_source,
        name: "csp-source",
        rule: P008,
        expected: "one source: a blank, `;` or `,` would start another source or directive",
        pattern: "^[!-+\\--:<-~]+$",
        max_length: 200,
    }
}

fn is_csp_source(text: &str) -> bool {
    (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() && !b";,".contains(&byte))
}

string_newtype! {
    /// A longer text.
    pub struct Text {
        check: |text| (1..=4000).contains(&text.chars().count()),
        name: "text",
        rule: M003,
        expected: "a text of 1 to 4,000 characters",
        pattern: "^[\\s\\S]+$",
        max_length: 4000,
    }
}

string_newtype! {
    /// Why something is needed.
    pub struct Purpose {
        check: |text| is_line(text, 300),
        name: "purpose",
        rule: P002,
        expected: "one line that says why, of 1 to 300 characters",
        pattern: "^\\S(.*\\S)?$",
        max_length: 300,
    }
}

string_newtype! {
    /// A name in code.
    pub struct Identifier {
        check: is_identifier,
        name: "identifier",
        rule: M003,
        expected: "a letter, then letters, digits, dots and hyphens, 64 at most",
        pattern: "^[A-Za-z][A-Za-z0-9.-]*$",
        max_length: 64,
    }
}

string_newtype! {
    /// A language, such as `en` or `pt-BR`.
    pub struct LanguageTag {
        check: is_language_tag,
        name: "language-tag",
        rule: M003,
        expected: "a language tag such as `en` or `pt-BR`",
        pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        max_length: 35,
    }
}

string_newtype! {
    /// The size of an icon.
    pub struct IconSizes {
        check: is_icon_size,
        name: "icon-sizes",
        rule: M003,
        expected: "width and height in pixels, such as `512x512`",
        pattern: "^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$",
        max_length: 11,
    }
}

string_newtype! {
    /// A pattern of files.
    pub struct Glob {
        check: is_glob,
        name: "glob",
        rule: F002,
        expected: "a pattern relative to the manifest's folder, with `/` only and no `..`",
        pattern: "^[^/\\\\][^\\\\]*$",
        max_length: 1024,
    }
}

string_newtype! {
    /// A range of host versions.
    pub struct HostRange {
        check: |text| parse_range(text).is_some(),
        name: "host-range",
        rule: M020,
        expected: "a range of host versions, such as `>=3.2.0 <4.0.0`",
        pattern: "^[0-9A-Za-z<>=^~*., +-]+$",
        max_length: 100,
    }
}

string_newtype! {
    /// An SPDX licence expression.
    pub struct License {
        check: |text| text.len() <= 200 && text.bytes().all(is_license_byte) && spdx::Expression::parse(text).is_ok(),
        name: "license",
        rule: M018,
        expected: "an SPDX licence expression, such as `MIT OR Apache-2.0`",
        pattern: "^[A-Za-z0-9.+: ()-]+$",
        max_length: 200,
    }
}

/// Other blanks look like one and are none.
fn is_license_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".+: ()-".contains(&byte)
}

/// Reads a range whose parts may stand beside each other with blanks, as in `>=3.2.0 <4.0.0`.
pub(crate) fn parse_range(text: &str) -> Option<semver::VersionReq> {
    if text.len() > 100 || text.trim().is_empty() {
        return None;
    }
    let parts: Vec<&str> = text.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    semver::VersionReq::parse(&parts.join(", ")).ok()
}

fn is_identifier(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-')
}

fn is_language_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    text.len() <= 35
        && (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && parts.all(|part| (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_icon_size(text: &str) -> bool {
    let is_pixels = |part: &str| {
        (1..=5).contains(&part.len()) && !part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split_once('x').is_some_and(|(width, height)| is_pixels(width) && is_pixels(height))
}

fn is_glob(text: &str) -> bool {
    (1..=limits::PATH_BYTES).contains(&text.len())
        && !text.starts_with('/')
        && !text.contains('\\')
        && text.split('/').all(|part| !matches!(part, "." | ".."))
}

/// The version of the manifest format: 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestVersion;

impl WireScalar for ManifestVersion {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: "manifest-version",
        rule: |_| RuleCode::M004,
        expected: "the number 1",
        pattern: "",
        accepts: |value| *value == Value::Integer(1),
        words: &[],
    };
}

impl Serialize for ManifestVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(1)
    }
}

impl<'de> Deserialize<'de> for ManifestVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            1 => Ok(Self),
            _ => Err(de::Error::custom("unsupported manifestVersion")),
        }
    }
}

impl JsonSchema for ManifestVersion {
    fn schema_name() -> Cow<'static, str> {
        Self::SCALAR.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "title": Self::SCALAR.name, "const": 1 })
    }
}

/// A content security policy: directive to sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Csp(pub BTreeMap<CspDirective, Vec<CspSource>>);

impl JsonSchema for Csp {
    fn schema_name() -> Cow<'static, str> {
        "csp".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sources = generator.subschema_for::<Vec<CspSource>>();
        let members: BTreeMap<&str, &Schema> = CspDirective::WORDS.iter().map(|word| (*word, &sources)).collect();
        json_schema!({ "type": "object", "title": "csp", "properties": members, "additionalProperties": false })
    }
}

/// Free strings for other tools, 4 KiB at most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Meta(BTreeMap<String, String>);

impl Meta {
    /// Whether a member may stand behind others of so many bytes, which become more with it.
    fn takes(bytes: &mut usize, key: &str, text: &str) -> bool {
        *bytes += key.len() + text.len();
        *bytes <= limits::META_BYTES && is_identifier(key) && !matches!(key, "constructor" | "prototype")
    }
}

impl WireScalar for Meta {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: "meta",
        rule: |_| RuleCode::M003,
        expected: "an object of strings, 4 KiB in all, with plain names",
        pattern: "",
        accepts: |value| {
            let Value::Object(members) = value else { return false };
            let mut bytes = 0;
            members
                .iter()
                .all(|member| member.value.as_str().is_some_and(|text| Self::takes(&mut bytes, &member.key, text)))
        },
        words: &[],
    };
}

impl<'de> Deserialize<'de> for Meta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BoundedStrings)
    }
}

/// Reads no further than to the first member that does not fit: there may be a million behind it.
struct BoundedStrings;

impl<'de> de::Visitor<'de> for BoundedStrings {
    type Value = Meta;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Meta::SCALAR.expected)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Meta, A::Error> {
        let (mut members, mut bytes) = (BTreeMap::new(), 0);
        while let Some((key, text)) = map.next_entry::<String, String>()? {
            if !Meta::takes(&mut bytes, &key, &text) {
                return Err(de::Error::custom(format_args!("expected {}", Meta::SCALAR.expected)));
            }
            members.insert(key, text);
        }
        Ok(Meta(members))
    }
}

impl JsonSchema for Meta {
    fn schema_name() -> Cow<'static, str> {
        Self::SCALAR.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object", "title": Self::SCALAR.name, "description": Self::SCALAR.expected,
            "propertyNames": { "pattern": "^(?!(constructor|prototype)$)[A-Za-z][A-Za-z0-9.-]{0,63}$" },
            "additionalProperties": { "type": "string", "maxLength": limits::META_BYTES },
        })
    }
}

//! Names: of packages, versions, owners and publishers.

use svc_json::tree::Value;

use crate::{string_newtype, wire_struct, words::rule_code::RuleCode};

string_newtype! {
    /// A package id in reverse DNS form, such as `dev.acme.weather-board`.
    pub struct PackageId {
        check: is_reverse_dns,
        name: "package-id",
        rule: M010,
        expected: "a reverse DNS name of three to ten parts in lowercase, such as `dev.acme.weather-board`",
        pattern: "^[a-z][a-z0-9]*(-[a-z0-9]+)*(\\.[a-z0-9]+(-[a-z0-9]+)*){2,9}$",
        max_length: 128,
    }
}

string_newtype! {
    /// The account that submits a package, as the host names it: compared by its bytes, and never a path.
    pub struct OwnerId {
        check: is_account,
        name: "owner-id",
        rule: B015,
        expected: "1 to 128 letters, digits and `. _ : @ | + -`, the first a letter or digit",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._:@|+-]*$",
        max_length: 128,
    }
}

string_newtype! {
    /// The owner's name for people.
    pub struct OwnerName {
        check: |text| is_name(text, 100),
        name: "owner-name",
        rule: B015,
        expected: "one line of 1 to 100 characters with a letter or digit",
        pattern: "^\\S(.*\\S)?$",
        max_length: 100,
    }
}

string_newtype! {
    /// The publisher that a manifest declares.
    pub struct PublisherId {
        check: is_slug,
        name: "publisher-id",
        rule: M027,
        expected: "1 to 64 lowercase letters, digits and single hyphens",
        pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
        max_length: 64,
    }
}

string_newtype! {
    /// A semantic version (2.0.0). Versions are ordered by their bytes, so that every implementation agrees.
    pub struct Version {
        check: is_version,
        name: "version",
        rule_by: version_rule,
        expected: "a semantic version, MAJOR.MINOR.PATCH",
        pattern: "^(0|[1-9][0-9]{0,14})\\.(0|[1-9][0-9]{0,14})\\.(0|[1-9][0-9]{0,14})(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$",
        max_length: 64,
    }
}

wire_struct! {
    /// Which package an artifact speaks of.
    PackageRef "package" {
        /// The package's id.
        id: PackageId,
        /// Its version.
        version: Version,
    }
}

fn is_version(text: &str) -> bool {
    let version = if text.len() <= 64 { semver::Version::parse(text).ok() } else { None };
    version
        .is_some_and(|version| [version.major, version.minor, version.patch].iter().all(|part| *part < 10_u64.pow(15)))
}

/// A range or a tag in place of a version is its own mistake.
fn version_rule(value: &Value<'_>) -> RuleCode {
    let text = value.as_str().unwrap_or_default();
    let ranged =
        text.contains(['^', '~', '*', '<', '>', '=', '|', ' ', ',']) || text.split('.').any(|part| part == "x");
    let tagged = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if ranged || tagged { RuleCode::M012 } else { RuleCode::M011 }
}

/// Whether a text is one line of 1 to `most` characters without blanks around it.
pub(crate) fn is_line(text: &str, most: usize) -> bool {
    let count = text.chars().count();
    (1..=most).contains(&count) && text.trim() == text && !text.contains(['\n', '\r', '\t'])
}

/// As [`is_line`], with something to read in it.
pub(crate) fn is_name(text: &str, most: usize) -> bool {
    is_line(text, most) && text.chars().any(char::is_alphanumeric)
}

fn is_account(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:@|+-".contains(&byte))
}

fn is_slug(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.split('-').all(is_alphanumeric)
}

fn is_reverse_dns(text: &str) -> bool {
    let parts = text.split('.').count();
    text.len() <= 128
        && (3..=10).contains(&parts)
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.split('.').all(|part| part.split('-').all(is_alphanumeric))
}

fn is_alphanumeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Look-alikes of reserved ids are compared by their letters, and an encoded name shows others than it holds.
    #[test]
    fn an_encoded_domain_is_no_part_of_an_id() {
        for id in ["dev.xn--80ak6aa92e.board", "xn--p1ai.acme.board", "dev.acme.weather--board"] {
            assert!(PackageId::parse(id).is_none(), "{id}");
        }
        assert!(PackageId::parse("dev.acme.xn-board").is_some());
    }
}

//! The code of a rule of any rule set.

use crate::{wire_string, words::rule::Rule};

/// The code of a rule, also of one that this build does not know. Held in place: a report has one for every rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnyRuleCode([u8; 8]);

wire_string! {
    AnyRuleCode {
        name: "rule-code",
        rule: B015,
        expected: "the code of a rule, such as `SVC-M010`",
        pattern: "^SVC-[A-Z][0-9]{3}$",
        max_length: 8,
    }
}

impl AnyRuleCode {
    /// Reads the text when it has the form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_rule_code(text).then_some(text.as_bytes().try_into().ok().map(Self)).flatten()
    }

    /// The code of a rule. Each has the form: a test reads them all.
    #[must_use]
    pub fn from_rule(rule: &Rule) -> Self {
        Self(rule.code.as_bytes().first_chunk().copied().unwrap_or_default())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        write(self.as_str())
    }
}

pub(crate) fn is_rule_code(text: &str) -> bool {
    let digits = text.strip_prefix("SVC-").and_then(|rest| rest.strip_prefix(|c: char| c.is_ascii_uppercase()));
    digits.is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

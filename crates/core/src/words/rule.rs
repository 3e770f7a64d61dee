//! What a rule is.

use std::borrow::Cow;

use serde::Serialize;
use svc_json::characters::CharacterRange;

use crate::words::{
    example::Example, exit_code::Exit, problem_code::ProblemCode, rule_code::RuleCode, severity::Severity,
};

/// What a rule must see to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Any JSON text.
    Text,
    /// The manifest alone.
    Manifest,
    /// The manifest and the file table.
    FileTable,
    /// The manifest, the file table and the facts of a report.
    Facts,
    /// The folder itself: only the author's machine has it.
    Folder,
    /// An artifact.
    Artifact,
}

impl Needs {
    /// The word in the rule set.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Manifest => "manifest",
            Self::FileTable => "file-table",
            Self::Facts => "facts",
            Self::Folder => "folder",
            Self::Artifact => "artifact",
        }
    }
}

/// A number or a list that a rule goes by, taken from its own table.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A number.
    Number(u64),
    /// A list of words.
    Words(&'static [&'static str]),
    /// Ranges of characters.
    Characters(&'static [CharacterRange]),
}

/// One rule: a row of a rule set.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The stable code.
    pub code: Cow<'static, str>,
    /// How much a finding weighs.
    pub severity: Severity,
    /// What it must see.
    pub needs: Needs,
    /// What is wrong when it fires.
    pub title: Cow<'static, str>,
    /// Why it exists.
    pub why: Cow<'static, str>,
    /// The way out.
    pub fix: Cow<'static, str>,
    /// Something that it fires on.
    pub fires: Example,
    /// Something like it that it lets pass.
    pub passes: Example,
    /// The problem code at the registry.
    pub problem: ProblemCode,
    /// The exit code at the command line.
    pub exit: Exit,
    /// The numbers and words the rule goes by.
    pub parameters: Cow<'static, [(&'static str, Parameter)]>,
    /// Counts changes of what the rule refuses.
    pub revision: u32,
}

impl Rule {
    /// Whether it has this code.
    #[must_use]
    pub fn is(&self, code: RuleCode) -> bool {
        self.code == code.as_str()
    }

    /// The kinds of facts that it goes by.
    #[must_use]
    pub fn facts(&self) -> &'static [&'static str] {
        self.words("facts")
    }

    /// The words of a parameter. A rule without the parameter has none.
    #[must_use]
    pub fn words(&self, name: &str) -> &'static [&'static str] {
        match self.parameter(name) {
            Some(Parameter::Words(words)) => words,
            Some(Parameter::Number(_) | Parameter::Characters(_)) | None => &[],
        }
    }

    /// The number of a parameter. A rule without the parameter has zero.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        match self.parameter(name) {
            Some(Parameter::Number(number)) => number,
            Some(Parameter::Words(_) | Parameter::Characters(_)) | None => 0,
        }
    }

    fn parameter(&self, name: &str) -> Option<Parameter> {
        self.parameters.iter().find(|(own, _)| *own == name).map(|(_, parameter)| *parameter)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

/// Errors fail a run, the rest does not unless asked to.
pub(crate) const fn exit_of(severity: Severity) -> Exit {
    match severity {
        Severity::Error => Exit::Findings,
        Severity::Blocker | Severity::Warning | Severity::Note => Exit::None,
    }
}

//! What a rule is, and the macro that makes a family of them.

use serde::Serialize;

use crate::{problem::ProblemCode, strict_json::characters::RefusedRange, words};

use super::{
    artifacts,
    example::Example,
    review::{Package, Sink},
};

words! {
    /// How much a finding weighs.
    pub enum Severity("severity", artifacts::B015) {
        /// Nothing is written.
        Error = "error",
        /// The author must act before the next stage; the submission is made.
        Blocker = "blocker",
        /// Worth mending.
        Warning = "warning",
        /// Worth knowing.
        Note = "note",
    }
}

/// What a rule must see to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Any JSON text.
    Text,
    /// The manifest alone.
    Manifest,
    /// The manifest and the owner that submits it.
    Owner,
    /// The manifest and the file table.
    FileTable,
    /// The folder or the bytes of the files: only the author's machine has them.
    FileBytes,
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
            Self::Owner => "owner",
            Self::FileTable => "file-table",
            Self::FileBytes => "file-bytes",
            Self::Artifact => "artifact",
        }
    }
}

/// The process exit code that a finding asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The finding does not fail the run.
    None,
    /// Findings.
    Findings,
    /// A digest or the chain is broken.
    Digest,
    /// A fail-open claim.
    OpenClaim,
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
    Characters(&'static [RefusedRange]),
}

/// A check over a package.
pub type Check = fn(&Package<'_>, &mut Sink<'_>);

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// The stable code.
    pub code: &'static str,
    /// How much a finding weighs.
    pub severity: Severity,
    /// What it must see.
    pub needs: Needs,
    /// What is wrong when it fires.
    pub title: &'static str,
    /// Why it exists.
    pub why: &'static str,
    /// The way out.
    pub fix: &'static str,
    /// Something that it fires on.
    pub fires: Example,
    /// Something like it that it lets pass.
    pub passes: Example,
    /// The problem code at the registry.
    pub problem: ProblemCode,
    /// The exit code at the command line.
    pub exit: Exit,
    /// The numbers and words the rule goes by.
    pub parameters: &'static [(&'static str, Parameter)],
    /// The check, for rules that look at a whole package.
    pub check: Option<Check>,
    /// Counts changes of what the rule refuses.
    pub revision: u32,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

/// Declares a family: a static per rule and `ALL`, in order.
macro_rules! rules {
    ($($id:ident $code:literal, $severity:ident, $needs:ident, $title:literal {
        why: $why:literal, fix: $fix:literal,
        fires: $fires:ident($fires_text:literal), passes: $passes:ident($passes_text:literal)
        $(, problem: $problem:ident)? $(, exit: $exit:ident)? $(, parameters: { $($name:literal: $kind:ident($value:expr)),+ $(,)? })?
        $(, check: $check:ident)? $(,)?
    })+) => {
        $(
            #[doc = $title]
            pub static $id: $crate::rules::Rule = $crate::rules::Rule {
                code: $code,
                severity: $crate::rules::Severity::$severity,
                needs: $crate::rules::Needs::$needs,
                title: $title,
                why: $why,
                fix: $fix,
                fires: $crate::rules::Example::$fires($fires_text),
                passes: $crate::rules::Example::$passes($passes_text),
                problem: $crate::rules::rule::or_default!(
                    $($crate::problem::ProblemCode::$problem)? ; $crate::problem::ProblemCode::ArtifactInvalid),
                exit: $crate::rules::rule::or_default!(
                    $($crate::rules::Exit::$exit)? ; $crate::rules::rule::exit_of($crate::rules::Severity::$severity)),
                parameters: &[$($(($name, $crate::rules::rule::Parameter::$kind($value)),)+)?],
                check: $crate::rules::rule::or_default!($(Some($check))? ; None),
                revision: 1,
            };
        )+

        /// The family, in order of code.
        pub static ALL: &[&$crate::rules::Rule] = &[$(&$id,)+];
    };
}

macro_rules! or_default {
    ($value:expr ; $default:expr) => {
        $value
    };
    (; $default:expr) => {
        $default
    };
}

pub(crate) use {or_default, rules};

/// Errors fail a run, the rest does not unless asked to.
pub(crate) const fn exit_of(severity: Severity) -> Exit {
    match severity {
        Severity::Error => Exit::Findings,
        Severity::Blocker | Severity::Warning | Severity::Note => Exit::None,
    }
}

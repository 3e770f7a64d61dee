//! Declares a family of the rules of `svc.default`: one row a rule.

use crate::{rules::package::Check, words::rule::Rule};

/// A rule as it is declared. A rule that looks at whole packages has a check.
pub(super) struct Row {
    pub(super) rule: Rule,
    pub(super) check: Option<Check>,
}

/// Declares a family: `ROWS`, in order of code. Only the rule set reads them.
macro_rules! rules {
    ($($id:ident $severity:ident, $needs:ident, $title:literal {
        why: $why:literal, fix: $fix:literal,
        fires: $fires:ident($fires_text:literal), passes: $passes:ident($passes_text:literal)
        $(, problem: $problem:ident)? $(, exit: $exit:ident)? $(, parameters: { $($name:literal: $kind:ident($value:expr)),+ $(,)? })?
        $(, check: $check:ident)? $(,)?
    })+) => {
        /// The family, in order of code.
        pub(super) static ROWS: &[$crate::rules::family::Row] = &[$($crate::rules::family::Row {
            rule: $crate::words::rule::Rule {
                code: std::borrow::Cow::Borrowed($crate::words::rule_code::RuleCode::$id.as_str()),
                severity: $crate::words::severity::Severity::$severity,
                needs: $crate::words::rule::Needs::$needs,
                title: std::borrow::Cow::Borrowed($title),
                why: std::borrow::Cow::Borrowed($why),
                fix: std::borrow::Cow::Borrowed($fix),
                fires: $crate::words::example::Example::$fires($fires_text),
                passes: $crate::words::example::Example::$passes($passes_text),
                problem: $crate::rules::family::or_default!(
                    $($crate::words::problem_code::ProblemCode::$problem)? ;
                    $crate::words::problem_code::ProblemCode::ArtifactInvalid),
                exit: $crate::rules::family::or_default!(
                    $($crate::words::exit_code::Exit::$exit)? ;
                    $crate::words::rule::exit_of($crate::words::severity::Severity::$severity)),
                parameters: std::borrow::Cow::Borrowed(
                    &[$($(($name, $crate::words::rule::Parameter::$kind($value)),)+)?]),
                revision: 1,
            },
            check: $crate::rules::family::or_default!($(Some($check as $crate::rules::package::Check))? ; None),
        },)+];
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

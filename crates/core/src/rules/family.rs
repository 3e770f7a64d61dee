//! Declares a family of rules: one row a rule.

/// Declares a family: a static for each rule and `ALL`, in order. A rule that looks at whole packages names its check,
/// which stands in `CHECKS` beside it.
macro_rules! rules {
    ($($id:ident $severity:ident, $needs:ident, $title:literal {
        why: $why:literal, fix: $fix:literal,
        fires: $fires:ident($fires_text:literal), passes: $passes:ident($passes_text:literal)
        $(, problem: $problem:ident)? $(, exit: $exit:ident)? $(, parameters: { $($name:literal: $kind:ident($value:expr)),+ $(,)? })?
        $(, check: $check:ident)? $(,)?
    })+) => {
        $(
            #[doc = $title]
            pub static $id: $crate::words::rule::Rule = $crate::words::rule::Rule {
                code: $crate::words::rule_code::RuleCode::$id.as_str(),
                severity: $crate::words::severity::Severity::$severity,
                needs: $crate::words::rule::Needs::$needs,
                title: $title,
                why: $why,
                fix: $fix,
                fires: $crate::words::example::Example::$fires($fires_text),
                passes: $crate::words::example::Example::$passes($passes_text),
                problem: $crate::rules::family::or_default!(
                    $($crate::words::problem_code::ProblemCode::$problem)? ;
                    $crate::words::problem_code::ProblemCode::ArtifactInvalid),
                exit: $crate::rules::family::or_default!(
                    $($crate::words::exit_code::Exit::$exit)? ;
                    $crate::words::rule::exit_of($crate::words::severity::Severity::$severity)),
                parameters: &[$($(($name, $crate::words::rule::Parameter::$kind($value)),)+)?],
                revision: 1,
            };
        )+

        /// The family, in order of code.
        pub static ALL: &[&$crate::words::rule::Rule] = &[$(&$id,)+];

        $crate::rules::family::checks! { $($($id $check,)?)+ }
    };
}

macro_rules! checks {
    () => {};
    ($($id:ident $check:ident,)+) => {
        /// The rules of the family that look at packages, with their checks.
        pub(crate) static CHECKS: &[(&$crate::words::rule::Rule, $crate::rules::package::Check)] =
            &[$((&$id, $check),)+];
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

pub(crate) use {checks, or_default, rules};

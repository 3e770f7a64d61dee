//! The rules that the program evaluates by: one value, made when it is first needed.

use std::sync::LazyLock;

use svc_core::rules::ruleset::Rules;

#[must_use]
pub fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(Rules::svc_default);
    &RULES
}

//! Every path of the console. Paths are exact, as those of the API are.

use svc_core::rules::ruleset::Rules;

/// What all its paths begin with.
const ROOT: &str = "/console";

/// Whether a path is the console's to answer.
pub(crate) fn is_below(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a path shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsolePage {
    /// Another path is meant, written relative to this one, so that it holds below a prefix too.
    Moved(&'static str),
    /// The page that the script fills.
    Application,
    Script,
    Style,
    Rules,
    /// By its number in the order of codes.
    Rule(usize),
    Problems,
    Api,
}

impl ConsolePage {
    /// Its name in logs and metrics: few, whatever there are of rules.
    pub(super) const fn operation(self) -> &'static str {
        match self {
            Self::Moved(_) | Self::Application | Self::Script | Self::Style => "console",
            Self::Rules | Self::Rule(_) => "console-rules",
            Self::Problems => "console-problems",
            Self::Api => "console-api",
        }
    }
}

/// The pages beside the API.
pub(super) fn public(rules: &Rules) -> Vec<(String, ConsolePage)> {
    let fixed = [
        ("", ConsolePage::Moved("console/")),
        ("/", ConsolePage::Application),
        ("/decisions", ConsolePage::Application),
        ("/log", ConsolePage::Application),
        ("/gates", ConsolePage::Application),
        ("/console.js", ConsolePage::Script),
        ("/console.css", ConsolePage::Style),
        ("/rules", ConsolePage::Rules),
        ("/problems", ConsolePage::Problems),
        ("/api", ConsolePage::Api),
    ];
    let rules = rules.all().enumerate();
    let rules = rules.map(|(number, rule)| (format!("{ROOT}/rules/{}", rule.code), ConsolePage::Rule(number)));
    at(&fixed).chain(rules).collect()
}

/// The page at the admin address, which reads the metrics beside it. The others ask the API, which is not there.
pub(super) fn admin() -> Vec<(String, ConsolePage)> {
    let fixed = [
        ("", ConsolePage::Moved("console/service")),
        ("/", ConsolePage::Moved("service")),
        ("/service", ConsolePage::Application),
        ("/console.js", ConsolePage::Script),
        ("/console.css", ConsolePage::Style),
    ];
    at(&fixed).collect()
}

fn at(paths: &[(&str, ConsolePage)]) -> impl Iterator<Item = (String, ConsolePage)> {
    paths.iter().map(|(path, page)| (format!("{ROOT}{path}"), *page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_begins_like_it_is_not_its() {
        for path in
            ["/", "/consoles", "/console.js", "/Console", "//console/", "/console%2f", "/api/console", "console/"]
        {
            assert!(!is_below(path), "{path}");
        }
        assert!(["/console", "/console/", "/console//", "/console/../livez"].into_iter().all(is_below));
        assert!(public(&Rules::svc_default()).iter().chain(&admin()).all(|(path, _)| is_below(path)));
    }
}

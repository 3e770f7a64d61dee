//! The pages of one address, each made when it is first asked for.

use std::{collections::BTreeMap, sync::OnceLock};
use svc_registry_api::{answer::Answer, refusals, request::RequestName};

use hyper::HeaderMap;
use svc_core::rules::ruleset::Rules;

use super::{
    file::ConsoleFile,
    route::{self, ConsolePage},
};

/// The console beside the API, and the one at the admin address.
#[derive(Debug)]
pub(crate) struct Console {
    pub(crate) public: ConsoleSite,
    pub(crate) admin: ConsoleSite,
}

impl Console {
    pub(crate) fn new(rules: &Rules) -> Self {
        let public = ConsoleSite::of(rules, route::public(rules));
        Self { public, admin: ConsoleSite::of(rules, route::admin()) }
    }
}

/// The pages by path.
#[derive(Debug)]
pub(crate) struct ConsoleSite(BTreeMap<String, FoundPage>);

/// A page that there is.
#[derive(Debug)]
pub(crate) struct FoundPage {
    rules: Rules,
    page: ConsolePage,
    file: OnceLock<ConsoleFile>,
}

impl ConsoleSite {
    fn of(rules: &Rules, pages: Vec<(String, ConsolePage)>) -> Self {
        let unmade = |page| FoundPage { rules: rules.clone(), page, file: OnceLock::new() };
        Self(pages.into_iter().map(|(path, page)| (path, unmade(page))).collect())
    }

    /// The page at exactly this path, for somebody who reads.
    pub(crate) fn find(
        &self,
        method: &str,
        path: &str,
        has_query: bool,
        request: &RequestName,
    ) -> Result<&FoundPage, Answer> {
        let found = self.0.get(path).filter(|_| !has_query);
        let found = found.ok_or_else(|| refusals::NO_PAGE.of(&request.without_path()))?;
        match method {
            "GET" | "HEAD" => Ok(found),
            _ => Err(refusals::WRONG_METHOD.of(request).with_header("allow", "GET, HEAD")),
        }
    }
}

impl FoundPage {
    /// Its name in logs and metrics.
    pub(crate) const fn operation(&self) -> &'static str {
        self.page.operation()
    }

    pub(crate) fn answer(&self, headers: &HeaderMap) -> Answer {
        self.file.get_or_init(|| ConsoleFile::of(&self.rules, self.page)).answer(headers)
    }
}

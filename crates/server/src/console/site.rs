//! The pages of one address, each made when it is first asked for.

use std::{collections::BTreeMap, sync::OnceLock};
use svc_registry_api::{answer::Answer, refusals, request::RequestName};

use hyper::HeaderMap;

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
    pub(crate) fn new() -> Self {
        Self { public: ConsoleSite::of(route::public()), admin: ConsoleSite::of(route::admin()) }
    }
}

/// The pages by path.
#[derive(Debug)]
pub(crate) struct ConsoleSite(BTreeMap<String, FoundPage>);

/// A page that there is.
#[derive(Debug)]
pub(crate) struct FoundPage {
    page: ConsolePage,
    file: OnceLock<ConsoleFile>,
}

impl ConsoleSite {
    fn of(pages: Vec<(String, ConsolePage)>) -> Self {
        Self(pages.into_iter().map(|(path, page)| (path, FoundPage { page, file: OnceLock::new() })).collect())
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
        self.file.get_or_init(|| ConsoleFile::of(self.page)).answer(headers)
    }
}

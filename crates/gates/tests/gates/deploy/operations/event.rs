//! What happened while clients asked, and what they were allowed to see.

use std::path::Path;

use crate::deploy::{
    load::{Failure, Seen},
    nodes::Nodes,
};
use anyhow::{Context as _, Result};
use svc_gates::nginx::{Nginx, Proxy, Site};

/// What an event is made with.
pub(crate) struct Stage<'s> {
    pub(crate) registry: &'s Path,
    pub(crate) nginx: &'s Nginx,
    pub(crate) folder: &'s Path,
    pub(crate) times: usize,
}

impl Stage<'_> {
    /// nginx as it is shipped, without TLS towards clients.
    pub(crate) fn before(&self, nodes: &Nodes) -> Result<Proxy> {
        self.nginx.start(&Site::shipped()?.plain()?, &nodes.addresses())
    }
}

/// Address and port of a proxy that speaks plain HTTP.
pub(crate) fn address(proxy: &Proxy) -> Result<&str> {
    proxy.url.strip_prefix("http://").context("the proxy speaks plain HTTP here")
}

/// One thing that happened so often.
pub(crate) struct Event {
    what: String,
    pub(crate) times: usize,
    seen: Seen,
    /// The one code that clients may be told, where no other node could answer.
    allowed: Option<&'static str>,
    notes: Vec<(String, usize)>,
    faults: Vec<String>,
}

/// So few answers tell nothing.
pub(crate) const FEWEST: usize = 200;

impl Event {
    /// Nobody may notice it.
    pub(crate) fn unnoticed(what: &str, times: usize, seen: Seen) -> Self {
        Self { what: what.to_owned(), times, seen, allowed: None, notes: Vec::new(), faults: Vec::new() }
    }

    /// Clients must be told this code and no other.
    pub(crate) fn told_as(mut self, code: &'static str) -> Self {
        self.allowed = Some(code);
        if self.seen.failures.is_empty() {
            self.faults.push("nobody noticed, so that nothing was tried".to_owned());
        }
        self
    }

    /// A number beside it.
    pub(crate) fn note(mut self, what: &str, count: usize) -> Self {
        self.notes.push((what.to_owned(), count));
        self
    }

    /// Something that must be so.
    pub(crate) fn must(mut self, what: &str, is_so: bool) -> Self {
        if !is_so {
            self.faults.push(what.to_owned());
        }
        self
    }

    /// Something that must have gone well.
    pub(crate) fn holds(mut self, result: Result<()>) -> Self {
        self.faults.extend(result.err().map(|fault| format!("{fault:#}")));
        self
    }

    /// What was seen beside how often it happened.
    pub(crate) fn seen(&self) -> String {
        let Self { what, seen, .. } = self;
        let mut parts = vec![format!("{} answers, the slowest after {} ms", seen.answered, seen.slowest.as_millis())];
        if seen.failures.is_empty() {
            parts.push("0 failures".to_owned());
        }
        parts.extend(seen.kinds().into_iter().map(|(kind, count)| format!("{count} failures ({kind})")));
        parts.extend(self.notes.iter().map(|(what, count)| format!("{count} {what}")));
        format!("{what} ({})", parts.join(", "))
    }

    pub(crate) fn told(&self) -> String {
        format!("{} {}", self.times, self.seen())
    }

    /// Everything that must not be.
    pub(crate) fn found(&self) -> Vec<String> {
        let is_allowed =
            |failure: &&Failure| matches!(failure, Failure::Closed(503, code) if Some(code.as_str()) == self.allowed);
        let mut wrong = self.seen.failures.iter().filter(|failure| !is_allowed(failure));
        let first = wrong.next().map(|first| format!("{} failures, the first {first}", wrong.count() + 1));
        let few = (self.seen.answered < FEWEST).then(|| format!("{} answers tell nothing", self.seen.answered));
        let all = first.into_iter().chain(few).chain(self.faults.iter().cloned());
        all.map(|fault| format!("{}: {fault}", self.what)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(failures: Vec<Failure>) -> Seen {
        Seen { answered: FEWEST, failures, ..Seen::default() }
    }

    #[test]
    fn a_failure_is_found_unless_it_is_the_one_that_nobody_could_avoid() {
        let away = || Failure::Closed(503, "journal-unavailable".to_owned());
        assert_eq!(
            Event::unnoticed("x", 1, seen(vec![away(), away()])).found(),
            ["x: 2 failures, the first closed: 503 journal-unavailable"]
        );
        assert!(Event::unnoticed("x", 1, seen(vec![away()])).told_as("journal-unavailable").found().is_empty());
        let others = [
            Failure::Closed(503, "overloaded".to_owned()),
            Failure::Closed(500, "journal-unavailable".to_owned()),
            Failure::Open("<html>".to_owned()),
            Failure::Connection("reset".to_owned()),
        ];
        for other in others {
            let event = Event::unnoticed("x", 1, seen(vec![away(), other])).told_as("journal-unavailable");
            assert_eq!(event.found().len(), 1, "{}", event.told());
        }
    }

    #[test]
    fn what_was_not_tried_and_what_does_not_hold_is_found() {
        assert!(Event::unnoticed("x", 1, seen(vec![])).found().is_empty());
        assert_eq!(Event::unnoticed("x", 1, Seen::default()).found(), ["x: 0 answers tell nothing"]);
        assert_eq!(Event::unnoticed("x", 1, seen(vec![])).told_as("journal-unavailable").found().len(), 1);
        let event = Event::unnoticed("x", 1, seen(vec![])).must("a", false).must("b", true);
        assert_eq!(event.holds(Err(anyhow::anyhow!("c"))).holds(Ok(())).found(), ["x: a", "x: c"]);
    }
}

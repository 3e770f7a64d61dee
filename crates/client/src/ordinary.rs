//! Requests that look like those of a client that everybody has: curl, as distributions ship it.
//!
//! A registry that answers the verifier otherwise than everybody else must not know it by a name, by which headers there are,
//! by their order or spelling, or by a steady pace. What it can still know it by is in docs/guides/verifying.md.

use std::{borrow::Cow, time::Duration};

use crate::request_head::RequestHead;

/// Versions that are in wide use, by the distributions that ship them.
const AGENTS: [&str; 6] = ["curl/7.76.1", "curl/7.81.0", "curl/7.88.1", "curl/8.5.0", "curl/8.7.1", "curl/8.14.1"];

/// The longest pause before a request, in milliseconds.
const MAX_PAUSE_MILLIS: u8 = 60;

#[derive(Clone, Debug)]
pub(crate) struct Ordinary {
    agent: &'static str,
}

impl Ordinary {
    /// One of them, which stays the same for all requests of a client.
    pub(crate) fn choose() -> Result<Self, String> {
        let mut random = [0];
        getrandom::fill(&mut random).map_err(|error| format!("cannot choose a client: {error}"))?;
        let [random] = random;
        let agent = AGENTS.iter().cycle().nth(usize::from(random)).copied();
        Ok(Self { agent: agent.unwrap_or_default() })
    }

    /// The headers that curl sends by itself, where it sends them: behind `Host` and before those that were asked for. One that
    /// was asked for takes the place of its own.
    pub(crate) fn dress(&self, head: RequestHead, asked: &[(&'static str, Cow<'static, str>)]) -> RequestHead {
        let head = head.header("user-agent", self.agent);
        let has_accept = asked.iter().any(|(name, _)| *name == "accept");
        if has_accept { head } else { head.header("accept", "*/*") }
    }

    /// How long somebody takes who starts one command after the other.
    pub(crate) fn pause(&self) -> Duration {
        let mut random = [0];
        let drawn = getrandom::fill(&mut random).map_or(0, |()| random[0]);
        Duration::from_millis((drawn % MAX_PAUSE_MILLIS).into())
    }
}

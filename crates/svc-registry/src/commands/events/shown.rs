//! An endpoint for people and machines. Its secrets are never part of it.

use std::fmt::Write as _;

use serde::Serialize;
use svc_cli::output::{escape::Safe, format::Format};
use svc_client::receiver_url::ReceiverUrl;
use svc_core::journal::{event::EventType, timestamp::Timestamp};
use svc_journal::endpoint::{EventEndpoint, Standing};
use svc_json::canonical;
use svc_server::events::retries;

/// An endpoint as `--format json` prints it, members in RFC 8785 order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EndpointView<'e> {
    address: String,
    batch: u32,
    /// Records that it does not have yet.
    behind: u64,
    cursor: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_delivered: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_failure: Option<FailureView<'e>>,
    name: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<RangeView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_secret_until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Shown when it was made, and then never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    state: &'static str,
    types: &'e [EventType],
}

#[derive(Serialize)]
struct FailureView<'e> {
    at: Timestamp,
    why: &'e str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RangeView {
    failed_tries: u32,
    first_sent: Timestamp,
    from: u64,
    id: String,
    next_try: Timestamp,
    to: u64,
}

/// Whether the secret is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secret {
    Hidden,
    Once,
}

impl<'e> EndpointView<'e> {
    pub(super) fn new(endpoint: &'e EventEndpoint, size: u64, secret: Secret) -> Self {
        let moment = Timestamp::from_millis;
        let open = endpoint.open.as_ref().zip(endpoint.open_range()).map(|(open, (range, id))| RangeView {
            failed_tries: open.tries,
            first_sent: moment(open.first_sent),
            from: range.start,
            id,
            next_try: moment(open.next_try),
            to: range.end,
        });
        Self {
            // Path and query may hold a secret of the receiver's.
            address: ReceiverUrl::parse(&endpoint.url).map_or_else(|_| String::new(), |url| url.shown()),
            batch: endpoint.batch,
            behind: endpoint.behind(size),
            cursor: endpoint.cursor,
            last_delivered: endpoint.last_delivered.map(moment),
            last_failure: endpoint
                .last_failure
                .as_ref()
                .map(|last| FailureView { at: moment(last.at), why: &last.why }),
            name: endpoint.name.as_str(),
            open,
            previous_secret_until: endpoint.previous.as_ref().map(|previous| moment(previous.until)),
            reason: reason(endpoint.standing),
            secret: (secret == Secret::Once).then(|| endpoint.secret.reveal()),
            state: endpoint.standing.as_str(),
            types: &endpoint.types,
        }
    }

    /// One line of JSON.
    pub(super) fn to_json(&self) -> String {
        String::from_utf8_lossy(&canonical::to_bytes(self)).into_owned() + "\n"
    }

    /// One line for people.
    pub(super) fn to_line(&self) -> String {
        let state = self.reason.map_or_else(|| self.state.to_owned(), |reason| format!("{} ({reason})", self.state));
        format!("{}  {state}  at {}, {} behind  {}\n", self.name, self.cursor, self.behind, Safe(&self.address))
    }
}

/// An endpoint that its store holds and nobody can read, in the same forms.
#[derive(Serialize)]
pub(super) struct UnreadableView<'e> {
    name: &'e str,
    state: &'static str,
}

impl<'e> UnreadableView<'e> {
    pub(super) fn new(name: &'e str) -> Self {
        Self { name, state: "unreadable" }
    }

    pub(super) fn to_json(&self) -> String {
        String::from_utf8_lossy(&canonical::to_bytes(self)).into_owned() + "\n"
    }

    pub(super) fn to_line(&self) -> String {
        let name = Safe(self.name);
        format!("{name}  {}: `svc-registry events remove {name}` deletes it\n", self.state)
    }
}

/// Everything about an endpoint, in lines.
pub(super) fn in_full(endpoint: &EventEndpoint, size: u64) -> String {
    let view = EndpointView::new(endpoint, size, Secret::Hidden);
    let mut text = view.to_line();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name}: {}", Safe(&value));
    };
    line("address", endpoint.url.clone());
    let types: Vec<&str> = endpoint.types.iter().map(|each| each.as_str()).collect();
    line("records", if types.is_empty() { "all, probes too".to_owned() } else { types.join(", ") });
    line("batch", endpoint.batch.to_string());
    if let Some(open) = &view.open {
        let (failed, of) = (open.failed_tries, retries::DELAYS.len());
        line("open range", format!("{} to {}, {failed} of {of} tries failed", open.from, open.to));
        line("id of it", open.id.clone());
        if failed > 0 && endpoint.standing == Standing::Active {
            line("next try", open.next_try.to_string());
        }
    }
    if let Some(at) = view.last_delivered {
        line("last delivered", at.to_string());
    }
    if let Some(last) = &view.last_failure {
        line("last failure", format!("{}: {}", last.at, last.why));
    }
    if let Some(until) = view.previous_secret_until {
        line("the secret before signs as well until", until.to_string());
    }
    match endpoint.standing {
        Standing::Active => {}
        Standing::Paused(reason) => line("paused", reason.help().to_owned()),
        Standing::Disabled => {
            line("disabled", "its receiver answered 410; `svc-registry events resume` sends to it again".to_owned());
        }
    }
    text
}

/// A secret that was just made, alone or with its endpoint.
pub(super) fn with_secret(endpoint: &EventEndpoint, size: u64, format: Format) -> String {
    match format {
        Format::Json => EndpointView::new(endpoint, size, Secret::Once).to_json(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            format!("{}\n", endpoint.secret.reveal())
        }
    }
}

/// An endpoint after a command has changed it.
pub(super) fn changed(endpoint: &EventEndpoint, size: u64, format: Format, words: &str) -> String {
    match format {
        Format::Json => EndpointView::new(endpoint, size, Secret::Hidden).to_json(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => format!("{words}\n"),
    }
}

fn reason(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Active => None,
        Standing::Paused(reason) => Some(reason.as_str()),
        Standing::Disabled => Some("gone"),
    }
}

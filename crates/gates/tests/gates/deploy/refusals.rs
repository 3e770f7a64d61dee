//! What nginx refuses by itself, of everything that its shipped files name: closed, as svc would have said it.

use anyhow::{Context as _, Result, ensure};
use svc_core::words::{limits::INDEX_BYTES, problem_code::BASE_PATH};

use super::http::{self, Reply};
use svc_gates::{
    nginx::{Nginx, Site},
    nginx_problems::{REFUSED, Refused},
};

/// A request that nginx refuses, and its number for that.
type Provocation = (&'static str, Vec<u8>, u16);

/// Every number of the table by a location that answers with it, then the real thing where a client can bring it about.
pub(crate) fn all_closed(nginx: &Nginx, nodes: &[&str]) -> Result<String> {
    let statuses = || REFUSED.iter().flat_map(|refused| refused.statuses);
    let places: String =
        statuses().chain(&[408]).map(|status| format!("location = /try/{status} {{ return {status}; }}\n")).collect();
    let shipped = Site::shipped()?;
    let trying = shipped.with("    # At the root:", &format!("{places}    # At the root:"))?;
    let proxy = nginx.start(&trying.plain()?, nodes)?;
    let address = proxy.url.strip_prefix("http://").context("plain HTTP")?;
    let own = http::ask(nodes.first().context("no node")?, &http::get("/nothing"))?;
    for status in statuses() {
        let reply = http::ask(address, &http::get(&format!("/try/{status}")))?;
        is_ours(&reply, *status, &own).with_context(|| format!("return {status}"))?;
    }
    ensure!(http::ask(address, &http::get("/try/408")).is_err(), "nginx answers 408, and the table does not have it");
    let provocations = provocations();
    for (what, request, status) in &provocations {
        let reply = http::ask(address, request).with_context(|| (*what).to_owned())?;
        is_ours(&reply, *status, &own).with_context(|| (*what).to_owned())?;
    }
    bodies(address, &own)?;
    drop(proxy);
    let proxy = nginx.start(&shipped, nodes)?;
    let encrypted = proxy.url.strip_prefix("https://").context("TLS")?;
    is_ours(&http::ask(encrypted, &http::get(BASE_PATH))?, 497, &own).context("plain HTTP where TLS is spoken")?;
    drop(proxy);
    let proxy = nginx.start(&shipped.plain()?, &["127.0.0.1:1", "127.0.0.1:2"])?;
    let address = proxy.url.strip_prefix("http://").context("plain HTTP")?;
    is_ours(&http::ask(address, &http::get(BASE_PATH))?, 502, &own).context("no node")?;
    Ok(format!("{} statuses and {} provocations, all closed", statuses().count(), provocations.len() + 3))
}

fn provocations() -> Vec<Provocation> {
    let request = |text: &str| format!("{text}\r\n\r\n").into_bytes();
    let long = "a".repeat(70 * 1024);
    vec![
        ("no HTTP", request("\u{1}\u{2}\u{3}"), 400),
        ("two hosts", request("GET / HTTP/1.1\r\nHost: a\r\nHost: b"), 400),
        ("a way out of the root", request("GET /../etc HTTP/1.1\r\nHost: a"), 400),
        ("a path that is not served from outside", http::get("/.svc-problem/internal"), 404),
        ("TRACE", request("TRACE / HTTP/1.1\r\nHost: a"), 405),
        ("a long target", http::get(&format!("/{long}")), 414),
        ("a long header", request(&format!("GET / HTTP/1.1\r\nHost: a\r\nX: {long}")), 494),
        ("an unknown coding", request("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: zip"), 501),
        ("another version", request("GET / HTTP/3.0\r\nHost: a"), 505),
    ]
}

/// A body of the largest size is answered by a node, also where the node takes less. One byte more is refused here.
fn bodies(address: &str, own: &Reply) -> Result<()> {
    let (index, other) = (format!("{BASE_PATH}/indexes/validate"), format!("{BASE_PATH}/acceptance-requests"));
    for less in [0, 1, 4096, 65_536, 1024 * 1024] {
        let body = vec![b' '; INDEX_BYTES - less];
        for (path, status) in [(&index, 400), (&other, 413)] {
            let reply = http::ask(address, &http::post(path, &body)).with_context(|| format!("{less} less"))?;
            let detail = reply.closed().context("not closed")?;
            let detail = detail.get("detail").and_then(|detail| detail.as_str()).unwrap_or_default().to_owned();
            let is_of_a_node = reply.status == status && !detail.contains("largest limit of all endpoints");
            ensure!(is_of_a_node, "{path} with {less} bytes less than the cap: {reply:?}");
        }
    }
    for more in [1, 65_536, 1024 * 1024] {
        let body = vec![b' '; INDEX_BYTES + more];
        let reply = http::ask(address, &http::post(&index, &body))?;
        is_ours(&reply, 413, own).with_context(|| format!("{more} bytes more than the cap"))?;
    }
    Ok(())
}

/// The problem of the table, with the headers that a node sends with its own.
fn is_ours(reply: &Reply, status: u16, own: &Reply) -> Result<()> {
    let refused = REFUSED.iter().find(|refused| refused.statuses.contains(&status)).context("not in the table")?;
    let Refused { code, .. } = refused;
    let body = reply.closed().with_context(|| format!("not closed: {reply:?}"))?;
    let member = |name: &str| body.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    ensure!(reply.status == refused.status() && member("code") == code.to_string(), "not {code}: {reply:?}");
    ensure!(reply.header("svc-request-id") == Some(&member("requestId")), "two request ids: {reply:?}");
    for (name, value) in own.headers.iter().filter(|(name, _)| !["date", "content-length"].contains(&name.as_str())) {
        let found = reply.header(name).with_context(|| format!("`{name}` is missing: {reply:?}"))?;
        ensure!(name == "svc-request-id" || found == value, "`{name}` is `{found}`, and `{value}` at a node");
    }
    Ok(())
}

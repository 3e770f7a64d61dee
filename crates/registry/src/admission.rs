//! What a request must be before its body is read: its host, its route and its form. Who may send it, and how often, is up
//! to the host of the registry.

use http::{HeaderMap, HeaderValue, header};

use crate::{
    answer::{Answer, JSON},
    caller::claimed_probe,
    refusals,
    request::{RequestHead, RequestName},
    routes::{Method, Operation, Serves},
};

/// The one `Host` of a request.
///
/// # Errors
/// The refusal of none or several.
pub fn one_host<'h>(headers: &'h HeaderMap, request: &RequestName) -> Result<&'h HeaderValue, Answer> {
    let mut named = headers.get_all(header::HOST).iter();
    match (named.next(), named.next()) {
        (Some(host), None) => Ok(host),
        (None | Some(_), _) => Err(refusals::NOT_ONE_HOST.of(request)),
    }
}

/// The route of a request. Paths are exact: nothing is decoded, cleaned up or guessed.
///
/// # Errors
/// The refusal of another path or method.
pub fn route<'o>(
    operations: &'o [Operation],
    head: RequestHead<'_>,
    request: &RequestName,
) -> Result<&'o Operation, Answer> {
    let mut here = operations.iter().filter(|operation| operation.is_at(head.path)).peekable();
    if here.peek().is_none() || head.has_query {
        return Err(refusals::NO_ROUTE.of(&request.without_path()));
    }
    let method = if head.method == "HEAD" { "GET" } else { head.method };
    here.clone().find(|operation| operation.method.as_str() == method).ok_or_else(|| {
        let allowed: Vec<&str> = here.map(|operation| operation.method.allow()).collect();
        refusals::WRONG_METHOD.of(request).with_header("allow", allowed.join(", "))
    })
}

/// Refuses a header that says it marks a probe, and is not one name of a run.
///
/// # Errors
/// The refusal.
pub fn check_probe(headers: &HeaderMap, request: &RequestName) -> Result<(), Answer> {
    claimed_probe(headers).map(drop).map_err(|_| refusals::NOT_A_PROBE.of(request))
}

/// The form of what comes and of what may go back.
///
/// # Errors
/// The refusal of another form.
pub fn check_form(operation: &Operation, head: RequestHead<'_>, request: &RequestName) -> Result<(), Answer> {
    if operation.method == Method::Post {
        check_content_type(head, request)?;
    }
    if !matches!(operation.serves, Serves::Journal(_)) {
        check_accept(head, request)?;
    }
    Ok(())
}

/// A body is JSON as it is: one exact media type, no encoding.
fn check_content_type(head: RequestHead<'_>, request: &RequestName) -> Result<(), Answer> {
    let mut values = head.headers.get_all(header::CONTENT_TYPE).iter();
    let is_json = values.next().and_then(|value| value.to_str().ok()).is_some_and(|value| {
        let mut parts = value.split(';').map(|part| part.trim().to_ascii_lowercase());
        parts.next().as_deref() == Some(JSON) && parts.all(|part| part == "charset=utf-8")
    });
    if !is_json || values.next().is_some() {
        return Err(refusals::NOT_JSON.of(request));
    }
    if head.headers.contains_key(header::CONTENT_ENCODING) {
        return Err(refusals::ENCODED.of(request));
    }
    Ok(())
}

fn check_accept(head: RequestHead<'_>, request: &RequestName) -> Result<(), Answer> {
    let Some(accepted) = head.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let takes_json = accepted.split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let refused = parts.any(|parameter| matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        !refused && matches!(kind.as_str(), "*/*" | "application/*" | "application/json" | "application/schema+json")
    });
    if takes_json || accepted.trim().is_empty() {
        return Ok(());
    }
    Err(refusals::TAKES_NO_JSON.of(request))
}

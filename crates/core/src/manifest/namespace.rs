//! Whose name a package bears: the host whose reverse its id lies below.

/// The host that a proof about a package of this id could be looked up at: that of the publisher's address, without a
/// leading `www.`, when the id lies below its reverse.
#[must_use]
pub fn proof_host<'u>(id: &str, publisher_url: &'u str) -> Option<&'u str> {
    let host = host_of(publisher_url)?;
    let mut labels = host.rsplit('.');
    let mut parts = id.split('.');
    let is_below = labels.all(|label| parts.next() == Some(label)) && parts.next().is_some();
    is_below.then_some(host)
}

/// The host of an https address, without a leading `www.`.
#[must_use]
pub fn host_of(url: &str) -> Option<&str> {
    let authority = url.strip_prefix("https://")?.split(['/', '?', '#']).next()?;
    let host = authority.split(':').next()?;
    Some(host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_lies_below_the_reverse_of_its_host_or_has_no_proof() {
        let below = [
            ("uk.co.acme.weather", "https://acme.co.uk", "acme.co.uk"),
            ("io.github.acme.weather", "https://acme.github.io/about", "acme.github.io"),
            ("dev.acme.weather", "https://acme.dev:8443/?a=b", "acme.dev"),
            ("dev.acme.weather", "https://www.acme.dev", "acme.dev"),
            ("dev.www.weather", "https://www.dev", "www.dev"),
        ];
        for (id, url, host) in below {
            assert_eq!(proof_host(id, url), Some(host), "{id} {url}");
        }
        let apart = [
            ("uk.co.acme.weather", "https://co.uk.acme"),
            ("uk.co.acme", "https://acme.co.uk"),
            ("dev.acme.weather", "https://acme.com"),
            ("dev.acmes.weather", "https://acme.dev"),
            ("io.github.acme.weather", "https://www.acme.github.io.evil.dev"),
        ];
        for (id, url) in apart {
            assert_eq!(proof_host(id, url), None, "{id} {url}");
        }
    }
}

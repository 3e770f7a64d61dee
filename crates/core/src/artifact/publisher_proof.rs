//! The prepared proofs of a publisher: where a registry would look one day, and what it would have to find there.
//!
//! Nothing is looked up here. A proof by domain is prepared only where the package's id lies below the publisher's host,
//! turned round: control of the host is then control of the name, and no list of public suffixes is needed.

use serde::Serialize;
use svc_json::{canonical, digest::Digest};

use crate::{
    manifest::{model::Manifest, namespace},
    scalar::{ident::OwnerId, url::HttpsUrl},
    string_newtype, wire_enum, wire_struct,
};

wire_enum! {
    /// A way to prove control of the namespace.
    pub enum ProofMethod("proof-method", B015) {
        /// A TXT record below the domain.
        DnsTxt = "dns-txt",
        /// A file at a well-known address of the domain.
        WellKnownHttps = "well-known-https",
        /// A claim of a token that the repository's build service issues.
        OidcClaim = "oidc-claim",
    }
}

wire_enum! {
    /// Whether a proof was looked at.
    pub enum ProofStatus("proof-status", B006) {
        /// It was not.
        Unchecked = "unchecked",
    }
}

string_newtype! {
    /// The name of a DNS record.
    pub struct DnsName {
        check: |text| text.len() <= 253 && text.split('.').all(|label| (1..=63).contains(&label.len()) && label.bytes().all(is_dns_byte)),
        name: "dns-name",
        rule: B015,
        expected: "a DNS name in lowercase",
        pattern: "^[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*$",
        max_length: 253,
    }
}

string_newtype! {
    /// A repository as its build service names it in tokens.
    pub struct RepositoryName {
        check: is_repository_name,
        name: "repository-name",
        rule: B015,
        expected: "two or more names with `/` between them, each starting with a letter, digit or `_`",
        pattern: "^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)+$",
        max_length: 256,
    }
}

wire_enum! {
    /// The claim that names the repository in a token.
    pub enum ClaimName("claim-name", B015) {
        /// GitHub's.
        Repository = "repository",
        /// GitLab's.
        ProjectPath = "project_path",
    }
}

wire_struct! {
    /// One prepared proof.
    Proof "proof" {
        /// The claim that a token would have to carry.
        #[serde(skip_serializing_if = "Option::is_none")]
        claim: Option<Claim>,
        /// Who would have to issue the token.
        #[serde(skip_serializing_if = "Option::is_none")]
        issuer: Option<HttpsUrl>,
        /// How.
        method: ProofMethod,
        /// The name of the TXT record.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<DnsName>,
        /// Not looked at.
        status: ProofStatus,
        /// The address of the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<HttpsUrl>,
        /// What would have to stand there; in a TXT record behind `svc-publisher=`.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Digest>,
    }
    /// A claim of a token.
    Claim "claim" {
        /// Its name.
        name: ClaimName,
        /// What it would have to say.
        value: RepositoryName,
    }
}

/// What stands before the value in a TXT record, so that others may stand beside it.
pub const TXT_PREFIX: &str = "svc-publisher=";

/// Where code is hosted whose build service names the repository in its tokens: host, issuer, claim.
const BUILD_SERVICES: &[(&str, &str, ClaimName)] = &[
    ("github.com", "https://token.actions.githubusercontent.com", ClaimName::Repository),
    ("gitlab.com", "https://gitlab.com", ClaimName::ProjectPath),
];

/// The proofs that can be prepared for a package of this owner.
#[must_use]
pub fn proofs(manifest: &Manifest, owner: &OwnerId) -> Vec<Proof> {
    let value = value(manifest, owner);
    let host =
        manifest.publisher.url.as_ref().and_then(|url| namespace::proof_host(manifest.id.as_str(), url.as_str()));
    let dns = host.and_then(|host| DnsName::parse(&format!("_svc-publisher.{host}")));
    let file =
        host.and_then(|host| HttpsUrl::parse(&format!("https://{host}/.well-known/svc-publisher/{}", manifest.id)));
    let blank = |method| Proof {
        claim: None,
        issuer: None,
        method,
        name: None,
        status: ProofStatus::Unchecked,
        url: None,
        value: None,
    };
    let by_dns = dns.map(|name| Proof { name: Some(name), value: Some(value), ..blank(ProofMethod::DnsTxt) });
    let by_file = file.map(|url| Proof { url: Some(url), value: Some(value), ..blank(ProofMethod::WellKnownHttps) });
    let by_token = manifest.repository.as_ref().and_then(|repository| {
        let (issuer, claim) = build_claim(repository.url.as_str())?;
        Some(Proof { claim: Some(claim), issuer: Some(issuer), ..blank(ProofMethod::OidcClaim) })
    });
    [by_dns, by_file, by_token].into_iter().flatten().collect()
}

/// The value that ties a proof to this owner, publisher and package, whatever its version: it is published once.
fn value(manifest: &Manifest, owner: &OwnerId) -> Digest {
    #[derive(Serialize)]
    struct Tied<'a> {
        owner: &'a str,
        package: &'a str,
        publisher: &'a str,
    }

    let tied = Tied { owner: owner.as_str(), package: manifest.id.as_str(), publisher: manifest.publisher.id.as_str() };
    canonical::digest(&tied).0
}

/// Who issues tokens for the builds of a repository, and the claim that names it.
fn build_claim(repository: &str) -> Option<(HttpsUrl, Claim)> {
    let (host, path) = repository.strip_prefix("https://")?.split_once('/')?;
    let (_, issuer, name) = BUILD_SERVICES.iter().find(|(known, _, _)| *known == host)?;
    let path = path.trim_end_matches('/');
    let value = RepositoryName::parse(path.strip_suffix(".git").unwrap_or(path))?;
    // GitHub has no groups: what is longer is a page of a repository, which no token names.
    let fits = *name != ClaimName::Repository || value.as_str().split('/').count() == 2;
    Some((HttpsUrl::parse(issuer)?, Claim { name: *name, value })).filter(|_| fits)
}

fn is_repository_name(text: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    text.len() <= 256 && text.contains('/') && text.split('/').all(is_name)
}

fn is_dns_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte)
}

//! The prepared proofs of a publisher: where a registry would look one day, and what it would have to find there.
//!
//! Nothing is looked up here. A proof by domain is prepared only where the package's id lies below the publisher's host,
//! turned round: control of the host is then control of the name, and no list of public suffixes is needed. A proof by a
//! build token is prepared only where the id lies below the repository owner's account, for the same reason: a token alone
//! says which repository was built, and nothing about other people's names.

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

/// A place for code whose build service names the repository in its tokens.
struct BuildService {
    host: &'static str,
    issuer: &'static str,
    claim: ClaimName,
    /// What the ids of an account's packages start with, before the account.
    namespaces: [&'static str; 2],
}

const BUILD_SERVICES: &[BuildService] = &[
    BuildService {
        host: "github.com",
        issuer: "https://token.actions.githubusercontent.com",
        claim: ClaimName::Repository,
        namespaces: ["com.github", "io.github"],
    },
    BuildService {
        host: "gitlab.com",
        issuer: "https://gitlab.com",
        claim: ClaimName::ProjectPath,
        namespaces: ["com.gitlab", "io.gitlab"],
    },
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
        let (issuer, claim) = build_claim(manifest.id.as_str(), repository.url.as_str())?;
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

/// Who issues tokens for the builds of a repository, and the claim that names it, when the id is its owner's to give.
fn build_claim(id: &str, repository: &str) -> Option<(HttpsUrl, Claim)> {
    let (host, path) = repository.strip_prefix("https://")?.split_once('/')?;
    let service = BUILD_SERVICES.iter().find(|service| service.host == host)?;
    let path = path.trim_end_matches('/');
    let value = RepositoryName::parse(path.strip_suffix(".git").unwrap_or(path))?;
    let (owner, _) = value.as_str().rsplit_once('/')?;
    // GitHub has no groups: what is longer is a page of a repository, which no token names.
    let fits = service.claim != ClaimName::Repository || !owner.contains('/');
    let is_own = service.namespaces.iter().any(|namespace| lies_below(id, namespace, owner));
    (fits && is_own).then_some(())?;
    Some((HttpsUrl::parse(service.issuer)?, Claim { name: service.claim, value }))
}

/// Whether an id lies below a repository's owner: an account, or every group from the outermost on. Accounts are compared
/// without regard to case, as the services do. A dot in one would make it look like a group, so nothing lies below it.
fn lies_below(id: &str, namespace: &str, owner: &str) -> bool {
    let below = id.strip_prefix(namespace).and_then(|rest| rest.strip_prefix('.'));
    let Some(below) = below.filter(|_| !owner.contains('.')) else { return false };
    let mut parts = below.split('.');
    owner.split('/').all(|group| parts.next().is_some_and(|part| part.eq_ignore_ascii_case(group)))
        && parts.next().is_some()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_proves_an_id_below_the_owner_of_its_repository_and_no_other() {
        let below = [
            ("io.github.acme.maps", "https://github.com/acme/maps", "acme/maps"),
            ("com.github.acme.maps", "https://github.com/acme/maps.git", "acme/maps"),
            ("io.github.acme-corp.maps", "https://github.com/Acme-Corp/Maps/", "Acme-Corp/Maps"),
            ("io.gitlab.acme.maps", "https://gitlab.com/acme/maps", "acme/maps"),
            ("com.gitlab.acme.geo.maps", "https://gitlab.com/acme/geo/maps", "acme/geo/maps"),
        ];
        for (id, repository, value) in below {
            let claim = build_claim(id, repository).map(|(_, claim)| claim.value.to_string());
            assert_eq!(claim.as_deref(), Some(value), "{id} {repository}");
        }
        let apart = [
            ("com.google.maps", "https://github.com/evil/x"),
            ("com.google.maps", "https://github.com/google/maps"),
            ("dev.acme.maps", "https://github.com/acme/maps"),
            ("io.github.acme.maps", "https://github.com/evil/acme"),
            ("io.github.acme", "https://github.com/acme/maps"),
            ("io.github.acme-evil.maps", "https://github.com/acme/maps"),
            ("io.github.acme.maps", "https://github.com/acme-evil/maps"),
            ("io.github.acme.maps", "https://gitlab.com/acme/maps"),
            ("io.gitlab.acme.maps", "https://github.com/acme/maps"),
            ("io.github.acme.x.maps", "https://github.com/acme/x/maps"),
            ("io.gitlab.acme.maps", "https://gitlab.com/acme/evil/maps"),
            ("io.gitlab.acme.evil.maps", "https://gitlab.com/acme.evil/maps"),
            ("io.gitlab.evil.acme.maps", "https://gitlab.com/acme/evil/maps"),
            ("io.githubacme.maps.x", "https://github.com/acme/maps"),
            ("io.github.acme.maps", "https://github.com/a%63me/maps"),
        ];
        for (id, repository) in apart {
            assert!(build_claim(id, repository).is_none(), "{id} {repository}");
        }
    }
}

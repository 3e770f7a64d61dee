//! Who may ask, and that it never changes an answer.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use svc_registry_api::{routes::Method, scope::TokenScope};
use svc_server::{
    auth::{
        token_store::TokenStore,
        tokens::{self, TokenFile, TokenRecord},
    },
    door::{Door, Setup},
};

use crate::{
    in_process::{ask, header, post, registry},
    kit::{ENDPOINTS, assert_closed, parsed, valid},
};

struct WithTokens {
    registry: Door,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl WithTokens {
    fn with(tokens: Vec<TokenRecord>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.json");
        write(&file, tokens);
        let tokens = Some(TokenStore::open(file.clone()).unwrap());
        Self { registry: Door::new(Setup { tokens, ..Setup::default() }), file, _folder: folder }
    }

    fn status(&self, method: &str, path: &str, token: &str, body: &[u8]) -> u16 {
        let answer = ask(&self.registry, method, path, &[("authorization", token)], body);
        if method == "POST" || answer.status >= 400 {
            assert_closed(answer.status, &answer.body, path);
        }
        answer.status
    }
}

fn write(file: &Path, tokens: Vec<TokenRecord>) {
    fs::write(file, serde_json::to_vec(&TokenFile { tokens }).unwrap()).unwrap();
}

fn made(scopes: &[TokenScope], seconds: Option<u64>) -> (String, TokenRecord) {
    let (token, record) = tokens::create("ci".to_owned(), scopes.to_vec(), seconds).unwrap();
    (format!("Bearer {token}"), record)
}

#[test]
fn without_a_token_that_is_known_and_current_nothing_is_evaluated() {
    let (good, record) = made(&[TokenScope::Preflight], None);
    let (expired, old) = made(&[TokenScope::Admin], Some(0));
    let (stranger, _) = made(&[TokenScope::Admin], None);
    let door = WithTokens::with(vec![record, old]);
    let bare = good.strip_prefix("Bearer ").unwrap();
    let wrong = [
        String::new(),
        expired,
        stranger,
        bare.to_owned(),
        format!("Basic {bare}"),
        format!("Bearer  {bare}"),
        format!("{good} "),
        format!("{good}x"),
        good[..good.len() - 1].to_owned(),
        format!("{good}, {good}"),
        "Bearer".to_owned(),
        "Bearer null".to_owned(),
        good.to_uppercase(),
    ];
    for (kind, path) in ENDPOINTS {
        let mut bodies = std::collections::BTreeSet::new();
        for token in &wrong {
            let answer = ask(&door.registry, "POST", path, &[("authorization", token)], &valid(kind));
            assert_eq!(answer.status, 401, "{path} {token}");
            let mut body = assert_closed(401, &answer.body, path);
            assert_eq!(body["code"], "unauthenticated");
            assert!(header(&answer, "www-authenticate").unwrap().starts_with("Bearer"), "{path}");
            assert!(!String::from_utf8_lossy(&answer.body).contains("svcr_"), "{path}: a token in the answer");
            body["requestId"] = "".into();
            bodies.insert(body.to_string());
        }
        assert_eq!(bodies.len(), 1, "absent, wrong and expired tokens are told apart");
        assert_eq!(door.status("POST", path, &good, &valid(kind)), 200);
    }
}

#[test]
fn a_token_opens_its_scope_only() {
    let (preflight, one) = made(&[TokenScope::Preflight], None);
    let (read, two) = made(&[TokenScope::Read], None);
    let (admin, three) = made(&[TokenScope::Admin], None);
    let door = WithTokens::with(vec![one, two, three]);
    for (kind, path) in ENDPOINTS {
        assert_eq!(door.status("POST", path, &read, &valid(kind)), 403, "{path}");
        assert_eq!(door.status("POST", path, &preflight, &valid(kind)), 200, "{path}");
        assert_eq!(door.status("POST", path, &admin, &valid(kind)), 200, "{path}");
    }
    for operation in door.registry.registry.operations().iter().filter(|operation| operation.method == Method::Get) {
        let path = &crate::in_process::concrete(&operation.path);
        // The journal is off here: whoever may read it is told that it is not there.
        let found = if path.contains("/journal/") { 404 } else { 200 };
        let (bare, narrow) = if operation.scope.is_some() { (401, 403) } else { (200, 200) };
        assert_eq!(door.status("GET", path, "", b""), bare, "{path}");
        assert_eq!(door.status("GET", path, &preflight, b""), narrow, "{path}");
        assert_eq!(door.status("GET", path, &read, b""), found, "{path}");
        assert_eq!(door.status("GET", path, &admin, b""), found, "{path}");
    }
}

#[test]
fn a_revoked_token_ends_without_a_restart_and_a_broken_file_opens_nothing() {
    let (one, first) = made(&[TokenScope::Preflight], None);
    let (two, second) = made(&[TokenScope::Preflight], None);
    let door = WithTokens::with(vec![first, second.clone()]);
    let (kind, path) = ENDPOINTS[1];
    let document = valid(kind);
    let becomes = |token: &str, status: u16| {
        let patience = Instant::now() + Duration::from_secs(5);
        while door.status("POST", path, token, &document) != status {
            assert!(Instant::now() < patience, "the change was not noticed");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    becomes(&one, 200);
    write(&door.file, vec![second.clone()]);
    becomes(&one, 401);
    becomes(&two, 200);
    fs::write(&door.file, "{\"tokens\": [").unwrap();
    becomes(&two, 401);
    write(&door.file, vec![second]);
    becomes(&two, 200);
    fs::remove_file(&door.file).unwrap();
    becomes(&two, 401);
}

#[test]
fn a_token_never_changes_a_decision() {
    let open = registry();
    for scopes in [&[TokenScope::Preflight][..], &[TokenScope::Admin], TokenScope::ALL] {
        let (token, record) = made(scopes, Some(60));
        let door = WithTokens::with(vec![record]);
        for (kind, path) in ENDPOINTS {
            let anonymous = parsed(&post(&open, path, &valid(kind)).body);
            let named = ask(&door.registry, "POST", path, &[("authorization", &token)], &valid(kind));
            let named = assert_closed(named.status, &named.body, path);
            assert!(anonymous["decisionId"].is_string());
            assert_eq!(anonymous["decisionId"], named["decisionId"], "{path}");
        }
    }
}

#[test]
fn glossary_and_guide_name_every_scope_of_a_token() {
    let glossary = fs::read_to_string(svc_testkit::run::repository("GLOSSARY.md")).unwrap();
    let entry = glossary.split_once("**Scope.**").unwrap().1.split_once("\n\n").unwrap().0;
    let guide = fs::read_to_string(svc_testkit::run::repository("docs/guides/operators.md")).unwrap();
    for scope in TokenScope::ALL {
        let word = format!("`{}`", scope.as_str());
        assert!(entry.contains(&word), "GLOSSARY.md: {word}");
        assert!(guide.contains(&format!("| {word} |")), "operators.md: {word}");
    }
}

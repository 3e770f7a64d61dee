//! `svc app publisher`: proofs that could be carried out, and only those.

use std::fs;

use crate::{bundle::example, folder, svc::app};

/// A manifest with this id, publisher address and repository, in a folder of its own.
fn shown(id: &str, url: Option<&str>, repository: Option<&str>) -> String {
    let folder = folder::empty();
    let text = fs::read_to_string(example("weather-board").join("svc-app.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    manifest["id"] = id.into();
    manifest["publisher"] = serde_json::json!({ "id": "acme" });
    if let Some(url) = url {
        manifest["publisher"]["url"] = url.into();
    }
    manifest["repository"] = serde_json::json!({ "url": repository.unwrap_or("https://code.example.org/acme/x") });
    fs::write(folder.path().join("svc-app.json"), manifest.to_string()).unwrap();
    app(["publisher", "."]).in_folder(folder.path()).run().exits(0).out()
}

#[test]
fn proofs_are_at_the_host_that_the_id_lies_below() {
    let hosts = [
        ("uk.co.acme.weather", "https://acme.co.uk", "acme.co.uk"),
        ("io.github.acme.weather", "https://acme.github.io", "acme.github.io"),
        ("dev.acme.weather", "https://acme.dev/about", "acme.dev"),
        ("dev.acme.weather", "https://www.acme.dev", "acme.dev"),
    ];
    for (id, url, host) in hosts {
        let text = shown(id, Some(url), None);
        assert!(text.contains(&format!("name    _svc-publisher.{host}\n")), "{text}");
        assert!(text.contains(&format!("dig +short TXT _svc-publisher.{host}\n")), "{text}");
        assert!(
            text.contains(&format!("curl --fail --silent 'https://{host}/.well-known/svc-publisher/{id}'\n")),
            "{text}"
        );
        assert!(text.contains("publisher-verification stays unverified"), "{text}");
    }
}

#[test]
fn without_a_domain_for_the_id_there_is_no_proof_by_domain_but_a_way_to_get_one() {
    for url in [None, Some("https://acme.com"), Some("https://co.uk.acme.dev")] {
        let text = shown("uk.co.acme.weather", url, None);
        assert!(!text.contains("_svc-publisher") && !text.contains("well-known"), "{text}");
        assert!(text.contains("No domain can speak for this id.") && text.contains("`publisher.url`"), "{text}");
    }
}

#[test]
fn a_build_token_proves_an_id_below_the_owner_of_the_repository_alone() {
    let claims = [
        ("io.github.acme.weather", "https://github.com/acme/weather-board.git", "repository = acme/weather-board"),
        ("io.gitlab.acme.group.weather", "https://gitlab.com/acme/group/weather/", "project_path = acme/group/weather"),
    ];
    for (id, repository, claim) in claims {
        let text = shown(id, None, Some(repository));
        assert!(text.contains(&format!("claim   {claim}\n")) && text.contains("issuer  https://"), "{text}");
    }
    for (id, repository) in [
        ("com.google.maps", "https://github.com/evil/x"),
        ("dev.acme.weather", "https://github.com/acme/weather-board"),
        ("io.github.acme.weather", "https://github.com.evil.dev/acme/x"),
        ("io.github.acme.weather", "https://github.com/acme/../../evil"),
        ("io.gitlab.acme.weather", "https://gitlab.com/./x"),
        ("io.github.acme.weather", "https://github.com/acme/x/tree/main"),
        ("io.github.acme.weather", "https://github.com/acme"),
    ] {
        let text = shown(id, None, Some(repository));
        assert!(!text.contains("claim ") && text.contains("No build token can prove this id."), "{text}");
        assert!(!text.contains("enough"), "no proof is said to be enough where there is none: {text}");
    }
}

#[test]
fn the_value_is_the_same_for_every_version_and_another_for_another_owner() {
    let value = |options: &[&str]| {
        let text = app(["publisher"]).args([example("weather-board")]).args(options).run().exits(0).out();
        text.lines().find_map(|line| line.strip_prefix("  body    ")).unwrap().to_owned()
    };
    assert_eq!(value(&[]), value(&["--owner-id", "acme"]));
    assert_ne!(value(&[]), value(&["--owner-id", "auth0|5f7"]));
}

#[test]
fn a_manifest_that_does_not_hold_has_no_proofs() {
    let folder = folder::empty();
    fs::write(folder.path().join("svc-app.json"), r#"{ "id": "x" }"#).unwrap();
    let run = app(["publisher", "."]).in_folder(folder.path()).run();
    assert!(!run.exits(1).out().contains("svc-publisher"));
}

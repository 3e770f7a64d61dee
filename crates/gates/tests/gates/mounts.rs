//! The gate `mounts`: our registry holds level `build` wherever it may be reached.
//!
//! At a root and below a prefix, inside another application (`tests/mounts/application.mjs`), and behind nginx with the
//! file that is shipped. Behind an nginx that meddles it does not, so the gate can fail. What the guides say of mounts is
//! asked for here too.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, ensure};
use svc_core::contract::contracts::BASE_PATH;

use svc_gates::tools::expect_node;
use svc_gates::{
    nginx::{Nginx, Site},
    process::{Running, command, ends, say, target},
    programs::Programs,
    service::{HOLDS_BUILD, Service, first_line, make_bundle},
};

/// A place inside another application.
struct Inside {
    /// Where the application stands.
    prefix: &'static str,
    /// What it hands on below that; nothing stands for everything.
    handed_on: &'static str,
}

const APPLICATIONS: &[Inside] = &[
    Inside { prefix: "/apps/svc", handed_on: "" },
    Inside { prefix: "", handed_on: BASE_PATH },
    Inside { prefix: "/portal", handed_on: BASE_PATH },
];

/// The locations that the shipped file has as comments, for nginx and for clients.
const BELOW_A_PREFIX: (&str, &str) = ("/apps/svc/", "/apps/svc");
const INSIDE_A_SITE: (&str, &str) = (BASE_PATH, "");

/// What an nginx may do that it must not.
struct Meddling {
    what: &'static str,
    /// A text of the shipped file.
    shipped: &'static str,
    /// What stands there instead.
    instead: &'static str,
    prefix: &'static str,
    exit: i32,
    told: &'static str,
}

const MEDDLING: &[Meddling] = &[
    Meddling {
        what: "pages of its own for refusals",
        shipped: "include /etc/svc-registry/nginx/statuses.conf;",
        instead: "proxy_intercept_errors on;
            error_page 400 404 405 413 415 422 /refused.html;
            location = /refused.html { internal; default_type text/html; return 200 '<h1>Refused</h1>'; }",
        prefix: "",
        exit: 1,
        told: "NOT as declared: receipt-missing, wrong-header, not-strict",
    },
    Meddling {
        what: "nginx's own limit of bodies and its own pages",
        shipped: "include /etc/svc-registry/nginx/statuses.conf;",
        instead: "",
        prefix: "",
        exit: 1,
        told: "NOT as declared: wrong-header, not-strict",
    },
    Meddling {
        what: "a content encoding",
        shipped: "location / {",
        instead: "location / { add_header Content-Encoding gzip always;",
        prefix: "",
        exit: 1,
        told: "NOT as declared: wrong-header",
    },
    Meddling {
        what: "a cookie",
        shipped: "location / {",
        instead: "location / { add_header Set-Cookie node=1 always;",
        prefix: "",
        exit: 1,
        told: "NOT as declared: wrong-header",
    },
    Meddling {
        what: "a prefix that is not taken away, for want of a slash",
        shipped: "location / {",
        instead: "location /apps/svc/ {",
        prefix: BELOW_A_PREFIX.1,
        exit: 1,
        told: "NOT as declared: not-answered, receipt-missing, wrong-status",
    },
];

/// Verifies one registry at all its mounts.
pub(crate) fn check() -> Result<()> {
    expect_node()?;
    let Programs { svc, registry } = Programs::build()?;
    let folder = target().join("xtask/mounts");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let nginx = Nginx::provide(&folder.join("nginx"))?;
    let bundle = folder.join("svc-registry");
    make_bundle(&svc, &bundle)?;
    let service = Service::start(&registry, &["--data-dir", &folder.join("journal").to_string_lossy()])?;
    let client = Client { svc, bundle, certificate: nginx.certificate() };
    client.holds("by itself", &service.url)?;
    for place in APPLICATIONS {
        inside_application(&client, &service, place)?;
    }
    behind_nginx(&client, &nginx, &service)?;
    behind_meddling_nginx(&client, &nginx, &service)
}

/// What asks a registry.
struct Client {
    svc: PathBuf,
    bundle: PathBuf,
    certificate: PathBuf,
}

impl Client {
    fn holds(&self, mount: &str, url: &str) -> Result<()> {
        self.ends(mount, url, 0, HOLDS_BUILD)
    }

    fn ends(&self, mount: &str, url: &str, code: i32, told: &str) -> Result<()> {
        let mut verify = command(&self.svc.to_string_lossy(), &["verify", "hosted", url, "--level", "build"]);
        verify.arg("--artifact-dir").arg(&self.bundle).arg("--ca-certificate").arg(&self.certificate);
        ends(verify, code, told).with_context(|| mount.to_owned())?;
        say(&format!("  {mount}: {told} (exit code {code})"));
        Ok(())
    }

    /// What comes back must begin with a status and hold a text.
    fn expect(&self, url: &str, status: u16, told: &str) -> Result<()> {
        let answer = self.get(url)?;
        let is_expected = answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(told);
        ensure!(is_expected, "{url} is to answer {status} with `{told}`:\n{answer}");
        Ok(())
    }

    /// Status line, headers and body of an answer to somebody who takes compressed bodies.
    fn get(&self, url: &str) -> Result<String> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--include", "--path-as-is", "--header", "Accept-Encoding: gzip"]);
        let output = curl.arg("--cacert").arg(&self.certificate).arg(url).output().context("curl")?;
        ensure!(output.status.success(), "{url}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The registry holds, and the pages around it stay those of the application.
fn inside_application(client: &Client, service: &Service, place: &Inside) -> Result<()> {
    let Inside { prefix, handed_on } = place;
    let (_running, url) = application(&service.url, place)?;
    client.holds(&format!("inside an application at {prefix}/, which hands on {handed_on}/"), &url)?;
    client.expect(&format!("{url}{BASE_PATH}/version"), 200, "\"schemaVersion\"")?;
    if handed_on.is_empty() {
        return Ok(());
    }
    let pages = ["/", "/healthz", "/version"];
    pages.iter().try_for_each(|path| client.expect(&format!("{url}{path}"), 200, "<!doctype html>"))
}

fn application(registry: &str, place: &Inside) -> Result<(Running, String)> {
    let arguments = ["tests/mounts/application.mjs", registry, place.prefix, place.handed_on];
    let (running, line) = first_line(command("node", &arguments))?;
    let url = line.trim_end().to_owned();
    ensure!(url.starts_with("http://127.0.0.1:"), "the application did not start: {url}");
    Ok((running, url))
}

/// Each location of the shipped file.
fn behind_nginx(client: &Client, nginx: &Nginx, service: &Service) -> Result<()> {
    let shipped = Site::shipped()?;
    let proxy = nginx.start(&shipped, &[address(service)?])?;
    client.holds("behind nginx at /", &proxy.url)?;
    client.expect(&format!("{}//api/sdk/registry/limits", proxy.url), 404, "\"accepted\":false")?;
    ensure!(!is_compressed(client, &proxy.url)?, "nginx is not to compress");
    has_console(client, &proxy.url)?;
    drop(proxy);

    let proxy = nginx.start(&shipped.at(BELOW_A_PREFIX.0)?, &[address(service)?])?;
    let url = format!("{}{}", proxy.url, BELOW_A_PREFIX.1);
    client.holds("behind nginx below /apps/svc/", &url)?;
    client.expect(&format!("{url}{BASE_PATH}"), 200, "\"href\": \"/api/sdk/registry/limits\"")?;
    client.expect(&format!("{url}{BASE_PATH}/nothing"), 404, "\"type\":\"/api/sdk/registry/problems/not-found\"")?;
    client.expect(&format!("{url}//api/sdk/registry/limits"), 200, "application/json")?;
    has_console(client, &url)?;
    drop(proxy);

    let proxy = nginx.start(&shipped.inside(INSIDE_A_SITE.0)?, &[address(service)?])?;
    let url = format!("{}{}", proxy.url, INSIDE_A_SITE.1);
    client.holds("behind nginx, inside another site", &url)?;
    client.expect(&format!("{url}/version"), 404, "<html>")?;
    client.expect(&format!("{url}/console/"), 404, "<html>")?;
    drop(proxy);

    let with_console = shipped.inside(INSIDE_A_SITE.0)?.with("    # location /console/ ", "    location /console/ ")?;
    let proxy = nginx.start(&with_console, &[address(service)?])?;
    has_console(client, &proxy.url)
}

/// Pages come through with the policy that they were sent with, and so does the way to the first of them.
fn has_console(client: &Client, url: &str) -> Result<()> {
    for path in ["/console/", "/console/console.js", "/console/rules", "/console/rules/SVC-B001"] {
        client.expect(&format!("{url}{path}"), 200, "require-trusted-types-for 'script'")?;
    }
    client.expect(&format!("{url}/console/nothing"), 404, "require-trusted-types-for 'script'")
}

fn behind_meddling_nginx(client: &Client, nginx: &Nginx, service: &Service) -> Result<()> {
    let shipped = Site::shipped()?;
    for Meddling { what, shipped: text, instead, prefix, exit, told } in MEDDLING {
        let proxy = nginx.start(&shipped.with(text, instead)?, &[address(service)?])?;
        client.ends(&format!("behind nginx with {what}"), &format!("{}{prefix}", proxy.url), *exit, told)?;
    }
    // The verifier takes no compressed bodies, and so it sees nothing of a proxy that compresses for those who do.
    let proxy = nginx.start(&shipped.with("gzip                        off;", "")?, &[address(service)?])?;
    client.holds("behind nginx that compresses for others", &proxy.url)?;
    ensure!(is_compressed(client, &proxy.url)?, "nginx is to compress, or this gate would not see that it does not");
    Ok(())
}

fn is_compressed(client: &Client, url: &str) -> Result<bool> {
    let answer = client.get(&format!("{url}{BASE_PATH}/limits"))?;
    Ok(answer.to_ascii_lowercase().contains("\r\ncontent-encoding: gzip\r\n"))
}

fn address(service: &Service) -> Result<&str> {
    service.url.strip_prefix("http://").context("the registry speaks plain HTTP here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_gates::process::root;

    #[test]
    fn the_guides_tell_what_is_tried_here() {
        let guide = |name: &str| fs::read_to_string(root().join("docs/guides").join(name)).unwrap();
        let verifying = guide("verifying.md");
        for Meddling { what, told, .. } in MEDDLING {
            let codes = told.strip_prefix("NOT as declared: ").unwrap();
            assert!(verifying.contains(&format!("| `{codes}` |")), "{what}: {codes}");
        }
        let operators = guide("operators.md");
        for (location, _) in [BELOW_A_PREFIX, INSIDE_A_SITE] {
            assert!(operators.contains(&format!("| `{location}` |")), "{location}");
            assert!(Site::shipped().unwrap().at(location).is_ok(), "{location}");
        }
    }
}

//! For each rule more than one way to break it: the spellings that somebody would try. The rules' own examples are run in
//! `examples`.

use std::collections::{BTreeMap, BTreeSet};

use svc_core::samples::rules;
use svc_core::{
    finding::Finding,
    findings::Findings,
    pack::{self, Walked},
    package::{artifact::FileEntry, folder::Folder},
    rules::example_package::ExamplePackage,
    scalar::{path::PackagePath, size::Size},
    words::{example::Example, rule::Needs, severity::Severity},
};
use svc_json::digest::Digest;

/// A rule, the pointer or file where it must fire, and a change to the base package on which it does.
type Row = (&'static str, &'static str, Example);

const fn manifest(code: &'static str, place: &'static str, patch: &'static str) -> Row {
    (code, place, Example::Manifest(patch))
}

const fn file(code: &'static str, place: &'static str, lines: &'static str) -> Row {
    (code, place, Example::Files(lines))
}

static MANIFEST_ROWS: &[Row] = &[
    manifest("M001", "/manifestVersion", r#"{ "manifestVersion": null }"#),
    manifest("M001", "/entry/renderer", r#"{ "entry": { "renderer": null } }"#),
    manifest("M001", "/network", r#"{ "network": null }"#),
    manifest("M001", "/network/allow", r#"{ "network": { "allow": null } }"#),
    manifest("M001", "/publisher/id", r#"{ "publisher": { "id": null, "name": "Acme" } }"#),
    manifest("M001", "/icons/0/sizes", r#"{ "icons": [{ "src": "assets/icon.png" }] }"#),
    manifest("M002", "/summry", r#"{ "summary": null, "summry": "Shows the weather." }"#),
    manifest("M002", "/Id", r#"{ "Id": "dev.acme.weather-board" }"#),
    manifest("M002", "/dependencies", r#"{ "dependencies": {} }"#),
    manifest("M002", "/installable", r#"{ "installable": false }"#),
    manifest("M002", "/entry/main", r#"{ "entry": { "main": "index.html" } }"#),
    manifest("M002", "/entry/csp/scripts-src", r#"{ "entry": { "csp": { "scripts-src": ["'self'"] } } }"#),
    manifest("M002", "/publisher/verified", r#"{ "publisher": { "verified": true } }"#),
    manifest("M003", "/name", r#"{ "name": 1 }"#),
    manifest("M003", "/files", r#"{ "files": "**" }"#),
    manifest("M003", "/entry", r#"{ "entry": ["index.html"] }"#),
    manifest("M003", "/keywords/0", r#"{ "keywords": [1] }"#),
    manifest("M003", "/keywords/0", r#"{ "keywords": [" weather"] }"#),
    manifest("M003", "/description", r#"{ "description": "" }"#),
    manifest("M003", "/_meta", r#"{ "_meta": { "__proto__": "x" } }"#),
    manifest("M003", "/_meta", r#"{ "_meta": { "constructor": "x" } }"#),
    manifest("M003", "/_meta", r#"{ "_meta": { "a": 1 } }"#),
    manifest("M003", "/locales/default", r#"{ "locales": { "default": "EN", "dir": "locales" } }"#),
    manifest("M003", "/icons/0/sizes", r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "any" }] }"#),
    manifest(
        "M003",
        "/configuration/0/type",
        r#"{ "configuration": [{ "key": "a", "type": "number", "title": "A" }] }"#,
    ),
    manifest(
        "M003",
        "/configuration/0/required",
        r#"{ "configuration": [{ "key": "a", "type": "text", "title": "A", "required": "no" }] }"#,
    ),
    manifest(
        "M003",
        "/contributes/views/0/id",
        r#"{ "contributes": { "views": [{ "id": "1x", "slot": "a", "title": "A" }] } }"#,
    ),
    manifest("M004", "/manifestVersion", r#"{ "manifestVersion": 0 }"#),
    manifest("M004", "/manifestVersion", r#"{ "manifestVersion": "1" }"#),
    manifest("M004", "/manifestVersion", r#"{ "manifestVersion": [1] }"#),
    manifest("M005", "/$schema", r#"{ "$schema": null }"#),
    manifest("M010", "/id", r#"{ "id": "weather-board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.acme" }"#),
    manifest("M010", "/id", r#"{ "id": "Dev.acme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev..acme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.acme.-board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.acme.board_2" }"#),
    manifest("M010", "/id", r#"{ "id": "1dev.acme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.аcme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "a.b.c.d.e.f.g.h.i.j.k" }"#),
    manifest("M011", "/version", r#"{ "version": "1.2" }"#),
    manifest("M011", "/version", r#"{ "version": "1.2.3.4" }"#),
    manifest("M011", "/version", r#"{ "version": "01.2.3" }"#),
    manifest("M011", "/version", r#"{ "version": "1.2.3-" }"#),
    manifest("M011", "/version", r#"{ "version": "" }"#),
    manifest("M011", "/version", r#"{ "version": "v1.2.3" }"#),
    manifest("M011", "/version", r#"{ "version": "1000000000000000.0.0" }"#),
    manifest("M012", "/version", r#"{ "version": "latest" }"#),
    manifest("M012", "/version", r#"{ "version": "^1.2.0" }"#),
    manifest("M012", "/version", r#"{ "version": "~1" }"#),
    manifest("M012", "/version", r#"{ "version": "1.x" }"#),
    manifest("M012", "/version", r#"{ "version": "*" }"#),
    manifest("M012", "/version", r#"{ "version": "1.0.0 || 2.0.0" }"#),
    manifest("M013", "/id", r#"{ "id": "svc.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "system.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "registry.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "internal.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "reg1stry.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "suc.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "systern.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "in-ternal.acme.board" }"#),
    manifest("M014", "/name", r#"{ "name": "" }"#),
    manifest("M014", "/name", r#"{ "name": " Board" }"#),
    manifest("M014", "/name", r#"{ "name": "Two\nlines" }"#),
    manifest("M014", "/name", r#"{ "name": "A name of forty-six characters, one too many.." }"#),
    manifest("M014", "/shortName", r#"{ "shortName": "" }"#),
    manifest("M014", "/publisher/name", r#"{ "publisher": { "name": "a\tb" } }"#),
    manifest("M016", "/summary", r#"{ "summary": "" }"#),
    manifest("M016", "/summary", r#"{ "summary": "Ends with a blank " }"#),
    manifest("M017", "/summary", r#"{ "summary": "TODO" }"#),
    manifest("M017", "/summary", r#"{ "summary": "Shows the weather (FIXME)." }"#),
    manifest("M017", "/summary", r#"{ "summary": "todo:say what it does" }"#),
    manifest("M017", "/description", r#"{ "description": "Shows the weather.\n\nXXX" }"#),
    manifest("M017", "/id", r#"{ "id": "dev.example.hello" }"#),
    manifest("M017", "/publisher/id", r#"{ "publisher": { "id": "example" } }"#),
    manifest("M017", "/summary", r#"{ "summary": "Hello shows a greeting in the space's sidebar." }"#),
    manifest("M018", "/license", r#"{ "license": "" }"#),
    manifest("M018", "/license", r#"{ "license": "mit" }"#),
    manifest("M018", "/license", r#"{ "license": "GPL-3.0" }"#),
    manifest("M018", "/license", r#"{ "license": "UNLICENSED" }"#),
    manifest("M018", "/license", r#"{ "license": "proprietary" }"#),
    manifest("M018", "/license", r#"{ "license": "MIT/Apache-2.0" }"#),
    manifest("M018", "/license", r#"{ "license": "MIT OR" }"#),
    manifest("M020", "/engines/host", r#"{ "engines": { "host": "" } }"#),
    manifest("M020", "/engines/host", r#"{ "engines": { "host": ">=x" } }"#),
    manifest("M020", "/engines/host", r#"{ "engines": { "host": ">=3 || <2" } }"#),
    manifest("M021", "/engines/host", r#"{ "engines": { "host": ">3" } }"#),
    manifest("M021", "/engines/host", r#"{ "engines": { "host": "*" } }"#),
    manifest("M021", "/engines/host", r#"{ "engines": { "host": ">=3.2.0 >2.0.0" } }"#),
    manifest("M022", "/categories/0", r#"{ "categories": ["Productivity"] }"#),
    manifest("M022", "/categories/1", r#"{ "categories": ["data", "weather"] }"#),
    manifest("M022", "/categories/3", r#"{ "categories": ["data", "design", "games", "other"] }"#),
    manifest("M022", "/categories/1", r#"{ "categories": ["data", "data"] }"#),
    manifest("M022", "/categories/2", r#"{ "categories": ["data", "games", "data", "design"] }"#),
    manifest("M024", "/publisher/url", r#"{ "publisher": { "url": "http://acme.dev" } }"#),
    manifest("M024", "/privacyPolicy", r#"{ "privacyPolicy": "https://127.0.0.1/privacy" }"#),
    manifest("M024", "/repository/url", r#"{ "repository": { "url": "https://user:pw@acme.dev/x" } }"#),
    manifest("M024", "/support/url", r#"{ "support": { "url": "javascript:alert(1)" } }"#),
    manifest("M024", "/support/url", r#"{ "support": { "url": "https://localhost/" } }"#),
    manifest("M025", "/repository", r#"{ "repository": null }"#),
    manifest("M026", "/support", r#"{ "support": null }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "" } }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "a--b" } }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "-acme" } }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "аcme" } }"#),
    manifest("M029", "/publisher/url", r#"{ "publisher": { "url": null } }"#),
    manifest("M029", "/publisher/url", r#"{ "publisher": { "url": "https://acme.co.uk" } }"#),
    manifest("M029", "/publisher/url", r#"{ "publisher": { "url": "https://weather-board.acme.dev" } }"#),
    manifest(
        "M030",
        "/exceptions/0/rule",
        r#"{ "exceptions": [{ "path": "a.js", "reason": "It is old.", "rule": "any" }] }"#,
    ),
    manifest(
        "M031",
        "/exceptions/0",
        r#"{ "exceptions": [{ "path": "a.js", "reason": "It is old.", "rule": "SVC-P012" }] }"#,
    ),
    manifest(
        "M032",
        "/configuration/0/default",
        r#"{ "configuration": [{ "choices": ["metric"], "default": "kelvin", "key": "units", "title": "Units", "type": "choice" }] }"#,
    ),
];

static PERMISSION_ROWS: &[Row] = &[
    manifest(
        "P001",
        "/permissions/0/permission",
        r#"{ "permissions": [{ "permission": "everything", "purpose": "Does all things." }] }"#,
    ),
    manifest(
        "P001",
        "/permissions/0/permission",
        r#"{ "permissions": [{ "permission": "Network.Fetch", "purpose": "Reads forecasts." }] }"#,
    ),
    manifest(
        "P002",
        "/permissions/0/purpose",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "" }] }"#,
    ),
    manifest("P002", "/permissions/0/purpose", r#"{ "permissions": [{ "permission": "network.fetch" }] }"#),
    manifest("P002", "/network/purpose", r#"{ "network": { "purpose": "two\nlines of it" } }"#),
    manifest("P002", "/network/purpose", r#"{ "network": { "purpose": null } }"#),
    manifest(
        "P003",
        "/permissions/0/purpose",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "x" }] }"#,
    ),
    manifest("P003", "/network/purpose", r#"{ "network": { "purpose": "Reads forecasts for the places you pin." } }"#),
    manifest(
        "P004",
        "/permissions/1/permission",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "network.fetch", "purpose": "Reads warnings." }] }"#,
    ),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["*"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://*"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["http://api.acme.dev"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://10.0.0.1"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://localhost"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://api.acme.dev/path"] } }"#),
    manifest("P006", "/network/allow", r#"{ "permissions": [] }"#),
    manifest("P006", "/network/allow", r#"{ "network": { "allow": [] } }"#),
    manifest("P006", "/entry/csp/connect-src/0", r#"{ "entry": { "csp": { "connect-src": ["cdn.acme.dev"] } } }"#),
    manifest("P006", "/entry/csp/img-src/0", r#"{ "entry": { "csp": { "img-src": ["https://img.acme.dev"] } } }"#),
    manifest(
        "P006",
        "/entry/csp/connect-src/0",
        r#"{ "entry": { "csp": { "connect-src": ["https://*.acme.dev"] } } }"#,
    ),
    manifest(
        "P006",
        "/entry/csp/connect-src/0",
        r#"{ "entry": { "csp": { "connect-src": ["http://api.acme.dev"] } } }"#,
    ),
    manifest("P006", "/entry/csp/connect-src/0", r#"{ "entry": { "csp": { "connect-src": ["api.acme.dev"] } } }"#),
    manifest(
        "P006",
        "/entry/csp/connect-src/0",
        r#"{ "entry": { "csp": { "connect-src": ["https://api.acme.dev:8443"] } } }"#,
    ),
    manifest("P006", "/network/allow/0", r#"{ "entry": { "csp": { "connect-src": ["'self'"] } } }"#),
    manifest("P006", "/network/allow/0", r#"{ "entry": { "csp": { "default-src": ["'none'"] } } }"#),
    manifest("P007", "/network/allow/0", r#"{ "network": { "allow": ["https://*.acme.dev"] } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'unsafe-eval'"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'UNSAFE-INLINE'"] } } }"#),
    manifest("P008", "/entry/csp/default-src/1", r#"{ "entry": { "csp": { "default-src": ["'self'", "*"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["data:"] } } }"#),
    manifest(
        "P008",
        "/entry/csp/worker-src/0",
        r#"{ "entry": { "csp": { "worker-src": ["https://api.acme.dev"] } } }"#,
    ),
    manifest("P008", "/entry/csp/connect-src/0", r#"{ "entry": { "csp": { "connect-src": ["https:"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'nonce-abc'"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'NONCE-abc'"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'slef'"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'self"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["self"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'md5-abc'"] } } }"#),
    manifest("P008", "/entry/csp/img-src/1", r#"{ "entry": { "csp": { "img-src": ["'self'", "'none'"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'wasm-unsafe-eval'"] } } }"#),
    manifest("P008", "/entry/csp/style-src/0", r#"{ "entry": { "csp": { "style-src": ["'unsafe-inline'"] } } }"#),
    manifest("P009", "/entry/isolation", r#"{ "entry": { "isolation": null } }"#),
    manifest("P009", "/entry/isolation", r#"{ "entry": { "isolation": "none" } }"#),
    manifest("P009", "/entry/isolation", r#"{ "entry": { "isolation": "Sandboxed-Frame" } }"#),
    manifest("P010", "/dataCollection", r#"{ "dataCollection": null }"#),
    manifest("P010", "/dataCollection", r#"{ "dataCollection": [] }"#),
    manifest("P010", "/dataCollection", r#"{ "dataCollection": ["usage", "none"] }"#),
    manifest("P010", "/dataCollection/0", r#"{ "dataCollection": ["nothing"] }"#),
    manifest("P011", "/privacyPolicy", r#"{ "privacyPolicy": null }"#),
    file("P012", "app.js", "app.js: eval(answer);"),
    file("P012", "app.js", "app.js: new Function(answer)();"),
    file("P012", "page.html", "page.html: <script src=\"https://cdn.acme.dev/x.js\"></script>"),
    file("P012", "app.mjs", "app.mjs: import x from \"https://cdn.acme.dev/x.js\";"),
    file("P013", "app.js", "app.js: new WebSocket(\"wss://collect.example\");"),
    file("P013", "page.html", "page.html: <!doctype html><img src=https://collect.example/a.png>"),
    file("P014", "app.js", "app.js: navigator.geolocation.getCurrentPosition(show);"),
    file("P014", "app.js", "app.js: if (navigator.usb) show();"),
    file("P015", "page.html", "page.html: <!doctype html><p onclick=show()>"),
    manifest(
        "P016",
        "/network/allow/1",
        r#"{ "network": { "allow": ["https://api.acme.dev", "https://b.acme.dev"] } }"#,
    ),
    file("P017", "app.js", "app.js: navigator.sendBeacon(address);"),
];

static LISTING_ROWS: &[Row] = &[
    manifest("L001", "/icons/0/src", r#"{ "icons": [{ "src": "README.md", "sizes": "512x512" }] }"#),
    manifest("L001", "/icons/0/sizes", r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "1024x1024" }] }"#),
    manifest(
        "L001",
        "/icons/1/sizes",
        r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }, { "src": "assets/icon.png", "sizes": "256x256" }] }"#,
    ),
    file("L001", "/icons/0/src", "assets/icon.png: hex:89504e470d0a1a0a"),
    manifest("L003", "/icons/0/src", r#"{ "icons": [{ "src": "assets/icon-256.png", "sizes": "256x256" }] }"#),
    manifest("L004", "/icons/0/src", r#"{ "icons": [{ "src": "assets/icon.svg", "sizes": "512x512" }] }"#),
    manifest("L004", "/icons/0/src", r#"{ "icons": [{ "src": "assets/ICON.SVG", "sizes": "512x512" }] }"#),
    manifest("L006", "/screenshots", r#"{ "screenshots": null }"#),
    manifest("L006", "/screenshots", r#"{ "screenshots": [] }"#),
    manifest("L006", "/screenshots/0/alt", r#"{ "screenshots": [{ "src": "assets/board.png" }] }"#),
    manifest("L008", "/locales/default", r#"{ "locales": { "default": "fr", "dir": "locales" } }"#),
    manifest("L008", "/locales/default", r#"{ "locales": { "default": "en", "dir": "i18n" } }"#),
    manifest("L009", "/name", r#"{ "name": "Verified Board" }"#),
    manifest("L009", "/shortName", r#"{ "shortName": "TRUSTED" }"#),
    manifest("L009", "/summary", r#"{ "summary": "An approved, certified board." }"#),
    manifest("L009", "/description", r#"{ "description": "This board is installable." }"#),
    manifest("L009", "/publisher/name", r#"{ "publisher": { "name": "Acme (official)" } }"#),
    manifest("L009", "/name", r#"{ "name": "Official Weather" }"#),
    manifest("L009", "/name", r#"{ "name": "Weather Official" }"#),
    manifest("L009", "/summary", r#"{ "summary": "The official Slack client." }"#),
    manifest("L009", "/summary", r#"{ "summary": "The OFFICIAL Weather Board." }"#),
    manifest("L009", "/summary", r#"{ "summary": "Weather, shown by an officially approved extension." }"#),
    manifest("L009", "/summary", r#"{ "summary": "Approved by the registry." }"#),
    manifest("L009", "/summary", r#"{ "summary": "Shows the weather. Officially verified!" }"#),
    manifest("L009", "/description", r#"{ "description": "Weather Board has been fully certified." }"#),
    manifest("L009", "/description", r#"{ "description": "It\u2019s verified." }"#),
    manifest("L009", "/keywords/1", r#"{ "keywords": ["weather", "official"] }"#),
    manifest("L009", "/keywords/0", r#"{ "keywords": ["verified app"] }"#),
    manifest(
        "L009",
        "/contributes/views/0/title",
        r#"{ "contributes": { "views": [{ "id": "a", "slot": "a", "title": "The official board" }] } }"#,
    ),
    manifest(
        "L009",
        "/contributes/commands/0/title",
        r#"{ "contributes": { "commands": [{ "id": "a", "title": "Open the verified client" }] } }"#,
    ),
    manifest(
        "L009",
        "/configuration/0/title",
        r#"{ "configuration": [{ "key": "a", "type": "text", "title": "Key of the approved app" }] }"#,
    ),
    manifest(
        "L009",
        "/configuration/0/choices/0",
        r#"{ "configuration": [{ "key": "a", "type": "choice", "title": "A", "choices": ["The official app"] }] }"#,
    ),
    manifest(
        "L009",
        "/screenshots/0/alt",
        r#"{ "screenshots": [{ "src": "assets/board.png", "alt": "The certified board." }] }"#,
    ),
    manifest(
        "L009",
        "/permissions/0/purpose",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Needed by the approved app." }] }"#,
    ),
    manifest("L009", "/network/purpose", r#"{ "network": { "purpose": "The official client reads its service." } }"#),
    file("L010", "README.md", "README.md: Replace this line with what your package does."),
    file("L011", "README.md", "README.md: # Board\\n\\nThis is the official app."),
];

static FILE_ROWS: &[Row] = &[
    manifest("F001", "/entry/renderer", r#"{ "entry": { "renderer": "dist/index.html" } }"#),
    manifest("F001", "/icons/0/src", r#"{ "icons": [{ "src": "assets/none.png", "sizes": "512x512" }] }"#),
    manifest(
        "F001",
        "/screenshots/0/src",
        r#"{ "screenshots": [{ "src": "assets/Board.png", "alt": "The board." }] }"#,
    ),
    manifest("F002", "/entry/renderer", r#"{ "entry": { "renderer": "../index.html" } }"#),
    manifest("F002", "/entry/renderer", r#"{ "entry": { "renderer": "/index.html" } }"#),
    manifest("F002", "/icons/0/src", r#"{ "icons": [{ "src": "assets\\icon.png", "sizes": "512x512" }] }"#),
    manifest("F002", "/icons/0/src", r#"{ "icons": [{ "src": "con.png", "sizes": "512x512" }] }"#),
    manifest("F002", "/locales/dir", r#"{ "locales": { "default": "en", "dir": ".." } }"#),
    manifest("F002", "/repository/subfolder", r#"{ "repository": { "subfolder": "app/." } }"#),
    manifest("F002", "/files/1", r#"{ "files": ["**", "../shared/**"] }"#),
    manifest("F002", "/files/1", r#"{ "files": ["**", "/etc/**"] }"#),
    manifest("F002", "/files/1", r#"{ "files": ["**", ""] }"#),
    file("F003", "assets/icon.png", "assets/ICON.png"),
    file("F003", "locales/en.json", "Locales/de.json"),
    file("F003", "index.html/x", "index.html/x"),
    file("F003", "stra\u{df}e.txt", "STRASSE.txt\nstra\u{df}e.txt"),
    file("F003", "/files", "SVC-App.json"),
    file("F006", "tool", "tool: hex:7f454c4602010100"),
    file(
        "F006",
        "tool",
        "tool: hex:4d5a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000400000005045000064860000",
    ),
    file("F006", "tool", "tool: hex:cffaedfe07000001"),
    file("F006", "run", "run: #!/bin/sh"),
    file("F006", "setup.CMD", "setup.CMD: echo"),
    file("F006", "board.desktop", "board.desktop: [Desktop Entry]\\nExec=board"),
    file("F007", "Thumbs.db", "Thumbs.db"),
    file("F007", "app.js.bak", "app.js.bak"),
    file("F007", "._app.js", "._app.js"),
    file("F007", "__MACOSX/app.js", "__MACOSX/app.js"),
    file("F007", "app.js~", "app.js~"),
    file("F008", ".env", ".env: A=1"),
    file("F008", ".env.production", ".env.production: A=1"),
    file("F008", "keys/ID_RSA", "keys/ID_RSA: x"),
    file("F008", "server.p12", "server.p12: x"),
    file("F008", "app.js", "app.js: const key = \"AKIA454ML6LG4TJFCZ4K\";"),
    file(
        "F008",
        "notes.md",
        "notes.md: -----BEGIN EC PRIVATE KEY-----\\nMHcCAQEEIJ5dT0bq3k8m2nPz\\n-----END EC PRIVATE KEY-----",
    ),
    file("F009", "node_modules/x/index.js", "node_modules/x/index.js"),
    file("F009", ".git/config", ".git/config"),
    file("F009", "src/__tests__/a.js", "src/__tests__/a.js"),
    file("F009", "yarn.lock", "yarn.lock"),
    file("F009", "app.js.map", "app.js.map: {}"),
    file("F010", "svc-registry-submission.json", "svc-registry-submission.json: {}"),
    file("F010", "svc-registry-install-policy.json", "svc-registry-install-policy.json: {}"),
    file("F010", "out/svc-registry-index.json", "out/svc-registry-index.json: {}"),
    file("F010", "SVC-Registry-Index.json", "SVC-Registry-Index.json: {}"),
    file("F011", "/files", "- README.md"),
    file("F011", "/files", "- README.md\ndocs/README.md: # Docs"),
    manifest("F012", "/files/1", r#"{ "files": ["**", "asets/**"] }"#),
    file(
        "F013",
        "notes.txt",
        "notes.txt: -----BEGIN PGP SIGNATURE-----\\n\\niQEzBAABCAAdFiEE\\n-----END PGP SIGNATURE-----",
    ),
    file("F013", "a.json", "a.json: {\"mediaType\": \"application/vnd.dev.sigstore.bundle.v0.3+json\"}"),
    file("F017", "index.html", "index.html: <!doctype html><link rel=stylesheet href=style.css>"),
    file(
        "F017",
        "app.js",
        "index.html: <!doctype html><script type=module src=app.js></script>\napp.js: import './lib.js'",
    ),
    manifest("F018", "/entry/renderer", r#"{ "entry": { "renderer": "assets/icon.png" } }"#),
    file("F019", "data", "data: hex:1f8b0800000000000003"),
    file("F020", "app.js", "app.js: const a = ;"),
    file("F020", "app.js", "app.js: hex:666574636828ff29"),
    file("F020", "a.wasm", "a.wasm: hex:0061736d01"),
    file("F021", "a.wasm", "a.wasm: hex:0061736d01000000"),
    file("F022", "a.tsx", "a.tsx: const a: string = 'b';"),
    file("F023", "app.js", "app.js: const key = \"pk_live_BIHEY6D3jyZ5f7AK2duKai5e\";"),
];

/// Changes that somebody could take for a fault of the rule, and on which it must not fire.
static HARMLESS_ROWS: &[(&str, &str)] = &[
    ("M002", r#"{ "keywords": ["weather"] }"#),
    ("M013", r#"{ "id": "host.acme.board" }"#),
    ("M013", r#"{ "id": "h0st.acme.board" }"#),
    ("M017", r#"{ "name": "TODO" }"#),
    ("M017", r#"{ "shortName": "XXX" }"#),
    ("M017", r#"{ "name": "My app" }"#),
    ("M017", r#"{ "summary": "Lists what your team has to do: a todo list." }"#),
    ("M017", r#"{ "summary": "Todo lists for teams." }"#),
    ("M017", r#"{ "summary": "Shows TODOs and FIXMEs of the source." }"#),
    ("M017", r#"{ "description": "Lorem ipsum for designers." }"#),
    ("M017", r#"{ "id": "dev.examples.board", "publisher": { "id": "example-works" } }"#),
    ("M018", r#"{ "license": "LicenseRef-Acme" }"#),
    ("M022", r#"{ "categories": ["data", "design", "games"] }"#),
    (
        "P006",
        r#"{ "network": { "allow": ["https://*.acme.dev"] }, "entry": { "csp": { "connect-src": ["https://a.acme.dev"] } } }"#,
    ),
    (
        "P006",
        r#"{ "network": { "allow": ["https://*.acme.dev"] }, "entry": { "csp": { "connect-src": ["https://*.acme.dev"] } } }"#,
    ),
    ("P006", r#"{ "entry": { "csp": { "connect-src": ["wss://api.acme.dev"] } } }"#),
    ("P006", r#"{ "entry": { "csp": { "connect-src": ["https://api.acme.dev:443/v1/"] } } }"#),
    ("P006", r#"{ "entry": { "csp": { "default-src": ["'none'"], "connect-src": ["https://api.acme.dev"] } } }"#),
    ("P006", r#"{ "entry": { "csp": { "default-src": ["'self'"], "img-src": ["https://api.acme.dev"] } } }"#),
    ("P006", r#"{ "entry": { "csp": { "script-src": ["'self'"] } } }"#),
    ("P008", r#"{ "entry": { "csp": { "default-src": ["'none'"] } } }"#),
    ("P008", r#"{ "entry": { "csp": { "script-src": ["'Self'"] } } }"#),
    ("P008", r#"{ "entry": { "csp": { "script-src": ["'sha256-abcd='", "'report-sample'"] } } }"#),
    ("P008", r#"{ "entry": { "csp": { "img-src": ["'self'", "data:", "blob:"] } } }"#),
    (
        "L003",
        r#"{ "icons": [{ "src": "assets/icon-256.png", "sizes": "256x256" }, { "src": "assets/icon.png", "sizes": "512x512" }] }"#,
    ),
    ("L009", r#"{ "summary": "An unofficial weather board." }"#),
    ("L009", r#"{ "summary": "This is not an official app." }"#),
    ("L009", r#"{ "summary": "There is no official app, so here is one." }"#),
    ("L009", r#"{ "description": "This board is not yet verified." }"#),
    ("L009", r#"{ "description": "This board isn\u2019t approved by anybody." }"#),
    ("L009", r#"{ "description": "A non-official client, neither endorsed nor approved by Acme." }"#),
    ("L009", r#"{ "summary": "Shows official weather data of the service." }"#),
    ("L009", r#"{ "summary": "Asks you to verify your email." }"#),
    ("L009", r#"{ "summary": "Every reading is verified before it is shown." }"#),
    ("L009", r#"{ "summary": "Trusted by teams in forty countries." }"#),
    ("L009", r#"{ "summary": "Track invoices as pending, approved, or paid." }"#),
    ("L009", r#"{ "summary": "Keeps approved expenses on one board." }"#),
    ("L009", r#"{ "description": "You get a mail once it is approved." }"#),
    ("L009", r#"{ "name": "Certified Mail Tracker" }"#),
    ("L009", r#"{ "name": "Trusted Types Inspector" }"#),
    ("L009", r#"{ "publisher": { "name": "Verified Systems Ltd" } }"#),
    ("L009", r#"{ "keywords": ["verified email", "trusted types"] }"#),
    ("L009", r#"{ "contributes": { "views": [{ "id": "a", "slot": "a", "title": "Approved" }] } }"#),
    ("L009", r#"{ "screenshots": [{ "src": "assets/board.png", "alt": "The list of approved expenses." }] }"#),
];

#[test]
fn what_only_looks_like_a_fault_passes() {
    for (code, patch) in HARMLESS_ROWS {
        let package = ExamplePackage::with_manifest(patch).unwrap_or_else(|| panic!("{code}: {patch} is no package"));
        let findings = findings_of(&package);
        let fired: Vec<_> = findings.iter().filter(|finding| finding.rule.code.ends_with(code)).collect();
        assert!(fired.is_empty(), "{code} on {patch}: {fired:?}");
    }
}

/// One slip of the hand, and the only rule that may speak of it.
static SLIPS: &[(&str, &str)] = &[
    ("M002", r#"{ "summary": null, "summry": "Shows the weather." }"#),
    ("M002", r#"{ "dataCollection": null, "dataColection": ["none"] }"#),
    ("M002", r#"{ "$schema": null, "$shema": ".svc/app-manifest.schema.json" }"#),
    ("M002", r#"{ "repository": null, "repositry": { "url": "https://github.com/acme/weather-board" } }"#),
    ("M002", r#"{ "support": null, "suport": { "url": "https://acme.dev/support" } }"#),
    ("M002", r#"{ "privacyPolicy": null, "privacypolicy": "https://acme.dev/privacy" }"#),
    ("M002", r#"{ "screenshots": null, "screenshot": [{ "src": "assets/board.png", "alt": "The board." }] }"#),
    ("M002", r#"{ "entry": { "isolation": null, "isolaton": "sandboxed-frame" } }"#),
    ("M002", r#"{ "network": { "purpose": null, "purpos": "The service receives the name of each place." } }"#),
    ("M002", r#"{ "network": { "allow": null, "alow": ["https://api.acme.dev"] } }"#),
    ("M002", r#"{ "publisher": { "url": null, "ulr": "https://acme.dev" } }"#),
    ("M002", r#"{ "permissions": [{ "permission": "network.fetch", "porpose": "Reads forecasts for you." }] }"#),
    ("M002", r#"{ "entry": { "csp": { "default-src": ["'none'"], "conect-src": ["https://api.acme.dev"] } } }"#),
    ("P001", r#"{ "permissions": [{ "permission": "network.fetc", "purpose": "Reads forecasts for you." }] }"#),
    ("P002", r#"{ "network": { "purpose": null } }"#),
    ("P002", r#"{ "permissions": [{ "permission": "network.fetch" }] }"#),
    ("P008", r#"{ "entry": { "csp": { "connect-src": ["self"] } } }"#),
    ("P008", r#"{ "entry": { "csp": { "script-src": ["slef", "'self'"] } } }"#),
    ("P009", r#"{ "entry": { "isolation": null } }"#),
    ("P010", r#"{ "dataCollection": null }"#),
    ("P010", r#"{ "privacyPolicy": null, "dataCollection": ["non"] }"#),
];

#[test]
fn one_slip_gives_one_finding() {
    for (code, patch) in SLIPS {
        let package = ExamplePackage::with_manifest(patch).unwrap_or_else(|| panic!("{code}: {patch} is no package"));
        let told: Vec<_> = findings_of(&package)
            .into_iter()
            .filter(|finding| finding.rule.needs == Needs::Manifest)
            .map(|finding| (finding.rule.code.clone(), finding.pointer.to_string()))
            .collect();
        assert!(matches!(told.as_slice(), [(only, _)] if only.ends_with(code)), "{code} on {patch}: {told:?}");
    }
}

/// What weighs less than its rule, and the suggested fixes.
#[test]
fn a_doubt_is_a_warning_and_a_fault_an_error() {
    for (patch, severity) in [
        (r#"{ "entry": { "csp": { "style-src": ["'unsafe-inline'"] } } }"#, Severity::Warning),
        (r#"{ "entry": { "csp": { "script-src": ["'wasm-unsafe-eval'"] } } }"#, Severity::Warning),
        (r#"{ "entry": { "csp": { "connect-src": ["'self'"] } } }"#, Severity::Warning),
        (r#"{ "entry": { "csp": { "script-src": ["'unsafe-inline'"] } } }"#, Severity::Error),
        (r#"{ "entry": { "csp": { "default-src": ["'unsafe-inline'", "https:"] } } }"#, Severity::Error),
        (r#"{ "entry": { "csp": { "script-src": ["'nonce-abc'"] } } }"#, Severity::Error),
        (r#"{ "entry": { "csp": { "img-src": ["'none'", "data:"] } } }"#, Severity::Error),
    ] {
        let findings = findings_of(&ExamplePackage::with_manifest(patch).unwrap());
        let heaviest =
            findings.iter().filter(|finding| finding.rule.code.starts_with("SVC-P")).map(Finding::severity).min();
        assert_eq!(heaviest, Some(severity), "{patch}: {findings:?}");
    }
}

#[test]
fn a_suggested_fix_clears_its_finding() {
    for (code, patch, after) in [
        ("M018", r#"{ "license": "apache 2" }"#, r#""license": "Apache-2.0""#),
        ("M022", r#"{ "categories": ["data", "data"] }"#, "\"categories\": [\n    \"data\"\n  ]"),
        ("P006", r#"{ "entry": { "csp": { "connect-src": ["api.acme.dev"] } } }"#, r#""https://api.acme.dev""#),
        ("P008", r#"{ "entry": { "csp": { "script-src": ["self"] } } }"#, r#""'self'""#),
        ("P008", r#"{ "entry": { "csp": { "script-src": ["'slef'"] } } }"#, r#""'self'""#),
        ("P009", r#"{ "entry": { "isolation": null } }"#, "index.html\",\n    \"isolation\": \"sandboxed-frame\"\n  }"),
    ] {
        let package = ExamplePackage::with_manifest(patch).unwrap();
        let source = String::from_utf8(package.manifest.clone()).unwrap();
        let findings = findings_of(&package);
        let edit = findings.iter().filter(|finding| finding.rule.code.ends_with(code)).find_map(|it| it.edit(&source));
        let edit = edit.unwrap_or_else(|| panic!("{code} on {patch}: {findings:?}"));
        let mut mended = source;
        mended.replace_range(edit.span.start..edit.span.end, &edit.text);
        assert!(mended.contains(after), "{code} on {patch}: {mended}");
        let rest = findings_of(&ExamplePackage { manifest: mended.into_bytes(), files: package.files });
        assert!(!rest.iter().any(|finding| finding.rule.code.ends_with(code)), "{code} on {patch}: {rest:?}");
    }
}

/// Rules that need sizes or a disk: their tests stand with their examples and with the walk.
const ELSEWHERE: &[&str] = &["SVC-F004", "SVC-F005", "SVC-F014", "SVC-F015", "SVC-F016"];

#[test]
fn every_way_to_break_a_rule_is_found_where_it_is_and_no_secret_is_repeated() {
    for (code, place, example) in rows() {
        let package = example.package().unwrap_or_else(|| panic!("{code}: {example:?} is no package"));
        let findings = findings_of(&package);
        let fired = findings.iter().any(|finding| {
            let at_place = finding.pointer.as_str() == *place || finding.file.as_deref() == Some(*place);
            finding.rule.code.ends_with(code) && at_place
        });
        let told: Vec<_> =
            findings.iter().map(|finding| (&finding.rule.code, finding.pointer.as_str(), &finding.file)).collect();
        assert!(fired, "{code} at {place} on {example:?}: {told:?}");
        for Finding { message, help, .. } in &findings {
            assert!(!message.is_empty() && !help.is_empty(), "{code} at {place}");
            assert!(!message.contains("AKIA") && !help.contains("AKIA"), "{message} {help}");
        }
    }
}

#[test]
fn every_rule_about_packages_is_broken_by_some_row() {
    let broken: BTreeSet<String> = rows().map(|(code, ..)| format!("SVC-{code}")).collect();
    for rule in rules().about_packages().filter(|rule| rule.needs != Needs::Text) {
        assert_ne!(broken.contains(rule.code.as_ref()), ELSEWHERE.contains(&rule.code.as_ref()), "{}", rule.code);
    }
}

#[test]
fn the_rules_need_what_they_say_they_need() {
    for (code, _, example) in rows() {
        let package = example.package().unwrap();
        let rule = rules().find(code).unwrap();
        let draft = pack::read_manifest(rules(), &package.manifest).unwrap();
        // Without a walk there is neither a table nor bytes, and a rule that needs one of them stays silent.
        let blind = draft.review(Walked::default()).findings;
        let fired = blind.iter().any(|finding| finding.rule == *rule);
        let has_check = rules().checked().any(|checked| checked == rule);
        let by_shape = (!has_check && rule.needs != Needs::Facts) || (code == &"F002");
        let can_fire = rule.needs == Needs::Manifest || by_shape;
        assert_eq!(fired, can_fire, "{code} {example:?}");
    }
}

#[test]
fn the_example_package_breaks_no_rule() {
    let mut package = ExamplePackage {
        manifest: include_bytes!("../../../../examples/weather-board/svc-app.json").to_vec(),
        files: BTreeMap::new(),
    };
    let files: [(&str, &[u8]); 10] = [
        ("CHANGELOG.md", include_bytes!("../../../../examples/weather-board/CHANGELOG.md")),
        ("LICENSE", include_bytes!("../../../../examples/weather-board/LICENSE")),
        ("README.md", include_bytes!("../../../../examples/weather-board/README.md")),
        ("assets/icon.png", include_bytes!("../../../../examples/weather-board/assets/icon.png")),
        (
            "assets/screenshots/board.png",
            include_bytes!("../../../../examples/weather-board/assets/screenshots/board.png"),
        ),
        ("dist/app.js", include_bytes!("../../../../examples/weather-board/dist/app.js")),
        ("dist/index.html", include_bytes!("../../../../examples/weather-board/dist/index.html")),
        ("dist/style.css", include_bytes!("../../../../examples/weather-board/dist/style.css")),
        ("locales/de.json", include_bytes!("../../../../examples/weather-board/locales/de.json")),
        ("locales/en.json", include_bytes!("../../../../examples/weather-board/locales/en.json")),
    ];
    package.files.extend(files.map(|(path, bytes)| (path.to_owned(), bytes.to_vec())));
    let told: Vec<_> =
        findings_of(&package).into_iter().map(|finding| (finding.rule.code.clone(), finding.message)).collect();
    assert_eq!(told, []);
}

fn rows() -> impl Iterator<Item = &'static Row> {
    [MANIFEST_ROWS, PERMISSION_ROWS, LISTING_ROWS, FILE_ROWS].into_iter().flatten()
}

/// Everything that is found about a package whose bytes are all known, submitted by the base's owner.
fn findings_of(package: &ExamplePackage) -> Findings {
    let draft = pack::read_manifest(rules(), &package.manifest).unwrap();
    let mut matched = Vec::new();
    for (place, pattern) in draft.patterns() {
        matched.resize(place, true);
        let start = pattern.split('*').next().unwrap();
        matched.push(package.files.keys().any(|path| path.starts_with(start)));
    }
    let mut walked = Walked { folder: Folder { matched, ..Folder::default() }, ..Walked::default() };
    let mut table = Vec::new();
    for (path, bytes) in &package.files {
        walked.folder.seen.insert(path.clone(), svc_facts::of_file(path, bytes));
        let size = Size::new(bytes.len() as u64).unwrap();
        table.push(FileEntry::new(PackagePath::parse(path).unwrap(), size, Digest::of(bytes)));
    }
    walked.files = Some(table);
    draft.review(walked).findings
}

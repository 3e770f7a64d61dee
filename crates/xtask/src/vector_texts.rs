//! Texts that some form takes and another refuses: the pool of the form vectors.

#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "", " ", "a", "A", "0", "-", ".", "/", "~", "é", "e\u{301}", "🌦", "a\u{200b}b", "a\u{202e}b", "a\u{85}", "\u{85}a", "a\u{a0}", "\u{2003}a",
    "\u{3000}", "a b", "a\tb", "a\nb", "a\r", "\u{feff}a", "a\u{7f}", "true", "false", "null", "1", "01", "1.0",
    // names
    "dev.acme.weather-board", "dev.acme", "dev.acme.a.b.c.d.e.f.g.h", "dev.acme.a.b.c.d.e.f.g.h.i", "1dev.acme.x", "dev.1.x", "dev..x", "dev.acme.-x",
    "dev.acme.x-", "dev.acme.x--y", "Dev.acme.x", "dev.acme.x_y", "svc.evil.app", "acme", "acme-tools", "acme--tools", "-acme", "acme-", "ACME", "acme_tools",
    "acme.tools", "user_123", "Acme", "auth0|5f7", "me@example.com", "a:b", "+a", "a/b", "a b", "_a", "|a", "@", "a\u{e9}",
    "---", "\u{3164}", "\u{2800}", "\u{ad}", "\u{180e}", "\u{fe0f}", "\u{2600}\u{fe0f}", "a\u{2600}\u{fe0f}", "a\u{fe0f}", "1\u{fe0f}\u{20e3}", "\u{845b}\u{e0100}",
    "a\u{e0100}", "\u{845b}\u{e0100}\u{e0101}", "\u{1f468}\u{200d}\u{1f469}", "!?", "\u{301}", "\u{2160}",
    // versions and ranges
    "1.2.3", "0.0.0", "1.2", "1.2.3.4", "v1.2.3", "1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-01", "1.2.3-0a", "1.2.3-", "1.2.3+", "1.2.3+001", "1.2.3-a+b.c",
    "1.2.3-a..b", "1.02.3", "999999999999999.0.0", "1000000000000000.0.0", "latest", "^1.2.3", "~1.2", ">=3.2.0 <4.0.0", ">= 3.2.0", ">=3.2.0, <4.0.0",
    ">=3.2.0,,<4", "*", "x", "X", "*, 1", "1, *", "1.*", "1.x.X", "1.*.3", "1.2.*", "=1.2.3-rc.1+b", "<=1", ">1.2", "1.2.3-rc 2", "=>1", "==1", ",", " , ",
    "18446744073709551615", "18446744073709551616", "1 || 2", "1.2-rc", "1.2.*-rc", " 1.2.3 ", "\t1.2.3", "01.2.3",
    // licences
    "MIT", "mit", "MIT OR Apache-2.0", "MIT or Apache-2.0", "MIT Or Apache-2.0", "MIT/Apache-2.0", "(MIT)", "((MIT) AND (ISC))", "(MIT", "MIT)", "()",
    "MIT AND", "OR MIT", "MIT MIT", "Apache-2.0+", "Apache-2.0 +", "GPL-2.0", "GPL-2.0-only", "GPL-2.0+", "GPL-2.0-or-later", "GPL-2.0-or-later+",
    "GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only with Classpath-exception-2.0", "MIT WITH", "WITH MIT", "MIT WITH MIT",
    "MIT WITH LLVM-exception WITH LLVM-exception", "(MIT) WITH LLVM-exception", "LLVM-exception", "LicenseRef-acme", "LicenseRef-", "LicenseRef-a:b",
    "DocumentRef-a:LicenseRef-b", "DocumentRef-a", "DocumentRef-:LicenseRef-", "MIT WITH AdditionRef-x", "MIT WITH DocumentRef-a:AdditionRef-x",
    "AdditionRef-x", "LicenseRef-a+", "MIT+OR ISC", "MIT(ISC)", "MIT\u{a0}OR\u{2003}ISC", "UNLICENSED", "Proprietary", "NONE", "NOASSERTION", "MIT-0", "0BSD",
    "BSD-3-Clause", "Zlib WITH AdditionRef-", "MIT_X", "MIT,ISC",
    // paths and globs
    "README.md", "dist/app.js", "a/b/c", "/etc/passwd", "../x", "a/../b", "a/./b", "a//b", "a/", "./a", "~/x", "x~", "a\\b", "C:/x", "a:b", "a*", "a?", "a|b",
    "a<b", "a\"b", "con", "CON.txt", "con .txt", "a/nul", "com1", "COM9.tar.gz", "com10", "com¹", "lpt0", "LPT³.x", "conin$", "CONOUT$", "aux ", "trailing.",
    "trailing ", " leading", "a/ b", "a /b", "a./b", "..a", "a..b", ".svcignore", "ünïcode/é.txt", "**/*.js", "dist/**", "!x", "dist/../x", "a/\u{301}", "\u{212b}",
    "\u{1e9b}\u{323}", "\u{0f77}", "ﬁle", "%2e%2e/x", "a/%2E", "a%2Fb", "a%5cb", "%2x", "100%", "CLOCK$", "clock$.txt", "clock", "\u{2600}\u{fe0f}.png",
    // records and repositories
    "_svc-publisher.acme.dev", "_svc-publisher", "a..b", "acme/weather-board", "acme/group/weather", "acme/", "acme/we ather", "acme/..", "./acme", "acme/.github", "dns-txt", "well-known-https", "oidc-claim",
    "oidc-subject", "repository", "project_path",
    // media types, tags, sizes, identifiers
    "text/css", "Text/css", "text/", "/css", "text/css/x", "application/vnd.a+json", "text/c s", "en", "pt-BR", "e", "engl", "EN", "en-", "en-a", "en-abcdefghi",
    "zh-Hant-TW", "512x512", "0x512", "512x", "99999x1", "100000x1", "512X512", "512x512x1", "a.b-c", "1a", "a_b", "constructor", "prototype", "__proto__", "toString",
    // addresses
    "https://acme.dev", "https://acme.dev/", "https://acme.dev/a?b#c", "http://acme.dev", "HTTPS://acme.dev", "https://", "https://acme", "https://localhost",
    "https://127.0.0.1", "https://0x7f.1", "https://a.0x1", "https://[::1]/", "https://user@acme.dev", "https://acme.dev/@x", "https://acme.dev:8443", "https://acme.dev:0",
    "https://acme.dev:08", "https://acme.dev:", "https://acme.dev:99999", "https://acme.dev:65535", "https://acme.dev:+1", "https://acme..dev", "https://-a.dev",
    "https://a-.dev", "https://ACME.dev", "https://printer.local", "https://x.onion", "https://a.internal", "https://acme.dev\\x", "https://a b.dev",
    "https://acme.dev/\u{a0}", "https://acme.dev/\u{85}", "https://acme.dev/<", "https://acme.dev?x", "https://acme.dev#x", "https://*.acme.dev", "https://*.dev",
    "https://*", "https://a.*.dev", "https://*.acme.dev:1", "https://acme.dev:1:2", "javascript:alert(1)", "https://é.dev", "https://xn--9ca.dev",
    // words of the artifacts
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "SHA256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha256:E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "sha256:e3b0", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 ", "sha256:sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8",
    "reviews/sha256/e3/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "reviews/sha256/00/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "e30=", "e30", "e31=", "e3==", "ew==", "e===", "====", "e30=e30=", "e 30=", "AAAA", "SVC-M010", "SVC-m010", "SVC-M01", "SVC-M0100", "svc-m010", "public-listing",
    "artifact-hash", "artifact-signing", "self-review", "svc-registry-submission", "svc-registry-approval", "svc-app-manifest", "/a", "a/b ", "/", "/a b", "manifest",
    "package-artifact", "review-report", "evidenced", "author", "user", "space", "world", "private", "public", "validated", "approved", "passed", "low", "sandboxed-frame",
    "none", "contact", "network.fetch", "network.fetchh", "blueprint", "signed-package", "collection-entry", "dns-txt", "unchecked", "unstored", "error", "choice",
    "digest-mismatch", "quota-exceeded-2", "a-", "Digest-mismatch",
    "https://in-toto.io/Statement/v1", "urn:svc:registry:package-preflight:v1", "application/vnd.in-toto+json",
];

/// Runs of letters around the bounds: letter, length.
const RUNS: &[(&str, &[usize])] = &[
    (
        "a",
        &[
            45, 46, 63, 64, 65, 100, 101, 128, 132, 133, 200, 201, 255, 256, 300, 301, 1000, 1001, 1024, 1025, 2047,
            2048, 4000, 4001,
        ],
    ),
    ("é", &[45, 46, 100, 101, 127, 128, 132, 133, 512, 513, 1000, 1001]),
    ("🌦", &[45, 46, 100, 101, 132, 133, 1000, 1001]),
    ("a/", &[15, 16, 31]),
    ("/a", &[1023, 1024, 1025]),
    ("1,", &[31, 32, 33, 50, 51]),
];

/// All texts.
pub(crate) fn all() -> Vec<String> {
    let mut texts: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    texts.extend(RUNS.iter().flat_map(|(part, counts)| counts.iter().map(|count| part.repeat(*count))));
    texts.extend((30..=33).map(|parts| format!("{}a", "a/".repeat(parts))));
    texts.extend([60, 61, 62, 63, 64].map(|length| format!("https://{}.dev", "a".repeat(length))));
    texts.extend([290, 291, 2036, 2037, 2038].map(|length| format!("https://acme.dev/{}", "a".repeat(length - 6))));
    texts
}

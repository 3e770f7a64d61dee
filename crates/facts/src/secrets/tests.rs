//! No secret stands here in full: each is put together when a test runs, so that no other scanner finds one.

use std::time::{Duration, Instant};

use svc_core::package::fact_table::{PUBLIC_KEY, SECRET};
use svc_json::position::Position;

use super::{token::Alphabet, *};

const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Characters that are the same in every run and look drawn at random.
fn draw(alphabet: &str, length: usize, seed: u64) -> String {
    let characters = alphabet.as_bytes();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (state ^ state >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        characters[(mixed >> 33) as usize % characters.len()] as char
    };
    (0..length).map(|_| next()).collect()
}

fn words(text: &str) -> Vec<(&'static str, &'static str)> {
    find(text.as_bytes()).iter().map(|sighting| (sighting.what.kind, sighting.what.word)).collect()
}

/// The kinds of secrets that people leave in packages, each as it is found there.
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn leaked(seed: u64) -> Vec<(&'static str, String)> {
    let d = |alphabet: &str, length: usize| draw(alphabet, length, seed);
    let e = |alphabet: &str, length: usize| draw(alphabet, length, seed + 1000);
    let lines: String =
        d(BASE64, 64 * 12).as_bytes().chunks(64).map(|line| format!("{}\n", str::from_utf8(line).unwrap())).collect();
    let pem = |label: &str| format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n");
    let escaped = pem("PRIVATE KEY").replace('\n', "\\n");
    vec![
        ("cloud-access-key", format!("key = AKIA{}", d(UPPER, 16))),
        ("cloud-access-key", format!("\"ASIA{}\"", d(UPPER, 16))),
        ("cloud-secret", format!("aws_secret_access_key = {}", d(BASE64, 40))),
        ("cloud-secret", format!("{{secretAccessKey:\"{}\"}}", d(BASE64, 40))),
        ("oauth-secret", format!("\"client_secret\":\"GOCSPX-{}\"", d(WORD, 28))),
        ("service-account", format!("{{\"type\":\"service_account\",\"private_key\": \"{escaped}\"}}")),
        ("private-key", format!("const key = \"{escaped}\";")),
        ("private-key", pem("RSA PRIVATE KEY")),
        ("private-key", pem("EC PRIVATE KEY")),
        ("private-key", pem("DSA PRIVATE KEY")),
        ("private-key", pem("OPENSSH PRIVATE KEY")),
        ("private-key", pem("ENCRYPTED PRIVATE KEY")),
        ("private-key", pem("PRIVATE KEY").replace('\n', " ")),
        (
            "private-key",
            pem("RSA PRIVATE KEY").replacen("-\n", "-\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n", 1),
        ),
        ("private-key", format!("\"-----BEGIN PRIVATE KEY-----\\n\" +\n  \"{}\\n\"", d(BASE64, 64))),
        ("private-key", format!("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 8\n{lines}")),
        ("private-key", format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{}\"}}", d(WORD, 43))),
        ("encryption-key", pem("PGP PRIVATE KEY BLOCK").replacen("-\n", "-\nVersion: GnuPG v2\n\n", 1)),
        ("encryption-key", format!("AGE-SECRET-KEY-1{}", d(UPPER, 58))),
        ("code-host-token", format!("token: ghp_{}", d(ALNUM, 36))),
        ("code-host-token", format!("gho_{}", d(ALNUM, 36))),
        ("code-host-token", format!("ghu_{}", d(ALNUM, 36))),
        ("code-host-token", format!("https://x-access-token:ghs_{}@host.example/a.git", d(ALNUM, 36))),
        ("code-host-token", format!("ghr_{}", d(ALNUM, 36))),
        ("code-host-token", format!("github_pat_{}_{}", d(ALNUM, 22), e(ALNUM, 59))),
        ("code-host-token", format!("glpat-{}", d(WORD, 20))),
        ("code-host-token", format!("gldt-{}", d(WORD, 20))),
        ("code-host-token", format!("glrt-{}", d(WORD, 20))),
        ("code-host-token", format!("glptt-{}", d(HEX, 40))),
        ("package-registry-token", format!("npm_{}", d(ALNUM, 36))),
        ("package-registry-token", format!("//registry.example/:_authToken={}", d(ALNUM, 36))),
        ("package-registry-token", format!("pypi-AgEIcHlwaS5vcmc{}", d(WORD, 130))),
        ("package-registry-token", format!("rubygems_{}", d(HEX, 48))),
        ("package-registry-token", format!("token = \"cio{}\"", d(ALNUM, 32))),
        ("package-registry-token", format!("dckr_pat_{}", d(WORD, 27))),
        ("payment-key", format!("sk_live_{}", d(ALNUM, 24))),
        ("payment-key", format!("rk_live_{}", d(ALNUM, 99))),
        ("payment-key", format!("whsec_{}", d(ALNUM, 32))),
        ("payment-key", format!("sq0atp-{}", d(WORD, 22))),
        ("payment-key", format!("sq0csp-{}", d(WORD, 43))),
        ("payment-key", format!("'EAAA{}'", d(WORD, 60))),
        (
            "payment-key",
            format!("access_token$production${}${}", d("abcdefghijklmnopqrstuvwxyz0123456789", 16), e(HEX, 32)),
        ),
        ("chat-token", format!("xoxb-{}-{}-{}", d("123456789", 12), e("123456789", 12), d(ALNUM, 24))),
        ("chat-token", format!("xoxp-{}-{}-{}", d("123456789", 12), e("123456789", 12), d(HEX, 32))),
        ("chat-token", format!("xoxa-2-{}", d(ALNUM, 40))),
        ("chat-token", format!("xapp-1-A{}-{}-{}", d(UPPER, 10), e("123456789", 13), d(HEX, 64))),
        (
            "chat-webhook",
            format!("https://hooks.slack.com/services/T{}/B{}/{}", d(UPPER, 8), e(UPPER, 8), d(ALNUM, 24)),
        ),
        ("chat-webhook", format!("https://discord.com/api/webhooks/{}/{}", d("123456789", 18), d(WORD, 68))),
        ("chat-token", format!("client.login('MT{}.G{}.{}')", d(ALNUM, 22), e(ALNUM, 5), d(WORD, 38))),
        ("chat-token", format!("bot = {}:AA{}", d("123456789", 10), d(WORD, 33))),
        ("message-key", format!("sid: 'SK{}'", d(HEX, 32))),
        ("mail-key", format!("SG.{}.{}", d(WORD, 22), e(WORD, 43))),
        ("mail-key", format!("key-{}", d(HEX, 32))),
        ("mail-key", format!("{}-us12", d(HEX, 32))),
        (
            "mail-key",
            format!(
                "X-Postmark-Server-Token: {}-{}-4{}-a{}-{}",
                d(HEX, 8),
                e(HEX, 4),
                d(HEX, 3),
                e(HEX, 3),
                d(HEX, 12)
            ),
        ),
        ("ai-key", format!("sk-{}T3BlbkFJ{}", d(ALNUM, 20), e(ALNUM, 20))),
        ("ai-key", format!("sk-proj-{}", d(WORD, 120))),
        ("ai-key", format!("sk-ant-api03-{}AA", d(WORD, 93))),
        ("ai-key", format!("hf_{}", d(ALNUM, 34))),
        ("ai-key", format!("r8_{}", d(ALNUM, 37))),
        ("ai-key", format!("gsk_{}", d(ALNUM, 52))),
        ("cloud-api-key", format!("dop_v1_{}", d(HEX, 64))),
        ("cloud-api-key", format!("dapi{}", d(HEX, 32))),
        ("cloud-api-key", format!("CLOUDFLARE_API_TOKEN={}", d(WORD, 40))),
        ("cloud-storage-key", format!("AccountName=a;AccountKey={}==;EndpointSuffix=b", d(BASE64, 86))),
        ("cloud-storage-key", format!("?sv=2022-11-02&ss=b&se=2030-01-01&sig={}%3D", d(ALNUM, 43))),
        ("deploy-token", format!("HRKU-AA{}", d(WORD, 58))),
        (
            "deploy-token",
            format!("HEROKU_API_KEY={}-{}-4{}-a{}-{}", d(HEX, 8), e(HEX, 4), d(HEX, 3), e(HEX, 3), d(HEX, 12)),
        ),
        ("deploy-token", format!("nfp_{}", d(ALNUM, 36))),
        ("deploy-token", format!("VERCEL_TOKEN={}", d(ALNUM, 24))),
        ("deploy-token", format!("{}.atlasv1.{}", d(ALNUM, 14), d(WORD, 67))),
        ("deploy-token", format!("pul-{}", d(HEX, 40))),
        ("shop-token", format!("shpat_{}", d(HEX, 32))),
        ("shop-token", format!("shpss_{}", d(HEX, 32))),
        ("ticket-token", format!("lin_api_{}", d(ALNUM, 40))),
        ("ticket-token", format!("secret_{}", d(ALNUM, 43))),
        ("ticket-token", format!("ntn_{}", d(ALNUM, 46))),
        ("ticket-token", format!("pat{}.{}", d(ALNUM, 14), d(HEX, 64))),
        ("ticket-token", format!("figd_{}", d(WORD, 40))),
        ("ticket-token", format!("ATATT3xFfGF0{}={}", d(WORD, 171), e("0123456789ABCDEF", 8))),
        ("file-store-token", format!("sl.{}", d(WORD, 135))),
        ("monitoring-key", format!("NRAK-{}", d(UPPER, 27))),
        ("monitoring-key", format!("glsa_{}_{}", d(ALNUM, 32), e(HEX, 8))),
        ("monitoring-key", format!("DD_API_KEY={}", d(HEX, 32))),
        ("error-tracker-token", format!("sntrys_eyJ{}_{}", d(ALNUM, 120), e(BASE64, 43))),
        ("map-token", format!("sk.eyJ{}.{}", d(ALNUM, 70), e(WORD, 22))),
        ("secrets-manager-token", format!("dp.pt.{}", d(ALNUM, 43))),
        ("secrets-manager-token", format!("hvs.{}", d(WORD, 95))),
        ("service-token", format!("PMAK-{}-{}", d(HEX, 24), e(HEX, 34))),
        ("signed-token", format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", d(WORD, 120), e(WORD, 43))),
        ("password-in-address", format!("https://deploy:{}@git.acme.dev/a", d(ALNUM, 12))),
        ("database-password", format!("DATABASE_URL=postgres://app:{}@db.acme.dev:5432/app", d(ALNUM, 16))),
        ("database-password", format!("mongodb+srv://app:{}@cluster0.acme.dev/", d(ALNUM, 16))),
        ("database-password", format!("redis://:{}@cache.acme.dev:6379", d(ALNUM, 16))),
        ("database-password", format!("amqp://worker:{}@queue.acme.dev", d(ALNUM, 16))),
        ("login-header", format!("Authorization: Basic {}", encode(&format!("deploy:{}", d(ALNUM, 20))))),
        ("assigned-secret", format!("const password = \"{}\";", d(ALNUM, 32))),
        ("assigned-secret", format!("SESSION_SECRET={}\n", d(ALNUM, 40))),
        ("assigned-secret", format!("{{\"api_key\": \"{}\"}}", d(HEX, 40))),
        ("assigned-secret", format!("headers: {{ Authorization: `Bearer {}` }}", d(ALNUM, 40))),
        ("registry-token", format!("svcr_{}", d(HEX, 32))),
        ("private-key", format!("client-key-data: {}", encode(&pem("RSA PRIVATE KEY")))),
        ("encryption-key", format!("-----BEGIN OpenVPN Static key V1-----\n{}\n{}\n-----END", d(HEX, 32), e(HEX, 32))),
        (
            "login-header",
            format!("{{\"auths\":{{\"a\":{{\"auth\":\"{}\"}}}}}}", encode(&format!("a:{}", d(ALNUM, 20)))),
        ),
        ("assigned-secret", format!("spring.datasource.password={}\n", d(ALNUM, 40))),
        ("assigned-secret", format!("define( 'DB_PASSWORD', '{}' );", d(ALNUM, 40))),
        ("assigned-secret", format!("<password>{}</password>", d(ALNUM, 40))),
        ("encryption-key", format!("APP_KEY=base64:{}=", d(BASE64, 43))),
        ("assigned-secret", format!("Server=db;User Id=app;Password={};Encrypt=true", d(ALNUM, 40))),
        ("assigned-secret", format!("jdbc:postgresql://db/app?user=app&password={}", d(ALNUM, 40))),
    ]
}

fn encode(text: &str) -> String {
    let sextets = text.as_bytes().chunks(3).flat_map(|chunk| {
        let held = chunk.iter().fold(0_usize, |held, byte| held << 8 | usize::from(*byte)) << (8 * (3 - chunk.len()));
        (0..=chunk.len()).map(move |place| held >> (18 - 6 * place) & 63)
    });
    sextets.map(|sextet| BASE64.as_bytes()[sextet] as char).collect()
}

#[test]
fn secrets_of_every_kind_are_found_as_what_they_are() {
    let mut missed = Vec::new();
    let mut total = 0;
    for seed in 0..40 {
        for (word, text) in leaked(seed) {
            total += 1;
            let found = words(&text);
            if found != [(SECRET, word)] {
                missed.push((word, text, found));
            }
        }
    }
    assert!(missed.len() * 200 < total, "{} of {total}: {:#?}", missed.len(), missed.get(..missed.len().min(12)));
}

#[test]
fn every_row_of_the_table_finds_its_own_tokens() {
    for kind in table::TOKENS {
        let alphabet: String = (0..=127_u8).filter(|byte| kind.alphabet.holds(*byte)).map(char::from).collect();
        let is_found = |seed: &u64| {
            let body = draw(&alphabet, kind.least + (*seed as usize % (kind.most - kind.least + 1)), *seed);
            let text = format!("a = '{}{body}';", kind.prefix);
            find(text.as_bytes()).iter().any(|sighting| sighting.what == kind.what)
        };
        let found = (1..=50).filter(is_found).count();
        assert!(found >= 44, "{} {found}", kind.prefix);
    }
}

#[test]
fn harmless_files_have_no_secret() {
    let data = draw(BASE64, 40_000, 7);
    let certificate: String = (0..30)
        .map(|seed| format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", draw(BASE64, 800, seed)))
        .collect();
    let lockfile: String = (0..300)
        .map(|seed| {
            let digest = draw(BASE64, 86, seed);
            format!(
                "\"node_modules/js-tokens-{seed}\": {{\"version\": \"1.2.3\", \"integrity\": \"sha512-{digest}==\"}},\n"
            )
        })
        .collect();
    let jwt = [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ",
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    ]
    .join(".");
    let test_key = format!("sk_{}_{}", "test", draw(ALNUM, 24, 3));
    let documented = ["wJalrXUtnFEMI/K7MDENG", "/bPxRfiCY", "EXAMPLEKEY"].concat();
    let uuid = "3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c";
    let hex = |length: usize| draw(HEX, length, 11);
    let harmless: Vec<(&str, String)> = vec![
        (".env.example", "API_KEY=your-api-key-here\nDB_PASSWORD=changeme\nJWT_SECRET=replace-this-with-a-long-random-string-1A2b3C\nTOKEN=<token>\nDATABASE_URL=postgres://user:password@localhost:5432/db\nSTRIPE_KEY=sk_test_xxx\nAWS_SECRET_ACCESS_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".into()),
        ("cacert.pem", certificate),
        ("slides.key", format!("PK\u{3}\u{4}{data}")),
        ("documentation key", ["AKIAIOSFODNN7", "EXAMPLE"].concat()),
        ("documentation secret", format!("aws_secret_access_key = {documented}")),
        ("documentation secret", format!("secretAccessKey: '{documented}'")),
        ("package-lock.json", lockfile),
        ("picture", format!("<img src=\"data:image/png;base64,{data}\">")),
        ("style", format!("@font-face{{src:url(data:font/woff2;base64,{data}==)}}")),
        ("identifiers", format!("{{\"id\":\"{uuid}\",\"token\":\"{uuid}\",\"secretId\":\"{uuid}\"}}")),
        ("digests", format!("{{\"hash\":\"{}\",\"token\":\"{}\",\"etag\":\"{}\"}}", hex(64), hex(40), hex(32))),
        ("source map", format!("{{\"version\":3,\"sources\":[\"a.ts\"],\"names\":[\"password\",\"token\",\"apiKey\"],\"mappings\":\"{}\"}}", draw("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh,;", 20_000, 5))),
        ("translations", "{\"password\":\"Mot de passe\",\"passwordHint\":\"Au moins 8 caract\u{e8}res\",\"auth.token.expired\":\"Votre jeton a expir\u{e9}\",\"secret\":\"errors.password.resetTokenExpired2\"}".into()),
        ("test key", format!("Stripe('{test_key}')")),
        ("placeholder", "https://user:p%40ss@host and https://me:s3cr3t9x@hostname:8080".into()),
        ("placeholder", format!("ghp_{}", "x".repeat(36))),
        ("placeholder", format!("ghp_{}", "abcdefghijklmnopqrstuvwxyz0123456789")),
        ("placeholder", format!("sk-{}", "0123456789abcdef".repeat(3))),
        ("placeholder", "apiKey: 'your-api-key-here', secret: 'YOUR_CLIENT_SECRET_1234567890'".into()),
        ("placeholder", "xoxb-your-token-here-1234567890 hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX".into()),
        ("addresses", "https://user:password@host.example ftp://anonymous:guest@a.example http://${user}:${pass}@host postgres://postgres:postgres@localhost/db https://<user>:<token>@git.example redis://user:pass@h mysql://root:secret@db https://username:yourPassword@h".into()),
        ("addresses", "https://fonts.googleapis.com/css2?family=Inter:wght@400;700 https://cdn.example/npm/pkg@1.2.3/a:b@c http://a:b@c.d https://host:8080/@scope/name new URL(\"https://a@b\") git@github.com:acme/board.git".into()),
        ("public key", format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----", draw(BASE64, 64, 9))),
        ("public key", format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me@host", draw(BASE64, 43, 9))),
        ("reader of keys", "if (pem.startsWith('-----BEGIN PRIVATE KEY-----')) return decode(pem.replace('-----BEGIN PRIVATE KEY-----', '').replace('-----END PRIVATE KEY-----', ''));".into()),
        ("writer of keys", "const pem = \"-----BEGIN PRIVATE KEY-----\\n\" + toBase64(await exportKey(privateKeyOfUser)) + \"\\n-----END PRIVATE KEY-----\";".into()),
        ("documentation of keys", "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC...\n-----END PRIVATE KEY-----".into()),
        ("sample token", format!("Authorization: Bearer {jwt}")),
        ("basic", "Authorization: Basic dXNlcjpwYXNzd29yZA== \nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\nBasic information12345".into()),
        ("npmrc", "//registry.npm.local/:_authToken=${NPM_TOKEN}\n".into()),
        ("script", "const token=e.nextToken,secret=getSecretValueFromStore2(),n={password:i.password,apiKey:process.env.API_KEY_V2};var tokenType='ACCESS_TOKEN_TYPE_V2_EXPIRED';".into()),
        ("script", "class e{static tokenName='resetPasswordTokenExpired2024Version';secretKey=\"--sk-cube-grid-delay-animation-01\"}".into()),
        ("style", ".sk-circle-fade-dot-animation-delay-110-percent-aaaaaaaaaaaa{} .md-button-toggle-group1x{} .npm_config_registry_with_a_very_long_name_1{}".into()),
        ("page", format!("<script src=\"a.js\" integrity=\"sha384-{}\"></script><meta name=\"csrf-token\" content=\"{}\">", draw(BASE64, 64, 4), draw(ALNUM, 40, 4))),
        ("page", format!("{{\"nextPageToken\":\"{}\",\"publicKey\":\"{}\"}}", draw(WORD, 60, 4), draw(BASE64, 44, 4))),
        ("public block in base64", encode(&format!("-----BEGIN CERTIFICATE-----\n{}\n", draw(BASE64, 64, 4)))),
        ("minified", format!("a=1;token=b.c(d);e&password=f;var auth={{\"auth\":\"{}\"}}", draw(ALNUM, 24, 6))),
        ("account id", format!("accountSid = 'AC{}'", hex(32))),
        ("dsn", format!("https://{}@o123456.ingest.sentry.io/1234567", hex(32))),
        ("times", "{\"at\":\"2024-01-01T00:00:00.000Z\",\"n\":1234567890,\"m\":[1234567890123,1]}".into()),
    ];
    let alarms: Vec<(&str, Vec<(&str, &str)>)> = harmless
        .iter()
        .map(|(name, text)| (*name, words(text).into_iter().filter(|(kind, _)| *kind == SECRET).collect()))
        .filter(|(_, found): &(&str, Vec<_>)| !found.is_empty())
        .collect();
    assert_eq!(alarms, [], "of {}", harmless.len());
}

#[test]
fn what_services_mean_to_be_public_is_no_secret() {
    let web = format!("const firebaseConfig = {{ apiKey: \"AIza{}\" }};", draw(WORD, 35, 1));
    let anonymous = format!(
        "{}.{}.{}",
        "eyJhbGciOiJIUzI1NiJ9",
        encode("{\"iss\":\"a\",\"role\":\"anon\",\"exp\":1}"),
        draw(WORD, 43, 2)
    );
    for text in [
        web,
        anonymous,
        format!("pk_live_{}", draw(ALNUM, 24, 1)),
        format!("pk.eyJ{}.{}", draw(ALNUM, 70, 1), draw(WORD, 22, 3)),
    ] {
        assert_eq!(words(&text), [(PUBLIC_KEY, "service")], "{text}");
    }
}

#[test]
fn the_example_of_the_rule_is_found() {
    let text = format!("const token = \"svcr_{}\";", HEX.repeat(2));
    assert_eq!(words(&text), [(SECRET, "registry-token")]);
    assert_eq!(words(&format!("svcr_{}", "x".repeat(32))), []);
}

#[test]
fn the_first_place_and_the_number_are_told_in_any_encoding() {
    let text = format!("\u{e9}\n// \u{1f326} ghp_{}\nghp_{}", draw(ALNUM, 36, 1), draw(ALNUM, 36, 2));
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = format!("\u{feff}{text}");
    let mut broken = text.clone().into_bytes();
    broken.extend([0xFF, 0, 1, 2]);
    for bytes in [text.as_bytes(), &wide, marked.as_bytes(), &broken] {
        let found = find(bytes);
        let told: Vec<_> = found.iter().map(|one| (one.what.word, one.position, one.count)).collect();
        assert_eq!(told, [("code-host-token", Some(Position { line: 2, column: 6 }), 2)]);
    }
}

#[test]
fn a_secret_behind_an_escape_is_found() {
    for before in ["\\n", "%3D", "\\u003d", "\\x3d", "\"", "=", "("] {
        assert_eq!(words(&format!("a{before}ghp_{}", draw(ALNUM, 36, 1))).len(), 1, "{before}");
    }
    assert_eq!(words(&format!("aghp_{}", draw(ALNUM, 36, 1))), []);
}

#[test]
fn a_token_in_the_path_of_a_file_counts_as_in_the_file() {
    for (prefix, alphabet, length) in [("ghp_", ALNUM, 36), ("AKIA", "ABCDEFGHJKLMNPQRSTUVWXYZ234567", 16)] {
        let path = format!("dist/{prefix}{}/a.txt", draw(alphabet, length, 1));
        let found = find_in_path(&path);
        assert!(found.len() == 1 && found.iter().all(|one| one.position.is_none()), "{path}");
    }
    assert_eq!(find_in_path("dist/tokens/password.js"), []);
}

/// Time of looking at a file that is full of this, by the byte.
fn cost(unit: &str, size: usize) -> Duration {
    let text = unit.repeat(size / unit.len());
    let started = Instant::now();
    let _ = find(text.as_bytes());
    started.elapsed()
}

/// What costs most to look at, as far as anybody thought of it.
fn hostile() -> Vec<String> {
    let mut units =
        ["eyJ", "eyJ.", "eyJ eyJ.eyJ.", "://", "https://a:b", "-----BEGIN ", "password=", "token", "\"d\":\""]
            .map(str::to_owned)
            .to_vec();
    units.push(format!("\"d\":\"{}\",", draw(WORD, 43, 1)));
    units.push(format!("-----BEGIN PRIVATE KEY-----{}", " ".repeat(190)));
    units.push(format!("&sig={}", draw(ALNUM, 43, 1)));
    units.push(format!(" eyJ{0}.eyJ{0}.", draw(WORD, 3000, 1)));
    units.push(format!("svcr_{} ", draw(HEX, 32, 1)));
    units
}

#[test]
fn a_file_of_the_largest_size_full_of_one_mark_is_read() {
    // Without optimisation each byte takes twenty times as long.
    let size = if cfg!(debug_assertions) { 4 << 20 } else { 25 << 20 };
    let took = cost("AccountKey=", size);
    assert!(took < Duration::from_secs(120), "{took:?}");
}

/// A cost that grew with the square would take hours here.
#[test]
fn hostile_files_cost_no_more_than_others() {
    let marks = table::marks().into_iter().flat_map(|(mark, _)| [mark.to_owned(), format!("{mark} ")]);
    let took: Duration = marks.map(|unit| cost(&unit, 6 << 10)).sum();
    let more: Duration = hostile().iter().map(|unit| cost(unit, 64 << 10)).sum();
    assert!(took + more < Duration::from_secs(120), "{took:?} {more:?}");
}

#[test]
fn the_table_has_no_mark_twice_for_one_alphabet() {
    assert!(MARKS.is_some());
    let mut rows: Vec<(&str, String)> =
        table::TOKENS.iter().map(|kind| (kind.prefix, format!("{:?}", kind.alphabet as Alphabet))).collect();
    let all = rows.len();
    rows.sort();
    rows.dedup();
    assert_eq!(rows.len(), all);
}

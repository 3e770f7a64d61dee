//! Passwords in addresses and in the headers of logins.

use svc_core::package::fact_table::{
    FactSpec, PUBLIC_KEY_SERVICE, SECRET_DATABASE_PASSWORD, SECRET_LOGIN_HEADER, SECRET_PASSWORD_IN_ADDRESS,
    SECRET_UPLOAD_TOKEN,
};

use super::{
    assigned, base64,
    hit::{Find, Hit},
    judge, password,
    token::{Alphabet, run, run_back},
};

/// As long as the part before the host gets.
const MOST: usize = 256;

/// An address with a name and password: what stands between `://` and `@`.
pub(super) fn stands_at(hit: Hit<'_>) -> Option<Find> {
    let scheme = run_back(hit.before(), Alphabet::Scheme, 16);
    let scheme = hit.text.get(hit.start - scheme..hit.start).filter(|scheme| !scheme.is_empty())?;
    let authority = authority(hit.after());
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let (login, host) = authority.split_at_checked(at)?;
    let colon = login.iter().position(|byte| *byte == b':')?;
    let (user, password) = (login.get(..colon)?, login.get(colon + 1..)?);
    let is_host = host.get(1).is_some_and(u8::is_ascii_alphanumeric) && !is_made_up(host.get(1..)?);
    let what = what(scheme, host);
    (is_host && password::is_password(user, password)).then_some(Find {
        start: hit.end + colon + 1,
        end: hit.end + at,
        what,
    })
}

/// Hosts that stand for one.
const NO_HOSTS: &[&[u8]] = &[b"domain", b"host", b"hostname", b"myhost", b"server"];

fn is_made_up(host: &[u8]) -> bool {
    let name = host.split(|byte| *byte == b':').next().unwrap_or_default().to_ascii_lowercase();
    NO_HOSTS.contains(&name.as_slice())
}

fn authority(rest: &[u8]) -> &[u8] {
    let is_inside = |byte: &u8| byte.is_ascii_graphic() && !b"/?#\"'`<>\\(){},;|[]".contains(byte);
    let end = rest.iter().take(MOST).take_while(|byte| is_inside(byte)).count();
    rest.get(..end).unwrap_or_default()
}

const DATABASES: &[&[u8]] = &[
    b"amqp",
    b"amqps",
    b"clickhouse",
    b"couchdb",
    b"db2",
    b"mariadb",
    b"mongodb",
    b"mongodb+srv",
    b"mssql",
    b"mysql",
    b"mysql2",
    b"neo4j",
    b"neo4j+s",
    b"oracle",
    b"postgres",
    b"postgresql",
    b"redis",
    b"rediss",
    b"sqlserver",
];

fn what(scheme: &[u8], host: &[u8]) -> &'static FactSpec {
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_slice() {
        b"cloudinary" => &SECRET_UPLOAD_TOKEN,
        // Pages send their errors to such an address, so that everybody sees it.
        _ if judge::contains(host, b"sentry") => &PUBLIC_KEY_SERVICE,
        _ if DATABASES.contains(&scheme.as_slice()) => &SECRET_DATABASE_PASSWORD,
        _ => &SECRET_PASSWORD_IN_ADDRESS,
    }
}

/// A login header: `Basic` and a name and password in base64.
pub(super) fn basic(hit: Hit<'_>) -> Option<Find> {
    login(hit.end, hit.after())
}

/// The login of a registry of images, in the settings of its client.
pub(super) fn stored_login(hit: Hit<'_>) -> Option<Find> {
    let value = assigned::value(hit)?;
    login(value.at, value.rest)
}

fn login(at: usize, rest: &[u8]) -> Option<Find> {
    let length = run(rest, Alphabet::Base64, MOST);
    let login = base64::decode(rest.get(..length)?);
    let colon = login.iter().position(|byte| *byte == b':')?;
    let (user, password) = (login.get(..colon)?, login.get(colon + 1..)?);
    let is_text = login.len() >= 12 && login.iter().all(u8::is_ascii_graphic);
    // Services put a token before or after the colon and leave the other side empty.
    let is_login = password::is_password(user, password)
        || (password.len() < 2 && user.len() >= 20 && password::is_password(password, user));
    (is_text && is_login).then_some(Find { start: at, end: at + length, what: &SECRET_LOGIN_HEADER })
}

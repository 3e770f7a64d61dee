//! What an address names, read as browsers read it.

/// What an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address<'a> {
    /// Another origin, in the form of a subject.
    Origin(String),
    /// A file of the package.
    Relative(&'a str),
    /// The data itself.
    Data,
    /// Something made at run time.
    Blob,
    /// Code, as `javascript:`.
    Script,
    /// Anything else: mail, the empty page, schemes of others.
    Other,
}

/// Stands for a host that has no plain name: a number of another base, letters beyond ASCII, an address in brackets.
const UNNAMED: &str = "*";

impl<'a> Address<'a> {
    /// Browsers drop blanks around an address and line breaks inside it, and take a backslash for a slash.
    pub(crate) fn parse(text: &'a str) -> Self {
        let text = text.trim_matches(|character: char| character <= ' ');
        let plain: String = text.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect();
        let (scheme, rest) = match scheme_of(&plain) {
            Some((scheme, rest)) => (scheme, rest),
            None if begins_with_host(&plain) => ("https".to_owned(), plain.as_str()),
            None => return Self::Relative(text),
        };
        match scheme.as_str() {
            "http" | "https" | "ws" | "wss" => Self::Origin(format!("{scheme}://{}", host_of(rest))),
            "ftp" => Self::Origin(format!("http://{}", host_of(rest))),
            "data" => Self::Data,
            "blob" | "filesystem" => Self::Blob,
            "javascript" | "vbscript" => Self::Script,
            _ => Self::Other,
        }
    }
}

/// A relative address as browsers take it: backslashes are slashes up to the query, and line breaks are none.
pub(crate) fn as_path(text: &str) -> String {
    let plain: String = text.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect();
    let end = plain.find(['?', '#']).unwrap_or(plain.len());
    let (path, rest) = plain.split_at_checked(end).unwrap_or((plain.as_str(), ""));
    format!("{}{rest}", path.replace('\\', "/"))
}

fn is_slash(character: char) -> bool {
    matches!(character, '/' | '\\')
}

fn begins_with_host(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(is_slash) && characters.next().is_some_and(is_slash)
}

/// A scheme in lowercase, and what follows its colon.
fn scheme_of(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    is_scheme.then(|| (scheme.to_ascii_lowercase(), rest))
}

/// The host and port behind the slashes, without a name and password before them.
fn host_of(text: &str) -> String {
    let text = text.trim_start_matches(is_slash);
    let end = text.find(|character: char| is_slash(character) || matches!(character, '?' | '#')).unwrap_or(text.len());
    let authority = text.get(..end).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || ".:-_".contains(character);
    let begins = host.starts_with(|first: char| first.is_ascii_alphanumeric());
    if begins && host.len() <= 230 && host.chars().all(is_plain) { host } else { UNNAMED.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_browsers_read_them() {
        let origin = |text: &str| Address::Origin(text.to_owned());
        let cases = [
            ("https://a.example/x?y#z", origin("https://a.example")),
            (" HTTPS://User:Pass@A.Example:8443/x ", origin("https://a.example:8443")),
            ("//a.example/x.js", origin("https://a.example")),
            ("\\\\a.example\\x.js", origin("https://a.example")),
            ("/\\a.example", origin("https://a.example")),
            ("ht\ntps:/\t/a.example", origin("https://a.example")),
            ("https:a.example", origin("https://a.example")),
            ("wss://a.example", origin("wss://a.example")),
            ("https://[::1]/", origin("https://*")),
            ("https://b\u{fc}cher.example/", origin("https://*")),
            ("https://", origin("https://*")),
            ("data:text/plain,a", Address::Data),
            ("blob:https://a.example/1", Address::Blob),
            (" javascript:alert(1)", Address::Script),
            ("java\nscript:alert(1)", Address::Script),
            ("mailto:a@a.example", Address::Other),
            ("about:blank", Address::Other),
            ("./a.js", Address::Relative("./a.js")),
            ("/a.js", Address::Relative("/a.js")),
            ("a/b:c.js", Address::Relative("a/b:c.js")),
            ("", Address::Relative("")),
        ];
        for (text, address) in cases {
            assert_eq!(Address::parse(text), address, "{text:?}");
        }
        assert_eq!(as_path("\\dist\\ca\nse.dat?a\\b"), "/dist/case.dat?a\\b");
    }
}

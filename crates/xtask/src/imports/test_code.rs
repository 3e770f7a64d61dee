//! Takes test code out of a file's tokens, since tests may look wherever they like.

use super::token::{Kind, Token, group_end};

/// What is left of a file.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) tokens: Vec<Token>,
    /// The modules that only tests have, whose files are tests too.
    pub(crate) test_modules: Vec<String>,
}

/// Everything but items that stand under `#[test]` or under a `cfg` that holds in tests only.
pub(crate) fn without_tests(tokens: &[Token]) -> Kept {
    let mut kept = Kept::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match attribute(tokens, at) {
            Some((inner, end)) if is_for_tests(tokens, at, end) => {
                if inner {
                    return Kept::default();
                }
                let start = item_start(tokens, end);
                kept.test_modules.extend(declared_module(tokens, start));
                at = item_end(tokens, start);
            }
            Some((_, end)) => {
                kept.tokens.extend_from_slice(tokens.get(at..end).unwrap_or_default());
                at = end;
            }
            None => {
                kept.tokens.push(token.clone());
                at += 1;
            }
        }
    }
    kept
}

/// Whether an attribute that starts here is an inner one, and the place behind it.
fn attribute(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    let is = |place: usize, sign: &str| tokens.get(place).is_some_and(|token| token.is_sign(sign));
    match (is(at, "#"), is(at + 1, "!")) {
        (true, true) if is(at + 2, "[") => Some((true, group_end(tokens, at + 2))),
        (true, false) if is(at + 1, "[") => Some((false, group_end(tokens, at + 1))),
        _ => None,
    }
}

fn is_for_tests(tokens: &[Token], at: usize, end: usize) -> bool {
    let words: Vec<&Token> = tokens.get(at..end).unwrap_or_default().iter().collect();
    let start = words.iter().position(|token| token.kind == Kind::Word);
    let Some((first, rest)) = start.and_then(|start| words.get(start..)).and_then(<[_]>::split_first) else {
        return false;
    };
    match (first.text.as_str(), rest) {
        ("test", [_]) => true,
        ("cfg", [_, condition @ ..]) => implies_test(&mut condition.iter().copied()),
        _ => false,
    }
}

/// Whether a condition can only hold in tests. It ends with a comma or with the group around it.
fn implies_test<'t>(tokens: &mut impl Iterator<Item = &'t Token>) -> bool {
    let Some(first) = tokens.next() else { return false };
    match first.text.as_str() {
        "all" => conditions(tokens).contains(&true),
        "any" => conditions(tokens).iter().all(|implied| *implied),
        "test" => true,
        _ => false,
    }
}

/// The conditions of a group, each by whether it implies tests. `not(…)` and `name = "…"` never do.
fn conditions<'t>(tokens: &mut impl Iterator<Item = &'t Token>) -> Vec<bool> {
    let mut depth = 0_usize;
    let mut parts: Vec<Vec<&Token>> = vec![Vec::new()];
    for token in tokens {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && token.is_sign(",") {
            parts.push(Vec::new());
        } else if !(depth == 1 && token.is_sign("(")) {
            parts.last_mut().into_iter().for_each(|part| part.push(token));
        }
    }
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.map(|part| implies_test(&mut part.iter().copied())).collect()
}

/// Behind any further attributes.
fn item_start(tokens: &[Token], mut at: usize) -> usize {
    while let Some((_, end)) = attribute(tokens, at) {
        at = end;
    }
    at
}

/// The name of an item `mod name;`.
fn declared_module(tokens: &[Token], start: usize) -> Option<String> {
    let rest = tokens.get(start..)?;
    let at = rest.iter().take(6).position(|token| token.is_word("mod"))?;
    let (name, end) = (rest.get(at + 1)?, rest.get(at + 2)?);
    (name.kind == Kind::Word && end.is_sign(";")).then(|| name.text.clone())
}

/// Behind an item: its semicolon, its braces, or, for a member or an arm, its comma.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let ending = Ending::of(tokens.get(start..).unwrap_or_default());
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        let sign = if token.kind == Kind::Sign { token.text.as_str() } else { "" };
        match sign {
            ";" => return at + 1,
            "," if ending == Ending::Comma => return at + 1,
            ")" | "]" | "}" => return at,
            "{" if ending != Ending::Semicolon => return group_end(tokens, at),
            "(" | "[" | "{" => at = group_end(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// What ends an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Braces,
    Comma,
    Semicolon,
}

impl Ending {
    fn of(item: &[Token]) -> Self {
        let words = item.iter().filter(|token| token.kind == Kind::Word).map(|token| token.text.as_str());
        let mut words = words.skip_while(|word| matches!(*word, "pub" | "crate" | "super" | "self" | "in"));
        match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
            ("const", "fn" | "unsafe" | "async" | "extern") => Self::Braces,
            ("const" | "let" | "static" | "type" | "use", _) => Self::Semicolon,
            (
                "async" | "enum" | "extern" | "fn" | "impl" | "macro_rules" | "mod" | "struct" | "trait" | "union"
                | "unsafe",
                _,
            ) => Self::Braces,
            _ => Self::Comma,
        }
    }
}

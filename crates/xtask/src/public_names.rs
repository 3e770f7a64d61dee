//! A public type has a name that no other public type of the product has, so that a search for it ends in one place.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    imports::{
        test_code::without_tests,
        token::{Kind, Token, tokens},
    },
    sources,
};

/// What is never shipped may name its types as it likes.
const ASIDE: &[&str] = &["bench/harness/", "crates/testkit/", "crates/xtask/"];

/// Names that several types still share. Rename them; the list only gets shorter.
const SHARED: &[&str] = &[];

#[test]
fn a_public_type_has_a_name_of_its_own() {
    let shared = shared_names(&product());
    let new: Vec<String> = shared
        .iter()
        .filter(|(name, _)| !SHARED.contains(&name.as_str()))
        .map(|(name, places)| format!("{name}: {}", places.iter().cloned().collect::<Vec<_>>().join(", ")))
        .collect();
    assert!(new.is_empty(), "public types that share a name; rename all but one:\n{}", new.join("\n"));
    let mended: Vec<&&str> = SHARED.iter().filter(|name| !shared.contains_key(**name)).collect();
    assert!(mended.is_empty(), "no longer shared; take them out of SHARED: {mended:?}");
}

#[test]
fn names_in_tests_in_text_and_of_lesser_reach_do_not_count() {
    let files = |second: &str| {
        let first = "pub struct Same;".to_owned();
        BTreeMap::from([("crates/a/src/a.rs".to_owned(), first), ("crates/b/src/b.rs".to_owned(), second.to_owned())])
    };
    for second in [
        "pub(crate) struct Same;",
        "struct Same;",
        "// pub struct Same;",
        "const A: &str = \"pub struct Same;\";",
        "#[cfg(test)] mod tests { pub struct Same; }",
        "pub use other::Same;",
        "pub fn Same() {}",
    ] {
        assert!(shared_names(&files(second)).is_empty(), "{second}");
    }
    for second in ["pub enum Same {}", "pub trait Same {}", "made! { pub struct Same(String); }", "pub type Same = u8;"]
    {
        assert_eq!(shared_names(&files(second)).len(), 1, "{second}");
    }
}

fn product() -> BTreeMap<String, String> {
    let mut files = sources::of_workspace().unwrap();
    files.retain(|path, _| !ASIDE.iter().any(|folder| path.starts_with(folder)));
    files
}

/// Names that stand more than once, with the files.
fn shared_names(files: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with("/tests.rs")) {
        let tokens = without_tests(&tokens(text)).tokens;
        for name in tokens.windows(3).filter_map(public_type) {
            places.entry(name).or_default().push(path.clone());
        }
    }
    places.retain(|_, places| places.len() > 1);
    places.into_iter().map(|(name, places)| (name, places.into_iter().collect())).collect()
}

fn public_type(window: &[Token]) -> Option<String> {
    let [public, keyword, name] = window else { return None };
    let is_type = ["struct", "enum", "trait", "type", "union"].iter().any(|word| keyword.is_word(word));
    (public.is_word("pub") && is_type && name.kind == Kind::Word).then(|| name.text.clone())
}

//! Small invented crates, and what the step says of each.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::{
    faults::House,
    graph::Graph,
    manifest::Manifest,
    modules::{Files, Modules},
    plan::Plan,
};

const ONE: &str = "[package]\nname = \"svc-one\"\n";
const TWO: &str = "[package]\nname = \"svc-two\"\n\n[dependencies]\nsvc-one.workspace = true\n";
const PAGE: &str = "```text crates\none <- two\n```\n```text floors crates/one/src\nunordered\n```\n\
                    ```text floors crates/two/src\nunordered\n```\n";

/// The faults of two crates, `two` above `one`.
fn faults(page: &str, manifests: [&str; 2], sources: &[(&str, &str)], exempt: &[&str]) -> Vec<String> {
    let files: Files = sources.iter().map(|(path, text)| (format!("crates/{path}"), (*text).to_owned())).collect();
    let manifests: Vec<Manifest> = ["crates/one", "crates/two"]
        .into_iter()
        .zip(manifests)
        .map(|(folder, text)| Manifest::read(folder, text, &files).unwrap())
        .collect();
    let members: Vec<_> = manifests.iter().map(|manifest| manifest.member.clone()).collect();
    let modules = Modules::read(&members, &files);
    let graph = Graph::of(&modules);
    let plan = Plan::read(page).unwrap();
    House { plan: &plan, manifests: &manifests, files: &files, modules: &modules, graph: &graph }.faults(exempt)
}

/// The faults of one crate without floors.
fn circles(sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<(String, &str)> = sources.iter().map(|(path, text)| (format!("one/src/{path}"), *text)).collect();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    faults(PAGE, [ONE, TWO], &sources, &[])
}

/// The faults of one crate with these floors.
fn on_floors(floors: &str, sources: &[(&str, &str)]) -> Vec<String> {
    let page = PAGE.replacen("unordered", floors, 1);
    let sources: Vec<(String, &str)> = sources.iter().map(|(path, text)| (format!("one/src/{path}"), *text)).collect();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    faults(&page, [ONE, TWO], &sources, &[])
}

#[track_caller]
fn has_one(faults: &[String], parts: &[&str]) {
    let [fault] = faults else { panic!("one fault, not {faults:#?}") };
    for part in parts {
        assert!(fault.contains(part), "{part} in {fault}");
    }
}

#[test]
fn a_circle_through_a_re_export_is_seen() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "use crate::b::B;\npub struct A(B);"),
        ("b.rs", "use crate::A;\npub struct B(Box<A>);"),
    ]);
    has_one(&found, &["2 files", "crates/one/src/a.rs:1 `crate::b::B`", "crates/one/src/b.rs:1 `crate::A`"]);
}

#[test]
fn a_circle_through_a_glob_of_re_exports_is_seen() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b; mod all;"),
        ("all.rs", "pub use crate::a::*;"),
        ("a.rs", "pub fn a() { crate::b::b() }"),
        ("b.rs", "use crate::all::*;\npub fn b() { a() }"),
    ]);
    has_one(&found, &["a.rs:1 `crate::b::b`", "b.rs:1 `a, brought in by `*``"]);
}

#[test]
fn a_circle_through_a_private_import_of_the_parent_is_seen() {
    let found = circles(&[
        ("lib.rs", "mod a; mod far;"),
        ("a.rs", "mod child;\nuse crate::far::Far;"),
        ("a/child.rs", "use super::Far;\npub struct Child(Far);"),
        ("far.rs", "use crate::a::child::Child;\npub struct Far(Option<Box<Child>>);"),
    ]);
    has_one(&found, &["a/child.rs:1 `super::Far`", "far.rs:1 `crate::a::child::Child`"]);
}

#[test]
fn a_path_inside_the_body_of_a_macro_is_an_import() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "#[macro_export]\nmacro_rules! made { ($x:ty) => {\n  impl $crate::b::B for $x {}\n}; }"),
        ("b.rs", "pub trait B {}\nstruct S;\ncrate::made!(S);"),
    ]);
    has_one(&found, &["a.rs:3 `crate::b::B`", "b.rs:3 `crate::made`"]);
}

#[test]
fn a_macro_that_is_called_by_its_bare_name_is_an_import() {
    let a = "macro_rules! made { () => {} }\npub(crate) use made;\npub fn a() { crate::b::b() }";
    let by_import =
        [("lib.rs", "mod a; mod b;"), ("a.rs", a), ("b.rs", "use crate::a::made;\nmade!();\npub fn b() {}")];
    has_one(&circles(&by_import), &["b.rs:1 `crate::a::made`"]);
    let by_order = [("lib.rs", "#[macro_use]\nmod a; mod b;"), ("a.rs", a), ("b.rs", "made! {}\npub fn b() {}")];
    has_one(&circles(&by_order), &["b.rs:1 `made`"]);
}

#[test]
fn renamed_nested_and_inline_paths_are_imports() {
    for text in [
        "use crate::{a::{self as other, C}, D};\nfn b() { other::a() }",
        "fn b() -> super::a::A { loop {} }",
        "mod inner { fn b() { super::super::a::a() } }",
        "fn b() {\n use self::super::a::A;\n}",
        "fn b() { crate::a::r#a() }",
    ] {
        let found = circles(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::b;"), ("b.rs", text)]);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn what_only_looks_like_an_import_is_none() {
    for text in [
        "// use crate::a::A;\n/* use crate::a::A; /* nested */ crate::a::a() */",
        "/// See [`crate::a::A`].\nfn b() {}",
        r###"const B: &str = "use crate::a::A;"; const C: &str = r#"" use crate::a::A;"#; const D: &[u8] = br"crate::a::a";"###,
        "const B: char = '\"'; /* \" */ const C: char = '\\''; // crate::a::a()",
        "fn b<'a>(a: &'a str) -> &'a str { let _ = 'x'; a }",
        "pub(in crate::a) fn b() {}",
        "#[cfg(test)]\nmod tests { use crate::a::A; }",
        "#[cfg(all(unix, test))]\nuse crate::a::A;",
        "#[cfg(test)]\n#[allow(unused)]\npub(crate) fn b<A, B>() where A: B { crate::a::a() }\nfn c() {}",
        "#[test]\nfn b() { crate::a::a() }",
        "#[cfg(test)]\nconst B: [u8; 1] = { crate::a::A };",
        "#[cfg(test)]\nmod tests;",
        "pub use crate::a::A;",
        "struct B {\n #[cfg(test)] a: crate::a::A,\n b: u8 }",
        "fn b(super_: u8) { std::crate_::a() }",
    ] {
        let test = ("b/tests.rs", "use crate::a::A;");
        let found = circles(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::b;"), ("b.rs", text), test]);
        assert_eq!(found, [""; 0], "{text}");
    }
}

#[test]
fn what_holds_outside_of_tests_too_counts() {
    for text in [
        "#[cfg(not(test))]\nuse crate::a::A;",
        "#[cfg(any(test, unix))]\nuse crate::a::A;",
        "#[cfg(test)]\nfn t() {}\nuse crate::a::A;",
        "#[cfg(test)]\nconst fn t() -> u8 { 1 }\nuse crate::a::A;",
        "#[cfg(test)]\nstruct T<A, B>(A, B);\nuse crate::a::A;",
        "const B: char = '\\u{27}'; use crate::a::A;",
    ] {
        let found = circles(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::b;"), ("b.rs", text)]);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn a_module_that_is_only_walked_through_is_not_imported() {
    let found = circles(&[
        ("lib.rs", "mod a; mod c;"),
        ("a.rs", "pub mod b;\nuse crate::c::c;"),
        ("a/b.rs", "pub fn b() {}"),
        ("c.rs", "use crate::a;\npub fn c() { a::b::b() }"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn an_import_that_leads_up_is_named_with_file_line_path_and_floors() {
    let sources = [
        ("lib.rs", "mod high; mod low;"),
        ("high.rs", "pub struct High;"),
        ("low.rs", "\nuse crate::high::High;\nstruct Low(High);"),
    ];
    let found = on_floors("low.rs\nhigh.rs  # the roof\nlib.rs", &sources);
    has_one(&found, &["crates/one/src/low.rs:2: `crate::high::High`", "from floor 1 to floor 2 (high.rs)", "move"]);
    assert_eq!(on_floors("high.rs\nlow.rs\nlib.rs", &sources), [""; 0]);
    assert_eq!(on_floors("high.rs low.rs\nlib.rs", &sources), [""; 0], "one floor may be wide");
}

#[test]
fn the_entry_that_says_most_of_a_path_decides() {
    let sources = [
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; mod c;"),
        ("a/b.rs", "pub struct B;"),
        ("a/c.rs", "use super::b::B;\nstruct C(B);"),
    ];
    assert_eq!(on_floors("a/b.rs\na/\nlib.rs", &sources), [""; 0]);
    assert_eq!(on_floors("a/c.rs\na/\nlib.rs", &sources).len(), 1);
}

#[test]
fn a_file_on_no_floor_and_a_floor_of_no_file_are_named() {
    let sources = [("lib.rs", "mod a;\n#[cfg(test)] mod tests;"), ("a.rs", ""), ("tests.rs", "")];
    has_one(&on_floors("lib.rs", &sources), &["crates/one/src/a.rs: no floor"]);
    has_one(&on_floors("a.rs\nlib.rs gone.rs", &sources), &["ARCHITECTURE.md:6", "`gone.rs`"]);
    has_one(&on_floors("a.rs\nlib.rs tests.rs", &sources), &["`tests.rs`"]);
    has_one(&on_floors("a.rs\nlib.rs gone/", &sources), &["`gone/`"]);
}

#[test]
fn a_crate_without_a_block_is_named() {
    let page = "```text crates\none <- two\n```\n```text floors crates/one/src\nunordered\n```\n";
    has_one(&faults(page, [ONE, TWO], &[], &[]), &["no floors for crates/two/src"]);
}

#[test]
fn a_crate_that_depends_upwards_is_named() {
    let up = "[package]\nname = \"svc-one\"\n\n[target.'cfg(unix)'.dependencies]\nsvc-two = { path = \"../two\" }\n";
    has_one(&faults(PAGE, [up, TWO], &[], &[]), &["crates/one/Cargo.toml:5", "`one` uses `svc-two`", "downwards"]);
    let in_tests = up.replace("target.'cfg(unix)'.dependencies", "dev-dependencies");
    assert_eq!(faults(PAGE, [&in_tests, TWO], &[], &[]), [""; 0], "tests aside");
    let drawn = |crates: &str| faults(&PAGE.replace("one <- two", crates), [ONE, TWO], &[], &[]);
    has_one(&drawn("one <- two <- three"), &["names `three`"]);
    has_one(&drawn("one"), &["crates/two/Cargo.toml", "does not name this crate"]);
    has_one(&drawn("two <- one"), &["crates/two/Cargo.toml:5"]);
}

#[test]
fn what_an_auditors_file_needs_is_bounded_across_crates() {
    let sources = [
        ("one/src/lib.rs", "pub mod a; mod b; pub use b::B;"),
        ("one/src/a.rs", "use crate::B;"),
        ("one/src/b.rs", "pub struct B;"),
        ("two/src/lib.rs", "use svc_one::a::A;"),
    ];
    let bound = |block: &str| {
        let page = format!("{PAGE}```text reach {block}\ncrates/two/src/lib.rs\n```\n");
        faults(&page, [ONE, TWO], &sources, &[])
    };
    has_one(&bound("1"), &["crates/two/src/lib.rs: needs 2 files", "allows 1"]);
    assert_eq!(bound("2"), [""; 0]);
    assert_eq!(bound("0 crates/two"), [""; 0]);
    let gone = format!("{PAGE}```text reach 5\ncrates/two/src/gone.rs\n```\n");
    has_one(&faults(&gone, [ONE, TWO], &sources, &[]), &["gone.rs", "is not there"]);
}

#[test]
fn a_crate_that_is_exempt_may_have_circles_and_no_other_fault() {
    let sources = [
        ("one/src/lib.rs", "mod a; mod b;"),
        ("one/src/a.rs", "use crate::b::B;"),
        ("one/src/b.rs", "use crate::a::A;"),
    ];
    assert_eq!(faults(PAGE, [ONE, TWO], &sources, &["crates/one"]), [""; 0]);
    assert_eq!(faults(PAGE, [ONE, TWO], &sources, &["crates/two"]).len(), 1);
    let page = PAGE.replacen("unordered", "a.rs\nlib.rs", 1);
    has_one(&faults(&page, [ONE, TWO], &sources, &["crates/one"]), &["b.rs: no floor"]);
}

#[test]
fn a_block_that_cannot_be_read_is_told_by_its_line() {
    assert!(Plan::read("\n```text reach few\n```\n").unwrap_err().contains("line 2"));
    assert!(Plan::read("```text floor crates/one/src\n```\n").unwrap_err().contains("line 1"));
    assert!(Plan::read("```text\nanything\n```\n").is_ok());
}

#[test]
fn a_method_that_bears_the_name_of_an_imported_module_hides_no_import() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b;\npub struct A;\nimpl A { fn b(&self) { b::make() } }"),
        ("b.rs", "use crate::a::A;\npub fn make() -> A { A }"),
    ]);
    has_one(&found, &["a circle", "crates/one/src/a.rs"]);
}

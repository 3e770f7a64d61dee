//! Small invented crates, and the circles in each.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::{
    graph::Graph,
    member,
    modules::{Files, Modules},
};

/// The circles of one crate.
fn circles(sources: &[(&str, &str)]) -> Vec<String> {
    let files: Files =
        sources.iter().map(|(path, text)| (format!("crates/one/src/{path}"), (*text).to_owned())).collect();
    let circles = Graph::of(&Modules::read(&[member("crates/one", &files)], &files)).circles();
    circles.iter().map(ToString::to_string).collect()
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
fn a_method_that_bears_the_name_of_an_imported_module_hides_no_import() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b;\npub struct A;\nimpl A { fn b(&self) { b::make() } }"),
        ("b.rs", "use crate::a::A;\npub fn make() -> A { A }"),
    ]);
    has_one(&found, &["a circle", "crates/one/src/a.rs"]);
}

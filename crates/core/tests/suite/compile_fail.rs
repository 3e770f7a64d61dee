//! What would open a gate does not compile.
//!
//! Each file in `tests/compile_fail` is given to the compiler beside the built crate and must be refused with exactly the
//! errors that its last line names: code and line. `allowed.rs` does compile, so that a compiler that refuses everything
//! is noticed.
#![allow(clippy::disallowed_types, reason = "the test starts the compiler")]

use std::{
    cmp::Reverse,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

const ALLOWED: &str = "allowed";

#[test]
fn forgeries_in_rust_do_not_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() > 18, "{}", cases.len());
    let allowed = cases.iter().find(|case| case.file_stem().unwrap() == ALLOWED).unwrap();
    let core = built("svc_core").next().expect("svc-core is built");
    // A folder of several builds holds several of each; what may be written tells which two belong together.
    let json =
        built("svc_json").find(|json| errors(allowed, &core, json).is_empty()).expect("what is allowed compiles");
    let mut wrong = Vec::new();
    for case in &cases {
        let (found, told) = (errors(case, &core, &json), expected(case));
        if found != told {
            wrong.push(format!("{}: {found:?} instead of {told:?}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the last line of a case names, as `// refused: 6 E0308, 10 E0603`.
fn expected(case: &Path) -> Vec<String> {
    let text = fs::read_to_string(case).unwrap();
    let last = text.lines().last().and_then(|line| line.strip_prefix("// refused: "));
    assert_eq!(last.is_none(), case.file_stem().unwrap() == ALLOWED, "{}", case.display());
    last.map_or_else(Vec::new, |list| list.split(", ").map(str::to_owned).collect())
}

fn errors(case: &Path, core: &Path, json: &Path) -> Vec<String> {
    let out = tempfile_beside(core, case);
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--edition=2024", "--emit=metadata", "--error-format=json", "-o"])
        .arg(&out)
        .arg("--extern")
        .arg(format!("svc_core={}", core.display()))
        .arg("--extern")
        .arg(format!("svc_json={}", json.display()))
        .arg("-L")
        .arg(format!("dependency={}", core.parent().unwrap().display()))
        .arg(case)
        .output()
        .unwrap();
    let _ = fs::remove_file(&out);
    let messages = String::from_utf8(output.stderr).unwrap();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut errors: Vec<String> = messages
        .filter(|message| message["level"] == "error" && !message["spans"].as_array().unwrap().is_empty())
        .map(|message| {
            let spans = message["spans"].as_array().unwrap();
            let place = spans.iter().find(|span| span["is_primary"] == true).unwrap();
            format!("{} {}", place["line_start"], message["code"]["code"].as_str().unwrap_or("-"))
        })
        .collect();
    errors.sort();
    assert_eq!(errors.is_empty(), output.status.success(), "{}", case.display());
    errors
}

/// The libraries of this name beside this test, the newest first.
fn built(name: &str) -> impl Iterator<Item = PathBuf> {
    let own = env::current_exe().unwrap();
    let start = format!("lib{name}-");
    let files = fs::read_dir(own.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut libraries: Vec<PathBuf> = files
        .filter(|path| {
            let file = path.file_name().unwrap().to_string_lossy();
            file.starts_with(&start) && file.ends_with(".rlib")
        })
        .collect();
    libraries.sort_by_key(|path| Reverse(fs::metadata(path).unwrap().modified().unwrap()));
    libraries.into_iter()
}

fn tempfile_beside(library: &Path, case: &Path) -> PathBuf {
    let name = format!("compile-fail-{}-{}.rmeta", std::process::id(), case.file_stem().unwrap().to_string_lossy());
    library.parent().unwrap().join(name)
}

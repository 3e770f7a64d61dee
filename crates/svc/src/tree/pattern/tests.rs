use super::*;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn compile(globs: &[&str], ignore_file: &str) -> Result<Patterns, Vec<PatternFault>> {
    Patterns::compile(&texts(globs), Some(ignore_file), &[])
}

fn selects(glob: &str, path: &str) -> bool {
    compile(&[glob], "").unwrap().selecting(OsStr::new(path)).next().is_some()
}

fn refusal(glob: &str) -> String {
    let faults = compile(&[glob], "").expect_err(glob);
    assert_eq!(faults[0].place, PatternPlace::Glob(0), "{glob}");
    faults[0].message.clone()
}

#[test]
fn a_pattern_that_could_leave_the_root_is_refused() {
    for glob in ["../x", "a/../b", "..", "a/..", "{..,a}/b", "a/{b,../c}", "{a,..}"] {
        assert!(refusal(glob).contains("`..`"), "{glob}");
    }
    for glob in ["/etc/passwd", "/", "//x"] {
        assert!(refusal(glob).contains("starts with `/`"), "{glob}");
    }
    for glob in ["a\\b", "\\\\host\\share", "a\\"] {
        assert!(refusal(glob).contains("backslash"), "{glob}");
    }
}

#[test]
fn a_pattern_that_says_nothing_clear_is_refused() {
    assert_eq!(refusal(""), "is empty");
    for glob in [".", "./a", "a//b", "a/./b"] {
        assert!(refusal(glob).contains("`.` part"), "{glob}");
    }
    assert!(refusal("!dist/x").contains(".svcignore"));
    assert!(refusal("{a,b").contains("missing '}'"));
    assert!(refusal("a}").contains("missing '{'"));
    assert!(refusal("[ab").contains("missing ']'"));
    assert!(refusal("[z-a]").contains("range"));
}

#[test]
fn a_class_that_could_match_a_slash_is_refused() {
    for glob in ["a[!b]c", "a[^b]c", "a[+-9]c", "a[.-0]c", "a[/]c", "a[]c", "a[-b]", "a[b-]", "a[a/b]"] {
        assert!(refusal(glob).contains("class"), "{glob}");
    }
    assert!(selects("v[0-9].js", "v1.js"));
    assert!(selects("[a-zA-Z_.]x", "_x"));
    assert!(!selects("a[b.]c", "a/c"));
}

#[test]
fn a_pattern_that_would_exhaust_the_parser_is_refused() {
    assert!(refusal(&"a".repeat(1025)).contains("1024"));
    let nested = format!("{}a{}", "{".repeat(500), "}".repeat(500));
    assert_eq!(refusal(&nested), "is too complex");
    assert_eq!(compile(&["a", &nested], "").unwrap_err().len(), 1);
    let ignored = format!("{}a{}", "{".repeat(6_000), "}".repeat(6_000));
    let faults = compile(&["a"], &ignored).unwrap_err();
    assert_eq!(faults[0].place, PatternPlace::IgnoreLine(1));
}

#[test]
fn more_patterns_than_anybody_needs_are_refused_before_they_are_compiled() {
    let large = "?".repeat(1000);
    let some = vec![large.as_str(); 16];
    assert!(compile(&some, &some.join("\n")).is_ok());
    let many = vec![large.as_str(); 17];
    let faults = compile(&many, &many.join("\n")).unwrap_err();
    let places: Vec<PatternPlace> = faults.iter().map(|fault| fault.place).collect();
    assert_eq!(places, [PatternPlace::AllGlobs, PatternPlace::IgnoreFile]);
    let comments = format!("# {large}\n").repeat(60);
    assert!(compile(&vec!["a-plain-name-of-some-length"; 1000], &comments).is_ok());
    assert_eq!(compile(&vec!["a"; 1001], "").unwrap_err()[0].place, PatternPlace::AllGlobs);
}

#[test]
fn every_bad_pattern_is_told_in_one_run() {
    let nested = format!("{}a{}", "{".repeat(300), "}".repeat(300));
    let faults = compile(&["ok", "../x", "dist/**", "[", "{", &nested], "fine\n[z-a]\n\n{a").unwrap_err();
    let places: Vec<PatternPlace> = faults.iter().map(|fault| fault.place).collect();
    let glob = PatternPlace::Glob;
    let line = PatternPlace::IgnoreLine;
    assert_eq!(places, [glob(1), glob(3), glob(4), line(2), line(4), glob(5)]);
    assert!(faults.iter().all(|fault| { fault.message.starts_with(|first: char| first.is_lowercase()) }));
}

#[test]
fn a_bad_ignore_line_is_never_quoted() {
    let faults = compile(&["a"], "{secret-token").unwrap_err();
    assert!(!faults[0].message.contains("secret"), "{}", faults[0].message);
}

#[test]
fn stars_stay_within_a_part_and_double_stars_do_not() {
    assert!(selects("*.html", "index.html"));
    assert!(!selects("*.html", "a/index.html"));
    assert!(!selects("a?b", "a/b"));
    assert!(selects("dist/**", "dist/a"));
    assert!(selects("dist/**", "dist/a/b/.hidden"));
    assert!(!selects("dist/**", "dist"));
    assert!(!selects("dist/**", "other/dist/a"));
    assert!(selects("**/*.js", "a.js"));
    assert!(selects("**", "a/b/c"));
    assert!(selects("*.{html,css}", "a.css"));
}

#[test]
fn a_plain_name_is_the_file_or_all_below_the_folder() {
    for glob in ["dist", "dist/", "a/dist", "a/dist/"] {
        let folder = glob.trim_end_matches('/');
        assert!(selects(glob, &format!("{folder}/x/y")), "{glob}");
        assert!(!selects(glob, &format!("{folder}inct/x")), "{glob}");
    }
    assert!(selects("LICENSE", "LICENSE"));
    assert!(!selects("dist/", "dist"));
    assert!(!selects("license", "LICENSE"));
}

#[test]
fn the_index_of_a_selecting_pattern_is_that_of_the_manifest() {
    let patterns = compile(&["dist", "x", "**/*.js"], "").unwrap();
    let found: BTreeSet<usize> = patterns.selecting(OsStr::new("dist/a.js")).collect();
    assert_eq!(found, BTreeSet::from([0, 2]));
    let reaching: BTreeSet<usize> = patterns.reaching(OsStr::new("dist")).collect();
    assert_eq!(reaching, BTreeSet::from([0, 2]));
}

#[test]
fn the_ignore_file_is_read_as_git_reads_one() {
    let text = "\u{feff}*.map\r\n# comment\r\n/top\r\nbuild/\r\n!keep.map\r\ndocs/**\r\n";
    let patterns = compile(&["**"], text).unwrap();
    let file = |path: &str| patterns.ignores_file(OsStr::new(path)).is_some();
    let folder = |path: &str| patterns.ignores_folder(OsStr::new(path)).is_some();
    assert!(file("a/b.map"));
    assert!(file("b.map"));
    assert!(!file("a/keep.map"));
    assert!(file("top") && !file("a/top"));
    assert!(folder("a/build") && !file("a/build"));
    assert!(file("docs/x") && !folder("docs"));
    assert!(!file("# comment"));
    let line = |path: &str| patterns.ignores_file(OsStr::new(path));
    assert_eq!(line("a/b.map"), Some(Ignored::ByLine(1)));
    assert_eq!(line("docs/x"), Some(Ignored::ByLine(6)));
}

#[test]
fn what_is_left_out_by_default_goes_in_only_by_its_whole_path() {
    let patterns = compile(&["**", ".git", "node_modules/", "node_modules/a/kept.js", ".env.local"], "!*.log").unwrap();
    let file = |path: &str| patterns.ignores_file(OsStr::new(path)).is_some();
    let folder = |path: &str| patterns.ignores_folder(OsStr::new(path)).is_some();
    for path in [".git/config", "node_modules/a/other.js", "build.log", ".env", "a/.env.local", "a/.DS_Store"] {
        assert!(file(path), "{path}");
    }
    assert!(!file("node_modules/a/kept.js") && !file(".env.local") && !file(".env.example"));
    assert!(folder(".git") && folder("a/node_modules") && folder("node_modules/b"));
    assert!(!folder("node_modules") && !folder("node_modules/a") && !folder("logs"));
}

#[test]
fn what_the_caller_leaves_out_is_exact() {
    let patterns = Patterns::compile(&texts(&["**"]), None, &texts(&["./svc-registry/", "a/b.json"])).unwrap();
    let leaves_out = |path: &str| patterns.leaves_out(OsStr::new(path));
    assert!(leaves_out("svc-registry") && leaves_out("a/b.json"));
    assert!(!leaves_out("svc-registry2") && !leaves_out("b.json") && !leaves_out("x/svc-registry"));
}

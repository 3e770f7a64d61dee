//! Changed and made-up files of every language, read by every parser: none panics, loops or says what the table does not
//! know, and the same bytes tell the same twice.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    panic,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use svc_core::package::sighting::Seen;
use svc_facts::{STACK_BYTES, language::Language, of_bytes, of_code, wire};
use svc_testkit::campaign::{Random, Record, count, in_parallel};

/// What a file begins as, by the language it is read in.
const SEEDS: &[(&str, &str, &[&str])] = &[
    (
        "scripts",
        "a.js",
        &[
            "const { eval: e } = window; e(`a${b}`); (0, eval)('x'); new Function('a', b)();",
            "import a from './a.js'; export * from 'https://a.example/b.js'; await import(`./${c}.js`);",
            "fetch(new URL('/x', 'https://a.example')).then((r) => r.json()); navigator.sendBeacon?.(u, d);",
            "class A extends B { #p = 1; static { this.q = () => localStorage.getItem('k'); } get x() { return this.#p; } }",
            "label: for await (const [a, { b = 1, ...c }] of d) { if (!a) continue label; else break; }",
            "s = document.createElement('script'); s.src = '//a.example/x.js'; document.write('<script>a</scr' + 'ipt>');",
            "var t = e[t.x]; var o = p ? o : q, p = o || p; fetch(o); window[['ev', 'al'].join('')](o); a ??= b?.c?.[d];",
        ],
    ),
    (
        "pages",
        "a.html",
        &[
            "<!doctype html><html><head><meta charset=utf-8><base href=//a.example/><script type=module>import 'a'</script>",
            "<body onload=\"go()\"><a href=' java&#10;script:x'>a</a><img srcset='a.png 1x, //b.example/c 2x'><iframe srcdoc='&lt;p&gt;'>",
            "<svg><script xlink:href=a.js /><style>@import url(//a.example);</style><![CDATA[x]]></svg><math><mi></math>",
            "<noscript><img src=a></noscript><template><p style='a:url(b)'></template><textarea></title></textarea><!--x--!>",
            "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'b'>]><html xmlns='x'><script>//<![CDATA[\n//]]></script></html>",
        ],
    ),
    (
        "drawings",
        "a.svg",
        &[
            "<svg xmlns='http://www.w3.org/2000/svg' onload='a()'><a xlink:href='javascript:b'/><set attributeName='href' to='x'/></svg>",
            "<?xml-stylesheet href='//a.example/b.css'?><svg><foreignObject><iframe src='//c.example'/></foreignObject></svg>",
        ],
    ),
    (
        "styles",
        "a.css",
        &[
            "@charset 'utf-8'; @import url('//a.example/b.css') screen; @font-face { src: local(x), url(a.woff2) format('woff2'); }",
            "a[href^='https'] { background: \\75rl(//b.example/c.png), image-set('d.png' 1x); --x: url( e ); } @media (a) { b { c: d } }",
        ],
    ),
];

/// Pieces that languages are made of.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "`${",
    "`",
    "'",
    "\"",
    "\\",
    "/",
    "/*",
    "*/",
    "//",
    "<!--",
    "-->",
    "<",
    ">",
    "</",
    "=>",
    "?.",
    "...",
    "eval",
    "window",
    "import(",
    "fetch('https://a.example')",
    "url(",
    "@import ",
    "<script>",
    "</script>",
    "<svg>",
    "</svg>",
    "<style>",
    " onload=",
    "&#x6a;",
    "\u{feff}",
    "\u{2028}",
    "\0",
    "\u{1f326}",
    "async ",
    "await ",
    "yield ",
    "static ",
    "#",
    "=",
    ";",
    ":",
    ",",
    "!",
    "\n",
    "<?xml",
    "<![CDATA[",
    "]]>",
    "javascript:",
    "data:text/html,",
    "0x",
    "1e9",
    "n",
];

fn changed(seed: &str, random: &mut Random) -> Vec<u8> {
    let mut text: Vec<u8> = seed.as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(text.len() + 1);
        match random.below(6) {
            0 => text.truncate(at),
            1 => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            2 if at < text.len() => text[at] ^= 1 << random.below(8),
            3 if at < text.len() => {
                let end = (at + random.below(24)).min(text.len());
                let piece = text[at..end].to_vec();
                let times = 1 + random.below(40);
                drop(text.splice(at..at, piece.repeat(times)));
            }
            4 if at < text.len() => drop(text.drain(at..(at + random.below(12)).min(text.len()))),
            _ => text.push(u8::try_from(random.below(256)).unwrap()),
        }
        text.truncate(8192);
    }
    text
}

fn wasm(random: &mut Random) -> Vec<u8> {
    let mut bytes =
        b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x09\x01\x03env\x01a\0\0\x03\x02\x01\0\x0a\x04\x01\x02\0\x0b".to_vec();
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            1 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
            _ => bytes.truncate(at.max(9)),
        }
    }
    bytes
}

/// What is wrong with reading a file.
fn fault(path: &str, bytes: &[u8]) -> Option<String> {
    let started = Instant::now();
    let read = || -> (Seen, usize) {
        let seen = Language::of(path, bytes).map(|language| of_code(language, bytes)).unwrap_or_default();
        (seen, of_bytes(path, bytes).len())
    };
    let Ok((seen, others)) = panic::catch_unwind(read) else { return Some("panics".to_owned()) };
    if started.elapsed() > Duration::from_secs(5) {
        return Some(format!("takes {:?}", started.elapsed()));
    }
    if read() != (seen.clone(), others) {
        return Some("tells something else the second time".to_owned());
    }
    (wire::from_bytes(&wire::to_bytes(&seen)) != Some(seen)).then(|| "does not arrive as it was".to_owned())
}

#[test]
fn no_file_breaks_a_parser() {
    let each = count(400, 1_000_000);
    let found = Mutex::new(Vec::new());
    let kinds: Vec<(&str, &str, &[&str])> =
        SEEDS.iter().copied().chain([("WebAssembly", "a.wasm", &[] as &[&str])]).collect();
    let parts: Vec<(usize, usize)> = (0..kinds.len()).flat_map(|kind| (0..2).map(move |half| (kind, half))).collect();
    in_parallel(&parts, |(kind, half)| {
        let (name, path, seeds) = kinds[*kind];
        let work = || {
            let mut random = Random::new(&format!("{name} {half}"));
            for _ in 0..each / 2 {
                let bytes = match seeds.len() {
                    0 => wasm(&mut random),
                    count => changed(seeds[random.below(count)], &mut random),
                };
                if let Some(fault) = fault(path, &bytes) {
                    found.lock().unwrap().push(format!("{name}: {fault}: {:?}", String::from_utf8_lossy(&bytes)));
                }
            }
        };
        thread::scope(|scope| {
            thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap().join().unwrap();
        });
    });
    let counts = kinds.iter().map(|(name, ..)| (format!("changed {name}"), each)).collect();
    let tried = "Files of every language are cut, joined, repeated and flipped; each is read twice by its parser.";
    Record { name: "parsers", tried, counts, found: found.into_inner().unwrap() }.close();
}

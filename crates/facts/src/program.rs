//! Native programs and archives, by their bytes; by name only what has no mark of its own and is run for its name.

use svc_core::package::fact_table::{
    ARCHIVE_DISK_IMAGE, ARCHIVE_GZIP, ARCHIVE_OTHER, ARCHIVE_RAR, ARCHIVE_SEVEN_ZIP, ARCHIVE_TAR, ARCHIVE_ZIP,
    BINARY_ELF, BINARY_FLASH, BINARY_JAVA_CLASS, BINARY_MACH_O, BINARY_RUN_BY_NAME, BINARY_SHELL_SCRIPT,
    BINARY_SHORTCUT, BINARY_WINDOWS, FactSpec,
};

/// The kind of program or archive a file is.
pub(crate) fn find(path: &str, bytes: &[u8]) -> Option<&'static FactSpec> {
    native(bytes)
        .or_else(|| archive(bytes))
        .or_else(|| shell_script(bytes))
        .or_else(|| shortcut(path, bytes))
        .or_else(|| run_by_name(path, bytes))
}

type Test = fn(&[u8]) -> bool;

fn native(bytes: &[u8]) -> Option<&'static FactSpec> {
    let checks: [(Test, &'static FactSpec); 6] = [
        (is_elf, &BINARY_ELF),
        (is_windows, &BINARY_WINDOWS),
        (is_mach_o, &BINARY_MACH_O),
        (is_java_class, &BINARY_JAVA_CLASS),
        (is_flash, &BINARY_FLASH),
        (is_windows_link, &BINARY_SHORTCUT),
    ];
    checks.iter().find(|(is, _)| is(bytes)).map(|(_, what)| *what)
}

fn is_elf(bytes: &[u8]) -> bool {
    matches!(bytes, [0x7F, b'E', b'L', b'F', 1 | 2, 1 | 2, 1, ..])
}

/// `MZ` begins texts too, so the header must point at a second one.
fn is_windows(bytes: &[u8]) -> bool {
    let Some(offset) = bytes.strip_prefix(b"MZ").and_then(|_| little_u32(bytes, 0x3C)) else { return false };
    let header = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
    let is_named = [&b"PE\0\0"[..], b"NE", b"LE", b"LX"].iter().any(|name| header.starts_with(name));
    is_named || is_dos(bytes)
}

/// A program of DOS has no second header; its pages and relocations fit the file.
fn is_dos(bytes: &[u8]) -> bool {
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| usize::from(u16::from_le_bytes(*word)));
    let (Some(last), Some(pages), Some(paragraphs)) = (word(2), word(4), word(8)) else { return false };
    let size = pages.saturating_mul(512).saturating_sub(if last == 0 { 0 } else { 512 - last.min(512) });
    last < 512 && pages > 0 && size <= bytes.len() && paragraphs >= 2 && paragraphs * 16 <= size
}

/// How many programs a universal one holds at most; where it would say so, a Java class has a version of 45 or more.
const UNIVERSAL: u32 = 40;

fn is_mach_o(bytes: &[u8]) -> bool {
    match bytes {
        [0xFE, 0xED, 0xFA, 0xCE | 0xCF, ..] | [0xCE | 0xCF, 0xFA, 0xED, 0xFE, ..] => bytes.len() >= 8,
        [0xCA, 0xFE, 0xBA, 0xBE | 0xBF, ..] => big_u32(bytes, 4).is_some_and(|count| (1..UNIVERSAL).contains(&count)),
        _ => false,
    }
}

fn is_java_class(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xCA\xFE\xBA\xBE") && big_u32(bytes, 4).is_some_and(|version| version & 0xFFFF >= UNIVERSAL)
}

/// Three letters, a version and the length of the whole.
fn is_flash(bytes: &[u8]) -> bool {
    let Some(length) = little_u32(bytes, 4) else { return false };
    let is_plain = bytes.starts_with(b"FWS") && usize::try_from(length).is_ok_and(|length| length == bytes.len());
    let is_packed = match bytes {
        [b'C', b'W', b'S', _, _, _, _, _, 0x78, ..] => true,
        _ => bytes.starts_with(b"ZWS") && bytes.len() > 17,
    };
    matches!(bytes.get(3), Some(1..=60)) && length >= 8 && (is_plain || is_packed)
}

fn is_windows_link(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x4C\0\0\0\x01\x14\x02\0\0\0\0\0\xC0\0\0\0\0\0\0\x46")
}

/// How archives begin; what is checked further has a function of its own.
static ARCHIVES: &[(&[u8], &FactSpec)] = &[
    (b"PK\x03\x04", &ARCHIVE_ZIP),
    (b"PK\x05\x06", &ARCHIVE_ZIP),
    (b"PK\x07\x08PK", &ARCHIVE_ZIP),
    (b"Cr24", &ARCHIVE_ZIP),
    (b"\x1F\x8B\x08", &ARCHIVE_GZIP),
    (b"7z\xBC\xAF\x27\x1C", &ARCHIVE_SEVEN_ZIP),
    (b"Rar!\x1A\x07", &ARCHIVE_RAR),
    (b"\xFD7zXZ\0", &ARCHIVE_OTHER),
    (b"\x28\xB5\x2F\xFD", &ARCHIVE_OTHER),
    (b"\x04\x22\x4D\x18", &ARCHIVE_OTHER),
    (b"LZIP\x01", &ARCHIVE_OTHER),
    (b"MSCF\0\0\0\0", &ARCHIVE_OTHER),
    (b"!<arch>\n", &ARCHIVE_OTHER),
    (b"\xED\xAB\xEE\xDB", &ARCHIVE_OTHER),
    (b"xar!", &ARCHIVE_OTHER),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", &ARCHIVE_OTHER),
    (b"070701", &ARCHIVE_OTHER),
];

fn archive(bytes: &[u8]) -> Option<&'static FactSpec> {
    let by_start = ARCHIVES.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, what)| *what);
    by_start.filter(|what| *what != &ARCHIVE_OTHER || !is_short_text(bytes)).or_else(|| {
        let is_at = |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
        match () {
            () if is_at(257, b"ustar\0") || is_at(257, b"ustar  \0") => Some(&ARCHIVE_TAR),
            () if is_bzip(bytes) => Some(&ARCHIVE_OTHER),
            () if is_at(0x8001, b"CD001") || is_apple_image(bytes) => Some(&ARCHIVE_DISK_IMAGE),
            () if is_archive_with_stub(bytes) => Some(&ARCHIVE_ZIP),
            () => None,
        }
    })
}

/// Marks of letters alone could begin a text; an archive has other bytes nearby.
fn is_short_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(512)).unwrap_or_default();
    !bytes.starts_with(b"!<arch>\n") && head.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

/// The level, then the number that every block begins with: that of the circle, or the root of it where there is none.
fn is_bzip(bytes: &[u8]) -> bool {
    let is_block = |rest: &[u8]| rest.starts_with(b"1AY&SY") || rest.starts_with(b"\x17\x72\x45\x38\x50\x90");
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if is_block(rest))
}

/// The trailer of a disk image stands in its last 512 bytes.
fn is_apple_image(bytes: &[u8]) -> bool {
    let trailer = bytes.len().checked_sub(512).and_then(|at| bytes.get(at..));
    trailer.is_some_and(|trailer| trailer.starts_with(b"koly\0\0\0\x04"))
}

/// A ZIP is read from its end, so that anything may stand before it: the record of its end, with no comment.
fn is_archive_with_stub(bytes: &[u8]) -> bool {
    let end = bytes.len().checked_sub(22);
    let record = end.and_then(|at| bytes.get(at..)).filter(|record| record.starts_with(b"PK\x05\x06"));
    let (Some(end), Some(record)) = (end, record) else { return false };
    let size = little_u32(record, 12).and_then(|size| usize::try_from(size).ok());
    let directory = size.and_then(|size| end.checked_sub(size)).and_then(|at| bytes.get(at..));
    record.ends_with(b"\0\0") && directory.is_some_and(|directory| directory.starts_with(b"PK\x01\x02"))
}

/// Interpreters that run what a browser runs: their line is harmless in a script of the package.
const SCRIPT_HOSTS: &[&str] = &["bun", "bunx", "deno", "node", "nodejs", "qjs", "tsx", "ts-node", "zx"];

fn shell_script(bytes: &[u8]) -> Option<&'static FactSpec> {
    let rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).strip_prefix(b"#!")?;
    let line =
        rest.get(..rest.len().min(256)).unwrap_or_default().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let program = name_of(words.next()?);
    // `#![allow]` and the like begin other languages: an interpreter is named by its path.
    if !line.trim_start().starts_with('/') {
        return None;
    }
    let host = match program {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('=')).map(name_of).unwrap_or_default(),
        _ => program,
    };
    (!SCRIPT_HOSTS.contains(&host)).then_some(&BINARY_SHELL_SCRIPT)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Shortcuts are texts: the first lines tell, and the name where others write such texts too.
fn shortcut(path: &str, bytes: &[u8]) -> Option<&'static FactSpec> {
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let head = start.get(..start.len().min(1024)).unwrap_or_default();
    let has_line =
        |line: &[u8]| head.split(|byte| *byte == b'\n').any(|one| one.trim_ascii().eq_ignore_ascii_case(line));
    let is_shortcut = match extension(path).as_str() {
        "desktop" => has_line(b"[Desktop Entry]"),
        "url" | "website" => has_line(b"[InternetShortcut]"),
        "webloc" => head.starts_with(b"bplist") || head.starts_with(b"<?xml") || head.starts_with(b"<plist"),
        _ => head.starts_with(b"[Desktop Entry]") || head.starts_with(b"[InternetShortcut]"),
    };
    is_shortcut.then_some(&BINARY_SHORTCUT)
}

/// Extensions of texts that a system runs or merges when somebody opens them.
const RUN_BY_NAME: &[&str] = &[
    "applescript",
    "bat",
    "chm",
    "cmd",
    "command",
    "cpl",
    "fish",
    "hta",
    "inf",
    "jse",
    "mobileconfig",
    "msc",
    "ps1",
    "ps1xml",
    "psd1",
    "psm1",
    "reg",
    "scf",
    "scpt",
    "sct",
    "settingcontent-ms",
    "terminal",
    "vb",
    "vbe",
    "vbs",
    "wsc",
    "wsf",
    "wsh",
];

fn run_by_name(path: &str, bytes: &[u8]) -> Option<&'static FactSpec> {
    let extension = extension(path);
    (RUN_BY_NAME.contains(&extension.as_str()) && !bytes.is_empty()).then_some(&BINARY_RUN_BY_NAME)
}

fn extension(path: &str) -> String {
    name_of(path).rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

fn little_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn big_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(path: &str, bytes: &[u8]) -> Option<(&'static str, &'static str)> {
        find(path, bytes).map(|what| (what.kind, what.word))
    }

    fn windows(header: &[u8]) -> Vec<u8> {
        let mut bytes = b"MZ".to_vec();
        bytes.resize(0x3C, 0);
        bytes.extend(0x80_u32.to_le_bytes());
        bytes.resize(0x80, 0);
        bytes.extend(header);
        bytes
    }

    fn tar() -> Vec<u8> {
        let mut bytes = b"a.txt".to_vec();
        bytes.resize(257, 0);
        bytes.extend(b"ustar\x0000");
        bytes.resize(1024, 0);
        bytes
    }

    fn with_stub() -> Vec<u8> {
        let mut bytes = b"GIF89a and more".to_vec();
        bytes.extend(b"PK\x01\x02");
        bytes.resize(15 + 46, 0);
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend(46_u32.to_le_bytes());
        bytes.extend([0; 6]);
        bytes
    }

    #[test]
    fn programs_are_told_by_their_bytes_under_any_name() {
        let flash = [&b"FWS\x0A"[..], &12_u32.to_le_bytes(), b"abcd"].concat();
        let cases: Vec<(Vec<u8>, &str)> = vec![
            (b"\x7fELF\x02\x01\x01\0".to_vec(), "elf"),
            (windows(b"PE\0\0\x64\x86"), "windows"),
            (windows(b"NE\x05"), "windows"),
            (b"\xcf\xfa\xed\xfe\x07\0\0\x01".to_vec(), "mach-o"),
            (b"\xfe\xed\xfa\xce\0\0\0\x12".to_vec(), "mach-o"),
            (b"\xca\xfe\xba\xbe\0\0\0\x02\x01\0\0\x07".to_vec(), "mach-o"),
            (b"\xca\xfe\xba\xbe\0\0\0\x34\0\x10".to_vec(), "java-class"),
            (b"\xca\xfe\xba\xbe\xff\xff\0\x41\0\x10".to_vec(), "java-class"),
            (flash, "flash"),
            (b"CWS\x0A\0\x10\0\0\x78\x9c".to_vec(), "flash"),
            (b"\x4C\0\0\0\x01\x14\x02\0\0\0\0\0\xC0\0\0\0\0\0\0\x46\x81".to_vec(), "shortcut"),
        ];
        for (bytes, expected) in cases {
            for path in ["a", "logo.png", "lib/a.txt"] {
                assert_eq!(word(path, &bytes), Some(("binary", expected)));
            }
        }
    }

    #[test]
    fn archives_are_told_by_their_bytes_under_any_name() {
        let cases: Vec<(Vec<u8>, &str)> = vec![
            (b"PK\x03\x04\x14\0\0\0".to_vec(), "zip"),
            (b"Cr24\x03\0\0\0".to_vec(), "zip"),
            (with_stub(), "zip"),
            (b"\x1f\x8b\x08\0\0".to_vec(), "gzip"),
            (tar(), "tar"),
            (b"BZh91AY&SY\x01".to_vec(), "other"),
            (b"\xFD7zXZ\0\0\x04".to_vec(), "other"),
            (b"\x28\xB5\x2F\xFD\x04".to_vec(), "other"),
            (b"MSCF\0\0\0\0\x10".to_vec(), "other"),
            (b"7z\xBC\xAF\x27\x1C\0\x04".to_vec(), "seven-zip"),
            (b"Rar!\x1A\x07\x01\0".to_vec(), "rar"),
            (b"!<arch>\ndebian-binary".to_vec(), "other"),
        ];
        for (bytes, expected) in cases {
            for path in ["a", "logo.png", "a.docx"] {
                assert_eq!(word(path, &bytes), Some(("archive", expected)));
            }
        }
        let mut disk = vec![0; 0x8001];
        disk.extend(b"CD001\x01");
        assert_eq!(word("a.bin", &disk), Some(("archive", "disk-image")));
    }

    #[test]
    fn a_script_is_told_by_who_runs_it() {
        let fires = [
            "#!/bin/sh\n",
            "#!/usr/bin/env bash\r\n",
            "#! /usr/bin/python3 -u\n",
            "#!/usr/bin/env -S perl -w\n",
            "#!/usr/bin/env A=b sh",
            "\u{feff}#!/bin/zsh\n",
        ];
        for text in fires {
            assert_eq!(word("tools/a.js", text.as_bytes()), Some(("binary", "shell-script")), "{text}");
        }
        let passes = [
            "#!/usr/bin/env node\nmain()",
            "#!/usr/bin/env -S node --no-warnings\n",
            "#!/usr/bin/env -S deno run --allow-net\n",
            "#!/usr/bin/env -S A=b node\n",
            "#!/usr/local/bin/node --harmony\r\n",
            "#!/usr/bin/env bun\n",
            "#![allow(dead_code)]\n",
            "# !/bin/sh",
        ];
        for text in passes {
            assert_eq!(word("cli.js", text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_systems_open_for_its_name_is_told() {
        let cases: [(&str, &[u8], &str); 11] = [
            ("a/Board.desktop", b"#!x\n[Desktop Entry]\nExec=sh", "shortcut"),
            ("menu", b"[Desktop Entry]\nExec=sh", "shortcut"),
            ("Home.URL", b"[InternetShortcut]\r\nURL=https://a.example", "shortcut"),
            ("home.webloc", b"<?xml version=\"1.0\"?><plist>", "shortcut"),
            ("a.hta", b"<html>", "run-by-name"),
            ("a.BAT", b"@echo off", "run-by-name"),
            ("a.cmd", b"dir", "run-by-name"),
            ("a.ps1", b"Get-Item", "run-by-name"),
            ("a.vbs", b"MsgBox 1", "run-by-name"),
            ("a.reg", b"Windows Registry Editor", "run-by-name"),
            ("a.command", b"ls", "run-by-name"),
        ];
        for (path, bytes, expected) in cases {
            assert_eq!(word(path, bytes), Some(("binary", expected)), "{path}");
        }
    }

    #[test]
    fn harmless_files_are_neither_programs_nor_archives() {
        let cases: [(&str, &[u8]); 20] = [
            ("locales/so.so", b"{\"hello\": \"iska warran\"}"),
            ("a.dll", b"a text"),
            ("a.exe", b""),
            (
                "mz.txt",
                b"MZ is what programs begin with, and this text of more than sixty-four bytes too, as can be seen",
            ),
            ("a.bat", b""),
            ("a.woff2", b"wOF2\0\x01\0\0"),
            ("a.png", b"\x89PNG\r\n\x1a\n"),
            ("a.mp4", b"\0\0\0\x20ftypisom"),
            ("a.wasm", b"\0asm\x01\0\0\0"),
            ("a.txt", b"BZh9 is a level"),
            ("a.txt", b"Rar! was heard"),
            ("a.txt", b"FWS and CWS are not CWS"),
            ("a.txt", b"xar! said the text"),
            ("a.txt", b"070701 is a date"),
            ("a.txt", b"Cr2 is a formula"),
            ("a.pdf", b"%PDF-1.7"),
            ("a.ttf", b"\0\x01\0\0\0\x10"),
            ("a.ini", b"[Section]\nURL=a"),
            ("desktop.md", b"A file begins with\n[Desktop Entry]"),
            ("a.url", b"https://a.example"),
        ];
        for (path, bytes) in cases {
            assert_eq!(word(path, bytes), None, "{path} {bytes:?}");
        }
    }
}

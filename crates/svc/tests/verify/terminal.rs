//! Nothing that a registry says moves the terminal of whoever verifies it.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use crate::{hosted, make_bundle};

/// What turns or colours text, as far as a header can hold it; the body below holds the rest.
const HOSTILE: &str = "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: \u{9b}31m\u{202e}<script>%0A|\r\n\
    svc-decision: \u{9b}2J\r\ncontent-length: 118\r\n\r\n";

#[test]
fn no_answer_reaches_the_terminal_unescaped() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let body =
        "{\"code\":\"\\u001b[31m\\n::error::forged\",\"accepted\":\"\\u001b]8;;x\\u0007<script>|\",\"\\u202e\":1}";
    let answer = HOSTILE.replace("118", &body.len().to_string()) + body;
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 65536]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    for format in ["human", "concise", "json", "junit", "github"] {
        let run = hosted(folder.path(), &address, &["--format", format]).exits(7);
        for text in [&run.stdout, &run.stderr] {
            let moving = text.chars().find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{9b}".contains(*c));
            assert_eq!(moving, None, "{format}: {text}");
            assert!(!text.lines().any(|line| line.starts_with("::error::forged")), "{format}: {text}");
        }
    }
}

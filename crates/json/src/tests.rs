//! Every refusal with its exact place, the bounds from both sides, and the agreement of the two readers.

use proptest::{
    prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof},
    sample::Index,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::{Map, Value as Json};

use crate::{
    bounds, characters,
    fault::{Fault, FaultKind, Span},
    pointer::Pointer,
    position::Position,
    survey::{self, Surveyed},
    tree::{self, Node, Value},
    typed,
};

/// Start and end of a span, or line and column.
type At = (usize, usize);

/// Every fault of a text, whether it stopped the reading or not.
fn faults(bytes: &[u8]) -> Vec<Fault> {
    match tree::read(bytes) {
        Ok(document) => document.faults,
        Err(faults) => faults,
    }
}

/// The typed read of a type that takes any JSON.
fn typed_reads(bytes: &[u8]) -> bool {
    typed::from_slice::<Json>(bytes).is_ok()
}

fn assert_fine(bytes: &[u8]) {
    assert_eq!(faults(bytes), [], "{}", shown(bytes));
    assert!(typed_reads(bytes), "{}", shown(bytes));
}

/// The text has exactly one fault, of this kind and at this place, and the typed read refuses it too.
fn assert_fault(bytes: &[u8], kind: FaultKind, span: At) {
    let faults = faults(bytes);
    let found: Vec<_> = faults.iter().map(|fault| (fault.kind, (fault.span.start, fault.span.end))).collect();
    assert_eq!(found, [(kind, span)], "{}", shown(bytes));
    assert!(!typed_reads(bytes), "the typed read took {}", shown(bytes));
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(200).collect()
}

fn in_object(value: &str) -> Vec<u8> {
    format!("{{\"a\":{value}}}").into_bytes()
}

fn position(text: &str, offset: usize) -> At {
    let Position { line, column } = Position::of(text, offset);
    (line, column)
}

#[test]
fn a_text_that_breaks_the_grammar_is_refused_where_it_breaks() {
    let cases: &[(&str, At, At, &str)] = &[
        ("", (0, 0), (1, 1), "expected a value, found the end of the document"),
        (" \n ", (3, 3), (2, 2), "expected a value, found the end of the document"),
        ("{", (1, 1), (1, 2), "expected a member name in double quotes, found the end of the document"),
        ("{\"a\"", (4, 4), (1, 5), "expected `:` after a member name, found the end of the document"),
        ("{\"a\":", (5, 5), (1, 6), "expected a value, found the end of the document"),
        ("{\"a\":1", (6, 6), (1, 7), "expected `,` or `}`, found the end of the document"),
        ("{\"a\":[1", (7, 7), (1, 8), "expected `,` or `]`, found the end of the document"),
        ("{\"a\":\"x", (7, 7), (1, 8), "expected `\"`, found the end of the document"),
        (
            "{\"a\":\"x\\",
            (8, 8),
            (1, 9),
            "expected one of \" \\ / b f n r t u after `\\`, found the end of the document",
        ),
        ("{\"a\":1,}", (7, 8), (1, 8), "a trailing comma is not JSON"),
        ("{\"a\":[1,\n]}", (9, 10), (2, 1), "a trailing comma is not JSON"),
        ("{,}", (1, 2), (1, 2), "expected a member name in double quotes"),
        ("{\"a\":[,]}", (6, 7), (1, 7), "expected a value"),
        ("{'a':1}", (1, 2), (1, 2), "expected a member name in double quotes"),
        ("{a:1}", (1, 2), (1, 2), "expected a member name in double quotes"),
        ("{1:1}", (1, 2), (1, 2), "expected a member name in double quotes"),
        ("{\"a\" 1}", (5, 6), (1, 6), "expected `:` after a member name"),
        ("{\"a\"=1}", (4, 5), (1, 5), "expected `:` after a member name"),
        ("{\"a\":1 \"b\":2}", (7, 8), (1, 8), "expected `,` or `}`"),
        ("{\"a\":[1 2]}", (8, 9), (1, 9), "expected `,` or `]`"),
        ("{\"a\":[1}", (7, 8), (1, 8), "expected `,` or `]`"),
        ("{\"a\":1]", (6, 7), (1, 7), "expected `,` or `}`"),
        ("{\"a\":tru}", (5, 6), (1, 6), "expected a value"),
        ("{\"a\":True}", (5, 6), (1, 6), "expected a value"),
        ("{\"a\":nil}", (5, 6), (1, 6), "expected a value"),
        ("{\"a\":falsy}", (5, 6), (1, 6), "expected a value"),
        ("{\"a\":truest}", (9, 10), (1, 10), "expected `,` or `}`"),
        ("{\"a\":undefined}", (5, 6), (1, 6), "expected a value"),
        ("{\"a\":/* no */1}", (5, 6), (1, 6), "expected a value"),
        ("// no\n{}", (0, 1), (1, 1), "expected a value"),
        ("{\"a\":\"\\x41\"}", (7, 8), (1, 8), "expected one of \" \\ / b f n r t u after `\\`"),
        ("{\"a\":\"\\u12\"}", (8, 9), (1, 9), "expected four hexadecimal digits"),
        ("{\"a\":\"\\u12é4\"}", (8, 9), (1, 9), "expected four hexadecimal digits"),
        ("{\"a\":\"\\u+123\"}", (8, 9), (1, 9), "expected four hexadecimal digits"),
        ("{\"a\":\"\\ud800\\u12\"}", (14, 15), (1, 15), "expected four hexadecimal digits"),
        ("{\"a\":\"x\ny\"}", (7, 8), (1, 8), "a control character must be escaped inside a string"),
        ("{\"a\":\"x\ty\"}", (7, 8), (1, 8), "a control character must be escaped inside a string"),
        ("{\"a\":\"\\n\u{1}\"}", (8, 9), (1, 9), "a control character must be escaped inside a string"),
        ("{\"é\":\"漢\",\n \"ö\":é}", (19, 21), (2, 6), "expected a value"),
        ("{\"a\":1;\"b\":2}", (6, 7), (1, 7), "expected `,` or `}`"),
        ("{\u{a0}}", (1, 3), (1, 2), "expected a member name in double quotes"),
        ("\u{c}{}", (0, 1), (1, 1), "expected a value"),
    ];
    for (text, span, place, detail) in cases {
        assert_fault(text.as_bytes(), FaultKind::Syntax, *span);
        assert_eq!(position(text, span.0), *place, "{text}");
        assert_eq!(faults(text.as_bytes())[0].detail, *detail, "{text}");
    }
}

#[test]
fn a_root_that_is_not_an_object_is_refused_as_a_whole() {
    let roots = ["[]", "[{}]", "\"{}\"", "1", "true", "false", "null"];
    for root in roots {
        assert_fault(root.as_bytes(), FaultKind::RootNotObject, (0, root.len()));
        let spaced = format!(" \n{root} ");
        assert_fault(spaced.as_bytes(), FaultKind::RootNotObject, (2, 2 + root.len()));
    }
    assert_eq!(faults(b"[]")[0].detail, "the root is a list, not an object");
}

#[test]
fn the_same_member_twice_is_refused_with_both_places() {
    let cases: &[(&str, At, At)] = &[
        ("{\"a\":1,\"a\":1}", (1, 4), (7, 10)),
        ("{\"a\":1,\"b\":2,\"a\":3}", (1, 4), (13, 16)),
        ("{\"a\":1,\"\\u0061\":1}", (1, 4), (7, 15)),
        ("{\"\\u0061\":1,\"a\":1}", (1, 9), (12, 15)),
        ("{\"install\\u0061ble\":false,\"installable\":true}", (1, 19), (26, 39)),
        ("{\"\":1,\"\":2}", (1, 3), (6, 8)),
        ("{\"😀\":1,\"\\ud83d\\ude00\":1}", (1, 7), (10, 24)),
        ("{\"a/b\":1,\"a\\/b\":1}", (1, 6), (9, 15)),
        ("{\"x\":{\"a\":1,\"a\":1}}", (6, 9), (12, 15)),
        ("{\"x\":[{\"a\":1,\"a\":1}]}", (7, 10), (13, 16)),
    ];
    for (text, first, second) in cases {
        assert_fault(text.as_bytes(), FaultKind::DuplicateMember, *second);
        let fault = &faults(text.as_bytes())[0];
        assert_eq!(fault.first, Some(Span::new(first.0, first.1)), "{text}");
    }
}

#[test]
fn a_member_named_three_times_is_refused_twice() {
    let text = b"{\"a\":1,\"a\":2,\"a\":3}";
    let spans: Vec<_> = faults(text).iter().map(|fault| (fault.first, fault.span)).collect();
    let first = Some(Span::new(1, 4));
    assert_eq!(spans, [(first, Span::new(7, 10)), (first, Span::new(13, 16))]);
    assert!(!typed_reads(text));
}

#[test]
fn names_that_only_look_alike_are_different_members() {
    for text in [
        "{\"a\":1,\"A\":1}",
        "{\"a\":1,\"a \":1}",
        "{\"\u{e9}\":1,\"e\u{301}\":1}",
        "{\"a\":1,\"а\":1}",
        "{\"x\":{\"a\":1},\"y\":{\"a\":1}}",
        "{\"a\":{\"a\":{\"a\":1}}}",
    ] {
        assert_fine(text.as_bytes());
    }
}

fn nested(open: &str, close: &str, levels: usize) -> Vec<u8> {
    // The root object is a level itself.
    format!("{{\"a\":{}1{}}}", open.repeat(levels - 1), close.repeat(levels - 1)).into_bytes()
}

#[test]
fn a_level_beyond_the_bound_is_refused_where_it_opens() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let step = if open.len() > 5 { 2 } else { 1 };
        let fine = (bounds::DEPTH - 1) / step + 1;
        assert_fine(&nested(open, close, fine));
        let place = "{\"a\":".len() + open.len() * (fine - 1) + open.len() - if step == 2 { 5 } else { open.len() };
        assert_fault(&nested(open, close, fine + 1), FaultKind::TooLarge, (place, place + 1));
    }
    assert_fine(&nested("[", "]", 32));
    assert_eq!(faults(&nested("[", "]", 33))[0].detail, "nested deeper than 32 levels");
}

#[test]
fn levels_that_were_left_do_not_count() {
    let element = format!("{}{}", "[".repeat(30), "]".repeat(30));
    let text = format!("{{\"a\":[{element},{element},{element}],\"b\":{{\"c\":{element}}}}}");
    assert_fine(text.as_bytes());
}

#[test]
fn endless_nesting_is_refused_without_falling_over() {
    for opening in ["[", "{\"a\":", "[[{\"a\":"] {
        let text = format!("{{\"a\":{}", opening.repeat(100_000));
        assert_eq!(faults(text.as_bytes()).len(), 1);
        assert_eq!(faults(text.as_bytes())[0].kind, FaultKind::TooLarge);
        assert!(!typed_reads(text.as_bytes()));
    }
    let bare = "[".repeat(100_000);
    assert_eq!(faults(bare.as_bytes())[0].kind, FaultKind::TooLarge);
    assert!(!typed_reads(bare.as_bytes()));
}

#[test]
fn numbers_that_readers_understand_differently_are_refused_whole() {
    for number in [
        "-0",
        "0.0",
        "-0.0",
        "1.0",
        "1.5",
        "-1.5",
        "0.1",
        "1e0",
        "1e2",
        "1E2",
        "1e+2",
        "1e-2",
        "1E+2",
        "0e0",
        "0e1",
        "-0e1",
        "1e400",
        "-1e400",
        "1e-400",
        "1.0e10",
        "123.456e78",
        "0.4e00669999999999999999999999999999999999999999999999999999999999999999999969999999006",
        "9007199254740992",
        "-9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "100000000000000000000000000000000000000000",
        "-123123123123123123123123123123",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "5e-324",
        "-237462374673276894279832749832423479823246327846",
        // No JSON at all, but told as what the author meant: a number.
        "1.",
        "1.e1",
        "1e",
        "1e+",
        "1.2.3",
        "1-2",
        "1+2",
        "0-1",
    ] {
        assert_fault(&in_object(number), FaultKind::Number, (5, 5 + number.len()));
    }
}

#[test]
fn texts_that_are_no_numbers_are_refused_as_syntax() {
    for (text, span) in [
        ("01", (5, 7)),
        ("-01", (5, 8)),
        ("00", (5, 7)),
        ("-00", (5, 8)),
        ("0123.5", (5, 11)),
        ("-", (5, 6)),
        ("--1", (5, 8)),
        ("-.5", (5, 8)),
        ("-e1", (5, 8)),
        ("-Infinity", (5, 6)),
        ("-NaN", (5, 6)),
        ("+1", (5, 6)),
        (".5", (5, 6)),
        ("NaN", (5, 6)),
        ("nan", (5, 6)),
        ("Infinity", (5, 6)),
        ("inf", (5, 6)),
        ("0x1F", (6, 7)),
        ("1f", (6, 7)),
        ("1_000", (6, 7)),
        ("1,000.0", (7, 8)),
        ("１", (5, 8)),
        ("٣", (5, 7)),
        ("1 2", (7, 8)),
    ] {
        assert_fault(&in_object(text), FaultKind::Syntax, span);
    }
}

#[test]
fn integers_up_to_the_bound_are_read_exactly() {
    for number in [0, 1, -1, 10, -10, 100, bounds::INTEGER - 1, bounds::INTEGER, -bounds::INTEGER] {
        let text = in_object(&number.to_string());
        assert_fine(&text);
        let document = tree::read(&text).unwrap();
        assert_eq!(document.root.get("a").unwrap().value, Value::Integer(number));
    }
    assert_eq!(bounds::INTEGER, 9_007_199_254_740_991);
}

#[test]
fn numbers_of_every_length_are_read_as_they_are_written() {
    #[derive(serde::Deserialize)]
    struct Counted {
        a: u64,
    }

    for digits in ["0", "7", "10", "123456789", "1234567890", "9007199254740991", "9007199254740992", "00", "01", "-1"]
    {
        for (before, after) in [("", ""), (" ", " "), ("\n  ", "\n"), ("", ".5"), ("", "e1"), ("", "-"), ("", "a")] {
            let text = format!("{{\"a\":{before}{digits}{after}}}");
            let read = typed::from_slice::<Counted>(text.as_bytes()).ok().map(|counted| counted.a);
            let plain = after.trim().is_empty() && (digits == "0" || !digits.starts_with('0'));
            let expected = digits.parse().ok().filter(|number| plain && *number <= bounds::INTEGER as u64);
            assert_eq!(read, expected, "{text}");
        }
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_at_the_first_of_them() {
    let cases: &[(&[u8], At)] = &[
        (b"\xEF\xBB\xBF{}", (0, 3)),
        (b"\xEF\xBB\xBF", (0, 3)),
        (b"\xFE\xFF\0{\0}", (0, 1)),
        (b"\xFF\xFE{\0}\0", (0, 1)),
        (b"{\"a\":\"\x80\"}", (6, 7)),
        (b"{\"a\":\"\xFF\"}", (6, 7)),
        (b"{\"a\":\"\xC0\xAF\"}", (6, 7)),
        (b"{\"a\":\"\xC0\x80\"}", (6, 7)),
        (b"{\"a\":\"\xE0\x80\xAF\"}", (6, 7)),
        (b"{\"a\":\"\xF0\x80\x80\xAF\"}", (6, 7)),
        (b"{\"a\":\"\xF8\x88\x80\x80\x80\"}", (6, 7)),
        (b"{\"a\":\"\xED\xA0\x80\"}", (6, 7)),
        (b"{\"a\":\"\xED\xBF\xBF\"}", (6, 7)),
        (b"{\"a\":\"\xF4\x90\x80\x80\"}", (6, 7)),
        (b"{\"a\":\"\xE6\xBC\"}", (6, 8)),
        (b"{\"a\xE9\":1}", (3, 4)),
        (b"{\"a\":1}\xFF", (7, 8)),
        (b"{\"a\":\"\xE6\xBC", (6, 7)),
    ];
    for (bytes, span) in cases {
        assert_fault(bytes, FaultKind::NotUtf8, *span);
    }
}

#[test]
fn utf16_and_utf32_are_not_read() {
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> { "{\"a\":1}".encode_utf16().flat_map(order).collect() };
    for bytes in [utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)] {
        assert_ne!(faults(&bytes), []);
        assert!(!typed_reads(&bytes));
    }
    let utf32: Vec<u8> = "{}".chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
    assert_ne!(faults(&utf32), []);
    assert!(!typed_reads(&utf32));
}

#[test]
fn half_a_surrogate_pair_is_refused_at_its_escape() {
    for (text, start, end) in [
        ("\\ud800", 6, 12),
        ("\\uD800", 6, 12),
        ("\\udbff", 6, 12),
        ("\\udc00", 6, 12),
        ("\\udfff", 6, 12),
        ("ab\\ud800cd", 8, 14),
        ("\\ud800x", 6, 12),
        ("\\ud800\\n", 6, 12),
        ("\\ud800\\u0041", 6, 12),
        ("\\ud800\\ud800", 6, 12),
        ("\\ud800\\ud83d\\ude00", 6, 12),
        ("\\ude00\\ud83d", 6, 12),
        ("\\ud83d\\ude00\\ude00", 18, 24),
    ] {
        assert_fault(&in_object(&format!("\"{text}\"")), FaultKind::NotUtf8, (start, end));
    }
    assert_fault(b"{\"\\ud800\":1}", FaultKind::NotUtf8, (2, 8));
    let document = tree::read(b"{\"a\":\"\\ud83d\\ude00\\u00e9\"}").unwrap();
    assert_eq!(document.root.get("a").unwrap().as_str(), Some("😀é"));
}

#[test]
fn nul_is_refused_however_it_is_written() {
    assert_fault(b"{\"a\":\"x\0y\"}", FaultKind::Syntax, (7, 8));
    assert_fault(b"{\"a\":\"x\\u0000y\"}", FaultKind::Character, (5, 15));
    assert_fault(b"{\"x\\u0000\":1}", FaultKind::Character, (1, 10));
    assert_fault(b"{}\0", FaultKind::TrailingData, (2, 3));
    assert_fault(b"\0{}", FaultKind::Syntax, (0, 1));
    assert_fault(b"{\0}", FaultKind::Syntax, (1, 2));
}

/// The string that holds one character, by its escape.
fn escaped(character: char) -> String {
    let mut units = [0; 2];
    character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

#[test]
fn characters_that_hide_or_move_text_are_refused_raw_and_escaped() {
    for (character, name) in [
        ('\u{7f}', "control character"),
        ('\u{80}', "control character"),
        ('\u{85}', "control character"),
        ('\u{9f}', "control character"),
        ('\u{61c}', "bidirectional mark"),
        ('\u{200b}', "zero-width space"),
        ('\u{200e}', "bidirectional mark"),
        ('\u{200f}', "bidirectional mark"),
        ('\u{2028}', "line or paragraph separator"),
        ('\u{2029}', "line or paragraph separator"),
        ('\u{202a}', "bidirectional control"),
        ('\u{202e}', "bidirectional control"),
        ('\u{2060}', "invisible operator"),
        ('\u{2066}', "bidirectional or format control"),
        ('\u{2069}', "bidirectional or format control"),
        ('\u{206f}', "bidirectional or format control"),
        ('\u{fdd0}', "noncharacter"),
        ('\u{fdef}', "noncharacter"),
        ('\u{feff}', "byte order mark"),
        ('\u{fff9}', "annotation control"),
        ('\u{fffe}', "noncharacter"),
        ('\u{ffff}', "noncharacter"),
        ('\u{1fffe}', "noncharacter"),
        ('\u{10ffff}', "noncharacter"),
        ('\u{e0000}', "tag character"),
        ('\u{e007f}', "tag character"),
    ] {
        let raw = format!("\"x{character}y\"");
        assert_fault(&in_object(&raw), FaultKind::Character, (5, 5 + raw.len()));
        let hidden = format!("\"x{}y\"", escaped(character));
        assert_fault(&in_object(&hidden), FaultKind::Character, (5, 5 + hidden.len()));
        let detail = format!("U+{:04X}, a {name}", u32::from(character));
        assert_eq!(faults(&in_object(&hidden))[0].detail, detail);
        let key = format!("{{\"{character}\":1}}");
        assert_fault(key.as_bytes(), FaultKind::Character, (1, 3 + character.len_utf8()));
    }
}

#[test]
fn the_neighbours_of_every_refused_range_are_read() {
    let is_refused = |point: u32| {
        let in_range = characters::REFUSED.iter().any(|range| (range.first..=range.last).contains(&point));
        in_range || point & 0xFFFE == 0xFFFE
    };
    let mut refused = 0;
    for range in characters::REFUSED {
        for point in [range.first.wrapping_sub(1), range.first, range.last, range.last + 1] {
            let Some(character) = char::from_u32(point) else { continue };
            let text = in_object(&format!("\"{}\"", escaped(character)));
            assert_eq!(faults(&text).len(), usize::from(is_refused(point)), "U+{point:04X}");
            assert_eq!(typed_reads(&text), !is_refused(point), "U+{point:04X}");
            refused += usize::from(is_refused(point));
        }
    }
    assert!(refused >= 2 * characters::REFUSED.len());
    assert!(characters::REFUSED.is_sorted_by_key(|range| range.first));
}

#[test]
fn characters_that_texts_need_are_read() {
    for text in ["\\t\\n\\r", "\\b", "\\f"] {
        let fine = text.starts_with("\\t");
        assert_eq!(faults(&in_object(&format!("\"{text}\""))).is_empty(), fine, "{text}");
    }
    for text in [
        "👩\u{200d}💻",
        "\u{645}\u{6cc}\u{200c}\u{62e}",
        "\u{915}\u{94d}\u{200d}\u{937}",
        "❤\u{fe0f}\u{200d}🔥",
        "é",
        "e\u{301}",
        "漢",
        "☀\u{fe0f}",
        "漢\u{e0100}",
        "\u{fffd}",
        "\u{a0}",
        "~",
        "\\/",
    ] {
        assert_fine(&in_object(&format!("\"{text}\"")));
    }
}

#[test]
fn anything_after_the_root_is_refused_at_its_first_character() {
    for (text, start, end) in [
        ("{}{}", 2, 3),
        ("{} {}", 3, 4),
        ("{}\n{}", 3, 4),
        ("{}x", 2, 3),
        ("{},", 2, 3),
        ("{}}", 2, 3),
        ("{}]", 2, 3),
        ("{} null", 3, 4),
        ("{} // end", 3, 4),
        ("{}\u{c}", 2, 3),
        ("{}\u{a0}", 2, 4),
        ("{}\u{feff}", 2, 5),
        ("{}漢", 2, 5),
    ] {
        assert_fault(text.as_bytes(), FaultKind::TrailingData, (start, end));
    }
    assert_fine(b" \t\r\n{} \t\r\n");
}

#[test]
fn strings_are_bounded_in_decoded_bytes() {
    let most = bounds::STRING_BYTES;
    assert_eq!(most, 65_536);
    let spellings: [(&str, usize); 4] = [("x", 1), ("é", 2), ("\\u0078", 1), ("\\ud83d\\ude00", 4)];
    for (spelling, bytes) in spellings {
        let string = |count: usize| format!("\"{}\"", spelling.repeat(count));
        let fits = most / bytes;
        for count in [fits - 1, fits] {
            assert_fine(&in_object(&string(count)));
        }
        let long = string(fits + 1);
        assert_fault(&in_object(&long), FaultKind::TooLarge, (5, 5 + long.len()));
        assert_eq!(faults(&in_object(&long))[0].detail, "a string longer than 65536 bytes");
    }
}

#[test]
fn member_names_are_bounded_in_decoded_bytes() {
    let most = bounds::MEMBER_NAME_BYTES;
    assert_eq!(most, 128);
    for (spelling, bytes) in [("k", 1), ("é", 2), ("\\u006b", 1)] {
        let key = |count: usize| format!("\"{}\"", spelling.repeat(count));
        let fits = most / bytes;
        for count in [fits - 1, fits] {
            assert_fine(format!("{{{}:1}}", key(count)).as_bytes());
        }
        let long = key(fits + 1);
        assert_fault(format!("{{{long}:1}}").as_bytes(), FaultKind::TooLarge, (1, 1 + long.len()));
    }
}

#[test]
fn all_faults_that_can_be_passed_are_told_in_one_read() {
    let text = "{\"a\":1.5,\"b\":\"\\ud800\",\"c\":\"\\u202e\",\"a\":-0,\"d\":[1e2]}";
    let kinds: Vec<_> = faults(text.as_bytes()).iter().map(|fault| fault.kind).collect();
    let expected = [
        FaultKind::Number,
        FaultKind::NotUtf8,
        FaultKind::Character,
        FaultKind::Number,
        FaultKind::Number,
        FaultKind::DuplicateMember,
    ];
    assert_eq!(kinds, expected);
    let broken = format!("{},", &text[..text.len() - 1]);
    assert_eq!(faults(broken.as_bytes()).last().unwrap().kind, FaultKind::Syntax);
    assert_eq!(faults(broken.as_bytes()).len(), 6, "the duplicate is told when its object ends, which it does not");
}

#[test]
fn names_are_compared_by_what_they_say() {
    // Each name that comes again: what it says, how it was spelled first, and how again.
    let repeated = |names: &[&str]| {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":0")).collect();
        let text = format!("{{{}}}", members.join(","));
        let told = |fault: &Fault| {
            let spelled = |span: Span| text[span.start + 1..span.end - 1].to_owned();
            [fault.detail.trim_matches('`').to_owned(), spelled(fault.first.unwrap()), spelled(fault.span)]
        };
        faults(text.as_bytes()).iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(repeated(&["b", "a", r"\u0062", "ab", r"\u0061"]), [["a", "a", r"\u0061"], ["b", "b", r"\u0062"]]);
    assert_eq!(repeated(&[r"\u00e9", "é", r"\u00E9"]), [["é", r"\u00e9", "é"], ["é", r"\u00e9", r"\u00E9"]]);
    assert_eq!(repeated(&["a", "", "ab", r"\\", "/", "A", r"\/"]), [["/", "/", r"\/"]]);
    let halves = [r"x\ud83d\ude00z", "x😀z", r"x\u0078", r"\u0078x", "x😀", r"x\ud83d\ude00y"];
    assert_eq!(repeated(&halves), [["xx", r"x\u0078", r"\u0078x"], ["x😀z", r"x\ud83d\ude00z", "x😀z"]]);
    // An object inside another has names of its own, before and behind it too.
    assert_fine(br#"{"a":{"a":[{"a":0},{"a":0}],"b":0},"b":{"a":0}}"#);
    assert_fault(br#"{"a":{"b":0},"c":[{"b":{"a":0}}],"a":0}"#, FaultKind::DuplicateMember, (33, 36));
}

#[test]
fn faults_are_counted_up_to_a_bound() {
    let text = in_object(&format!("[{}1.5]", "1.5,".repeat(999)));
    assert_eq!(faults(&text).len(), 201);
}

#[test]
fn positions_count_lines_from_newlines_and_columns_in_characters() {
    let text = "{\r\n \"é漢😀\": x\n}";
    for (offset, place) in [(0, (1, 1)), (3, (2, 1)), (4, (2, 2)), (5, (2, 3)), (7, (2, 4)), (10, (2, 5)), (14, (2, 6))]
    {
        assert_eq!(position(text, offset), place, "{offset}");
    }
    assert_eq!(position(text, text.len()), (3, 2));
    assert_eq!(position(text, text.len() + 100), (3, 2));
    assert_eq!(position("", 0), (1, 1));
}

#[test]
fn a_pointer_is_as_long_as_its_parts_and_gives_them_back() {
    let parts = ["", "a", "~", "/", "~1", "a/b~c/", "~~//", "é/", "0"];
    let pointer = parts.iter().fold(Pointer::root(), |pointer, part| pointer.join(part));
    assert_eq!(pointer.as_str(), "//a/~0/~1/~01/a~1b~0c~1/~0~0~1~1/é~1/0");
    assert_eq!(pointer.parts().collect::<Vec<_>>(), parts);
    assert_eq!(pointer.parent(), pointer.split_last().map(|(parent, _)| parent));
    assert_eq!((Pointer::root().parent(), Pointer::root().join(7).parent()), (None, Some(Pointer::root())));
}

#[test]
fn values_and_names_know_where_they_stand() {
    let text = "{\"a\": [1, {\"b\\u0063\": \"x\"}], \"\": null}";
    let document = tree::read(text.as_bytes()).unwrap();
    let at = |pointer: &str| document.root.at(&crate::pointer::Pointer::from_text(pointer)).map(|node| node.span);
    let slice = |span: Span| &text[span.start..span.end];
    assert_eq!(at("").map(slice), Some(text));
    assert_eq!(at("/a/0").map(slice), Some("1"));
    assert_eq!(at("/a/1").map(slice), Some("{\"b\\u0063\": \"x\"}"));
    assert_eq!(at("/a/1/bc").map(slice), Some("\"x\""));
    assert_eq!(at("/").map(slice), Some("null"));
    assert_eq!(at("/a/2"), None);
    assert_eq!(at("/a/1/b"), None);
    let key = document.root.key_span(&crate::pointer::Pointer::from_text("/a/1/bc"));
    assert_eq!(key.map(slice), Some("\"b\\u0063\""));
}

#[test]
fn null_is_never_an_absent_member() {
    #[derive(serde::Deserialize)]
    struct Optional {
        a: Option<u64>,
    }
    assert!(typed::from_slice::<Optional>(b"{\"a\":null}").is_err());
    assert_eq!(typed::from_slice::<Optional>(b"{}").unwrap().a, None);
    assert_eq!(typed::from_slice::<Optional>(b"{\"a\":7}").unwrap().a, Some(7));
}

#[test]
fn a_list_is_never_an_object_and_never_longer_than_its_type() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Pair {
        left: u64,
        right: u64,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Holder {
        pair: Pair,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Tuple {
        pair: (u64, u64),
    }
    assert!(typed::from_slice::<Holder>(b"{\"pair\":[1,2]}").is_err());
    assert!(typed::from_slice::<Holder>(b"{\"pair\":{\"left\":1,\"left\":1,\"right\":2}}").is_err());
    let pair = typed::from_slice::<Holder>(b"{\"pair\":{\"left\":1,\"right\":2}}").unwrap().pair;
    assert_eq!(pair, Pair { left: 1, right: 2 });
    assert!(typed::from_slice::<Tuple>(b"{\"pair\":[1,2,3]}").is_err());
    assert_eq!(typed::from_slice::<Tuple>(b"{\"pair\":[1,2]}").unwrap().pair, (1, 2));
}

/// The value without its places.
fn as_json(node: &Node<'_>) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Integer(number) => Json::from(*number),
        Value::RefusedNumber => panic!("a refused number in a document without faults"),
        Value::String(text) => Json::String(text.to_string()),
        Value::Array(elements) => elements.iter().map(as_json).collect(),
        Value::Object(members) => {
            Json::Object(members.iter().map(|member| (member.key.to_string(), as_json(&member.value))).collect())
        }
    }
}

/// Both readers agree on the text, and whatever they take serde_json reads as the same value.
fn readers_agree(bytes: &[u8]) -> Result<bool, TestCaseError> {
    let explained = tree::read(bytes).ok().filter(|document| document.faults.is_empty());
    let typed = typed::from_slice::<Json>(bytes).ok();
    let Some(document) = explained else {
        return if typed.is_none() { Ok(false) } else { Err(TestCaseError::fail("only the typed read took it")) };
    };
    let value = as_json(&document.root);
    if typed.as_ref() != Some(&value) {
        return Err(TestCaseError::fail("the typed read gave something else"));
    }
    match serde_json::from_slice::<Json>(bytes) {
        Ok(reference) if reference == value => Ok(true),
        other => Err(TestCaseError::fail(format!("serde_json gave {other:?}"))),
    }
}

/// Without its values a document has the same faults, and every pointer leads to the same place.
fn surveys_agree(bytes: &[u8]) {
    let (document, faults) = match (tree::read(bytes), survey::read(bytes, &[])) {
        (Ok(document), Ok(survey)) => (document, survey.faults),
        (tree, survey) => {
            assert_eq!(tree.err(), survey.err(), "{}", shown(bytes));
            return assert!(survey::unnoted(bytes, &[]).is_none(), "{}", shown(bytes));
        }
    };
    assert_eq!(document.faults, faults, "{}", shown(bytes));
    let mut wanted = Vec::new();
    collect_places(&document.root, &Pointer::root(), &mut wanted);
    let pointers: Vec<&str> = wanted.iter().map(Pointer::as_str).collect();
    let noted = survey::read(bytes, &pointers).unwrap();
    let unnoted = survey::unnoted(bytes, &pointers).unwrap();
    assert_eq!((noted.root, &noted.faults), (document.root.span, &document.faults));
    assert_eq!((unnoted.root, unnoted.faults.len()), (document.root.span, 0));
    for (number, pointer) in wanted.iter().enumerate() {
        let place = place_of(&document.root, pointer);
        assert_eq!(noted.places[number], place, "{pointer} in {}", shown(bytes));
        assert_eq!(unnoted.places[number], place, "{pointer} in {}", shown(bytes));
        let text = document.root.at(pointer).and_then(Node::as_str);
        assert_eq!(noted.text_at(number).as_deref(), text, "{pointer} in {}", shown(bytes));
    }
}

/// A pointer to every value, and for each to something that is not inside it.
fn collect_places(node: &Node<'_>, pointer: &Pointer, wanted: &mut Vec<Pointer>) {
    wanted.push(pointer.clone());
    wanted.push(pointer.join("no such~/name").join(0));
    for member in node.members() {
        collect_places(&member.value, &pointer.join(&member.key), wanted);
    }
    for (index, element) in node.elements().iter().enumerate() {
        collect_places(element, &pointer.join(index), wanted);
    }
}

/// What the tree says of a pointer.
fn place_of(root: &Node<'_>, pointer: &Pointer) -> Surveyed {
    if let Some(node) = root.at(pointer) {
        return Surveyed { span: node.span, is_whole: true, name: root.key_span(pointer) };
    }
    let (parent, _) = pointer.split_last().unwrap();
    Surveyed { is_whole: false, name: None, ..place_of(root, &parent) }
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "",
        "a",
        "B",
        "é",
        "漢",
        "😀",
        "\"",
        "\\",
        "/",
        "\n",
        "\t",
        "0",
        " ",
        "true",
        "\u{915}\u{94d}\u{200d}",
        "e\u{301}",
    ];
    proptest::collection::vec(proptest::sample::select(PIECES), 0..5).prop_map(|pieces| pieces.concat())
}

fn value() -> BoxedStrategy<Json> {
    let bound = bounds::INTEGER;
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-bound..=bound).prop_map(Json::from),
        (-3_i64..4).prop_map(Json::from),
        text().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            object_of(inner.boxed()).prop_map(Json::Object),
        ]
    })
    .boxed()
}

fn object_of(value: BoxedStrategy<Json>) -> impl Strategy<Value = Map<String, Json>> {
    proptest::collection::vec((text(), value), 0..4).prop_map(|members| members.into_iter().collect())
}

fn document() -> impl Strategy<Value = Vec<u8>> {
    (object_of(value()), any::<bool>()).prop_map(|(root, pretty)| {
        let written = if pretty { serde_json::to_vec_pretty(&root) } else { serde_json::to_vec(&root) };
        written.unwrap()
    })
}

/// What a mutation puts in: bytes that mean something to some reader.
const HOSTILE: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\"",
    b"\\",
    b"/",
    b"0",
    b"1",
    b"9",
    b"-",
    b"+",
    b".",
    b"e",
    b"E",
    b"t",
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b"\0",
    b"\x1f",
    b"\x7f",
    b"\x80",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\xc2\xa0",
    b"\\u0061",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\u",
    b"\\x",
    b"\"a\":1,",
    b",\"a\":1",
    b"-0",
    b"1e2",
    b"1.0",
    b"01",
    b"9007199254740992",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b"\"\"",
    b"//",
    b"/**/",
    b"NaN",
    b"'a'",
];

#[derive(Clone, Debug)]
enum Mutation {
    Insert(Index, usize),
    Replace(Index, usize),
    Delete(Index, usize),
    Repeat(Index, usize),
    Truncate(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let hostile = 0..HOSTILE.len();
    prop_oneof![
        (any::<Index>(), hostile.clone()).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (any::<Index>(), hostile).prop_map(|(at, bytes)| Mutation::Replace(at, bytes)),
        (any::<Index>(), 1_usize..6).prop_map(|(at, count)| Mutation::Delete(at, count)),
        (any::<Index>(), 1_usize..12).prop_map(|(at, count)| Mutation::Repeat(at, count)),
        any::<Index>().prop_map(Mutation::Truncate),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let place = |at: &Index, bytes: &[u8]| at.index(bytes.len() + 1);
    match mutation {
        Mutation::Insert(at, hostile) => {
            let at = place(at, bytes);
            bytes.splice(at..at, HOSTILE[*hostile].iter().copied());
        }
        Mutation::Replace(at, hostile) => {
            let at = place(at, bytes);
            let end = bytes.len().min(at + 1);
            bytes.splice(at..end, HOSTILE[*hostile].iter().copied());
        }
        Mutation::Delete(at, count) => {
            let at = place(at, bytes);
            bytes.drain(at..bytes.len().min(at + count));
        }
        Mutation::Repeat(at, count) => {
            let at = place(at, bytes);
            let piece = bytes[at..bytes.len().min(at + count)].to_vec();
            bytes.splice(at..at, piece);
        }
        Mutation::Truncate(at) => bytes.truncate(place(at, bytes)),
    }
}

#[test]
fn what_the_strict_readers_take_every_reader_understands_the_same_way() {
    let (mut taken, mut refused) = (0, 0);
    let mutations = proptest::collection::vec(mutation(), 1..4);
    let strategy = (document(), mutations);
    let mut runner = runner(6_000);
    for _ in 0..6_000 {
        let (mut bytes, mutations) = proptest::strategy::ValueTree::current(&strategy.new_tree(&mut runner).unwrap());
        mutations.iter().for_each(|mutation| mutate(&mut bytes, mutation));
        match readers_agree(&bytes) {
            Ok(true) => taken += 1,
            Ok(false) => refused += 1,
            Err(error) => panic!("{error}: {bytes:?} {}", shown(&bytes)),
        }
        surveys_agree(&bytes);
    }
    // Both sides must have been looked at, or the agreement says nothing.
    assert!(taken > 300 && refused > 3_000, "{taken} taken, {refused} refused");
}

#[test]
fn every_plain_document_is_read_as_it_was_written() {
    runner(1_000)
        .run(&document(), |bytes| {
            proptest::prop_assert!(readers_agree(&bytes)?, "refused");
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_second_spelling_of_any_member_is_refused() {
    let strategy = (document(), any::<Index>());
    let mut runner = runner(1_000);
    let mut tried = 0;
    for _ in 0..1_000 {
        let (bytes, which) = proptest::strategy::ValueTree::current(&strategy.new_tree(&mut runner).unwrap());
        let document = tree::read(&bytes).unwrap();
        let mut members = Vec::new();
        collect_members(&document.root, &mut members);
        if members.is_empty() {
            continue;
        }
        tried += 1;
        let (key, span) = &members[which.index(members.len())];
        let spelled: String = key.chars().map(escaped).collect();
        let mut doubled = bytes.clone();
        doubled.splice(span.start..span.start, format!("\"{spelled}\":0,").into_bytes());
        let kinds: Vec<_> = faults(&doubled).iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, [FaultKind::DuplicateMember], "{}", shown(&doubled));
        assert!(!typed_reads(&doubled));
    }
    assert!(tried > 500, "{tried}");
}

/// The name of every member of every object, with its place.
fn collect_members(node: &Node<'_>, members: &mut Vec<(String, Span)>) {
    for member in node.members() {
        members.push((member.key.to_string(), member.key_span));
        collect_members(&member.value, members);
    }
    for element in node.elements() {
        collect_members(element, members);
    }
}

#[test]
fn the_tree_of_a_value_is_the_tree_of_its_text_without_places() {
    let text = r#"{"a":[true,false,null,-1,9007199254740991],"b":{"z":[],"é":"\n\""},"c":""}"#;
    let value: Json = serde_json::from_str(text).unwrap();
    let read = tree::read(text.as_bytes()).unwrap().root;
    let made = tree::from_value(&value).unwrap();
    assert_ne!(made, read);
    assert_eq!(made, without_places(&read));
    assert_eq!(tree::from_value(&0.5).unwrap().value, Value::RefusedNumber);
}

fn without_places(node: &Node<'_>) -> Node<'static> {
    let span = Span::new(0, 0);
    let value = match &node.value {
        Value::Null => Value::Null,
        Value::Bool(flag) => Value::Bool(*flag),
        Value::Integer(number) => Value::Integer(*number),
        Value::RefusedNumber => Value::RefusedNumber,
        Value::String(text) => Value::String(text.clone().into_owned().into()),
        Value::Array(elements) => Value::Array(elements.iter().map(without_places).collect()),
        Value::Object(members) => {
            let moved = members.iter().map(|member| tree::Member {
                key: member.key.clone().into_owned().into(),
                key_span: span,
                value: without_places(&member.value),
            });
            Value::Object(moved.collect())
        }
    };
    Node { value, span }
}

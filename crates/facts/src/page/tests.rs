use proptest::prelude::*;
use svc_core::scalar::subject::Subject;

use super::*;

fn lines_of(seen: Seen) -> Vec<String> {
    let subject = |subject: Option<&Subject>| subject.map_or(String::new(), |one| format!(" {}", one.as_str()));
    let sightings = seen.sightings.iter();
    let told = sightings.map(|one| format!("{}/{}{}", one.what.kind, one.what.word, subject(one.subject.as_ref())));
    let references = seen.references.iter();
    told.chain(references.map(|one| format!("{}/{} {}", one.what.kind, one.what.word, one.address))).collect()
}

fn assert_fires(cases: &[(&str, &str)], read: fn(&[u8]) -> Seen) {
    let missed: Vec<_> = cases
        .iter()
        .map(|(page, expected)| (page, expected, lines_of(read(page.as_bytes()))))
        .filter(|(_, expected, told)| !told.iter().any(|one| one == *expected))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

fn assert_passes(cases: &[&str], read: fn(&[u8]) -> Seen) {
    let told = |page: &&&str| {
        lines_of(read(page.as_bytes())).into_iter().filter(|one| one != "page/document").collect::<Vec<_>>()
    };
    let wrong: Vec<_> = cases.iter().map(|page| (page, told(&page))).filter(|(_, told)| !told.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const SCRIPTS: &[(&str, &str)] = &[
    ("<script>a()</script>", "inline/script"),
    ("<SCRIPT type=Text/JavaScript>a()</SCRIPT>", "inline/script"),
    ("<script type=module>import 'a'</script>", "inline/script"),
    ("<script language=javascript>a()</script>", "inline/script"),
    ("<script src=https://a.example/x.js></script>", "remote-code/script https://a.example"),
    ("<script/src=//a.example/x.js></script>", "remote-code/script https://a.example"),
    ("<script type=module src=https://a.example/x.js></script>", "remote-code/module https://a.example"),
    ("<script src='a.js'></script>", "reference/script a.js"),
    ("<script type=module src='a.js'></script>", "reference/module a.js"),
    ("<script src='data:text/javascript,a()'></script>", "dynamic-code/data-code constant"),
    (
        "<script type=importmap>{\"imports\":{\"a\":\"https://a.example/\"}}</script>",
        "remote-code/import-map https://a.example",
    ),
    (
        "<script type=importmap>{\"scopes\":{\"/\":{\"a\":\"//a.example/b\"}}}</script>",
        "remote-code/import-map https://a.example",
    ),
    ("<script type=importmap>{\"imports\":{\"a\":\"./a.js\"}}</script>", "reference/module ./a.js"),
    ("<script type=importmap>{</script>", "unread/syntax"),
    (
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"https://a.example\"]}]}</script>",
        "contact/link https://a.example",
    ),
    ("<svg><script>a()</script></svg>", "inline/script"),
    ("<svg><script><![CDATA[a()]]></script></svg>", "inline/script"),
    ("<svg><script href=https://a.example></script></svg>", "remote-code/script https://a.example"),
    ("<svg><script xlink:href=https://a.example /></svg>", "remote-code/script https://a.example"),
    ("<template><script>a()</script></template>", "inline/script"),
    ("<noscript><img src=https://a.example></noscript>", "contact/image https://a.example"),
    ("<noscript><!-- </noscript><script>a()</script> -->", "inline/script"),
    ("<textarea><!-- </textarea><script>a()</script> -->", "inline/script"),
    ("<svg><style><img src=a onerror=b></style></svg>", "inline/event-handler"),
    ("<svg></p><style><a id='</style><img src=a onerror=b>'></style>", "inline/event-handler"),
    ("<math><mtext><style><a id='</style><img src=a onerror=b>'></style>", "inline/event-handler"),
    ("<div><svg></div><style><!-- </style><img src=a onerror=b> -->", "unread/syntax"),
    ("<frameset><xmp><frame src=javascript:a()></xmp></frameset>", "unread/syntax"),
    ("<select><xmp><img src=a onerror=b></xmp></select>", "unread/syntax"),
];

const ATTRIBUTES: &[(&str, &str)] = &[
    ("<body onload=a()>", "inline/event-handler"),
    ("<img src=x ONERROR='a()'>", "inline/event-handler"),
    ("<p onclick=&#97;()>", "inline/event-handler"),
    ("<a/onpointerrawupdate=a()>", "inline/event-handler"),
    ("<a href=javascript:a()>b</a>", "inline/javascript-address"),
    ("<a href=' JaVa&Tab;Script&colon;a()'>b</a>", "inline/javascript-address"),
    ("<a href=\"&#x6A;avascript:a()\">b</a>", "inline/javascript-address"),
    ("<iframe src=javascript:a()></iframe>", "inline/javascript-address"),
    ("<form action=javascript:a()></form>", "inline/javascript-address"),
    ("<button formaction=javascript:a()>b</button>", "inline/javascript-address"),
    ("<meta http-equiv=refresh content='0;url=javascript:a()'>", "inline/javascript-address"),
    ("<svg><a xlink:href=javascript:a()></a></svg>", "inline/javascript-address"),
    ("<svg><a><animate attributeName=href values=javascript:a() /></a></svg>", "inline/javascript-address"),
    ("<svg><a><set attributeName=xlink:href to=javascript:a() /></a></svg>", "inline/javascript-address"),
    ("<math><a href=javascript:a()></a></math>", "inline/javascript-address"),
    ("<p style='color:red'>", "inline/style"),
    ("<style>a{}</style>", "inline/style"),
    ("<p style='background:url(https://a.example)'>", "contact/style-url https://a.example"),
    ("<style>@import 'https://a.example'</style>", "remote-code/style https://a.example"),
    ("<link rel=stylesheet href=https://a.example/x.css>", "remote-code/style https://a.example"),
    ("<link rel='alternate StyleSheet' href=//a.example/x.css>", "remote-code/style https://a.example"),
    ("<link rel=stylesheet href=a.css>", "reference/style a.css"),
    ("<link rel=preload as=script href=https://a.example/x.js>", "contact/link https://a.example"),
    ("<link rel=modulepreload href=https://a.example/x.js>", "remote-code/module https://a.example"),
    ("<link rel=preconnect href=https://a.example>", "contact/link https://a.example"),
    ("<link rel=dns-prefetch href=//a.example>", "contact/link https://a.example"),
    ("<link rel='shortcut icon' href=a.ico>", "reference/picture a.ico"),
    ("<link rel=manifest href=https://a.example/m.json>", "contact/link https://a.example"),
    ("<base href=https://a.example/>", "remote-code/script https://a.example"),
    ("<base href=sub/x.html><script src=a.js></script>", "reference/script sub/a.js"),
    ("<base href=sub/><style>a{b:url(c.png)}</style>", "reference/picture sub/c.png"),
    ("<meta http-equiv=Refresh content='5; URL=https://a.example/x'>", "contact/navigation https://a.example"),
    ("<a ping='https://a.example/1 https://b.example/2' href=x>b</a>", "contact/beacon https://b.example"),
    ("<form action=https://a.example>", "contact/form https://a.example"),
    ("<input type=submit formaction=https://a.example>", "contact/form https://a.example"),
    ("<img src=https://a.example/x.png>", "contact/image https://a.example"),
    ("<img srcset='a.png, https://a.example/x.png 2x'>", "contact/image https://a.example"),
    ("<img src=a.png>", "reference/picture a.png"),
    ("<picture><source srcset='https://a.example/x.png 2x'></picture>", "contact/image https://a.example"),
    ("<video src=https://a.example></video>", "contact/media https://a.example"),
    ("<video poster=https://a.example></video>", "contact/image https://a.example"),
    ("<audio><source src=https://a.example></audio>", "contact/media https://a.example"),
    ("<track src=https://a.example>", "contact/media https://a.example"),
    ("<input type=image src=https://a.example>", "contact/image https://a.example"),
    ("<body background=https://a.example>", "contact/image https://a.example"),
    ("<iframe src=https://a.example></iframe>", "contact/frame https://a.example"),
    ("<frameset><frame src=https://a.example></frameset>", "contact/frame https://a.example"),
    ("<embed src=https://a.example>", "contact/frame https://a.example"),
    ("<object data=https://a.example></object>", "contact/frame https://a.example"),
    ("<iframe src='data:text/html,<script>a()</script>'></iframe>", "dynamic-code/data-code constant"),
    ("<iframe srcdoc='&lt;script>a()&lt;/script>'></iframe>", "inline/script"),
    ("<iframe srcdoc='&lt;iframe srcdoc=\"&amp;lt;p onclick=a()>\">'></iframe>", "inline/event-handler"),
    ("<iframe allow='camera; geolocation https://a.example'></iframe>", "power/geolocation mentioned"),
    ("<html manifest=https://a.example>", "contact/link https://a.example"),
    ("<svg><image href=https://a.example /></svg>", "contact/image https://a.example"),
    ("<svg><use xlink:href=https://a.example#b /></svg>", "contact/image https://a.example"),
    ("<svg><feImage href=https://a.example /></svg>", "contact/image https://a.example"),
    ("<svg><rect fill='url(https://a.example#b)' /></svg>", "contact/style-url https://a.example"),
    ("<input type=FILE>", "power/file-open called"),
    ("<permission type='camera microphone'></permission>", "power/microphone called"),
];

const UNREAD: &[(&str, &str)] = &[
    ("<p>a</p><img src=", "unread/syntax"),
    ("<p title='a", "unread/syntax"),
    ("<p>a<!-- b", "unread/syntax"),
    ("<script>a()", "unread/syntax"),
    ("<script>a()", "inline/script"),
    ("<style>a{}", "unread/syntax"),
    ("<title>a", "unread/syntax"),
    ("<svg><script>a()", "unread/syntax"),
    ("<p>a</p>\0\0\0\0", "unread/syntax"),
    ("<!doctype html", "unread/syntax"),
    ("<html>", "page/document"),
    ("<div id=app></div>", "page/document"),
    ("\u{feff}<!DOCTYPE HTML>", "page/document"),
    ("<?xml version='1.0'?><html><title><script>a()</script></title></html>", "inline/script"),
];

const HARMLESS: &[&str] = &[
    "<!-- <script>a()</script> <img src=https://a.example> -->",
    "<textarea><script>a()</script></textarea>",
    "<title><img src=https://a.example></title>",
    "<xmp><img src=https://a.example></xmp>",
    "<p>&lt;script>a()&lt;/script>",
    "<p title='<script>a()</script>'>",
    "<p data-onclick=a() data-src=https://a.example>",
    "<x-y once one=a on=b online=c only=d>",
    "<x-y on:click=a v-on:click=b @click=c :src=d>",
    "<p onclick>a</p><p onclick=' '>b</p>",
    "<a href=https://a.example>b</a>",
    "<a href=other.html>b</a><a href=#c>d</a><area href=mailto:a@a.example>",
    "<script type=application/json>{\"a\":\"https://a.example\"}</script>",
    "<script type=text/template><img src=https://a.example onerror=a()></script>",
    "<script type=application/ld+json>{\"@id\":\"https://a.example\"}</script>",
    "<script></script><script> \n</script><style></style>",
    "<link rel=canonical href=https://a.example><link href=https://a.example>",
    "<link rel=license href=https://a.example><link rel=alternate hreflang=de href=https://a.example>",
    "<meta name=a content='0;url=https://a.example'><meta property=og:image content=https://a.example>",
    "<meta http-equiv=refresh content=5>",
    "<meta http-equiv=content-security-policy content=\"default-src https://a.example\">",
    "<blockquote cite=https://a.example>a</blockquote>",
    "<img src='data:image/png;base64,AA=='><img alt=https://a.example>",
    "<svg xmlns=http://www.w3.org/2000/svg><use href=#a /><path fill=url(#b)></svg>",
    "<svg><path d=M0><g></svg><p>a",
    "<svg><title>a</title><foreignObject><p>b<p>c</foreignObject></svg>",
    "<svg><animate attributeName=d values='M0;M1' /></svg>",
    "<iframe src=about:blank></iframe><iframe allow=\"camera 'none'\"></iframe>",
    "<noframes><img src=https://a.example></noframes><noembed><script>a()</script></noembed>",
    "<plaintext><script>a()</script>",
    "<![CDATA[<script>a()</script>",
    "<form action=''><form action=send><input type=files>",
    "<base target=_blank>",
    "a < b and c > d",
    "",
];

const DRAWINGS: &[(&str, &str)] = &[
    ("<svg><script>a()</script></svg>", "inline/script"),
    ("<svg><script><![CDATA[ if (a < b) c() ]]></script></svg>", "inline/script"),
    ("<svg xmlns:s='http://www.w3.org/2000/svg'><s:script>a()</s:script></svg>", "inline/script"),
    ("<svg><script href='https://a.example'/></svg>", "remote-code/script https://a.example"),
    (
        "<svg xmlns:b='http://www.w3.org/1999/xlink'><script b:href='//a.example'/></svg>",
        "remote-code/script https://a.example",
    ),
    ("<svg onload='a()'/>", "inline/event-handler"),
    ("<svg><a href='javascript:a()'/></svg>", "inline/javascript-address"),
    ("<svg><image href='https://a.example/x.png'/></svg>", "contact/image https://a.example"),
    ("<svg><style>@import 'https://a.example';</style></svg>", "remote-code/style https://a.example"),
    (
        "<svg><foreignObject><h:iframe xmlns:h='http://www.w3.org/1999/xhtml' src='https://a.example'/></foreignObject></svg>",
        "contact/frame https://a.example",
    ),
    ("<svg><title><script>a()</script></title></svg>", "inline/script"),
    ("<?xml-stylesheet type='text/css' href='https://a.example/x.css'?><svg/>", "remote-code/style https://a.example"),
    (
        "<?xml-stylesheet href=\"https://a.example/x.xsl\" type=\"text/xsl\"?><svg/>",
        "remote-code/script https://a.example",
    ),
    ("<!DOCTYPE svg [<!ENTITY a \"> <!-- \">]><svg><script>a()</script></svg><!-- -->", "inline/script"),
    ("<!DOCTYPE svg [<!ENTITY a 'javascript:b()'>]><svg><a href='&a;'/></svg>", "inline/javascript-address"),
    ("<!DOCTYPE svg [<!ENTITY a 'javascript:b()'>]><svg><a href='&a;'/></svg>", "unread/syntax"),
    ("<!DOCTYPE svg [<!ENTITY a '<script>b()</script>'>]><svg>&a;</svg>", "inline/script"),
    ("<?a > <!-- ?><svg><script>a()</script></svg><?a --> ?>", "unread/syntax"),
    ("<svg><g>", "unread/syntax"),
    ("<svg><path d='M0", "unread/syntax"),
];

const HARMLESS_DRAWINGS: &[&str] = &[
    "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'><svg/>",
    "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><use xlink:href='#a'/></svg>",
    "<!DOCTYPE svg [<!ENTITY ns_svg \"http://www.w3.org/2000/svg\">]><svg xmlns='&ns_svg;'><g></g></svg>",
    "<svg><!-- <script>a()</script> --><text>&lt;script&gt;a()</text></svg>",
    "<svg><text><![CDATA[<script>a()</script>]]></text></svg>",
    "<svg><metadata><r:li r:resource='https://a.example'/></metadata></svg>",
    "<svg><a href='https://a.example'/><!--?xml-stylesheet href='https://a.example'?--></svg>",
    "<svg><image href='data:image/png;base64,AA=='/><path fill='url(#a)'/></svg>",
];

#[test]
fn every_form_of_script_is_seen() {
    assert_fires(SCRIPTS, read);
}

#[test]
fn every_attribute_that_does_something_is_seen() {
    assert_fires(ATTRIBUTES, read);
}

#[test]
fn what_is_cut_or_padded_is_not_passed_over() {
    assert_fires(UNREAD, read);
}

#[test]
fn what_only_looks_like_code_is_not_seen() {
    assert_passes(HARMLESS, read);
}

#[test]
fn drawings_are_read_as_xml() {
    assert_fires(DRAWINGS, read_drawing);
    assert_passes(HARMLESS_DRAWINGS, read_drawing);
}

#[test]
fn a_text_or_a_binary_is_no_page() {
    for bytes in [b"plain text, a < b".as_slice(), b"", b"\x7fELF\0\0<p>\xff", b"{\"a\":1}", b"<svg></svg>"] {
        assert!(!lines_of(read(bytes)).contains(&"page/document".to_owned()), "{bytes:?}");
    }
    assert!(lines_of(read_drawing(b"<svg><p/></svg>")).is_empty());
}

#[test]
fn a_page_is_decoded_as_it_declares() {
    let broken = |bytes: &[u8]| lines_of(read(bytes)).contains(&"unread/encoding".to_owned());
    assert!(broken(b"<p>\xE9"));
    assert!(!broken(b"<meta charset=windows-1252><p>\xE9"));
    // Where bytes of this encoding are read as others, the script hides in a text.
    let shifted = b"<meta charset=iso-2022-jp><p title='\x1b$B'\x1b(B><script>a()</script>";
    assert!(lines_of(read(shifted)).iter().any(|one| one == "unread/encoding" || one == "inline/script"));
}

#[test]
fn places_are_those_of_the_file() {
    let place = |page: &str, kind: &str| {
        let seen = read(page.as_bytes());
        let one = seen.sightings.into_iter().find(|one| one.what.kind == kind).unwrap();
        one.position.map(|position| (position.line, position.column)).unwrap()
    };
    assert_eq!(place("<p>\r\n<style>\r\na{}\r\nb{c:url(https://a.example)}</style>", "contact"), (4, 5));
    assert_eq!(place("<p>\n<p style='b:url(https://a.example)'>", "contact"), (2, 13));
    assert_eq!(place("<p>\n<p style='&#98;:url(https://a.example)'>", "contact"), (2, 11));
    assert_eq!(place("<p>\n <script>a()</script>", "inline"), (2, 10));
    assert_eq!(place("<p>\n <a onclick=b()>", "inline"), (2, 13));
}

#[test]
fn pages_without_end_are_read_in_one_pass() {
    let reader = std::thread::Builder::new().stack_size(crate::STACK_BYTES).spawn(read_pages_without_end);
    reader.unwrap().join().unwrap();
}

fn read_pages_without_end() {
    let parts = [
        "<svg>",
        "<div>",
        "<svg><desc>",
        "<a b",
        " b",
        "<!--",
        "<script>",
        "<noscript>",
        "&",
        "<p title='",
        "<iframe srcdoc='",
        "<math><mi>",
        "</a>",
        "<svg></a>",
        "<![CDATA[",
        "<!DOCTYPE a [",
        "<?",
        "<!ENTITY",
        "<base href=a/>",
        "\0",
        "<a ping='a ",
    ];
    for part in parts {
        let page = part.repeat(100_000 / part.len());
        read(page.as_bytes());
        read_drawing(page.as_bytes());
        read_drawing(format!("<!DOCTYPE a [{page}").as_bytes());
    }
    let attributes: String = (0..40_000).map(|number| format!(" a{number}=&b;")).collect();
    read(format!("<a{attributes}>").as_bytes());
    // A folder that is put before every address would fill the memory.
    let folder = "a/".repeat(50_000);
    let seen = read(format!("<base href={folder}>{}", "<img src=a>".repeat(50_000)).as_bytes());
    assert!(lines_of(seen).contains(&"unread/syntax".to_owned()));
}

proptest! {
    #[test]
    fn any_tokens_are_read(parts in prop::collection::vec(prop_oneof![
        prop::sample::select(vec![
            "<", ">", "/", "</", "<!", "<!--", "-->", "<?", "?>", "<![CDATA[", "]]>", "<!DOCTYPE", " [", "]", "script", "style", "svg", "math",
            "title", "desc", "foreignObject", "noscript", "iframe", "select", "frameset", "plaintext", "p", " ", "=", "'", "\"", "&", "&#", ";",
            "srcset", "srcdoc=", "href=", "onclick=", "javascript:", "https://a.example", "\0", "\r", "\n", "\u{e9}", "\u{1f326}", "%", "<!ENTITY a '",
            "<meta charset=utf-16>", "<meta http-equiv=refresh content=", "<base href=", "<svg><title>", "{", "}", ",", "?xml-stylesheet href=",
        ]).prop_map(str::to_owned),
        any::<String>(),
    ], 0..30)) {
        let text = parts.concat();
        read(text.as_bytes());
        read_drawing(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
        read_drawing(&bytes);
        read(&[b"<?xml encoding='utf-16'?><html>", bytes.as_slice()].concat());
    }
}

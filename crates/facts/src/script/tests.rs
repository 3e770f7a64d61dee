//! Forms in which scripts run code, load it, contact hosts and use powers; and look-alikes that do not.

use svc_core::package::sighting::Sighting;

use super::*;

fn outside() -> Nesting {
    Nesting::outside(crate::page::read_part)
}

fn seen(code: &str) -> Vec<Sighting> {
    read(Dialect::Any, code.as_bytes(), outside()).sightings
}

/// Everything of these kinds, as `word subject`.
fn lines_of(code: &str, kinds: &[&str]) -> Vec<String> {
    let of_kinds = seen(code).into_iter().filter(|one| kinds.contains(&one.what.kind));
    of_kinds
        .map(|one| format!("{} {}", one.what.word, one.subject.as_ref().map_or("", |subject| subject.as_str())))
        .collect()
}

const RUNS: &[&str] = &["dynamic-code", "remote-code"];

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn code_that_is_made_or_fetched_is_seen_in_every_form() {
    let forms = [
        "eval(x)",
        "eval('1')",
        "window.eval(x)",
        "window['eval'](x)",
        "window['ev' + 'al'](x)",
        "globalThis.eval(x)",
        "self.eval(x)",
        "top.eval(x)",
        "parent.eval(x)",
        "frames[0].eval(x)",
        "(0, eval)(x)",
        "const e = eval; e(x)",
        "const { eval: e } = window; e(x)",
        "let e; e = window.eval; e(x)",
        "eval.call(null, x)",
        "eval.apply(null, [x])",
        "eval.bind(null)(x)",
        "Reflect.apply(eval, null, [x])",
        "Reflect.get(window, 'eval')(x)",
        "[x].map(eval)",
        "fetch('/a').then((a) => a.text()).then(eval)",
        "eval?.(x)",
        "window?.eval?.(x)",
        "window[atob('ZXZhbA==')](x)",
        "window[String.fromCharCode(101, 118, 97, 108)](x)",
        "window[['ev', 'al'].join('')](x)",
        "window[`ev${'al'}`](x)",
        "(function (w) { w.eval(x); })(window)",
        "document.defaultView.eval(x)",
        "new Function(x)",
        "new Function('a', 'return a')",
        "Function(x)()",
        "window.Function(x)",
        "Function.apply(null, [x])",
        "Reflect.construct(Function, [x])",
        "const F = Function; new F(x)",
        "(() => {}).constructor(x)",
        "(function () {}).constructor('return 1')()",
        "[].constructor.constructor(x)",
        "''.constructor.constructor('return 1')()",
        "[].filter.constructor(x)()",
        "[]['filter']['constructor'](x)()",
        "const A = (async () => {}).constructor; new A(x)",
        "const G = Object.getPrototypeOf(function* () {}).constructor; new G(x)",
        "Function.prototype.constructor(x)",
        "setTimeout('run()', 1)",
        "setTimeout(\"run(\" + x + \")\", 1)",
        "window.setInterval(`run(${x})`, 1)",
        "setInterval('run()')",
        "const code = 'run()'; setTimeout(code, 1)",
        "execScript(x)",
        "new ShadowRealm().evaluate(x)",
        "location = 'javascript:run()'",
        "location.href = 'javascript:' + x",
        "window.open('javascript:run()')",
        "a.href = 'javascript:run()'",
        "const s = document.createElement('script'); s.text = x; document.body.append(s)",
        "const s = document.createElement('script'); s.textContent = x",
        "const s = document.createElement('script'); s.innerHTML = x",
        "const s = document.createElement('script'); s.appendChild(document.createTextNode(x))",
        "document.write(x)",
        "b.setAttribute('onclick', 'run()')",
        "new Worker(URL.createObjectURL(new Blob([x])))",
        "new Worker('data:text/javascript,run()')",
        "import('data:text/javascript,run()')",
        "import(URL.createObjectURL(blob))",
        "import 'https://cdn.example/a.js'",
        "import a from 'https://cdn.example/a.js'; a()",
        "export * from 'https://cdn.example/a.js'",
        "export { a } from '//cdn.example/a.js'",
        "import('https://cdn.example/a.js')",
        "import('//cdn.example/a.js')",
        "import(`https://cdn.example/${x}.js`)",
        "const host = 'https://cdn.example'; import(host + '/a.js')",
        "importScripts('https://cdn.example/a.js')",
        "self.importScripts('a.js', 'https://cdn.example/a.js')",
        "new Worker('https://cdn.example/a.js')",
        "new SharedWorker(new URL('https://cdn.example/a.js'))",
        "navigator.serviceWorker.register('https://cdn.example/a.js')",
        "context.audioWorklet.addModule('https://cdn.example/a.js')",
        "CSS.paintWorklet.addModule('https://cdn.example/a.js')",
        "const s = document.createElement('script'); s.src = 'https://cdn.example/a.js'",
        "const s = document.createElement('script'); s.setAttribute('src', 'https://cdn.example/a.js')",
        "document.createElement('script').src = '//cdn.example/a.js'",
        "$.getScript('https://cdn.example/a.js')",
        "WebAssembly.instantiateStreaming(fetch('https://cdn.example/a.wasm'))",
        "System.import('https://cdn.example/a.js')",
        "window['lave'.split('').reverse().join('')](x)",
        "window['e-v-a-l'.replace(/-/g, '')](x)",
        "window['medieval'.slice(-4)](x)",
        "window['eval()'.substr(0, 4)](x)",
        "const names = ['alert', 'eval']; window[names[1]](x)",
        "self[(693741).toString(36)](x)",
        "frame.contentWindow.eval(x)",
        "node.ownerDocument.defaultView.eval(x)",
        "frame.contentDocument.write(x)",
        "Object.getOwnPropertyDescriptor(window, 'eval').value(x)",
        "new Function(...names, x)",
        "Function(...parts)",
        "new (Function.bind.apply(Function, [null].concat(parts)))()",
        "Function`run()```",
        "bodies.map(Function)",
        "class A extends Function { constructor() { super('run()'); } }",
        "console.log.constructor(x)()",
        "parseInt.constructor(x)()",
        "class A {} A.constructor(x)()",
        "({}).toString.constructor(x)()",
        "[][a + 'ter'][b](x)()",
        "setTimeout.apply(window, ['run()', 1])",
        "setTimeout`run()`",
        "setTimeout(String(x), 1)",
        "b.setAttributeNS(null, 'onload', x)",
        "_jsx('a', { href: 'javascript:run()' })",
        "_jsx('div', { dangerouslySetInnerHTML: { __html: '<img src=x onerror=run()>' } })",
        "React.createElement('script', { src: 'https://cdn.example/a.js' })",
        "_c('script', { attrs: { src: '//cdn.example/a.js' } })",
        "Object.assign(document.createElement('script'), { src: 'https://cdn.example/a.js' })",
        "$('body').append('<script src=https://cdn.example/a.js></script>')",
        "importScripts(...['./a.js', 'https://cdn.example/b.js'])",
        "require(['https://cdn.example/a.js'], run)",
        "requirejs.config({ paths: { a: 'https://cdn.example/a' } })",
        "const { constructor: Make } = () => {}; Make(x)()",
        "((a) => a).constructor.call(null, x)()",
        "Array.from([x], Function)",
        "Function.prototype.call.bind(eval)(null, x)",
        "const A = (async () => {}).constructor; class B extends A {}",
        "window.open('').document.write(x)",
        "['https://cdn.example/a.js'].map((a) => import(a))",
        "b.insertAdjacentHTML('beforeend', `<script src=\"https://cdn.example/${x}.js\"></script>`)",
        "b.innerHTML = '<script>' + x + '</script>'",
        "b.innerHTML = `<p>${y}</p><script>${x}</script>`",
        "b.innerHTML = `<p>${y}</p><img src=x onerror=\"${x}\">`",
        "b.innerHTML += y + '<img src=x onerror=run()>'",
        "b.innerHTML = ['<p>', y, '</p><script>', x, '</script>'].join('')",
        "b.innerHTML = '<p>'.concat(y, '</p><script>', x, '</script>')",
        "b.innerHTML = `<b on${y}='${x}'></b>`",
        "b.outerHTML = '<script>' + x + '</script>'",
        "b.insertAdjacentHTML('beforeend', '<script>' + x + '</script>')",
        "range.createContextualFragment('<script>' + x + '</script>')",
        "range.createContextualFragment('<script src=\"' + x + '\"></script>')",
        "frame.srcdoc = '<script>' + x + '</script>'",
        "new DOMParser().parseFromString('<script>' + x + '</script>', 'text/html')",
        "b.setHTMLUnsafe('<script>' + x + '</script>')",
        "b.innerHTML = policy.createHTML('<script>' + x + '</script>')",
        "b.innerHTML = policy.createHTML('<img src=x onerror=run()>')",
        "const s = document.createElement('script'); s.src = policy.createScriptURL('https://cdn.example/a.js')",
        "setTimeout(policy.createScript('run()'), 1)",
        "x.__proto__.constructor(code)()",
        "toString.constructor(code)()",
        "queueMicrotask.constructor(code)()",
        "document.createElement.constructor(code)()",
        "URL.constructor(code)()",
        "b.setAttribute('on' + type, x)",
        "b.setAttribute('onClick', x)",
        "const a = document.createAttribute('onclick'); a.value = x; b.setAttributeNode(a)",
        "Reflect.set(frame, 'srcdoc', '<script>run()</script>')",
        "Reflect.set(b, 'innerHTML', '<img src=x onerror=run()>')",
        "const s = document.createElement('script'); Reflect.set(s, 'src', 'https://cdn.example/a.js')",
        "const s = document.createElement('script'); s.insertAdjacentText('beforeend', x)",
        "const s = document.createElement('script'); s.append(x)",
        "b['inner' + 'HTML'] = '<img src=x onerror=run()>'",
        "const m = 'insertAdjacentHTML'; b[m]('beforeend', '<img src=x onerror=run()>')",
        "const t = 'createElement'; const s = document[t]('script'); s.text = x",
        "const a = String.raw`eval`; window[a](x)",
        "function name() { return 'eval'; } window[name()](x)",
        "const name = function () { return 'eval'; }; window[name()](x)",
        "const e0 = eval, e1 = e0, e2 = e1, e3 = e2, e4 = e3, e5 = e4, e6 = e5, e7 = e6, e8 = e7, e9 = e8; e9(x)",
    ];
    let missed: Vec<&str> = forms.into_iter().filter(|form| lines_of(form, RUNS).is_empty()).collect();
    assert_eq!(missed, Vec::<&str>::new(), "of {}", forms.len());
}

#[test]
fn what_only_looks_like_code_from_elsewhere_is_left_alone() {
    let forms = [
        "// eval(x)",
        "/* new Function(x) */",
        "const text = 'eval(x)'",
        "const text = \"new Function('a')\"",
        "const pattern = /eval\\(/",
        "retrieval(x)",
        "model.eval(x)",
        "this.eval(x)",
        "class Model { eval(x) { return x; } }",
        "const model = { eval(x) { return x; }, eval2: 1 }",
        "function eval2(x) {} eval2(1)",
        "function run(Function) { return new Function(1); }",
        "import { eval as e } from './math.js'; e(1)",
        "typeof eval === 'function'",
        "a instanceof Function",
        "Function.prototype.call.bind(f)",
        "Function.prototype.toString.call(f)",
        "typeof Function",
        "new Function()",
        "setTimeout(run, 1)",
        "setTimeout(() => run(), 1)",
        "setTimeout(function () { run(); }, 1)",
        "setTimeout(run.bind(null, 'a'), 1)",
        "const tick = () => {}; setInterval(tick, 10)",
        "function setTimeout(text) {} setTimeout('a')",
        "this.constructor(x)",
        "new this.constructor(x)",
        "a.constructor.name",
        "[].constructor === Array",
        "import './a.js'",
        "import('./a.js')",
        "import(`./locales/${name}.js`)",
        "import react from 'react'",
        "new Worker('./worker.js')",
        "new Worker(new URL('./worker.js', import.meta.url))",
        "importScripts('a.js')",
        "img.src = 'https://cdn.example/a.png'",
        "const i = new Image(); i.src = 'https://cdn.example/a.png'",
        "a.href = 'https://a.example/'",
        "s.src = './a.js'",
        "const link = 'https://cdn.example/a.js'",
        "console.log('https://cdn.example/a.js')",
        "document.write('<p>hello</p>')",
        "p.textContent = x",
        "button.onclick = () => run()",
        "b.setAttribute('class', 'on')",
        "location.href = '/next'",
        "element.evaluate('1')",
        "new value.constructor(value.length)",
        "Array.prototype.constructor(3)",
        "list.map(Boolean)",
        "checks(value, Function)",
        "html`<p>${x}</p>`",
        "document.body.append('<script src=https://cdn.example/a.js></script>')",
        "define(['./a', 'jquery'], run)",
        "Object.assign(options, { src: './a.js' })",
        "_jsx('a', { href: 'https://a.example/' })",
        "setTimeout(makeWork(1), 1)",
        "b.setAttribute('once', x)",
        "b.setAttribute('online', x)",
        "Function.bind.call(it.only, it)",
        "const has = Function.call.bind(Object.hasOwnProperty); has(a, 'b')",
        "n.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='",
        "n.src = URL.createObjectURL(blob)",
        "b.innerHTML = '<p>' + x + '</p>'",
        "b.innerHTML = `<a href=\"${x}\">${y}</a><img src=\"${z}\">`",
        "b.innerHTML = `<script type=\"application/json\">${x}</script>`",
        "b.innerHTML = x",
        "b.setAttribute('data-' + name, x)",
        "b.setAttribute(name, x)",
        "b.setAttribute(a ? 'title' : 'alt', x)",
        "Reflect.set(b, 'title', x)",
        "const a = document.createAttribute('title'); a.value = x",
        "new a.constructor(x)",
    ];
    let wrong: Vec<(&str, Vec<String>)> =
        forms.into_iter().map(|form| (form, lines_of(form, RUNS))).filter(|(_, told)| !told.is_empty()).collect();
    assert_eq!(wrong, Vec::new());
}

#[test]
fn a_contact_names_its_origin_or_says_that_it_is_computed() {
    let cases = [
        ("fetch('https://a.example/x')", "fetch https://a.example"),
        ("window.fetch(`https://a.example/${x}`)", "fetch https://a.example"),
        ("const base = 'https://a.example'; fetch(base + '/x')", "fetch https://a.example"),
        ("const api = { url: 'https://a.example/' }; fetch(api.url)", "fetch https://a.example"),
        ("fetch(new URL('/x', 'https://a.example'))", "fetch https://a.example"),
        ("fetch(new URL('https://a.example').href)", "fetch https://a.example"),
        ("fetch(x)", "fetch computed"),
        ("fetch('https://' + host + '/x')", "fetch computed"),
        ("const f = fetch; f('https://a.example')", "fetch https://a.example"),
        ("const r = new XMLHttpRequest(); r.open('GET', 'https://a.example/x')", "xhr https://a.example"),
        ("r.open('POST', x)", "xhr computed"),
        ("new WebSocket('wss://a.example/x')", "websocket wss://a.example"),
        ("new EventSource('https://a.example/x')", "event-source https://a.example"),
        ("navigator.sendBeacon('https://a.example/x', data)", "beacon https://a.example"),
        ("navigator?.sendBeacon?.('https://a.example/x')", "beacon https://a.example"),
        ("new Image().src = 'https://a.example/pixel?' + x", "image https://a.example"),
        ("const f = document.createElement('iframe'); f.src = 'https://a.example'", "frame https://a.example"),
        ("const f = document.createElement('form'); f.action = 'https://a.example'", "form https://a.example"),
        ("location.assign('https://a.example')", "navigation https://a.example"),
        ("window.location = 'https://a.example'", "navigation https://a.example"),
        ("open('https://a.example')", "navigation https://a.example"),
        ("let a = 'https://a.example/?'; a += q; fetch(a)", "fetch https://a.example"),
        ("let a = 'https://a.example/?'; a += q; a = b; fetch(a)", "fetch computed"),
        ("const a = { b: './c' }; a.b = d; fetch(a.b)", "fetch computed"),
        ("const a = ['./c']; a.push(d); a.forEach((b) => fetch(b))", "fetch computed"),
        ("const a = () => 'https://a.example/x'; fetch(a())", "fetch https://a.example"),
        ("const a = Object.freeze({ b: 'https://a.example' }); fetch(a.b)", "fetch https://a.example"),
        ("const r = new XMLHttpRequest(); r.open.apply(r, ['GET', 'https://a.example'])", "xhr https://a.example"),
        ("new WebTransport('https://a.example:4433/')", "web-transport https://a.example:4433"),
        ("fetch(new Request('https://a.example/x'))", "fetch https://a.example"),
        ("const c = { api: { url: 'https://a.example' } }; fetch(c.api.url + '/x')", "fetch https://a.example"),
        ("r.open(method.toUpperCase(), x)", "xhr computed"),
        ("new Audio('https://a.example/x')", "media https://a.example"),
        ("axios.post('https://a.example/x')", "xhr https://a.example"),
        ("$.ajax({ url: 'https://a.example/x' })", "xhr https://a.example"),
        ("cache.addAll(['./a', 'https://a.example/x'])", "fetch https://a.example"),
        ("box.style.background = 'url(https://a.example/x)'", "style-url https://a.example"),
        ("sheet.insertRule('a{b:url(https://a.example/x)}')", "style-url https://a.example"),
        ("new FontFace('a', 'url(https://a.example/x)')", "style-url https://a.example"),
        ("html`<img src=\"https://a.example/${x}\">`", "image https://a.example"),
        ("_jsx('iframe', { src: 'https://a.example' })", "frame https://a.example"),
    ];
    for (code, expected) in cases {
        assert_eq!(lines_of(code, &["contact"]), [expected], "{code}");
    }
    let both = lines_of("fetch(local ? 'http://localhost:1' : 'https://a.example')", &["contact"]);
    assert_eq!(both, ["fetch http://localhost:1", "fetch https://a.example"]);
    let both = lines_of("const base = local ? './' : 'https://a.example/'; fetch(base + 'x' + y)", &["contact"]);
    assert_eq!(both, ["fetch https://a.example"]);
    let each = lines_of("for (const a of ['./b', 'https://a.example/x']) fetch(a)", &["contact"]);
    assert_eq!(each, ["fetch https://a.example"]);
    let either = lines_of("const send = (a = 'https://a.example/x') => fetch(a)", &["contact"]);
    assert_eq!(either, ["fetch computed", "fetch https://a.example"]);
    let harmless = [
        "fetch('/x')",
        "fetch('./x.json')",
        "fetch(`./data/${name}.json`)",
        "fetch(location.origin + '/x')",
        "function fetch(a) {} fetch('https://a.example')",
        "import { fetch } from './mock.js'; fetch('https://a.example')",
        "client.fetch('https://a.example')",
        "door.open('front', 'wide')",
        "const XMLNS = 'http://www.w3.org/2000/svg'; document.createElementNS(XMLNS, 'svg')",
        "fetch('data:application/json,1')",
        "new WebSocket('wss://' + location.host + '/x')",
        "new WebSocket(location.protocol + '//' + location.hostname + '/x')",
        "html`<img src=\"https://${host}/x\">`",
        "seen.get('https://a.example')",
        "new Audio(x)",
    ];
    for code in harmless {
        assert_eq!(lines_of(code, &["contact"]), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn a_power_is_called_or_only_mentioned() {
    let cases = [
        ("localStorage.setItem('a', 1)", "storage called"),
        ("window.localStorage['a'] = 1", "storage called"),
        ("const s = window.sessionStorage; s.clear()", "storage called"),
        ("const { localStorage: s } = window; s.getItem('a')", "storage called"),
        ("document.cookie = 'a=1'", "cookies called"),
        ("const all = document.cookie", "cookies called"),
        ("indexedDB.open('a')", "indexed-db called"),
        ("caches.open('a')", "cache-storage called"),
        ("navigator.clipboard.readText()", "clipboard-read called"),
        ("navigator.clipboard.writeText('a')", "clipboard-write called"),
        ("const { clipboard } = navigator; clipboard.writeText('a')", "clipboard-write called"),
        ("document.execCommand('copy')", "clipboard-write called"),
        ("navigator.geolocation.getCurrentPosition(show)", "geolocation called"),
        ("navigator.mediaDevices.getUserMedia({ video: true })", "camera called"),
        ("navigator.mediaDevices.getUserMedia({ audio: true, video: false })", "microphone called"),
        ("navigator.mediaDevices.getDisplayMedia()", "screen-capture called"),
        ("new Notification('a')", "notifications called"),
        ("Notification.requestPermission()", "notifications called"),
        ("registration.showNotification('a')", "notifications called"),
        ("registration.pushManager.subscribe({})", "push called"),
        ("showOpenFilePicker()", "file-open called"),
        ("window.showSaveFilePicker()", "file-save called"),
        ("navigator.serviceWorker.register('/worker.js')", "service-worker called"),
        ("new RTCPeerConnection()", "webrtc called"),
        ("new (window.RTCPeerConnection || window.webkitRTCPeerConnection)()", "webrtc called"),
        ("navigator.usb.requestDevice({})", "usb called"),
        ("navigator.hid.requestDevice({})", "hid called"),
        ("navigator.serial.requestPort()", "serial called"),
        ("navigator.bluetooth.requestDevice({})", "bluetooth called"),
        ("new PaymentRequest([], {})", "payment called"),
        ("navigator.credentials.get({})", "credentials called"),
        ("navigator.requestMIDIAccess()", "midi called"),
        ("addEventListener('devicemotion', turn)", "motion called"),
        ("const i = document.createElement('input'); i.type = 'file'", "file-open called"),
        ("_jsx('input', { type: 'file' })", "file-open called"),
        ("const a = <input type='file'/>", "file-open called"),
        ("frame.contentWindow.localStorage.clear()", "storage called"),
        ("if (typeof localStorage === 'undefined') run()", "storage mentioned"),
        ("if ('Notification' in window && Notification) run()", "notifications mentioned"),
        ("const has = !!navigator.geolocation", "geolocation mentioned"),
        ("create({ storage: localStorage })", "storage mentioned"),
    ];
    for (code, expected) in cases {
        let told = lines_of(code, &["power"]);
        assert!(told.iter().any(|one| one == expected), "{code}: {told:?}");
        assert!(!expected.ends_with("mentioned") || told.len() == 1, "{code}: {told:?}");
    }
    let both = lines_of("navigator.mediaDevices.getUserMedia(wanted)", &["power"]);
    assert_eq!(both, ["camera called", "microphone called"]);
    for open in ["{ ...wanted }", "{ audio: false, video: false, ...wanted }", "{ [kind]: true }"] {
        let code = format!("navigator.mediaDevices.getUserMedia({open})");
        assert_eq!(lines_of(&code, &["power"]), both, "{code}");
    }
    let one = lines_of("navigator.mediaDevices.getUserMedia({ audio: !1, video: !0 })", &["power"]);
    assert_eq!(one, ["camera called"]);
    for kept in ["!0", "!a", "-1", "(0, !a)", "1"] {
        let code = format!("navigator.mediaDevices.getUserMedia({{ audio: {kept} }})");
        assert_eq!(lines_of(&code, &["power"]), ["microphone called"], "{code}");
    }
    let harmless = [
        "function run(localStorage) { localStorage.setItem('a', 1); }",
        "const localStorage = new Map(); localStorage.get('a')",
        "import { indexedDB } from './fake.js'; indexedDB.open('a')",
        "state.clipboard.readText()",
        "const text = 'navigator.geolocation'",
        "recipe.cookie = 'chocolate'",
        "editor.navigator.usb()",
    ];
    for code in harmless {
        assert_eq!(lines_of(code, &["power"]), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn modules_and_relative_imports_are_named() {
    let code = "import './a.js'; export * from '../b.js'; import('./c.js'); import 'react';
        new Worker(new URL('./d.js', import.meta.url)); new Worker('./e.js')";
    let addresses: Vec<String> =
        read(Dialect::Any, code.as_bytes(), outside()).references.into_iter().map(|one| one.address).collect();
    assert_eq!(addresses, ["./a.js", "../b.js", "./c.js", "./d.js", "./e.js"]);
}

/// The references of a script, as `word address`.
fn referred(code: &str) -> Vec<String> {
    let references = read(Dialect::Any, code.as_bytes(), outside()).references.into_iter();
    references.map(|one| format!("{} {}", one.what.word, one.address)).collect()
}

#[test]
fn what_code_loads_as_a_script_is_named_in_every_form() {
    let forms = [
        "const s = document.createElement('script'); s.src = 'a.dat'",
        "const s = document.createElement('script'); s.setAttribute('SRC', 'a.dat')",
        "const name = 'a.dat'; document.head.append(Object.assign(document.createElement('script'), { src: name }))",
        "document.write('<script src=a.dat></' + 'script>')",
        "document.write('<script src=\\'.\\\\..\\\\a.dat\\'></script>')",
        "new Worker('a.dat')",
        "new Worker(new URL('a.dat', location.href))",
        "new SharedWorker('a.dat')",
        "importScripts('b.js', 'a.dat')",
        "navigator.serviceWorker.register('a.dat')",
        "context.audioWorklet.addModule('a.dat')",
        "CSS.paintWorklet.addModule('a.dat')",
        "$.getScript('a.dat')",
        "System.import('a.dat')",
        "const s = document.createElement('script'); s.src = 'a.dat?' + Date.now()",
        "h('script', { src: 'a.dat' })",
        "const s = document.createElement('script'); for (const a of ['b.js', 'a.dat']) s.src = './' + a",
        "frame.srcdoc = '<script src=a.dat></script>'",
    ];
    for form in forms {
        let told = referred(form);
        assert!(told.iter().any(|one| one.starts_with("loaded-script ") && one.contains("a.dat")), "{form} {told:?}");
    }
    assert_eq!(referred("import('./a.dat')"), ["module ./a.dat"]);
    let listed = "for (const a of ['b.js', 'a.dat']) import(`./${a}`)";
    assert_eq!(referred(listed), ["module ./b.js", "module ./a.dat"]);
    assert_eq!(referred("n.src = 'a.dat'"), ["loaded-element a.dat"]);
    let style = "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = 'a.dat'";
    assert_eq!(referred(style), ["loaded-style a.dat"]);
    let icon = "const l = document.createElement('link'); l.rel = 'icon'; l.href = 'a.png'";
    assert_eq!(referred(icon), Vec::<String>::new());
}

#[test]
fn a_name_is_followed_over_any_number_of_others() {
    let mut code = String::from("const e0 = fetch;");
    for step in 1..3_000 {
        code.push_str(&format!("const e{step} = e{};", step - 1));
    }
    code.push_str("e2999('https://a.example/x'); var a = b, b = a; a('https://b.example/')");
    assert_eq!(lines_of(&code, &["contact"]), ["fetch https://a.example"]);
}

#[test]
fn contacts_are_told_in_forms_that_few_write() {
    let cases = [
        ("new WebSocketStream('wss://a.example/x')", "websocket wss://a.example"),
        ("a.ping = 'https://a.example/x'", "beacon https://a.example"),
        ("a.setAttribute('ping', 'https://a.example/x')", "beacon https://a.example"),
        (
            "new RTCPeerConnection({ iceServers: [{ urls: 'turn:a.example:3478?transport=udp' }] })",
            "peer https://a.example:3478",
        ),
        ("new RTCPeerConnection({ iceServers: [{ urls: ['stun:a.example'] }] })", "peer https://a.example"),
        ("class A { #root = 'https://a.example'; b() { fetch(`${this.#root}/x`); } }", "fetch https://a.example"),
        ("class A { root = 'https://a.example/'; b() { fetch(this.root + 'x'); } }", "fetch https://a.example"),
        (
            "class A { constructor() { this.root = 'https://a.example/'; } b() { fetch(this.root + 'x'); } }",
            "fetch https://a.example",
        ),
        ("class A { static root = 'https://a.example/'; b() { fetch(A.root + 'x'); } }", "fetch https://a.example"),
        ("class A { #send = fetch; b() { this.#send('https://a.example/x'); } }", "fetch https://a.example"),
        ("const api = { send: fetch }; api.send('https://a.example/x')", "fetch https://a.example"),
        ("const m = 'open'; xhr[m]('GET', 'https://a.example/x')", "xhr https://a.example"),
        ("fetch(String.raw`https://a.example/x`)", "fetch https://a.example"),
        ("function root() { return 'https://a.example'; } fetch(root() + '/x')", "fetch https://a.example"),
        ("fetch((() => { return 'https://a.example/x'; })())", "fetch https://a.example"),
    ];
    for (code, expected) in cases {
        assert_eq!(lines_of(code, &["contact"]), [expected], "{code}");
    }
}

#[test]
fn the_kind_of_an_element_is_known_or_said_to_be_unknown() {
    let cases = [
        ("const avatar = mk('script'); avatar.src = 'https://a.example/x'", "element https://a.example"),
        ("script.src = 'https://a.example/x'", "element https://a.example"),
        ("const a = new Image(); a.src = 'https://a.example/x'", "image https://a.example"),
        ("const a = document.createElement('img'); a.src = 'https://a.example/x'", "image https://a.example"),
        ("document.images[0].src = 'https://a.example/x'", "image https://a.example"),
        ("for (const a of document.images) a.src = 'https://a.example/x'", "image https://a.example"),
        ("document.querySelector('#a > IMG.b[data-c]').src = 'https://a.example/x'", "image https://a.example"),
        ("b.closest('video').src = 'https://a.example/x'", "media https://a.example"),
        ("document.querySelector('img, script').src = 'https://a.example/x'", "element https://a.example"),
        ("document.querySelector('img:is(script)').src = 'https://a.example/x'", "element https://a.example"),
        (
            "document.querySelectorAll('img').forEach((a) => { a.src = 'https://a.example/x' })",
            "image https://a.example",
        ),
        ("document.querySelector('script').src = 'https://a.example/x'", "script https://a.example"),
        ("document.getElementsByTagName('script')[0].src = 'https://a.example/x'", "script https://a.example"),
        (
            "const l = document.createElement('link'); l.rel = 'preconnect'; l.href = 'https://a.example'",
            "link https://a.example",
        ),
        (
            "const l = document.createElement('link'); l.rel = 'dns-prefetch'; l.href = '//a.example'",
            "link https://a.example",
        ),
        (
            "const l = document.createElement('link'); l.rel = 'icon stylesheet'; l.href = '//a.example'",
            "style https://a.example",
        ),
    ];
    for (code, expected) in cases {
        assert_eq!(lines_of(code, &["contact", "remote-code", "dynamic-code"]), [expected], "{code}");
    }
}

#[test]
fn a_script_element_is_data_only_where_nothing_can_make_it_code() {
    let data =
        "const d = document.createElement('script'); d.type = 'application/json'; d.textContent = x; b.append(d)";
    assert_eq!(lines_of(data, RUNS), Vec::<String>::new());
    let code = [
        "const d = document.createElement('script'); d.type = 'module'; d.textContent = x",
        "const d = document.createElement('script'); d.type = ''; d.textContent = x",
        "const d = document.createElement('script'); d.type = kind; d.textContent = x",
        "const d = document.createElement('script'); d.type = 'a/b'; d.type = 'text/javascript'; d.textContent = x",
        "const d = document.createElement('script'); d.type = 'a/b'; d.removeAttribute('type'); d.textContent = x",
        "const d = document.createElement('script'); d.type = 'a/b'; d[k] = ''; d.textContent = x",
        "const d = document.createElement('script'); d.type = 'a/b'; const e = d; e.type = ''; d.textContent = x",
        "const d = document.createElement('script'); d.type = 'a/b'; arm(d); d.textContent = x",
        "const d = document.createElement('script'); d.type = 'speculationrules'; d.textContent = x",
    ];
    for code in code {
        assert_eq!(lines_of(code, RUNS), ["script-text computed"], "{code}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_read() {
    let unread = |bytes: &[u8]| {
        let seen = read(Dialect::Any, bytes, outside()).sightings;
        seen.into_iter().filter(|one| one.what.kind == "unread").map(|one| one.what.word).collect::<Vec<_>>()
    };
    assert_eq!(unread(b"const a = ;"), ["syntax"]);
    assert_eq!(unread(b"function a() { return 1"), ["syntax"]);
    assert_eq!(unread(b"eval(a)\xFF"), ["encoding", "syntax"]);
    assert_eq!(unread(b"const a = '\xFF'; eval(a)"), ["encoding"]);
    assert_eq!(unread(b"eval(a)\0\0\0"), ["syntax"]);
    assert!(unread(b"with (a) { b() }").is_empty());
    assert!(unread(b"<!-- old\nrun()").is_empty());
    assert!(unread(b"#!/usr/bin/env node\nrun()").is_empty());
    assert!(unread(b"return 1").is_empty());
    assert!(unread(b"await run()").is_empty());
    assert!(unread(b"").is_empty());
}

#[test]
fn what_browsers_do_not_run_is_read_all_the_same() {
    let shape = |dialect, code: &str| {
        let seen = read(dialect, code.as_bytes(), outside()).sightings;
        seen.into_iter().map(|one| one.what.word).collect::<Vec<_>>()
    };
    assert_eq!(shape(Dialect::Any, "const a = <b/>; eval(c)"), ["eval", "jsx"]);
    assert_eq!(shape(Dialect::TypeScript, "const a: string = eval(c)"), ["eval", "typescript"]);
    assert_eq!(shape(Dialect::Any, "const a: string = eval(c)"), ["eval", "typescript"]);
    assert_eq!(shape(Dialect::Tsx, "const a: string = <b>{eval(c)}</b>"), ["eval", "typescript"]);
}

#[test]
fn names_that_stand_for_each_other_end() {
    let mut code = "const a0 = 'x';".to_owned();
    for number in 1..60 {
        let last = number - 1;
        code.push_str(&format!("const a{number} = a{last} + a{last};"));
    }
    code.push_str("var t = e[t.x]; fetch(t); t(); var o = p ? o : q, p = o || p; fetch(o); window[o]();");
    code.push_str("fetch(a59); const b = c, c = b; fetch(b); eval(d); var d = d");
    assert!(!seen(&code).is_empty());
}

/// Every link of a chain can be followed in two ways; each is worked out once.
#[test]
fn a_long_chain_of_calls_and_members_takes_no_longer_than_its_length() {
    let links = |count: usize| (0..count).map(|number| format!(".m{number}.c{number}(x)")).collect::<String>();
    let objects = "const a = { b: { c: { d: x } } };";
    let code = format!("{objects} x{}; {}", links(400), "a.b.c.d.e.f.g(a.b.c, a.b[c.d]);".repeat(2_000));
    let started = std::time::Instant::now();
    seen(&code);
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

/// What is spread behind a member may be another one of that name: the text is not known, and the powers still are.
#[test]
fn a_member_that_a_later_part_may_change_has_no_known_text() {
    let addresses = |code: &str| lines_of(code, &["contact"]).join(", ");
    let known = addresses("const o = { url: 'https://a.example/x' }; fetch(o.url)");
    let open = addresses("const o = { url: 'https://a.example/x', ...settings }; fetch(o.url)");
    let computed = addresses("const o = { url: 'https://a.example/x', [name]: other }; fetch(o.url)");
    let before = addresses("const o = { ...settings, url: 'https://a.example/x' }; fetch(o.url)");
    assert!(known.contains("https://a.example"), "{known}");
    assert!(before.contains("https://a.example"), "{before}");
    for text in [open, computed] {
        assert!(text.contains("computed") || !text.contains("https://a.example"), "{text}");
        assert!(!text.is_empty(), "a contact is told");
    }
    let run = lines_of("const o = { run: window.eval, ...rest }; o.run(x)", RUNS);
    assert!(!run.is_empty(), "what it may be counts for powers");
}

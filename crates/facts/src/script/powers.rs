//! Powers of the browser that a script calls on, or only mentions. One row a power.

use oxc_ast::ast::{Expression, UnaryOperator};
use svc_core::package::fact_table::{
    CALLED, FactSpec, MENTIONED, POWER_BLUETOOTH, POWER_CACHE_STORAGE, POWER_CAMERA, POWER_CLIPBOARD_READ,
    POWER_CLIPBOARD_WRITE, POWER_CONTACTS, POWER_COOKIES, POWER_CREDENTIALS, POWER_EYE_DROPPER, POWER_FILE_OPEN,
    POWER_FILE_SAVE, POWER_GEOLOCATION, POWER_HID, POWER_IDLE_DETECTION, POWER_INDEXED_DB, POWER_LOCAL_FONTS,
    POWER_MICROPHONE, POWER_MIDI, POWER_MOTION, POWER_NFC, POWER_NOTIFICATIONS, POWER_PAYMENT, POWER_PUSH,
    POWER_SCREEN_CAPTURE, POWER_SERIAL, POWER_SERVICE_WORKER, POWER_SHARE, POWER_STORAGE, POWER_STORAGE_ACCESS,
    POWER_USB, POWER_WAKE_LOCK, POWER_WEBRTC, POWER_WINDOW_MANAGEMENT, POWER_XR,
};

use super::inner::inner;
use super::{
    call::{Call, start},
    object::{is_open, written_value_of},
    path::as_member,
    scope::Scope,
};
use crate::notes::Notes;

/// When a power is used, and not only mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// When it, or something of it, is called.
    Call,
    /// When something of it is read or set as well.
    Access,
}

/// Names of the browser: they, and whatever stands below them.
static POWERS: &[(&[&str], Use, &FactSpec)] = &[
    (&["Accelerometer"], Use::Call, &POWER_MOTION),
    (&["AmbientLightSensor"], Use::Call, &POWER_MOTION),
    (&["ContactsManager"], Use::Call, &POWER_CONTACTS),
    (&["DeviceMotionEvent", "requestPermission"], Use::Call, &POWER_MOTION),
    (&["DeviceOrientationEvent", "requestPermission"], Use::Call, &POWER_MOTION),
    (&["EyeDropper"], Use::Call, &POWER_EYE_DROPPER),
    (&["Gyroscope"], Use::Call, &POWER_MOTION),
    (&["IdleDetector"], Use::Call, &POWER_IDLE_DETECTION),
    (&["Magnetometer"], Use::Call, &POWER_MOTION),
    (&["NDEFReader"], Use::Call, &POWER_NFC),
    (&["Notification"], Use::Call, &POWER_NOTIFICATIONS),
    (&["PaymentRequest"], Use::Call, &POWER_PAYMENT),
    (&["RTCPeerConnection"], Use::Call, &POWER_WEBRTC),
    (&["SpeechRecognition"], Use::Call, &POWER_MICROPHONE),
    (&["caches"], Use::Call, &POWER_CACHE_STORAGE),
    (&["cookieStore"], Use::Call, &POWER_COOKIES),
    (&["document", "cookie"], Use::Access, &POWER_COOKIES),
    (&["document", "hasStorageAccess"], Use::Call, &POWER_STORAGE_ACCESS),
    (&["document", "requestStorageAccess"], Use::Call, &POWER_STORAGE_ACCESS),
    (&["document", "requestStorageAccessFor"], Use::Call, &POWER_STORAGE_ACCESS),
    (&["getScreenDetails"], Use::Call, &POWER_WINDOW_MANAGEMENT),
    (&["indexedDB"], Use::Call, &POWER_INDEXED_DB),
    (&["localStorage"], Use::Access, &POWER_STORAGE),
    (&["mozRTCPeerConnection"], Use::Call, &POWER_WEBRTC),
    (&["navigator", "bluetooth"], Use::Call, &POWER_BLUETOOTH),
    (&["navigator", "clipboard", "read"], Use::Call, &POWER_CLIPBOARD_READ),
    (&["navigator", "clipboard", "readText"], Use::Call, &POWER_CLIPBOARD_READ),
    (&["navigator", "clipboard", "write"], Use::Call, &POWER_CLIPBOARD_WRITE),
    (&["navigator", "clipboard", "writeText"], Use::Call, &POWER_CLIPBOARD_WRITE),
    (&["navigator", "clipboard"], Use::Call, &POWER_CLIPBOARD_WRITE),
    (&["navigator", "contacts"], Use::Call, &POWER_CONTACTS),
    (&["navigator", "credentials"], Use::Call, &POWER_CREDENTIALS),
    (&["navigator", "geolocation"], Use::Call, &POWER_GEOLOCATION),
    (&["navigator", "hid"], Use::Call, &POWER_HID),
    (&["navigator", "mediaDevices", "getDisplayMedia"], Use::Call, &POWER_SCREEN_CAPTURE),
    (&["navigator", "requestMIDIAccess"], Use::Call, &POWER_MIDI),
    (&["navigator", "serial"], Use::Call, &POWER_SERIAL),
    (&["navigator", "serviceWorker"], Use::Call, &POWER_SERVICE_WORKER),
    (&["navigator", "share"], Use::Call, &POWER_SHARE),
    (&["navigator", "storage", "getDirectory"], Use::Call, &POWER_STORAGE),
    (&["navigator", "usb"], Use::Call, &POWER_USB),
    (&["navigator", "wakeLock"], Use::Call, &POWER_WAKE_LOCK),
    (&["navigator", "xr"], Use::Call, &POWER_XR),
    (&["openDatabase"], Use::Call, &POWER_INDEXED_DB),
    (&["queryLocalFonts"], Use::Call, &POWER_LOCAL_FONTS),
    (&["sessionStorage"], Use::Access, &POWER_STORAGE),
    (&["showDirectoryPicker"], Use::Call, &POWER_FILE_OPEN),
    (&["showOpenFilePicker"], Use::Call, &POWER_FILE_OPEN),
    (&["showSaveFilePicker"], Use::Call, &POWER_FILE_SAVE),
    (&["webkitIndexedDB"], Use::Call, &POWER_INDEXED_DB),
    (&["webkitNotifications"], Use::Call, &POWER_NOTIFICATIONS),
    (&["webkitRTCPeerConnection"], Use::Call, &POWER_WEBRTC),
    (&["webkitSpeechRecognition"], Use::Call, &POWER_MICROPHONE),
];

/// Methods that no other object has.
static METHODS: &[(&str, &FactSpec)] = &[
    ("getDisplayMedia", &POWER_SCREEN_CAPTURE),
    ("requestMIDIAccess", &POWER_MIDI),
    ("showNotification", &POWER_NOTIFICATIONS),
];

/// Events that tell how a device is moved.
const MOTION_EVENTS: &[&str] = &["devicemotion", "deviceorientation", "deviceorientationabsolute"];

/// Commands of old pages.
static COMMANDS: &[(&str, &FactSpec)] =
    &[("copy", &POWER_CLIPBOARD_WRITE), ("cut", &POWER_CLIPBOARD_WRITE), ("paste", &POWER_CLIPBOARD_READ)];

/// Names of the function that opens camera and microphone, alone or below `navigator.mediaDevices`.
const MEDIA: &[&str] = &["getUserMedia", "webkitGetUserMedia", "mozGetUserMedia", "msGetUserMedia"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    let (path, skipped) = call.direct(scope).unwrap_or_else(|| (call.path.clone(), 0));
    if let Some((_, _, power)) = row(&path) {
        notes.note(call.at, power, Some(CALLED));
        return;
    }
    if path == ["document", "execCommand"] {
        let command = call.argument(skipped).and_then(|command| scope.text(command).whole());
        let known =
            COMMANDS.iter().find(|(known, _)| command.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(known)));
        if let Some((_, power)) = known {
            notes.note(call.at, power, Some(CALLED));
        }
        return;
    }
    let member = as_member(inner(call.callee));
    let method = call.method(scope);
    let name = path.last().copied().or(method.as_deref());
    if name.is_some_and(|name| MEDIA.contains(&name)) {
        media(scope, call, call.argument(skipped), notes);
    } else if let Some((_, power)) = METHODS.iter().find(|(known, _)| name == Some(known)) {
        notes.note(call.at, power, Some(CALLED));
    } else if name == Some("addEventListener") {
        let event = call.argument(skipped).and_then(|event| scope.text(event).whole());
        if event.is_some_and(|event| MOTION_EVENTS.contains(&event.as_str())) {
            notes.note(call.at, &POWER_MOTION, Some(CALLED));
        }
    } else if name == Some("subscribe") && member.is_some_and(|member| is_push(member.object())) {
        notes.note(call.at, &POWER_PUSH, Some(CALLED));
    }
}

/// An input that takes files opens the picker of the system.
pub(super) fn set_type<'a>(
    scope: &Scope<'a, '_>,
    object: &'a Expression<'a>,
    value: &'a Expression<'a>,
    notes: &mut Notes,
) {
    let is_input = scope.element(object).is_some_and(|element| element == "input");
    if is_input && scope.text(value).whole().is_some_and(|kind| kind.eq_ignore_ascii_case("file")) {
        notes.note(start(value), &POWER_FILE_OPEN, Some(CALLED));
    }
}

fn is_push(object: &Expression<'_>) -> bool {
    let object = inner(object);
    matches!(object, Expression::Identifier(name) if name.name == "pushManager")
        || as_member(object).is_some_and(|member| member.static_property_name() == Some("pushManager"))
}

/// Whether a value is the word `false`, or `!1`, as programs write it that make code short.
fn is_false(value: &Expression<'_>) -> bool {
    match inner(value) {
        Expression::BooleanLiteral(word) => !word.value,
        Expression::UnaryExpression(not) => {
            not.operator == UnaryOperator::LogicalNot
                && matches!(inner(&not.argument), Expression::NumericLiteral(number) if number.value == 1.0)
        }
        _ => false,
    }
}

/// Camera or microphone, as the call asks; both where that is not known.
fn media<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, wanted: Option<&'a Expression<'a>>, notes: &mut Notes) {
    let object = wanted.map(|wanted| scope.behind(wanted));
    let asks = |name: &str| match object {
        Some(Expression::ObjectExpression(object)) => {
            is_open(object) || written_value_of(object, name).is_some_and(|value| !is_false(value))
        }
        Some(_) | None => true,
    };
    for (name, power) in [("video", &POWER_CAMERA), ("audio", &POWER_MICROPHONE)] {
        if asks(name) {
            notes.note(call.at, power, Some(CALLED));
        }
    }
}

/// Looks at a name of the browser that is not called. True when it is one of these.
pub(super) fn mention(at: usize, path: &[&str], notes: &mut Notes) -> bool {
    let Some((known, using, power)) = row(path) else { return false };
    let is_used = *using == Use::Access && (path.len() > known.len() || known.len() > 1);
    notes.note(at, power, Some(if is_used { CALLED } else { MENTIONED }));
    true
}

fn row(path: &[&str]) -> Option<&'static (&'static [&'static str], Use, &'static FactSpec)> {
    POWERS.iter().find(|(known, _, _)| path.starts_with(known))
}

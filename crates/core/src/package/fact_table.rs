//! The facts that this build knows: one row for each kind and word.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    package::fact::{Fact, FactWord},
    scalar::{size::Size, subject::Subject},
};

/// One kind and word.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "fact-meaning")]
pub struct FactSpec {
    /// What it is about: the file alone, or something in it.
    #[schemars(with = "String")]
    pub about: About,
    /// The kind.
    pub kind: &'static str,
    /// What it means, for people: after a file's name or alone, before its subject.
    pub means: &'static str,
    /// The word.
    pub word: &'static str,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// A file, and an origin that it names, or [`COMPUTED`].
    Address,
    /// A file, and whether what it runs is [`CONSTANT`] or [`COMPUTED`].
    Argument,
    /// A file.
    File,
    /// A file, and what it names, where that has the form of a subject.
    Name,
    /// A picture in a file, by its size.
    Picture,
    /// A row of the manifest's `files`, by its number.
    Pattern,
    /// A file, and whether it has [`CALLED`] something or [`MENTIONED`] it.
    Use,
}

pub const CALLED: &str = "called";
pub const COMPUTED: &str = "computed";
pub const CONSTANT: &str = "constant";
pub const MENTIONED: &str = "mentioned";

/// How the origin of a contact may begin.
pub const SCHEMES: &[&str] = &["http://", "https://", "ws://", "wss://"];

impl About {
    /// Whether a subject says what such a fact is about.
    fn fits(self, subject: Option<&Subject>) -> bool {
        let text = subject.map(Subject::as_str);
        match self {
            Self::Address => text.is_some_and(|text| text == COMPUTED || is_origin(text)),
            Self::Argument => matches!(text, Some(CONSTANT | COMPUTED)),
            Self::File => text.is_none(),
            Self::Name => true,
            Self::Picture => subject.and_then(Subject::as_pixels).is_some(),
            Self::Pattern => subject.and_then(Subject::as_number).is_some(),
            Self::Use => matches!(text, Some(CALLED | MENTIONED)),
        }
    }
}

fn is_origin(text: &str) -> bool {
    let host = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    host.is_some_and(|host| !host.is_empty() && !host.contains('/'))
}

macro_rules! facts {
    ($($name:ident = $kind:ident $word:literal, $about:ident, $means:literal;)+) => {
        $(pub static $name: FactSpec =
            FactSpec { kind: $kind, word: $word, means: $means, about: About::$about };)+

        /// Every fact that this build knows, sorted by kind and word.
        pub static ALL: &[&FactSpec] = &[$(&$name,)+];
    };
}

pub const ARCHIVE: &str = "archive";
pub const BINARY: &str = "binary";
pub const CLAIM: &str = "claim";
pub const CONTACT: &str = "contact";
pub const DYNAMIC_CODE: &str = "dynamic-code";
pub const IMAGE: &str = "image";
pub const INLINE: &str = "inline";
pub const PAGE: &str = "page";
pub const PATTERN: &str = "pattern";
pub const POWER: &str = "power";
pub const PUBLIC_KEY: &str = "public-key";
pub const REFERENCE: &str = "reference";
pub const REMOTE_CODE: &str = "remote-code";
pub const SECRET: &str = "secret";
pub const SHAPE: &str = "shape";
pub const SIGNATURE_MATERIAL: &str = "signature-material";
pub const TEMPLATE: &str = "template";
pub const UNREAD: &str = "unread";
pub const WASM: &str = "wasm";

facts! {
    ARCHIVE_DISK_IMAGE = ARCHIVE "disk-image", File, "the image of a disk";
    ARCHIVE_GZIP = ARCHIVE "gzip", File, "data compressed by gzip";
    ARCHIVE_OTHER = ARCHIVE "other", File, "a compressed archive";
    ARCHIVE_RAR = ARCHIVE "rar", File, "a RAR archive";
    ARCHIVE_SEVEN_ZIP = ARCHIVE "seven-zip", File, "a 7-Zip archive";
    ARCHIVE_TAR = ARCHIVE "tar", File, "a tar archive";
    ARCHIVE_ZIP = ARCHIVE "zip", File, "a ZIP archive";
    BINARY_ELF = BINARY "elf", File, "an ELF program";
    BINARY_FLASH = BINARY "flash", File, "a Flash program";
    BINARY_JAVA_CLASS = BINARY "java-class", File, "a Java class";
    BINARY_MACH_O = BINARY "mach-o", File, "a Mach-O program";
    BINARY_RUN_BY_NAME = BINARY "run-by-name", File, "a file that systems run by its name";
    BINARY_SHELL_SCRIPT = BINARY "shell-script", File, "a script that a shell runs";
    BINARY_SHORTCUT = BINARY "shortcut", File, "a shortcut that systems follow";
    BINARY_WINDOWS = BINARY "windows", File, "a Windows program";
    CLAIM_APPROVED = CLAIM "approved", File, "the text says `approved`";
    CLAIM_CERTIFIED = CLAIM "certified", File, "the text says `certified`";
    CLAIM_INSTALLABLE = CLAIM "installable", File, "the text says `installable`";
    CLAIM_OFFICIAL = CLAIM "official", File, "the text says `official`";
    CLAIM_TRUSTED = CLAIM "trusted", File, "the text says `trusted`";
    CLAIM_VERIFIED = CLAIM "verified", File, "the text says `verified`";
    CONTACT_BEACON = CONTACT "beacon", Address, "data sent to";
    CONTACT_ELEMENT = CONTACT "element", Address, "an element of unknown kind loaded from";
    CONTACT_EVENT_SOURCE = CONTACT "event-source", Address, "events read from";
    CONTACT_FETCH = CONTACT "fetch", Address, "data fetched from";
    CONTACT_FORM = CONTACT "form", Address, "a form sent to";
    CONTACT_FRAME = CONTACT "frame", Address, "a page shown from";
    CONTACT_IMAGE = CONTACT "image", Address, "a picture loaded from";
    CONTACT_LINK = CONTACT "link", Address, "a page linked or preloaded from";
    CONTACT_MEDIA = CONTACT "media", Address, "sound or film played from";
    CONTACT_NAVIGATION = CONTACT "navigation", Address, "the page moves to";
    CONTACT_PEER = CONTACT "peer", Address, "connections between browsers arranged by";
    CONTACT_STYLE_URL = CONTACT "style-url", Address, "a resource of a style loaded from";
    CONTACT_WEB_TRANSPORT = CONTACT "web-transport", Address, "a transport opened to";
    CONTACT_WEBSOCKET = CONTACT "websocket", Address, "a socket opened to";
    CONTACT_XHR = CONTACT "xhr", Address, "a request sent to";
    DYNAMIC_CODE_BLOB_CODE = DYNAMIC_CODE "blob-code", Argument, "code loaded from a Blob made at run time";
    DYNAMIC_CODE_DATA_CODE = DYNAMIC_CODE "data-code", Argument, "code loaded from a `data:` address";
    DYNAMIC_CODE_DOCUMENT_WRITE = DYNAMIC_CODE "document-write", Argument, "markup written into the page while it loads";
    DYNAMIC_CODE_EVAL = DYNAMIC_CODE "eval", Argument, "evaluated code";
    DYNAMIC_CODE_FUNCTION_CONSTRUCTOR = DYNAMIC_CODE "function-constructor", Argument, "code made from text by a function constructor";
    DYNAMIC_CODE_HANDLER_TEXT = DYNAMIC_CODE "handler-text", Argument, "an event handler set as text";
    DYNAMIC_CODE_JAVASCRIPT_ADDRESS = DYNAMIC_CODE "javascript-address", Argument, "a `javascript:` address";
    DYNAMIC_CODE_MARKUP_SCRIPT = DYNAMIC_CODE "markup-script", Argument, "markup with a script or handler set as text";
    DYNAMIC_CODE_REALM = DYNAMIC_CODE "realm", Argument, "code evaluated in a realm of its own";
    DYNAMIC_CODE_SCRIPT_TEXT = DYNAMIC_CODE "script-text", Argument, "the text of a script element set at run time";
    DYNAMIC_CODE_STRING_TIMER = DYNAMIC_CODE "string-timer", Argument, "a timer that runs text";
    IMAGE_GIF = IMAGE "gif", Picture, "a GIF";
    IMAGE_JPEG = IMAGE "jpeg", Picture, "a JPEG";
    IMAGE_PNG = IMAGE "png", Picture, "a PNG";
    IMAGE_WEBP = IMAGE "webp", Picture, "a WebP";
    INLINE_EVENT_HANDLER = INLINE "event-handler", File, "an event handler in an attribute";
    INLINE_JAVASCRIPT_ADDRESS = INLINE "javascript-address", File, "a `javascript:` address";
    INLINE_SCRIPT = INLINE "script", File, "an inline script";
    INLINE_STYLE = INLINE "style", File, "an inline style";
    PAGE_DOCUMENT = PAGE "document", File, "an HTML document";
    PATTERN_IDLE = PATTERN "idle", Pattern, "the pattern matches no file";
    POWER_BLUETOOTH = POWER "bluetooth", Use, "Bluetooth devices";
    POWER_CACHE_STORAGE = POWER "cache-storage", Use, "the cache storage";
    POWER_CAMERA = POWER "camera", Use, "the camera";
    POWER_CLIPBOARD_READ = POWER "clipboard-read", Use, "reading the clipboard";
    POWER_CLIPBOARD_WRITE = POWER "clipboard-write", Use, "writing the clipboard";
    POWER_CONTACTS = POWER "contacts", Use, "the contacts of the user";
    POWER_COOKIES = POWER "cookies", Use, "cookies";
    POWER_CREDENTIALS = POWER "credentials", Use, "stored credentials";
    POWER_EYE_DROPPER = POWER "eye-dropper", Use, "picking colours from the screen";
    POWER_FILE_OPEN = POWER "file-open", Use, "opening files of the user";
    POWER_FILE_SAVE = POWER "file-save", Use, "saving files of the user";
    POWER_GEOLOCATION = POWER "geolocation", Use, "where the user is";
    POWER_HID = POWER "hid", Use, "input devices of any kind";
    POWER_IDLE_DETECTION = POWER "idle-detection", Use, "whether the user is active";
    POWER_INDEXED_DB = POWER "indexed-db", Use, "the indexed database";
    POWER_LOCAL_FONTS = POWER "local-fonts", Use, "the fonts of the machine";
    POWER_MICROPHONE = POWER "microphone", Use, "the microphone";
    POWER_MIDI = POWER "midi", Use, "music devices";
    POWER_MOTION = POWER "motion", Use, "motion and light sensors";
    POWER_NFC = POWER "nfc", Use, "tags read by radio";
    POWER_NOTIFICATIONS = POWER "notifications", Use, "notifications";
    POWER_PAYMENT = POWER "payment", Use, "payment";
    POWER_PUSH = POWER "push", Use, "push messages";
    POWER_SCREEN_CAPTURE = POWER "screen-capture", Use, "recording the screen";
    POWER_SERIAL = POWER "serial", Use, "serial ports";
    POWER_SERVICE_WORKER = POWER "service-worker", Use, "a service worker";
    POWER_SHARE = POWER "share", Use, "sharing with other apps";
    POWER_STORAGE = POWER "storage", Use, "the local storage";
    POWER_STORAGE_ACCESS = POWER "storage-access", Use, "storage across sites";
    POWER_USB = POWER "usb", Use, "USB devices";
    POWER_WAKE_LOCK = POWER "wake-lock", Use, "keeping the screen on";
    POWER_WEBRTC = POWER "webrtc", Use, "connections between browsers";
    POWER_WINDOW_MANAGEMENT = POWER "window-management", Use, "the screens of the machine";
    POWER_XR = POWER "xr", Use, "devices for virtual reality";
    PUBLIC_KEY_SERVICE = PUBLIC_KEY "service", File, "a key that its service means to be public";
    REFERENCE_LOADED_ELEMENT = REFERENCE "loaded-element", Name, "an element of unknown kind loads it";
    REFERENCE_LOADED_SCRIPT = REFERENCE "loaded-script", Name, "code loads it as a script";
    REFERENCE_LOADED_STYLE = REFERENCE "loaded-style", Name, "code loads it as a style";
    REFERENCE_MODULE = REFERENCE "module", Name, "a module that is not in the package";
    REFERENCE_PICTURE = REFERENCE "picture", Name, "a picture that is not in the package";
    REFERENCE_RESOURCE = REFERENCE "resource", Name, "a file that is not in the package";
    REFERENCE_SCRIPT = REFERENCE "script", Name, "a script that is not in the package";
    REFERENCE_STYLE = REFERENCE "style", Name, "a style that is not in the package";
    REMOTE_CODE_IMPORT_MAP = REMOTE_CODE "import-map", Address, "modules mapped to";
    REMOTE_CODE_MODULE = REMOTE_CODE "module", Address, "a module loaded from";
    REMOTE_CODE_SCRIPT = REMOTE_CODE "script", Address, "a script loaded from";
    REMOTE_CODE_STYLE = REMOTE_CODE "style", Address, "a style loaded from";
    REMOTE_CODE_WASM = REMOTE_CODE "wasm", Address, "WebAssembly loaded from";
    REMOTE_CODE_WORKER = REMOTE_CODE "worker", Address, "a worker loaded from";
    SECRET_AI_KEY = SECRET "ai-key", File, "a key of an AI service";
    SECRET_ANALYTICS_KEY = SECRET "analytics-key", File, "a key of an analytics service";
    SECRET_ASSIGNED_SECRET = SECRET "assigned-secret", File, "a secret behind a name such as `password`";
    SECRET_CHAT_TOKEN = SECRET "chat-token", File, "a token of a chat service";
    SECRET_CHAT_WEBHOOK = SECRET "chat-webhook", File, "a webhook of a chat service";
    SECRET_CLOUD_ACCESS_KEY = SECRET "cloud-access-key", File, "an access key of a cloud";
    SECRET_CLOUD_API_KEY = SECRET "cloud-api-key", File, "an API key of a cloud";
    SECRET_CLOUD_SECRET = SECRET "cloud-secret", File, "a secret key of a cloud";
    SECRET_CLOUD_STORAGE_KEY = SECRET "cloud-storage-key", File, "a key of a cloud's storage";
    SECRET_CODE_HOST_TOKEN = SECRET "code-host-token", File, "a token of a code host";
    SECRET_DATABASE_PASSWORD = SECRET "database-password", File, "a password in the address of a database";
    SECRET_DEPLOY_TOKEN = SECRET "deploy-token", File, "a token of a hosting service";
    SECRET_ENCRYPTION_KEY = SECRET "encryption-key", File, "an age or PGP secret key";
    SECRET_ERROR_TRACKER_TOKEN = SECRET "error-tracker-token", File, "a token of an error tracker";
    SECRET_FILE_STORE_TOKEN = SECRET "file-store-token", File, "a token of a file store";
    SECRET_LOGIN_HEADER = SECRET "login-header", File, "a name and password for a login header";
    SECRET_MAIL_KEY = SECRET "mail-key", File, "a key of a mail service";
    SECRET_MAP_TOKEN = SECRET "map-token", File, "a secret token of a map service";
    SECRET_MESSAGE_KEY = SECRET "message-key", File, "a key of a messaging service";
    SECRET_MONITORING_KEY = SECRET "monitoring-key", File, "a key of a monitoring service";
    SECRET_OAUTH_SECRET = SECRET "oauth-secret", File, "a client secret";
    SECRET_PACKAGE_REGISTRY_TOKEN = SECRET "package-registry-token", File, "a token of a package registry";
    SECRET_PASSWORD_IN_ADDRESS = SECRET "password-in-address", File, "a password in an address";
    SECRET_PAYMENT_KEY = SECRET "payment-key", File, "a key of a payment service";
    SECRET_PRIVATE_KEY = SECRET "private-key", File, "a private key";
    SECRET_REGISTRY_TOKEN = SECRET "registry-token", File, "a token of this registry";
    SECRET_SECRETS_MANAGER_TOKEN = SECRET "secrets-manager-token", File, "a token of a secrets manager";
    SECRET_SERVICE_ACCOUNT = SECRET "service-account", File, "the key of a service account";
    SECRET_SERVICE_TOKEN = SECRET "service-token", File, "a token of an online service";
    SECRET_SHOP_TOKEN = SECRET "shop-token", File, "a token of a shop";
    SECRET_SIGNED_TOKEN = SECRET "signed-token", File, "a signed token";
    SECRET_SOCIAL_TOKEN = SECRET "social-token", File, "a token of a social network";
    SECRET_TICKET_TOKEN = SECRET "ticket-token", File, "a token of a ticket or document service";
    SECRET_UPLOAD_TOKEN = SECRET "upload-token", File, "a token of a cloud upload";
    SHAPE_JSX = SHAPE "jsx", File, "JSX, which browsers do not run";
    SHAPE_MINIFIED = SHAPE "minified", File, "minified code";
    SHAPE_OBFUSCATED = SHAPE "obfuscated", File, "obfuscated code";
    SHAPE_SOURCE_MAP_PATHS = SHAPE "source-map-paths", File, "a source map with paths of the machine that made it";
    SHAPE_TYPESCRIPT = SHAPE "typescript", File, "TypeScript, which browsers do not run";
    SIGNATURE_MATERIAL_ARCHIVE_SIGNATURE = SIGNATURE_MATERIAL "archive-signature", File, "the signature of a Java archive";
    SIGNATURE_MATERIAL_ATTESTATION = SIGNATURE_MATERIAL "attestation", File, "a signed statement about software";
    SIGNATURE_MATERIAL_MINISIGN = SIGNATURE_MATERIAL "minisign", File, "a minisign signature";
    SIGNATURE_MATERIAL_OPENPGP = SIGNATURE_MATERIAL "openpgp", File, "an OpenPGP signature";
    SIGNATURE_MATERIAL_PKCS_SEVEN = SIGNATURE_MATERIAL "pkcs-seven", File, "a PKCS #7 signature";
    SIGNATURE_MATERIAL_SIGSTORE = SIGNATURE_MATERIAL "sigstore", File, "a Sigstore bundle";
    SIGNATURE_MATERIAL_SSH = SIGNATURE_MATERIAL "ssh", File, "an SSH signature";
    TEMPLATE_UNTOUCHED = TEMPLATE "untouched", File, "the text is still the one of the template";
    UNREAD_BUDGET = UNREAD "budget", File, "the file took too long or too much memory to read";
    UNREAD_CRASH = UNREAD "crash", File, "the reader of the file broke";
    UNREAD_DEPTH = UNREAD "depth", File, "the file is nested too deeply to be read";
    UNREAD_ENCODING = UNREAD "encoding", File, "bytes of the file are not text in its encoding";
    UNREAD_NAME = UNREAD "name", File, "it is loaded as code, and was not read as such because of its name";
    UNREAD_SYNTAX = UNREAD "syntax", File, "the file breaks the syntax of its language";
    WASM_IMPORT = WASM "import", Name, "WebAssembly imports functions of";
    WASM_MODULE = WASM "module", File, "WebAssembly";
}

/// Kinds that only a parser tells: a file that it did not read may hold more of them.
pub const CODE_KINDS: &[&str] = &[CONTACT, DYNAMIC_CODE, INLINE, PAGE, POWER, REFERENCE, REMOTE_CODE, SHAPE, WASM];

/// The word of the row that stands for all rows of a kind that a report has no room for.
const CUT: &str = "cut";

/// What a fact says, where this build knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    /// A fact of the table.
    One(&'static FactSpec),
    /// More of a kind than a report holds.
    Cut,
}

impl Fact {
    /// A fact of the whole package.
    pub(super) fn of_package(spec: &'static FactSpec) -> Self {
        let (kind, word) = (FactWord::from_static(spec.kind), FactWord::from_static(spec.word));
        Self { count: Size::bounded(1), file: None, kind, place: None, subject: None, word }
    }

    /// The fact that a row of the manifest's `files` matches nothing.
    #[must_use]
    pub(super) fn idle_pattern(row: usize) -> Self {
        Self { subject: Some(Subject::number(row)), ..Self::of_package(&PATTERN_IDLE) }
    }

    /// The fact that a text of the manifest holds something.
    pub(super) fn of_manifest(what: &'static FactSpec, pointer: Option<Subject>) -> Self {
        Self { subject: pointer, ..Self::of_package(what) }
    }

    /// Whether it is about a text of the manifest, and no file.
    fn is_of_manifest(&self) -> bool {
        self.file.is_none() && self.place.is_none() && self.kind.as_str() == SECRET && self.word.as_str() != CUT
    }

    /// The text of the manifest that it is about. Its subject is the pointer, without the first stroke; without a subject
    /// it is about the whole.
    #[must_use]
    pub(crate) fn manifest_pointer(&self) -> Option<String> {
        let subject = || self.subject.as_ref().map(|subject| format!("/{}", subject.as_str())).unwrap_or_default();
        self.is_of_manifest().then(subject)
    }

    /// What it says, when reading files by the rules of this build can have told it.
    #[must_use]
    pub(crate) fn known(&self) -> Option<Known> {
        let (kind, word) = (self.kind.as_str(), self.word.as_str());
        if word == CUT && self.file.is_none() && self.subject.is_none() {
            return ALL.iter().any(|spec| spec.kind == kind).then_some(Known::Cut);
        }
        let spec = ALL.iter().find(|spec| spec.kind == kind && spec.word == word)?;
        if self.is_of_manifest() {
            return Some(Known::One(spec));
        }
        let is_of_file = spec.about != About::Pattern;
        let fits = self.file.is_some() == is_of_file
            && spec.about.fits(self.subject.as_ref())
            && (self.place.is_none() || spec.about != About::Picture);
        fits.then_some(Known::One(spec))
    }

    /// The size of the picture that it is about.
    #[must_use]
    pub(crate) fn pixels(&self) -> Option<(u32, u32)> {
        self.subject.as_ref().filter(|_| self.kind.as_str() == IMAGE)?.as_pixels()
    }
}

/// The one row that stands for these, all of a kind.
pub(crate) fn cut(rows: &[Fact]) -> Option<Fact> {
    let count = Size::bounded(rows.iter().map(|row| row.count.get()).fold(0, u64::saturating_add));
    let kind = rows.first()?.kind.clone();
    Some(Fact { count, file: None, kind, place: None, subject: None, word: FactWord::from_static(CUT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_the_form_and_its_place_in_the_order() {
        for spec in ALL {
            assert!(FactWord::parse(spec.kind).is_some() && FactWord::parse(spec.word).is_some(), "{spec:?}");
            assert!(Subject::parse(spec.word).is_some() && spec.word != CUT, "{spec:?}");
        }
        assert!(ALL.is_sorted_by(|left, right| (left.kind, left.word) < (right.kind, right.word)));
    }
}

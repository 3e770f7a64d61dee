//! The closed vocabularies of the manifest.

use crate::wire_enum;

wire_enum! {
    /// How much a permission opens.
    pub enum Risk("risk", B015) {
        /// Little.
        Low = "low",
        /// Something.
        Medium = "medium",
        /// Much.
        High = "high",
    }
}

macro_rules! permissions {
    ($($variant:ident = $word:literal, $risk:ident;)+) => {
        wire_enum! {
            /// A permission that a package asks for.
            pub enum Permission("permission", P001) {
                $(#[doc = $word] $variant = $word,)+
            }
        }

        impl Permission {
            /// How much it opens.
            #[must_use]
            pub const fn risk(self) -> Risk {
                match self { $(Self::$variant => Risk::$risk,)+ }
            }
        }
    };
}

permissions! {
    NetworkFetch = "network.fetch", Medium;
    StorageLocal = "storage.local", Low;
    ClipboardRead = "clipboard.read", High;
    ClipboardWrite = "clipboard.write", Low;
    NotificationsShow = "notifications.show", Low;
    FilesOpen = "files.open", Medium;
    FilesSave = "files.save", Medium;
    UserIdentity = "user.identity", High;
    SpaceRead = "space.read", Medium;
    SpaceWrite = "space.write", High;
    CommandsRegister = "commands.register", Low;
    LocationApproximate = "location.approximate", Medium;
    LocationPrecise = "location.precise", High;
    CameraCapture = "camera.capture", High;
    MicrophoneCapture = "microphone.capture", High;
}

wire_enum! {
    /// What a package collects.
    pub enum DataCollection("data-collection", P010) {
        /// Nothing.
        None = "none",
        /// Contact details.
        Contact = "contact",
        /// Who the user is.
        Identity = "identity",
        /// Roughly where.
        LocationApproximate = "location-approximate",
        /// Exactly where.
        LocationPrecise = "location-precise",
        /// What the user writes or opens.
        Content = "content",
        /// What the user does.
        Usage = "usage",
        /// How the package fares.
        Diagnostics = "diagnostics",
        /// Money matters.
        Financial = "financial",
        /// Health matters.
        Health = "health",
    }
}

wire_enum! {
    /// How the renderer asks to be kept apart.
    pub enum Isolation("isolation", P009) {
        /// A frame of its own without the host's origin.
        SandboxedFrame = "sandboxed-frame",
    }
}

wire_enum! {
    /// How a setting is entered.
    pub enum SettingType("setting-type", M003) {
        /// One of several.
        Choice = "choice",
        /// A secret that is never shown again.
        Secret = "secret",
        /// Free text.
        Text = "text",
        /// On or off.
        Toggle = "toggle",
    }
}

wire_enum! {
    /// A directive of a content security policy, in member order.
    pub enum CspDirective("csp-directive", M002) {
        /// `base-uri`
        BaseUri = "base-uri",
        /// `connect-src`
        ConnectSrc = "connect-src",
        /// `default-src`
        DefaultSrc = "default-src",
        /// `font-src`
        FontSrc = "font-src",
        /// `form-action`
        FormAction = "form-action",
        /// `frame-src`
        FrameSrc = "frame-src",
        /// `img-src`
        ImgSrc = "img-src",
        /// `media-src`
        MediaSrc = "media-src",
        /// `object-src`
        ObjectSrc = "object-src",
        /// `script-src`
        ScriptSrc = "script-src",
        /// `style-src`
        StyleSrc = "style-src",
        /// `worker-src`
        WorkerSrc = "worker-src",
    }
}

/// Where a package may be listed one day. A word of another list blocks the author, it does not stop the tool.
pub const CATEGORIES: &[&str] = &[
    "productivity",
    "communication",
    "developer-tools",
    "data",
    "design",
    "education",
    "finance",
    "health",
    "media",
    "utilities",
    "games",
    "other",
];

/// The first parts of ids that no package may take.
pub const RESERVED_PREFIXES: &[&str] = &["svc.", "system.", "registry.", "internal."];

wire_enum! {
    /// A rule that a manifest may ask a reviewer to look past.
    pub enum ExceptedRule("excepted-rule", M030) {
        /// A native program.
        NativeProgram = "SVC-F006",
        /// A file whose name says that it keeps secrets.
        SecretName = "SVC-F008",
        /// Signature material.
        SignatureMaterial = "SVC-F013",
        /// An archive.
        Archive = "SVC-F019",
        /// A claim.
        Claim = "SVC-L009",
        /// Dynamic code.
        DynamicCode = "SVC-P012",
        /// An origin that is not declared.
        Contact = "SVC-P013",
        /// A power without its permission.
        Power = "SVC-P014",
        /// What the policy blocks.
        BlockedByPolicy = "SVC-P015",
    }
}

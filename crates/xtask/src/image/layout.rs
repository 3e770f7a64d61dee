//! An OCI image layout of one layer. The same entries and the same time give the same bytes.

use std::{collections::BTreeMap, fs, io::Write as _, path::Path};

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use super::root::{Entries, Entry, USER, path_of};
use crate::{programs::Program, tarball::hex_digest};

const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// What an engine is told besides the files.
const ENVIRONMENT: &[&str] = &[
    // A container's own loopback is of no use to others, so it listens to all. Then svc wants tokens, and a certificate or
    // SVC_BEHIND_PROXY=yes, and does not start without.
    "SVC_BIND=0.0.0.0:8787",
    "SVC_DATA_DIR=/var/lib/svc-registry",
    "SVC_TOKENS=/etc/svc-registry/tokens.json",
];

/// What the image says of itself.
pub(crate) struct About<'a> {
    pub(crate) version: &'a str,
    pub(crate) commit: &'a str,
    /// The time of every file, in seconds since 1970.
    pub(crate) seconds: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: &'static str,
    digest: String,
    size: usize,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<Platform>,
}

#[derive(Clone, Copy, Serialize)]
struct Platform {
    architecture: &'static str,
    os: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: u8,
    media_type: &'static str,
    config: Descriptor,
    layers: [Descriptor; 1],
    annotations: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    schema_version: u8,
    media_type: &'static str,
    manifests: [Descriptor; 1],
}

#[derive(Serialize)]
struct ImageConfig {
    architecture: &'static str,
    os: &'static str,
    created: String,
    config: Execution,
    rootfs: RootFs,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Execution {
    user: String,
    env: &'static [&'static str],
    entrypoint: [String; 1],
    cmd: [&'static str; 1],
    exposed_ports: BTreeMap<&'static str, Empty>,
    volumes: BTreeMap<&'static str, Empty>,
    working_dir: &'static str,
    stop_signal: &'static str,
    labels: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
struct RootFs {
    #[serde(rename = "type")]
    kind: &'static str,
    diff_ids: [String; 1],
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Marker {
    image_layout_version: &'static str,
}

/// Writes the layout into a folder that is not there yet, and gives the digest of the manifest and the size of the layer.
pub(crate) fn write(folder: &Path, entries: &Entries, about: &About<'_>) -> Result<(String, usize)> {
    let blobs = folder.join("blobs/sha256");
    fs::create_dir_all(&blobs)?;
    let put = |media_type: &'static str, bytes: &[u8]| {
        let digest = hex_digest(bytes);
        fs::write(blobs.join(&digest), bytes).with_context(|| digest.clone())?;
        let digest = format!("sha256:{digest}");
        anyhow::Ok(Descriptor { media_type, digest, size: bytes.len(), annotations: BTreeMap::new(), platform: None })
    };
    let tar = layer(entries, about.seconds)?;
    let diff_id = format!("sha256:{}", hex_digest(&tar));
    let compressed = compress(&tar)?;
    let layer_size = compressed.len();
    let platform = platform()?;
    let config = put(CONFIG, &serde_json::to_vec(&image_config(platform, diff_id, about))?)?;
    let layers = [put(LAYER, &compressed)?];
    let annotations = labels(about);
    let manifest = Manifest { schema_version: 2, media_type: MANIFEST, config, layers, annotations };
    let mut manifest = put(MANIFEST, &serde_json::to_vec(&manifest)?)?;
    let digest = manifest.digest.clone();
    manifest.annotations.insert("org.opencontainers.image.ref.name", about.version.to_owned());
    manifest.platform = Some(platform);
    let index = Index { schema_version: 2, media_type: INDEX, manifests: [manifest] };
    fs::write(folder.join("index.json"), serde_json::to_vec(&index)?)?;
    fs::write(folder.join("oci-layout"), serde_json::to_vec(&Marker { image_layout_version: "1.0.0" })?)?;
    Ok((digest, layer_size))
}

fn image_config(platform: Platform, diff_id: String, about: &About<'_>) -> ImageConfig {
    let Platform { architecture, os } = platform;
    let config = Execution {
        user: format!("{USER}:{USER}"),
        env: ENVIRONMENT,
        entrypoint: [format!("/{}", path_of(Program::Registry))],
        cmd: ["serve"],
        exposed_ports: BTreeMap::from([("8787/tcp", Empty {})]),
        volumes: BTreeMap::from([("/var/lib/svc-registry", Empty {})]),
        working_dir: "/",
        stop_signal: "SIGTERM",
        labels: labels(about),
    };
    let rootfs = RootFs { kind: "layers", diff_ids: [diff_id] };
    ImageConfig { architecture, os, created: utc(about.seconds), config, rootfs }
}

fn labels(about: &About<'_>) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("org.opencontainers.image.licenses", "MIT OR Apache-2.0".to_owned()),
        ("org.opencontainers.image.revision", about.commit.to_owned()),
        ("org.opencontainers.image.title", "svc".to_owned()),
        ("org.opencontainers.image.version", about.version.to_owned()),
    ])
}

fn platform() -> Result<Platform> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("an image for `{other}` was never tried"),
    };
    Ok(Platform { architecture, os: "linux" })
}

fn layer(entries: &Entries, seconds: u64) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, entry) in entries {
        let mut header = tar::Header::new_ustar();
        let (kind, mode, owner, bytes, path) = match entry {
            Entry::Folder { mode, owner } => (tar::EntryType::Directory, *mode, *owner, &[][..], format!("{path}/")),
            Entry::File { mode, bytes } => (tar::EntryType::Regular, *mode, 0, bytes.as_slice(), path.clone()),
        };
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(bytes.len() as u64);
        header.set_mtime(seconds);
        header.set_uid(owner.into());
        header.set_gid(owner.into());
        archive.append_data(&mut header, path, bytes)?;
    }
    Ok(archive.into_inner()?)
}

/// The header of the compressed file holds no time and no name.
fn compress(tar: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::default());
    gzip.write_all(tar)?;
    Ok(gzip.finish()?)
}

/// A moment as RFC 3339 writes it.
pub(crate) fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that the day that comes and goes is the last one.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z", year + era * 400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_704_067_199, "2023-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }

    #[test]
    fn the_same_entries_give_the_same_image() {
        let entries = Entries::from([
            ("a".into(), Entry::Folder { mode: 0o700, owner: USER }),
            ("a/b".into(), Entry::File { mode: 0o644, bytes: b"text".to_vec() }),
        ]);
        let about = About { version: "1.0.0", commit: "abc", seconds: 1 };
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, two] = folders.each_ref().map(|folder| write(folder.path(), &entries, &about).unwrap());
        assert_eq!(one, two);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(one, write(other.path(), &entries, &About { seconds: 2, ..about }).unwrap());
    }
}

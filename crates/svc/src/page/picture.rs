//! Pictures of the listing: shown only when their bytes are those of the file table, and only in forms that every browser
//! reads without running anything.

use data_encoding::BASE64;
use svc_core::package::{
    artifact::FileEntry,
    fact_table::{IMAGE, IMAGE_JPEG, IMAGE_PNG, IMAGE_WEBP},
};
use svc_core::scalar::subject::Subject;

use super::{model::PictureSlot, package_files::PackageFiles, text::shown};

/// The most bytes of one picture, and of all of them.
const MOST_BYTES: u64 = 1 << 20;
const MOST_BYTES_OF_ALL: u64 = 4 << 20;

/// The most pixels across and down: a header can claim more than a machine can hold.
const MOST_PIXELS: u32 = 8_192;

/// The pictures of one page, with the room that is left.
pub(super) struct Pictures<'p> {
    files: &'p [FileEntry],
    package: Option<&'p PackageFiles>,
    room: u64,
}

impl<'p> Pictures<'p> {
    pub(super) fn new(files: &'p [FileEntry], package: Option<&'p PackageFiles>) -> Self {
        Self { files, package, room: MOST_BYTES_OF_ALL }
    }

    /// The place for one picture.
    pub(super) fn slot(&mut self, path: &str, alt: &str) -> PictureSlot {
        let slot = PictureSlot { alt: shown(alt), data: None, path: shown(path), why_not: None };
        match self.data(path) {
            Ok(data) => PictureSlot { data: Some(data), ..slot },
            Err(why) => PictureSlot { why_not: Some(why.to_owned()), ..slot },
        }
    }

    fn data(&mut self, path: &str) -> Result<String, &'static str> {
        let package = self.package.ok_or("files were not looked at")?;
        let file = self.files.iter().find(|file| file.path.as_str() == path).ok_or("it is not in the file table")?;
        if file.size.get() > MOST_BYTES.min(self.room) {
            return Err("it is too large for this page");
        }
        let bytes = package.bytes(file).ok_or("the file in the folder is not that of the bundle")?;
        let media_type = media_type(path, &bytes)?;
        self.room -= file.size.get();
        Ok(format!("data:{media_type};base64,{}", BASE64.encode(&bytes)))
    }
}

/// The form of a picture, by its bytes.
fn media_type(path: &str, bytes: &[u8]) -> Result<&'static str, &'static str> {
    let seen = svc_facts::of_bytes(path, bytes);
    let image = seen.iter().find(|sighting| sighting.what.kind == IMAGE).ok_or("it is no picture")?;
    let (width, height) = image.subject.as_ref().and_then(Subject::as_pixels).ok_or("it is no picture")?;
    if width.max(height) > MOST_PIXELS {
        return Err("it has too many pixels for this page");
    }
    [(&IMAGE_PNG, "image/png"), (&IMAGE_JPEG, "image/jpeg"), (&IMAGE_WEBP, "image/webp")]
        .into_iter()
        .find_map(|(form, media_type)| (form.word == image.what.word).then_some(media_type))
        .ok_or("it is neither PNG, JPEG nor WebP")
}

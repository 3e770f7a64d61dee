//! The table of damages: a row is a data folder, what is done to it, and what a start makes of it.

use std::{fs, os::unix::fs::PermissionsExt as _};

use svc_journal::log_key::LogKey;
use svc_proof::fault::JournalFaultKind::{self, Corrupt, Drift, Locked, Rewound, UnreleasedForm, Unusable, WrongKey};

use Expected::{Refused, RefusedOrStarts, RefusedSomehow, Starts, StartsWithSigned};

use crate::image::{CHECKPOINT, DATABASE, Image, Images, KEY, LOCK, SHM, SIGNED, Scene, WAL, signed};

pub(crate) const HEADER: usize = 32;
pub(crate) const FRAME: usize = 24 + 8 * 1024;

/// What a start does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expected {
    Refused(JournalFaultKind),
    /// By one of several names: which check comes first depends on where in a page the byte is.
    RefusedSomehow,
    /// With every record.
    Starts,
    /// With every record, or not at all: the byte may be in room that nothing uses.
    RefusedOrStarts,
    /// With every record that is signed, and those behind in order as far as they are there.
    StartsWithSigned,
}

pub(crate) struct Damage<'i> {
    pub(crate) name: String,
    pub(crate) image: &'i Image,
    pub(crate) does: Box<dyn Fn(&Scene) + 'i>,
    pub(crate) expected: Expected,
}

const HAND_OVERS: &str = "journal.hand-overs";

/// The folder has a note with which this key signed another one.
fn announce(scene: &Scene, key: &LogKey) {
    let next = LogKey::generate_for(key.origin()).unwrap();
    fs::write(scene.path(HAND_OVERS), key.hand_over_to(next.public()).unwrap().text()).unwrap();
}

#[derive(Default)]
pub(crate) struct Table<'i>(Vec<Damage<'i>>);

impl<'i> Table<'i> {
    /// Every row.
    pub(crate) fn of(images: &'i Images) -> Vec<Damage<'i>> {
        let mut table = Self::default();
        damage_of_the_write_ahead_log(&mut table, images);
        damage_without_shared_memory(&mut table, images);
        leftovers_of_a_crash(&mut table, images);
        damage_of_the_database(&mut table, images);
        damage_of_checkpoint_and_key(&mut table, images);
        objects_that_are_not_ours(&mut table, images);
        things_in_place_of_files(&mut table, images);
        table.0
    }

    fn row(
        &mut self,
        name: impl Into<String>,
        image: &'i Image,
        expected: Expected,
        does: impl Fn(&Scene) + 'i,
    ) -> &mut Self {
        self.0.push(Damage { name: name.into(), image, does: Box::new(does), expected });
        self
    }

    /// One wrong bit at each of these places.
    fn bits(&mut self, image: &'i Image, file: &'static str, at: impl IntoIterator<Item = usize>, expected: Expected) {
        for at in at {
            self.row(format!("{file}: a bit of byte {at}"), image, expected, move |scene| {
                scene.change(file, |bytes| bytes[at] ^= 1 << (at % 8));
            });
        }
    }

    /// The file ends here.
    fn cuts(&mut self, image: &'i Image, file: &'static str, at: impl IntoIterator<Item = usize>, expected: Expected) {
        for at in at {
            self.row(format!("{file}: cut at {at}"), image, expected, move |scene| {
                scene.change(file, |bytes| bytes.truncate(at));
            });
        }
    }
}

fn damage_of_the_write_ahead_log<'i>(table: &mut Table<'i>, images: &'i Images) {
    let Images { killed, earlier, ahead, anew, other, .. } = images;
    let length = killed.bytes(WAL).len();
    let last = (length - HEADER) / FRAME - 1;
    let frame = |number: usize| HEADER + number * FRAME;
    let frames = [0, 1, last / 2, last - 1, last];
    table.bits(killed, WAL, 0..HEADER, Refused(Corrupt));
    // Of a frame's header: page, mark of a commit, salts, checksums.
    table.bits(
        killed,
        WAL,
        frames.into_iter().flat_map(|at| [0, 7, 8, 15, 16, 23].map(|byte| frame(at) + byte)),
        Refused(Corrupt),
    );
    table.bits(
        killed,
        WAL,
        frames.into_iter().flat_map(|at| [24, 4000, FRAME - 1].map(|byte| frame(at) + byte)),
        Refused(Corrupt),
    );
    table.cuts(killed, WAL, [0, 1, HEADER - 1], Refused(Rewound));
    table.cuts(
        killed,
        WAL,
        [HEADER, HEADER + 1, frame(1), frame(last / 2), frame(last / 2) + 100, frame(last), length - 1],
        Refused(Corrupt),
    );
    // What no flushed checkpoint covers yet was answered as well: whatever is lost of it is noticed after a kill.
    table
        .row("the log is removed before its checkpoint was kept", ahead, Refused(Rewound), |scene| scene.remove(WAL))
        .row("the log is emptied before its checkpoint was kept", ahead, Refused(Rewound), |scene| {
            scene.change(WAL, Vec::clear);
        })
        .row("the header of the log is zeros before its checkpoint was kept", ahead, Refused(Rewound), |scene| {
            scene.change(WAL, |bytes| bytes[..HEADER].fill(0));
        });
    let length = ahead.bytes(WAL).len();
    table.cuts(ahead, WAL, [frame(last + 1), length - FRAME, length - 1], Refused(Corrupt));
    table.bits(ahead, WAL, [length - 1, length - FRAME + 30, length - 2 * FRAME + 30], Refused(Corrupt));
    table.bits(anew, WAL, [10, frame(0) + 30, frame(2) + 30], Refused(Corrupt));
    table
        .row("the log is removed", killed, Refused(Rewound), |scene| scene.remove(WAL))
        .row("the log is all zeros", killed, Refused(Rewound), |scene| scene.change(WAL, |bytes| bytes.fill(0)))
        .row("the log is garbage", killed, Refused(Corrupt), |scene| scene.change(WAL, |bytes| bytes.fill(0x5a)))
        .row("a frame is all zeros", killed, Refused(Corrupt), move |scene| {
            scene.change(WAL, |bytes| bytes[frame(4)..frame(5)].fill(0));
        })
        .row("a frame is taken out", killed, Refused(Corrupt), move |scene| {
            scene.change(WAL, |bytes| drop(bytes.drain(frame(4)..frame(5))));
        })
        .row("a frame stands twice", killed, Refused(Corrupt), move |scene| {
            scene.change(WAL, |bytes| bytes.copy_within(frame(4)..frame(5), frame(5)));
        })
        .row("the log is one of before", killed, RefusedSomehow, |scene| {
            fs::write(scene.path(WAL), earlier.bytes(WAL)).unwrap();
        })
        .row("the log is one of another journal", killed, RefusedSomehow, |scene| {
            fs::write(scene.path(WAL), other.bytes(WAL)).unwrap();
        })
        .row("the log of before lies beside a newer database", anew, RefusedSomehow, |scene| {
            fs::write(scene.path(WAL), earlier.bytes(WAL)).unwrap();
        });
}

/// Copies of a folder often leave `-shm` behind, and so does a loss of power. The checkpoint outside decides.
fn damage_without_shared_memory<'i>(table: &mut Table<'i>, images: &'i Images) {
    let Images { killed, earlier, ahead, .. } = images;
    let (length, longer) = (killed.bytes(WAL).len(), ahead.bytes(WAL).len());
    let frame = |number: usize| HEADER + number * FRAME;
    for at in [0, 31, 32, frame(1), frame(3) + 8, length / 2, length - FRAME, length - 1] {
        table.row(format!("no -shm, the log cut at {at}"), killed, Refused(Rewound), move |scene| {
            scene.remove(SHM);
            scene.change(WAL, |bytes| bytes.truncate(at));
        });
    }
    for (at, kind) in [(5, Corrupt), (frame(0) + 9, Corrupt), (frame(7) + 99, Corrupt), (length - 9, Rewound)] {
        table.row(format!("no -shm, a bit of byte {at} of the log"), killed, Refused(kind), move |scene| {
            scene.remove(SHM);
            scene.change(WAL, |bytes| bytes[at] ^= 4);
        });
    }
    table
        .row("no -shm and no log", killed, Refused(Rewound), |scene| {
            scene.remove(SHM);
            scene.remove(WAL);
        })
        .row("no -shm and the log of before", killed, RefusedSomehow, |scene| {
            scene.remove(SHM);
            fs::write(scene.path(WAL), earlier.bytes(WAL)).unwrap();
        });
    for at in [length, longer - FRAME, longer - 1] {
        table.row(
            format!("no -shm, the end that was signed last cut at {at}"),
            ahead,
            Refused(Rewound),
            move |scene| {
                scene.remove(SHM);
                scene.change(WAL, |bytes| bytes.truncate(at));
            },
        );
        // The limit, after a power failure: nothing is left that tells these from a write that was cut short.
        table.row(
            format!("no -shm, nothing signed since, the end cut at {at}"),
            ahead,
            StartsWithSigned,
            move |scene| {
                scene.remove(SHM);
                fs::write(scene.path(SIGNED), killed.bytes(SIGNED)).unwrap();
                scene.change(WAL, |bytes| bytes.truncate(at));
            },
        );
    }
}

fn leftovers_of_a_crash<'i>(table: &mut Table<'i>, images: &'i Images) {
    let Images { killed, ahead, anew, stopped, other, .. } = images;
    for (name, image) in
        [("killed", killed), ("killed, not all signed", ahead), ("killed, begun anew", anew), ("stopped", stopped)]
    {
        table.row(name, image, Starts, |_| {});
        table.row(format!("{name}, no -shm"), image, Starts, |scene| scene.remove(SHM));
    }
    let frame = |number: usize| HEADER + number * FRAME..HEADER + (number + 1) * FRAME;
    // The salts of this round, and no checksum that holds.
    let torn = move |scene: &Scene, from: usize, length: usize, is_commit: bool| {
        scene.change(WAL, |bytes| {
            let mut piece = bytes[frame(from)].to_vec();
            piece[4..8].copy_from_slice(&u32::from(is_commit).to_be_bytes());
            bytes.extend(&piece[..length]);
        });
    };
    table
        .row("a piece of a frame at the end", killed, Starts, move |scene| torn(scene, 3, 500, false))
        .row("a frame that was not written whole at the end", killed, Starts, move |scene| torn(scene, 3, FRAME, false))
        .row("a transaction of two frames, the first not whole", killed, Starts, move |scene| {
            torn(scene, 3, FRAME, false);
            torn(scene, 4, FRAME, true);
        })
        .row("frames of another round at the end", killed, Starts, |scene| {
            let frames = other.bytes(WAL)[HEADER..].to_vec();
            scene.change(WAL, |bytes| bytes.extend(&frames));
        })
        .row("an older checkpoint", killed, Starts, |scene| {
            fs::write(scene.path(CHECKPOINT), images.earlier.bytes(CHECKPOINT)).unwrap();
        })
        .row("no log after a clean stop", stopped, Starts, |scene| scene.remove(WAL))
        .row("notes from key to key that are none", stopped, Refused(Corrupt), |scene| {
            fs::write(scene.path(HAND_OVERS), "x").unwrap();
        })
        .row("a note from key to key by a stranger", stopped, Starts, |scene| {
            announce(scene, &LogKey::generate().unwrap())
        })
        .row("a note from key to key that no database has", stopped, Refused(Rewound), |scene| {
            announce(scene, &LogKey::parse(&fs::read_to_string(scene.path(KEY)).unwrap()).unwrap());
        })
        .row("names of who asked that cannot be read", stopped, Starts, |scene| {
            scene.sql("UPDATE attribution SET owner = '!'");
        })
        .row("no public keys, which are in the database", stopped, Starts, |scene| scene.remove("journal.pub"))
        .row("garbled public keys, which are in the database", stopped, Starts, |scene| {
            scene.change("journal.pub", |bytes| bytes.fill(7));
        });
}

fn damage_of_the_database<'i>(table: &mut Table<'i>, images: &'i Images) {
    let Images { killed, earlier, stopped, other, .. } = images;
    let length = stopped.bytes(DATABASE).len();
    table.bits(stopped, DATABASE, [0, 5, 16, 17, 18, 68, 70, 100], RefusedSomehow);
    table.bits(stopped, DATABASE, [24, 30, 40, 60, 92], RefusedOrStarts);
    table.bits(stopped, DATABASE, (8192..length).step_by(length / 24), RefusedOrStarts);
    // The first bytes of the root pages of the six tables and of the index.
    table.bits(stopped, DATABASE, (1..7).map(|page| page * 8192), RefusedSomehow);
    table.cuts(
        stopped,
        DATABASE,
        [1, 99, 100, 8191, 8192, 2 * 8192, length / 2, length - 8192, length - 1],
        RefusedSomehow,
    );
    table
        .row("the database is empty", stopped, Refused(Rewound), |scene| fs::write(scene.path(DATABASE), "").unwrap())
        .row("the database is empty, the log is not", killed, Refused(Rewound), |scene| {
            fs::write(scene.path(DATABASE), "").unwrap();
        })
        .row("the database is empty, and nothing else is there", stopped, Refused(Rewound), |scene| {
            scene.remove(WAL);
            scene.remove(SHM);
            fs::write(scene.path(DATABASE), "").unwrap();
        })
        .row("the database is a text", stopped, Refused(Corrupt), |scene| {
            fs::write(scene.path(DATABASE), "x".repeat(20_000)).unwrap();
        })
        .row("the database is all zeros", stopped, Refused(Corrupt), |scene| {
            scene.change(DATABASE, |bytes| bytes.fill(0));
        })
        .row("a page is all zeros", stopped, RefusedSomehow, |scene| {
            scene.change(DATABASE, |bytes| bytes[8192..2 * 8192].fill(0));
        })
        .row("the database is removed", stopped, Refused(Rewound), |scene| {
            scene.remove(DATABASE);
            scene.remove(WAL);
        })
        .row("the database is removed, the log is not", killed, Refused(Rewound), |scene| scene.remove(DATABASE))
        .row("the database is one of another journal", stopped, RefusedSomehow, |scene| {
            fs::write(scene.path(DATABASE), other.bytes(DATABASE)).unwrap();
        })
        .row("database and log are those of another journal", stopped, Refused(WrongKey), |scene| {
            fs::write(scene.path(DATABASE), other.bytes(DATABASE)).unwrap();
            fs::write(scene.path(WAL), other.bytes(WAL)).unwrap();
        })
        .row("database and log are those of before", stopped, Refused(Rewound), |scene| {
            fs::write(scene.path(DATABASE), earlier.bytes(DATABASE)).unwrap();
            fs::write(scene.path(WAL), earlier.bytes(WAL)).unwrap();
        })
        .row("the database is the one of before, alone", stopped, Refused(Rewound), |scene| {
            fs::write(scene.path(DATABASE), earlier.bytes(DATABASE)).unwrap();
            scene.remove(WAL);
            scene.remove(SHM);
        });
}

fn damage_of_checkpoint_and_key<'i>(table: &mut Table<'i>, images: &'i Images) {
    let Images { killed, stopped, other, .. } = images;
    let length = stopped.bytes(CHECKPOINT).len();
    table.bits(stopped, CHECKPOINT, (0..length).step_by(length / 16), Refused(Corrupt));
    table.cuts(killed, CHECKPOINT, [0, 1, length / 2, length - 1], Refused(Corrupt));
    let (own, stranger) = (stopped.key(), other.key());
    let newer = signed(&own, 200);
    let another_history = signed(&own, 108);
    let by_another = signed(&stranger, 108);
    let same_name = signed(&LogKey::generate_for(own.origin()).unwrap(), 108);
    for (name, kind, text) in [
        ("the checkpoint is newer than the log", Rewound, newer),
        ("the checkpoint is of another history", Rewound, another_history),
        ("the checkpoint is signed by another log's key", Corrupt, by_another),
        ("the checkpoint is signed by another key of this name", Rewound, same_name),
        ("the checkpoint is not text", Corrupt, vec![0xff; 200]),
        ("the checkpoint is too long", Corrupt, vec![b'x'; 70_000]),
    ] {
        table.row(name, stopped, Refused(kind), move |scene| fs::write(scene.path(CHECKPOINT), &text).unwrap());
    }
    table
        .row("the checkpoint is removed", stopped, Refused(Rewound), |scene| scene.remove(CHECKPOINT))
        .row("an older log and its checkpoint next to newer signed states", stopped, Refused(Rewound), |scene| {
            scene.remove(SHM);
            for name in [DATABASE, WAL, CHECKPOINT] {
                fs::write(scene.path(name), images.earlier.bytes(name)).unwrap();
            }
        })
        .row("the signed states are gone", stopped, Starts, |scene| scene.remove(SIGNED))
        .row("the signed states are garbage", stopped, Starts, |scene| scene.change(SIGNED, |bytes| bytes.fill(0x5a)))
        .row("the signed states are those of another log", stopped, Starts, |scene| {
            fs::write(scene.path(SIGNED), other.bytes(SIGNED)).unwrap();
        })
        .row("the witnesses saw a newer log", stopped, Refused(Rewound), |scene| {
            fs::write(scene.path("journal.witnessed"), signed(&images.stopped.key(), 200)).unwrap();
        })
        .row("what the witnesses saw is garbage", stopped, Refused(Corrupt), |scene| {
            fs::write(scene.path("journal.witnessed"), "x").unwrap();
        });
    let namesake = LogKey::generate_for(own.origin()).unwrap().to_file().into_bytes();
    for (name, text) in [
        ("the key is another log's", other.bytes(KEY)),
        ("the key is another of this name", namesake),
        ("the key is empty", Vec::new()),
        ("the key is garbled", b"PRIVATE+KEY+x".to_vec()),
        ("the key is not text", vec![0xff; 80]),
        ("the key is too long", vec![b'x'; 70_000]),
    ] {
        table.row(name, stopped, Refused(WrongKey), move |scene| fs::write(scene.path(KEY), &text).unwrap());
    }
    table
        .row("the key is removed", stopped, Refused(WrongKey), |scene| scene.remove(KEY))
        .row("the key is removed after a kill", killed, Refused(WrongKey), |scene| scene.remove(KEY))
        .row("others may read the key", stopped, Refused(WrongKey), |scene| {
            fs::set_permissions(scene.path(KEY), fs::Permissions::from_mode(0o644)).unwrap();
        })
        .row("others may read the database, and the key is another", stopped, Refused(WrongKey), |scene| {
            fs::set_permissions(scene.path(DATABASE), fs::Permissions::from_mode(0o644)).unwrap();
            scene.remove(KEY);
        })
        .row("only the key is left", stopped, Refused(Rewound), |scene| {
            [DATABASE, WAL, SHM, CHECKPOINT, SIGNED, "journal.pub"].iter().for_each(|name| scene.remove(name));
        })
        .row("only the checkpoint is left", stopped, Refused(Rewound), |scene| {
            [DATABASE, WAL, SHM, KEY, SIGNED, "journal.pub"].iter().for_each(|name| scene.remove(name));
        })
        .row("only the signed states are left", stopped, Refused(Rewound), |scene| {
            [DATABASE, WAL, SHM, KEY, CHECKPOINT, "journal.pub"].iter().for_each(|name| scene.remove(name));
        });
}

fn objects_that_are_not_ours<'i>(table: &mut Table<'i>, images: &'i Images) {
    for (statement, kind) in [
        ("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE place = new.place; END", Corrupt),
        ("CREATE TRIGGER t AFTER UPDATE ON head BEGIN SELECT 1; END", Corrupt),
        ("CREATE VIEW v AS SELECT * FROM entry", Corrupt),
        ("CREATE TABLE mine (x)", Corrupt),
        ("CREATE INDEX i ON entry (hashes)", Corrupt),
        ("ANALYZE", Corrupt),
        ("ALTER TABLE entry ADD COLUMN x TEXT", Corrupt),
        ("ALTER TABLE head RENAME TO heads", Corrupt),
        ("DROP TABLE migration", Corrupt),
        ("DROP TABLE log_key", Corrupt),
        ("DROP TABLE attribution", Corrupt),
        ("ALTER TABLE attribution ADD COLUMN x TEXT", Corrupt),
        ("DROP TABLE attribution; UPDATE migration SET checksum = 'x'", UnreleasedForm),
        ("DELETE FROM migration", Corrupt),
        ("UPDATE migration SET checksum = 'x'", Drift),
        ("INSERT INTO migration VALUES (3, 'x')", Drift),
        ("PRAGMA application_id = 7", Unusable),
        ("DELETE FROM log_key", Corrupt),
        ("DELETE FROM head", Corrupt),
        ("UPDATE head SET size = 12", Corrupt),
        ("DELETE FROM entry WHERE place = 107", Corrupt),
        ("UPDATE entry SET record = X'7b7d' WHERE place = 50", Corrupt),
        ("INSERT INTO entry SELECT 108, record, hashes FROM entry WHERE place = 0", Corrupt),
        ("UPDATE entry SET record = NULL WHERE place = 50", Corrupt),
        ("UPDATE entry SET record = NULL", Corrupt),
        ("UPDATE entry SET hashes = X'00' WHERE place = 107", Corrupt),
        ("UPDATE head SET root = zeroblob(32)", Corrupt),
        ("UPDATE head SET edge = X'00'", Corrupt),
        ("UPDATE head SET size = -1", Corrupt),
        ("UPDATE log_key SET public = 'x'", Corrupt),
        ("INSERT INTO log_key VALUES (2, 'x')", Corrupt),
        ("INSERT INTO minimum_index VALUES (1, 'x')", Corrupt),
        ("INSERT INTO hand_over VALUES (2, 'x')", Corrupt),
        ("DROP TABLE minimum_index", Corrupt),
        ("DROP TABLE hand_over", Corrupt),
    ] {
        table.row(statement, &images.stopped, Refused(kind), move |scene| scene.sql(statement));
        // Where it stands in the write-ahead log of a service that was killed.
        table.row(format!("{statement}, in the log"), &images.stopped, Refused(kind), move |scene| {
            let copy = images.stopped.scene();
            let other = rusqlite::Connection::open(copy.path(DATABASE)).unwrap();
            other.execute_batch(statement).unwrap();
            for name in [DATABASE, WAL] {
                fs::copy(copy.path(name), scene.path(name)).unwrap();
            }
            scene.remove(SHM);
        });
    }
}

fn things_in_place_of_files<'i>(table: &mut Table<'i>, images: &'i Images) {
    let stopped = &images.stopped;
    for name in [DATABASE, WAL, CHECKPOINT, SIGNED, KEY, LOCK, "journal.pub"] {
        table.row(format!("{name} is a link"), stopped, Refused(Unusable), move |scene| {
            fs::write(scene.path(LOCK), "").unwrap();
            let aside = scene.path("aside");
            fs::rename(scene.path(name), &aside).unwrap();
            std::os::unix::fs::symlink(&aside, scene.path(name)).unwrap();
        });
        table.row(format!("{name} is a link to nothing"), stopped, Refused(Unusable), move |scene| {
            scene.remove(name);
            std::os::unix::fs::symlink(scene.path("nothing"), scene.path(name)).unwrap();
        });
        table.row(format!("{name} is a pipe"), stopped, Refused(Unusable), move |scene| {
            scene.remove(name);
            let made = std::process::Command::new("mkfifo").arg(scene.path(name)).status().unwrap();
            assert!(made.success());
        });
        table.row(format!("{name} is a folder"), stopped, Refused(Unusable), move |scene| {
            scene.remove(name);
            fs::create_dir(scene.path(name)).unwrap();
        });
    }
    table
        .row("a rollback journal lies beside the database", stopped, Refused(Unusable), |scene| {
            fs::write(scene.path("journal.sqlite3-journal"), [0xd9, 0xd5, 0x05, 0xf9]).unwrap();
        })
        .row("another process has the folder", stopped, Refused(Locked), |scene| {
            let file = fs::File::create(scene.path(LOCK)).unwrap();
            file.try_lock().unwrap();
            // Held until the row has put another file in its place.
            std::mem::forget(file);
        });
}

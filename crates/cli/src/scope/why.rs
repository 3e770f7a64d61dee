//! The reasons why a part of a run was not checked, each in its words.

/// Why something was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    NoPackageGiven,
    NoDigestGiven,
    NoneKept,
    SomeKept,
    KeysOfTheRegistry,
    NotByThisCommand,
    OneArtifactAlone,
    NoReport,
    NoDigestShowsIt,
    OtherFiles,
    FailedBefore,
    NotForAll,
    Unread,
    KeysOfTheLog,
    NoPolicyGiven,
    NoOlderState,
    NoneCopied,
    ReceiptAlone,
    OneRecord,
    Pruned,
    OnlyNew,
    ReadBefore,
    LeftToVerify,
    LeftToLogVerify,
    NoneOnRecord,
    NoWitnessNamed,
    OnlyNamed,
    NoReceipt,
    OtherRules,
    NoManifest,
    NoPartOfIt,
    Missing,
    Stopped,
    PrunedAndReadBefore,
    PrunedAndOnlyNew,
    LeftOut,
    NoKey,
    SomeNotOnRecord,
    JustThis,
    PrunedAndLeft,
    OnlyPatterns,
    SameState,
    NoneThere,
    OtherAnswers,
    SeveralBundles,
    AnsweredBefore,
    DeniedBefore,
}

impl Why {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::NoPackageGiven => "give --package FOLDER to hash and read them",
            Self::NoDigestGiven => "give --expect DIGEST to compare with a digest from another source",
            Self::NoneKept => "none are kept next to the bundle",
            Self::SomeKept => "not every artifact has one; those listed as valid were checked",
            Self::KeysOfTheRegistry => {
                "this run was given no key: the receipts were checked with keys that the registry served, or that an earlier run \
                 kept; give --public-key FILE"
            }
            Self::NotByThisCommand => "not read by this command; run `svc app verify BUNDLE --package FOLDER`",
            Self::OneArtifactAlone => "this is one artifact; run `svc app verify` on the whole bundle",
            Self::NoReport => "the artifact carries no report to recompute it from",
            Self::NoDigestShowsIt => "no digest shows who made a package or a bundle",
            Self::OtherFiles => "the folder does not have the files of the bundle",
            Self::FailedBefore => "errors were found first",
            Self::DeniedBefore => "what this run denies was found first",
            Self::AnsweredBefore => "the registry was not asked in this run: every answer was kept by an earlier one",
            Self::Unread => "all were hashed, and some code was not read to its end; SVC-F020 names the files",
            Self::NotForAll => "not for every document of this run",
            Self::KeysOfTheLog => {
                "checked with keys that came with the log: it agrees with itself, which does not show whose it is; give \
                 --public-key FILE with keys from the operator"
            }
            Self::NoPolicyGiven => "give --policy FILE to demand that witnesses have seen the log",
            Self::NoOlderState => "there was no older state to compare with; give --from FILE with one that you kept",
            Self::NoneCopied => "nothing was copied before",
            Self::ReceiptAlone => "the file has a receipt and no answer around it",
            Self::OneRecord => "a receipt is about one record; `svc log verify` reads them all",
            Self::Pruned => "some are pruned: only their hashes were read, as parts of the tree; the others were read",
            Self::OnlyNew => "those that were copied before were not read again; `svc log verify DIR` reads them",
            Self::ReadBefore => "those that an earlier run read were not read again",
            Self::NoneOnRecord => "none of the documents is on record by these rules, so nothing was compared",
            Self::NoWitnessNamed => "the policy asks for no witness",
            Self::OnlyNamed => {
                "those that the bundle names were compared with it; others were not looked for, and no rule ran on them: \
                 run `svc app verify BUNDLE --package FOLDER`"
            }
            Self::NoReceipt => "some kept answers have none: nothing shows that they are on record",
            Self::NoManifest => "there is none in it",
            Self::NoPartOfIt => "no part of what was checked, and not looked at",
            Self::Missing => "not every file is there; those that are there were looked at",
            Self::Stopped => "the run stopped before its end",
            Self::PrunedAndReadBefore => {
                "some are pruned: only their hashes were read, as parts of the tree; those that an earlier run read were not \
                 read again"
            }
            Self::PrunedAndOnlyNew => {
                "some are pruned from the log, and those that were copied before were not read again; `svc log verify DIR` \
                 reads them"
            }
            Self::LeftOut => {
                "`files` of the manifest and .svcignore leave them out of the package; `svc app files` lists them"
            }
            Self::NoKey => "none is kept next to the answers, and none was given: no receipt was checked",
            Self::SomeNotOnRecord => "some of the documents are not on record by these rules; the others were compared",
            Self::JustThis => {
                "the answers of this registry were checked; those of others were looked at for open claims only; run `svc app \
                 verify`"
            }
            Self::OtherRules => {
                "made with other rules than those of this build: held against itself and its package only"
            }
            Self::SameState => "the log has the same state as the one that it was compared with",
            Self::SeveralBundles => "not for several bundles at once; run `svc app verify` on the folder of one",
            Self::NoneThere => "nothing is there to compare with",
            Self::OtherAnswers => "files that svc did not write are among them; `svc app verify` names them",
            Self::OnlyPatterns => "only `files` was read, and no file of the package; run `svc app check`",
            Self::LeftToVerify => "`svc-registry journal verify` checks it",
            Self::LeftToLogVerify => "`svc log verify` checks it",
            Self::PrunedAndLeft => "what was pruned was not compared; `svc-registry journal verify` checks the others",
        }
    }
}

//! Dense tables made shard by shard: by one hand or several, in order or twice, with files damaged and removed
//! in between, they are the same to the byte as those that are made in one go.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use endtable::games::collapsi::Collapsi;
use endtable::games::tak::Tak;
use endtable::games::{Game, Use, read_options};
use endtable::job::{Cut, Ending, Job, JobError, ShardId};
use endtable::random::SplitMix64;
use harness::folder;
use harness::tables::run;

/// A job, and its stages, which may be smaller than those of its plan.
struct Case {
    game: &'static dyn Game,
    options: &'static [(&'static str, Option<&'static str>)],
    stages: &'static [&'static str],
    /// The hands of each.
    hands: u64,
}

/// The last layer is made in parts, the others at once.
const COLLAPSI: Case = Case {
    game: &Collapsi,
    options: &[("complete", None), ("cards", Some("8"))],
    stages: &["layers"],
    hands: 3,
};

/// Layers 4 and 6 have no file.
const SPARSE: Case = Case {
    game: &Collapsi,
    options: &[("complete", None), ("cards", Some("7")), ("sparse", None)],
    stages: &["layers"],
    hands: 3,
};

const TAK: Case = Case {
    game: &Tak,
    options: &[("size", Some("3")), ("flats", Some("4"))],
    stages: &["layers-6-6", "layers-5-4", "layers-3-2"],
    hands: 3,
};

const SMALL_TAK: Case = Case {
    game: &Tak,
    options: &[("size", Some("3")), ("flats", Some("2"))],
    stages: &["layers-2-2"],
    hands: 2,
};

const ALL: [&Case; 4] = [&COLLAPSI, &SPARSE, &TAK, &SMALL_TAK];

impl Case {
    fn job(&self) -> Box<dyn Job> {
        let options = self.options.iter().copied();
        self.game.job(&read_options(self.game, &[Use::Generate], options).unwrap()).unwrap()
    }

    /// Every shard, stage by stage.
    fn shards(&self) -> impl Iterator<Item = Vec<ShardId>> {
        let shard = |stage: &str, number| ShardId { stage: stage.into(), number, of: self.hands };
        self.stages.iter().map(move |it| (0..self.hands).map(|number| shard(it, number)).collect())
    }

    /// What the job makes in one go.
    fn expected(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = folder();
        let stop = AtomicBool::new(false);
        assert!(matches!(self.job().run(&run(folder.path(), &stop)), Ok(Ending::Finished)));
        files(folder.path())
    }

    /// Runs what is left, and checks that nothing is left then.
    fn finish(&self, job: &dyn Job, out: &Path) {
        for shard in self.shards().flatten() {
            if !job.is_done(&shard, out) {
                work_on(job, &shard, out).unwrap();
            }
        }
        assert!(self.shards().flatten().all(|shard| job.is_done(&shard, out)));
    }
}

fn work_on(job: &dyn Job, shard: &ShardId, out: &Path) -> Result<(), JobError> {
    let stop = AtomicBool::new(false);
    match job.shard(shard, &run(out, &stop))? {
        Ending::Finished => Ok(()),
        Ending::Stopped { .. } => panic!("{shard}: nobody stops it"),
    }
}

/// All files of a folder; there is nothing else in it.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

#[test]
fn shards_one_after_the_other_and_twice() {
    for case in ALL {
        let (folder, job) = (folder(), case.job());
        for stage in case.shards() {
            assert!(!stage.iter().any(|shard| job.is_done(shard, folder.path())));
            for shard in stage.iter().rev().chain(&stage) {
                work_on(&*job, shard, folder.path()).unwrap();
                assert!(job.is_done(shard, folder.path()), "{shard}");
            }
        }
        assert!(files(folder.path()) == case.expected(), "{}", job.recipe());
    }
}

/// All hands of a stage at the same time, and each twice.
#[test]
fn hands_at_the_same_time() {
    for case in ALL {
        let (folder, job) = (folder(), case.job());
        for stage in case.shards() {
            thread::scope(|scope| {
                for shard in stage.iter().chain(&stage) {
                    scope.spawn(|| work_on(&*job, shard, folder.path()).unwrap());
                }
            });
        }
        assert!(files(folder.path()) == case.expected(), "{}", job.recipe());
    }
}

#[test]
fn the_plan_makes_the_same() {
    for case in ALL {
        let (folder, job) = (folder(), case.job());
        let plan = job.plan(Cut { shards: 4, cores: 1 }).unwrap();
        assert!(plan.core_seconds() > 0.0);
        for shard in plan.shards() {
            work_on(&*job, &shard, folder.path()).unwrap();
        }
        assert!(plan.shards().all(|shard| job.is_done(&shard, folder.path())));
        assert!(files(folder.path()) == case.expected(), "{}", job.recipe());
    }
}

/// Flips a bit of a file, cuts it off, or removes it.
fn damage(path: &Path, how: u64, random: &mut SplitMix64) {
    let mut bytes = fs::read(path).unwrap();
    let (middle, at) = (bytes.len() / 2, random.below(bytes.len() as u64) as usize);
    match how % 3 {
        0 => bytes[middle] ^= 1 << (at % 8),
        1 => bytes.truncate(at),
        _ => return fs::remove_file(path).unwrap(),
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_and_missing_files_are_made_again() {
    let mut random = SplitMix64::new(20);
    for case in ALL {
        let (folder, job, expected) = (folder(), case.job(), case.expected());
        case.finish(&*job, folder.path());
        let last = case.shards().last().unwrap().remove(0);
        for how in 0..12 {
            let (name, _) = &expected[random.below(expected.len() as u64) as usize];
            damage(&folder.path().join(name), how, &mut random);
            assert!(!job.is_done(&last, folder.path()), "{}", name.display());
            case.finish(&*job, folder.path());
            assert!(files(folder.path()) == expected, "{}", name.display());
        }
    }
}

/// A stage that finds what it needs damaged or missing says so, and the file counts as not done.
#[test]
fn what_an_earlier_stage_has_made_is_checked() {
    let mut random = SplitMix64::new(21);
    let (case, needed) = (&TAK, "tak-04.etd");
    let (folder, job, expected) = (folder(), case.job(), case.expected());
    let stages: Vec<Vec<ShardId>> = case.shards().collect();
    let (last, before) = stages.split_last().unwrap();
    for how in 0..6 {
        for shard in before.iter().flatten() {
            work_on(&*job, shard, folder.path()).unwrap();
        }
        let path = folder.path().join(needed);
        damage(&path, how, &mut random);
        let error = work_on(&*job, &last[0], folder.path()).unwrap_err().to_string();
        assert!(error.contains(needed), "{error}");
        assert!(error.contains("run what is left of the plan"), "{error}");
        assert!(!path.exists());
        case.finish(&*job, folder.path());
        assert!(files(folder.path()) == expected);
        fs::remove_dir_all(folder.path()).unwrap();
    }
}

/// What a hand leaves that is stopped within a layer, some of it damaged, is resumed by others. Tables of
/// layers below that are damaged meanwhile are made again.
#[test]
fn parts_of_stopped_hands_are_resumed() {
    let (case, mut random) = (&COLLAPSI, SplitMix64::new(22));
    let (job, expected) = (case.job(), case.expected());
    let shards: Vec<ShardId> = case.shards().flatten().collect();
    for how in 0..3 {
        let (folder, stop) = (folder(), AtomicBool::new(false));
        let out = folder.path();
        let parts = || {
            let entries = fs::read_dir(out.join("collapsi-08.etd.work"));
            let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
            paths.filter(|path| path.extension() == Some("etd".as_ref())).collect::<Vec<_>>()
        };
        thread::scope(|scope| {
            let hand = scope.spawn(|| job.shard(&shards[1], &run(out, &stop)).unwrap());
            while parts().is_empty() && !hand.is_finished() {
                thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
            let ended = hand.join().unwrap();
            assert!(matches!(ended, Ending::Stopped { what: "layers", .. }), "{ended:?}");
        });
        damage(&parts()[0], how, &mut random);
        damage(&out.join("collapsi-06.etd"), how + 1, &mut random);
        assert!(!job.is_done(&shards[0], out));
        thread::scope(|scope| {
            for shard in &shards {
                scope.spawn(|| work_on(&*job, shard, out).unwrap());
            }
        });
        assert!(files(out) == expected);
    }
}

#[test]
fn shards_that_there_are_not_and_other_tables_are_refused() {
    for case in [&COLLAPSI, &SPARSE, &TAK] {
        let (folder, job) = (folder(), case.job());
        for stage in ["whole", "layers-7", "layers-9-9", "layers-1-3", "layers-3-9", "layers-a-b"] {
            let shard = ShardId { stage: stage.into(), number: 0, of: 1 };
            let error = work_on(&*job, &shard, folder.path()).unwrap_err().to_string();
            assert!(error.contains("the job has no such shard"), "{error}");
            assert!(!job.is_done(&shard, folder.path()));
        }
    }
    let (folder, stop) = (folder(), AtomicBool::new(false));
    SMALL_TAK.job().run(&run(folder.path(), &stop)).unwrap();
    let shard = TAK.shards().next().unwrap().remove(0);
    let error = work_on(&*TAK.job(), &shard, folder.path()).unwrap_err().to_string();
    assert!(error.contains("--flats 2"), "{error}");
}

#[test]
fn a_stopped_shard_says_how_far_it_is() {
    for case in ALL {
        let folder = folder();
        let stop = AtomicBool::new(true);
        let shard = case.shards().next().unwrap().remove(0);
        let ended = case.job().shard(&shard, &run(folder.path(), &stop)).unwrap();
        assert!(matches!(ended, Ending::Stopped { what: "layers", done: 0, .. }), "{ended:?}");
    }
}

/// The pieces that hands have left in a folder of tables.
fn pieces(folder: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let works = inside(folder).into_iter().filter(|path| path.is_dir());
    let folders = works.flat_map(|work| inside(&work)).filter(|path| path.is_dir());
    let steps = folders.flat_map(|folder| inside(&folder)).filter(|path| !path.ends_with("hands"));
    let mut pieces: Vec<PathBuf> = steps.flat_map(|step| inside(&step)).collect();
    pieces
        .retain(|path| path.extension().is_none() && fs::read(path).is_ok_and(|it| !it.is_empty()));
    pieces.sort();
    pieces
}

/// Where hands exchange what they found after every distance, any of them may end at any moment, and what they
/// leave for each other may be damaged or lost: the others go on, and so does who comes again.
#[test]
fn hands_that_end_in_the_middle_and_pieces_that_are_lost() {
    let case = Case {
        options: &[("size", Some("3")), ("flats", Some("5"))],
        stages: &["layers-8-2"],
        ..TAK
    };
    let (job, expected) = (case.job(), case.expected());
    let shards: Vec<ShardId> = case.shards().flatten().collect();
    let mut random = SplitMix64::new(64);
    let (mut damaged, mut ended) = (0, 0);
    for attempt in 0..5 {
        let folder = folder();
        let stops = [(); 3].map(|()| AtomicBool::new(false));
        thread::scope(|scope| {
            let hands: Vec<_> = shards
                .iter()
                .zip(&stops)
                .map(|(shard, stop)| scope.spawn(|| job.shard(shard, &run(folder.path(), stop))))
                .collect();
            // All of them, or all but one.
            for stop in &stops[..if attempt == 0 { 2 } else { 3 }] {
                thread::sleep(Duration::from_millis(50 + random.below(200)));
                stop.store(true, Ordering::Relaxed);
            }
            for hand in hands {
                ended += u64::from(matches!(hand.join().unwrap(), Ok(Ending::Stopped { .. })));
            }
        });
        let left = pieces(folder.path());
        for (how, path) in (0..).zip(&left) {
            if random.below(3) == 0 {
                damage(path, how, &mut random);
                damaged += 1;
            }
        }
        thread::scope(|scope| {
            for shard in &shards[..2] {
                scope.spawn(|| work_on(&*job, shard, folder.path()).unwrap());
            }
        });
        assert!(files(folder.path()) == expected, "attempt {attempt}");
    }
    assert!(ended > 0 && damaged > 0, "{ended} ended, {damaged} pieces damaged");
}

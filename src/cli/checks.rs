//! Full checks of tables in shards: each checks some parts, the last one sums up.

use std::fs;
use std::path::{Path, PathBuf};

use endtable::games::{self, Check, Watch};
use endtable::job::{Cut, Ending, JobError, Plan, PlannedStage, Run, ShardId, Shards, work_folder};
use endtable::table::{DENSE_EXTENSION, Kind, Options, files_in, read_header};
use serde_json::Value;

use super::Failure;
use super::files::tables_at;
use super::output::write_file;
use super::sealed::{self, job_error};
use super::verify::{Findings, check_tables};

/// What works on the shards of a full check of some tables.
pub fn shards(paths: &[PathBuf]) -> Result<Box<dyn Shards>, Failure> {
    let mut parts = Vec::new();
    for path in paths {
        if !path.is_dir() {
            add_parts(path, vec![path.clone()], &mut parts)?;
            continue;
        }
        let dense = files_in(path, DENSE_EXTENSION)?;
        let keyed: Vec<PathBuf> =
            tables_at(path)?.into_iter().filter(|file| !dense.contains(file)).collect();
        if !dense.is_empty() {
            add_parts(path, dense, &mut parts)?;
        }
        keyed.into_iter().try_for_each(|file| add_parts(&file.clone(), vec![file], &mut parts))?;
    }
    Ok(Box::new(ChecksInShards { parts }))
}

/// A part of tables that can be checked apart.
struct Part {
    /// The tables: a file, or a folder.
    path: PathBuf,
    /// Their files.
    files: Vec<PathBuf>,
    number: u64,
}

fn add_parts(path: &Path, files: Vec<PathBuf>, parts: &mut Vec<Part>) -> Result<(), Failure> {
    let tables = games::open(&[path], &Options::default())?;
    let part = |number| Part { path: path.into(), files: files.clone(), number };
    parts.extend((0..tables.parts()).map(part));
    Ok(())
}

struct ChecksInShards {
    parts: Vec<Part>,
}

/// The stages.
const CHECKS: &str = "checks";
const REPORT: &str = "report";

/// Records that are worked out anew in a second of one core, measured: those with keys are sorted and
/// looked up, the others come in order.
const KEYED_RATE: f64 = 1.7e6;
const DENSE_RATE: f64 = 2.0e7;

/// Bytes of memory that a record takes.
const KEYED_BYTES: u64 = 24;
const DENSE_BYTES: u64 = 3;

impl ChecksInShards {
    fn results(shard: &ShardId, out: &Path) -> PathBuf {
        sealed::path(&work_folder(out), CHECKS, shard.number, shard.of)
    }

    /// The parts of a shard: every so manieth, since large ones stand together.
    fn parts_of(&self, shard: &ShardId) -> impl Iterator<Item = &Part> {
        self.parts.iter().skip(shard.number as usize).step_by(shard.of.max(1) as usize)
    }

    fn check(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, Failure> {
        let path = Self::results(shard, run.out);
        if sealed::read(&path).is_ok() {
            return Ok(Ending::Finished);
        }
        let watch = Watch { stop: run.stop, progress: run.progress };
        let mut findings = Findings::kept();
        for part in self.parts_of(shard) {
            let check = Check::Part(part.number);
            match games::open(&[&part.path], &Options::default()) {
                Ok(tables) => {
                    check_tables(&*tables, &part.path, &part.files, check, &watch, &mut findings)?;
                }
                Err(error) => findings.report(&part.path, Err(error.into())),
            }
        }
        let lines = findings.objects().into_iter().map(|object| format!("{object}\n"));
        sealed::write(&path, &lines.collect::<String>())?;
        Ok(Ending::Finished)
    }

    /// The last shard: what all have found, one object a line.
    fn sum_up(&self, run: &Run<'_>) -> Result<Ending, Failure> {
        let folder = work_folder(run.out);
        let paths = sealed::all(&folder)?;
        let of = |path: &PathBuf| {
            let name = path.file_stem()?.to_str()?;
            name.rsplit_once('-')?.1.parse::<usize>().ok()
        };
        if paths.is_empty() || paths.iter().any(|path| of(path) != Some(paths.len())) {
            let message = "not all shards are done; run what is left of the plan";
            return Err(Failure::Check(format!("{}: {message}", folder.display())));
        }
        let texts = paths.iter().map(|path| sealed::read(path));
        let text = texts.collect::<Result<String, Failure>>()?;
        write_file(run.out, |out| Ok(out.write_all(text.as_bytes())?))?;
        sealed::remove(&folder, &paths);
        verdict(run.out)
    }
}

/// What a report comes to.
fn verdict(report: &Path) -> Result<Ending, Failure> {
    let text = fs::read_to_string(report).map_err(|error| Failure::about(report, &error))?;
    let is_sound = |line: &&str| {
        serde_json::from_str::<Value>(line).is_ok_and(|object| object["sound"] == true)
    };
    let (all, sound) = (text.lines().count(), text.lines().filter(is_sound).count());
    if sound == all {
        return Ok(Ending::Finished);
    }
    let (report, wrong) = (report.display(), all - sound);
    Err(Failure::Check(format!("{report}: {wrong} of {all} findings are not sound")))
}

/// Records, seconds and bytes of memory of a file's check.
fn cost(path: &Path) -> (f64, u64) {
    read_header(path).map_or((0.0, 0), |header| match header.kind {
        Kind::Keyed => (header.records as f64 / KEYED_RATE, header.records * KEYED_BYTES),
        Kind::Dense => (header.records as f64 / DENSE_RATE, header.records * DENSE_BYTES),
    })
}

impl Shards for ChecksInShards {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        let mut files: Vec<&PathBuf> = self.parts.iter().flat_map(|part| &part.files).collect();
        files.sort_unstable();
        files.dedup();
        let costs: Vec<(f64, u64)> = files.iter().map(|file| cost(file)).collect();
        let largest = costs.iter().map(|cost| cost.1).max().unwrap_or(0);
        let bytes = files.iter().filter_map(|file| Some(fs::metadata(file).ok()?.len()));
        let stage = |name: &str, shards, cores, seconds, reads| PlannedStage {
            name: name.into(),
            shards,
            cores,
            memory: largest + (256 << 20),
            seconds,
            reads,
            writes: 0,
        };
        let shards = cut.shards.clamp(1, self.parts.len().max(1) as u64);
        let seconds = costs.iter().map(|cost| cost.0).sum();
        let reads = bytes.sum::<u64>() / shards;
        let checks = stage(CHECKS, shards, cut.cores, seconds, reads);
        Ok(Plan { file: "report.json".into(), stages: vec![checks, stage(REPORT, 1, 1, 0.0, 0)] })
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        if run.out.is_file() {
            let folder = work_folder(run.out);
            sealed::remove(&folder, &sealed::all(&folder).unwrap_or_default());
            return verdict(run.out).map_err(job_error);
        }
        match shard.stage.as_str() {
            CHECKS => self.check(shard, run).map_err(job_error),
            REPORT => self.sum_up(run).map_err(job_error),
            _ => Err(shard.unknown()),
        }
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        match shard.stage.as_str() {
            CHECKS => sealed::read(&Self::results(shard, out)).is_ok(),
            _ => out.is_file() && sealed::are_gone(&work_folder(out)),
        }
    }
}

//! `endtable generate`: from nothing to a finished table.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{Use, read_options};
use endtable::job::{Ending, Expectation, Job, JobError, Made, Progress, Run, work_folder};
use endtable::table::TableError;
use indicatif::{HumanBytes, HumanCount};
use memmap2::MmapMut;
use serde_json::{Value, json};

use super::args::{
    Bytes, for_each_game, game_of, given, on_threads, options_of, threads_arg, with_options,
};
use super::output::say;
use super::progress::{Shown, Spoken};
use super::signals::stop_flag;
use super::{Failure, remark};

/// What a job may use if nothing is said.
const DEFAULT_MEMORY: u64 = 1 << 30;

pub fn command() -> Command {
    let command = Command::new("generate")
        .about("Generate a table: enumerate positions, solve them, write them to a file")
        .long_about(
            "Generate a table: enumerate positions, solve them, write them to a file\n\n\
             Finished work is kept in a folder beside the output, NAME.work, until the table is \
             finished. Stopped by Ctrl-C, a kill or a full disk, the same command resumes where it \
             was. The finished file is the same, byte for byte, whatever the threads, the memory and \
             the interruptions.",
        );
    for_each_game(command, |game, command| {
        with_options(command, &options_of(game, &[Use::Generate]))
            .arg(
                Arg::new("out")
                    .long("out")
                    .value_name("PATH")
                    .required(true)
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("The file to write, or the folder"),
            )
            .arg(
                Arg::new("memory")
                    .long("memory")
                    .value_name("SIZE")
                    .value_parser(clap::value_parser!(Bytes))
                    .help("Memory to stay within, as in 500M or 4G; by default 1G, or as much as the job must have or the system gives"),
            )
            .arg(threads_arg())
            .arg(
                Arg::new("json")
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("Say what was made as a JSON object at the end"),
            )
            .arg(
                Arg::new("force")
                    .long("force")
                    .action(ArgAction::SetTrue)
                    .help("Replace a finished table, and begin what does not seem to fit"),
            )
    })
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (game, matches) = game_of(matches)?;
    let given = given(matches, &options_of(game, &[Use::Generate]));
    // What an option needs beside it is asked again: clap forgets it where that conflicts with others.
    let options = read_options(game, &[Use::Generate], given.iter())?;
    on_threads(matches, || run_job(&*game.job(&options)?, matches))
}

fn run_job(job: &dyn Job, matches: &ArgMatches) -> Result<(), Failure> {
    let out = matches.get_one::<PathBuf>("out").map_or(Path::new(""), PathBuf::as_path);
    let force = matches.get_flag("force");
    let least = job.least_memory();
    let memory = match matches.get_one::<Bytes>("memory") {
        Some(&Bytes(memory)) if memory < least => {
            return Err(Failure::input(format!(
                "--memory: this takes at least {} with these threads",
                HumanBytes(least)
            )));
        }
        Some(&Bytes(memory)) => memory,
        None => halves(least.max(DEFAULT_MEMORY), least).find(|&it| is_given(it)).unwrap_or(least),
    };
    if !is_given(memory) {
        let message = format!("the system does not give {} of memory", HumanBytes(memory));
        return Err(Failure::Io(io::Error::new(io::ErrorKind::OutOfMemory, message)));
    }
    // From here on a signal is heard: counting what is expected may take a second.
    let stop = stop_flag()?;
    // What has begun is known to fit, and what may not be replaced is not begun.
    let holds_something = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if force || !work_folder(out).exists() && !out.is_file() && !holds_something {
        let expected = job.expect();
        if expected.seconds.is_some() {
            announce(&expected, memory);
        }
        if !force {
            check_free(folder_of(out)?, expected.disk as u64)?;
        }
    }
    let report = Report {
        shown: Shown::stoppable(&stop),
        json: matches.get_flag("json"),
        made: Mutex::default(),
        start: Instant::now(),
    };
    let run = Run {
        out,
        memory,
        replace: force,
        stop: &stop,
        save_every: Run::SAVE_EVERY,
        progress: &report,
    };
    let kept = || {
        let work = work_folder(out);
        let place = if work.exists() { work.display() } else { out.display() };
        format!("what is done is kept in {place}; the same command resumes from there")
    };
    match job.run(&run) {
        Ok(Ending::Finished) => report.end(job, out),
        Ok(Ending::Stopped { what, done, total }) => {
            Err(Failure::Stopped(format!("stopped with {done} of {total} {what} done; {}", kept())))
        }
        Err(error @ JobError::Table(TableError::Io { .. })) => {
            Err(Failure::from(error).with_hint(format_args!("\n{}", kept())))
        }
        Err(error) => Err(error.into()),
    }
}

/// A number of bytes, its half and so on, down to another.
fn halves(most: u64, least: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(most), |bytes| Some(bytes / 2)).take_while(move |&it| it >= least)
}

/// Whether the system gives so much memory, and what threads and buffers take besides. To find out in
/// the middle of the work would be the end of it.
fn is_given(memory: u64) -> bool {
    const BESIDES: u64 = 128 << 20;
    let bytes = usize::try_from(memory.saturating_add(memory / 8).saturating_add(BESIDES));
    bytes.is_ok_and(|bytes| MmapMut::map_anon(bytes).is_ok())
}

/// Says what it will take.
fn announce(expected: &Expectation, memory: u64) {
    let about = if expected.exact { "" } else { "about " };
    let wanted = expected.memory.unwrap_or(0.0);
    let memory = wanted.min(memory as f64);
    remark(format!(
        "expecting {about}{} positions, a table of {}, {} of disk, {} of memory, {}",
        HumanCount(expected.positions as u64),
        HumanBytes(expected.table as u64),
        HumanBytes(expected.disk as u64),
        HumanBytes(memory as u64),
        Spoken(expected.seconds.unwrap_or(0.0)),
    ));
    if wanted > ENOUGH * memory {
        let wanted = HumanBytes(wanted as u64);
        remark(format!(
            "that is the time with {wanted} of memory: with less it may take much longer; see --memory"
        ));
    }
}

/// What has so many times as much memory as it is given may take longer than it is said to.
const ENOUGH: f64 = 1.5;

/// The folder that a file goes to, which is made if it is not there.
fn folder_of(out: &Path) -> Result<&Path, Failure> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Failure::about(folder, &error))?;
    Ok(folder)
}

/// Checks that a folder's disk has room for so many bytes more.
fn check_free(folder: &Path, needed: u64) -> Result<(), Failure> {
    let free = fs4::available_space(folder).map_err(|error| Failure::about(folder, &error))?;
    if needed <= free {
        return Ok(());
    }
    Err(Failure::Io(io::Error::other(format!(
        "{}: {} free, but this takes about {}; --force begins all the same",
        folder.display(),
        HumanBytes(free),
        HumanBytes(needed)
    ))))
}

/// Shows progress, and says what is finished: a line for a table, a table of lines for layers; or an
/// object at the end.
struct Report {
    shown: Shown,
    json: bool,
    made: Mutex<Vec<Made>>,
    start: Instant,
}

impl Report {
    /// Says what there is in all.
    fn end(&self, job: &dyn Job, out: &Path) -> Result<(), Failure> {
        let made = self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let seconds = self.start.elapsed().as_secs_f64();
        if self.json {
            return say(object(job, out, &made, seconds));
        }
        let layers = made.iter().filter(|made| !made.name.is_empty());
        let (count, positions, bytes) =
            layers.fold((0, 0, 0), |(count, positions, bytes), made| {
                (count + 1, positions + made.positions, bytes + made.bytes)
            });
        if count == 0 {
            return Ok(());
        }
        let bits = 8.0 * bytes as f64 / (positions as f64).max(1.0);
        say(format_args!("all     {positions:>12} {seconds:>8.2}         {bytes:>11}   {bits:.3}"))
    }
}

impl Progress for Report {
    fn begin(&self, stage: &str, total: u64, done: u64) {
        self.shown.begin(stage, total, done);
    }

    fn advance(&self, steps: u64, items: u64) {
        self.shown.advance(steps, items);
    }

    fn at(&self, what: &str) {
        self.shown.at(what);
    }

    fn note(&self, what: &str) {
        remark(what);
    }

    fn end(&self) {
        self.shown.end();
    }

    fn made(&self, made: &Made) {
        let mut all = self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Whoever stopped listening still wants the tables.
        self.shown.aside(|| match (self.json, made.name.is_empty()) {
            (true, _) => {}
            (false, true) => _ = say(table_line(made)),
            (false, false) => {
                if all.is_empty() {
                    _ = say("layer      positions  seconds     M/s       bytes   bits a position");
                }
                _ = say(layer_line(made));
            }
        });
        all.push(made.clone());
    }
}

/// What was made, as an object: the files of layers one by one.
fn object(job: &dyn Job, out: &Path, made: &[Made], seconds: f64) -> Value {
    let sum = |of: fn(&Made) -> u64| made.iter().map(of).sum::<u64>();
    let solved = made.iter().map(|made| made.positions - made.resumed).sum::<u64>();
    let mut object = json!({
        "game": job.recipe().game,
        "file": out.display().to_string(),
        "command": job.recipe().to_string(),
        "records": sum(|made| if made.path.is_some() { made.positions } else { 0 }),
        "bytes": sum(|made| made.bytes),
        "solved": solved,
        "seconds": (seconds * 1e3).round() / 1e3,
    });
    let layers: Vec<Value> = made
        .iter()
        .filter(|made| !made.name.is_empty())
        .map(|made| {
            json!({
                "layer": made.name,
                "file": made.path.as_ref().map(|path| path.display().to_string()),
                "records": made.positions,
                "bytes": made.bytes,
                "solved": made.positions - made.resumed,
                "seconds": (made.solving.as_secs_f64() * 1e3).round() / 1e3,
            })
        })
        .collect();
    if let (false, Value::Object(fields)) = (layers.is_empty(), &mut object) {
        fields.insert("layers".into(), layers.into());
    }
    object
}

fn table_line(made: &Made) -> String {
    let Made { positions, bytes, .. } = made;
    let path = made.path.as_deref().unwrap_or(Path::new("")).display();
    let each = *bytes as f64 / (*positions).max(1) as f64;
    format!("{path}: {positions} positions, {bytes} bytes, {each:.2} a record")
}

fn layer_line(made: &Made) -> String {
    let Made { path, name, positions, resumed, solving, bytes } = made;
    let mut line = format!("{name:<8}{positions:>12} ");
    match positions - resumed {
        0 => line += "   there        ",
        solved => {
            let seconds = solving.as_secs_f64();
            _ = write!(line, "{seconds:>8.2} {:>7.0}", solved as f64 / seconds / 1e6);
        }
    }
    match path {
        Some(_) => {
            _ = write!(line, " {bytes:>11}   {:.3}", 8.0 * *bytes as f64 / *positions as f64);
        }
        None => line += "    left out",
    }
    if (1..*positions).contains(resumed) {
        _ = write!(line, "   {resumed} were there");
    }
    line
}

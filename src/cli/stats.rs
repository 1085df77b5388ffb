//! `endtable stats`: what tables' answers look like together.

use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::{self, Bin, Group, Section, Statistics, Watch};
use endtable::table::Options;
use endtable::value::Worth;
use serde_json::{Map, Number, Value, json};

use super::args::examples;
use super::output::{check_new, say, write_file};
use super::progress::Shown;
use super::signals::stop_flag;
use super::{Failure, remark};
use crate::chart::svg;
use crate::json as fields;
use crate::sets::{Set, sets};

/// Count tables' answers: results, plies to the end, values
///
/// Prints what fits a screen; --all prints everything that was counted. Tables that belong together
/// (of one game, one set of rules, one kind of key) are counted together, and a position that several
/// of them have is counted once. A file of a complete set is counted by itself.
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders with tables
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
    /// Print everything that was counted, not only what fits a screen
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print everything as a JSON object, one for all tables that belong together
    #[arg(long)]
    json: bool,
    /// Draw it into this file: bar charts, and a heat map of layers
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "svg")]
    force: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("stats")).after_help(examples("stats", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    if let Some(path) = &args.svg {
        check_new(path, args.force)?;
    }
    let stop = stop_flag()?;
    let shown = Shown::stoppable(&stop);
    let watch = Watch { stop: &stop, progress: &shown };
    let mut all = Vec::new();
    for set in sets(&args.files)? {
        let tables = games::open(&set.paths, &Options::default())?;
        all.push((set, tables.statistics(&watch)?));
    }
    // The picture first: standard output may be closed before all of it is written.
    if let Some(path) = &args.svg {
        let picture = svg(all.iter().map(|(_, statistics)| statistics));
        write_file(path, |out| Ok(out.write_all(picture.as_bytes())?))?;
    }
    if args.json {
        return all.iter().try_for_each(|(set, statistics)| say(object(set, statistics)));
    }
    let mut shortened = false;
    for (number, (set, statistics)) in all.iter().enumerate() {
        if all.len() > 1 {
            let gap = if number > 0 { "\n" } else { "" };
            say(format_args!("{gap}{}, {}: {set}", statistics.game, statistics.rules))?;
        }
        let (summary, text) = (statistics.summary(), statistics.text());
        shortened |= summary != text;
        say(if args.all { text.trim_end() } else { summary.trim_end() })?;
    }
    if shortened && !args.all {
        remark("there is more: --all shows everything that was counted");
    }
    Ok(())
}

/// All numbers of a set.
fn object(set: &Set, statistics: &Statistics) -> Value {
    let mut object = Map::new();
    object.insert("game".into(), statistics.game.into());
    object.insert("rules".into(), statistics.rules.clone().into());
    let files = set.paths.iter().map(|path| Value::from(path.display().to_string()));
    object.insert("tables".into(), files.collect());
    if let Some(tables) = &statistics.tables {
        object.insert("contents".into(), tables.clone().into());
    }
    for section in &statistics.sections {
        match (&section.groups[..], section.name) {
            ([group], "") => add_group(&mut object, section, group),
            (groups, name) => {
                let groups = groups.iter().map(|group| {
                    let mut object = Map::new();
                    add_group(&mut object, section, group);
                    Value::Object(object)
                });
                object.insert(name.into(), groups.collect());
            }
        }
    }
    if !statistics.examples.is_empty() {
        let examples = statistics.examples.iter().map(|example| {
            let (result, plies) = (example.value.result().to_string(), example.value.plies().0);
            let mut object =
                json!({"result": result, "plies": plies, "position": example.position});
            for (name, value) in example.options.iter() {
                object[name] = value.map_or(Value::Bool(true), Value::from);
            }
            object
        });
        object.insert("examples".into(), examples.collect());
    }
    Value::Object(object)
}

fn add_group(object: &mut Map<String, Value>, section: &Section, group: &Group) {
    for (name, field) in &group.label {
        object.insert((*name).into(), fields::value(field.clone()));
    }
    object.insert(section.things.into(), group.total.into());
    for (name, count) in &group.parts {
        object.insert((*name).into(), (*count).into());
    }
    for (name, worth) in &group.facts {
        // As many digits as the value has: what is printed, not what it was rounded from.
        let Worth::Expected(expected) = worth else { continue };
        let number = expected.to_string().parse().ok().and_then(Number::from_f64);
        object.insert((*name).into(), number.map_or(Value::Null, Value::Number));
    }
    for histogram in &group.histograms {
        let bins = histogram.bins.iter().map(|bin| bin_object(histogram.by, bin));
        object.insert(format!("by_{}", histogram.by), bins.collect());
    }
}

fn bin_object(by: &str, bin: &Bin) -> Value {
    let mut object = Map::new();
    match bin.to {
        Some(to) => {
            object.insert("from".into(), number(bin.from));
            object.insert("to".into(), number(to));
        }
        None => _ = object.insert(by.into(), number(bin.from)),
    }
    object.insert("count".into(), bin.count.into());
    Value::Object(object)
}

/// A whole number without a point.
fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return (number as i64).into();
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

//! Plans as files: what is to be made, and the shards that it is cut into.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use endtable::games::{self, Use, read_options};
use endtable::job::{Cut, Plan, PlannedStage, ShardId, Shards, work_folder};
use endtable::table::Options;
use serde_json::{Value, json};

use super::output::write_file;
use super::{Failure, checks, play, sealed};
use crate::json::Object;

/// The name of a plan in its folder.
pub const PLAN: &str = "plan.json";

/// What is cut into shards.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// `generate GAME OPTIONS`: a table.
    Generate { game: String, options: Options },
    /// `play GAME OPTIONS`: games.
    Play { game: String, options: Options },
    /// `verify --full TABLE…`
    Verify { tables: Vec<PathBuf> },
}

impl Work {
    /// What works on the shards.
    pub fn shards(&self) -> Result<Box<dyn Shards>, Failure> {
        match self {
            Self::Generate { game, options } => {
                let unknown = || Failure::input(format!("{game}: no game of that name"));
                let game = games::by_name(game).ok_or_else(unknown)?;
                let options = read_options(game, &[Use::Generate], options.iter())?;
                Ok(game.job(&options)?)
            }
            Self::Play { game, options } => play::shards(game, options),
            Self::Verify { tables } => checks::shards(tables),
        }
    }

    fn object(&self) -> Object {
        let mut object = Object::new();
        let mut add = |name: &str, value: Value| object.insert(name.into(), value);
        match self {
            Self::Generate { game, options } => {
                add("work", "generate".into());
                add("game", game.as_str().into());
                add("options", options_object(options));
            }
            Self::Play { game, options } => {
                add("work", "play".into());
                add("game", game.as_str().into());
                add("options", options_object(options));
            }
            Self::Verify { tables } => {
                add("work", "verify".into());
                let names = tables.iter().map(|path| path.display().to_string().into());
                add("tables", Value::Array(names.collect()));
            }
        }
        object
    }

    fn read(object: &Value) -> Option<Self> {
        let game = || Some(object["game"].as_str()?.to_owned());
        let options = || read_options_object(&object["options"]);
        match object["work"].as_str()? {
            "generate" => Some(Self::Generate { game: game()?, options: options()? }),
            "play" => Some(Self::Play { game: game()?, options: options()? }),
            "verify" => {
                let tables = object["tables"].as_array()?.iter();
                let tables: Option<Vec<PathBuf>> =
                    tables.map(|name| name.as_str().map(PathBuf::from)).collect();
                Some(Self::Verify { tables: tables? })
            }
            _ => None,
        }
    }
}

/// Options as an object; a switch is `true`.
fn options_object(options: &Options) -> Value {
    let value = |value: Option<&str>| value.map_or(Value::Bool(true), Value::from);
    Value::Object(options.iter().map(|(name, it)| (name.to_owned(), value(it))).collect())
}

fn read_options_object(object: &Value) -> Option<Options> {
    object.as_object()?.iter().try_fold(Options::default(), |options, (name, value)| match value {
        Value::Bool(true) => Some(options.with_switch(name)),
        Value::String(value) => Some(options.with(name, value)),
        _ => None,
    })
}

/// A plan with what it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub work: Work,
    pub cut: Cut,
    pub plan: Plan,
}

impl Planned {
    /// Reads a plan: the file, or the folder that it is in.
    pub fn open(path: &Path) -> Result<(Self, Place), Failure> {
        let path = if path.is_dir() { path.join(PLAN) } else { path.to_path_buf() };
        let text = fs::read_to_string(&path).map_err(|error| Failure::about(&path, &error))?;
        let planned = serde_json::from_str(&text).ok().and_then(|object| Self::read(&object));
        let planned = planned.ok_or_else(|| {
            let path = path.display();
            Failure::input(format!("{path}: no plan; `endtable plan --help` tells how to make one"))
        })?;
        let place = Place::new(path, &planned.plan.file)?;
        Ok((planned, place))
    }

    fn read(object: &Value) -> Option<Self> {
        let number = |value: &Value| value.as_u64();
        let cores = |value: &Value| {
            u32::try_from(value.as_u64()?).ok().filter(|cores| (1..=MOST_CORES).contains(cores))
        };
        let stages = object["stages"].as_array()?.iter().map(|stage| {
            Some(PlannedStage {
                name: stage["name"].as_str()?.into(),
                shards: stage["shards"].as_array()?.len() as u64,
                cores: cores(&stage["cores"])?,
                memory: number(&stage["memory"])?,
                seconds: stage["core_seconds"].as_f64()?,
                reads: number(&stage["reads"])?,
                writes: number(&stage["writes"])?,
            })
        });
        let file = object["out"].as_str()?;
        let cut = Cut { shards: number(&object["shards"])?, cores: cores(&object["cores"])? };
        let plan = Plan {
            file: Some(file).filter(|file| is_name(file))?.into(),
            stages: stages.collect::<Option<_>>()?,
        };
        if plan.stages.is_empty() {
            return None;
        }
        Some(Self { work: Work::read(object)?, cut, plan })
    }

    /// Writes the plan into its folder. One that is there already stays if it is the same; with `force` another
    /// one is replaced, and what shards have found out for it is forgotten.
    pub fn write(&self, folder: &Path, shards: &dyn Shards, force: bool) -> Result<Place, Failure> {
        fs::create_dir_all(folder).map_err(|error| Failure::about(folder, &error))?;
        let folder = folder.canonicalize().map_err(|error| Failure::about(folder, &error))?;
        let (path, out) = (folder.join(PLAN), folder.join(&self.plan.file));
        let there = path.exists().then(|| Self::open(&path)).transpose();
        if !force && let Err(failure) = there {
            return Err(failure);
        }
        let is_same = |there: &Self| {
            (&there.work, there.cut, &there.plan.file) == (&self.work, self.cut, &self.plan.file)
        };
        let in_the_way = match &there {
            Ok(Some((there, _))) if is_same(there) => {
                // A check that is through is begun anew: tables may have changed.
                if matches!(self.work, Work::Verify { .. }) && out.is_file() {
                    forget(&out)?;
                }
                return Place::new(path, &self.plan.file);
            }
            Ok(Some(_)) | Err(_) => Some("holds another plan; choose another folder"),
            Ok(None) if out.is_file() && !self.left(shards, &out).is_empty() => {
                Some("holds another file under the name of the table; choose another --name")
            }
            Ok(None) => None,
        };
        if let Some(what) = in_the_way.filter(|_| !force) {
            let folder = folder.display();
            return Err(Failure::input(format!("{folder}: {what}, or --force replaces it")));
        }
        if let Ok(Some((there, place))) = &there {
            _ = fs::remove_file(place.path.with_extension("toml"));
            // What is left of a table says itself whose it is; results do not.
            if !matches!(there.work, Work::Generate { .. }) {
                forget(&place.out)?;
            }
        }
        let object = self.object(&path);
        write_file(&path, |out| Ok(writeln!(out, "{object:#}")?))?;
        Place::new(path, &self.plan.file)
    }

    /// The plan as an object, which is at a path.
    pub fn object(&self, path: &Path) -> Value {
        let mut object = Object::new();
        object.insert("endtable".into(), env!("CARGO_PKG_VERSION").into());
        object.append(&mut self.work.object());
        object.insert("out".into(), self.plan.file.as_str().into());
        object.insert("shards".into(), self.cut.shards.into());
        object.insert("cores".into(), self.cut.cores.into());
        object.insert("core_seconds".into(), rounded(self.plan.core_seconds()));
        let mut before: Option<&str> = None;
        let stages = self.plan.stages.iter().map(|stage| {
            let needs = before.replace(&stage.name);
            stage_object(stage, needs, path)
        });
        let stages = stages.collect();
        object.insert("stages".into(), Value::Array(stages));
        Value::Object(object)
    }

    /// The stage of a shard.
    pub fn stage(&self, shard: &ShardId) -> Result<&PlannedStage, Failure> {
        let has = |stage: &&PlannedStage| stage.name == shard.stage && stage.shards == shard.of;
        let stage = self.plan.stages.iter().find(has);
        stage.ok_or_else(|| {
            let stages = self.plan.stages.iter();
            let names: Vec<String> =
                stages.map(|it| format!("{} of {}", it.name, it.shards)).collect();
            let stages = names.join(", ");
            Failure::input(format!(
                "{shard}: not in the plan, whose stages and shards are: {stages}"
            ))
        })
    }

    /// The shards that are not done, in an order in which they can be.
    pub fn left(&self, shards: &dyn Shards, out: &Path) -> Vec<ShardId> {
        let all: Vec<ShardId> = self.plan.shards().collect();
        if all.last().is_some_and(|last| shards.is_done(last, out)) {
            return Vec::new();
        }
        all.into_iter().filter(|shard| !shards.is_done(shard, out)).collect()
    }
}

/// The most cores of a shard.
pub const MOST_CORES: u32 = 1024;

/// Whether something in the folder of a plan can be called so.
pub fn is_name(name: &str) -> bool {
    let is_free = ![PLAN, "plan.toml"].contains(&name);
    is_free && Path::new(name).file_name().is_some_and(|it| it == name)
}

/// Removes what shards of games or checks have found out.
fn forget(out: &Path) -> Result<(), Failure> {
    let folder = work_folder(out);
    if let Ok(paths) = sealed::all(&folder) {
        sealed::remove(&folder, &paths);
    }
    match fs::remove_file(out) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::about(out, &error)),
        _ => Ok(()),
    }
}

/// Where a plan is, and what it makes.
#[derive(Clone, Debug)]
pub struct Place {
    pub path: PathBuf,
    pub out: PathBuf,
}

impl Place {
    fn new(path: PathBuf, file: &str) -> Result<Self, Failure> {
        let path = path.canonicalize().map_err(|error| Failure::about(&path, &error))?;
        let out = path.with_file_name(file);
        Ok(Self { path, out })
    }
}

fn stage_object(stage: &PlannedStage, needs: Option<&str>, path: &Path) -> Value {
    let each = stage.seconds / stage.shards as f64;
    let shard = |id: ShardId| {
        json!({
            "id": id.to_string(),
            "command": ["endtable", "shard", path.display().to_string(), id.to_string()],
            "seconds": rounded(each / f64::from(stage.cores)),
        })
    };
    json!({
        "name": stage.name,
        "needs": needs.into_iter().collect::<Vec<_>>(),
        "cores": stage.cores,
        "memory": stage.memory,
        "core_seconds": rounded(stage.seconds),
        "reads": stage.reads,
        "writes": stage.writes,
        "shards": stage.ids().map(shard).collect::<Vec<_>>(),
    })
}

/// As many digits as an estimate deserves.
pub fn rounded(seconds: f64) -> Value {
    ((seconds * 1e3).round() / 1e3).into()
}

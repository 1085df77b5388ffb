//! Plans as job files of HyperQueue, for those who have only its `hq` command.

use std::env;
use std::fmt::Write as _;
use std::path::Path;

use super::Failure;
use super::planned::{Place, Planned};

/// The job file of a plan: `hq job submit-file` takes it.
///
/// Shards ask for memory only if told to: a worker that offers none would never get one. Should a shard
/// fail, the others of its stage go on; submitted again, the file gives those that are done nothing to do.
pub fn job_file(planned: &Planned, place: &Place, memory: bool) -> Result<String, Failure> {
    // What JSON writes for a string is a string of TOML, too.
    let word = |word: &str| serde_json::Value::from(word).to_string();
    let path = |path: &Path| word(&path.display().to_string());
    let program = path(&env::current_exe()?);
    let plan = path(&place.path);
    let folder = path(place.path.parent().unwrap_or(Path::new("/")));
    let mut text = format!("name = {}\n", word(&planned.plan.file));
    let (mut next, mut before) = (0, 0..0);
    for stage in &planned.plan.stages {
        let first = next;
        let needs: Vec<String> = before.map(|id: u64| id.to_string()).collect();
        let mut resources = format!("\"cpus\" = \"{}\"", stage.cores);
        if memory {
            _ = write!(resources, ", \"mem\" = \"{}\"", stage.memory.div_ceil(1 << 20).max(1));
        }
        for id in stage.ids() {
            _ = write!(
                text,
                "\n[[task]]\nid = {next}\ncommand = [{program}, \"shard\", {plan}, {}]\ndeps = [{}]\n\
                 cwd = {folder}\nstdout = \"none\"\ncrash_limit = 20\n\
                 [[task.request]]\nresources = {{ {resources} }}\n",
                word(&id.to_string()),
                needs.join(", "),
            );
            next += 1;
        }
        before = first..next;
    }
    Ok(text)
}

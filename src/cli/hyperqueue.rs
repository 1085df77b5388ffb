//! Plans as job files of HyperQueue, for those who have only its `hq` command.

use std::env;
use std::fmt::Write as _;

use super::Failure;
use super::planned::{Place, Planned};

/// The job file of a plan: `hq job submit-file` takes it.
pub fn job_file(planned: &Planned, place: &Place) -> Result<String, Failure> {
    let program = env::current_exe()?;
    let word = |word: &str| serde_json::Value::from(word).to_string();
    let (program, plan) =
        (word(&program.display().to_string()), word(&place.path.display().to_string()));
    let mut text = format!("name = {}\nmax_fails = 0\n", word(&planned.plan.file));
    let (mut next, mut before) = (0, 0..0);
    for stage in &planned.plan.stages {
        let first = next;
        let needs: Vec<String> = before.map(|id: u64| id.to_string()).collect();
        for id in stage.ids() {
            _ = write!(
                text,
                "\n[[task]]\nid = {next}\ncommand = [{program}, \"shard\", {plan}, {}]\ndeps = [{}]\n\
                 crash_limit = 5\n\
                 [[task.request]]\nresources = {{ \"cpus\" = \"{}\", \"mem\" = \"{}\" }}\n",
                word(&id.to_string()),
                needs.join(", "),
                stage.cores,
                stage.memory.div_ceil(1 << 20),
            );
            next += 1;
        }
        before = first..next;
    }
    Ok(text)
}

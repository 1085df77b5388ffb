//! What the benchmarks share: the machine's name, timing, medians.

#![allow(dead_code, reason = "no benchmark uses all of it")]

pub mod boards;
pub mod stages;

use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

/// The processor and how many of its cores there are.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{model}, {cores} cores")
}

/// How many processes wanted a core in the last minute.
pub fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().filter(|text| !text.is_empty()).unwrap_or("unknown").into()
}

/// How long something takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// What something gives, and how long it keeps this thread's core busy, whatever else runs.
pub fn core_timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (wall, core) = (Instant::now(), core_time());
    let answer = black_box(work());
    let core = core.zip(core_time()).map(|(start, end)| end.saturating_sub(start));
    (answer, core.unwrap_or(wall.elapsed()))
}

/// How long this thread has been on a core, where the system tells.
fn core_time() -> Option<Duration> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(statistics.split(' ').next()?.parse().ok()?))
}

/// What a process took.
#[derive(Clone, Copy)]
pub struct Process {
    pub time: Duration,
    /// What the cores worked, whatever else ran.
    pub core_time: Duration,
    pub peak_memory: u64,
}

/// Runs a program to its end, looking every few milliseconds at the most memory it has had.
pub fn run(command: &mut Command) -> Process {
    let (start, core_start) = (Instant::now(), children_core_time());
    let mut child = command.spawn().expect("the program was built");
    let mut peak_memory = 0;
    let status = loop {
        peak_memory = peak_memory.max(most_memory(child.id()));
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{status}");
    Process { time: start.elapsed(), core_time: children_core_time() - core_start, peak_memory }
}

/// How long processes begun here and ended have kept cores busy: fields 16 and 17 of `stat`, in
/// hundredths of a second.
fn children_core_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let ticks = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(10 * ticks)
}

/// The most resident memory of a process so far, 0 where the system does not tell.
fn most_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// The middle one.
pub fn median<T: Ord + Copy>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values[values.len() / 2]
}

/// How long one call takes, in the middle of many calls and for the slowest hundredth.
#[derive(Clone, Copy)]
pub struct Each {
    pub median: Duration,
    pub percentile_99: Duration,
}

/// Times each call by itself, second time round, and takes off what looking at the clock costs.
pub fn time_each<T: Copy, U>(items: &[T], mut work: impl FnMut(T) -> U) -> Each {
    for &item in items {
        black_box(work(item));
    }
    let clock = median((0..10_001).map(|_| timed(|| ())));
    let mut times: Vec<Duration> =
        items.iter().map(|&item| timed(|| work(item)).saturating_sub(clock)).collect();
    times.sort_unstable();
    Each { median: times[times.len() / 2], percentile_99: times[times.len() * 99 / 100] }
}

/// Microseconds.
pub fn micros(time: Duration) -> String {
    format!("{:.2} us", time.as_secs_f64() * 1e6)
}

/// Millions of things a second.
pub fn millions(things: u64, time: Duration) -> String {
    format!("{:.2} M/s", things as f64 / time.as_secs_f64() / 1e6)
}

/// A number with commas.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(",")
}

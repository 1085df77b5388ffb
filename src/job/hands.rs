//! Several hands on one stage: programs on any machines that go through the same steps together.
//!
//! Where every layer follows from the one before, a stage cannot be cut into shards that know nothing of
//! each other. So each shard is a *hand*: it goes through all steps of its stage, and each step is cut into
//! pieces. A piece that a hand makes goes to the folder that all hands see; the pieces that others have made
//! it takes from there. Hands that come late, or again, take what is there and are soon where the others
//! are; a hand that is alone makes all pieces; hands that are killed leave their pieces to the others.
//!
//! Which hand makes a piece is settled by *claims*, small files that only one program can create. A claim
//! is a hint, not a lock: who waits for a claimed piece longer than pieces take, or sees that the claimant
//! is gone, makes it, too. Both give the same bytes.
//!
//! A hand says that it is there by a file of its name, and neither claims nor leaves anything as long as it
//! sees no other: one that comes later makes again what was made until then.

mod parted;

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use super::plan::ShardId;
use crate::table::{Description, NewFile, TableError};

/// The pieces of a step.
pub trait Pieces {
    /// Takes a piece that another hand has finished; `false` if it is not there.
    ///
    /// # Errors
    /// When it cannot be read. One that is damaged is not there.
    fn take(&mut self, piece: u64) -> Result<bool, TableError>;

    /// Makes a piece, for this hand and for the others. `false` when stopped.
    ///
    /// # Errors
    /// When it cannot be made or written.
    fn make(&mut self, piece: u64) -> Result<bool, TableError>;

    /// Whether a piece is this hand's to make rather than another's: it has what that takes. `None` if it is
    /// whose claim comes first.
    fn is_mine(&self, _piece: u64) -> Option<bool> {
        None
    }
}

/// A hand on a stage.
#[derive(Debug)]
pub struct Hand<'a> {
    /// `None` if there are no others.
    shared: Option<Shared>,
    stop: &'a AtomicBool,
    /// Whether others were there when the step at work began, or have been seen since.
    has_others: Cell<bool>,
    /// The longest that a piece has taken.
    longest: Cell<Duration>,
}

/// What several hands have in common.
#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    /// What all pieces of the stage say of themselves.
    stamp: u64,
    number: u64,
    of: u64,
    /// The hand's own name among those that are there.
    name: String,
}

/// In a folder of pieces, the folder with the names of the hands.
const HANDS: &str = "hands";

/// Behind the name of a folder of pieces.
const PIECES: &str = ".pieces";

/// How often a hand that waits looks for what it waits for: at the most, and as a part of what it has waited.
const LOOK: Duration = Duration::from_micros(200);
const LOOKS: u32 = 8;

/// What a hand waits at the least before it makes a piece that another one has claimed.
const PATIENCE: Duration = Duration::from_millis(500);

/// The same before it has made a piece, and does not know how long they take.
const FIRST_PATIENCE: Duration = Duration::from_secs(3);

/// How often a hand that sees no other looks around between two pieces: what one makes that does not know of
/// the others, they make, too.
const LOOK_AROUND: Duration = Duration::from_millis(50);

/// The pieces of a step for each hand: the quicker ones make more of them.
const PIECES_A_HAND: u64 = 2;

impl<'a> Hand<'a> {
    /// A hand that is alone: it makes every piece and leaves none.
    #[must_use]
    pub fn alone(stop: &'a AtomicBool) -> Self {
        let (has_others, longest) = (Cell::new(false), Cell::new(Duration::ZERO));
        Self { shared: None, stop, has_others, longest }
    }

    /// One of the hands of a stage, which are its shards, in the folder of the work on what is described.
    #[must_use]
    pub fn of(
        shard: &ShardId,
        work: &Path,
        description: &Description,
        stop: &'a AtomicBool,
    ) -> Self {
        let folder = work.join(format!("{}{PIECES}", shard.stage));
        let stamp = xxh3_64(format!("{}\n{}", description.text(), shard.stage).as_bytes());
        let name = format!("{} {}", Claimant::this().text(), shard.number);
        let shared = Shared { folder, stamp, number: shard.number, of: shard.of, name };
        shared.say_here();
        Self { shared: Some(shared), ..Self::alone(stop) }
    }

    /// The same without the others: for what each does itself.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self::alone(self.stop)
    }

    /// Whether there can be no others.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.shared.is_none()
    }

    /// Whether others were there when the step at work began, or have been seen since, who take what this one
    /// leaves.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.has_others.get()
    }

    /// Into how many pieces a step is cut that has so many things to do, of which it takes so many to be
    /// worth a piece.
    #[must_use]
    pub fn pieces(&self, things: u64, worth: u64) -> u64 {
        match &self.shared {
            None => 1,
            Some(shared) => match things / worth.max(1) {
                many if many >= PIECES_A_HAND * shared.of => PIECES_A_HAND * shared.of,
                // A power of two: few hands have as many pieces each.
                few => 1 << few.max(1).ilog2(),
            },
        }
    }

    /// Makes or takes every piece of a step. `false` when stopped.
    ///
    /// # Errors
    /// When a piece cannot be made, read or written.
    pub fn share(
        &self,
        step: &str,
        pieces: u64,
        work: &mut dyn Pieces,
    ) -> Result<bool, TableError> {
        match self.claim(step, pieces, work)? {
            Some(claimed) => self.wait_for(claimed, work),
            None => Ok(false),
        }
    }

    /// Takes every piece of a step that is there, and makes those that nobody has claimed. Answers those that
    /// other hands have claimed and not finished, for which [`wait_for`](Self::wait_for) waits; `None` when stopped.
    ///
    /// # Errors
    /// When a piece cannot be made, read or written.
    pub fn claim(
        &self,
        step: &str,
        pieces: u64,
        work: &mut dyn Pieces,
    ) -> Result<Option<Vec<u64>>, TableError> {
        let Some(shared) = &self.shared else {
            return Ok(make_all(pieces, work)?.then(Vec::new));
        };
        self.has_others.set(shared.sees_others());
        let mut looked = Instant::now();
        let mut claimed = Vec::new();
        for piece in shared.order(pieces) {
            if self.is_stopped() {
                return Ok(None);
            }
            if work.take(piece)? {
                continue;
            }
            if !self.has_others() && looked.elapsed() > LOOK_AROUND {
                self.has_others.set(shared.sees_others());
                looked = Instant::now();
            }
            let is_mine = match work.is_mine(piece) {
                _ if !self.has_others() => true,
                Some(is_mine) => is_mine,
                None => shared.claim(step, piece)?,
            };
            if !is_mine {
                claimed.push(piece);
            } else if !self.make(piece, work)? {
                shared.unclaim(step, piece);
                return Ok(None);
            }
        }
        Ok(Some(claimed))
    }

    /// The same for pieces that are no more than what hands tell each other: a single one every hand makes
    /// itself, and leaves it to nobody. To wait for it would take as long.
    ///
    /// # Errors
    /// When a piece cannot be made, read or written.
    pub fn exchange(
        &self,
        step: &str,
        pieces: u64,
        work: &mut dyn Pieces,
    ) -> Result<bool, TableError> {
        if pieces > 1 {
            return self.share(step, pieces, work);
        }
        self.has_others.set(false);
        make_all(pieces, work)
    }

    /// Takes the pieces that others have claimed as they come, and makes those that do not come. `false` when
    /// stopped.
    ///
    /// # Errors
    /// When a piece cannot be made, read or written.
    pub fn wait_for(
        &self,
        mut claimed: Vec<u64>,
        work: &mut dyn Pieces,
    ) -> Result<bool, TableError> {
        let mut last = Instant::now();
        while !claimed.is_empty() {
            if self.is_stopped() {
                return Ok(false);
            }
            let mut waiting = Vec::new();
            for &piece in &claimed {
                if !work.take(piece)? {
                    waiting.push(piece);
                }
            }
            if waiting.len() < claimed.len() {
                last = Instant::now();
            } else if last.elapsed() > self.patience() {
                // Its hand is gone, or slow. The last one: others begin at the front.
                let Some(piece) = waiting.pop() else { break };
                if !self.make(piece, work)? {
                    return Ok(false);
                }
            } else {
                thread::sleep(LOOK.max(last.elapsed() / LOOKS));
            }
            claimed = waiting;
        }
        Ok(true)
    }

    fn patience(&self) -> Duration {
        match self.longest.get() {
            Duration::ZERO => FIRST_PATIENCE,
            longest => PATIENCE.max(3 * longest),
        }
    }

    fn make(&self, piece: u64, work: &mut dyn Pieces) -> Result<bool, TableError> {
        let start = Instant::now();
        let made = work.make(piece)?;
        self.longest.set(self.longest.get().max(start.elapsed()));
        Ok(made)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Leaves a piece to the others: what it holds, as bytes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn give(&self, step: &str, piece: u64, bytes: &[u8]) -> Result<(), TableError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        ignore_gone(shared.write(step, piece, bytes, &[]))
    }

    /// What another hand has left, if it is there and checks out.
    #[must_use]
    pub fn taken(&self, step: &str, piece: u64) -> Option<Vec<u8>> {
        let shared = self.shared.as_ref()?;
        let mut file = File::open(shared.path(step, piece)).ok()?;
        let mut read = || {
            let length = file.metadata().ok()?.len().checked_sub(HEADER as u64)?;
            let mut header = [0; HEADER];
            file.read_exact(&mut header).ok()?;
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(length as usize).ok()?;
            file.read_to_end(&mut bytes).ok()?;
            (header == shared.header(step, piece, &bytes)).then_some(bytes)
        };
        if let Some(bytes) = read() {
            return Some(bytes);
        }
        shared.discard(step, piece);
        None
    }

    /// Removes the pieces of the stage: what they made is there.
    pub fn clear(&self) {
        if let Some(shared) = &self.shared {
            // What another hand is about to write there does no harm.
            _ = fs::remove_dir_all(&shared.folder);
        }
    }
}

/// A hand that is through has removed the folder: nobody needs the piece any more.
fn ignore_gone(written: Result<(), TableError>) -> Result<(), TableError> {
    match written {
        Err(TableError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(()),
        written => written,
    }
}

fn make_all(pieces: u64, work: &mut dyn Pieces) -> Result<bool, TableError> {
    for piece in 0..pieces {
        if !work.make(piece)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Drop for Shared {
    fn drop(&mut self) {
        _ = fs::remove_file(self.hands().join(&self.name));
    }
}

/// Bytes in front of a piece.
const HEADER: usize = 16;

impl Shared {
    /// The order in which the hand goes through pieces: its own, then those of others who may not be there.
    /// Every other hand looks for these before its own and not behind them, so that neighbours do not want the
    /// same, and each makes about the same pieces of every step: what it knows of those helps it on.
    fn order(&self, pieces: u64) -> impl Iterator<Item = u64> + use<> {
        let of = self.of.max(1);
        let (start, end) = (pieces * self.number / of, pieces * (self.number + 1) / of);
        let is_upward = !self.number.is_multiple_of(2);
        let others = (0..pieces - (end - start)).map(move |other| match is_upward {
            true => (end + other) % pieces,
            false => (start + pieces - 1 - other) % pieces,
        });
        (start..end).chain(others)
    }

    fn hands(&self) -> PathBuf {
        self.folder.join(HANDS)
    }

    /// Leaves the hand's name. If that fails, others do not know of it, and it makes everything itself.
    fn say_here(&self) {
        _ = fs::create_dir_all(self.hands());
        _ = fs::write(self.hands().join(&self.name), []);
    }

    fn sees_others(&self) -> bool {
        let Ok(there) = fs::read_dir(self.hands()) else { return false };
        there.flatten().any(|entry| {
            let name = entry.file_name();
            name != self.name.as_str() && name.to_str().is_some_and(|it| !Claimant::is_gone(it))
        })
    }

    /// Writes a piece: what its checksum is of, and what follows that.
    fn write(
        &self,
        step: &str,
        piece: u64,
        bytes: &[u8],
        rest: &[Vec<u8>],
    ) -> Result<(), TableError> {
        let path = self.path(step, piece);
        self.make_folder(step)?;
        let file = NewFile::create(&path)?;
        let mut writer = file.file();
        let header = self.header(step, piece, bytes);
        let mut parts = [&header, bytes].into_iter().chain(rest.iter().map(|part| &part[..]));
        let written = parts.try_for_each(|part| writer.write_all(part));
        written.map_err(TableError::io(&path))?;
        // It is checked when it is read, and made again if it was lost.
        file.finish(false)
    }

    fn step_folder(&self, step: &str) -> PathBuf {
        self.folder.join(step)
    }

    fn path(&self, step: &str, piece: u64) -> PathBuf {
        self.step_folder(step).join(piece.to_string())
    }

    /// Removes a piece that is damaged. Nobody is making it: who comes first makes it again.
    fn discard(&self, step: &str, piece: u64) {
        _ = fs::remove_file(self.path(step, piece));
        self.unclaim(step, piece);
    }

    /// Takes a claim back: the piece is not made.
    fn unclaim(&self, step: &str, piece: u64) {
        _ = fs::remove_file(self.claim_path(step, piece));
    }

    fn make_folder(&self, step: &str) -> Result<(), TableError> {
        let folder = self.step_folder(step);
        fs::create_dir_all(&folder).map_err(TableError::io(&folder))
    }

    /// What stands in front of a piece: its own stamp, so that none passes for another, and its checksum.
    fn header(&self, step: &str, piece: u64, bytes: &[u8]) -> [u8; HEADER] {
        let stamp = xxh3_64(format!("{:016x} {step} {piece} {}", self.stamp, self.of).as_bytes());
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&stamp.to_le_bytes());
        header[8..].copy_from_slice(&xxh3_64(bytes).to_le_bytes());
        header
    }

    fn claim_path(&self, step: &str, piece: u64) -> PathBuf {
        self.step_folder(step).join(format!("{piece}.claim"))
    }

    /// Claims a piece; `false` if somebody has done so before who may be at it.
    fn claim(&self, step: &str, piece: u64) -> Result<bool, TableError> {
        // The folder may be removed while it is made, too.
        ignore_gone(self.make_folder(step))?;
        let path = self.claim_path(step, piece);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                // Without it, others wait a little longer.
                _ = file.write_all(Claimant::this().text().as_bytes());
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Ok(fs::read_to_string(&path).is_ok_and(|text| Claimant::is_gone(&text)))
            }
            // Somebody has just removed the folder: the stage is done, or the piece is made once more.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            Err(error) => Err(TableError::io(&path)(error)),
        }
    }
}

/// The process that claims a piece, and the machine that it runs on since this was started.
struct Claimant {
    machine: &'static str,
    process: u32,
}

impl Claimant {
    fn this() -> Self {
        static MACHINE: LazyLock<String> = LazyLock::new(|| {
            let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            id.trim().to_owned()
        });
        Self { machine: &MACHINE, process: process::id() }
    }

    fn text(&self) -> String {
        format!("{} {}", self.machine, self.process)
    }

    /// Whether a process that claimed a piece is known to have ended: it ran on this machine, and runs no
    /// more.
    fn is_gone(text: &str) -> bool {
        let mut words = text.split(' ');
        let (Some(machine), Some(process)) = (words.next(), words.next()) else { return false };
        let this = Self::this();
        !machine.is_empty()
            && machine == this.machine
            && process.parse::<u32>().is_ok_and(|it| !Path::new(&format!("/proc/{it}")).exists())
    }
}

/// Whether a name in a work folder is that of a folder of pieces.
pub(super) fn is_pieces(name: &str) -> bool {
    name.strip_suffix(PIECES).is_some_and(|stage| {
        !stage.is_empty() && stage.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::table::{Codec, Compression, Layout, Options, Recipe, ValueKind};

    pub fn description() -> Description {
        Description {
            recipe: Recipe::new("draughts", Options::default()),
            rules: "own".into(),
            codec: Codec::Canonical,
            key_bytes: 8,
            layout: Layout::Short,
            value: ValueKind::None,
            compression: Compression::Zstd,
            generator: "test".into(),
            licence: "CC0".into(),
        }
    }

    /// Steps that each double what the pieces of the one before add up to.
    struct Doubling<'a> {
        hand: &'a Hand<'a>,
        step: String,
        before: u64,
        sums: Vec<u64>,
        made: u64,
    }

    impl Pieces for Doubling<'_> {
        fn take(&mut self, piece: u64) -> Result<bool, TableError> {
            let Some(bytes) = self.hand.taken(&self.step, piece) else { return Ok(false) };
            let Ok(bytes) = bytes.try_into() else { return Ok(false) };
            self.sums[piece as usize] = u64::from_le_bytes(bytes);
            Ok(true)
        }

        fn make(&mut self, piece: u64) -> Result<bool, TableError> {
            let sum = self.before + piece;
            self.sums[piece as usize] = sum;
            self.made += 1;
            self.hand.give(&self.step, piece, &sum.to_le_bytes())?;
            Ok(true)
        }
    }

    /// What the steps come to, and how many pieces the hand made.
    fn go_through(hand: &Hand<'_>, steps: u64) -> (u64, u64) {
        let (mut before, mut made) = (1, 0);
        for step in 0..steps {
            let sums = vec![0; 4];
            let step = format!("double-{step}");
            let mut work = Doubling { hand, step: step.clone(), before, sums, made: 0 };
            assert!(hand.share(&step, 4, &mut work).unwrap());
            before = work.sums.iter().sum::<u64>() % 1_000_003;
            made += work.made;
        }
        (before, made)
    }

    #[test]
    fn hands_share_the_pieces_and_come_to_the_same() {
        let stop = AtomicBool::new(false);
        let (expected, made) = go_through(&Hand::alone(&stop), 40);
        assert_eq!(made, 160);
        let folder = tempfile::tempdir().unwrap();
        let description = description();
        let shard = |number| ShardId { stage: "steps".into(), number, of: 3 };
        let run = |number| {
            let stop = AtomicBool::new(false);
            go_through(&Hand::of(&shard(number), folder.path(), &description, &stop), 40)
        };
        let found = thread::scope(|scope| {
            let hands = [0, 1].map(|number| scope.spawn(move || run(number)));
            hands.map(|hand| hand.join().unwrap())
        });
        assert!(found.iter().all(|&(sum, _)| sum == expected), "{found:?}");
        // One that comes late takes everything.
        assert_eq!(run(2), (expected, 0));
        // A piece that is damaged, or another's, is made again.
        let piece = |step: u64| folder.path().join(format!("steps{PIECES}/double-{step}/2"));
        let mut bytes = fs::read(piece(7)).unwrap();
        bytes[20] ^= 1;
        fs::write(piece(7), bytes).unwrap();
        fs::copy(piece(8), piece(9)).unwrap();
        assert_eq!(run(0), (expected, 2));
        Hand::of(&shard(0), folder.path(), &description, &stop).clear();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// Takes a while for a piece; another hand comes while it makes the first.
    struct Slow<'a> {
        come: &'a dyn Fn() -> Hand<'a>,
        there: Option<Hand<'a>>,
    }

    impl Pieces for Slow<'_> {
        fn take(&mut self, _piece: u64) -> Result<bool, TableError> {
            Ok(false)
        }

        fn make(&mut self, _piece: u64) -> Result<bool, TableError> {
            thread::sleep(2 * LOOK_AROUND);
            self.there.get_or_insert_with(self.come);
            Ok(true)
        }
    }

    #[test]
    fn a_hand_that_comes_within_a_step_is_seen() {
        let stop = AtomicBool::new(false);
        let folder = tempfile::tempdir().unwrap();
        let description = description();
        let hand = |number| {
            let shard = ShardId { stage: "steps".into(), number, of: 2 };
            Hand::of(&shard, folder.path(), &description, &stop)
        };
        let one = hand(0);
        assert!(one.share("slow", 3, &mut Slow { come: &|| hand(1), there: None }).unwrap());
        let claim = |piece: u64| folder.path().join(format!("steps{PIECES}/slow/{piece}.claim"));
        assert!(one.has_others());
        assert_eq!([0, 1, 2].map(|piece| claim(piece).exists()), [false, true, true]);
    }
}

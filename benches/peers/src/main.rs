//! The records of one table in other stores, side by side: `make bench`.
//!
//! Every store gets the same records in its own order, already sorted, from memory, on one thread,
//! and is on the disk when it is done. The others map the 128-bit key of a position, big-endian,
//! to the two bytes of its answer. Probes are of the same random positions, one by one, on one
//! thread, with the file in the system's cache.

#[path = "../../measure/mod.rs"]
mod measure;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use endtable::games::Game;
use endtable::games::collapsi::{Board, Collapsi, KeyedTables};
use endtable::job::{Ending, Quiet, Run};
use endtable::random::SplitMix64;
use endtable::table::{
    Codec, Compression, Description, Layout, Meta, Options, Recipe, Record, Table, TableSet,
    ValueKind, Writer,
};
use heed::types::Bytes;
use measure::{Each, core_timed, grouped, load, machine, micros, millions, time_each};
use memmap2::Mmap;
use redb::ReadableDatabase;
use zeekstd::{BytesWrapper, DecodeOptions, EncodeOptions, FrameSizePolicy};

type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

const SEEDS: u64 = 200;
const PROBES: usize = 100_000;
/// Records in a block of ours, and in a frame of zeekstd's.
const BLOCK: usize = 256;

/// A position as the other stores have it: key, then answer.
type Flat = [u8; 18];
type FlatKey = [u8; 16];

/// What is compared of a store.
struct Figures {
    name: &'static str,
    bytes: u64,
    build: Duration,
    /// By the store's own key: the code for ours, the 128-bit key for the others.
    by_key: Each,
    /// The board in canonical form and its key found first.
    by_board: Each,
}

/// The same records for all, and the same questions.
struct Input {
    /// Sorted by code.
    records: Vec<Record>,
    /// Sorted by key.
    flat: Vec<Flat>,
    boards: Vec<Board>,
}

fn main() -> Result<()> {
    println!("machine: {}; load {}", machine(), load());
    // Beside the program: a system's folder for such things may be small, or memory.
    let program = std::env::current_exe()?;
    let folder = tempfile::tempdir_in(program.parent().unwrap_or(Path::new(".")))?;
    let folder = folder.path();
    let input = Input::new(folder)?;
    let count = input.records.len() as u64;
    println!("records: {}, of the seeds 0..{SEEDS}, rules one\n", grouped(count));

    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let all = [
        one_thread.install(|| ours("endtable, compressed", Compression::Zstd, &input, folder))?,
        one_thread.install(|| ours("endtable, uncompressed", Compression::None, &input, folder))?,
        with_redb(&input, folder)?,
        with_heed(&input, folder)?,
        with_fst(&input, folder)?,
        with_zeekstd(&input, folder)?,
        with_flat_map(&input, folder)?,
    ];

    print!("{:<24}{:>8}{:>8}{:>12}{:>8}", "", "B/rec", "", "build", "");
    println!("{:>11}{:>8}{:>11}{:>8}", "by key", "", "by board", "");
    for store in &all {
        let ours = &all[0];
        let bytes = store.bytes as f64 / count as f64;
        print!(
            "{:<24}{bytes:>8.2}{:>8}",
            store.name,
            times(bytes, ours.bytes as f64 / count as f64)
        );
        print!("{:>12}", millions(count, store.build));
        print!("{:>8}", times(store.build.as_secs_f64(), ours.build.as_secs_f64()));
        for (theirs, our) in [(store.by_key, ours.by_key), (store.by_board, ours.by_board)] {
            let ratio = times(theirs.median.as_secs_f64(), our.median.as_secs_f64());
            print!("{:>11}{ratio:>8}", micros(theirs.median));
        }
        println!();
    }
    println!("Behind each figure: how many times the bytes or the time of the first line.");
    println!("By key: by code in ours, by 128-bit key in the others; medians of {PROBES} probes.");
    println!("By board: canonical form and key found first, as any of them must.");
    println!("Build: records for each second that a core worked, from sorted records in memory.");
    println!("redb after compacting, whose time is not counted; zeekstd with frames of {BLOCK}");
    println!("records and their first keys beside it, without which a probe reads many frames.");
    Ok(())
}

fn times(theirs: f64, ours: f64) -> String {
    format!("{:.2}x", theirs / ours)
}

fn description(compression: Compression) -> Description {
    Description {
        recipe: Recipe::new(Collapsi.name(), seeds()),
        rules: "one".into(),
        codec: Codec::Canonical,
        key_bytes: 16,
        layout: Layout::Short,
        value: ValueKind::None,
        compression,
        generator: Description::this_generator(),
        licence: Description::LICENCE.into(),
    }
}

fn seeds() -> Options {
    Options::default().with("seeds", format_args!("0..{SEEDS}"))
}

impl Input {
    fn new(folder: &Path) -> Result<Self> {
        let out = folder.join("input.etb");
        let stop = AtomicBool::new(false);
        let run = Run {
            out: &out,
            memory: 1 << 30,
            replace: false,
            stop: &stop,
            save_every: Run::SAVE_EVERY,
            progress: &Quiet,
        };
        let ending = Collapsi.job(&seeds())?.run(&run)?;
        assert!(matches!(ending, Ending::Finished));
        let records = Table::open(&out)?.records().collect::<Result<Vec<_>, _>>()?;
        let mut flat: Vec<Flat> = records.iter().map(flat_record).collect();
        flat.sort_unstable();
        let mut random = SplitMix64::new(0);
        let any = |_| records[random.below(records.len() as u64) as usize];
        let boards = (0..PROBES).map(any).map(|record| board(&record)).collect();
        Ok(Self { records, flat, boards })
    }

    /// Times probes by key and by board, once the answers have been found right.
    fn time<K: Copy>(
        &self,
        key: impl Fn(&Board) -> K,
        mut probe: impl FnMut(K) -> Option<Meta>,
    ) -> [Each; 2] {
        for record in self.records.iter().step_by(self.records.len() / 1_000) {
            assert_eq!(probe(key(&board(record))), Some(record.meta));
        }
        let boards: Vec<&Board> = self.boards.iter().collect();
        let keys: Vec<K> = boards.iter().map(|board| key(board)).collect();
        [time_each(&keys, &mut probe), time_each(&boards, |board| probe(key(board)))]
    }
}

fn board(record: &Record) -> Board {
    Board::from_code(record.code).expect("the table has it")
}

fn flat_record(record: &Record) -> Flat {
    let mut flat = [0; 18];
    flat[..16].copy_from_slice(&board(record).key().0.to_be_bytes());
    flat[16..].copy_from_slice(&Layout::Short.pack(record.meta).to_le_bytes()[..2]);
    flat
}

/// The key of a board, from its canonical form on.
fn flat_key(board: &Board) -> FlatKey {
    board.canonical().board.key().0.to_be_bytes()
}

fn split(flat: &Flat) -> (&FlatKey, &[u8; 2]) {
    let (key, meta) = flat.split_first_chunk().expect("18 bytes are more than 16");
    (key, meta.first_chunk().expect("18 bytes are 16 and 2"))
}

fn meta(bytes: &[u8]) -> Option<Meta> {
    Layout::Short.unpack(u16::from_le_bytes(*bytes.first_chunk()?).into())
}

/// Maps a file that nobody else has.
fn map(path: &Path) -> Result<Mmap> {
    // SAFETY: the file is in a temporary folder of this process, and written no more.
    Ok(unsafe { Mmap::map(&File::open(path)?)? })
}

fn ours(
    name: &'static str,
    compression: Compression,
    input: &Input,
    folder: &Path,
) -> Result<Figures> {
    let path = folder.join(format!("{name}.etb"));
    let (built, build) = core_timed(|| {
        let mut writer = Writer::create(&path, description(compression))?;
        input.records.iter().try_for_each(|&record| writer.push(record))?;
        writer.finish()
    });
    built?;
    let tables = KeyedTables::new(TableSet::open(&[&path])?)?;
    let table = &tables.set().tables()[0];
    let key = |board: &Board| board.canonical().board.code();
    let probe = |code| Some(table.get(code).ok()??.meta);
    let [by_key, by_board] = input.time(key, probe);
    Ok(Figures { name, bytes: fs::metadata(&path)?.len(), build, by_key, by_board })
}

fn with_redb(input: &Input, folder: &Path) -> Result<Figures> {
    const TABLE: redb::TableDefinition<&FlatKey, &[u8; 2]> = redb::TableDefinition::new("records");
    let path = folder.join("redb");
    let mut database = redb::Database::create(&path)?;
    let (built, build) = core_timed(|| -> Result<()> {
        let transaction = database.begin_write()?;
        let mut table = transaction.open_table(TABLE)?;
        for (key, meta) in input.flat.iter().map(split) {
            table.insert(key, meta)?;
        }
        drop(table);
        Ok(transaction.commit()?)
    });
    built?;
    database.compact()?;
    let bytes = fs::metadata(&path)?.len();
    let table = database.begin_read()?.open_table(TABLE)?;
    let probe = |key: FlatKey| meta(table.get(&key).ok()??.value());
    let [by_key, by_board] = input.time(flat_key, probe);
    Ok(Figures { name: "redb", bytes, build, by_key, by_board })
}

fn with_heed(input: &Input, folder: &Path) -> Result<Figures> {
    let path = folder.join("heed");
    fs::create_dir(&path)?;
    let mut options = heed::EnvOpenOptions::new();
    options.map_size(input.flat.len().next_multiple_of(1 << 12) * 64);
    // SAFETY: the folder is a temporary one of this process, and opened once.
    let environment = unsafe { options.open(&path)? };
    let (built, build) = core_timed(|| {
        environment.create_databases_and_commit(environment.write_txn()?, |opener, transaction| {
            let database: heed::Database<Bytes, Bytes> =
                opener.create_database(transaction, None)?;
            for (key, meta) in input.flat.iter().map(split) {
                database.put_with_flags(transaction, heed::PutFlags::APPEND, key, meta)?;
            }
            heed::Result::Ok(heed::CommitOrAbort::<_, ()>::Commit(database))
        })
    });
    let database = built?.unwrap_commit();
    let bytes = fs::metadata(path.join("data.mdb"))?.len();
    let transaction = environment.read_txn()?;
    let probe = |key: FlatKey| meta(database.get(&transaction, &key).ok()??);
    let [by_key, by_board] = input.time(flat_key, probe);
    Ok(Figures { name: "heed (LMDB)", bytes, build, by_key, by_board })
}

fn with_fst(input: &Input, folder: &Path) -> Result<Figures> {
    let path = folder.join("fst");
    let (built, build) = core_timed(|| -> Result<()> {
        let mut builder = fst::MapBuilder::new(BufWriter::new(File::create(&path)?))?;
        for (key, meta) in input.flat.iter().map(split) {
            builder.insert(key, u16::from_le_bytes(*meta).into())?;
        }
        Ok(builder.into_inner()?.into_inner()?.sync_all()?)
    });
    built?;
    let set = fst::Map::new(map(&path)?)?;
    let probe = |key: FlatKey| Layout::Short.unpack(set.get(key)? as u32);
    let [by_key, by_board] = input.time(flat_key, probe);
    Ok(Figures { name: "fst", bytes: fs::metadata(&path)?.len(), build, by_key, by_board })
}

fn with_zeekstd(input: &Input, folder: &Path) -> Result<Figures> {
    let path = folder.join("zeekstd");
    let frame = (BLOCK * size_of::<Flat>()) as u32;
    let (built, build) = core_timed(|| -> Result<()> {
        let options = EncodeOptions::new().frame_size_policy(FrameSizePolicy::Uncompressed(frame));
        let file = File::create(&path)?;
        let mut encoder = options.into_encoder(BufWriter::new(file.try_clone()?))?;
        encoder.write_all(input.flat.as_flattened())?;
        encoder.finish()?;
        Ok(file.sync_all()?)
    });
    built?;
    let first_keys: Vec<FlatKey> =
        input.flat.iter().step_by(BLOCK).map(|flat| *split(flat).0).collect();
    let bytes = fs::metadata(&path)?.len() + (first_keys.len() * size_of::<FlatKey>()) as u64;
    let map = map(&path)?;
    let mut decoder = DecodeOptions::new(BytesWrapper::new(&map)).into_decoder()?;
    assert_eq!(decoder.seek_table().num_frames() as usize, first_keys.len());
    let mut plain = vec![[0; 18]; BLOCK];
    let probe = |key: FlatKey| {
        let frame = first_keys.partition_point(|first| *first <= key).checked_sub(1)? as u32;
        decoder.reset();
        decoder.set_lower_frame(frame).ok()?;
        decoder.set_upper_frame(frame).ok()?;
        let buffer = plain.as_flattened_mut();
        let mut length = 0;
        while let Ok(more @ 1..) = decoder.decompress(&mut buffer[length..]) {
            length += more;
        }
        find(&plain[..length / size_of::<Flat>()], key)
    };
    let [by_key, by_board] = input.time(flat_key, probe);
    Ok(Figures { name: "zeekstd", bytes, build, by_key, by_board })
}

fn with_flat_map(input: &Input, folder: &Path) -> Result<Figures> {
    let path = folder.join("flat");
    let (built, build) = core_timed(|| -> Result<()> {
        let mut file = BufWriter::new(File::create(&path)?);
        for flat in &input.flat {
            file.write_all(flat)?;
        }
        Ok(file.into_inner()?.sync_all()?)
    });
    built?;
    let map = map(&path)?;
    let (flats, _) = map.as_chunks();
    let [by_key, by_board] = input.time(flat_key, |key| find(flats, key));
    Ok(Figures { name: "flat memory map", bytes: map.len() as u64, build, by_key, by_board })
}

fn find(flats: &[Flat], key: FlatKey) -> Option<Meta> {
    let found = flats.binary_search_by(|flat| split(flat).0.cmp(&key)).ok()?;
    meta(split(&flats[found]).1)
}

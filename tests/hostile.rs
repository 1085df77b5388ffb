//! Tables from strangers: signed with right checksums, and yet not what the format or the game says.
//! Whatever they hold, no command crashes, loops or takes gigabytes; what breaks a rule of the format is
//! damage (3) wherever it is read; what no game can be, `verify` finds; and no merge launders either.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use endtable::random::SplitMix64;
use endtable::table::Table;
use harness::commands::{
    endtable, export_csv, generate_2048, generate_complete, generate_seeds, info, merge, probe,
    stats, verify,
};
use harness::every_use::{use_everything, use_layer};
use harness::folder;
use harness::kinds::{Extent, KINDS};
use harness::mutate::{mutate, mutate_in_place};
use harness::process::{Done, Process, shell};
use harness::rebuild::{BLOCK_RECORDS, Parts, u16_at, u64_at};
use harness::repair::repair;
use tempfile::TempDir;

/// A table of a folder of its own, taken apart.
struct Hostile {
    folder: TempDir,
    parts: Parts,
    /// A position that the table has.
    position: String,
}

impl Hostile {
    fn new(make: impl FnOnce(&Path) -> Command) -> Self {
        let folder = folder();
        let path = folder.path().join("sound.etb");
        make(&path).run().printed();
        let first = endtable().arg("dump").arg(&path).words("--records 0..1").run().printed();
        let position = first.split_whitespace().next().unwrap().to_owned();
        Self { parts: Parts::of(&fs::read(&path).unwrap()), folder, position }
    }

    /// Some thousand boards of a deal, in canonical form.
    fn collapsi(options: &str) -> Self {
        Self::new(|path| {
            let mut command = generate_seeds("0..3", path);
            command.words("--positions root").words(options);
            command
        })
    }

    /// Packed blocks with f32.
    fn twenty48() -> Self {
        Self::new(|path| generate_2048("2x2", "score", path))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("table.etb")
    }

    /// Writes what the parts are now.
    fn write(&self) -> PathBuf {
        fs::write(self.path(), self.parts.build()).unwrap();
        self.path()
    }

    /// The file breaks a rule of the format: every command that reads the block says so, and says
    /// which file.
    #[track_caller]
    fn breaks_the_format(&self, what: &str) {
        let path = self.write();
        let out = self.folder.path().join("out");
        let name = path.to_str().unwrap();
        let mut dump = endtable();
        dump.arg("dump").arg(&path);
        let mut ask = probe(&path);
        ask.arg(&self.position);
        let mut commands = vec![verify(&path), dump, ask, export_csv(&path, &out), stats(&path)];
        commands.push(merge(&[name], &out));
        for command in &mut commands {
            let said = bounded(command).run();
            assert_eq!(said.code(), Some(3), "{what}: {said}");
            assert!(said.stderr.contains("table.etb"), "{what}: {said}");
            assert!(said.stderr.chars().all(|it| it == '\n' || !it.is_control()), "{what}: {said}");
        }
        assert!(!out.exists(), "{what}: nothing is written");
    }

    /// No game has such a record: `verify` says so, before a merge and after it.
    #[track_caller]
    fn cannot_be(&self, what: &str) {
        let path = self.write();
        let merged = self.folder.path().join("merged.etb");
        let found = |done: Done| {
            assert!(matches!(done.code(), Some(1 | 3)), "{what}: {done}");
            assert!(done.stderr.contains(".etb"), "{what}: {done}");
        };
        found(verify(&path).run());
        let mut join = merge(&[path.to_str().unwrap()], &merged);
        if join.arg("--force").run().code() == Some(0) {
            found(verify(&merged).run());
        }
        for command in [&mut stats(&path), &mut info(&path), probe(&path).arg(&self.position)] {
            let said = bounded(command).run();
            assert!(said.code().is_some(), "{what}: {said}");
        }
    }
}

/// The command with less memory than a file could ask for, and less time.
fn bounded(command: &Command) -> Command {
    shell("ulimit -v 1000000; ulimit -t 60; exec \"$0\" \"$@\"", command)
}

#[test]
fn the_text_of_a_header_follows_its_rules() {
    let sound = Hostile::collapsi("");
    let text = String::from_utf8(sound.parts.text.clone()).unwrap();
    let first = text.lines().next().unwrap();
    for (what, text) in [
        ("a line twice", format!("{text}{first}\n")),
        ("an option twice", format!("{text}option seeds: 0..4\n")),
        ("a line without a value", format!("{text}notes\n")),
        ("an escape sequence", text.replace("CC0-1.0", "\u{1b}[2J")),
        ("a carriage return", text.replace("CC0-1.0", "CC0\rCC1")),
        ("a control character in a name", format!("{text}no\u{7}te: 1\n")),
        ("no end", text.trim_end().to_owned()),
        ("an empty line", format!("{text}\n")),
        ("no rules", text.replace("rules: one\n", "")),
        ("rules that there are not", text.replace("rules: one\n", "rules: two\n")),
        ("merged of nothing", format!("{text}merged: +1\n")),
    ] {
        Hostile {
            parts: Parts { text: text.into(), ..sound.parts.clone() },
            ..Hostile::collapsi("")
        }
        .breaks_the_format(what);
    }
    // A text that ends before it does.
    let mut bytes = sound.parts.build();
    bytes[52] -= 8;
    repair(&mut bytes);
    let path = sound.path();
    fs::write(&path, bytes).unwrap();
    assert!(info(&path).run().failed(3).contains("text"), "text_length");
}

#[test]
fn game_codec_and_keys_go_together() {
    const CODEC: usize = 24;
    const VALUE: usize = 25;
    const KEY_BYTES: usize = 27;
    for (what, mut hostile, at, byte) in [
        ("2048 with exact keys", Hostile::twenty48(), CODEC, 2),
        ("2048 with folded keys", Hostile::twenty48(), CODEC, 3),
        ("2048 with keys of 16 bytes", Hostile::twenty48(), KEY_BYTES, 16),
        ("2048 with numbers for values", Hostile::twenty48(), VALUE, 4),
        ("Collapsi with keys of 8 bytes", Hostile::collapsi(""), KEY_BYTES, 8),
        ("folded keys of 16 bytes", Hostile::collapsi("--fold64"), KEY_BYTES, 16),
    ] {
        hostile.parts.fixed[at] = byte;
        hostile.breaks_the_format(what);
    }
}

#[test]
fn plain_blocks_follow_their_rules() {
    let plain = || Hostile::collapsi("--uncompressed");
    let mut hostile = plain();
    hostile.parts.blocks[0].first_code -= 1;
    hostile.breaks_the_format("the index names another first code");
    let mut hostile = plain();
    hostile.parts.blocks[0].bytes[8..16].fill(0);
    hostile.breaks_the_format("codes that do not ascend");
    let mut hostile = plain();
    let padding = 8 * 3 + 2 * 3;
    hostile.parts.blocks[0].bytes[padding] = 1;
    hostile.breaks_the_format("padding that is not zero");
    let mut hostile = plain();
    hostile.parts.blocks[0].bytes.extend([0; 8]);
    hostile.breaks_the_format("a block that is too long");
}

#[test]
fn compressed_blocks_follow_their_rules() {
    let content = |act: fn(&mut Vec<u8>)| {
        let mut hostile = Hostile::collapsi("");
        let mut content = hostile.parts.content(0);
        act(&mut content);
        hostile.parts.set_content(0, &content);
        hostile
    };
    content(|bytes| bytes[0] = 0).breaks_the_format("a difference of zero, or not used up");
    content(|bytes| bytes.insert(0, 1)).breaks_the_format("one difference too many");
    content(|bytes| _ = bytes.pop()).breaks_the_format("too short");
    content(Vec::clear).breaks_the_format("nothing");
    let mut hostile = Hostile::collapsi("");
    hostile.parts.blocks[0].bytes.push(0);
    hostile.breaks_the_format("a byte behind the frame");
    // Two blocks, of which the first goes on behind the beginning of the second.
    let mut hostile = Hostile::collapsi("");
    let mut second = hostile.parts.blocks[0].clone();
    second.first_code += 1;
    hostile.parts.blocks.push(second);
    hostile.parts.fixed[BLOCK_RECORDS..BLOCK_RECORDS + 4].copy_from_slice(&3u32.to_le_bytes());
    hostile.breaks_the_format("blocks that overlap");
}

/// Where the parts of a packed block begin.
struct Places {
    low: usize,
    numbers: usize,
    own: usize,
    list: usize,
    values: usize,
    meta_bits: usize,
}

impl Places {
    /// Of the first block of a table with values of four bytes, of which some are constant.
    fn of(hostile: &Hostile) -> Self {
        let (block, n) = (&hostile.parts.blocks[0].bytes, hostile.parts.blocks[0].records as usize);
        let words = |bits: usize| 8 * bits.div_ceil(64);
        let (low_bits, meta_bits) = (usize::from(block[0]), usize::from(block[1]));
        let [metas, constants, high] = [2, 4, 6].map(|at| usize::from(u16_at(block, at)));
        assert!(0 < constants && constants < metas);
        let low = 8 + 8 * high;
        let numbers = low + words(low_bits * n);
        let own = numbers + words(meta_bits * n);
        let list = own + words(n);
        Self { low, numbers, own, list, values: list + 2 * metas + 4 * constants, meta_bits }
    }
}

#[test]
fn packed_blocks_follow_their_rules() {
    let broken = |what: &str, act: &dyn Fn(&mut Vec<u8>, &Places)| {
        let mut hostile = Hostile::twenty48();
        let places = Places::of(&hostile);
        act(&mut hostile.parts.blocks[0].bytes, &places);
        hostile.breaks_the_format(what);
    };
    broken("a meta beyond its list", &|block, at| {
        let metas = usize::from(u16_at(block, 2));
        assert!(metas < 1 << at.meta_bits, "otherwise none is beyond");
        block[at.numbers] |= (1 << at.meta_bits) - 1;
    });
    broken("no metas", &|block, _| block[2..4].fill(0));
    broken("more constants than metas", &|block, _| block[4..6].fill(0xff));
    broken("a value that is not its own", &|block, at| block[at.own] ^= 1);
    broken("a code that is not the first", &|block, at| block[at.low] |= 1);
    broken("a code too many", &|block, _| block[8] |= 0xff);
    broken("bits behind the last number", &|block, at| block[at.own - 1] |= 0x80);
    broken("a list without an end", &|block, at| block.truncate(at.list + 2));
    broken("bytes behind the values", &|block, _| block.extend([0; 8]));
}

#[test]
fn dense_tables_follow_their_rules() {
    let folder = folder();
    generate_complete(5, &folder).run().printed();
    let path = folder.path().join("collapsi-04.etd");
    let sound = fs::read(&path).unwrap();
    let index = u64_at(&sound, 56) as usize;
    let index_end = sound.len() - 32;
    let broken = |what: &str, act: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        act(&mut bytes);
        repair(&mut bytes);
        fs::write(&path, &bytes).unwrap();
        let said = verify(&folder).run();
        assert!(matches!(said.code(), Some(3)), "{what}: {said}");
        assert!(said.stderr.contains("collapsi-04.etd"), "{what}: {said}");
        fs::write(&path, &sound).unwrap();
    };
    broken("a checksum of no block", &|bytes| bytes[index_end - 1] = 1);
    broken("plain blocks", &|bytes| bytes[26] = 0);
    broken("exact codes", &|bytes| bytes[24] = 2);
    broken("values", &|bytes| bytes[25] = 1);
    broken("too many entries a block", &|bytes| bytes[48..52].copy_from_slice(&[0, 0, 2, 0]));
    // The last block is as long as it was, and says more plies than there are cards.
    let last = index + (sound[index..index_end].len() / 8 - 2) * 8;
    let place = |at: usize| u64_at(&sound, at) as u32 as usize;
    let (start, end) = (place(last), place(last + 8));
    let mut content = zstd::stream::decode_all(&sound[start..end]).unwrap();
    for (what, plies) in [("15 plies", 15), ("3 plies with 4 cards", 3)] {
        content[0] = content[0] & 0xf0 | plies;
        let frame = zstd::bulk::compress(&content, 19).unwrap();
        broken(what, &|bytes| replace_last(bytes, index, start, &frame));
    }
    verify(&folder).run().printed();
}

/// Puts another frame into the last block of a dense table.
fn replace_last(bytes: &mut Vec<u8>, index: usize, start: usize, frame: &[u8]) {
    let tail = bytes[index..].to_vec();
    bytes.truncate(start);
    bytes.extend(frame);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let index = bytes.len() as u64;
    bytes.extend(tail);
    let length = bytes.len() as u64;
    let last = bytes.len() - 32 - 8;
    bytes[last..last + 4].copy_from_slice(&((start + frame.len()) as u32).to_le_bytes());
    for (at, number) in [(56, index), (64, length)] {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    let footer = bytes.len() - 32;
    bytes[footer + 8..footer + 16].copy_from_slice(&index.to_le_bytes());
    bytes[footer + 16..footer + 24].copy_from_slice(&length.to_le_bytes());
}

#[test]
fn records_that_no_game_has_are_found() {
    // A plain block of three: codes, metas, padding.
    let plain = |what: &str, act: &dyn Fn(&mut [u8])| {
        let mut hostile = Hostile::collapsi("--uncompressed");
        act(&mut hostile.parts.blocks[0].bytes);
        hostile.parts.blocks[0].first_code = u64_at(&hostile.parts.blocks[0].bytes, 0);
        hostile.cannot_be(what);
    };
    let meta = |block: &mut [u8], meta: u16| block[24..26].copy_from_slice(&meta.to_le_bytes());
    plain("a code that is no position", &|block| block[16..24].fill(0xff));
    plain("another rank: not in canonical form", &|block| {
        let code = u64_at(block, 0);
        block[0..8].copy_from_slice(&(code | 1 << 46).to_le_bytes());
    });
    plain("no move where there are some", &|block| {
        let found = u16_at(block, 24);
        meta(block, found | 0xff << 2);
    });
    plain("a move from another cell", &|block| {
        let found = u16_at(block, 24);
        meta(block, found & !(0xff << 2) | 0x12 << 2);
    });
    plain("a loss in an odd number of plies", &|block| {
        let found = u16_at(block, 24);
        meta(block, found ^ 2);
    });
    plain("63 plies", &|block| {
        let found = u16_at(block, 24);
        meta(block, found | 0x3f << 10);
    });
    plain("the other side's turn", &|block| {
        let found = u16_at(block, 24);
        meta(block, found ^ 1);
    });
    for (what, value) in [
        ("not a number", f32::NAN),
        ("infinite", f32::INFINITY),
        ("negative", -1.0),
        ("negative and infinite", f32::NEG_INFINITY),
    ] {
        let mut hostile = Hostile::twenty48();
        let at = Places::of(&hostile).values;
        let block = &mut hostile.parts.blocks[0].bytes;
        block[at..at + 4].copy_from_slice(&value.to_le_bytes());
        hostile.cannot_be(what);
    }
}

/// An answer that can be, and is not so, is found by a full check: one ply too many, or a move that is
/// legal and not the best.
#[test]
fn possible_answers_that_are_wrong_are_found_in_full() {
    for options in ["--uncompressed", "--uncompressed --exact"] {
        let folder = folder();
        let path = folder.path().join("table.etb");
        generate_seeds("0..1", &path).words(options).run().printed();
        let said = verify(&path).arg("--full").run().printed();
        assert!(said.contains("each follows from those after its moves"), "{said}");
        let sound = Parts::of(&fs::read(&path).unwrap());
        // The codes of a block of 256 come first, then the metas.
        let metas = |parts: &Parts, block: usize| 8 * parts.blocks[block].records as usize;
        let mut found = 0;
        for block in (0..sound.blocks.len() - 1).step_by(7) {
            let mut parts = sound.clone();
            let at = metas(&parts, block) + 2 * 9;
            let meta = u16_at(&parts.blocks[block].bytes, at);
            let longer = meta + (2 << 10);
            parts.blocks[block].bytes[at..at + 2].copy_from_slice(&longer.to_le_bytes());
            fs::write(&path, parts.build()).unwrap();
            // Some such answers cannot be: those are found without.
            if verify(&path).run().code() == Some(0) {
                let said = verify(&path).arg("--full").run().failed(1);
                assert!(said.contains("table.etb") && said.contains("give"), "{said}");
                found += 1;
            }
            if found == 3 {
                break;
            }
        }
        assert_eq!(found, 3, "{options}");
    }
    let hostile = Hostile::collapsi("");
    let said = verify(hostile.write()).arg("--full").run().failed(1);
    assert!(said.contains("are not in the table"), "{said}");
    // One value of a 2048 table, a little larger.
    let mut hostile = Hostile::twenty48();
    verify(hostile.write()).arg("--full").run().printed();
    let at = Places::of(&hostile).values;
    hostile.parts.blocks[0].bytes[at] ^= 0x10;
    let path = hostile.write();
    verify(&path).run().printed();
    let said = verify(&path).arg("--full").run().failed(1);
    assert!(said.contains("table.etb") && said.contains("one step of backup"), "{said}");
}

/// A few kilobytes that claim millions of records.
fn bomb(folder: &Path, blocks: u64, records: u32) -> PathBuf {
    let mut hostile = Hostile::collapsi("");
    let n = records as usize;
    let content = [vec![1; n - 1], vec![0; n], vec![0xff; n]].concat();
    let block = hostile.parts.blocks[0].clone();
    let first = |number: u64| 1 + number * u64::from(records);
    let each =
        |number| harness::rebuild::Block { first_code: first(number), records, ..block.clone() };
    hostile.parts.blocks = (0..blocks).map(each).collect();
    for number in 0..blocks as usize {
        hostile.parts.set_content(number, &content);
    }
    hostile.parts.fixed[BLOCK_RECORDS..BLOCK_RECORDS + 4].copy_from_slice(&records.to_le_bytes());
    let path = folder.join("bomb.etb");
    fs::write(&path, hostile.parts.build()).unwrap();
    path
}

#[test]
fn small_files_do_not_take_gigabytes() {
    let folder = folder();
    let (path, out) = (bomb(folder.path(), 16, 1 << 16), folder.path().join("out.etb"));
    let size = fs::metadata(&path).unwrap().len();
    assert!(size < 48 << 10, "{size} bytes");
    assert_eq!(Table::open(&path).unwrap().len(), 1 << 20);
    let name = path.to_str().unwrap();
    let mut merge = merge(&[name], &out);
    let mut dump = endtable();
    dump.arg("dump").arg(&path).words("--records 1000000..1000001");
    // 200 MB of address space, of which the program itself and its threads take most.
    for command in [&mut merge, &mut verify(&path), &mut stats(&path), &mut dump] {
        let mut said = shell("ulimit -v 200000; exec \"$0\" \"$@\"", command);
        let said = said.env("RAYON_NUM_THREADS", "2").run();
        assert!(said.code().is_some_and(|code| code < 128), "{said}");
        assert!(!said.stderr.contains("memory"), "{said}");
    }
    // What is larger than the format allows is refused before anything is read.
    let path = bomb(folder.path(), 1, (1 << 16) + 1);
    assert!(info(&path).run().failed(3).contains("do not add up"));
}

/// How long the mutator is let loose.
fn time() -> Duration {
    let seconds = std::env::var("ENDTABLE_HOSTILE_SECONDS").ok();
    Duration::from_secs(seconds.map_or(3, |seconds| seconds.parse().expect("a number of seconds")))
}

/// Does something with one number after the other until the time is over, but so often at least.
fn again_and_again(least: usize, mut act: impl FnMut(usize)) {
    let start = Instant::now();
    (0..).take_while(|&number| number < least || start.elapsed() < time()).for_each(&mut act);
}

/// Drives every command, in this process, with what a mutator makes of a table of each kind.
#[test]
fn nonsense_with_right_checksums_is_stood() {
    let folder = folder();
    let all = KINDS.iter().map(|kind| (kind.name, kind.sample(Extent::Small)));
    let all = all.map(|(name, sample)| (name, fs::read(sample.path).unwrap()));
    // Those of random records are no game's.
    let sound = |(_, table): &(&str, Vec<u8>)| use_everything(folder.path(), table) == (true, true);
    let tables: Vec<(&str, Vec<u8>)> = all.filter(sound).collect();
    assert!(tables.len() >= 8, "{}", tables.len());
    let mut random = SplitMix64::new(0x5eed_0015);
    let (mut opened, mut sound) = (0, 0);
    again_and_again(40 * tables.len(), |number| {
        let mut bytes = tables[number % tables.len()].1.clone();
        match random.below(4) {
            0 => mutate(&mut bytes, &mut random),
            _ => mutate_in_place(&mut bytes, &mut random),
        }
        let (it_opened, is_sound) = use_everything(folder.path(), &bytes);
        opened += usize::from(it_opened);
        sound += usize::from(is_sound);
    });
    assert!(opened > 5 * tables.len() && sound < opened, "{opened} opened, {sound} sound");
}

/// The same with a layer of complete tables.
#[test]
fn nonsense_in_a_complete_set_is_stood() {
    let folder = folder();
    generate_complete(4, &folder).run().printed();
    let path = folder.path().join("collapsi-04.etd");
    let table = fs::read(&path).unwrap();
    assert_eq!(use_layer(&path, &table), (true, true), "untouched, it is sound");
    let mut random = SplitMix64::new(0x5eed_0016);
    let (mut opened, mut sound) = (0, 0);
    again_and_again(100, |_| {
        let mut bytes = table.clone();
        match random.below(4) {
            0 => mutate(&mut bytes, &mut random),
            _ => mutate_in_place(&mut bytes, &mut random),
        }
        let (it_opened, is_sound) = use_layer(&path, &bytes);
        opened += usize::from(it_opened);
        sound += usize::from(is_sound);
    });
    assert!(opened > 20 && sound < opened, "{opened} opened, {sound} sound");
}

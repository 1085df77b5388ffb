//! The server as strangers meet it: who is refused, what is bounded, and how it ends.
#![cfg(feature = "serve")]

mod harness;

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use harness::commands::{endtable, generate_2048, generate_complete, generate_seeds};
use harness::http::{Answer, Server};
use harness::process::Process;
use harness::{folder, project};

/// A table that is shipped.
fn shipped() -> String {
    project("data/collapsi-one-seeds-0-2.etb").to_str().unwrap().to_owned()
}

const PROBE: &str = "/api/v1/probe?game=collapsi&seed=1";

/// A search that would take hours.
const LONG: &str = "/api/v1/solve?game=tak&position=x6/x6/x6/x6/x6/x6+1+1&plies=250";

#[test]
fn only_its_own_names_are_answered() {
    let server = Server::start(&[&shipped()]);
    let ask = |hosts: &[&str]| {
        let lines: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let head = format!("GET {PROBE} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
        server.send(head.as_bytes())
    };
    let port = server.host.rsplit(':').next().unwrap();
    for own in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        assert_eq!(ask(&[own]).status, 200, "{own}");
        assert_eq!(ask(&[&format!("{own}:{port}")]).status, 200, "{own}");
    }
    for foreign in
        ["example.com", "localhost.example.com:80", "192.168.1.1", "127.0.0.1.nip.io", "[[::1]]"]
    {
        let refused = ask(&[foreign]);
        assert_eq!(refused.status, 421, "{foreign}");
        assert!(refused.json()["error"].as_str().unwrap().contains(foreign));
    }
    for wrong in [&[][..], &["localhost", "localhost"], &["localhost:x"], &[""]] {
        assert!([400, 421].contains(&ask(wrong).status), "{wrong:?}");
    }
    // A host in the first line counts as well.
    let head = "GET http://example.com/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(server.send(head.as_bytes()).status, 400);
}

#[test]
fn every_answer_keeps_browsers_in_bounds() {
    let server = Server::start(&[&shipped()]);
    let answers = [
        ("GET", "/", 200),
        ("GET", "/tables", 200),
        ("GET", "/tables/0", 200),
        ("GET", "/api", 200),
        ("GET", PROBE, 200),
        ("GET", "/assets/style.css", 200),
        ("GET", "/nowhere", 404),
        ("POST", "/tables", 405),
        ("GET", "/api/v1/probe", 400),
    ];
    for (method, path, status) in answers {
        let answer = server.request(method, path, &[]);
        assert_eq!(answer.status, status, "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        for rule in ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("data:"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        if path.starts_with("/api/") {
            assert!(status == 200 || answer.json()["error"].is_string(), "{path}");
        } else if status != 200 {
            assert!(answer.text().contains("<html"), "{path}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_a_sentence() {
    let server = Server::start(&[&shipped()]);
    let refused = [
        ("/api/v1/probe?game=chess&position=1", 400, "game=chess"),
        ("/api/v1/probe?position=1", 400, "game"),
        ("/api/v1/probe?game=collapsi", 400, "position"),
        ("/api/v1/probe?game=collapsi&position=1&seed=1", 400, "not both"),
        ("/api/v1/probe?game=collapsi&position=%ff", 400, "UTF-8"),
        ("/api/v1/probe?game=collapsi&position=%4", 400, "hex digits"),
        ("/api/v1/probe?game=collapsi&seed=1&moves=maybe", 400, "true or false"),
        ("/api/v1/probe?game=collapsi&seed=1&rules=none", 400, "rules"),
        ("/api/v1/probe?game=collapsi&seed=1&rules=one&rules=wild", 400, "twice"),
        ("/api/v1/probe?game=collapsi&seed=1&depth=3", 400, "depth"),
        ("/api/v1/probe?game=collapsi&seed=1&table=7", 404, "table=7"),
        ("/api/v1/probe?game=tak&position=x3/x3/x3+1+1&table=0", 400, "collapsi"),
        ("/api/v1/solve?game=collapsi&seed=1&no-distance&moves", 400, "moves"),
        ("/api/v1/line?game=collapsi&seed=1&chance=-1", 400, "chance=-1"),
        ("/api/v1/nothing", 404, "/api/v1/nothing"),
        ("/tables/9", 404, "9"),
        ("/tables/-1", 404, "-1"),
        ("/tables/0/files/1", 404, "1"),
        ("/tables/0/files/..%2f..%2fCargo.toml", 404, "Cargo.toml"),
        ("/assets/..%2f..%2f..%2fCargo.toml", 404, "Cargo.toml"),
        ("/assets/%ff", 400, ""),
    ];
    for (path, status, word) in refused {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.text().contains(word), "{path}: {}", answer.text());
    }
    let long = format!("/api/v1/probe?game=collapsi&position={}", "A".repeat(5_000));
    assert_eq!(server.get(&long).status, 400);
}

/// What names a file is never taken from a request, whatever the game calls it.
#[test]
fn no_path_of_a_request_is_opened() {
    let server = Server::start(&[&shipped()]);
    let file = folder();
    let proof = file.path().join("proof.etb");
    let proof = proof.to_str().unwrap();
    for query in [
        format!("game=tak&position=x3/1,x2/x,2,x+1+2&proof={proof}"),
        "game=collapsi&seed=1&tables=/etc".to_owned(),
        "game=2048&position=2,4/0,2&tables=/etc/passwd".to_owned(),
        "game=2048&position=2,4/0,2&weights=/etc/passwd".to_owned(),
    ] {
        for path in ["solve", "moves"] {
            let answer = server.get(&format!("/api/v1/{path}?{query}"));
            assert_eq!(answer.status, 400, "{query}");
            assert!(answer.text().contains("names a file"), "{}", answer.text());
        }
    }
    assert_eq!(fs::read_dir(file.path()).unwrap().count(), 0);
}

#[test]
fn batches_are_bounded() {
    let server = Server::start(&[&shipped()]);
    let post = |body: &str| server.post("/api/v1/probe", body.as_bytes());
    let positions = |count| vec!["\"1\""; count].join(",");
    let batch = |count| format!("{{\"game\":\"collapsi\",\"positions\":[{}]}}", positions(count));
    assert_eq!(post(&batch(1_000)).status, 200);
    assert_eq!(post(&batch(1_001)).status, 413);
    assert_eq!(post(&format!("{{\"positions\":[\"{}\"]}}", "1".repeat(1 << 18))).status, 413);
    for (body, word) in [
        ("", "not JSON"),
        ("[1]", "an object"),
        ("{}", "positions"),
        ("{\"positions\":[1]}", "a text"),
        ("{\"positions\":[],\"game\":[]}", "game"),
        ("{\"positions\":[],\"game\":\"collapsi\",\"tables\":\"/etc\"}", "tables"),
    ] {
        let answer = post(body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text().contains(word), "{body}: {}", answer.text());
    }
    let plain = server.request("POST", "/api/v1/probe", &["Content-Length: 0"]);
    assert_eq!(plain.status, 415);
}

/// A search that takes long is stopped, and says so; others are answered meanwhile.
#[test]
fn searches_are_bounded_and_starve_nobody() {
    let server = Server::start(&[&shipped()]);
    thread::scope(|scope| {
        let searches: Vec<_> = (0..3).map(|_| scope.spawn(|| server.get(LONG))).collect();
        thread::sleep(Duration::from_millis(300));
        for _ in 0..20 {
            assert_eq!(server.get(PROBE).status, 200);
        }
        assert!(!searches[2].is_finished(), "probes did not wait for the searches");
        for search in searches {
            let answer = search.join().unwrap();
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(answer.json()["result"], "unknown");
        }
    });
    let deep = "/api/v1/solve?game=2048&position=2,4,8,16/0,0,0,0/0,0,0,0/0,0,0,0&depth=60&cut-off=0\
                &heuristic=edges";
    let stopped = server.get(deep);
    assert_eq!(stopped.status, 422, "{}", stopped.text());
    assert!(stopped.text().contains("too long"));
}

/// When too many searches wait, the next is sent away at once.
#[test]
fn a_long_line_sends_the_next_away() {
    let server = Server::start(&[]);
    let head = format!("GET {LONG} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host);
    let waiting: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    thread::sleep(Duration::from_millis(300));
    let refused = server.get(LONG);
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Whoever goes away leaves the line.
    drop(waiting);
    let start = Instant::now();
    while server.get("/api/v1/solve?game=collapsi&seed=1").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(30), "the line stays long");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Connections that say nothing keep nobody else out.
#[test]
fn idle_connections_keep_nobody_out() {
    let server = Server::start(&[]);
    let mut idle: Vec<_> = (0..200).map(|_| server.connect()).collect();
    for stream in &mut idle {
        stream.write_all(b"GET / HT").unwrap();
    }
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn signals_end_it_within_two_seconds() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let server = Server::start(&[&shipped()]);
        let mut idle = server.connect();
        let mut searching = server.connect();
        let head = format!("GET {LONG} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host);
        searching.write_all(head.as_bytes()).unwrap();
        assert_eq!(server.get("/").status, 200);
        let start = Instant::now();
        let (code, said) = server.signal(signal);
        assert_eq!(code, Some(1), "{signal}: {said}");
        assert!(said.contains("stopped"), "{said}");
        assert!(start.elapsed() < Duration::from_secs(10), "{signal}");
        let mut rest = Vec::new();
        _ = idle.read_to_end(&mut rest);
    }
}

/// A table that is changed or cut short underneath is an error, not a wrong answer or the end.
#[test]
fn a_table_that_changes_is_an_error() {
    let folder = folder();
    let path = folder.path().join("seeds.etb");
    let original = fs::read(shipped()).unwrap();
    for change in ["cut", "written", "replaced"] {
        _ = fs::remove_file(&path);
        fs::write(&path, &original).unwrap();
        let server = Server::start(&[path.to_str().unwrap()]);
        let before = server.get(PROBE).text();
        // Times of files are not finer than the system's clock ticks.
        thread::sleep(Duration::from_millis(30));
        match change {
            "cut" => OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap(),
            "written" => {
                let mut file = OpenOptions::new().write(true).open(&path).unwrap();
                file.seek(SeekFrom::Start(original.len() as u64 / 2)).unwrap();
                file.write_all(&[0; 64]).unwrap();
            }
            _ => {
                let new = folder.path().join("new.etb");
                generate_seeds("5..6", &new).run().printed();
                fs::rename(new, &path).unwrap();
            }
        }
        thread::sleep(Duration::from_millis(30));
        let answer = server.get(PROBE);
        if change == "replaced" {
            // The file that was opened is still there, and is the one that answers.
            assert_eq!((answer.status, answer.text()), (200, before));
            assert!(server.get("/tables/0/files/0").body == original);
            continue;
        }
        for path in [
            PROBE,
            "/api/v1/line?game=collapsi&seed=1&table=0",
            "/collapsi?position=1",
            "/play/collapsi?position=1",
            "/tables/0",
            "/tables/0/files/0",
        ] {
            let answer = server.get(path);
            assert_eq!(answer.status, 500, "{change}, {path}: {}", answer.text());
            assert!(answer.text().contains("it has changed"), "{}", answer.text());
        }
        assert_eq!(server.get("/").status, 200);
    }
}

#[test]
fn files_are_downloaded_whole_or_in_part() {
    let server = Server::start(&[&shipped()]);
    let original = fs::read(shipped()).unwrap();
    let path = "/tables/0/files/0";
    let whole = server.get(path);
    assert!(whole.body == original);
    let name = whole.header("content-disposition").unwrap();
    assert!(name.contains("collapsi-one-seeds-0-2.etb"), "{name}");
    let part = server.request("GET", path, &["Range: bytes=1000-1999"]);
    assert_eq!(part.status, 206);
    assert_eq!(part.header("content-range"), Some(&*format!("bytes 1000-1999/{}", original.len())));
    assert!(part.body == original[1_000..2_000]);
    let beyond = server.request("GET", path, &["Range: bytes=999999999-"]);
    assert_eq!(beyond.status, 416);
    let tag = format!("If-Range: {}", whole.header("etag").unwrap());
    let same = server.request("GET", path, &["Range: bytes=-10", &tag]);
    assert!(same.status == 206 && same.body == original[original.len() - 10..]);
    let other = server.request("GET", path, &["Range: bytes=-10", "If-Range: \"other\""]);
    assert!(other.status == 200 && other.body == original);
    let head = server.request("HEAD", path, &[]);
    assert!(head.status == 200 && head.body.is_empty());
    assert_eq!(head.header("content-length"), Some(&*original.len().to_string()));
    // The checksum, as it is shipped.
    let listed = fs::read_to_string(project("data/SHA256SUMS")).unwrap();
    let start = Instant::now();
    let sums = loop {
        let sums = server.get("/tables/0/SHA256SUMS");
        if sums.status == 200 {
            break sums.text();
        }
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(sums, listed);
}

#[test]
fn assets_are_sent_once() {
    let server = Server::start(&[&shipped()]);
    let first = server.get("/assets/style.css");
    assert_eq!(first.header("content-type"), Some("text/css; charset=utf-8"));
    let tag = format!("If-None-Match: {}", first.header("etag").unwrap());
    let again = server.request("GET", "/assets/style.css", &[&tag]);
    assert!(again.status == 304 && again.body.is_empty());
}

/// The charts are what `stats --svg` draws, as soon as everything is counted.
#[test]
fn charts_are_those_of_stats() {
    let server = Server::start(&[&shipped()]);
    let start = Instant::now();
    let page = loop {
        let page = server.get("/tables/0").text();
        if page.contains("chart.svg") {
            break page;
        }
        assert!(page.contains("being counted"), "{page}");
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    };
    assert!(page.contains("105737") && page.contains("CC0-1.0"), "{page}");
    let folder = folder();
    let drawn = folder.path().join("chart.svg");
    let mut stats = endtable();
    stats.args(["stats", &shipped(), "--svg"]).arg(&drawn).run().printed();
    let chart = server.get("/tables/0/chart.svg");
    assert_eq!(chart.header("content-type"), Some("image/svg+xml"));
    assert_eq!(chart.text(), fs::read_to_string(drawn).unwrap());
}

/// Every address on the page of the interface runs.
#[test]
fn the_examples_of_the_interface_run() {
    let server = Server::start_patient(&[&shipped()]);
    let page = server.get("/api").text();
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let links: Vec<String> = links
        .filter(|link| link.starts_with("/api/v1/"))
        .map(|link| link.replace("&amp;", "&").replace("&#38;", "&"))
        .collect();
    assert!(links.len() > 10, "{links:?}");
    for link in links {
        let answer = server.get(&link);
        assert_eq!(answer.status, 200, "{link}: {}", answer.text());
        answer.json();
    }
}

#[test]
fn an_address_that_is_taken_or_none_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = endtable().args(["serve", "--listen", &address]).run().failed(3);
    assert!(said.contains(&address) && said.contains("127.0.0.1:0"), "{said}");
    let said = endtable().args(["serve", "--listen", "nonsense"]).run().failed(2);
    assert!(said.contains("nonsense"), "{said}");
    let said = endtable().args(["serve", "missing.etb"]).run().failed(3);
    assert!(said.contains("missing.etb"), "{said}");
}

/// A body that never comes does not hold the connection for ever, nor does one that is no HTTP.
#[test]
fn nonsense_on_the_wire_is_answered_or_cut() {
    let server = Server::start(&[&shipped()]);
    for bytes in [
        &b"\x00\xff\x16\x03\x01"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/v1/probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET /api/v1/probe?\xff\xfe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let answer = Answer::read(&mut stream);
        assert!(answer.status == 0 || (400..500).contains(&answer.status), "{answer:?}");
    }
    let huge = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(1 << 20));
    let refused = server.send(huge.as_bytes());
    assert!(refused.status == 0 || refused.status >= 400, "{}", refused.status);
    assert_eq!(server.get("/").status, 200);
}

/// What `make` makes stands in for by small tables of the same names.
#[test]
fn the_command_of_the_readme_serves_what_make_makes() {
    let readme = fs::read_to_string(project("README.md")).unwrap();
    let command = readme.lines().find_map(|line| line.strip_prefix("endtable serve ")).unwrap();
    let named: Vec<&str> = command.split(' ').filter(|word| *word != "--open").collect();
    assert_eq!(named, ["out/complete", "out/3x3.etb"]);
    let folder = folder();
    fs::create_dir(folder.path().join("out")).unwrap();
    generate_complete(3, "out/complete").current_dir(&folder).run().printed();
    generate_2048("2x2", "score", "out/3x3.etb").current_dir(&folder).run().printed();
    let mut serve = endtable();
    serve.arg("serve").args(&named).args(["--listen", "127.0.0.1:0"]).current_dir(&folder);
    let server = Server::run(&mut serve);
    assert_eq!(server.json("/api/v1/tables")["tables"].as_array().unwrap().len(), 2);
}

#[test]
fn pages_say_where_answers_come_from_and_refuse_what_is_not_here() {
    let folder = folder();
    generate_2048("2x2", "tile:16", "table.etb").current_dir(&folder).run().printed();
    let mut serve = endtable();
    serve.args(["serve", "table.etb", &shipped(), "--listen", "127.0.0.1:0"]).current_dir(&folder);
    let server = Server::run(&mut serve);
    let page = |address: &str| server.get(address);
    let missing = "No table that is served has this position";
    assert!(page("/collapsi?position=0").text().contains("From the table"));
    let searched = page("/collapsi?position=0&table=search").text();
    assert!(searched.contains("Solved by search, exactly.") && !searched.contains(missing));
    // What was asked to answer answers along the moves, too; best play is among them.
    for href in searched.split("href=\"").skip(1).filter(|rest| rest.starts_with("/collapsi?")) {
        let href = href.split('"').next().unwrap();
        assert!(href.ends_with("&#38;table=search"), "{href}");
    }
    assert!(searched.contains("/api/v1/solve?moves=true"), "{searched}");
    assert!(page("/collapsi?position=50").text().contains(missing));
    assert_eq!(page("/collapsi?position=0&table=99").status, 404);
    let other = page("/collapsi?position=0&table=0");
    assert_eq!(other.status, 400, "{}", other.text());
    let side = page("/play/collapsi?side=purple");
    assert_eq!(side.status, 400);
    assert!(side.text().contains("expected one of"), "{}", side.text());
    // The tile is made: the table knows no move, and a search tells what to do.
    let reached = "/api/v1/moves?game=2048&position=16,2/4,2";
    assert_eq!(server.json(reached)["source"], "search");
    assert!(!server.json(reached)["best"].as_array().unwrap().is_empty());
    assert_eq!(server.json("/api/v1/moves?game=2048&position=8,4/2,4")["source"], "/tables/0");
}

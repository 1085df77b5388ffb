//! Requests of any bytes, without a network: none is answered with a mistake of ours.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use proptest::prelude::*;
use tokio::runtime::{Builder, Runtime};

use super::parameters::Parameters;
use super::{Site, listen, router};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap());

static ROUTES: LazyLock<Router> = LazyLock::new(|| {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    let site = Site::open(&[data.clone(), data.join("tak")], Duration::from_secs(2)).unwrap();
    let (_, address) = listen("127.0.0.1:0").unwrap();
    router(Arc::new(site), &address)
});

/// The status of the answer to a request, and its text; `None` if there is no such request.
fn ask(method: &str, address: &str, body: &[u8]) -> Option<(StatusCode, String)> {
    let request = Request::builder()
        .method(method)
        .uri(address)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(body.to_vec()))
        .ok()?;
    let service = TowerToHyperService::new(ROUTES.clone());
    RUNTIME.block_on(async {
        let response = service.call(request).await.unwrap();
        let (status, is_file) = (response.status(), address.contains("/files/"));
        let most = if is_file { 1 << 30 } else { 1 << 24 };
        let bytes = to_bytes(response.into_body(), most).await.unwrap();
        let text = if is_file { String::new() } else { String::from_utf8(bytes.into()).unwrap() };
        Some((status, text))
    })
}

/// Checks an answer: no mistake of ours, and a sentence where something is wrong.
fn check(method: &str, address: &str, body: &[u8]) -> Result<(), TestCaseError> {
    let Some((status, text)) = ask(method, address, body) else { return Ok(()) };
    prop_assert!(!status.is_server_error(), "{method} {address}: {status} {text}");
    if address.starts_with("/api/v1/") && method != "HEAD" {
        let answer: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| TestCaseError::fail(format!("{address}: {error}: {text}")))?;
        let sentence = answer.get("error").and_then(|error| error.as_str());
        prop_assert_eq!(status.is_success(), sentence.is_none(), "{}: {}", address, text);
    }
    Ok(())
}

/// Bytes as they stand in an address.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("%{byte:02x}")).collect()
}

/// Texts that are almost what is expected, and any bytes.
fn value() -> impl Strategy<Value = String> {
    let near = prop::sample::select(vec![
        "collapsi",
        "2048",
        "tak",
        "1",
        "0",
        "-1",
        "99999999999999999999",
        "one",
        "wild",
        "true",
        "false",
        "",
        "2x2",
        "4x4",
        "9x9",
        "A332/234Jx/3A42/A2AJo+x",
        "x3/1,x2/x,2,x+1+2",
        "2,4/0,2",
        "2,4,0/0,2,0",
        "0100000808001830:12d27d06b02589e4",
        "../../etc/passwd",
        "any",
        "1e300",
        "NaN",
        "up",
        "73",
        "a1%2B",
        "2@1,1",
        "strong",
        "edges",
    ]);
    prop_oneof![
        4 => near.prop_map(str::to_owned),
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| escaped(&bytes)),
        1 => "[ -~]{0,20}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "game",
        "position",
        "seed",
        "table",
        "moves",
        "move",
        "chance",
        "rules",
        "fold64",
        "board",
        "flats",
        "caps",
        "komi",
        "no-distance",
        "heuristic",
        "spawns",
        "goal",
        "tables",
        "weights",
        "proof",
        "positions",
    ]);
    prop_oneof![9 => known.prop_map(str::to_owned), 1 => "[ -~]{0,8}"]
}

/// Paths with something behind them, and any bytes.
fn path() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "/",
        "/api",
        "/api/v1/probe",
        "/api/v1/moves",
        "/api/v1/line",
        "/api/v1/dump",
        "/api/v1/apply",
        "/api/v1/tables",
        "/api/v1/solve",
        "/tables",
        "/tables/0",
        "/tables/1",
        "/tables/0/chart.svg",
        "/tables/0/SHA256SUMS",
        "/tables/0/files/0",
        "/collapsi",
        "/2048",
        "/tak",
        "/collapsi/edit",
        "/2048/edit",
        "/tak/set",
        "/collapsi/deal",
        "/tak/deal",
        "/play/2048",
        "/play/tak",
        "/play/collapsi",
        "/assets/style.css",
    ]);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        1 => prop::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| format!("/{}", escaped(&bytes))),
        1 => "/[ -~]{0,20}",
    ]
}

fn query() -> impl Strategy<Value = String> {
    let pair = (name(), value()).prop_map(|(name, value)| format!("{name}={value}"));
    // Searches are kept short, so that the test is.
    prop::collection::vec(pair, 0..6)
        .prop_map(|pairs| format!("plies=1&depth=0&{}", pairs.join("&")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_address_is_answered(path in path(), query in query(), plain in any::<bool>()) {
        let address = if plain { path } else { format!("{path}?{query}") };
        check("GET", &address, b"")?;
    }

    #[test]
    fn any_game_and_position_are_answered(
        path in path(),
        game in prop::sample::select(vec!["collapsi", "2048", "tak"]),
        position in value(),
        more in prop::collection::vec((name(), value()), 0..3),
    ) {
        let more: String = more.iter().map(|(name, value)| format!("&{name}={value}")).collect();
        check("GET", &format!("{path}?game={game}&position={position}{more}"), b"")?;
    }

    #[test]
    fn any_method_is_answered(
        path in path(),
        method in prop::sample::select(vec!["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"]),
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        check(method, &path, &body)?;
    }

    #[test]
    fn any_batch_is_answered(
        path in prop::sample::select(vec!["/api/v1/probe", "/api/v1/moves", "/api/v1/solve"]),
        pairs in prop::collection::vec((name(), value()), 0..4),
        positions in prop::collection::vec(value(), 0..4),
    ) {
        let mut object = serde_json::Map::new();
        object.insert("positions".into(), positions.into());
        object.extend(pairs.into_iter().map(|(name, value)| (name, value.into())));
        check("POST", path, serde_json::Value::Object(object).to_string().as_bytes())?;
    }

    #[test]
    fn parameters_are_what_was_escaped(pairs in prop::collection::vec((".+", ".*"), 0..5)) {
        let text: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{}={}", escaped(name.as_bytes()), escaped(value.as_bytes())))
            .collect();
        let read = Parameters::parse(&text.join("&")).unwrap();
        prop_assert_eq!(read, Parameters::from(pairs));
    }

    #[test]
    fn any_query_is_read_or_refused(query in "[ -~]{0,60}") {
        _ = Parameters::parse(&query);
    }
}

/// Every option that can name a file is refused, and no option whose value is not checked is left.
#[test]
fn options_without_a_check_name_files() {
    use endtable::games::{ALL, Use};
    for game in ALL {
        for of in [Use::Position, Use::Solve, Use::Probe] {
            for spec in game.options(of).iter().filter(|spec| spec.value.is_some()) {
                let takes_anything = (spec.check)("/no such\u{1}file").is_ok();
                assert_eq!(takes_anything, spec.path, "{} {}", game.name(), spec.name);
            }
        }
    }
}

/// The document names the options that the games have, and no others.
#[test]
fn the_description_has_every_option() {
    use endtable::games::{ALL, Use};
    let (_, text) = ask("GET", "/api/v1/openapi.json", b"").unwrap();
    let description: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (path, uses) in [
        ("probe", &[Use::Position, Use::Probe][..]),
        ("solve", &[Use::Position, Use::Solve]),
        ("moves", &[Use::Position, Use::Solve, Use::Probe]),
        ("line", &[Use::Position, Use::Probe]),
        ("dump", &[Use::Position]),
        ("apply", &[Use::Position]),
    ] {
        let specs = ALL.iter().flat_map(|game| uses.iter().flat_map(|&of| game.options(of)));
        let mut options: Vec<&str> =
            specs.filter(|spec| !spec.path).map(|spec| spec.name).collect();
        options.extend(match path {
            "probe" => &["game", "position", "table", "moves"][..],
            "solve" => &["game", "position", "moves"],
            "line" => &["game", "position", "table", "chance"],
            "apply" => &["game", "position", "table", "move"],
            _ => &["game", "position", "table"],
        });
        options.sort_unstable();
        options.dedup();
        let get = &description["paths"][format!("/api/v1/{path}")]["get"]["parameters"];
        let mut named: Vec<&str> = get
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["$ref"].as_str().unwrap().rsplit('/').next().unwrap())
            .collect();
        named.sort_unstable();
        assert_eq!(named, options, "{path}");
    }
}

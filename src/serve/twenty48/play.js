// 2048 by hand and by the bot. The server says what moves are worth; the page slides.

import { Board, DIRECTIONS } from "/assets/2048/board.js";
import { Tiles } from "/assets/2048/tiles.js";

const byId = (id) => document.getElementById(id);
const page = document.querySelector(".game-2048");
const tiles = new Tiles(byId("board"));

let board;          // what is on the table
let history = [];   // what was, the last at the end
let bot = null;     // what stops the bot, while it is on
let asking = null;  // what stops a question for hints

// ---- What the server knows

function question(position) {
  const asked = new URLSearchParams({ game: "2048", position, moves: "true" });
  for (const setting of [byId("limit").value, byId("heuristic").value && `heuristic=${byId("heuristic").value}`]) {
    if (!setting) continue;
    const [name, value] = setting.split("=");
    asked.set(name, value);
  }
  return `/api/v1/${byId("tables").checked ? "moves" : "solve"}?${asked}`;
}

async function ask(position, signal) {
  const response = await fetch(question(position), { signal });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

function shownValue(value, unit) {
  if (unit === "chance") return `${(100 * value).toFixed(value > 0.999 || value < 0.01 ? 3 : 1)} %`;
  return value.toLocaleString("en", { maximumFractionDigits: 1 });
}

function showHints(answer) {
  const values = new Map((answer?.moves ?? []).map((it) => [it.move, it.value]));
  // Estimates have no zero: their bars tell the worst from the best.
  const isEstimate = answer?.unit === "estimate";
  const most = Math.max(...values.values());
  const least = isEstimate ? Math.min(...values.values()) : 0;
  const length = (value) => (most > least ? (value - least) / (most - least) : 1);
  for (const row of byId("bars").children) {
    const value = values.get(row.dataset.move);
    const share = value === undefined ? 0 : isEstimate ? 0.12 + 0.88 * length(value) : length(value);
    row.classList.toggle("best", Boolean(answer?.best?.includes(row.dataset.move)));
    row.querySelector(".fill").style.width = `${100 * share}%`;
    row.querySelector(".value").textContent = value === undefined ? "–" : shownValue(value, answer.unit);
  }
  const units = { score: "points still to come, exact", chance: "chance of the tile, exact", estimate: "estimated by search" };
  byId("source").textContent = answer ? units[answer.unit] ?? "" : "";
}

async function hint() {
  asking?.abort();
  if (!byId("hints").checked || board.isOver()) return showHints(null);
  asking = new AbortController();
  try {
    showHints(await ask(board.toString(), asking.signal));
  } catch (error) {
    if (error.name !== "AbortError") say(error.message);
  }
}

// ---- The game

function say(text) {
  byId("status").textContent = text;
}

function bestKey() {
  return `endtable-2048-best-${board.rows}x${board.columns}`;
}

function show() {
  tiles.draw(board, Boolean(bot) && Number(byId("speed").value) > 12);
  const best = Math.max(board.score, Number(localStorage.getItem(bestKey()) ?? 0));
  localStorage.setItem(bestKey(), best);
  byId("score").textContent = board.score.toLocaleString("en");
  byId("best").textContent = best.toLocaleString("en");
  byId("undo").disabled = !history.length;
  byId("explore").href = `/2048?position=${board}`;
}

function begin(fresh) {
  stopBot();
  history = [];
  board = fresh;
  say("");
  show();
  hint();
}

function newGame() {
  const [rows, columns] = byId("size").value.split("x").map(Number);
  begin(Board.random(rows, columns));
}

// Slides, lets the new tile come, and says whether anything moved.
function move(direction) {
  const after = board.slide(direction);
  if (!after) return false;
  history.push(board);
  const { gone } = after;
  board = after.withNewTile();
  board.gone = gone;
  show();
  if (board.isOver()) {
    stopBot();
    say(`Game over: ${board.score.toLocaleString("en")} points.`);
    showHints(null);
  }
  return true;
}

function moveByHand(direction) {
  stopBot();
  if (move(direction)) hint();
}

async function moveBest() {
  const from = board;
  try {
    const { best } = await ask(from.toString());
    if (board === from && best.length) moveByHand(best[0]);
  } catch (error) {
    say(error.message);
  }
}

function undo() {
  stopBot();
  if (!history.length) return;
  board = history.pop();
  board.gone = [];
  say("");
  show();
  hint();
}

// ---- The bot: a question a move, as many a second as the slider says. It waits for the server and for the
// clock, never for itself, so the page stays free; what it waits for is dropped when it is turned off.

function startBot() {
  if (board.isOver()) return;
  asking?.abort();
  bot = new AbortController();
  showBot();
  run(bot.signal).catch((error) => {
    if (error.name !== "AbortError") {
      stopBot();
      say(error.message);
    }
  });
}

function stopBot() {
  bot?.abort();
  bot = null;
  showBot();
}

function showBot() {
  byId("bot").setAttribute("aria-pressed", String(Boolean(bot)));
  byId("bot").textContent = bot ? "Turn the bot off" : "Turn the bot on";
  if (!bot) byId("rate").textContent = "";
}

async function run(signal) {
  let due = performance.now(), counted = due, moves = 0;
  while (!signal.aborted) {
    const answer = await ask(board.toString(), signal);
    await until(due, signal);
    if (byId("hints").checked) showHints(answer);
    // Without a best move there is nothing left to gain: any move goes on.
    const choices = [...(answer.best ?? []), ...Object.keys(DIRECTIONS)];
    choices.some((direction) => !signal.aborted && move(direction));
    const now = performance.now();
    due = Math.max(due + 1000 / Number(byId("speed").value), now - 100);
    moves++;
    if (now - counted > 500) {
      if (!signal.aborted) byId("rate").textContent = `${(1000 * moves / (now - counted)).toFixed(1)} moves a second`;
      [counted, moves] = [now, 0];
    }
  }
}

function until(due, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("", "AbortError"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, Math.max(0, due - performance.now()));
  });
}

// ---- Keys, swipes and buttons

const KEYS = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" };

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, button, a, summary");
  if (event.ctrlKey || event.metaKey || event.altKey || (field && field.id !== "bot" && field.type !== "checkbox")) return;
  const actions = { " ": moveBest, u: undo, b: () => byId("bot").click(), n: newGame };
  const direction = KEYS[event.key];
  if (!direction && (!actions[event.key] || (field && event.key === " "))) return;
  event.preventDefault();
  direction ? moveByHand(direction) : actions[event.key]();
});

let touched = null;
byId("board").addEventListener("pointerdown", (event) => {
  touched = { x: event.clientX, y: event.clientY };
});
document.addEventListener("pointerup", (event) => {
  if (!touched) return;
  const x = event.clientX - touched.x, y = event.clientY - touched.y;
  touched = null;
  if (Math.max(Math.abs(x), Math.abs(y)) < 24) return;
  moveByHand(Math.abs(x) > Math.abs(y) ? (x > 0 ? "right" : "left") : (y > 0 ? "down" : "up"));
});

byId("bot").addEventListener("click", () => (bot ? stopBot() : startBot()));
byId("undo").addEventListener("click", undo);
byId("new").addEventListener("click", newGame);
byId("size").addEventListener("change", newGame);
byId("speed").addEventListener("input", () => {
  const speed = Number(byId("speed").value);
  byId("speed-text").textContent = `${speed} ${speed === 1 ? "move" : "moves"} a second`;
});
for (const id of ["hints", "limit", "heuristic", "tables"]) {
  byId(id).addEventListener("change", () => (bot ? null : hint()));
}

page.dataset.rows ? begin(Board.parse(page.dataset.rows)) : newGame();

// Keys of the explorer and of games: what they do is to follow links that are there without them.

const links = () => [...document.querySelectorAll("a.move")];

// The best move; where chance moves, one as likely as it is.
function next() {
  const chances = links().filter((link) => link.dataset.chance);
  let point = Math.random();
  const drawn = chances.find((link) => (point -= Number(link.dataset.chance)) < 0) ?? chances.at(-1);
  return drawn ?? document.querySelector("a.move.best");
}

// The next or the previous move of the list gets the focus.
function walk(step) {
  const all = links();
  const at = all.indexOf(document.activeElement);
  all.at(at < 0 ? (step > 0 ? 0 : -1) : (at + step) % all.length)?.focus();
}

const SLIDES = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" };

const KEYS = {
  " ": () => next()?.click(),
  u: () => {
    const undo = document.querySelector("a[data-undo]");
    undo ? undo.click() : history.back();
  },
  ArrowUp: () => walk(-1),
  ArrowDown: () => walk(1),
  ArrowRight: () => (document.activeElement?.closest("a.move") ?? next())?.click(),
  ArrowLeft: () => history.back(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, button, summary")) return;
  const slide = SLIDES[event.key] && document.querySelector(`a.move[data-move="${SLIDES[event.key]}"]`);
  const slides = document.querySelector('a.move[data-move="up"], a.move[data-move="down"], a.move[data-move="left"], a.move[data-move="right"]');
  const action = slide ? () => slide.click() : slides && SLIDES[event.key] ? () => {} : KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

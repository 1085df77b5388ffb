// Draws a board of tiles that slide: an element a tile, moved by the style sheet's transitions.

export class Tiles {
  constructor(element) {
    this.element = element;
    this.drawn = new Map();
  }

  draw(board, fast) {
    const { element } = this;
    const shape = `${board.rows}x${board.columns}`;
    if (element.dataset.shape !== shape) this.reset(board, shape);
    element.classList.toggle("fast", fast);
    const kept = new Set();
    for (const tile of [...(board.gone ?? []), ...board.tiles]) {
      kept.add(tile.id);
      this.put(tile);
    }
    const gone = new Set((board.gone ?? []).map((tile) => tile.id));
    for (const [id, node] of this.drawn) {
      if (kept.has(id) && !gone.has(id)) continue;
      this.drawn.delete(id);
      if (fast || !gone.has(id)) node.remove();
      else setTimeout(() => node.remove(), 120);
    }
    element.setAttribute("aria-label", words(board));
  }

  reset(board, shape) {
    this.element.replaceChildren();
    this.drawn.clear();
    this.element.dataset.shape = shape;
    this.element.style.setProperty("--rows", board.rows);
    this.element.style.setProperty("--columns", board.columns);
    for (let cell = 0; cell < board.rows * board.columns; cell++) {
      this.element.append(Object.assign(document.createElement("span"), { className: "cell" }));
    }
  }

  put({ id, value, row, column, fresh, merged }) {
    let node = this.drawn.get(id);
    if (!node) {
      node = document.createElement("span");
      const step = Math.log2(value);
      node.className = `moving step-${step} digits-${String(value).length}`;
      if (fresh) node.classList.add("fresh");
      if (merged) node.classList.add("merged");
      node.append(Object.assign(document.createElement("b"), { textContent: value }));
      this.drawn.set(id, node);
      this.element.append(node);
    }
    node.style.transform = `translate(${100 * column}%, ${100 * row}%)`;
  }
}

// The board in words, row by row.
function words(board) {
  const row = (line, number) =>
    `Row ${number + 1}: ${line.map((tile) => tile?.value ?? "empty").join(", ")}.`;
  return board.grid().map(row).join(" ");
}

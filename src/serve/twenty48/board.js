// The rules of 2048 on boards of any size. A tile keeps its number while it moves, so that it can be
// drawn on its way.

// The largest tile that a board can have: it never merges.
const LARGEST = 131072;

export const DIRECTIONS = { up: [-1, 0], right: [0, 1], down: [1, 0], left: [0, -1] };

const FOUR = 0.1;

export class Board {
  constructor(rows, columns, tiles = [], score = 0, next = 1) {
    Object.assign(this, { rows, columns, tiles, score, next });
  }

  // A board of a size with two tiles.
  static random(rows, columns) {
    return new Board(rows, columns).withNewTile().withNewTile();
  }

  // A board of rows of tiles, as in 2,4,0/0,2,0.
  static parse(text) {
    const lines = text.split("/").map((line) => line.split(",").map(Number));
    const board = new Board(lines.length, lines[0].length);
    lines.forEach((line, row) => line.forEach((value, column) => {
      if (value) board.tiles.push({ id: board.next++, value, row, column });
    }));
    return board;
  }

  grid() {
    const grid = Array.from({ length: this.rows }, () => Array(this.columns).fill(null));
    for (const tile of this.tiles) grid[tile.row][tile.column] = tile;
    return grid;
  }

  toString() {
    const value = (tile) => (tile ? tile.value : 0);
    return this.grid().map((row) => row.map(value).join(",")).join("/");
  }

  withNewTile() {
    const empty = [];
    this.grid().forEach((line, row) => line.forEach((tile, column) => {
      if (!tile) empty.push({ row, column });
    }));
    if (!empty.length) return this;
    const place = empty[Math.floor(Math.random() * empty.length)];
    const tile = { id: this.next, value: Math.random() < FOUR ? 4 : 2, fresh: true, ...place };
    return new Board(this.rows, this.columns, [...this.tiles, tile], this.score, this.next + 1);
  }

  // The board after a slide, before the new tile; null if nothing moves. What was merged away is in
  // `gone`, to be drawn on its way.
  slide(direction) {
    const [down, right] = DIRECTIONS[direction];
    const grid = this.grid();
    const lines = down ? this.columns : this.rows;
    const length = down ? this.rows : this.columns;
    const forward = down + right < 0;
    const tiles = [], gone = [];
    let { score, next } = this, moved = false;
    for (let line = 0; line < lines; line++) {
      let place = 0, last = null;
      for (let step = 0; step < length; step++) {
        const at = forward ? step : length - 1 - step;
        const tile = down ? grid[at][line] : grid[line][at];
        if (!tile) continue;
        if (last && !last.merged && last.value === tile.value && tile.value < LARGEST) {
          score += 2 * tile.value;
          gone.push({ ...last, fresh: false }, { ...tile, row: last.row, column: last.column, fresh: false });
          Object.assign(last, { id: next++, value: 2 * tile.value, merged: true });
          moved = true;
          continue;
        }
        const to = forward ? place : length - 1 - place;
        place++;
        last = { id: tile.id, value: tile.value, row: down ? to : line, column: down ? line : to };
        moved ||= to !== at;
        tiles.push(last);
      }
    }
    if (!moved) return null;
    const after = new Board(this.rows, this.columns, tiles, score, next);
    after.gone = gone;
    return after;
  }

  isOver() {
    return Object.keys(DIRECTIONS).every((direction) => !this.slide(direction));
  }
}

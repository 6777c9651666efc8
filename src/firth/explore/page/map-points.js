// The points of a map, and searches among them: near a position, or inside an outline.

const RANKS = [30, 150, 600, 2500, 10000]; // the most frequent words are drawn larger, in these steps
const APART = 0.004; // the share of words on each side that may be outside of the first view
const NEARLY = 0.08; // and how far outside, as a share of the width, words may be and yet be shown
const PER_CELL = 4;
const MOST_CELLS = 160; // along one side

export class Points {
  constructor(facts) {
    const scale = facts.scale || 1;
    this.n = facts.words.length;
    this.words = facts.words;
    this.counts = facts.counts;
    this.classes = facts.classes;
    this.tags = facts.tags;
    this.regions = facts.regions;
    this.groups = facts.regions.map((region) => facts.region_facts[region].group);
    this.x = Float32Array.from(facts.x, (v) => v / scale);
    this.y = Float32Array.from(facts.y, (v) => v / scale);
    this.level = Uint8Array.from(facts.words, (_, i) => RANKS.filter((rank) => i < rank).length);
    this.spelled = Uint8Array.from(facts.words, (word) => (/[\p{L}\p{N}]/u.test(word) ? 1 : 0)); // not only punctuation
    this.box = this.bounds();
    this.sortIntoCells();
    this.orderForDrawing();
  }

  bounds() {
    const box = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
    for (let i = 0; i < this.n; i++) {
      box.left = Math.min(box.left, this.x[i]);
      box.right = Math.max(box.right, this.x[i]);
      box.low = Math.min(box.low, this.y[i]);
      box.high = Math.max(box.high, this.y[i]);
    }
    return { ...box, seen: this.middle() };
  }

  // The part that is shown at first: all but the few words that are far away from the others.
  middle() {
    const cut = Math.floor(this.n * APART);
    const [[left, right], [low, high]] = [this.x, this.y].map((values) => {
      const all = values.toSorted();
      const [a, b] = [all[cut], all[this.n - 1 - cut]];
      const near = NEARLY * (b - a);
      return [all[0] < a - near ? a : all[0], all.at(-1) > b + near ? b : all.at(-1)];
    });
    return { left, right, low, high };
  }

  // A grid of cells, so that a search looks at few points only.
  sortIntoCells() {
    const { box } = this;
    this.side = Math.max(1, Math.min(MOST_CELLS, Math.ceil(Math.sqrt(this.n / PER_CELL))));
    this.cellWidth = (box.right - box.left) / this.side || 1;
    this.cellHeight = (box.high - box.low) / this.side || 1;
    this.begins = new Int32Array(this.side * this.side + 1);
    const cell = new Int32Array(this.n);
    for (let i = 0; i < this.n; i++) {
      cell[i] = this.row(this.y[i]) * this.side + this.column(this.x[i]);
      this.begins[cell[i] + 1] += 1;
    }
    for (let c = 0; c < this.side * this.side; c++) this.begins[c + 1] += this.begins[c];
    const free = this.begins.slice();
    this.sorted = new Int32Array(this.n);
    for (let i = 0; i < this.n; i++) this.sorted[free[cell[i]]++] = i;
  }

  // Rare words first, so that frequent ones are on top; those of a level by cell, since nearby pixels are written
  // faster. Positions are stored in this order, too.
  orderForDrawing() {
    this.levels = RANKS.length + 1;
    this.order = Int32Array.from(Array.from({ length: this.levels }, (_, level) => Array.from(this.sorted.filter((i) => this.level[i] === level))).flat());
    this.levelEnds = Array.from({ length: this.levels }, (_, level) => this.level.reduce((sum, l) => sum + (l <= level ? 1 : 0), 0));
    this.drawX = Float32Array.from(this.order, (i) => this.x[i]);
    this.drawY = Float32Array.from(this.order, (i) => this.y[i]);
  }

  column(x) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((x - this.box.left) / this.cellWidth)));
  }

  row(y) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((y - this.box.low) / this.cellHeight)));
  }

  // Calls see(i) for every point whose cell overlaps a rectangle.
  around(left, right, low, high, see) {
    for (let row = this.row(low); row <= this.row(high); row++) {
      const first = this.begins[row * this.side + this.column(left)];
      const last = this.begins[row * this.side + this.column(right) + 1];
      for (let k = first; k < last; k++) see(this.sorted[k]);
    }
  }

  // The point nearest to a position, -1 if none is within reach. radii are those of the drawn points of each level,
  // since a large point can be hit anywhere. Of points at the same position, it is the most frequent one.
  nearest(x, y, reach, radii) {
    const furthest = reach + Math.max(...radii);
    let best = -1;
    let least = reach;
    this.around(x - furthest, x + furthest, y - furthest, y + furthest, (i) => {
      const away = Math.max(0, Math.hypot(this.x[i] - x, this.y[i] - y) - radii[this.level[i]]);
      if (away < least || (away === least && (best < 0 || i < best))) { best = i; least = away; }
    });
    return best;
  }

  // The points inside a rectangle, the most frequent first.
  inside(left, right, low, high) {
    const found = [];
    this.around(left, right, low, high, (i) => {
      if (this.x[i] >= left && this.x[i] <= right && this.y[i] >= low && this.y[i] <= high) found.push(i);
    });
    return found.sort((a, b) => a - b);
  }

  // The points inside an outline, [[x, y], ...].
  enclosed(outline) {
    const xs = outline.map((corner) => corner[0]);
    const ys = outline.map((corner) => corner[1]);
    return this.inside(Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys))
      .filter((i) => isInside(this.x[i], this.y[i], xs, ys));
  }
}

// A point is inside if a line from it to the right crosses the outline an odd number of times.
function isInside(x, y, xs, ys) {
  let inside = false;
  for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
    if ((ys[a] > y) !== (ys[b] > y) && x < ((xs[b] - xs[a]) * (y - ys[a])) / (ys[b] - ys[a]) + xs[a]) inside = !inside;
  }
  return inside;
}

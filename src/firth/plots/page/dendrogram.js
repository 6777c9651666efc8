"use strict";
(() => {
  const tree = JSON.parse(document.getElementById("tree").textContent);
  const { labels, children, colours } = tree;
  const n = labels.length, root = 2 * n - 2;
  const ROW = 19, TOP = 26, PARTS = 12;
  const heights = [...new Array(n).fill(0), ...tree.heights];
  const inverted = new Set(tree.inverted.map((i) => n + i));
  const open = new Uint8Array(2 * n - 1);
  const parent = new Int32Array(2 * n - 1).fill(-1);
  const size = new Int32Array(2 * n - 1).fill(1);
  const first = labels.map((_, i) => [i]); // the first few objects of every node
  children.forEach(([a, b], i) => {
    parent[a] = parent[b] = n + i;
    size[n + i] = size[a] + size[b];
    first.push([...first[a], ...first[b]].sort((x, y) => x - y).slice(0, PARTS));
  });
  const main = document.querySelector("main"), about = document.getElementById("about");
  const clusters = document.getElementById("clusters"), find = document.getElementById("find");
  let y = new Map(), found = -1;

  const make = (name, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const cut = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
  const ink = (node) => (colours[node] < 0 ? "var(--above)" : `var(--c${colours[node]})`);

  function nameOf(node, letters) {
    if (node < n) return cut(labels[node], letters);
    const some = first[node].slice(0, letters > 20 ? 3 : 2);
    const names = some.map((i) => cut(labels[i], letters > 20 ? 15 : 10)).join(", ");
    const more = size[node] - some.length;
    return more ? `${names}, … (+ ${more.toLocaleString("en")})` : names;
  }

  function description(node) {
    if (node < n) return labels[node];
    const names = first[node].map((i) => cut(labels[i], 60)).join(", ");
    const more = size[node] - first[node].length;
    const low = inverted.has(node) ? " (◆ lower than one of its parts)" : "";
    return `height ${heights[node].toPrecision(4)}${low}, ${size[node].toLocaleString("en")} objects: ${names}`
      + (more ? `, … (+ ${more.toLocaleString("en")})` : "");
  }

  // expand the last merges below a node, so that it has this number of parts
  function part(node, parts) {
    const inside = [], waiting = [node];
    while (waiting.length) {
      const at = waiting.pop();
      if (at < n) continue;
      open[at] = 0;
      inside.push(at);
      waiting.push(...children[at - n]);
    }
    inside.sort((a, b) => b - a).slice(0, parts - 1).forEach((at) => { open[at] = 1; });
  }

  function toggle(node) {
    const before = y.get(node);
    if (open[node]) open[node] = 0;
    else part(node, PARTS);
    draw();
    scrollBy(0, y.get(node) - before); // the clicked node keeps its place on the screen
    main.querySelector(`[data-node="${node}"]`)?.focus({ preventScroll: true });
  }

  function rows() {
    const visible = [], waiting = [root];
    while (waiting.length) {
      const at = waiting.pop();
      if (open[at]) waiting.push(children[at - n][1], children[at - n][0]);
      else visible.push(at);
    }
    return visible;
  }

  function ticks(base, high, width) {
    const wanted = (high - base) / Math.max(2, width / 90) || 1;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = power * [1, 2, 5, 10].find((times) => times * power >= wanted);
    const values = [];
    for (let k = Math.ceil(base / step); k * step <= high * 1.0001; k++) values.push(k * step);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    return values.map((value) => [value, value.toFixed(digits)]);
  }

  // leaves begin at 0, or a little below the lowest merge if all merges are far from 0
  function range(merges, closed) {
    const drawn = merges.length ? merges : [root];
    const low = drawn.reduce((least, node) => Math.min(least, heights[node]), Infinity);
    const high = drawn.reduce((most, node) => Math.max(most, heights[node]), -Infinity);
    const below = (closed ? 0.3 : 0.1) * (high - low || Math.abs(low) || 1);
    return [low >= 0 && low <= high / 3 ? 0 : low - below, high];
  }

  function button(svg, node, shape) {
    shape.setAttribute("class", "node");
    shape.setAttribute("tabindex", "0");
    shape.setAttribute("role", "button");
    shape.setAttribute("aria-expanded", open[node] ? "true" : "false");
    shape.setAttribute("aria-label", description(node));
    shape.dataset.node = node;
    shape.style.fill = ink(node);
    svg.append(shape);
  }

  // set the rows of all visible nodes, and return the merges among them
  function place(visible) {
    y = new Map(visible.map((node, row) => [node, TOP + (row + 0.5) * ROW]));
    const merges = [];
    for (let node = n; node <= root; node++) {
      if (!open[node] || !children[node - n].every((child) => y.has(child))) continue;
      y.set(node, (y.get(children[node - n][0]) + y.get(children[node - n][1])) / 2);
      merges.push(node);
    }
    return merges;
  }

  function drawLines(svg, merges, x) {
    const lines = {};
    for (const node of merges) {
      const [a, b] = children[node - n];
      (lines[ink(node)] ??= []).push(`M${x(node)} ${y.get(a)}V${y.get(b)}`);
      for (const child of [a, b]) (lines[ink(child)] ??= []).push(`M${x(child)} ${y.get(child)}H${x(node)}`);
    }
    for (const colour in lines) {
      const path = make("path", { class: "line", d: lines[colour].join("") });
      path.style.stroke = colour;
      svg.append(path);
    }
  }

  function drawMerges(svg, merges, x) {
    for (const node of merges) {
      const across = x(node), down = y.get(node);
      button(svg, node, make("circle", { cx: across, cy: down, r: 4 }));
      if (inverted.has(node)) svg.append(make("path", { class: "inverted", d: `M${across + 11} ${down - 6}l6 6l-6 6l-6 -6z` }));
    }
  }

  function drawRows(svg, visible, names, x, right, width) {
    visible.forEach((node, row) => {
      const down = y.get(node), here = node === found;
      if (node >= n) button(svg, node, make("path", { d: `M${x(node) - 4} ${down}L${right} ${down - 7}v14z` }));
      if (here) svg.append(make("rect", { class: "behind", x: right + 4, y: down - 9, width: width - right - 4, height: 18 }));
      const text = make("text", { x: right + 8, y: down + 4.5, class: here ? "found" : "" }, names[row]);
      text.dataset.node = node;
      svg.append(text);
    });
  }

  function draw() {
    const visible = rows(), merges = place(visible);
    const width = main.clientWidth - 2 * parseFloat(getComputedStyle(main).paddingLeft);
    const names = visible.map((node) => nameOf(node, width < 600 ? 14 : 30));
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = "13px system-ui, 'Noto Sans', Helvetica, Arial, sans-serif";
    const widest = names.reduce((most, name) => Math.max(most, pen.measureText(name).width), 0);
    const left = 16, right = Math.max(left + 60, width - Math.min(widest + 14, width * 0.62));
    const [base, high] = range(merges, visible.some((node) => node >= n));
    const scale = (height) => left + ((right - left) * (high - height)) / (high - base);
    // a collapsed cluster that is too low to be drawn begins a little above the base
    const x = (node) => (node < n ? right : open[node] ? scale(heights[node]) : Math.min(scale(heights[node]), right - 0.06 * (right - left)));
    const bottom = TOP + visible.length * ROW;
    const svg = make("svg", { viewBox: `0 0 ${width} ${bottom + 10}`, height: bottom + 10, role: "group" });
    for (const [value, text] of ticks(base, high, right - left)) {
      svg.append(make("path", { class: "grid", d: `M${scale(value)} ${TOP - 8}V${bottom}` }));
      svg.append(make("text", { class: "tick", x: scale(value), y: TOP - 12 }, text));
    }
    drawLines(svg, merges, x);
    drawMerges(svg, merges, x);
    drawRows(svg, visible, names, x, right, width);
    main.querySelector("svg")?.remove();
    main.append(svg);
    document.getElementById("shown").textContent = visible.length.toLocaleString("en");
    clusters.value = visible.length;
  }

  function look(from) {
    const wanted = find.value.trim().toLowerCase();
    found = -1;
    if (wanted) {
      const fits = labels.map((label, i) => [label.toLowerCase(), i]).filter(([label]) => label.includes(wanted));
      const rank = ([label]) => (label === wanted ? 0 : label.startsWith(wanted) ? 1 : 2);
      fits.sort((a, b) => rank(a) - rank(b) || a[1] - b[1]);
      about.textContent = fits.length ? `${from % fits.length + 1} of ${fits.length.toLocaleString("en")}` : "No matching label";
      if (fits.length) found = fits[from % fits.length][1];
      for (let at = found; at >= 0; at = parent[at]) if (at >= n) open[at] = 1;
    }
    draw();
    if (found >= 0) scrollTo({ top: y.get(found) + main.offsetTop - innerHeight / 2 });
  }

  let turn = 0;
  find.addEventListener("input", () => look(turn = 0));
  document.getElementById("tools").addEventListener("submit", (event) => { event.preventDefault(); look(++turn); });
  clusters.addEventListener("input", () => {
    for (let node = n; node <= root; node++) open[node] = node > root - clusters.value + 1 ? 1 : 0;
    draw();
  });
  main.addEventListener("click", (event) => {
    const node = event.target.dataset.node;
    if (node === undefined) return;
    about.textContent = description(+node);
    if (+node >= n) toggle(+node);
  });
  main.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (event.target.dataset.node !== undefined) toggle(+event.target.dataset.node);
  });
  for (const kind of ["mouseover", "focusin"])
    main.addEventListener(kind, (event) => {
      if (event.target.dataset?.node !== undefined) about.textContent = description(+event.target.dataset.node);
    });
  addEventListener("resize", draw);
  for (let node = n; node <= root; node++) open[node] = node > root - tree.rows + 1 ? 1 : 0;
  draw();
})();

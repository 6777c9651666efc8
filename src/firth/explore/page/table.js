// Tables and panels with buttons to copy and save their data.

import { h, wordLink, number, rounded, percent } from "./dom.js";

const HINTS = {
  PMI: "Pointwise mutual information, in bits: 3 means eight times as often as by chance",
  cosine: "Cosine similarity: 1 for the same contexts, 0 for nothing in common",
  count: "How often the two occur together",
  score: "How well the word completes the analogy",
};

function cell(column, row) {
  const value = row[column.key];
  if (column.show) return column.show(row);
  if (column.kind === "word") return wordLink(value);
  if (column.kind === "count") return number(value);
  if (column.kind === "percent") return percent(value);
  if (column.digits !== undefined && value !== undefined && value !== null) return value.toFixed(column.digits).replace(/^-(0\.?0*)$/, "$1");
  return rounded(value);
}

function separated(columns, rows) {
  const clean = (value) => String(value ?? "").replace(/[\t\r\n]/g, " ");
  return [columns.map((c) => c.key), ...rows.map((row) => columns.map((c) => clean(row[c.key])))]
    .map((cells) => cells.join("\t")).join("\n") + "\n";
}

// The same separated by commas, as RFC 4180 has it.
function commas(columns, rows) {
  const quoted = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return [columns.map((c) => quoted(c.key)), ...rows.map((row) => columns.map((c) => quoted(String(row[c.key] ?? ""))))]
    .map((cells) => cells.join(",")).join("\r\n") + "\r\n";
}

export function save(text, name, kind) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function fileName(name) {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60) || "firth";
}

export function takeButton(label, title, act) {
  return h("button", { type: "button", class: "take", title, onclick: act }, label);
}

// A button that copies the result of text(), and confirms it for a moment.
export function copyButton(label, title, text) {
  const button = takeButton(label, title, async () => {
    await copy(text());
    button.textContent = "copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

const FILES = {
  CSV: { title: "Save as comma-separated text", suffix: "csv", kind: "text/csv;charset=utf-8", write: (columns, rows) => "\ufeff" + commas(columns, rows) }, // spreadsheets need the mark
  TSV: { title: "Save as tab-separated text", suffix: "tsv", kind: "text/tab-separated-values", write: separated },
  JSON: { title: "Save as JSON", suffix: "json", kind: "application/json",
    write: (columns, rows) => JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((c) => [c.key, row[c.key] ?? null]))), null, 1) },
};

// Buttons that copy and save data: columns are [{ key }], rows are objects, or a function that returns them; more are other buttons.
export function takeAway(name, columns, rows, more = []) {
  const data = () => (typeof rows === "function" ? rows() : rows);
  return h("span", { class: "takeaway", role: "group", "aria-label": `Copy or save: ${name}` },
    copyButton("copy", "Copy as a table with headings", () => separated(columns, data())),
    Object.entries(FILES).map(([label, { title, suffix, kind, write }]) => takeButton(label, title, () => save(write(columns, data()), `${fileName(name)}.${suffix}`, kind))), more);
}

// The same for rows that must be asked for first: rows() is a promise.
export function takeAll(name, columns, rows) {
  const made = (label, title, act) => {
    const button = takeButton(label, title, async () => {
      button.disabled = true;
      try { await act(await rows()); } catch (error) { button.title = error.message; }
      button.disabled = false;
    });
    return button;
  };
  return h("span", { class: "takeaway", role: "group", "aria-label": `Copy or save: ${name}` },
    made("copy", "Copy as a table with headings", (all) => copy(separated(columns, all))),
    Object.entries(FILES).map(([label, { title, suffix, kind, write }]) => made(label, title, (all) => save(write(columns, all), `${fileName(name)}.${suffix}`, kind))));
}

// A table: columns are [{ key, title, kind: word|text|count|percent|number, digits, bar, show }].
// A column with bar: true has a bar behind each number, relative to the largest one.
export function table(columns, rows) {
  const largest = Object.fromEntries(columns.filter((c) => c.bar).map((c) => [c.key, Math.max(1e-9, ...rows.map((r) => Math.abs(r[c.key] ?? 0)))]));
  const isNumber = (c) => ["count", "percent", "number"].includes(c.kind ?? "number") && !c.show;
  return h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, columns.map((c) => h("th", { scope: "col", class: isNumber(c) ? "figure" : undefined, title: c.hint ?? HINTS[c.title] }, c.title)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, columns.map((c) => h("td", {
      class: [isNumber(c) ? "figure" : "", c.bar ? "bar" : ""].join(" ").trim() || undefined,
      vars: c.bar ? { "--share": `${100 * Math.abs(row[c.key] ?? 0) / largest[c.key]}%` } : undefined,
    }, cell(c, row)))))));
}

// A panel with a title, a table and its buttons; nothing is the text for an empty table.
export function panel(title, name, columns, rows, nothing = "none") {
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, title), rows.length ? takeAway(name, columns, rows) : null),
    rows.length ? table(columns, rows) : h("p", { class: "soft" }, nothing));
}

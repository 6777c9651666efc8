// The legend of the map, whose entries show only their points: several can be chosen, and they stay chosen.

import { h, wordText, number, shortened } from "./dom.js";

// entries are those of a colouring; light(entries) is called with those to highlight, or with null for all;
// chosen are positions of entries, and kept(positions) is called when others are chosen.
// An entry that has the pointer or the focus is highlighted as long as none is chosen.
export function legend(title, entries, light, chosen, kept) {
  const pinned = new Set(chosen.filter((i) => i < entries.length));
  const every = h("button", { type: "button", class: "take", hidden: pinned.size === 0, onclick: () => { pinned.clear(); changed(); } }, "show all");
  let last = "";
  const tell = (pointed) => {
    const shown = pinned.size ? [...pinned] : pointed === null ? [] : [pointed];
    if (shown.join() === last) return;
    last = shown.join();
    light(shown.length ? shown.map((i) => entries[i]) : null);
  };
  const changed = () => {
    pins.forEach((pin, i) => pin.setAttribute("aria-pressed", String(pinned.has(i))));
    every.hidden = pinned.size === 0;
    kept([...pinned].sort((a, b) => a - b));
    tell(null);
  };
  const pins = entries.map((entry, i) => h("button", {
    type: "button", class: "map-entry", "aria-pressed": String(pinned.has(i)),
    title: entry.about ? shortened(entry.about, 200) : "Show only these", vars: { "--swatch": entry.colour },
    onclick: () => { if (!pinned.delete(i)) pinned.add(i); changed(); },
  }, h("span", { class: "map-swatch" }), h("span", { class: "map-label" }, wordText(entry.label, 60)), h("span", { class: "soft figure" }, number(entry.n))));
  const row = (entry, i) => h("li", {
    onpointerenter: (event) => { if (event.pointerType === "mouse") tell(i); }, onpointerleave: () => tell(null),
    // a tap gives a button the focus, too, and must not keep the entry highlighted
    onfocusin: (event) => { if (event.target.matches(":focus-visible")) tell(i); }, onfocusout: () => tell(null),
  }, pins[i], entry.href ? h("a", { class: "map-go", href: entry.href, "aria-label": `Open ${shortened(entry.label)}`, title: "Open" }, "›") : null);
  tell(null);
  return [h("div", { class: "panel-head" }, h("h2", {}, title), every), h("ul", {}, entries.map(row))];
}

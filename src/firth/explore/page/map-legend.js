// The legend of the map, whose entries highlight their points.

import { h, wordText, number, shortened } from "./dom.js";

// entries are those of a colouring; light(entry) is called with the entry to highlight, or null.
// An entry is highlighted while it has the pointer or the focus; its button keeps it highlighted.
export function legend(title, entries, light) {
  let pinned = null;
  let last = null;
  const tell = (entry) => { if (entry !== last) { last = entry; light(entry); } };
  const pins = entries.map((entry) => h("button", {
    type: "button", class: "map-swatch", "aria-pressed": "false", "aria-label": `Show only: ${shortened(entry.label)}`,
    title: "Show only these", vars: { "--swatch": entry.colour },
    onclick: () => {
      pinned = pinned === entry ? null : entry;
      pins.forEach((pin, i) => pin.setAttribute("aria-pressed", String(entries[i] === pinned)));
      tell(pinned);
    },
  }));
  const row = (entry, i) => h("li", {
    onpointerenter: (event) => { if (event.pointerType === "mouse") tell(entry); }, onpointerleave: () => tell(pinned),
    // a tap gives a button the focus, too, and must not keep the entry highlighted
    onfocusin: (event) => { if (event.target.matches(":focus-visible")) tell(entry); }, onfocusout: () => tell(pinned),
  }, pins[i], h("span", { class: "map-label", title: entry.about && shortened(entry.about, 200) },
    entry.href ? h("a", { class: "wordlink", href: entry.href }, wordText(entry.label, 60)) : entry.label),
  h("span", { class: "soft figure" }, number(entry.n)));
  return [h("h2", {}, title), h("ul", {}, entries.map(row))];
}

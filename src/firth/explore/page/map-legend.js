// The legend of the map, whose entries make their points stand out.

import { h, wordText, number, shortened } from "./dom.js";

// entries are those of a colouring; light(entry) is called with the one that is to stand out, or null.
// An entry is lit while it is pointed at or has the focus; its button keeps it lit.
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
    // a finger that taps a button gives it the focus too, and must be able to let go
    onfocusin: (event) => { if (event.target.matches(":focus-visible")) tell(entry); }, onfocusout: () => tell(pinned),
  }, pins[i], h("span", { class: "map-label", title: entry.about && shortened(entry.about, 200) },
    entry.href ? h("a", { class: "wordlink", href: entry.href }, wordText(entry.label, 60)) : entry.label),
  h("span", { class: "soft figure" }, number(entry.n)));
  return [h("h2", {}, title), h("ul", {}, entries.map(row))];
}

// The box that gives something a name.

import { h } from "./dom.js";
import { ask, send, expectChange } from "./ask.js";

// address and content say what is named; name is the one it has, usual what it is called without.
export function naming(address, content, { name, usual }, model) {
  const input = h("input", { class: "field", type: "text", maxlength: 200, "aria-label": "Name", placeholder: usual, value: name, dir: "auto" });
  const said = h("span", { class: "soft", role: "status" });
  const keep = async (event) => {
    event.preventDefault();
    try {
      await send(address, { ...content, name: input.value, version: model.version }, model.token);
      expectChange(input.value.trim() ? "Kept." : "The name was removed.");
      await ask("model"); // is from the new version already, and so the view is made anew
    } catch (error) {
      said.textContent = error.message;
    }
  };
  return h("form", { class: "edit", onsubmit: keep }, h("label", { class: "soft" }, "Name it ", input), h("button", { class: "button" }, "Keep"), said,
    name ? h("span", { class: "soft" }, "An empty name takes it away.") : null);
}

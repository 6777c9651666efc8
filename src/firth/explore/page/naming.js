// The form for the name of a class or a tag.

import { h } from "./dom.js";
import { ask, send, expectChange } from "./ask.js";

// address and content identify what is named; name is its present name, usual its label without one.
export function naming(address, content, { name, usual }, model) {
  const input = h("input", { class: "field", type: "text", maxlength: 200, "aria-label": "Name", placeholder: usual, value: name, dir: "auto" });
  const said = h("span", { class: "soft", role: "status" });
  const save = async (event) => {
    event.preventDefault();
    try {
      await send(address, { ...content, name: input.value, version: model.version });
      expectChange(input.value.trim() ? "The name was saved." : "The name was removed.");
      await ask("model"); // the answer has the new version, so the view is loaded again
    } catch (error) {
      said.textContent = error.message;
    }
  };
  return h("form", { class: "edit", onsubmit: save }, h("label", { class: "soft" }, "Name ", input), h("button", { class: "button" }, "Save"), said,
    name ? h("span", { class: "soft" }, "Leave it empty to remove the name.") : null);
}

// The form for what a user may change: the name of a class or a tag, the parts of a word.

import { h } from "./dom.js";
import { ask, send, expectChange } from "./ask.js";

const NAME = { key: "name", label: "Name", saved: "The name was saved.", removed: "The name was removed.", remove: "Leave it empty to remove the name.", most: 200 };

// address and content identify what is changed; name is its present value, usual what is there without one.
export function naming(address, content, { name, usual }, model, texts = NAME) {
  const input = h("input", { class: "field", type: "text", maxlength: texts.most, "aria-label": texts.label, placeholder: usual, value: name, dir: "auto" });
  const said = h("span", { class: "soft", role: "status" });
  const save = async (event) => {
    event.preventDefault();
    try {
      await send(address, { ...content, [texts.key]: input.value, version: model.version });
      expectChange(input.value.trim() ? texts.saved : texts.removed);
      await ask("model"); // the answer has the new version, so the view is loaded again
    } catch (error) {
      said.textContent = error.message;
    }
  };
  return h("form", { class: "edit", onsubmit: save }, h("label", { class: "soft" }, `${texts.label} `, input), h("button", { class: "button" }, "Save"), said,
    name && texts.remove ? h("span", { class: "soft" }, texts.remove) : null);
}

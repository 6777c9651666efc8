// Analogies: a is to b as c is to which word?

import { h, address, wordText, problem } from "./dom.js";
import { ask, Problem } from "./ask.js";
import { panel } from "./table.js";
import { searchBox } from "./search.js";

const COLUMNS = [{ key: "word", title: "word", kind: "word" }, { key: "similarity", title: "score", digits: 3, bar: true }];

export const analogyView = {
  names: ["analogy"], title: "Analogy", does: "A is to B as C is to …", server: true, part: "vectors",
  async show(place, route, { signal }) {
    const chosen = [0, 1, 2].map((i) => route.parts[i] ?? "");
    const method = route.query.get("method") === "add" ? "add" : "mul";
    place.dataset.title = "Analogy";
    const go = () => { location.hash = address("analogy", ...chosen) + (how.value === "add" ? "?method=add" : ""); };
    const boxes = [0, 1, 2].map((i) => searchBox({
      label: ["a", "b", "c"][i], placeholder: ["france", "paris", "italy"][i], value: chosen[i], kinds: ["word"],
      choose: (entry) => {
        chosen[i] = entry.text;
        const empty = chosen.findIndex((text) => !text);
        if (empty < 0) go(); else boxes[empty].input.focus();
      },
    }));
    const how = h("select", { "aria-label": "Method", onchange: () => chosen.every(Boolean) && go() },
      h("option", { value: "mul", selected: method === "mul" }, "3CosMul"), h("option", { value: "add", selected: method === "add" }, "3CosAdd"));
    place.append(h("div", { class: "form" },
      h("label", {}, "The word", boxes[0].element), h("label", {}, "is to", boxes[1].element), h("label", {}, "as", boxes[2].element), h("label", {}, "Method", how)));
    if (!chosen.every(Boolean)) {
      place.append(h("p", { class: "soft" }, "For example: walk is to walked as go is to what?"));
      return;
    }
    const [a, b, c] = chosen;
    let found;
    try {
      found = await ask("analogy", { a, b, c, n: 20, method }, signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      place.append(problem(error)); // below the form
      return;
    }
    place.append(panel([wordText(a), " is to ", wordText(b), " as ", wordText(c), " is to"], `${a} ${b} ${c}`, COLUMNS, found));
  },
};

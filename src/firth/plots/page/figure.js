// Adapts a figure to the screen: dark colours if the reader prefers them, and narrow margins on a phone.
(() => {
  const figure = document.getElementById("figure");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isNarrow = matchMedia("(max-width: 640px)");
  const LIGHT = { ink: "#26323d", paper: "#ffffff", grid: "#e3e8ec" };
  const DARK = { ink: "#e4eaee", paper: "#161d23", grid: "#2f3b45" };
  const first = JSON.parse(JSON.stringify(figure.layout));
  const axes = Object.keys(figure.layout).filter((name) => /^[xy]axis\d*$/.test(name));
  const texts = figure.data.map((trace, i) => [trace, i]).filter(([trace]) => trace.textfont?.color === LIGHT.ink).map(([, i]) => i);

  const traces = (holds) => figure.data.flatMap((trace, i) => (holds(trace) ? [i] : []));
  const heat = traces((trace) => trace.type === "heatmap");
  const names = traces((trace) => trace.mode === "text" && String(trace.text?.[0]).startsWith("<b>")); // of regions
  const words = traces((trace) => trace.mode === "text" && !names.includes(figure.data.indexOf(trace)));
  const kept = figure.data.map(({ text, texttemplate, colorscale, textfont, y }) => ({ text, texttemplate, colorscale, textfont, y }));
  const NIGHT = [[0, DARK.paper], [0.25, "#1d3f54"], [0.5, "#2f7ba6"], [1, "#a5dcf7"]];

  // The cells of a heat map have no room for numbers on a phone, nor its rows for words; a map has room for short names alone.
  function adaptTraces(narrow) {
    for (const i of heat) {
      const { y, texttemplate, colorscale } = kept[i];
      Plotly.restyle(figure, { texttemplate: narrow ? "" : texttemplate ?? null, showscale: !narrow, colorscale: [prefersDark.matches ? NIGHT : colorscale] }, [i]);
      Plotly.relayout(figure, { "yaxis.tickvals": narrow ? y : null, "yaxis.ticktext": narrow ? y.map((row) => row.split("  <i>")[0]) : null, "yaxis.title.text": narrow ? "tag" : first.yaxis?.title?.text ?? "" });
    }
    for (const i of names) {
      const { text, textfont } = kept[i];
      Plotly.restyle(figure, { cliponaxis: false, text: [narrow ? text.map((name) => (name.includes(" · ") ? `${name.split(" · ")[0]}</b>` : name)) : text], "textfont.size": narrow ? 11 : textfont.size }, [i]);
    }
    if (names.length) Plotly.restyle(figure, { "marker.size": narrow ? 2.5 : 4 }, traces((trace) => trace.mode === "markers"));
    if (names.length && words.length) Plotly.restyle(figure, { visible: !narrow }, words);
  }

  // A title in lines of at most 44 letters.
  function broken(title) {
    const lines = [""];
    for (const word of title.split(" ")) {
      if (lines.at(-1) && lines.at(-1).length + word.length >= 44) lines.push(word);
      else lines.push(`${lines.pop()} ${word}`.trim());
    }
    return lines.join("<br>");
  }

  // Names have a rim in the colour of the paper, so that they can be read above points.
  function rim(paper) {
    const style = document.getElementById("rim") ?? document.head.appendChild(Object.assign(document.createElement("style"), { id: "rim" }));
    style.textContent = `#figure .textpoint text { paint-order: stroke; stroke: ${paper}; stroke-width: 3px; stroke-linejoin: round; }`;
  }

  function adapt() {
    const colours = prefersDark.matches ? DARK : LIGHT;
    const change = { paper_bgcolor: colours.paper, plot_bgcolor: colours.paper, "font.color": colours.ink };
    for (const axis of axes) {
      change[`${axis}.gridcolor`] = colours.grid;
      change[`${axis}.linecolor`] = colours.ink;
    }
    change.margin = isNarrow.matches ? { l: 44, r: 12, t: heat.length ? 104 : 92, b: 44 } : first.margin;
    change["title.text"] = isNarrow.matches ? broken(first.title?.text ?? "") : first.title?.text;
    change["title.font.size"] = isNarrow.matches ? 14 : first.title?.font?.size ?? 17;
    change.legend = isNarrow.matches ? { ...first.legend, orientation: "h", y: -0.05, x: 0, font: { size: 11 } } : first.legend ?? {};
    change.height = isNarrow.matches && !first.width ? Math.min(first.height ?? 560, Math.round(1.25 * innerWidth) + 160) : first.height ?? null;
    document.body.style.background = colours.paper;
    document.documentElement.style.colorScheme = prefersDark.matches ? "dark" : "light";
    rim(colours.paper);
    Plotly.relayout(figure, change);
    adaptTraces(isNarrow.matches);
    if (texts.length) Plotly.restyle(figure, { "textfont.color": colours.ink }, texts);
  }

  prefersDark.addEventListener("change", adapt);
  isNarrow.addEventListener("change", adapt);
  adapt();
})();

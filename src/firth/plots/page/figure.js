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

  function adapt() {
    const colours = prefersDark.matches ? DARK : LIGHT;
    const change = { paper_bgcolor: colours.paper, plot_bgcolor: colours.paper, "font.color": colours.ink };
    for (const axis of axes) {
      change[`${axis}.gridcolor`] = colours.grid;
      change[`${axis}.linecolor`] = colours.ink;
    }
    change.margin = isNarrow.matches ? { l: 44, r: 12, t: 64, b: 44 } : first.margin;
    change["title.font.size"] = isNarrow.matches ? 14 : first.title?.font?.size ?? 17;
    change.legend = isNarrow.matches ? { ...first.legend, orientation: "h", y: -0.05, x: 0, font: { size: 11 } } : first.legend ?? {};
    change.height = isNarrow.matches && !first.width ? Math.min(first.height ?? 560, Math.round(1.25 * innerWidth) + 160) : first.height ?? null;
    document.body.style.background = colours.paper;
    document.documentElement.style.colorScheme = prefersDark.matches ? "dark" : "light";
    Plotly.relayout(figure, change);
    if (texts.length) Plotly.restyle(figure, { "textfont.color": colours.ink }, texts);
  }

  prefersDark.addEventListener("change", adapt);
  isNarrow.addEventListener("change", adapt);
  adapt();
})();

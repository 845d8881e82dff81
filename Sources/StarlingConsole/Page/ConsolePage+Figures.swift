extension ConsolePage {
  /// The charts; the keyboard; and where the script begins.
  static let figures = #"""
    // MARK: Figures

    // A sample: [time, lag, merged, published, memory, backlog, commit]
    const CHARTS = [
      { title: "Lag of the slowest member", series: [sample => sample[1] / 1000], unit: "s", hint: "since the oldest operation that a member lacks" },
      { title: "Changes a second", series: [sample => sample[2], sample => sample[3]], unit: "/s", names: ["from others", "published"] },
      { title: "Memory of the daemon", series: [sample => sample[4] === null ? null : sample[4] / 1e6], unit: "MB", hint: "resident" },
      { title: "Commit to disk", series: [sample => sample[6]], unit: "ms", hint: "mean of a second with commits", extra: sample => sample[5] > 0 ? `${bytes(sample[5])} wait` : "nothing waits" },
    ];
    const MINUTES = 10;
    let pointed = null;

    function showFigures() {
      const host = byId("charts");
      if (host.children.length === 0) {
        CHARTS.forEach(chart => host.append(make("article", { class: "card chart" }, make("h2", {}, chart.title),
          make("p", { class: "now" }), make("div", { class: "plot" }), make("p", { class: "hint" }))));
      }
      CHARTS.forEach((chart, index) => showChart(chart, host.children[index]));
    }

    const rounded = value => value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toFixed(value >= 10 ? 1 : 2)));

    function showChart(chart, card) {
      const plot = card.querySelector(".plot"), width = Math.max(240, plot.clientWidth), height = 150, left = 44;
      const samples = state.samples, end = samples.length ? samples.at(-1)[0] : Date.now(), first = samples.length ? samples[0][0] : end;
      const span = Math.min(MINUTES * 60000, Math.max(60000, end - first)), start = end - span;
      const values = chart.series.map(read => samples.map(sample => [sample[0], read(sample)]).filter(point => point[1] !== null));
      const top = nice(Math.max(0, ...values.flat().map(point => point[1])));
      const x = time => left + (width - left - 4) * (time - start) / (end - start), y = value => 8 + (height - 30) * (1 - value / top);
      const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chart.title });
      for (const part of [0, .5, 1]) {
        picture.append(draw("line", { class: "grid", x1: left, x2: width - 4, y1: y(top * part), y2: y(top * part) }));
        picture.append(draw("text", { class: "sub", x: left - 6, y: y(top * part) + 4, "text-anchor": "end" }, rounded(top * part)));
      }
      for (const part of [1, .5, 0]) {
        picture.append(draw("text", { class: "sub", x: x(end - part * span), y: height - 4, "text-anchor": part === 1 ? "start" : part === 0 ? "end" : "middle" },
          part ? `${seconds(Math.round(part * span / 1000) * 1000)} ago` : "now"));
      }
      values.forEach((points, index) => {
        const seen = points.filter(point => point[0] >= start);
        if (seen.length === 0) return;
        // Where nothing was measured for some seconds a line begins again; a point alone is a dot.
        const isAlone = place => [seen[place - 1], seen[place + 1]].every(other => !other || Math.abs(other[0] - seen[place][0]) > 12000);
        seen.forEach((point, place) => {
          if (isAlone(place)) picture.append(draw("circle", { class: index ? "two" : "one", cx: x(point[0]), cy: y(point[1]), r: 2 }));
        });
        const path = seen.map((point, place) => {
          const isNew = place === 0 || point[0] - seen[place - 1][0] > 12000;
          return `${isNew ? "M" : "L"}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}${isNew ? "h.1" : ""}`;
        }).join("");
        if (index === 0) picture.append(draw("path", { class: "area", d: `${path}L${x(seen.at(-1)[0]).toFixed(1)} ${y(0)}L${x(seen[0][0]).toFixed(1)} ${y(0)}Z` }));
        picture.append(draw("path", { class: index ? "two" : "one", d: path }));
      });
      const sample = pointed === null ? samples.at(-1) : samples.reduce((best, other) =>
        Math.abs(other[0] - pointed) < Math.abs(best[0] - pointed) ? other : best, samples[0]);
      if (pointed !== null && sample) picture.append(draw("line", { class: "cross", x1: x(sample[0]), x2: x(sample[0]), y1: 8, y2: y(0) }));
      plot.replaceChildren(picture);
      picture.addEventListener("pointermove", event => {
        const box = picture.getBoundingClientRect();
        pointed = start + (end - start) * Math.max(0, Math.min(1, (event.clientX - box.left - left) / (width - left - 4)));
        showFigures();
      });
      picture.addEventListener("pointerleave", () => { pointed = null; showFigures(); });
      const now = sample ? chart.series.map((read, index) => pointed === null && values[index].length ? values[index].at(-1)[1] : read(sample)) : [];
      card.querySelector(".now").replaceChildren(...now.map((value, index) => make("span", {}, value === null || value === undefined ? "–" : rounded(value),
        make("small", {}, ` ${chart.unit}${chart.names ? ` ${chart.names[index]}` : ""}   `))));
      card.querySelector(".hint").textContent = [pointed === null ? null : sample && `at ${moment(sample[0])}`, chart.hint, sample && chart.extra && chart.extra(sample)].filter(Boolean).join(", ");
    }

    // The next number that reads well.
    function nice(value) {
      if (value <= 0) return 1;
      const power = 10 ** Math.trunc(Math.log10(value) + (value < 1 ? -1 : 0));
      return [1, 2, 2.5, 5, 10].map(step => step * power).find(step => step >= value) || 10 * power;
    }

    // MARK: The keyboard, and the beginning

    for (const button of all("nav button")) button.addEventListener("click", () => go(button.dataset.view));
    for (const select of all("select.choose")) select.addEventListener("change", () => choose(select.value));
    byId("show-keys").addEventListener("click", () => byId("keys").showModal());
    byId("keys-close").addEventListener("click", () => byId("keys").close());
    byId("ask-no").addEventListener("click", () => byId("ask").close());
    byId("ask").querySelector("form").addEventListener("submit", async event => {
      event.preventDefault();
      byId("ask-yes").disabled = true;
      try {
        await dialog.answer();
        byId("ask").close();
      } catch (error) {
        byId("ask-error").textContent = error.message;
      } finally {
        byId("ask-yes").disabled = false;
      }
    });

    document.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (/TEXTAREA|SELECT/.test(event.target.tagName) || event.target.tagName === "INPUT" && event.target.type !== "range") return;
      const views = { 1: "group", 2: "document", 3: "history", 4: "figures" };
      if (views[event.key]) go(views[event.key]);
      else if (event.key === "?") byId("keys").showModal();
      else if (event.key === "c") { go("document"); const first = document.querySelector("#conflicts button"); if (first) first.focus(); }
      else if (event.key === "[" && state.view === "history") stepBack();
      else if (event.key === "]" && state.view === "history") chooseStep(steps.at - 1);
      else if (state.view === "document" && /^Arrow/.test(event.key) && event.target === document.body && selected) focusLine(selected);
      else return;
      event.preventDefault();
    });

    window.addEventListener("resize", () => {
      if (state.view === "figures") showFigures();
    });
    window.addEventListener("hashchange", () => { const name = hashDocument(); if (name && name !== state.document) choose(name); });

    {
      const [view] = location.hash.slice(1).split("/");
      const name = hashDocument();
      if (name) choose(name);
      // The token goes from the address into the cookie alone.
      go(["group", "document", "history", "figures"].includes(view) ? view : "group");
      connect();
    }
    """#
}

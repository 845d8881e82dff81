extension ConsolePage {
  /// The history: the slider, the differences, and a document as it was.
  static let history = #"""
    // MARK: History

    const steps = { session: null, document: null, list: [], more: false, at: 0, to: "before", serial: 0, operations: 0 };

    // How many operations the document has now; the history was read at some number of them.
    function operationsNow() {
      const found = state.group && state.group.documents.find(document => document.name === state.document);
      return found ? found.operations : 0;
    }

    function showNews() {
      byId("history-refresh").classList.toggle("main", steps.session !== null && operationsNow() > steps.operations);
    }

    async function openHistory(isFresh = false) {
      if (!state.document) return;
      const isKnown = steps.session && steps.document === state.document;
      // A reader of an earlier step continues to see it.
      if (!isFresh && isKnown && (steps.at > 0 || operationsNow() <= steps.operations)) return showHistory();
      const operations = operationsNow();
      try {
        const found = await call(`/api/history?document=${encodeURIComponent(state.document)}`);
        Object.assign(steps, { session: found.session, document: state.document, list: found.steps, more: found.more, isWhole: found.isWhole, at: 0, operations });
        showHistory();
        showNews();
        chooseStep(0);
      } catch (error) {
        byId("step").replaceChildren(make("p", { class: "error" }, error.message));
      }
    }

    async function readOlder() {
      const found = await call(`/api/history?session=${steps.session}`).catch(error => toast(error.message, true));
      if (!found) return;
      steps.list = steps.list.concat(found.steps);
      steps.more = found.more;
      showHistory();
      showStep();
    }

    function showHistory() {
      const count = steps.list.length, slider = byId("slider");
      slider.max = Math.max(0, count - 1);
      slider.value = count - 1 - steps.at;
      slider.disabled = count < 2;
      byId("older").hidden = !steps.more;
      showBars();
    }

    // Operations of each step, the latest at the right.
    function showBars() {
      const host = byId("bars"), width = Math.max(200, host.clientWidth), height = 64, count = steps.list.length;
      // One bar for several steps where there are more of them than fit; each stands over its place on the slider.
      const each = Math.max(1, Math.ceil(count / (width / 3))), bars = [];
      for (let start = 0; start < count; start += each) {
        const part = steps.list.slice(start, start + each);
        bars.push({ from: start, to: start + part.length - 1, tall: Math.log2(1 + Math.max(...part.map(step => step.operations))) });
      }
      const most = Math.max(1, ...bars.map(bar => bar.tall)), reach = (width - 16) / Math.max(1, count - 1);
      const wide = Math.max(1.5, Math.min(28, reach * each * .7));
      const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
      for (const bar of bars) {
        const tall = Math.max(4, (height - 8) * bar.tall / most), middle = width - 8 - reach * (bar.from + bar.to) / 2;
        const shape = draw("rect", { x: Math.max(0, Math.min(width - wide, middle - wide / 2)), y: height - tall, width: wide, height: tall, rx: 2,
          "data-from": bar.from, "data-to": bar.to });
        shape.addEventListener("click", () => chooseStep(bar.from));
        picture.append(shape);
      }
      host.replaceChildren(picture);
    }

    let stepTimer = 0;
    function chooseStep(at) {
      if (steps.list.length === 0) {
        byId("step").replaceChildren(make("p", { class: "empty" }, "Nothing was written that the log still holds step by step."));
        byId("differences").replaceChildren();
        byId("past").replaceChildren();
        return;
      }
      steps.at = Math.max(0, Math.min(at, steps.list.length - 1));
      byId("slider").value = steps.list.length - 1 - steps.at;
      showStep();
      clearTimeout(stepTimer);
      stepTimer = setTimeout(loadStep, 120);
    }

    function showStep() {
      const step = steps.list[steps.at], number = steps.list.length - steps.at;
      if (!step) return;
      byId("slider").setAttribute("aria-valuetext", `step ${number}, ${moment(step.at)}`);
      byId("step-number").textContent = `${grouped(number)} of ${grouped(steps.list.length)}${steps.more ? " read" : ""}`;
      byId("step-back").disabled = steps.at >= steps.list.length - 1 && !steps.more;
      byId("step-on").disabled = steps.at === 0;
      for (const bar of all("#bars rect")) bar.classList.toggle("chosen", Number(bar.dataset.from) <= steps.at && steps.at <= Number(bar.dataset.to));
      const places = step.places.filter(Boolean);
      byId("step").replaceChildren(
        make("p", {}, make("strong", {}, moment(step.at)), " by ", writer(step.writer), `, ${counted(step.operations, "operation")}`),
        step.message && make("p", {}, `“${step.message}”`) || "",
        places.length ? make("p", { class: "faint path" }, places.join("   "), step.placeCount > places.length ? `   and ${step.placeCount - places.length} more` : "") : "");
    }

    async function loadStep() {
      const serial = ++steps.serial, { session, at, to } = steps;
      try {
        const found = await call(`/api/difference?session=${session}&step=${at}&to=${to}`);
        if (serial !== steps.serial) return;
        byId("differences").replaceChildren(...(found.lines.length ? found.lines.map(line => make("div", { class: "difference" },
          make("span", { class: "path" }, line.path || "the document"),
          line.from !== "" && make("span", { class: "from" }, line.from), line.to !== "" && make("span", { class: "to" }, line.to))) :
          [make("p", { class: "empty" }, to === "present" ? "Nothing looks different now." : "Nothing looks different.")]));
        if (found.count > found.lines.length) byId("differences").append(make("p", { class: "faint" }, `and ${grouped(found.count - found.lines.length)} more`));
        const past = await pastNode(session, at, { object: ROOT, containerKind: "map", outer: null });
        if (serial === steps.serial) byId("past").replaceChildren(...past);
      } catch (error) {
        if (serial === steps.serial) byId("differences").replaceChildren(make("p", { class: "error" }, error.message));
      }
    }

    // What a container held then; what it contains is read when it is opened.
    async function pastNode(session, step, place) {
      const found = await call("/api/past", { session, step, ...place, from: 0, count: 200, prefix: "" });
      const nodes = (found.keys || []).map(key => {
        const row = found.rows[key];
        if (!row.object) {
          return make("div", { class: "leaf" }, make("span", {}, row.name), make("span", { class: "value" }, row.kind === "member" ? "" : shown(row)));
        }
        const inner = make("div", {}, make("p", { class: "faint" }, "Reading …"));
        const details = make("details", {}, make("summary", {}, row.name, make("span", { class: "kind" }, ` ${row.kind} of ${grouped(row.count)}`)), inner);
        details.addEventListener("toggle", async () => {
          if (!details.open || details.dataset.read) return;
          details.dataset.read = "yes";
          const rows = await pastNode(session, step, { object: row.object, containerKind: row.kind, outer: { object: place.object, key } })
            .catch(error => [make("p", { class: "error" }, error.message)]);
          inner.replaceChildren(...rows);
        });
        return details;
      });
      if (found.total > nodes.length) nodes.push(make("p", { class: "faint" }, `and ${grouped(found.total - nodes.length)} more`));
      return nodes.length ? nodes : [make("p", { class: "empty" }, "It was empty.")];
    }

    new ResizeObserver(() => { if (state.view === "history" && steps.list.length) { showBars(); showStep(); } }).observe(byId("bars"));
    byId("slider").addEventListener("input", event => chooseStep(steps.list.length - 1 - Number(event.target.value)));
    byId("step-back").addEventListener("click", () => stepBack());
    byId("step-on").addEventListener("click", () => chooseStep(steps.at - 1));
    byId("older").addEventListener("click", readOlder);
    byId("history-refresh").addEventListener("click", () => openHistory(true));
    byId("restore").addEventListener("click", () => {
      const step = steps.list[steps.at];
      if (!step) return;
      ask("Restore this version?", [make("p", {}, `The document becomes what it was after ${moment(step.at)}, for every member, by one new change. `,
        "What was written since stays in the history.")], "Restore", async () => {
        await perform({ do: "restore", session: steps.session, step: steps.at });
        await openHistory(true);
      });
    });
    async function stepBack() {
      if (steps.at >= steps.list.length - 1 && steps.more) await readOlder();
      chooseStep(steps.at + 1);
    }
    for (const button of all("[data-to]")) {
      button.addEventListener("click", () => {
        steps.to = button.dataset.to;
        for (const other of all("[data-to]")) other.setAttribute("aria-pressed", String(other === button));
        if (steps.session) loadStep();
      });
    }
    """#
}

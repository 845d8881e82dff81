extension ConsolePage {
  /// What the page knows, how it hears from the daemon, and how it shows a view.
  static let base = #"""
    "use strict";

    // What the page knows. The daemon sends differences; whoever draws reads this.
    const state = {
      page: null, run: null, group: null, samples: [], conflicts: null,
      view: "group", document: null, windows: new Map(), open: new Set(), names: new Map(),
    };
    const ROOT = "00000000000000008000000000000000";
    const byId = id => document.getElementById(id);
    const all = selector => Array.from(document.querySelectorAll(selector));

    // make("p", { class: "a", onclick: f }, "text", child): what others wrote becomes text, never markup.
    function make(tag, attributes = {}, ...children) {
      const node = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name === "class") node.className = value;
        else node.setAttribute(name, value === true ? "" : value);
      }
      node.append(...children.flat(2).filter(child => child !== null && child !== undefined && child !== false));
      return node;
    }

    function draw(tag, attributes = {}, ...children) {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      node.append(...children);
      return node;
    }

    const counted = (count, noun, plural) => `${grouped(count)} ${count === 1 ? noun : plural || noun + "s"}`;
    const grouped = number => Number(number).toLocaleString("en-US");
    const short = id => (id || "").slice(0, 8);

    function moment(milliseconds) {
      const date = new Date(milliseconds);
      const two = number => String(number).padStart(2, "0");
      const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
      if (date.toDateString() === new Date().toDateString()) return time;
      return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
    }

    function bytes(count) {
      if (count >= 1e9) return `${(count / 1e9).toFixed(2)} GB`;
      if (count >= 1e6) return `${(count / 1e6).toFixed(1)} MB`;
      return count >= 1e3 ? `${(count / 1e3).toFixed(1)} kB` : `${count} B`;
    }

    function seconds(milliseconds) {
      if (milliseconds < 1000) return `${milliseconds} ms`;
      if (milliseconds < 120000) return `${(milliseconds / 1000).toFixed(milliseconds < 10000 ? 1 : 0)} s`;
      return `${Math.round(milliseconds / 60000)} min`;
    }

    // A writer: a colour of its own, and the beginning of its replica id.
    function writer(id) {
      const isOwn = state.group && id === state.group.writer;
      const node = make("span", { class: "who", title: `replica ${id}` }, isOwn ? "this daemon" : short(id));
      node.style.setProperty("--hue", String(parseInt(short(id), 16) % 360));
      return node;
    }

    let toastTimer = 0;
    function toast(words, isBad = false) {
      const node = byId("toast");
      node.textContent = words;
      node.className = isBad ? "shown bad" : "shown";
      clearTimeout(toastTimer);
      toastTimer = setTimeout(() => { node.className = ""; }, isBad ? 8000 : 3500);
    }

    // MARK: The daemon

    async function call(path, body) {
      const options = body === undefined ? {} : {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      };
      let answer;
      try {
        answer = await fetch(path, options);
      } catch {
        throw new Error("The daemon does not answer. This page connects again by itself.");
      }
      const json = await answer.json().catch(() => ({ error: `The daemon answered with status ${answer.status}.` }));
      if (!answer.ok) throw new Error(json.error || `The daemon answered with status ${answer.status}.`);
      return json;
    }

    let source = null, retry = 0, lastWord = Date.now();

    function connect() {
      if (source) source.close();
      source = new EventSource("/events");
      source.onmessage = event => {
        retry = 0;
        lastWord = Date.now();
        receive(JSON.parse(event.data));
      };
      source.onerror = () => {
        source.close();
        source = null;
        showLive("off", "Reconnecting");
        setTimeout(reconnect, Math.min(5000, 300 * 2 ** retry++));
      };
    }

    async function reconnect() {
      try {
        const answer = await fetch("/", { cache: "no-store" });
        if (answer.status === 401) return showLive("off", "This link is not valid any more: open the one starlingd printed");
      } catch { /* Nobody listens yet. */ }
      connect();
    }

    function showLive(kind, words) {
      byId("live").className = kind;
      byId("live").querySelector("span").textContent = words;
    }

    setInterval(() => {
      const silence = Date.now() - lastWord;
      if (source && silence > 5000) showLive("", `Silent for ${Math.round(silence / 1000)} s`);
    }, 1000);

    function receive(update) {
      if (update.hello) {
        if (state.run && state.run !== update.hello.run) toast("The daemon was started again, and the page is connected to it.");
        state.page = update.hello.page;
        state.run = update.hello.run;
        state.samples = [];
        for (const window of state.windows.values()) { window.keys = null; window.rows = {}; }
      }
      showLive("on", "Live");
      if (update.group) {
        state.group = update.group;
        if (!state.document) choose(hashDocument() || update.group.group);
      }
      if (update.figures) state.samples = state.samples.concat(update.figures).slice(-600);
      if (update.conflicts !== undefined) state.conflicts = update.conflicts;
      if (update.tree && update.tree.document === state.document) takeTree(update.tree.windows);
      if (update.hello) sendView();
      if (update.group) { showHeader(); showGroup(); showNews(); }
      if (update.figures && state.view === "figures") showFigures();
      if (update.conflicts !== undefined) showConflicts();
      if (update.tree) showTree();
    }

    let viewTimer = 0;
    function sendView() {
      clearTimeout(viewTimer);
      viewTimer = setTimeout(async () => {
        if (!state.page || !state.document) return;
        const windows = [...state.windows.values()].map(window => ({
          object: window.object, containerKind: window.kind, outer: window.outer, from: window.from, count: window.count,
          prefix: window.prefix,
        }));
        try {
          await call("/api/view", { page: state.page, document: state.document, windows });
        } catch (error) {
          toast(error.message, true);
        }
      }, 10);
    }

    // MARK: Views

    const hashDocument = () => decodeURIComponent(location.hash.split("/").slice(1).join("/"));

    function go(view) {
      state.view = view;
      for (const section of all("main > section")) section.hidden = section.id !== `view-${view}`;
      for (const button of all("nav button")) {
        if (button.dataset.view === view) button.setAttribute("aria-current", "page");
        else button.removeAttribute("aria-current");
      }
      remember();
      if (view === "group") showGroup();
      if (view === "figures") showFigures();
      if (view === "history") openHistory();
      window.scrollTo(0, 0);
    }

    const remember = () =>
      history.replaceState(null, "", `/#${state.view}${state.document ? "/" + encodeURIComponent(state.document) : ""}`);

    // Looks at a document; its root is open.
    function choose(name) {
      if (!name) return;
      state.document = name;
      state.conflicts = null;
      state.open = new Set([ROOT]);
      state.windows = new Map([[ROOT, windowOf(ROOT, "map", null)]]);
      steps.session = null;
      remember();
      showConflicts();
      showTree();
      sendView();
      if (state.view === "history") openHistory();
    }

    function showHeader() {
      const group = state.group;
      document.title = `${group.group} · Starling`;
      byId("group").textContent = group.group;
      byId("identity").textContent = `store ${group.store}${group.durable ? "" : ", in memory"}`;
      byId("alarm").hidden = !group.logError;
      if (group.logError) {
        byId("alarm").textContent = `The disk refuses writes, and nothing is kept ${
          group.logRetried ? "until it works again" : "any more"}: ${group.logError}`;
      }
      byId("writes-as").replaceChildren("Edits are written by ", writer(group.writer), `, replica ${short(group.writer)}`);
      const names = group.documents.map(document => document.name);
      if (state.document && !names.includes(state.document)) names.unshift(state.document);
      const known = names.join("\n");
      for (const select of all("select.choose")) {
        if (select.dataset.known !== known) {
          select.replaceChildren(...names.map(name => make("option", { value: name }, name)));
          select.dataset.known = known;
        }
        select.value = state.document;
      }
    }

    const dialog = { answer: null };
    // Asks in a dialog; `accept` throws what is wrong.
    function ask(title, body, yes, accept) {
      byId("ask-title").textContent = title;
      byId("ask-body").replaceChildren(...body);
      byId("ask-error").textContent = "";
      byId("ask-yes").textContent = yes;
      dialog.answer = accept;
      byId("ask").showModal();
      const first = byId("ask-body").querySelector("input, select, textarea");
      (first || byId("ask-yes")).focus();
    }

    async function perform(command) {
      const done = await call("/api/do", command);
      toast(done.words);
      return done;
    }
    """#
}

extension ConsolePage {
  /// Documents: the tree, which is updated in place, edits, and conflicts.
  static let tree = #"""
    // MARK: The tree

    const windowOf = (object, kind, outer) =>
      ({ object, kind, outer, from: 0, count: 200, prefix: "", total: 0, keys: null, rows: {} });
    let selected = null, editing = null;
    const landed = new Set();

    function takeTree(windows) {
      for (const [object, update] of Object.entries(windows)) {
        const window = state.windows.get(object);
        if (!window) continue;
        if (update === null) {
          state.windows.delete(object);
          state.open.delete(object);
          continue;
        }
        const isFirst = window.keys === null;
        window.total = update.total;
        for (const [key, row] of Object.entries(update.rows)) {
          if (!isFirst) landed.add(`${object}|${key}`);
          window.rows[key] = row;
        }
        if (update.keys) {
          window.keys = update.keys;
          const kept = new Set(update.keys);
          for (const key of Object.keys(window.rows)) if (!kept.has(key)) delete window.rows[key];
        }
      }
    }

    // The lines that are to be seen, in their order.
    function lines() {
      const found = [];
      const walk = (object, depth) => {
        const window = state.windows.get(object);
        if (!window || window.keys === null) {
          found.push({ id: `${object}|wait`, depth, wait: true, object });
          return;
        }
        const isPaged = window.total > window.count || window.prefix || window.from > 0;
        if (isPaged) found.push({ id: `${object}|pager`, depth, pager: window, object });
        window.keys.forEach((key, index) => {
          const row = window.rows[key];
          if (!row) return;
          found.push({ id: `${object}|${key}`, depth, row, window, key, place: window.from + index + 1, of: window.total });
          if (row.object && state.open.has(row.object)) walk(row.object, depth + 1);
        });
        if (window.keys.length === 0) found.push({ id: `${object}|empty`, depth, empty: window, object });
      };
      walk(ROOT, 1);
      return found;
    }

    function showTree() {
      const host = byId("tree"), wanted = lines();
      const present = new Map(Array.from(host.children, child => [child.dataset.id, child]));
      const ids = new Set(wanted.map(line => line.id));
      if (selected && !ids.has(selected)) selected = null;
      if (!selected) selected = (wanted.find(line => line.row) || {}).id || null;
      let before = host.firstChild;
      for (const line of wanted) {
        let node = present.get(line.id);
        const signature = JSON.stringify([line.depth, line.row, line.place, line.of, line.row && line.row.object && state.open.has(line.row.object),
          line.pager && [line.pager.from, line.pager.total, line.pager.prefix], line.row && state.group && state.group.writer]);
        const isEdited = editing && editing.id === line.id;
        if (!node || node.dataset.signature !== signature && !isEdited && !(line.pager && node.contains(document.activeElement))) {
          const fresh = lineNode(line);
          const hadFocus = node && node.contains(document.activeElement);
          fresh.dataset.id = line.id;
          fresh.dataset.signature = signature;
          if (node) { if (before === node) before = fresh; node.replaceWith(fresh); }
          node = fresh;
          if (hadFocus) node.focus();
        }
        if (isEdited) editing.note(line.row);
        if (landed.has(line.id)) mark(node);
        if (node !== before) host.insertBefore(node, before); else before = before.nextSibling;
        if (line.row) node.tabIndex = line.id === selected ? 0 : -1;
      }
      landed.clear();
      for (const child of Array.from(host.children)) if (!ids.has(child.dataset.id)) child.remove();
    }

    function mark(node) {
      node.classList.remove("landed");
      void node.offsetWidth;
      node.classList.add("landed");
      setTimeout(() => node.classList.remove("landed"), 2300);
    }

    function lineNode(line) {
      const indent = node => { node.style.paddingInlineStart = `${.5 + (line.depth - 1) * 1.25}rem`; return node; };
      if (line.wait) return indent(make("div", { class: "pager" }, "Reading …"));
      if (line.pager) return indent(pagerNode(line.pager));
      if (line.empty) {
        return indent(make("div", { class: "pager" }, line.empty.prefix ? "No key begins so." : "Nothing is in it.",
          make("button", { type: "button", onclick: () => askToAdd(line.empty) }, "Add")));
      }
      const { row, window, key } = line;
      const isOpen = row.object && state.open.has(row.object);
      const isSingle = !row.text.includes("\n");
      const node = make("div", {
        class: "row", role: "treeitem", "aria-level": line.depth, "aria-posinset": line.place, "aria-setsize": line.of,
        "aria-expanded": row.object ? String(Boolean(isOpen)) : null, "aria-label": label(row), onclick: event => click(event, line),
        onfocus: () => { selected = line.id; },
      },
      make("span", { class: "twist", "aria-hidden": "true" }, row.object ? (isOpen ? "▾" : "▸") : ""),
      make("span", { class: "name", title: row.name }, row.name),
      row.object ? make("span", { class: "holds" }, `${row.kind} of ${grouped(row.count)}`)
        : make("span", { class: `value${isSingle ? " single" : ""}` }, row.kind === "member" ? "" : shown(row)),
      row.conflicts && make("span", { class: "badge" }, counted(row.conflicts + 1, "value")),
      !row.object && make("span", { class: "kind" }, row.kind),
      !row.object && make("span", { class: "meta" }, row.writer && [writer(row.writer), make("span", { class: "wide" }, ` ${moment(row.at)}`)]),
      make("span", { class: "tools" },
        isEditable(row) && make("button", { type: "button", tabindex: -1, onclick: event => { event.stopPropagation(); edit(line); } }, "Edit"),
        row.object && make("button", { type: "button", tabindex: -1, onclick: event => { event.stopPropagation(); askToAddIn(line); } }, "Add"),
        make("button", { type: "button", tabindex: -1, onclick: event => { event.stopPropagation(); askToRemove(line); } }, "Remove")));
      return indent(node);
    }

    const isEditable = row => !row.object && !row.cut && !["member", "reference", "unknown", "nothing"].includes(row.kind);
    const shown = row => row.cut ? `${row.text}…` : row.text;
    const label = row => `${row.name}: ${row.object ? `${row.kind}, ${counted(row.count, "entry", "entries")}` : shown(row) || row.kind}${
      row.conflicts ? `, ${row.conflicts + 1} values conflict` : ""}`;

    function pagerNode(window) {
      const last = Math.min(window.total, window.from + window.keys.length);
      const move = from => { window.from = Math.max(0, Math.min(from, window.total - 1)); window.keys = null; window.rows = {}; sendView(); showTree(); };
      const find = make("input", { type: "search", placeholder: "Keys that begin with …", "aria-label": "Keys that begin with", value: window.prefix });
      let timer = 0;
      find.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => { window.prefix = find.value; window.from = 0; sendView(); }, 250);
      });
      return make("div", { class: "pager" },
        make("span", {}, window.total === 0 ? "No key begins so" : `${grouped(window.from + 1)} to ${grouped(last)} of ${grouped(window.total)}`),
        make("button", { type: "button", disabled: window.from === 0, onclick: () => move(window.from - window.count) }, "Previous"),
        make("button", { type: "button", disabled: last >= window.total, onclick: () => move(window.from + window.count) }, "Next"),
        window.kind !== "list" && find);
    }

    function click(event, line) {
      if (editing && editing.id === line.id) return;
      selected = line.id;
      event.currentTarget.focus();
      if (event.target.classList.contains("value") && isEditable(line.row)) edit(line);
      else if (line.row.object) toggle(line);
      else if (line.row.cut) toast("It is too long to be edited here. 'starling get' and 'starling set' take it whole.");
    }

    function toggle(line, open = !state.open.has(line.row.object)) {
      const object = line.row.object;
      if (!open) {
        state.open.delete(object);
        state.windows.delete(object);
      } else if (state.windows.size < 64) {
        state.open.add(object);
        state.windows.set(object, windowOf(object, line.row.kind, { object: line.window.object, key: line.key }));
      } else {
        toast("Many parts of the document are open; close some.", true);
      }
      sendView();
      showTree();
    }

    const slotOf = line => ({
      document: state.document, object: line.window.object, containerKind: line.window.kind, outer: line.window.outer, key: line.key,
    });

    // MARK: Editing

    const TEXTUAL = ["string", "text", "date", "bytes"];

    function edit(line) {
      if (editing) editing.leave();
      const node = document.querySelector(`.row[data-id="${CSS.escape(line.id)}"]`);
      if (!node) return;
      const row = line.row, isText = TEXTUAL.includes(row.kind);
      const field = row.kind === "bool" ? make("select", {}, make("option", {}, "true"), make("option", {}, "false"))
        : row.kind === "text" || row.text.length > 60 || row.text.includes("\n") ? make("textarea", { rows: 3 })
          : make("input", { type: "text", inputmode: ["integer", "counter"].includes(row.kind) ? "numeric" : null });
      field.value = row.text;
      field.setAttribute("aria-label", `The value of ${row.name}`);
      const error = make("p", { class: "error", role: "alert" });
      const save = async () => {
        error.textContent = "";
        try {
          await perform({ do: "set", ...slotOf(line), ...(isText ? { string: field.value } : { json: field.value }) });
          leave();
        } catch (problem) {
          error.textContent = problem.message;
          field.focus();
        }
      };
      const leave = () => {
        editing = null;
        const old = document.querySelector(`.row[data-id="${CSS.escape(line.id)}"]`);
        if (old) old.dataset.signature = "";
        showTree();
        focusLine(line.id);
      };
      const box = make("div", { class: "editing" }, field, error, make("div", { class: "bar" },
        make("button", { type: "button", class: "main", onclick: save }, "Save"),
        make("button", { type: "button", onclick: leave }, "Cancel")));
      box.addEventListener("click", event => event.stopPropagation());
      box.addEventListener("keydown", event => {
        event.stopPropagation();
        if (event.key === "Escape") leave();
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); save(); }
      });
      const began = row.text;
      editing = { id: line.id, leave, note: now => {
        if (now.text !== began && now.text !== field.value) error.textContent = `Another writer has set it to: ${shown(now)}`;
      } };
      node.querySelector(".value").replaceWith(box);
      const tools = node.querySelector(".tools");
      if (tools) tools.remove();
      field.focus();
      if (field.select) field.select();
    }

    function focusLine(id) {
      const node = document.querySelector(`[data-id="${CSS.escape(id)}"]`);
      if (!node) return;
      selected = id;
      for (const other of all("#tree .row")) other.tabIndex = other === node ? 0 : -1;
      node.focus();
    }

    function askToRemove(line) {
      ask(`Remove ${line.row.name}?`, [make("p", {}, line.row.object
        ? `It holds ${counted(line.row.count, "entry", "entries")}, which go with it, for every member.`
        : "It goes for every member. The history keeps it.")], "Remove",
      () => perform({ do: "remove", ...slotOf(line) }));
    }

    function askToAddIn(line) {
      askToAdd({ object: line.row.object, kind: line.row.kind, outer: { object: line.window.object, key: line.key }, name: line.row.name });
    }

    function askToAdd(container) {
      const isList = container.kind === "list", isSet = container.kind === "set";
      const key = make("input", { type: "text", required: true, autocomplete: "off" });
      const kind = make("select", {}, ...[["", "as the value reads"], ["string", "string"], ["text", "text, which several edit"], ["counter", "counter"],
        ["map", "map"], ["dictionary", "dictionary"], ["list", "list"], ["set", "set"], ["date", "date"]].map(([value, words]) => make("option", { value }, words)));
      const value = make("textarea", { rows: 3, spellcheck: "false" });
      const body = [!isList && make("label", {}, isSet ? "Member" : "Key", key),
        !isSet && make("label", {}, "Kind", kind), !isSet && make("label", {}, "Value: JSON, or the text itself for a string, text or date", value)];
      ask(isList ? "Add an element" : isSet ? "Add a member" : "Add a value", body.filter(Boolean), "Add", async () => {
        const isText = ["string", "text", "date"].includes(kind.value);
        const empty = { map: "{}", dictionary: "{}", list: "[]", set: "[]", counter: "0" }[kind.value];
        const content = isText ? { string: value.value } : { json: value.value.trim() || empty || "null" };
        if (!isText && !kind.value && !/^\s*([[{"\d-]|true|false|null)/.test(value.value)) { content.string = value.value; delete content.json; }
        await perform({ do: "add", document: state.document, object: container.object, containerKind: container.kind,
          outer: container.outer, name: key.value, as: kind.value, ...content });
      });
    }

    byId("tree").addEventListener("keydown", event => {
      const found = lines().filter(line => line.row), at = found.findIndex(line => line.id === selected), line = found[at];
      if (!line || event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
      const to = other => { if (other) focusLine(other.id); };
      const isOpen = line.row.object && state.open.has(line.row.object);
      const keys = {
        ArrowDown: () => to(found[at + 1]), ArrowUp: () => to(found[at - 1]), Home: () => to(found[0]), End: () => to(found.at(-1)),
        ArrowRight: () => line.row.object && (isOpen ? to(found[at + 1]) : toggle(line, true)),
        ArrowLeft: () => isOpen ? toggle(line, false) : to(found.slice(0, at).reverse().find(other => other.depth < line.depth)),
        Enter: () => isEditable(line.row) ? edit(line) : line.row.object && toggle(line),
        e: () => isEditable(line.row) && edit(line), a: () => line.row.object ? askToAddIn(line) : askToAdd(line.window),
        Delete: () => askToRemove(line),
      };
      if (!keys[event.key] || event.target.tagName === "BUTTON" && event.key === "Enter") return;
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    });

    // MARK: Conflicts

    function showConflicts() {
      const found = state.conflicts && state.conflicts.document === state.document ? state.conflicts : null;
      const count = found ? found.count : 0;
      byId("count-conflicts").hidden = count === 0;
      byId("count-conflicts").textContent = count;
      byId("conflicts-card").hidden = count === 0;
      const signature = JSON.stringify(found), host = byId("conflicts");
      if (host.dataset.signature === signature) return;
      host.dataset.signature = signature;
      host.replaceChildren(...(found ? found.list : []).map(conflict => make("li", {},
        make("p", { class: "path" }, conflict.path),
        conflict.sides.map((side, index) => make("div", { class: "side" },
          make("span", { class: "value" }, side.text || "(empty)"),
          make("span", { class: "meta" }, writer(side.writer), ` ${moment(side.at)}${index === 0 ? ", readers see this" : ""}`),
          make("button", { type: "button", class: index === 0 ? "main" : "", onclick: event => settle(event.currentTarget, conflict, side) }, "Keep this"))))));
      if (found && found.count > found.list.length) {
        host.append(make("li", { class: "faint" }, `and ${counted(found.count - found.list.length, "more place")}`));
      }
    }

    async function settle(button, conflict, side) {
      button.disabled = true;
      try {
        await perform({ do: "settle", document: state.document, object: conflict.object, containerKind: conflict.containerKind,
          outer: null, key: conflict.key, by: side.by });
      } catch (error) {
        button.disabled = false;
        toast(error.message, true);
      }
    }
    """#
}

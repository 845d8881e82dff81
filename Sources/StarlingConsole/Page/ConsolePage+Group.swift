extension ConsolePage {
  /// The group: the picture, what needs attention, members and documents.
  static let group = #"""
    // MARK: The group

    const STANDINGS = {
      current: "up to date", behind: "catching up", slow: "slow", arriving: "receiving a document",
      oneWay: "one way only", inMemory: "keeps nothing on disk", diverged: "diverged",
    };
    let chosenStore = null;

    function standing(member) {
      const words = STANDINGS[member.standing] || member.standing;
      if (member.standing === "arriving") {
        const part = member.documents.find(document => document.arriving);
        if (part && part.arriving.of > 0) return `receiving ${Math.round(100 * part.arriving.bytes / part.arriving.of)} %`;
      }
      if (member.lacking > 0 && member.standing === "slow") return `slow: ${counted(member.lacking, "operation")} behind`;
      return words;
    }

    function showGroup() {
      if (!state.group) return;
      const list = attention();
      byId("count-attention").hidden = list.length === 0;
      byId("count-attention").textContent = list.length;
      if (state.view !== "group") return;
      showPicture();
      byId("dismiss").hidden = state.group.incidents.length === 0;
      byId("attention").replaceChildren(...(list.length ? list.map(item =>
        make("li", { class: item.grave ? "grave" : "" }, make("strong", {}, item.title), " ", item.what,
          item.at && make("span", { class: "faint" }, ` ${moment(item.at)}${item.count > 1 ? `, ${item.count} times` : ""}`),
          item.remedy && make("p", { class: "remedy" }, item.remedy))) :
        [make("li", {}, make("strong", { class: "calm" }, "Nothing."), " Every member keeps up, and nothing was refused.")]));
      showMembers();
      showDocuments();
    }

    // What an operator should look at, with what to do about it.
    function attention() {
      const group = state.group, list = [];
      if (group.logError) {
        list.push({ grave: true, title: "The disk refuses writes.", what: group.logError,
          remedy: "Free some space or mend the disk. A full disk is tried again by itself; after damage, start the daemon again." });
      }
      for (const document of group.damaged || []) {
        list.push({ grave: true, title: `'${document.name}' is damaged`, what: `and not served: ${document.what}`,
          remedy: "Start with a copy of the directory, or with --accept-damage; members send what is missing." });
      }
      for (const member of group.members) {
        if (!member.remedy) continue;
        list.push({ grave: member.standing === "diverged", title: name(member), what: `is ${standing(member)}. ${member.notice || ""}`,
          remedy: member.remedy });
      }
      for (const link of group.oneWayLinks || []) {
        list.push({ title: "A link works in one direction only:", what: link,
          remedy: "Changes go both ways over the connection that stands. Open the port in the firewall between the two, or say with --advertise where that daemon is reached." });
      }
      if (group.daemons && group.daemons.gone > 0) {
        list.push({ title: counted(group.daemons.gone, "daemon"), what: "of the group has not been heard of for 20 seconds or more.",
          remedy: "Start it again, or look at the network between. It is dialled again for a day; its next message restores it." });
      }
      if (group.unreachable > 0) {
        list.push({ title: counted(group.unreachable, "endpoint"), what: "that this daemon dials does not answer.",
          remedy: "Is a daemon running there, and listening at that port? Does a firewall let it through?" });
      }
      for (const incident of group.incidents) {
        list.push({ title: incident.subject, what: incident.what, remedy: incident.remedy, at: incident.at, count: incident.count });
      }
      return list;
    }

    const name = member => `${member.agent} ${short(member.store)}`;

    function choice(store) {
      chosenStore = chosenStore === store ? null : store;
      showGroup();
    }

    function showPicture() {
      const host = byId("picture"), members = state.group.members.slice(0, 24);
      const signature = JSON.stringify([members.map(m => [m.store, m.standing, m.lacking, m.agent]), host.clientWidth, chosenStore,
        state.group.memberCount, state.group.group]);
      if (host.dataset.signature === signature) return;
      host.dataset.signature = signature;
      const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.store : null;
      const width = Math.max(260, host.clientWidth), height = width < 520 ? 330 : 350;
      const [x, y] = [width / 2, height / 2];
      const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
        "aria-label": `This daemon and ${counted(members.length, "member")}` });
      const [rx, ry] = [Math.max(70, width / 2 - (width < 520 ? 70 : 110)), height / 2 - 58];
      const places = members.map((member, index) => {
        const angle = -Math.PI / 2 + (2 * Math.PI * (index + (members.length === 2 ? .5 : 0))) / Math.max(1, members.length);
        return { member, x: x + rx * Math.cos(angle), y: y + ry * Math.sin(angle) };
      });
      for (const place of places) {
        picture.append(draw("line", { class: `link ${place.member.standing}`, x1: x, y1: y, x2: place.x, y2: place.y }));
      }
      picture.append(node({ x, y, kind: "self", relays: true, title: "this daemon", sub: state.group.group, size: 25, glyph: "D" }));
      for (const place of places) {
        const member = place.member;
        picture.append(node({
          x: place.x, y: place.y, kind: member.standing + (member.store === chosenStore ? " chosen" : ""), relays: member.relays,
          title: member.agent.split(" ")[0], sub: member.standing === "current" ? short(member.store) : standing(member),
          size: members.length > 12 ? 13 : 18, glyph: member.relays ? "D" : "P", store: member.store,
          label: `${name(member)}: ${standing(member)}`, isAbove: place.y < y - 30,
        }));
      }
      if (state.group.memberCount > members.length) {
        picture.append(draw("text", { x: 4, y: height - 6, class: "sub" }, `and ${state.group.memberCount - members.length} more below`));
      }
      host.replaceChildren(picture);
      if (members.length === 0) host.append(make("p", { class: "empty" }, "No other member is connected. Start a process of the group."));
      if (focused) { const again = host.querySelector(`[data-store="${focused}"]`); if (again) again.focus(); }
    }

    // A daemon is a square, a process a circle.
    function node({ x, y, kind, relays, title, sub, size, glyph, store, label, isAbove }) {
      const shape = relays
        ? draw("rect", { class: "shape", x: x - size, y: y - size, width: 2 * size, height: 2 * size, rx: size * .38 })
        : draw("circle", { class: "shape", cx: x, cy: y, r: size });
      // The link comes from the middle: words stand on the other side.
      const base = isAbove ? y - size - 21 : y + size + 16;
      const text = draw("text", { x, y: base, "text-anchor": "middle" }, title);
      const below = draw("text", { x, y: base + 14, "text-anchor": "middle", class: "sub" }, sub);
      const group = draw("g", { class: `node ${kind}` }, shape, draw("text", { class: "glyph", x, y }, glyph), text, below);
      if (store) {
        group.setAttribute("tabindex", "0");
        group.setAttribute("role", "button");
        group.setAttribute("aria-label", label);
        group.dataset.store = store;
        group.addEventListener("click", () => choice(store));
        group.addEventListener("keydown", event => { if (event.key === "Enter") choice(store); });
      }
      return group;
    }

    function table(id, head, rows, empty) {
      const cells = (tag, values) => values.map(value => make(tag, value && value.n !== undefined ? { class: "n" } : {},
        value && value.n !== undefined ? value.n : value));
      const body = rows.map(row => make("tr", { class: row.chosen ? "chosen" : "" }, cells("td", row.cells).map((cell, index) => {
        cell.dataset.label = head[index].n || head[index];
        return cell;
      })));
      byId(id).replaceChildren(make("thead", {}, make("tr", {}, cells("th", head))), make("tbody", {}, body.length ? body
        : [make("tr", {}, make("td", { colspan: head.length, class: "empty" }, empty))]));
    }

    function showMembers() {
      table("members", ["Member", "State", { n: "Lag" }, { n: "Lacks" }, "Keeps", "Connected"], state.group.members.map(member => ({
        chosen: member.store === chosenStore,
        cells: [
          make("span", {}, member.agent, make("br"), make("span", { class: "faint mono" }, member.store)),
          make("span", { class: `state ${member.standing}` }, standing(member)),
          { n: member.lag > 0 ? seconds(member.lag) : "–" }, { n: member.lacking > 0 ? grouped(member.lacking) : "–" },
          `${member.durable ? "on disk" : "in memory"}${member.relays ? ", relays" : ""}`,
          make("span", { class: "faint" }, member.endpoint || "dialled this daemon"),
        ],
      })), "No other member is connected.");
    }

    function showDocuments() {
      const group = state.group;
      const holders = document => group.members.filter(member => member.documents.some(other => other.name === document.name)).length;
      table("documents", ["Document", { n: "Operations" }, { n: "Writers" }, { n: "Conflicts" }, { n: "Not on disk" }, { n: "Log" }, { n: "Open at" }],
        group.documents.map(document => ({ cells: [
          make("button", { type: "button", class: "link", onclick: () => { choose(document.name); go("document"); } }, document.name),
          { n: grouped(document.operations) }, { n: grouped(document.writers) }, { n: document.conflicts || "–" },
          { n: document.unlogged || "–" }, { n: document.bytes ? bytes(document.bytes) : "–" }, { n: holders(document) || "–" },
        ] })), "No document is open.");
      if (group.documentCount > group.documents.length) {
        byId("documents").append(make("caption", { class: "faint" },
          `The first ${group.documents.length} of ${counted(group.documentCount, "document")}`));
      }
    }

    byId("dismiss").addEventListener("click", () => call("/api/dismiss", {}).catch(error => toast(error.message, true)));
    new ResizeObserver(() => { if (state.group && state.view === "group") showPicture(); }).observe(byId("picture"));
    """#
}

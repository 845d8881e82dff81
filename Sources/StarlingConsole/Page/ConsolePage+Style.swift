extension ConsolePage {
  /// Colours, light and dark; the frame, cards and tables; the picture of the group.
  static let generalStyle = #"""
    :root {
      color-scheme: light dark;
      --ground: #f6f6f3; --card: #ffffff; --ink: #20242a; --soft: #5d6570; --line: #e3e4e0; --tint: #f0f1ed;
      --accent: #31598f; --on-accent: #ffffff; --good: #2d7a55; --wait: #a36a08; --bad: #b3372f; --glow: #fff3c4;
      --shadow: 0 1px 2px rgb(30 35 40 / .06), 0 6px 24px rgb(30 35 40 / .05);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #14171b; --card: #1c2026; --ink: #e6e8ea; --soft: #98a1ac; --line: #2d333b; --tint: #242a31;
        --accent: #8fb4e8; --on-accent: #10161f; --good: #6cc598; --wait: #e0b05a; --bad: #f0857b; --glow: #463c17;
        --shadow: none;
      }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
    h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
    h1 { font-size: 1.05rem; font-weight: 650; line-height: 1.25; }
    h2 { font-size: .82rem; font-weight: 600; color: var(--soft); margin-bottom: .75rem; display: flex; gap: .75rem; align-items: center; justify-content: space-between; min-height: 1.9rem; }
    .plain { list-style: none; }
    .faint, #identity { color: var(--soft); font-size: .84rem; }
    .mono, #identity, .value, .path, .from, .to, code { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", Consolas, monospace; font-size: .86em; }
    .skip { position: absolute; left: -99rem; }
    .skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--card); padding: .5rem 1rem; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    main:focus { outline: none; }

    header { position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: .8rem; padding: .6rem 1.4rem; background: var(--card); border-bottom: 1px solid var(--line); }
    .title { min-width: 0; margin-inline-end: auto; }
    .title h1, .title p { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
    nav { display: flex; gap: .15rem; }
    button, select, input, textarea { font: inherit; color: inherit; }
    button { border: 1px solid var(--line); background: var(--card); border-radius: 8px; padding: .3rem .75rem; cursor: pointer; min-height: 2rem; }
    button:hover:not(:disabled) { background: var(--tint); }
    button:disabled { opacity: .45; cursor: default; }
    button.main { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
    button.main:hover { filter: brightness(1.08); background: var(--accent); }
    button.quiet, nav button { border-color: transparent; background: none; }
    nav button { color: var(--soft); font-weight: 500; }
    nav button[aria-current] { color: var(--ink); background: var(--tint); }
    nav b { margin-inline-start: .4rem; padding: 0 .4rem; border-radius: 9px; font-size: .74rem; background: var(--bad); color: var(--card); }
    #count-conflicts { background: var(--wait); }
    #live { display: flex; align-items: center; gap: .45rem; font-size: .84rem; color: var(--soft); white-space: nowrap; }
    #live i { width: .55rem; height: .55rem; border-radius: 50%; background: var(--wait); }
    #live.on i { background: var(--good); }
    #live.off i { background: var(--bad); }
    #alarm { background: var(--bad); color: var(--card); padding: .6rem 1.4rem; }

    main { max-width: 82rem; margin: 0 auto; padding: 1.2rem 1.4rem 4rem; }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: .9rem 1.1rem 1.1rem; margin-bottom: 1.1rem; box-shadow: var(--shadow); min-width: 0; }
    .pair { display: grid; grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr); gap: 0 1.1rem; align-items: start; }
    .bar { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
    section > .bar { margin-bottom: 1rem; }
    .bar.end { justify-content: flex-end; margin-top: 1rem; }
    .spacer { flex: 1; }
    select, input:not([type=range]), textarea { border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: .3rem .6rem; min-height: 2rem; max-width: 100%; }
    textarea { width: 100%; min-height: 5.5rem; resize: vertical; }
    .scroll { overflow-x: auto; }
    table { width: 100%; border-collapse: collapse; font-size: .9rem; }
    th { text-align: start; font-weight: 500; color: var(--soft); font-size: .8rem; padding: 0 1rem .35rem 0; white-space: nowrap; }
    td { padding: .45rem 1rem .45rem 0; border-top: 1px solid var(--line); vertical-align: top; }
    td.n, th.n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
    td:last-child, th:last-child { padding-inline-end: 0; }
    tr.chosen td { background: var(--tint); }
    td button.link { border: 0; padding: 0; min-height: 0; background: none; color: var(--accent); font-weight: 500; text-align: start; }
    tr:last-child td { padding-bottom: 0; }
    .empty { color: var(--soft); padding: .4rem 0; }

    #picture { min-height: 20rem; }
    svg { display: block; max-width: 100%; }
    svg text { font-size: 12.5px; fill: var(--ink); }
    svg .sub { fill: var(--soft); font-size: 11px; }
    #picture svg text:not(.glyph) { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
    .link { stroke: var(--line); stroke-width: 2; }
    .link.current { stroke: var(--good); opacity: .55; }
    .link.behind, .link.arriving { stroke: var(--wait); stroke-dasharray: 5 5; }
    .link.slow, .link.oneWay { stroke: var(--wait); stroke-width: 3; stroke-dasharray: 2 6; }
    .link.diverged, .link.inMemory { stroke: var(--bad); stroke-width: 3; stroke-dasharray: 2 6; }
    .node { cursor: pointer; }
    .node .shape { fill: var(--card); stroke: var(--soft); stroke-width: 2; }
    .node.current .shape { stroke: var(--good); }
    .node.behind .shape, .node.arriving .shape, .node.slow .shape, .node.oneWay .shape { stroke: var(--wait); }
    .node.diverged .shape, .node.inMemory .shape { stroke: var(--bad); }
    .node.self .shape { fill: var(--accent); stroke: var(--accent); }
    .node.self .glyph { fill: var(--on-accent); }
    .node .glyph { font-size: 13px; font-weight: 600; text-anchor: middle; dominant-baseline: central; fill: var(--soft); }
    .node.chosen .shape, .node:hover .shape { stroke-width: 4; }
    .node:focus-visible { outline: none; }
    .node:focus-visible .shape { stroke: var(--accent); stroke-width: 4; }
    .legend { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; font-size: .8rem; color: var(--soft); }
    .k::before { content: ""; display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; margin-inline-end: .4rem; background: var(--good); }
    .k.behind::before { background: none; border: 2px solid var(--wait); }
    .k.slow::before { background: var(--wait); }
    .k.diverged::before { background: var(--bad); }
    #attention li { line-height: 1.45; padding: .7rem 0; border-top: 1px solid var(--line); }
    #attention li:first-child { border: 0; padding-top: 0; }
    #attention strong { font-weight: 600; }
    #attention .grave strong { color: var(--bad); }
    #attention .remedy { color: var(--soft); font-size: .88rem; margin-top: .2rem; }
    #attention .remedy::before { content: "→ "; }
    .calm { color: var(--good); }
    .state { white-space: nowrap; }
    .state.slow, .state.behind, .state.arriving, .state.oneWay { color: var(--wait); }
    .state.diverged, .state.inMemory { color: var(--bad); }
    .state.current { color: var(--good); }
    """#
}

extension ConsolePage {
  /// The tree, the history, the charts, dialogs; and what differs on a phone.
  static let viewStyle = #"""
    #tree { margin: 0 -.5rem; }
    .row { position: relative; display: flex; align-items: baseline; gap: .6rem; padding: .28rem .5rem; border-radius: 8px; min-height: 2.1rem; }
    .row:hover, .row:focus { background: var(--tint); }
    .row:focus { outline: 2px solid var(--accent); outline-offset: -2px; }
    .row.landed { animation: landed 2.2s ease-out; }
    @keyframes landed { from { background: var(--glow); } to { background: transparent; } }
    .twist { width: 1rem; flex: none; color: var(--soft); text-align: center; cursor: pointer; }
    .name { font-weight: 550; flex: none; min-width: 9rem; max-width: 40%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .kind, .holds { flex: none; color: var(--soft); font-size: .8rem; }
    .row .kind { width: 5rem; text-align: end; }
    .holds { flex: 1; }
    .value { flex: 1; min-width: 4rem; white-space: pre-wrap; max-height: 9rem; overflow: hidden; cursor: text; border-radius: 4px; }
    .value.single { white-space: nowrap; text-overflow: ellipsis; }
    .row .meta { flex: none; min-width: 11.5rem; text-align: end; color: var(--soft); font-size: .76rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .badge { flex: none; font-size: .74rem; background: var(--wait); color: var(--card); border-radius: 9px; padding: 0 .5rem; }
    .row .tools { position: absolute; inset-inline-end: .4rem; top: .2rem; display: flex; gap: .25rem; padding-inline-start: 1.5rem; background: linear-gradient(90deg, transparent, var(--tint) 1rem); opacity: 0; pointer-events: none; }
    .row:hover .tools, .row:focus-within .tools, .row:focus .tools { opacity: 1; pointer-events: auto; }
    .row .tools button { min-height: 1.6rem; padding: 0 .5rem; font-size: .8rem; }
    .who::before { content: ""; display: inline-block; width: .55rem; height: .55rem; border-radius: 50%; background: hsl(var(--hue, 0) 45% 55%); margin-inline-end: .35rem; }
    .editing { flex: 1; min-width: 0; }
    .editing textarea { min-height: 3.4rem; }
    .editing .bar { margin-top: .4rem; }
    .error { color: var(--bad); font-size: .88rem; }
    .pager { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .3rem .5rem; color: var(--soft); font-size: .84rem; }
    .pager button, .pager input { min-height: 1.7rem; padding: 0 .6rem; }
    #conflicts { margin-top: .8rem; }
    #conflicts li { padding: .7rem 0 0; border-top: 1px solid var(--line); }
    #conflicts li + li { margin-top: .5rem; }
    #conflicts .path { font-weight: 600; }
    .side { display: flex; gap: .7rem; align-items: baseline; padding: .3rem 0; }
    .side .value { cursor: default; }
    .side .meta { color: var(--soft); font-size: .8rem; white-space: nowrap; }
    .side button { flex: none; }

    #slider { width: 100%; accent-color: var(--accent); margin: .2rem 0 .6rem; }
    #bars { height: 64px; }
    #bars rect { fill: var(--line); }
    #bars rect.chosen { fill: var(--accent); }
    #step { margin-top: .8rem; }
    #step p + p { margin-top: .15rem; }
    .choice { display: inline-flex; }
    .choice button { font-size: .8rem; min-height: 1.7rem; padding: 0 .7rem; border-radius: 0; }
    .choice button:first-child { border-radius: 8px 0 0 8px; }
    .choice button:last-child { border-radius: 0 8px 8px 0; border-inline-start: 0; }
    .choice [aria-pressed=true] { background: var(--tint); color: var(--ink); font-weight: 600; }
    h2 button { font-size: .84rem; min-height: 1.8rem; }
    .difference { padding: .5rem 0; border-top: 1px solid var(--line); }
    .difference:first-child { border: 0; padding-top: 0; }
    .difference .path { font-weight: 600; }
    .difference .from, .difference .to { display: block; white-space: pre-wrap; padding-inline-start: 1.1rem; text-indent: -1.1rem; max-height: 12rem; overflow: auto; }
    .difference .from { color: var(--bad); }
    .difference .from::before { content: "− "; }
    .difference .to { color: var(--good); }
    .difference .to::before { content: "+ "; }
    #past details { padding-inline-start: 1rem; }
    #past > details { padding-inline-start: 0; }
    #past summary { cursor: pointer; padding: .15rem 0; margin-inline-start: -.2rem; }
    #past .leaf { padding: .15rem 0 .15rem 1.1rem; display: flex; gap: .6rem; }

    #charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 1.1rem; }
    .chart .now { display: flex; flex-wrap: wrap; gap: 0 1.4rem; font-size: 1.7rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
    .chart .now span:not(:only-child)::before { content: ""; display: inline-block; width: .8rem; height: .2rem; border-radius: .1rem; margin-inline-end: .4rem; vertical-align: middle; background: var(--accent); }
    .chart .now span:nth-child(2)::before { background: var(--wait); }
    .chart .now small { font-size: .86rem; font-weight: 400; color: var(--soft); }
    .chart .one { stroke: var(--accent); } .chart .two { stroke: var(--wait); }
    .chart .one, .chart .two { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
    .chart .area { fill: var(--accent); opacity: .1; }
    .chart .grid { stroke: var(--line); }
    .chart .cross { stroke: var(--soft); stroke-dasharray: 3 3; }
    .chart .hint { color: var(--soft); font-size: .84rem; }

    dialog { border: 1px solid var(--line); border-radius: 16px; background: var(--card); color: var(--ink); padding: 1.2rem 1.4rem; width: min(34rem, calc(100vw - 2rem)); box-shadow: 0 20px 60px rgb(0 0 0 / .3); }
    dialog h2 { font-size: 1rem; color: var(--ink); }
    dialog::backdrop { background: rgb(10 14 20 / .4); }
    dialog label { display: block; margin-bottom: .7rem; font-size: .86rem; color: var(--soft); }
    dialog label input, dialog label select, dialog label textarea { display: block; width: 100%; margin-top: .2rem; color: var(--ink); font-size: 1rem; }
    dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1.2rem; }
    dt { font-weight: 600; }
    #toast { position: fixed; inset: auto 1rem 1.2rem; margin: auto; width: fit-content; max-width: min(36rem, calc(100vw - 2rem)); background: var(--ink); color: var(--ground); padding: .6rem 1.1rem; border-radius: 12px; opacity: 0; transform: translateY(.5rem); transition: opacity .2s, transform .2s; pointer-events: none; z-index: 9; }
    #toast.shown { opacity: 1; transform: none; }
    #toast.bad { background: var(--bad); color: var(--card); }
    .refusal { max-width: 34rem; margin: 16vh auto 0; text-align: center; padding: 2.5rem; }
    .refusal img { margin-bottom: 1rem; } .refusal h1 { font-size: 1.4rem; margin-bottom: .6rem; } .refusal p { color: var(--soft); }

    @media (max-width: 60rem) {
      .pair { grid-template-columns: minmax(0, 1fr); }
    }
    @media (max-width: 46rem) {
      header { flex-wrap: wrap; padding: .5rem .9rem; gap: .5rem .7rem; }
      nav { position: fixed; inset: auto 0 0; background: var(--card); border-top: 1px solid var(--line); justify-content: space-around; padding: .3rem .3rem calc(.3rem + env(safe-area-inset-bottom)); z-index: 6; }
      nav button { flex: 1; padding: .5rem .2rem; min-height: 2.75rem; }
      #show-keys { display: none; }
      main { padding: .9rem .7rem 6rem; }
      .card { padding: .8rem .85rem; border-radius: 12px; }
      .row { flex-wrap: wrap; gap: .1rem .5rem; padding-block: .45rem; }
      .row .value { flex: 1 1 100%; order: 5; padding-inline-start: 1.6rem; }
      .row .name { min-width: 0; max-width: 60%; }
      .row .kind { width: auto; }
      .row .meta { margin-inline-start: auto; min-width: 0; }
      .row .tools { position: static; order: 6; opacity: 1; padding: .2rem 0 .2rem 1.6rem; display: none; background: none; }
      .row:focus .tools, .row:focus-within .tools { display: flex; }
      .row .tools button { min-height: 2.4rem; padding: 0 .9rem; }
      .row .editing { flex: 1 1 100%; order: 5; }
      .side { flex-wrap: wrap; }
      .side .value { flex: 1 1 100%; white-space: pre-wrap; }
      .side button { margin-inline-start: auto; min-height: 2.4rem; }
      #toast { bottom: 4.6rem; }
      select.choose { max-width: 60vw; }
      input, select, textarea { font-size: 16px; }
      .wide { display: none; }
      table, tbody, tr, td { display: block; }
      thead { display: none; }
      tr { border-top: 1px solid var(--line); padding: .5rem 0; }
      tbody tr:first-child { border: 0; padding-top: 0; }
      td, td.n { border: 0; padding: .1rem 0; text-align: end; white-space: normal; display: flex; justify-content: space-between; gap: 1rem; }
      td:first-child { font-weight: 550; }
      td::before { content: attr(data-label); color: var(--soft); font-weight: 400; font-size: .84rem; }
    }
    @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
    """#
}

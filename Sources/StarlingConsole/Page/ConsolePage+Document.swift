extension ConsolePage {
  /// The page itself; its script fills it.
  static let html = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Starling</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/console.css">
    <script src="/console.js" defer></script>
    </head>
    <body>
    <a class="skip" href="#main">To the contents</a>
    <header>
      <img src="/icon.svg" alt="" width="28" height="28">
      <div class="title"><h1 id="group">Starling</h1><p id="identity"></p></div>
      <nav aria-label="Views">
        <button type="button" data-view="group" aria-keyshortcuts="1">Group<b id="count-attention" hidden></b></button>
        <button type="button" data-view="document" aria-keyshortcuts="2">Documents<b id="count-conflicts" hidden></b></button>
        <button type="button" data-view="history" aria-keyshortcuts="3">History</button>
        <button type="button" data-view="figures" aria-keyshortcuts="4">Figures</button>
      </nav>
      <p id="live" role="status"><i></i><span>Connecting</span></p>
      <button type="button" id="show-keys" class="quiet" aria-label="Keys" title="Keys (?)">?</button>
    </header>
    <p id="alarm" role="alert" hidden></p>
    <main id="main" tabindex="-1">

    <section id="view-group" aria-label="Group">
      <div class="pair">
        <article class="card"><h2>Members and links</h2>
          <div id="picture"></div>
          <p class="legend"><span class="k current">up to date</span><span class="k behind">catching up</span><span class="k slow">slow</span><span class="k diverged">diverged or failing</span></p>
        </article>
        <article class="card"><h2>Needs attention<button type="button" id="dismiss" class="quiet" hidden>Dismiss events</button></h2>
          <ul id="attention" class="plain"></ul>
        </article>
      </div>
      <article class="card"><h2>Members</h2><div class="scroll"><table id="members"></table></div></article>
      <article class="card"><h2>Documents</h2><div class="scroll"><table id="documents"></table></div></article>
    </section>

    <section id="view-document" aria-label="Documents" hidden>
      <div class="bar"><label>Document <select class="choose"></select></label><span class="spacer"></span><span id="writes-as" class="faint"></span></div>
      <article class="card" id="conflicts-card" hidden><h2>Conflicts</h2><p class="faint">Written at the same time, each without knowledge of the others. Readers see the first; one click settles.</p><ul id="conflicts" class="plain"></ul></article>
      <article class="card"><div id="tree" role="tree" aria-label="The document"></div></article>
    </section>

    <section id="view-history" aria-label="History" hidden>
      <div class="bar"><label>Document <select class="choose"></select></label><span class="spacer"></span><button type="button" id="history-refresh">Load the latest</button></div>
      <article class="card">
        <div id="bars" aria-hidden="true"></div>
        <input type="range" id="slider" min="0" max="0" value="0" aria-label="Step of the history">
        <div class="bar"><button type="button" id="step-back" aria-keyshortcuts="[">Earlier</button><span id="step-number" class="faint"></span><button type="button" id="step-on" aria-keyshortcuts="]">Later</button><span class="spacer"></span><button type="button" id="older" hidden>Read older steps</button></div>
        <div id="step" aria-live="polite"></div>
      </article>
      <div class="pair">
        <article class="card"><h2>Differences<span class="choice" role="group" aria-label="Compared with"><button type="button" data-to="before" aria-pressed="true">this step</button><button type="button" data-to="present" aria-pressed="false">since then</button></span></h2><div id="differences"></div></article>
        <article class="card"><h2>As it was<button type="button" id="restore">Restore this version</button></h2><div id="past"></div></article>
      </div>
    </section>

    <section id="view-figures" aria-label="Figures" hidden><div id="charts"></div></section>
    </main>

    <dialog id="ask"><form method="dialog"><h2 id="ask-title"></h2><div id="ask-body"></div><p id="ask-error" role="alert"></p><div class="bar end"><button type="button" id="ask-no">Cancel</button><button type="submit" id="ask-yes" class="main"></button></div></form></dialog>
    <dialog id="keys"><h2>Keys</h2><dl>
    <dt>1 2 3 4</dt><dd>Group, Documents, History, Figures</dd>
    <dt>↑ ↓ ← →</dt><dd>Move in the tree; open and close</dd>
    <dt>Enter</dt><dd>Edit the value, or open what it holds</dd>
    <dt>a</dt><dd>Add beside the selected line, or in it</dd>
    <dt>Delete</dt><dd>Remove the selected value</dd>
    <dt>c</dt><dd>Go to the first conflict</dd>
    <dt>[ ]</dt><dd>Earlier and later step of the history</dd>
    <dt>Esc</dt><dd>Leave without a change</dd>
    </dl><div class="bar end"><button type="button" class="main" id="keys-close">Close</button></div></dialog>
    <p id="toast" role="status" aria-live="polite"></p>
    <noscript><p class="card">The console needs JavaScript.</p></noscript>
    </body>
    </html>
    """#
}

// Generated from Sources/CommandLine/ExternalPurchaseCommands/Web by `./run tables`. Do not edit.
// swift-format-ignore-file
enum WebFiles {
    static let conformanceCSS = ##"""
:root {
  color-scheme: light dark;
  --page: #fbfbfa;
  --card: #ffffff;
  --text: #1d1d1f;
  --soft: #62626a;
  --line: #e2e2e0;
  --same: #177a3c;
  --different: #b3261e;
  --note: #fbe3b5;
  --note-text: #6f4400;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161618;
    --card: #1f1f22;
    --text: #f1f1f3;
    --soft: #a3a3ad;
    --line: #36363b;
    --same: #3fbf6e;
    --different: #ff8a80;
    --note: #5a430f;
    --note-text: #ffdf9c;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0 auto;
  padding: 24px;
  max-width: 1100px;
  background: var(--page);
  color: var(--text);
  font:
    15px/1.5 system-ui,
    -apple-system,
    "Segoe UI",
    Roboto,
    sans-serif;
}
h1 {
  margin: 0;
  font-size: 26px;
  line-height: 1.25;
}
h2 {
  margin: 36px 0 8px;
  font-size: 19px;
}
h3 {
  margin: 0;
  font-size: 15px;
}
h3 span {
  font-weight: 400;
}
header p,
.rules,
thead th,
dt {
  color: var(--soft);
}
code {
  overflow-wrap: anywhere;
}
.counts {
  display: flex;
  flex-wrap: wrap;
  gap: 12px;
  margin: 24px 0;
}
.counts div {
  flex: 1 1 120px;
  padding: 12px 16px;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--card);
}
dd {
  margin: 0;
  font-size: 26px;
  font-variant-numeric: tabular-nums;
}
dd.same,
.verdict {
  color: var(--same);
}
dd.different {
  color: var(--different);
}
.verdict {
  font-size: 19px;
}
article {
  margin: 12px 0;
  padding: 14px 16px;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--card);
}
article .rules {
  margin: 2px 0 10px;
}
table {
  width: 100%;
  border-collapse: collapse;
}
th,
td {
  padding: 6px 12px 6px 0;
  border-top: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
  overflow-wrap: anywhere;
}
thead th {
  border-top: 0;
  font-weight: 400;
}
.note {
  margin: 10px 0 0;
  padding: 8px 12px;
  border-radius: 8px;
  background: var(--note);
  color: var(--note-text);
}
details {
  margin: 8px 0 0;
}
summary {
  cursor: pointer;
}
ul {
  margin: 8px 0;
  padding-left: 20px;
}
details p {
  margin: 6px 0;
  overflow-wrap: anywhere;
}
@media (max-width: 640px) {
  body {
    padding: 16px;
  }
  thead {
    display: none;
  }
  tr {
    display: block;
    padding: 6px 0;
    border-top: 1px solid var(--line);
  }
  td {
    display: block;
    padding: 2px 0;
    border: 0;
  }
  td::before {
    content: attr(data-label) ": ";
    color: var(--soft);
  }
}
"""##
    static let conformanceHTML = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Report endpoint: {{different}} differences</title>
<style>
{{{style}}}
</style>
</head>
<body>
<header>
<h1>Conformance of a report endpoint</h1>
<p><code>{{endpoint}}</code>, {{startedAt}}, version {{dataSet}} of the cases</p>
</header>
<main>
<dl class="counts">
<div><dt>asked</dt><dd>{{asked}}</dd></div>
<div><dt>as expected</dt><dd class="same">{{same}}</dd></div>
<div><dt>different</dt><dd class="different">{{different}}</dd></div>
<div><dt>not asked</dt><dd>{{notAsked}}</dd></div>
</dl>
{{#isIncomplete}}
<p class="note">The run ended before its last case. The same command continues it.</p>
{{/isIncomplete}}
{{#isSame}}
<p class="verdict">Every answer is as expected.</p>
{{/isSame}}
{{#hasProfile}}
<section>
<h2>Settings with which the emulator answers so</h2>
<p><code>external-purchase emulator --profile FILE</code> takes them from the report of this run.</p>
<ul class="settings">
{{#settings}}
<li><code>{{name}}={{value}}</code></li>
{{/settings}}
</ul>
</section>
{{/hasProfile}}
{{#isDifferent}}
<section>
<h2>Differences</h2>
{{#differences}}
<article>
<h3 id="{{id}}"><code>{{id}}</code> <span>{{title}}</span></h3>
<p class="rules">{{rules}}</p>
<table>
<thead>
<tr>
<th scope="col">Rule</th>
<th scope="col">Differs</th>
<th scope="col">Expected</th>
<th scope="col">Came</th>
<th scope="col">Setting</th>
</tr>
</thead>
<tbody>
{{#rows}}
<tr>
<td data-label="Rule">{{rule}}</td>
<td data-label="Differs">{{kind}}</td>
<td data-label="Expected">{{expected}}</td>
<td data-label="Came">{{came}}</td>
<td data-label="Setting"><code>{{setting}}</code></td>
</tr>
{{/rows}}
</tbody>
</table>
{{#isUnexplained}}
<p class="note">No setting of the emulator makes it answer the same.</p>
{{/isUnexplained}}
{{#isPermanent}}
<p class="note">The report was accepted and is now part of the token's history.</p>
{{/isPermanent}}
<details>
<summary>Whole answers</summary>
<p>Expected: {{expected}}</p>
<p>Came: {{came}}</p>
</details>
</article>
{{/differences}}
</section>
{{/isDifferent}}
{{#hasOmissions}}
<section>
<h2>Not asked</h2>
<ul>
{{#omissions}}
<li>{{line}}</li>
{{/omissions}}
</ul>
</section>
{{/hasOmissions}}
<section>
<h2>As expected</h2>
{{#groups}}
<details>
<summary>{{title}} ({{count}})</summary>
<ul class="cases">
{{#cases}}
<li><code>{{id}}</code> {{title}} <span class="rules">{{rules}}</span></li>
{{/cases}}
</ul>
</details>
{{/groups}}
</section>
</main>
</body>
</html>
"""##
    static let gemshopCSS = ##"""
:root {
  color-scheme: light dark;
}
body {
  font: 1.1rem/1.5 system-ui;
  max-width: 32rem;
  margin: 3rem auto;
  padding: 0 1rem;
}
button {
  font: inherit;
  padding: 0.6rem 1.2rem;
  border-radius: 0.6rem;
  border: 0;
  background: #2557d6;
  color: #fff;
}
"""##
    static let gemshopHTML = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>GemShop</title>
<style>
{{{style}}}
</style>
</head>
<body>
<h1>GemShop</h1>
<p>100 gems for €9.99, tax included.</p>
<form method="post" action="/buy">
<input type="hidden" name="checkout" value="{{checkout}}">
<input type="hidden" name="country" value="{{country}}">
<input type="hidden" name="order" value="{{order}}">
<button>Buy 100 gems</button>
</form>
<p><small>A simulated shop: nothing is sold here, nobody is charged.</small></p>
</body>
</html>
"""##
    static let matrixCSS = ##"""
:root {
  color-scheme: light dark;
  --page: #fbfbfa;
  --card: #ffffff;
  --text: #1d1d1f;
  --soft: #62626a;
  --line: #e2e2e0;
  --accent: #0b63ce;
  --yes: #177a3c;
  --yes-text: #ffffff;
  --app: #fbe3b5;
  --app-text: #6f4400;
  --apple: #ececec;
  --apple-text: #62626a;
  --system: #dbe7f8;
  --system-text: #204e8a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161618;
    --card: #1f1f22;
    --text: #f1f1f3;
    --soft: #a3a3ad;
    --line: #36363b;
    --accent: #6db1ff;
    --yes: #3fbf6e;
    --yes-text: #06240f;
    --app: #5a430f;
    --app-text: #ffdf9c;
    --apple: #2b2b2f;
    --apple-text: #a3a3ad;
    --system: #1e3557;
    --system-text: #b3d1fb;
  }
}
* {
  box-sizing: border-box;
}
[hidden] {
  display: none !important;
}
body {
  margin: 0 auto;
  padding: 0 24px;
  max-width: 1240px;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  background: var(--page);
  color: var(--text);
  font:
    15px/1.5 system-ui,
    -apple-system,
    "Segoe UI",
    Roboto,
    sans-serif;
}
h1 {
  font-size: 26px;
  line-height: 1.25;
  margin: 24px 0 4px;
  font-weight: 650;
  letter-spacing: -0.01em;
  text-wrap: balance;
}
h1 em {
  font-style: normal;
  color: var(--accent);
}
header p {
  margin: 0;
  color: var(--soft);
  max-width: 100ch;
  text-wrap: pretty;
}
header span {
  white-space: nowrap;
}
header strong {
  color: var(--text);
}
code {
  font:
    0.92em ui-monospace,
    SFMono-Regular,
    Menlo,
    Consolas,
    monospace;
  overflow-wrap: anywhere;
}
#controls {
  display: flex;
  flex-wrap: wrap;
  gap: 10px 28px;
  margin: 16px 0 12px;
  align-items: end;
}
fieldset {
  border: 0;
  margin: 0;
  padding: 0;
  display: flex;
  flex-wrap: wrap;
  gap: 4px;
  min-width: 0;
}
legend,
.search span {
  font-size: 12px;
  color: var(--soft);
  padding: 0;
  margin-bottom: 4px;
  display: block;
}
#search {
  font: inherit;
  width: 250px;
  max-width: 100%;
  padding: 5px 10px;
  border-radius: 8px;
  border: 1px solid var(--line);
  background: var(--card);
  color: inherit;
}
fieldset input {
  position: absolute;
  opacity: 0;
  width: 1px;
  height: 1px;
}
/* The invisible fields stay in the row that scrolls, or they would widen the page. */
fieldset label {
  position: relative;
}
fieldset label span {
  display: block;
  padding: 5px 11px;
  border-radius: 8px;
  border: 1px solid var(--line);
  background: var(--card);
  cursor: pointer;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
fieldset label:hover span {
  border-color: var(--soft);
}
fieldset input:checked + span {
  background: var(--text);
  border-color: var(--text);
  color: var(--page);
}
fieldset input:focus-visible + span,
#search:focus-visible,
button:focus-visible,
td b:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
}
#legend {
  list-style: none;
  display: flex;
  flex-wrap: wrap;
  gap: 4px 20px;
  margin: 0 0 10px;
  padding: 0;
  font-size: 13px;
  color: var(--soft);
}
#legend li {
  display: flex;
  align-items: center;
  gap: 7px;
}
#frame {
  overflow-x: auto;
  margin-bottom: 14px;
  border: 1px solid var(--line);
  border-radius: 12px;
  background: var(--card);
}
@media (min-width: 1100px) {
  /* Without a scroller of its own the table's head can stay in sight. */
  #frame {
    overflow: visible;
  }
  thead th {
    position: sticky;
    top: 0;
    z-index: 2;
    background: var(--card);
  }
  thead th:first-child {
    border-top-left-radius: 11px;
    z-index: 3 !important;
  }
  thead th:last-child,
  .one-os thead th:not(:first-child) {
    border-top-right-radius: 11px;
  }
}
table {
  border-collapse: separate;
  border-spacing: 0;
  width: 100%;
}
th {
  text-align: left;
  font-weight: 500;
}
thead th {
  font-size: 12px;
  color: var(--soft);
  padding: 8px 6px 5px;
  border-bottom: 1px solid var(--line);
  white-space: nowrap;
  vertical-align: bottom;
}
thead th:first-child,
tbody th {
  padding-left: 16px;
}
tr:not(.group) > th:first-child {
  position: sticky;
  left: 0;
  background: var(--card);
  z-index: 1;
  min-width: 200px;
}
tbody th,
tbody td {
  border-bottom: 1px solid var(--line);
}
tbody th {
  padding-top: 5px;
  padding-bottom: 5px;
  padding-right: 10px;
  line-height: 1.25;
  max-width: 250px;
}
tbody th small {
  color: var(--soft);
  font-size: 12px;
  font-weight: 400;
  margin-left: 4px;
  white-space: nowrap;
}
tbody td {
  padding: 5px 6px;
}
tbody tr:not(.group):hover > * {
  background: color-mix(in srgb, var(--accent) 6%, var(--card));
}
.group th {
  padding: 0;
  background: var(--page);
}
.group button {
  all: unset;
  box-sizing: border-box;
  cursor: pointer;
  padding: 10px 16px;
  font-weight: 600;
  position: sticky;
  left: 0;
}
.group button::before {
  content: "▸";
  display: inline-block;
  width: 1.1em;
  color: var(--soft);
}
.group button[aria-expanded="true"]::before {
  content: "▾";
}
.group b {
  font-weight: 600;
  color: var(--accent);
  margin: 0 6px 0 2px;
}
.group span {
  font-weight: 400;
  color: var(--soft);
}
.marks {
  display: grid;
  grid-auto-flow: column;
  grid-auto-columns: 14px;
  gap: 2px;
}
thead .marks {
  margin-top: 2px;
}
thead i {
  font-style: normal;
  font-size: 10px;
  text-align: center;
}
td b,
#legend b,
#why b {
  display: block;
  position: relative;
  width: 14px;
  height: 16px;
  border-radius: 4px;
  font:
    600 11px/16px ui-monospace,
    Menlo,
    Consolas,
    monospace;
  text-align: center;
  cursor: default;
  scroll-margin: 70px 10px 190px 220px;
}
.v0 {
  background: var(--yes);
  color: var(--yes-text);
}
.v0::before {
  content: "✓";
}
.v1 {
  background: var(--app);
  color: var(--app-text);
}
.v1::before {
  content: "+";
}
.v2 {
  background: var(--apple);
  color: var(--apple-text);
}
.v2::before {
  content: "–";
}
.v3 {
  background: var(--system);
  color: var(--system-text);
}
.v3::before {
  content: "↑";
}
td b:hover,
td b.shown {
  z-index: 1;
  box-shadow:
    0 0 0 2px var(--card),
    0 0 0 4px var(--accent);
}
.wide .marks {
  grid-auto-columns: minmax(36px, 1fr);
  gap: 4px;
}
.wide td b {
  width: auto;
  height: 26px;
  line-height: 26px;
  border-radius: 7px;
  font-size: 13px;
}
.wide.one-api thead i {
  display: none;
}
.wide td b::after {
  content: " " attr(data-condition);
  font-weight: 500;
}
.wide.one-os thead i {
  font-size: 12px;
  white-space: nowrap;
}
.wide.one-os thead i::after {
  content: " " attr(data-name);
}
#why {
  position: sticky;
  bottom: 0;
  margin: 0 -8px;
  padding: 12px 52px 14px 20px;
  min-height: 112px;
  z-index: 4;
  background: var(--card);
  border: 1px solid var(--line);
  border-bottom: 0;
  border-radius: 14px 14px 0 0;
  box-shadow: 0 -8px 30px rgb(0 0 0 / 0.12);
}
#hint {
  margin: auto 0 12px;
  font-size: 13px;
  color: var(--soft);
}
#close {
  all: unset;
  box-sizing: border-box;
  position: absolute;
  top: 6px;
  right: 8px;
  width: 36px;
  height: 36px;
  border-radius: 9px;
  font-size: 22px;
  line-height: 36px;
  text-align: center;
  color: var(--soft);
  cursor: pointer;
}
#close:hover {
  background: var(--page);
  color: var(--text);
}
#close:focus-visible {
  outline: 2px solid var(--accent);
}
#why p {
  margin: 0;
  color: var(--soft);
}
#why h2 {
  margin: 0 0 2px;
  font-size: 16px;
  display: flex;
  flex-wrap: wrap;
  gap: 4px 10px;
  align-items: center;
}
#why h2 b {
  display: inline-block;
  width: 20px;
  height: 20px;
  line-height: 20px;
  border-radius: 5px;
}
#why h2 span {
  font-weight: 400;
  color: var(--soft);
}
#why dl {
  display: grid;
  grid-template-columns: max-content 1fr;
  gap: 1px 14px;
  margin: 6px 0 0;
}
#why dt {
  color: var(--soft);
}
#why dd {
  margin: 0;
  overflow-wrap: anywhere;
}
@media (min-width: 900px) {
  #reason {
    display: grid;
    grid-template-columns: minmax(340px, 2fr) 3fr;
    gap: 2px 32px;
    align-items: start;
  }
  #why dl {
    margin-top: 0;
  }
}
#nothing {
  padding: 22px 16px;
  margin: 0;
  color: var(--soft);
}
@media (max-width: 640px) {
  body {
    padding: 0 14px;
  }
  h1 {
    font-size: 21px;
    margin-top: 20px;
  }
  #controls {
    gap: 12px;
  }
  .search,
  #search {
    width: 100%;
  }
  fieldset {
    flex-wrap: nowrap;
    overflow-x: auto;
    max-width: 100%;
    padding: 3px;
    margin: -3px;
    scrollbar-width: none;
  }
  tr:not(.group) > th:first-child {
    min-width: 118px;
    max-width: 118px;
    padding-left: 12px;
    font-size: 14px;
    overflow-wrap: anywhere;
  }
  .wide.one-os thead i::after {
    content: none;
  }
  tbody th small {
    display: block;
    margin-left: 0;
  }
  .wide td b::after {
    font-size: 11px;
  }
  #why {
    margin: 0 -14px;
    padding: 0;
    min-height: 0;
    font-size: 14px;
  }
  #reason {
    padding: 10px 14px 12px;
    max-height: 38vh;
    overflow-y: auto;
  }
  #why h2 {
    padding-right: 36px;
  }
  .group span {
    display: block;
    margin-left: 1.1em;
    font-size: 13px;
  }
}
"""##
    static let matrixHTML = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{app}}: external purchases by storefront</title>
<style>
{{{style}}}
</style>
</head>
<body>
<header>
<h1>Where may <em>{{app}}</em> sell outside the App Store?</h1>
<p>
{{#isOpen}}
In <strong>{{open}}</strong> of {{all}} storefronts.
{{/isOpen}}
{{^isOpen}}
In none of {{all}} storefronts yet.
{{/isOpen}}
{{#isPossible}}
Apple has programmes in <strong>{{possible}}</strong> more.
{{/isPossible}}
A native app on iOS, <span>rules of {{rules}}</span>, in force from <span>{{effectiveFrom}}</span>; read from
{{#files}}{{#follows}} and {{/follows}}<code>{{path}}</code>{{/files}}.
</p>
</header>
<form id="controls" role="search" onsubmit="return false">
<label class="search"><span>Storefront</span>
<input id="search" type="search" placeholder="Netherlands, NLD, nl, EEA…" autocomplete="off"></label>
<fieldset id="apis"><legend>API</legend>
<label><input type="radio" name="api" value="-1" checked><span>All</span></label>
{{#apis}}
<label><input type="radio" name="api" value="{{index}}"><span>{{number}} {{name}}</span></label>
{{/apis}}
</fieldset>
<fieldset id="versions"><legend>iOS</legend>
<label><input type="radio" name="os" value="-1" checked><span>All</span></label>
{{#systems}}
<label><input type="radio" name="os" value="{{index}}"><span>{{version}}</span></label>
{{/systems}}
</fieldset>
</form>
<ul id="legend" aria-label="What the marks mean">
<li><b class="v0"></b>yes</li>
<li><b class="v1"></b>no, the app’s files do not ask for it</li>
<li><b class="v3"></b>no, not on this system</li>
<li><b class="v2"></b>no, Apple does not offer it there</li>
</ul>
<noscript>
<p>The cells are filled by a script. <code>external-purchase matrix</code> prints them in a terminal.</p>
</noscript>
<div id="frame">
<table id="grid">
<thead>
<tr>
<th scope="col">Storefront</th>
{{#systems}}
<th scope="col" class="o{{index}}">iOS {{version}}<span class="marks">
{{#apis}}
<i class="a{{index}}" data-name="{{name}}">{{number}}</i>
{{/apis}}
</span></th>
{{/systems}}
</tr>
</thead>
{{#groups}}
<tbody id="{{id}}">
<tr class="group">
<th scope="rowgroup" colspan="{{columns}}">
<button type="button" aria-expanded="{{isExpanded}}">{{title}} <b>{{count}}</b> <span>{{meaning}}</span></button>
</th>
</tr>
{{#rows}}
<tr data-code="{{code}}" data-words="{{words}}">
<th scope="row" title="{{programmes}}">{{name}}<small>{{place}}</small></th>
</tr>
{{/rows}}
</tbody>
{{/groups}}
</table>
<p id="nothing" hidden>No storefront is called that.</p>
</div>
<p id="hint">Choose a mark with a click, or with the arrow keys and Enter, to read why.</p>
<aside id="why" aria-label="Why" hidden>
<div id="reason" aria-live="polite"></div>
<button type="button" id="close" aria-label="Close (Escape)">×</button>
</aside>
<script type="application/json" id="data">{{{data}}}</script>
<script>
{{{script}}}
</script>
</body>
</html>
"""##
    static let matrixJS = ##"""
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const grid = document.getElementById("grid"),
  why = document.getElementById("why"),
  reasonOf = document.getElementById("reason");
const search = document.getElementById("search"),
  nothing = document.getElementById("nothing");
const rows = [...grid.querySelectorAll("tr[data-code]")],
  apis = data.apis.length;
const isNarrow = matchMedia("(max-width: 640px)");
let current = null;
// After the panel was closed, pointing at a mark does not open it again; choosing one does.
let isClosed = false;

// A row gets its cells when it is first shown: most of the rows never are.
function fill(row) {
  if (row.cells.length > 1) return;
  const reasons = data.rows[row.dataset.code];
  data.os.forEach((_, os) => {
    const cell = row.insertCell();
    cell.className = "o" + os;
    const marks = cell.appendChild(document.createElement("span"));
    marks.className = "marks";
    for (let api = 0; api < apis; api++) {
      const mark = marks.appendChild(document.createElement("b"));
      const number = os * apis + api,
        reason = data.reasons[reasons[number]];
      mark.className = "a" + api + " v" + reason[0];
      mark.dataset.condition = reason[1] ? "C" + reason[1] : "";
      mark.dataset.n = number;
      mark.tabIndex = -1;
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", label(row, number));
    }
  });
}

function nameOf(row) {
  return row.cells[0].firstChild.textContent;
}

function label(row, number) {
  const reason = data.reasons[data.rows[row.dataset.code][number]];
  return (
    nameOf(row) +
    ", " +
    data.os[Math.floor(number / apis)] +
    ", " +
    data.apis[number % apis].name +
    ": " +
    (reason[0] === 0 ? "yes" : "no, " + data.texts[reason[2]])
  );
}

function element(tag, text, parent) {
  const made = document.createElement(tag);
  made.textContent = text;
  return parent.appendChild(made);
}

function forget() {
  if (current) current.classList.remove("shown");
  current = null;
  why.hidden = true;
}
function close() {
  isClosed = true;
  const mark = current,
    hadFocus = why.contains(document.activeElement);
  forget();
  if (hadFocus && mark) mark.focus();
}

function explain(mark) {
  if (mark === current) return;
  forget();
  current = mark;
  mark.classList.add("shown");
  why.hidden = false;
  const row = mark.closest("tr"),
    number = +mark.dataset.n,
    api = data.apis[number % apis];
  const [verdict, failed, detail, place, fix, next, programmes] = data.reasons[data.rows[row.dataset.code][number]];
  reasonOf.replaceChildren();
  const head = element("div", "", reasonOf),
    title = element("h2", "", head);
  element("b", "", title).className = "v" + verdict;
  title.append(api.name);
  element("span", nameOf(row) + " · " + data.os[Math.floor(number / apis)], title);
  element("p", api.purpose, head);
  const list = element("dl", "", reasonOf);
  const say = (name, text, tag) => {
    if (!text) return;
    element("dt", name, list);
    const value = element("dd", "", list);
    if (tag) element(tag, text, value);
    else value.textContent = text;
  };
  if (verdict === 0) say("Yes", data.texts[detail]);
  else say("No", data.texts[detail] + " (" + data.conditions[failed - 1] + ")");
  say("Where", data.texts[place], "code");
  say(verdict === 0 ? "Tokens" : "Fix", data.texts[fix]);
  say("Next", data.texts[next]);
  say("Programme", data.texts[programmes]);
  say("Minors", data.minors[row.dataset.code]);
}

function chosen(name) {
  return +document.querySelector("input[name=" + name + "]:checked").value;
}

const rules = document.head.appendChild(document.createElement("style")).sheet;
function show() {
  const api = chosen("api"),
    os = chosen("os"),
    words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  while (rules.cssRules.length) rules.deleteRule(0);
  for (let i = 0; i < apis; i++) if (api >= 0 && i !== api) rules.insertRule("#grid .a" + i + "{display:none}");
  data.os.forEach((_, i) => {
    if (os >= 0 && i !== os) rules.insertRule("#grid .o" + i + "{display:none}");
  });
  grid.classList.toggle("wide", api >= 0 || os >= 0);
  grid.classList.toggle("one-os", os >= 0);
  grid.classList.toggle("one-api", api >= 0);
  let found = 0;
  for (const body of grid.tBodies) {
    const button = body.querySelector("button");
    const isOpen = words.length > 0 || button.getAttribute("aria-expanded") === "true";
    let here = 0;
    for (const row of body.querySelectorAll("tr[data-code]")) {
      const fits = words.every((word) =>
        word.length <= 3 && word !== "eea"
          ? row.dataset.words.split(/[\s,;]+/).some((part) => part.startsWith(word))
          : row.dataset.words.includes(word),
      );
      if (fits) here++;
      row.hidden = !(fits && isOpen);
      if (!row.hidden) fill(row);
    }
    body.hidden = here === 0;
    button.querySelector("b").textContent = here;
    found += here;
  }
  nothing.hidden = found > 0;
  enter();
  follow();
}

// A panel about a mark that is filtered away tells of one that is shown, in the same row if that is.
function follow() {
  if (isClosed || (current && current.offsetParent)) return;
  const row = current && !current.closest("tr").hidden ? current.closest("tr") : rows.find((one) => !one.hidden);
  const line = row && !isNarrow.matches ? visible(row).reverse() : [];
  // Of a row, the newest system where something is possible.
  const mark = line.find((one) => one.classList.contains("v0")) || line[0];
  if (mark) explain(mark);
  else forget();
}

// One mark is in the tab order; the arrow keys walk over those that are visible.
function enter() {
  const entry = grid.querySelector("b[tabindex='0']");
  if (entry && entry.offsetParent) return;
  if (entry) entry.tabIndex = -1;
  const row = rows.find((one) => !one.hidden),
    first = row && visible(row)[0];
  if (first) first.tabIndex = 0;
}
function visible(row) {
  return [...row.querySelectorAll("td b")].filter((mark) => mark.offsetParent);
}
function walk(to) {
  if (!to) return;
  for (const mark of grid.querySelectorAll("b[tabindex='0']")) mark.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
  to.scrollIntoView({ block: "nearest", inline: "nearest" });
}
function choose(mark) {
  isClosed = false;
  explain(mark);
}
grid.addEventListener("keydown", (event) => {
  const mark = event.target.closest("td b");
  if (!mark) return;
  const row = mark.closest("tr"),
    line = visible(row),
    at = line.indexOf(mark);
  const shown = rows.filter((one) => !one.hidden),
    y = shown.indexOf(row);
  const above = (key) => (key === "ArrowUp" ? shown[y - 1] : shown[y + 1]);
  let to = null;
  switch (event.key) {
    case "ArrowRight":
      to = line[at + 1];
      break;
    case "ArrowLeft":
      to = line[at - 1];
      break;
    case "Home":
      to = line[0];
      break;
    case "End":
      to = line[line.length - 1];
      break;
    case "ArrowUp":
    case "ArrowDown": {
      const other = above(event.key);
      to = other && visible(other)[at];
      break;
    }
    case "Enter":
    case " ":
      choose(mark);
      break;
    default:
      return;
  }
  event.preventDefault();
  walk(to);
});
grid.addEventListener("focusin", (event) => {
  const mark = event.target.closest("td b");
  if (mark && !isClosed) explain(mark);
});
grid.addEventListener("mouseover", (event) => {
  const mark = event.target.closest("td b");
  if (mark && !isClosed && !isNarrow.matches) explain(mark);
});
document.getElementById("close").addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !why.hidden) close();
});
grid.addEventListener("click", (event) => {
  const button = event.target.closest(".group button"),
    mark = event.target.closest("td b");
  if (mark) {
    choose(mark);
    walk(mark);
  }
  if (!button) return;
  button.setAttribute("aria-expanded", button.getAttribute("aria-expanded") !== "true");
  show();
});
document.getElementById("controls").addEventListener("input", show);
// A narrow screen begins with one system, so that the answers need no scrolling, and with all of it for the table.
if (isNarrow.matches) {
  isClosed = true;
  document.querySelector("input[name=os][value='" + Math.max(0, data.os.length - 2) + "']").checked = true;
}
for (const input of document.querySelectorAll("fieldset input:checked")) {
  const group = input.closest("fieldset"),
    choice = input.parentElement;
  group.scrollLeft = choice.offsetLeft - group.offsetLeft - group.clientWidth + choice.offsetWidth + 40;
}
show();
"""##
}

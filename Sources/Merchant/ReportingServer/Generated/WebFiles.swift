// Generated from Sources/Merchant/ReportingServer/Web by `./run tables`. Do not edit.
// swift-format-ignore-file
enum WebFiles {
    static let actionHTML = ##"""
<p class="soft">{{text}}</p>
<p><a class="button {{style}}" href="{{href}}">{{label}}</a></p>
"""##
    static let batchHTML = ##"""
<p class="tick" hidden><button type="button" class="plain" data-tick>Tick all</button></p>
{{{items}}}
"""##
    static let cardHTML = ##"""
<section class="card {{style}}" aria-label="{{label}}">
{{#titles}}
<h2>{{text}}</h2>
{{/titles}}
{{{content}}}
</section>
"""##
    static let dashboardCSS = ##"""
:root {
  color-scheme: light dark;
  --page: #f6f6f4;
  --card: #ffffff;
  --text: #1d1d1f;
  --soft: #5c5c64;
  --line: #e2e2df;
  --hover: #f5f7fa;
  --accent: #0b5cc0;
  --on-accent: #ffffff;
  --field: #ffffff;
  --edge: #85858d;
  --good: #14733a;
  --good-bg: #e0f3e6;
  --bad: #a8261b;
  --bad-bg: #fbe7e4;
  --wait: #7a4b00;
  --wait-bg: #fcefd2;
  --info: #1f4f8f;
  --info-bg: #e4edf9;
  --code: #f4f4f2;
  --bar: #5b8fd0;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121214;
    --card: #1b1b1e;
    --text: #f1f1f3;
    --soft: #a9a9b3;
    --line: #333338;
    --hover: #222227;
    --accent: #7ab8ff;
    --on-accent: #06203f;
    --field: #242428;
    --edge: #7d7d87;
    --good: #62d28c;
    --good-bg: #12331f;
    --bad: #ff9d92;
    --bad-bg: #421713;
    --wait: #ffd489;
    --wait-bg: #42300c;
    --info: #a9ccff;
    --info-bg: #182c49;
    --code: #141417;
    --bar: #5d8fce;
  }
}
* {
  box-sizing: border-box;
}
[hidden] {
  display: none !important;
}
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  min-width: 320px;
  font:
    15px/1.5 system-ui,
    -apple-system,
    "Segoe UI",
    Roboto,
    sans-serif;
}
h1,
h2,
h3,
h4,
p,
ul,
ol,
dl,
dd,
figure {
  margin: 0;
  padding: 0;
}
ul,
ol {
  list-style: none;
}
h1 {
  font-size: 22px;
  font-weight: 660;
  letter-spacing: -0.012em;
  line-height: 1.3;
  overflow-wrap: anywhere;
}
h2 {
  font-size: 15.5px;
  font-weight: 650;
}
h3 {
  font-size: 15px;
  font-weight: 620;
}
h4 {
  font-size: 14px;
  font-weight: 600;
  margin: 14px 0 6px;
}
h2 small,
h4 small {
  font-weight: 400;
  color: var(--soft);
  font-size: 13px;
}
a {
  color: var(--accent);
  text-decoration-thickness: 1px;
  text-underline-offset: 2px;
}
a:not(:hover) {
  text-decoration-color: color-mix(in srgb, currentcolor 35%, transparent);
}
code,
pre,
td.id,
bdi.id,
.mono {
  font-family: var(--mono);
  font-size: 0.9em;
}
code,
bdi {
  overflow-wrap: anywhere;
}
.soft {
  color: var(--soft);
}
.small {
  font-size: 13px;
}
.bad-text {
  color: var(--bad);
}
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  margin: 0;
  white-space: nowrap;
}
.skip {
  position: absolute;
  left: 16px;
  top: -60px;
  background: var(--text);
  color: var(--page);
  padding: 8px 14px;
  border-radius: 8px;
  z-index: 9;
}
.skip:focus {
  top: 8px;
}
:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
}
main:focus {
  outline: none;
}

button,
.button,
select,
textarea,
input:not([type="hidden"]) {
  font: inherit;
  color: inherit;
  border: 1px solid var(--edge);
  background: var(--field);
  border-radius: 8px;
  padding: 6px 12px;
  min-height: 36px;
}
::placeholder {
  color: var(--soft);
  opacity: 0.85;
}
button,
.button {
  cursor: pointer;
  display: inline-block;
  text-decoration: none;
  border-color: var(--line);
  box-shadow: 0 1px 1px rgb(0 0 0 / 0.04);
}
button:hover,
.button:hover {
  border-color: var(--edge);
}
.primary {
  background: var(--accent);
  border-color: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
}
.danger {
  color: var(--bad);
  border-color: var(--bad);
}
.plain {
  border-color: transparent;
  background: none;
  box-shadow: none;
  color: var(--accent);
  padding-inline: 6px;
}
.copy {
  font-family: inherit;
  font-size: 12.5px;
  font-weight: 400;
  letter-spacing: 0;
  min-height: 26px;
  padding: 1px 9px;
  vertical-align: 2px;
  margin-left: 4px;
}
.buttons {
  display: flex;
  flex-wrap: wrap;
  gap: 8px;
}

.bar {
  display: flex;
  align-items: center;
  gap: 12px 20px;
  padding: 10px 24px;
  background: var(--card);
  border-bottom: 1px solid var(--line);
}
.brand {
  display: flex;
  font-weight: 650;
  width: 196px;
  flex: none;
}
.brand a {
  color: inherit;
  text-decoration: none;
  display: inline-flex;
  align-items: center;
  gap: 9px;
}
.brand rect {
  fill: var(--accent);
}
.brand path {
  stroke: var(--on-accent);
  stroke-width: 1.6;
  stroke-linecap: round;
}
.search {
  display: flex;
  gap: 8px;
  flex: 1;
  min-width: 0;
  max-width: 560px;
}
.search input {
  flex: 1;
  min-width: 0;
}
.who {
  margin-left: auto;
  display: flex;
  align-items: center;
  gap: 6px;
  font-size: 14px;
  min-width: 0;
}
.who .name {
  color: var(--soft);
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  max-width: 200px;
}
.frame {
  display: grid;
  grid-template-columns: 220px minmax(0, 1fr);
  max-width: 1460px;
}
nav[aria-label="Pages"] {
  padding: 18px 12px;
  font-size: 14.5px;
}
.menu summary {
  display: none;
}
.menu h2 {
  font-size: 12px;
  font-weight: 600;
  color: var(--soft);
  padding: 14px 12px 4px;
}
.menu h2:first-of-type {
  padding-top: 0;
}
.menu a {
  display: flex;
  justify-content: space-between;
  align-items: center;
  padding: 5px 12px;
  border-radius: 8px;
  color: inherit;
  text-decoration: none;
}
.menu a:hover {
  background: color-mix(in srgb, var(--text) 6%, transparent);
}
.menu a[aria-current] {
  background: color-mix(in srgb, var(--accent) 13%, transparent);
  color: var(--accent);
  font-weight: 600;
}
.badge {
  background: var(--wait-bg);
  color: var(--wait);
  border-radius: 99px;
  padding: 0 8px;
  font-size: 12.5px;
  font-weight: 600;
  font-variant-numeric: tabular-nums;
}
main {
  padding: 24px 28px 40px;
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 18px;
  align-content: start;
  max-width: 1200px;
  min-width: 0;
}
footer {
  color: var(--soft);
  font-size: 12.5px;
  padding: 0 24px 24px 248px;
}

.head {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: end;
  gap: 12px 24px;
}
.head > div {
  min-width: 0;
  max-width: 82ch;
}
.head .soft {
  text-wrap: pretty;
}
.crumb {
  font-size: 13.5px;
  margin-bottom: 2px;
}
.lead {
  margin-top: 6px;
  overflow-wrap: anywhere;
  text-wrap: pretty;
}
.ident {
  color: var(--soft);
  font-size: 13.5px;
  overflow-wrap: anywhere;
}
.chips {
  display: flex;
  flex-wrap: wrap;
  gap: 6px;
  margin-top: 6px;
}
.chips:empty {
  display: none;
}
.chip {
  display: inline-block;
  border-radius: 99px;
  padding: 1px 10px;
  font-size: 12.5px;
  font-weight: 550;
  background: color-mix(in srgb, var(--text) 9%, transparent);
  color: var(--text);
  white-space: nowrap;
}
.chip.good {
  background: var(--good-bg);
  color: var(--good);
}
.chip.bad {
  background: var(--bad-bg);
  color: var(--bad);
}
.chip.wait {
  background: var(--wait-bg);
  color: var(--wait);
}
.chip.info {
  background: var(--info-bg);
  color: var(--info);
}
.notice {
  border-radius: 10px;
  padding: 10px 14px;
  background: var(--info-bg);
  color: var(--info);
  overflow-wrap: anywhere;
}
.notice.good {
  background: var(--good-bg);
  color: var(--good);
}
.notice.bad {
  background: var(--bad-bg);
  color: var(--bad);
}
.notice.wait {
  background: var(--wait-bg);
  color: var(--wait);
}
.card {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: 16px 18px;
  min-width: 0;
}
.card > h2 {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: baseline;
  gap: 2px 12px;
  margin-bottom: 10px;
}
.card > h2 a {
  font-size: 13.5px;
  font-weight: 400;
}
.card > p + p,
.card > p + form {
  margin-top: 8px;
}
.empty {
  color: var(--soft);
  padding: 6px 0;
}
.health > h2 {
  justify-content: start;
  align-items: center;
  margin-bottom: 6px;
}
.tiles {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(190px, 1fr));
  gap: 14px;
}
.tiles a {
  display: grid;
  gap: 0;
  height: 100%;
  align-content: start;
  background: var(--card);
  border: 1px solid var(--line);
  border-left: 4px solid var(--line);
  border-radius: 12px;
  padding: 12px 16px 13px;
  color: inherit;
  text-decoration: none;
}
.tiles a:hover {
  border-color: var(--edge);
}
.tiles b {
  font-size: 27px;
  line-height: 1.25;
  font-weight: 620;
  letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums;
}
.tiles span {
  font-weight: 600;
}
.tiles small {
  color: var(--soft);
  font-size: 13px;
}
.tiles .bad a {
  border-left-color: var(--bad);
}
.tiles .bad b {
  color: var(--bad);
}
.tiles .wait a {
  border-left-color: var(--wait);
}
.tiles .wait b {
  color: var(--wait);
}
.tiles .good a {
  border-left-color: var(--good);
}
.switch {
  display: inline-flex;
  border: 1px solid var(--line);
  border-radius: 9px;
  overflow: hidden;
  background: var(--card);
  font-size: 14px;
}
.switch a {
  padding: 5px 14px;
  color: inherit;
  text-decoration: none;
}
.switch a[aria-current] {
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
}

.table {
  overflow-x: auto;
}
table {
  border-collapse: collapse;
  width: 100%;
  font-size: 14px;
}
th {
  text-align: start;
  font-size: 12.5px;
  font-weight: 600;
  color: var(--soft);
  padding: 4px 14px 7px 0;
  border-bottom: 1px solid var(--line);
  white-space: nowrap;
}
td {
  padding: 8px 14px 8px 0;
  border-bottom: 1px solid var(--line);
  vertical-align: top;
}
th:last-child,
td:last-child {
  padding-right: 0;
}
tbody tr:last-child td {
  border-bottom: 0;
}
tbody tr:hover td {
  background: var(--hover);
}
td small {
  display: block;
  color: var(--soft);
  font-size: 12.5px;
}
td time,
.facts time {
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
td.id a,
td.id bdi {
  display: inline-block;
  max-width: 21ch;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  vertical-align: bottom;
}
td.id small,
td.id small bdi {
  max-width: 34ch;
  font-family: system-ui, sans-serif;
}
/* A column is as wide as its longest word, so that words are not broken; longer ones than this are. */
td:not(.id, .wide) > bdi {
  display: inline-block;
  max-width: 36ch;
  overflow-wrap: break-word;
}
.number {
  text-align: end;
  font-variant-numeric: tabular-nums;
}
td.number {
  white-space: nowrap;
}
td.wide {
  min-width: 22ch;
}
.card.flush {
  padding-block: 10px 6px;
}

.filter {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(168px, 1fr));
  gap: 10px 14px;
  align-items: end;
  padding-block: 12px 14px;
}
label > span small {
  font-weight: 400;
  font-size: 12px;
}
label > span {
  display: block;
  font-size: 12.5px;
  font-weight: 550;
  color: var(--soft);
  margin-bottom: 3px;
}
.filter select,
.filter input,
.fields select,
.fields textarea,
.fields input:not([type="hidden"]) {
  width: 100%;
}
.fields {
  display: grid;
  gap: 12px;
  max-width: 520px;
}
.fields label > small {
  color: var(--soft);
  font-size: 12.5px;
}
.fields.inline {
  max-width: none;
  grid-template-columns: repeat(auto-fill, minmax(200px, 1fr));
  align-items: start;
}
.fields.inline > p,
.fields.inline > .buttons {
  grid-column: 1 / -1;
}
.pager {
  display: flex;
  gap: 8px;
}
.facts {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(230px, 1fr));
  gap: 12px 24px;
}
.facts dt {
  font-size: 12.5px;
  font-weight: 550;
  color: var(--soft);
}
.facts dd {
  overflow-wrap: anywhere;
}
.facts dd small {
  display: block;
  color: var(--soft);
  font-size: 12.5px;
}
.facts .chip {
  margin-top: 1px;
}

.timeline {
  margin: 4px 0 2px;
}
.timeline li {
  display: grid;
  grid-template-columns: 158px minmax(0, 1fr);
  gap: 4px 34px;
  padding-bottom: 16px;
  position: relative;
}
.timeline li::before {
  content: "";
  position: absolute;
  left: 169px;
  top: 6px;
  width: 11px;
  height: 11px;
  border-radius: 50%;
  background: var(--card);
  border: 2.5px solid var(--edge);
  z-index: 1;
}
.timeline li:not(:last-child)::after {
  content: "";
  position: absolute;
  left: 174px;
  top: 14px;
  bottom: -8px;
  width: 1px;
  background: var(--line);
}
.timeline li.good::before {
  border-color: var(--good);
  background: var(--good);
}
.timeline li.bad::before {
  border-color: var(--bad);
  background: var(--bad);
}
.timeline li.wait::before {
  border-color: var(--wait);
}
.timeline li.info::before {
  border-color: var(--accent);
}
.timeline .when {
  color: var(--soft);
  font-size: 13px;
  line-height: 23px;
  font-variant-numeric: tabular-nums;
}
.timeline .when small {
  display: block;
  font-size: 12px;
  line-height: 1.3;
}
.payload {
  margin-top: 6px;
}
.payload summary {
  cursor: pointer;
  font-size: 13.5px;
  color: var(--accent);
  width: fit-content;
  border-radius: 4px;
}
.payload summary small {
  color: var(--soft);
}
pre {
  background: var(--code);
  border: 1px solid var(--line);
  border-radius: 8px;
  padding: 12px 14px;
  margin: 6px 0;
  overflow: auto;
  max-height: 520px;
  font-size: 12.5px;
  line-height: 1.5;
  unicode-bidi: isolate;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
pre code {
  font-size: inherit;
}

.item {
  padding: 12px 0;
  border-top: 1px solid var(--line);
  max-width: 96ch;
}
.item:first-of-type {
  border-top: 0;
  padding-top: 2px;
}
.item p {
  overflow-wrap: anywhere;
}
.item .way {
  margin-top: 4px;
}
.item .links {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 16px;
  margin-top: 4px;
}
input[type="checkbox"]:not([type="hidden"]) {
  width: 18px;
  min-height: 18px;
  height: 18px;
  padding: 0;
  margin: 0 4px 0 0;
  vertical-align: -3px;
  accent-color: var(--accent);
}
.fields:has(> .content) {
  max-width: 96ch;
}
.fields > .content + p {
  border-top: 1px solid var(--line);
  padding-top: 12px;
}
.fields:has(> .content) > label {
  max-width: 520px;
}
.tick {
  margin-bottom: 6px;
}
.arrow {
  font-weight: 400;
}
.prose {
  max-width: 82ch;
}
.prose > * + * {
  margin-top: 10px;
}
.prose ol {
  list-style: decimal;
  padding-left: 24px;
}
.prose li + li {
  margin-top: 6px;
}
.prose td,
.prose p,
.prose li {
  overflow-wrap: anywhere;
}
.way strong {
  color: var(--soft);
  font-weight: 600;
  margin-right: 4px;
}
.chart {
  margin-bottom: 14px;
}
.chart figcaption {
  font-size: 13px;
  color: var(--soft);
  margin-bottom: 6px;
}
.chart svg {
  width: 100%;
  height: 96px;
  display: block;
}
.chart .axis {
  stroke: var(--line);
  vector-effect: non-scaling-stroke;
}
.chart rect {
  fill: var(--bar);
}
.chart rect.none {
  fill: var(--line);
}
.scale {
  display: flex;
  justify-content: space-between;
  font-size: 12.5px;
  color: var(--soft);
}
.diff + .diff {
  margin-top: 18px;
  padding-top: 16px;
  border-top: 1px solid var(--line);
}
del {
  color: var(--bad);
  text-decoration-thickness: 1px;
}
ins {
  color: var(--good);
  text-decoration: none;
  font-weight: 600;
}
.plain-list li {
  padding: 2px 0;
}

.secret {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 6px 10px;
}
.secret code {
  background: var(--code);
  border: 1px solid var(--line);
  border-radius: 8px;
  padding: 8px 12px;
  user-select: all;
}
.card.bad {
  border-color: var(--bad);
}

.lone {
  display: grid;
  place-items: center;
  min-height: 100vh;
  padding: 24px 16px;
}
.signin {
  width: 100%;
  max-width: 380px;
  padding: 26px 28px 28px;
  gap: 14px;
}
.signin .button {
  display: block;
  text-align: center;
}

@media (width <= 900px) {
  .frame {
    display: block;
  }
  .bar {
    flex-wrap: wrap;
    padding: 10px 16px;
  }
  .brand {
    width: auto;
  }
  .search {
    order: 3;
    flex-basis: 100%;
    max-width: none;
  }
  nav[aria-label="Pages"] {
    padding: 8px 16px 0;
  }
  .menu {
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 10px;
    padding: 0 8px;
  }
  .menu summary {
    display: block;
    cursor: pointer;
    padding: 8px;
    font-weight: 600;
  }
  .menu[open] {
    padding-bottom: 10px;
  }
  .menu ul {
    columns: 2;
  }
  main {
    padding: 16px 16px 32px;
  }
  footer {
    padding: 0 16px 24px;
  }
}
@media (width <= 640px) {
  h1 {
    font-size: 20px;
  }
  .card {
    padding: 14px;
  }
  .tiles {
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 10px;
  }
  .tiles a {
    padding: 10px 12px;
  }
  thead {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  table,
  tbody,
  tr,
  td {
    display: block;
  }
  tr {
    padding: 9px 0;
    border-bottom: 1px solid var(--line);
  }
  tbody tr:last-child {
    border-bottom: 0;
  }
  td,
  td.number {
    display: grid;
    grid-template-columns: 108px minmax(0, 1fr);
    gap: 0 10px;
    padding: 2px 0;
    border: 0;
    text-align: start;
    white-space: normal;
  }
  td::before {
    content: attr(data-label);
    color: var(--soft);
    font-family: system-ui, sans-serif;
    font-size: 12.5px;
    line-height: 22px;
  }
  td > * {
    grid-column: 2;
    justify-self: start;
    max-width: 100%;
  }
  td:not(.id, .wide) > bdi {
    max-width: 100%;
  }
  td.id a,
  td.id bdi {
    max-width: 100%;
    white-space: normal;
  }
  .prose td {
    display: block;
  }
  .prose td::before {
    content: none;
  }
  .timeline li {
    grid-template-columns: minmax(0, 1fr);
    padding-left: 22px;
    gap: 0;
  }
  .timeline li::before {
    left: 0;
  }
  .timeline li:not(:last-child)::after {
    left: 5px;
  }
  .facts {
    grid-template-columns: 1fr;
    gap: 9px;
  }
  .filter {
    grid-template-columns: 1fr 1fr;
  }
}
@media (forced-colors: active) {
  .chip,
  .badge {
    border: 1px solid;
  }
}
@media print {
  nav,
  .search,
  .who,
  .filter,
  .pager,
  .copy {
    display: none;
  }
  .frame {
    display: block;
  }
  pre {
    max-height: none;
  }
}
"""##
    static let dashboardJS = ##"""
"use strict";

// Everything works without this script: it adds copying, local times, a shortcut for the search and a menu that closes.

const menu = document.querySelector(".menu");
const narrow = matchMedia("(width <= 900px)");
const adapt = () => {
  if (menu) menu.open = !narrow.matches;
};
narrow.addEventListener("change", adapt);
adapt();

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
}

for (const time of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(time.dateTime);
  if (!Number.isNaN(moment.getTime())) time.title = `${moment.toLocaleString()}, your time`;
}

// A button over the boxes of a form ticks all of them, or none.
for (const button of document.querySelectorAll("button[data-tick]")) {
  button.parentElement.hidden = false;
  button.addEventListener("click", () => {
    const boxes = [...button.form.querySelectorAll("input[type=checkbox]")];
    const isTicked = !boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = isTicked;
    button.textContent = isTicked ? "Tick none" : "Tick all";
  });
}

// A form that was sent is not sent twice by a second click.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("#q");
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});
"""##
    static let diffHTML = ##"""
{{#reports}}
<div class="diff">
<h3><a href="{{href}}">{{title}}</a></h3>
<p class="ident"><bdi class="id">{{token}}</bdi></p>
<p><span class="chip {{tone}}">{{verdict}}</span></p>
{{#errors}}
<p class="bad-text">{{text}}</p>
{{/errors}}
{{#items}}
<h4>{{action}} <bdi class="id">{{id}}</bdi>{{#causes}} <small>{{text}}</small>{{/causes}}</h4>
<div class="table" role="region" aria-label="{{caption}}" tabindex="0">
<table role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Field</th>
<th role="columnheader" scope="col">{{before}}</th><th role="columnheader" scope="col">After</th></tr></thead>
<tbody role="rowgroup">{{#changes}}
<tr role="row"><td role="cell" data-label="Field"><code>{{field}}</code></td>
<td role="cell" data-label="{{before}}"><del><bdi>{{old}}</bdi></del></td>
<td role="cell" data-label="After"><ins><bdi>{{new}}</bdi></ins></td></tr>{{/changes}}
</tbody>
</table>
</div>
{{/items}}
</div>
{{/reports}}
{{#remarks}}
<p class="{{tone}}"><strong>{{code}}</strong> {{text}}</p>
{{/remarks}}
"""##
    static let factsHTML = ##"""
<dl class="facts">
{{#facts}}
<div><dt>{{name}}</dt><dd class="{{style}}">{{#links}}<a href="{{href}}"><bdi>{{text}}</bdi></a> {{/links}}{{#chips}}
<span class="chip {{tone}}">{{text}}</span> {{/chips}}{{#times}}
<time datetime="{{machine}}">{{text}}</time>{{/times}}{{#texts}}<bdi>{{text}}</bdi>{{/texts}}{{#subs}}
<small><bdi>{{text}}</bdi></small>{{/subs}}</dd></div>
{{/facts}}
</dl>
"""##
    static let formHTML = ##"""
<form class="fields {{style}}" method="post" action="{{action}}">
<input type="hidden" name="csrf" value="{{csrf}}">
{{#hiddens}}
<input type="hidden" name="{{name}}" value="{{value}}">
{{/hiddens}}
{{#contents}}
<div class="content">
{{{markup}}}
</div>
{{/contents}}
{{#intros}}
<p class="soft">{{text}}</p>
{{/intros}}
{{#fields}}
<label><span>{{label}}{{#isOptional}} <small>optional</small>{{/isOptional}}</span>{{#isChoice}}
<select name="{{name}}">{{#options}}
<option value="{{value}}" {{#isSelected}}selected{{/isSelected}}>{{label}}</option>{{/options}}
</select>{{/isChoice}}{{#isText}}
<input name="{{name}}" value="{{value}}" placeholder="{{placeholder}}" maxlength="{{limit}}" autocomplete="off"
{{^isOptional}}required{{/isOptional}}>{{/isText}}{{#isLong}}
<textarea name="{{name}}" rows="3" maxlength="{{limit}}"
{{^isOptional}}required{{/isOptional}}>{{value}}</textarea>{{/isLong}}{{#hints}}
<small>{{text}}</small>{{/hints}}</label>
{{/fields}}
<div class="buttons">{{#buttons}}<button type="submit" class="{{style}}" name="{{name}}"
value="{{value}}">{{label}}</button>{{/buttons}}</div>
</form>
"""##
    static let homeHTML = ##"""
<header class="head">
<div>
<h1>Overview</h1>
<p class="soft">{{lead}}</p>
</div>
{{#hasEnvironments}}
<p class="switch" role="group" aria-label="Environment">{{#environments}}<a href="{{href}}"
{{#isCurrent}}aria-current="true"{{/isCurrent}}>{{label}}</a>{{/environments}}</p>
{{/hasEnvironments}}
</header>
<section class="card health {{tone}}" aria-labelledby="health">
<h2 id="health"><span class="chip {{tone}}">{{state}}</span> {{summary}}</h2>
{{#problems}}
<p><strong>{{name}}</strong> <span>{{text}}</span></p>
{{/problems}}
<p class="soft small">{{sender}}</p>
</section>
<ul class="tiles">
{{#tiles}}
<li class="{{tone}}"><a href="{{href}}"><b>{{count}}</b> <span>{{label}}</span> <small>{{note}}</small></a></li>
{{/tiles}}
</ul>
<section class="card" aria-labelledby="due">
<h2 id="due">Due next <a href="/due">All that is due</a></h2>
{{{due}}}
</section>
<section class="card" aria-labelledby="review">
<h2 id="review">Needs review <a href="/review">All that needs review</a></h2>
{{{review}}}
</section>
{{#months}}
<section class="card" aria-labelledby="{{anchor}}">
<h2 id="{{anchor}}">{{title}} <small>{{note}}</small></h2>
{{{body}}}
</section>
{{/months}}
"""##
    static let iconSVG = ##"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect x="1" y="1" width="18" height="18" rx="5" fill="#0b63ce"/><path d="M6 7h8M6 10h8M6 13h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>
"""##
    static let layoutHTML = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<meta name="robots" content="noindex">
<title>{{title}} · External Purchase</title>
<link rel="icon" href="{{icon}}" type="image/svg+xml">
<link rel="stylesheet" href="{{style}}">
<script src="{{script}}" defer></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="bar">
<p class="brand"><a href="/"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><rect x="1" y="1"
width="18" height="18" rx="5"/><path d="M6 7h8M6 10h8M6 13h5"/></svg> External Purchase</a></p>
<form class="search" role="search" action="/search" method="get">
<label class="visually-hidden" for="q">Search by any id</label>
<input id="q" name="q" type="search" value="{{query}}" placeholder="Search by any id" autocomplete="off"
spellcheck="false" maxlength="512">
<button type="submit">Search</button>
</form>
<div class="who">
{{#user}}
<span class="name"><span class="visually-hidden">Signed in as </span><bdi>{{name}}</bdi>, {{role}}</span>
{{#signsOut}}
<form action="/sign-out" method="post">
<input type="hidden" name="csrf" value="{{csrf}}">
<button type="submit" class="plain">Sign out</button>
</form>
{{/signsOut}}
{{/user}}
{{#isOpen}}
<span class="name">No sign-in needed</span>
{{/isOpen}}
</div>
</header>
<div class="frame">
<nav aria-label="Pages">
<details class="menu" open>
<summary>Menu</summary>
{{#groups}}
<h2>{{name}}</h2>
<ul>
{{#pages}}
<li><a href="{{href}}" {{#isCurrent}}aria-current="page"{{/isCurrent}}>{{label}}{{#badge}}
<span class="badge">{{count}}<span class="visually-hidden"> {{meaning}}</span></span>{{/badge}}</a></li>
{{/pages}}
</ul>
{{/groups}}
</details>
</nav>
<main id="content" tabindex="-1">
{{#notices}}
<p class="notice {{tone}}" role="status">{{text}}</p>
{{/notices}}
{{{content}}}
</main>
</div>
<footer><p>All times are in UTC unless they name another zone. {{clock}}</p></footer>
</body>
</html>
"""##
    static let listHTML = ##"""
<header class="head">
<div>
<h1>{{title}}</h1>
<p class="soft">{{lead}}</p>
</div>
{{#links}}
<p class="actions"><a class="button" href="{{href}}">{{label}}</a></p>
{{/links}}
</header>
{{#hasFilter}}
<form class="filter card" method="get" action="{{action}}" aria-label="Filter">
{{#fields}}
<label><span>{{label}}</span>{{#isChoice}}<select name="{{name}}">{{#options}}
<option value="{{value}}" {{#isSelected}}selected{{/isSelected}}>{{label}}</option>{{/options}}
</select>{{/isChoice}}{{#isText}}
<input name="{{name}}" value="{{value}}" placeholder="{{placeholder}}" spellcheck="false" autocomplete="off">{{/isText}}
</label>
{{/fields}}
<div class="buttons"><button type="submit" class="primary">Filter</button>{{#resets}}
<a class="button" href="{{href}}">Reset</a>{{/resets}}</div>
</form>
{{/hasFilter}}
{{{content}}}
{{#pagers}}
<nav class="pager" aria-label="Pages of the list">{{#firsts}}<a class="button" href="{{href}}">Newest</a>{{/firsts}}
{{#nexts}}<a class="button" href="{{href}}" rel="next">{{label}}</a>{{/nexts}}</nav>
{{/pagers}}
"""##
    static let loneHTML = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="{{referrer}}">
<meta name="robots" content="noindex">
<title>{{title}} · External Purchase</title>
<link rel="icon" href="{{icon}}" type="image/svg+xml">
<link rel="stylesheet" href="{{style}}">
</head>
<body class="lone">
{{{content}}}
</body>
</html>
"""##
    static let mainHTML = ##"""
<main id="content">
{{{content}}}
</main>
"""##
    static let monthHTML = ##"""
{{#charts}}
<figure class="chart">
<figcaption>{{caption}}</figcaption>
<svg viewBox="0 0 {{width}} {{height}}" role="img" aria-label="{{description}}" preserveAspectRatio="none">
<line class="axis" x1="0" x2="{{width}}" y1="{{base}}" y2="{{base}}"></line>
{{#bars}}
<rect class="{{style}}" x="{{x}}" y="{{y}}" width="{{w}}" height="{{h}}"><title>{{text}}</title></rect>
{{/bars}}
</svg>
<p class="scale"><span>{{first}}</span><span>{{last}}</span></p>
</figure>
{{/charts}}
{{{table}}}
{{#notes}}
<p class="soft small">{{text}}</p>
{{/notes}}
"""##
    static let payloadHTML = ##"""
<details class="payload" {{#isOpen}}open{{/isOpen}}>
<summary>{{label}} <small>{{size}}</small></summary>
<pre tabindex="0" aria-label="{{label}}"><code>{{text}}</code></pre>
{{#exacts}}
<p class="small"><a href="{{href}}" download>Download the exact bytes</a></p>
{{/exacts}}
</details>
"""##
    static let problemHTML = ##"""
<header class="head">
<div>
<h1>{{title}}</h1>
<p class="soft">{{detail}}</p>
</div>
</header>
<section class="card" aria-label="What to do">
{{#hasErrors}}
<ul class="plain-list">
{{#errors}}
<li><code>{{path}}</code> {{message}}</li>
{{/errors}}
</ul>
{{/hasErrors}}
<p><a href="{{back}}">{{backLabel}}</a></p>
<p class="soft small">Status {{status}} · request <code>{{requestId}}</code>, which the server's log names too.</p>
</section>
"""##
    static let recordHTML = ##"""
<header class="head">
<div>
<p class="crumb"><a href="{{parentHref}}">{{parent}}</a></p>
<h1><bdi>{{title}}</bdi></h1>
{{#ids}}
<p class="ident"><bdi class="id">{{shown}}</bdi>
<button type="button" class="copy" data-copy="{{text}}" hidden>Copy</button></p>
{{/ids}}
<p class="chips">{{#chips}}<span class="chip {{tone}}">{{text}}</span> {{/chips}}</p>
{{#leads}}
<p class="lead">{{text}}</p>
{{/leads}}
</div>
</header>
{{#cards}}
<section class="card {{tone}}" aria-labelledby="{{anchor}}">
<h2 id="{{anchor}}">{{title}}{{#notes}} <small>{{text}}</small>{{/notes}}</h2>
{{{body}}}
</section>
{{/cards}}
"""##
    static let reviewHTML = ##"""
{{#items}}
<article class="item" aria-labelledby="{{anchor}}">
<header>
<h3>{{#boxes}}<input type="checkbox" name="{{name}}" value="on" aria-labelledby="{{anchor}}"> {{/boxes}}<a
id="{{anchor}}"
href="{{href}}"><bdi>{{title}}</bdi></a></h3>
<p class="soft small">{{#metas}}<span><bdi>{{text}}</bdi></span> {{/metas}}<time
datetime="{{machine}}">{{opened}}</time></p>
</header>
<p>{{problem}}</p>
<p class="way"><strong>Way out</strong> {{way}}</p>
<p class="small links">{{#links}}<a href="{{href}}"><bdi>{{text}}</bdi></a> {{/links}}</p>
</article>
{{/items}}
{{^items}}
<p class="empty">{{empty}}</p>
{{/items}}
"""##
    static let runbookHTML = ##"""
<div class="prose">
{{#blocks}}
{{#headings}}
<h3>{{{content}}}</h3>
{{/headings}}
{{#paragraphs}}
<p>{{{content}}}</p>
{{/paragraphs}}
{{#codes}}
<pre tabindex="0"><code>{{text}}</code></pre>
{{/codes}}
{{#lists}}
<ol>{{#items}}
<li>{{{content}}}</li>{{/items}}
</ol>
{{/lists}}
{{#tables}}
<div class="table" role="region" aria-label="Table" tabindex="0">
<table role="table">
<thead role="rowgroup">
<tr role="row">{{#heads}}<th role="columnheader" scope="col">{{{content}}}</th>{{/heads}}</tr></thead>
<tbody role="rowgroup">{{#rows}}
<tr role="row">{{#cells}}<td role="cell">{{{content}}}</td>{{/cells}}</tr>{{/rows}}
</tbody>
</table>
</div>
{{/tables}}
{{/blocks}}
</div>
"""##
    static let runbookpartHTML = ##"""
{{#parts}}{{#texts}}{{text}}{{/texts}}{{#strongs}}<strong>{{text}}</strong>{{/strongs}}{{#codes}}<code
>{{text}}</code>{{/codes}}{{#links}}<a href="{{href}}">{{text}}</a>{{/links}}{{/parts}}
"""##
    static let secretHTML = ##"""
<p class="secret"><code>{{text}}</code>
<button type="button" class="copy" data-copy="{{text}}" hidden>Copy the key</button></p>
<p>{{note}}</p>
<p class="soft small">A program sends it as <code>Authorization: Bearer {{prefix}}…</code></p>
"""##
    static let signedinHTML = ##"""
<main class="card signin">
<h1>Sign out</h1>
<p>The proxy in front of this server says who you are, so you sign out there.</p>
<p><a href="/">To the overview</a></p>
</main>
"""##
    static let signinHTML = ##"""
<main class="card signin">
<h1>Sign in</h1>
<p class="soft">The dashboard of the server that reports external purchases to Apple.</p>
{{#errors}}
<p class="notice bad" role="alert" id="error">{{text}}</p>
{{/errors}}
{{#hints}}
<p class="notice wait">{{text}} <code>{{command}}</code></p>
{{/hints}}
{{#providers}}
<p><a class="button primary" href="{{href}}">Sign in with {{name}}</a></p>
<p class="soft">Or with a password of this server:</p>
{{/providers}}
<form action="/sign-in" method="post" class="fields">
<input type="hidden" name="csrf" value="{{csrf}}">
<input type="hidden" name="next" value="{{next}}">
<label><span>Name</span>
<input name="name" value="{{name}}" autocomplete="username" autocapitalize="none" spellcheck="false" required
maxlength="128"></label>
<label><span>Password</span>
<input name="password" type="password" autocomplete="current-password" required maxlength="1024"></label>
<button type="submit" class="primary">Sign in</button>
</form>
</main>
"""##
    static let signinlinkHTML = ##"""
<main class="card signin">
<h1>Sign in</h1>
{{#errors}}
<p class="notice bad" role="alert" id="error">{{text}}</p>
{{/errors}}
{{#forms}}
<p class="soft">This link signs you in as <bdi>{{name}}</bdi>, once.</p>
<form action="/sign-in/link" method="post" class="fields">
<input type="hidden" name="csrf" value="{{csrf}}">
<input type="hidden" name="token" value="{{token}}">
<button type="submit" class="primary">Sign in</button>
</form>
{{/forms}}
{{#refusals}}
<p><a href="/sign-in">Sign in with a password</a></p>
{{/refusals}}
</main>
"""##
    static let tableHTML = ##"""
{{#hasRows}}
<div class="table" role="region" aria-label="{{caption}}" tabindex="0">
<table role="table">
<caption class="visually-hidden">{{caption}}</caption>
<thead role="rowgroup"><tr role="row">{{#columns}}
<th role="columnheader" scope="col" class="{{style}}"
{{#isSorted}}aria-sort="{{order}}"{{/isSorted}}>{{name}}{{#isSorted}}
<span class="arrow" aria-hidden="true">{{arrow}}</span>{{/isSorted}}</th>{{/columns}}
</tr></thead>
<tbody role="rowgroup">
{{#rows}}
<tr role="row">{{#cells}}
<td role="cell" class="{{style}}" data-label="{{label}}">{{#links}}<a href="{{href}}"
title="{{title}}"><bdi>{{text}}</bdi></a> {{/links}}{{#chips}}<span class="chip {{tone}}">{{text}}</span> {{/chips}}
{{#times}}<time datetime="{{machine}}">{{text}}</time>{{/times}}{{#texts}}<bdi>{{text}}</bdi>{{/texts}}
{{#subs}}<small><bdi>{{text}}</bdi></small>{{/subs}}</td>{{/cells}}
</tr>
{{/rows}}
</tbody>
</table>
</div>
{{/hasRows}}
{{^hasRows}}
<p class="empty">{{empty}}</p>
{{/hasRows}}
"""##
    static let timelineHTML = ##"""
<ol class="timeline">
{{#events}}
<li class="{{tone}}">
<p class="when"><time datetime="{{machine}}">{{time}}</time>{{#gaps}} <small>{{text}}</small>{{/gaps}}</p>
<div class="what">
<p><strong>{{title}}</strong>{{#links}} <a href="{{href}}"><bdi>{{text}}</bdi></a>{{/links}}</p>
{{#details}}
<p class="soft"><bdi>{{text}}</bdi></p>
{{/details}}
{{#payloads}}
{{{body}}}
{{/payloads}}
</div>
</li>
{{/events}}
</ol>
{{#notes}}
<p class="soft small">{{text}}</p>
{{/notes}}
"""##
}

// Generated from Sources/AppStore/AppStoreEmulator/Web by `./run tables`. Do not edit.
// swift-format-ignore-file
enum WebFiles {
    static let deviceCSS = ##"""
:root {
  color-scheme: light dark;
  --page: #f4f4f2;
  --card: #ffffff;
  --text: #1d1d1f;
  --soft: #62626a;
  --line: #e0e0dd;
  --accent: #0b63ce;
  --on-accent: #ffffff;
  --field: #ffffff;
  --good: #14733a;
  --good-bg: #e0f3e6;
  --bad: #a8261b;
  --bad-bg: #fbe7e4;
  --wait: #7a4b00;
  --wait-bg: #fcefd2;
  --bezel: #1d1d20;
  --screen: #ffffff;
  --shade: rgb(0 0 0 / 0.38);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121214;
    --card: #1c1c1f;
    --text: #f1f1f3;
    --soft: #a5a5af;
    --line: #343439;
    --accent: #6db1ff;
    --on-accent: #06203f;
    --field: #26262a;
    --good: #62d28c;
    --good-bg: #12331f;
    --bad: #ff9d92;
    --bad-bg: #421713;
    --wait: #ffd489;
    --wait-bg: #42300c;
    --bezel: #3a3a40;
    --screen: #0c0c0e;
    --shade: rgb(0 0 0 / 0.6);
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
  padding: 0 24px 32px;
  background: var(--page);
  color: var(--text);
  min-width: 320px;
  font:
    15px/1.45 system-ui,
    -apple-system,
    "Segoe UI",
    Roboto,
    sans-serif;
}
header,
main,
.problem {
  max-width: 1360px;
  margin-inline: auto;
}
header {
  display: flex;
  flex-wrap: wrap;
  gap: 8px 24px;
  align-items: center;
  justify-content: space-between;
  padding: 18px 0 14px;
}
h1 {
  font-size: 22px;
  margin: 0;
  font-weight: 680;
  letter-spacing: -0.01em;
}
h1 small {
  font-size: 14px;
  font-weight: 400;
  color: var(--soft);
  margin-left: 6px;
  letter-spacing: 0;
}
h2 {
  font-size: 15px;
  margin: 0 0 12px;
  font-weight: 650;
  display: flex;
  justify-content: space-between;
  align-items: baseline;
  gap: 12px;
}
h2 small {
  font-weight: 400;
  color: var(--soft);
  font-size: 13px;
}
code,
.mono {
  font: 0.9em var(--mono);
  overflow-wrap: anywhere;
}
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  margin: 0;
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
#phone:focus {
  outline: none;
}

button,
select,
input:not([type="checkbox"]):not([type="file"]) {
  font: inherit;
  color: inherit;
  border: 1px solid var(--line);
  background: var(--field);
  border-radius: 9px;
  padding: 6px 11px;
  min-height: 36px;
}
button {
  cursor: pointer;
}
button:hover:not(:disabled) {
  border-color: var(--soft);
}
button:disabled {
  opacity: 0.45;
  cursor: default;
}
.buttons {
  display: flex;
  flex-wrap: wrap;
  gap: 6px;
}
#clock {
  display: flex;
  flex-wrap: wrap;
  gap: 6px 16px;
  align-items: center;
}
#clock p {
  margin: 0;
  font-variant-numeric: tabular-nums;
}
.chip {
  display: inline-block;
  border-radius: 99px;
  padding: 1px 9px;
  font-size: 12px;
  background: var(--line);
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
.problem {
  background: var(--bad-bg);
  color: var(--bad);
  border-radius: 10px;
  padding: 10px 14px;
  margin-block: 0 14px;
  overflow-wrap: anywhere;
}

main {
  display: grid;
  grid-template-columns: 300px 372px minmax(0, 1fr);
  gap: 24px;
  align-items: start;
}
.card {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 14px;
  padding: 16px 18px;
  min-width: 0;
}
#side {
  display: grid;
  gap: 16px;
  min-width: 0;
}
#phone {
  position: sticky;
  top: 16px;
}

form {
  display: grid;
  gap: 12px;
}
label > span {
  display: block;
  font-size: 12.5px;
  color: var(--soft);
  margin-bottom: 3px;
}
form select {
  text-overflow: ellipsis;
}
form select,
form input:not([type="checkbox"]):not([type="file"]) {
  width: 100%;
}
.files {
  display: grid;
  gap: 8px;
}
.file {
  display: block;
  position: relative;
  border: 1px dashed var(--soft);
  border-radius: 10px;
  padding: 8px 12px;
  cursor: pointer;
  background: var(--field);
}
.file b {
  font-weight: 550;
  overflow-wrap: anywhere;
}
.file input {
  position: absolute;
  inset: 0;
  opacity: 0;
  cursor: pointer;
  width: 100%;
  height: 100%;
  font-size: 0;
}
.file:focus-within {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
}
.file.chosen {
  border-style: solid;
  border-color: var(--good);
}
.file:hover,
.file.over {
  border-color: var(--accent);
}
details > summary {
  cursor: pointer;
  color: var(--accent);
  padding: 4px 0;
  border-radius: 6px;
}
details[open] > summary {
  margin-bottom: 8px;
}
form details label {
  display: block;
  margin-bottom: 10px;
}
.check {
  display: flex !important;
  gap: 8px;
  align-items: center;
}
.check input {
  width: 18px;
  height: 18px;
  margin: 0;
  accent-color: var(--accent);
}

/* The phone. */
.frame {
  width: 372px;
  max-width: 100%;
  background: var(--bezel);
  border-radius: 52px;
  padding: 11px;
  box-shadow: 0 18px 40px rgb(0 0 0 / 0.16);
  margin: 0 auto;
}
.screen {
  position: relative;
  overflow: hidden;
  background: var(--screen);
  border-radius: 42px;
  height: 700px;
  display: flex;
  flex-direction: column;
}
.status {
  display: flex;
  justify-content: space-between;
  align-items: center;
  padding: 13px 26px 6px;
  font-size: 13.5px;
  font-weight: 600;
  font-variant-numeric: tabular-nums;
}
.status span {
  min-width: 68px;
}
.status span:last-child {
  text-align: right;
  color: var(--soft);
  font-weight: 500;
  font-size: 12px;
}
.status i {
  width: 88px;
  height: 24px;
  background: #000;
  border-radius: 20px;
}
.app {
  flex: 1;
  overflow-y: auto;
  padding: 18px 22px 26px;
  display: flex;
  flex-direction: column;
}
.app > * {
  flex: none;
}
.icon {
  width: 76px;
  height: 76px;
  border-radius: 19px;
  display: grid;
  place-items: center;
  font-size: 34px;
  font-weight: 700;
  color: #fff;
  background: linear-gradient(150deg, #4f8df5, #7a3df0);
  margin: 12px auto 12px;
}
.app h3 {
  font-size: 22px;
  margin: 0;
  text-align: center;
  letter-spacing: -0.01em;
  overflow-wrap: anywhere;
}
.app .sub {
  text-align: center;
  color: var(--soft);
  margin: 2px 0 0;
  font-size: 13.5px;
  overflow-wrap: anywhere;
}
.sample {
  background: var(--wait-bg);
  color: var(--wait);
  border-radius: 12px;
  padding: 7px 12px;
  margin: 12px 0 6px;
  font-size: 13.5px;
  text-align: center;
}
.product {
  border: 1px solid var(--line);
  border-radius: 18px;
  padding: 16px;
  margin-top: 26px;
}
.product p {
  margin: 0 0 12px;
}
.product p.soft {
  color: var(--soft);
  font-size: 13.5px;
  margin: 10px 0 0;
  overflow-wrap: anywhere;
}
.primary {
  background: var(--accent);
  color: var(--on-accent);
  border: 0;
  width: 100%;
  border-radius: 13px;
  min-height: 48px;
  font-weight: 620;
}
.primary:hover:not(:disabled) {
  filter: brightness(1.07);
}
.plain {
  background: none;
  border: 0;
  color: var(--accent);
  width: 100%;
  min-height: 46px;
  border-radius: 13px;
}
.plain:hover {
  background: color-mix(in srgb, var(--accent) 9%, transparent);
}
.links {
  border: 0;
  margin: 0 0 12px;
  padding: 0;
  display: grid;
  gap: 6px;
}
.links legend {
  font-size: 12.5px;
  color: var(--soft);
  padding: 0 0 4px;
}
.links label {
  display: flex;
  gap: 8px;
  align-items: baseline;
  font-size: 13.5px;
  overflow-wrap: anywhere;
}
.no {
  background: var(--wait-bg);
  color: var(--wait);
  border-radius: 14px;
  padding: 12px 14px;
  margin-top: 16px;
  font-size: 13.5px;
  overflow-wrap: anywhere;
}
.no b {
  display: block;
}
.no p {
  margin: 4px 0 0;
}
.welcome {
  margin: auto 0;
  text-align: center;
  color: var(--soft);
}
.welcome b {
  display: block;
  color: var(--text);
  font-size: 18px;
  margin-bottom: 6px;
}
.address {
  display: flex;
  gap: 8px;
  align-items: center;
  background: var(--page);
  border-radius: 12px;
  padding: 9px 14px;
  font-size: 14px;
  justify-content: center;
  overflow-wrap: anywhere;
}
.landing {
  text-align: center;
  margin: 26px 0 16px;
}
.landing b {
  font-size: 18px;
  display: block;
  margin-bottom: 4px;
}
.landing p {
  margin: 0;
  color: var(--soft);
  font-size: 14px;
}
.url {
  font: 11.5px/1.5 var(--mono);
  overflow-wrap: anywhere;
  background: var(--page);
  border-radius: 12px;
  padding: 11px 13px;
  margin: 0 0 12px;
  max-height: 190px;
  overflow-y: auto;
}
.url mark {
  background: none;
  color: var(--accent);
  font-weight: 600;
}
.token {
  border: 1px solid var(--line);
  border-radius: 14px;
  padding: 12px 14px;
  margin: 0 0 10px;
  font-size: 13px;
}
.token h4 {
  margin: 0 0 6px;
  font-size: 14px;
  display: flex;
  justify-content: space-between;
  gap: 8px;
}
.token dl {
  margin: 0 0 6px;
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: 2px 10px;
}
.token dt {
  color: var(--soft);
}
.token dd {
  margin: 0;
  overflow-wrap: anywhere;
}
.spacer {
  flex: 1 0 12px;
}
a.primary {
  display: grid;
  place-items: center;
  text-decoration: none;
}

.shade {
  position: absolute;
  inset: 0;
  background: var(--shade);
  display: flex;
  align-items: flex-end;
  animation: fade 0.18s;
}
.sheet {
  background: var(--card);
  color: var(--text);
  border-radius: 30px 30px 42px 42px;
  padding: 20px 22px 18px;
  width: 100%;
  max-height: 92%;
  overflow-y: auto;
  animation: rise 0.24s cubic-bezier(0.2, 0.8, 0.2, 1);
}
.sheet .tag {
  display: flex;
  justify-content: center;
}
.sheet h3 {
  font-size: 20px;
  line-height: 1.25;
  margin: 12px 0 10px;
  text-align: center;
  text-wrap: balance;
}
.sheet p {
  margin: 0 0 12px;
  font-size: 14.5px;
  color: var(--text);
  text-wrap: pretty;
}
.sheet .goes {
  background: var(--page);
  border-radius: 12px;
  padding: 10px 14px;
  font-size: 13px;
  overflow-wrap: anywhere;
}
.sheet .goes span {
  color: var(--soft);
  display: block;
}
.sheet .check {
  font-size: 14px;
  margin: 0 0 14px;
}
.sheet .fine {
  font-size: 12px;
  color: var(--soft);
  text-align: center;
  margin: 8px 0 0;
}
@keyframes rise {
  from {
    transform: translateY(60%);
    opacity: 0.4;
  }
}
@keyframes fade {
  from {
    opacity: 0;
  }
}
@media (prefers-reduced-motion: reduce) {
  * {
    animation: none !important;
  }
}

/* What Apple's side sees. */
.empty {
  color: var(--soft);
  margin: 0;
}
.answer {
  border-top: 1px solid var(--line);
  padding: 10px 0;
  display: grid;
  grid-template-columns: 42px minmax(0, 1fr) auto;
  gap: 2px 10px;
  align-items: center;
}
.answer .chip {
  justify-self: start;
}
.answer:first-child {
  border-top: 0;
  padding-top: 0;
}
.answer:last-child {
  padding-bottom: 0;
}
.answer .why {
  grid-column: 2 / -1;
  margin: 0;
  color: var(--soft);
  font-size: 13.5px;
  overflow-wrap: anywhere;
}
.answer button {
  min-height: 32px;
  padding: 3px 12px;
  font-size: 13.5px;
}
.answer details {
  grid-column: 2 / -1;
  font-size: 13px;
}
.conditions {
  list-style: none;
  margin: 0;
  padding: 0;
  display: grid;
  gap: 3px;
}
.conditions li {
  display: grid;
  grid-template-columns: 1.4em 2.6em minmax(0, 1fr);
  gap: 4px;
  overflow-wrap: anywhere;
}
.conditions li.route {
  display: block;
  color: var(--soft);
  margin-top: 6px;
}
.conditions .yes {
  color: var(--good);
}
.conditions .not {
  color: var(--bad);
}
.conditions .unevaluated {
  color: var(--soft);
}
.leftout {
  border-top: 1px solid var(--line);
  margin-top: 10px;
  padding-top: 10px;
  font-size: 13.5px;
}
.leftout ul {
  margin: 4px 0 0;
  padding-left: 18px;
}
.rows {
  list-style: none;
  margin: 0;
  padding: 0;
  max-height: 330px;
  overflow-y: auto;
}
.rows > li {
  border-top: 1px solid var(--line);
  padding: 8px 0;
  font-size: 13.5px;
}
.rows > li:first-child {
  border-top: 0;
  padding-top: 0;
}
.row {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 10px;
  align-items: baseline;
}
.row .grow {
  flex: 1 1 12em;
  min-width: 0;
  overflow-wrap: anywhere;
}
.row time {
  color: var(--soft);
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.rows p {
  margin: 3px 0 0;
  color: var(--soft);
  overflow-wrap: anywhere;
}
.rows pre {
  font: 12px/1.45 var(--mono);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  background: var(--page);
  border-radius: 8px;
  padding: 8px 10px;
  margin: 6px 0 0;
  max-height: 240px;
  overflow: auto;
}
.rows details summary {
  color: var(--accent);
  font-size: 13px;
  padding: 2px 0;
  width: max-content;
}
.fresh {
  animation: fresh 1.6s;
}
@keyframes fresh {
  from {
    background: color-mix(in srgb, var(--accent) 18%, transparent);
  }
}
.live::before {
  content: "";
  display: inline-block;
  width: 8px;
  height: 8px;
  border-radius: 50%;
  background: var(--soft);
  margin-right: 6px;
}
.live.on::before {
  background: var(--good);
}

@media (max-width: 1180px) {
  main {
    grid-template-columns: minmax(0, 1fr) 372px;
  }
  #setup {
    grid-column: 1;
    grid-row: 1;
  }
  #phone {
    grid-column: 2;
    grid-row: 1 / span 2;
  }
  #side {
    grid-column: 1;
    grid-row: 2;
  }
}
@media (max-width: 820px) {
  body {
    padding: 0 12px 24px;
  }
  header {
    padding: 12px 4px;
  }
  main {
    grid-template-columns: minmax(0, 1fr);
    gap: 14px;
  }
  #setup,
  #phone,
  #side {
    grid-column: 1;
    grid-row: auto;
  }
  #phone {
    position: static;
  }
  form {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  }
  .files,
  .whole,
  form details {
    grid-column: 1 / -1;
  }
  .files {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  }
  .frame {
    border-radius: 34px;
    padding: 7px;
  }
  .screen {
    border-radius: 28px;
    height: 640px;
  }
  .sheet {
    border-radius: 26px 26px 28px 28px;
  }
  #clock,
  #clock .buttons {
    width: 100%;
  }
  #clock .buttons button {
    flex: 1;
    padding-inline: 6px;
  }
  button,
  select,
  input:not([type="checkbox"]):not([type="file"]) {
    min-height: 42px;
  }
}
"""##
    static let deviceHTML = ##"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Device · External Purchase emulator</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/emulator/v1/page/style.css">
<script src="/emulator/v1/page/script.js" defer></script>
</head>
<body>
<a class="skip" href="#phone">To the phone</a>
<header>
<h1>Device <small>simulated App Store</small></h1>
<section id="clock" aria-label="Clock of the emulator">
<p><time id="now">…</time> <span id="mode" class="chip"></span></p>
<div class="buttons" role="group" aria-label="Advance the clock">
<button type="button" data-advance="hour">+1 hour</button>
<button type="button" data-advance="days">+10 days</button>
<button type="button" data-advance="month">+1 month</button>
</div>
</section>
</header>
<noscript><p class="problem">This page works with JavaScript only.</p></noscript>
<p id="problem" class="problem" role="alert" hidden></p>
<main>
<section id="setup" class="card" aria-labelledby="setup-title">
<h2 id="setup-title">App and device</h2>
<form id="form" autocomplete="off">
<div class="files">
<label class="file" id="plist-label"><span>Info.plist</span><b data-empty="Choose file…">Choose file…</b>
<input type="file" id="plist" accept=".plist,application/x-plist,text/xml"></label>
<label class="file" id="entitlements-label"><span>Entitlements</span><b data-empty="None">None</b>
<input type="file" id="entitlements" accept=".entitlements,.plist,.xcent"></label>
</div>
<label class="whole"><span>Storefront</span><select id="storefront"></select></label>
<label><span>System</span><select id="os"></select></label>
<label><span>Account</span><select id="account"></select></label>
<label><span>Environment</span><select id="environment">
<option value="sandbox">Sandbox</option><option value="production">Production</option></select></label>
<details>
<summary>More</summary>
<label><span>Bundle id</span><input id="bundle" placeholder="as in Info.plist" spellcheck="false"></label>
<label><span>App Store id</span><input id="appAppleId" inputmode="numeric" placeholder="1234567890"></label>
<label class="wide"><span>Open links at</span>
<input id="website" type="url" placeholder="their own host, or http://127.0.0.1:8800" spellcheck="false"></label>
<label class="check"><input type="checkbox" id="payments" checked> The device may pay</label>
<label class="check"><input type="checkbox" id="person" checked> The person is eligible</label>
<div class="buttons wide" role="group" aria-label="Events of the app on this device" id="events">
<button type="button" data-event="install">Install</button>
<button type="button" data-event="update">Update</button>
<button type="button" data-event="redownload">Download again</button>
</div>
</details>
</form>
</section>

<section id="phone" aria-label="Phone" tabindex="-1">
<div class="frame"><div class="screen">
<div class="status" aria-hidden="true"><span id="status-time">9:41</span><i></i><span>Simulated</span></div>
<div id="app" class="app"></div>
<div id="sheet-place"></div>
</div></div>
<p id="said" class="visually-hidden" role="status"></p>
</section>

<section id="side" aria-label="What Apple's side sees">
<section class="card" aria-labelledby="answers-title">
<h2 id="answers-title">What StoreKit returns</h2>
<div id="answers"><p class="empty">Choose an app first.</p></div>
</section>
<section class="card" aria-labelledby="tokens-title">
<h2 id="tokens-title">Tokens <small id="tokens-count"></small></h2>
<ol id="tokens" class="rows"></ol>
</section>
<section class="card" aria-labelledby="requests-title">
<h2 id="requests-title">Requests <small id="live" class="live">connecting</small></h2>
<ol id="requests" class="rows"></ol>
</section>
<section class="card" aria-labelledby="notifications-title">
<h2 id="notifications-title">Notifications <small id="notifications-count"></small></h2>
<ol id="notifications" class="rows"></ol>
</section>
</section>
</main>
</body>
</html>
"""##
    static let deviceJS = ##"""
"use strict";
const root = "/emulator/v1";
const $ = (id) => document.getElementById(id);
const state = {
  options: null,
  files: { plist: null, entitlements: null },
  // Whether the phone has the sample app, which stands until a file is chosen.
  isSample: false,
  session: null,
  view: "welcome",
  result: null,
  sheet: null,
  tap: null,
  link: null,
};
const shown = 100;

// Elements are built, never parsed: names and addresses come from uploaded files.
function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const chip = (text, kind) => el("span", { class: "chip " + (kind || "") }, text);
function host(address) {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}
const say = (text) => {
  $("said").textContent = text;
};

// MARK: Talking to the emulator

async function call(method, path, body) {
  const request = { method };
  if (body !== undefined) {
    request.headers = { "Content-Type": "application/json" };
    request.body = JSON.stringify(body);
  }
  const answer = await fetch(root + path, request).catch(() => {
    throw new Error("The emulator does not answer. Is it still running?");
  });
  const json = await answer.json();
  if (!answer.ok) {
    const problem = new Error(json.message || "The emulator refused with status " + answer.status);
    problem.name = json.error;
    throw problem;
  }
  return json;
}
// Runs an action of the user, and shows a message if it fails.
async function attempt(work) {
  try {
    $("problem").hidden = true;
    return await work();
  } catch (problem) {
    $("problem").textContent = problem.message;
    $("problem").hidden = false;
  }
}

// MARK: Remembered choices

const fields = ["storefront", "os", "environment", "bundle", "appAppleId", "website"];
function remember() {
  const values = Object.fromEntries(fields.map((id) => [id, $(id).value]));
  try {
    localStorage.setItem("device", JSON.stringify(values));
  } catch {
    /* Private windows have no storage. */
  }
}
function recall() {
  let values = {};
  try {
    values = JSON.parse(localStorage.getItem("device")) || {};
  } catch {
    /* As above. */
  }
  for (const id of fields) {
    const field = $(id),
      value = values[id];
    if (typeof value !== "string") continue;
    if (field.tagName !== "SELECT" || [...field.options].some((option) => option.value === value)) field.value = value;
  }
}

// MARK: App and device

function fillOptions() {
  const { storefronts, systems, accounts, environment } = state.options;
  const option = (value, text) => el("option", { value }, text || value);
  const name = (row) => option(row.code, row.name + " · " + row.code);
  $("storefront").replaceChildren(
    el("optgroup", { label: "With a programme" }, storefronts.filter((row) => row.programmes.length).map(name)),
    el("optgroup", { label: "Without" }, storefronts.filter((row) => !row.programmes.length).map(name)),
  );
  $("storefront").value = "NLD";
  const platforms = [...new Set(systems.map((system) => system.replace(/ [\d.]+$/, "")))];
  $("os").replaceChildren(
    ...platforms.map((platform) =>
      el(
        "optgroup",
        { label: platform },
        systems.filter((system) => system.replace(/ [\d.]+$/, "") === platform).map((system) => option(system)),
      ),
    ),
  );
  $("os").value = "iOS 26.5";
  fillAccounts(accounts);
  if (environment) {
    $("environment").value = environment;
    $("environment").disabled = true;
  }
}
function fillAccounts(accounts) {
  $("account").replaceChildren(
    ...accounts.map((number) => el("option", { value: String(number) }, "Customer " + number)),
    el("option", { value: "0" }, accounts.length ? "New customer…" : "Customer 1"),
  );
}

async function encoded(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += 32768) {
    text += String.fromCharCode(...bytes.subarray(offset, offset + 32768));
  }
  return btoa(text);
}
const choices = () => ({
  storefront: $("storefront").value,
  os: $("os").value,
  environment: $("environment").value,
  account: Number($("account").value),
  canMakePayments: $("payments").checked,
  personEligible: $("person").checked,
});

async function appFiles() {
  if (state.isSample) {
    const { infoPlist, entitlements } = state.options.sample;
    return { infoPlist, entitlements };
  }
  const body = { infoPlist: await encoded(state.files.plist) };
  if (state.files.entitlements) body.entitlements = await encoded(state.files.entitlements);
  if ($("bundle").value.trim()) body.bundleId = $("bundle").value.trim();
  if ($("appAppleId").value.trim()) body.appAppleId = Number($("appAppleId").value.trim());
  return body;
}
async function openSample() {
  state.isSample = true;
  await openSession();
}
let opening = 0;
async function openSession() {
  const number = ++opening;
  if (state.files.plist) state.isSample = false;
  if (!state.files.plist && !state.isSample) return;
  const body = { ...choices(), ...(await appFiles()) };
  const session = await call("POST", "/page/sessions", body);
  // Another app was chosen meanwhile.
  if (number !== opening) return;
  state.view = "app";
  take(session);
}
async function changeSession() {
  if (!state.session) return;
  try {
    take(await call("PUT", "/page/sessions/" + state.session.id, choices()));
  } catch (problem) {
    // The emulator was restarted, or has too many phones.
    if (problem.name !== "unknown-session" && problem.name !== "unknown-app" && problem.name !== "unknown-account")
      throw problem;
    fillAccounts((await call("GET", "/page/options")).accounts);
    await openSession();
  }
}
function take(session) {
  state.session = session;
  state.link = null;
  if (state.view !== "sheet") state.view = "app";
  const accounts = [...$("account").options].map((option) => Number(option.value)).filter((number) => number > 0);
  if (!accounts.includes(session.account)) fillAccounts([...accounts, session.account]);
  $("account").value = String(session.account);
  show();
}

// MARK: What StoreKit returns

const families = {
  "ExternalPurchaseCustomLink.showNotice": "Custom link",
  "ExternalPurchaseLink.open(url:)": "Links of one's choice",
  "ExternalPurchaseLink.open()": "Link",
  "ExternalPurchase.presentNoticeSheet()": "Purchase inside the app",
};
function showAnswers() {
  const session = state.session;
  const open = new Set([...document.querySelectorAll("#answers details[open]")].map((details) => details.dataset.of));
  const rows = session.answers.map((answer) =>
    el(
      "div",
      { class: "answer", "data-method": answer.method },
      chip(answer.eligible ? "yes" : "no", answer.eligible ? "good" : "bad"),
      // On a narrow screen the name is broken at its dot.
      el("code", {}, answer.question.replace(/[^.]*$/, ""), el("wbr"), answer.question.replace(/^.*?\./, "")),
      el(
        "button",
        { type: "button", onclick: () => tap(answer.method), "aria-label": "Call " + answer.method },
        "Call",
      ),
      el("p", { class: "why" }, answer.eligible ? yes(answer) : why(answer)),
      el(
        "details",
        { "data-of": answer.method, open: open.has(answer.method) },
        el("summary", {}, "All conditions"),
        conditions(answer),
      ),
    ),
  );
  const left =
    session.leftOut.length &&
    el(
      "div",
      { class: "leftout" },
      el("b", {}, "Entries that are not used"),
      el(
        "ul",
        {},
        session.leftOut.map((entry) =>
          el("li", {}, entry.place + ": " + sentence(entry.message) + (entry.hint ? " " + entry.hint : "")),
        ),
      ),
    );
  const minors = session.minors && el("p", { class: "minors" }, el("b", {}, "Minors"), ": ", session.minors);
  $("answers").replaceChildren(...[...rows, minors, left].filter(Boolean));
}
function yes(answer) {
  const types = answer.tokenTypes.map((type) => type || "a plain token").join(", ");
  return [answer.links.map((link) => link).join(" · "), answer.programme, types && "gives " + types]
    .filter(Boolean)
    .join(" — ");
}
const sentence = (text) => text + (/[.!?]$/.test(text) ? "" : ".");
const why = (answer) => answer.failed + ": " + sentence(answer.reason) + (answer.fix ? " " + answer.fix : "");
function conditions(answer) {
  let route = null;
  const rows = [];
  for (const condition of answer.conditions) {
    if (condition.route && condition.route !== route)
      rows.push(el("li", { class: "route" }, "Other way: " + condition.route));
    route = condition.route;
    const mark =
      condition.holds === true ? ["✓", "yes"] : condition.holds === false ? ["✕", "not"] : ["·", "unevaluated"];
    const word = { yes: "holds", not: "fails", unevaluated: "not evaluated" }[mark[1]];
    rows.push(
      el(
        "li",
        { class: "condition" },
        el("b", { class: mark[1], role: "img", "aria-label": word }, mark[0]),
        el("span", {}, condition.id),
        el(
          "span",
          {},
          condition.detail,
          condition.place ? el("span", { class: "mono" }, " (" + condition.place + ")") : null,
        ),
      ),
    );
  }
  return el("ul", { class: "conditions" }, rows);
}

// MARK: The phone

function show() {
  const screen = $("app");
  const views = { welcome, app, opened, handed, refused };
  if (state.session) showAnswers();
  screen.replaceChildren(...(views[state.view === "sheet" ? "app" : state.view] || welcome)().flat().filter(Boolean));
  showSheet();
}
const welcome = () => [
  el(
    "div",
    { class: "welcome" },
    el("b", {}, "No app yet"),
    "Choose the Info.plist and the entitlements of your app.",
    el(
      "button",
      { type: "button", class: "plain", id: "sample", onclick: () => attempt(openSample) },
      "Use a sample app",
    ),
  ),
];
const appHead = () => [
  el("div", { class: "icon", "aria-hidden": "true" }, (state.session.app.name[0] || "?").toUpperCase()),
  el("h3", {}, state.session.app.name),
  el("p", { class: "sub" }, state.session.app.bundleId),
  state.isSample &&
    el(
      "p",
      { class: "sample", id: "sample" },
      el("b", {}, "Sample app"),
      " Choose your app’s Info.plist to replace it.",
    ),
];
function app() {
  const session = state.session;
  const method = session.advice.find((name) => name in families);
  const row = state.options.storefronts.find((storefront) => storefront.code === session.storefront);
  const place = (row ? row.name : session.storefront) + " · " + session.os + " · Customer " + session.account;
  const head = [...appHead(), el("p", { class: "sub" }, place)];
  if (!method) {
    const none = session.advice[0] === "offerNothing";
    return [
      ...head,
      el(
        "div",
        { class: "product" },
        el("p", {}, el("b", {}, "Premium"), el("br"), "One month"),
        el(
          "button",
          { type: "button", class: "primary", disabled: true },
          none ? "No purchases here" : "Buy with In-App Purchase",
        ),
      ),
      el("div", { class: "no" }, el("b", {}, "Not offered outside the App Store"), closest(session)),
    ];
  }
  const answer = session.answers.find((one) => one.method === method);
  const links = method === "ExternalPurchaseLink.open(url:)" ? answer.links : [];
  const link = links.includes(state.link) ? state.link : links[0];
  return [
    ...head,
    el(
      "div",
      { class: "product" },
      el("p", {}, el("b", {}, "Premium"), el("br"), "One month"),
      links.length > 1 &&
        el(
          "fieldset",
          { class: "links" },
          el("legend", {}, "Where to"),
          links.map((url) =>
            el(
              "label",
              {},
              el("input", {
                type: "radio",
                name: "link",
                value: url,
                checked: url === link,
                onchange: () => {
                  state.link = url;
                },
              }),
              url,
            ),
          ),
        ),
      el(
        "button",
        { type: "button", class: "primary", id: "buy", onclick: () => tap(method) },
        "Buy outside the App Store",
      ),
      // Japan and Brazil: always beside it, and at least as prominent.
      session.advice.includes("useInAppPurchase") &&
        el("button", { type: "button", class: "primary", id: "iap", disabled: true }, "Buy with In-App Purchase"),
      el(
        "p",
        { class: "soft" },
        "Calls ",
        el("code", {}, method.replace(/^.*?\./, "")),
        answer.links.length ? " for " + host(link || answer.links[0]) : "",
      ),
    ),
  ];
}
const conditionNumber = (answer) => Number((answer.failed || "C99").slice(1));
// The answer whose first failure comes last is the most informative.
function closest(session) {
  const best = session.answers.reduce((left, right) => (conditionNumber(right) > conditionNumber(left) ? right : left));
  return [el("p", {}, sentence(best.reason)), best.fix && el("p", {}, best.fix)];
}
function refused() {
  const { method, refusal } = state.result;
  return [
    ...appHead(),
    el(
      "div",
      { class: "no", id: "refused" },
      el("b", {}, method + " throws " + refusal.error),
      el("p", {}, refusal.condition + ": " + refusal.reason),
      refusal.fix && el("p", {}, refusal.fix),
    ),
    el("div", { class: "spacer" }),
    back(),
  ];
}
const back = () =>
  el(
    "button",
    {
      type: "button",
      class: "plain",
      id: "back",
      onclick: () => {
        state.view = "app";
        show();
        focusOn("buy");
      },
    },
    "Back to the app",
  );
function focusOn(id) {
  const target = $(id);
  if (target) target.focus();
}

async function tap(method) {
  if (!state.session) return;
  await attempt(async () => {
    const answer = state.session.answers.find((one) => one.method === method);
    const body = { method };
    if (method === "ExternalPurchaseLink.open(url:)" && answer.links.length)
      body.url = answer.links.includes(state.link) ? state.link : answer.links[0];
    state.tap = document.activeElement;
    const outcome = await call("POST", "/page/sessions/" + state.session.id + "/tap", body);
    if (outcome.refused) {
      state.result = { method, refusal: outcome.refused };
      state.view = "refused";
      show();
      say(method + " throws " + outcome.refused.error);
      focusOn("back");
    } else if (outcome.sheet) {
      state.session.sheet = outcome.sheet;
      state.view = "sheet";
      show();
    } else {
      end(outcome);
    }
  });
}

// MARK: The sheet

const titles = {
  continuation: "You are leaving the app for the developer’s website",
  notice: "You are buying from the developer",
  disclosure: "This offer is the developer’s own",
  own: "The app’s own disclosure",
};
function showSheet() {
  const sheet = state.session && state.session.sheet;
  $("app").inert = Boolean(sheet);
  if (!sheet) {
    $("sheet-place").replaceChildren();
    return;
  }
  if ($("sheet")) return;
  const silent = el("input", { type: "checkbox", id: "silent" });
  $("sheet-place").replaceChildren(
    el(
      "div",
      { class: "shade" },
      el(
        "div",
        {
          class: "sheet",
          id: "sheet",
          role: "dialog",
          "aria-modal": "true",
          "aria-labelledby": "sheet-title",
          "aria-describedby": "sheet-text",
          onkeydown: keep,
        },
        el("div", { class: "tag" }, chip("Simulated, not Apple’s wording", "wait")),
        el("h3", { id: "sheet-title" }, titles[sheet.shownBy === "app" ? "own" : sheet.kind]),
        el("p", { id: "sheet-text" }, sheet.text),
        sheet.destination && el("p", { class: "goes" }, el("span", {}, "Opens"), sheet.destination),
        sheet.offersNoReminders && el("label", { class: "check" }, silent, " Do not remind me again"),
        el(
          "button",
          {
            type: "button",
            class: "primary",
            id: "continue",
            onclick: () => answerSheet(silent.checked ? "continueWithoutReminders" : "continue"),
          },
          "Continue",
        ),
        el("button", { type: "button", class: "plain", id: "cancel", onclick: () => answerSheet("cancel") }, "Cancel"),
      ),
    ),
  );
  focusOn("continue");
}
// The sheet has the keyboard focus, as a sheet on a device receives all touches.
function keep(event) {
  if (event.key === "Escape") {
    event.preventDefault();
    answerSheet("cancel");
  }
  if (event.key !== "Tab") return;
  const stops = [...$("sheet").querySelectorAll("input, button")];
  const last = event.shiftKey ? stops[0] : stops[stops.length - 1];
  if (document.activeElement !== last) return;
  event.preventDefault();
  (event.shiftKey ? stops[stops.length - 1] : stops[0]).focus();
}
async function answerSheet(action) {
  await attempt(async () => {
    try {
      const result = await call("POST", "/page/sessions/" + state.session.id + "/sheet", { action });
      end(result);
    } catch (problem) {
      state.session.sheet = null;
      state.view = "app";
      show();
      throw problem;
    }
  });
}
function end(result) {
  if (state.session) state.session.sheet = null;
  state.result = result;
  if (result.result === "cancelled") {
    state.view = "app";
    show();
    say("Cancelled. No token was issued.");
    focusOn("buy");
    return;
  }
  if (result.url) {
    result.opened = elsewhere(result.url);
    state.view = "opened";
    show();
    // A window name and no opener, so that the website cannot access this page.
    window.open(result.opened, "_blank", "noopener,noreferrer");
    say("The browser opened " + host(result.opened));
  } else {
    state.view = "handed";
    show();
    say("The app received " + result.tokens.filter((token) => token.token).length + " tokens");
  }
  focusOn("back");
}
// The same link on the website under test. Everything after the host is unchanged.
function elsewhere(url) {
  const website = $("website").value.trim();
  if (!/^https?:\/\/[^/?#\s]+/i.test(website)) return url;
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, website.match(/^https?:\/\/[^/?#\s]+/i)[0]);
}

function opened() {
  const { opened: url, url: link, tokens, withoutToken } = state.result;
  const text = tokens[0] && tokens[0].token;
  const at = text ? url.indexOf(text) : -1;
  return [
    el("div", { class: "address" }, host(url)),
    el(
      "div",
      { class: "landing" },
      el("b", {}, "The browser opened the website"),
      el(
        "p",
        {},
        at < 0
          ? "Without a token: " + (withoutToken || "the link as it is")
          : "with the token and the bundle id in its address",
      ),
    ),
    el(
      "p",
      { class: "url", id: "url", tabindex: "0", "aria-label": "The address" },
      at < 0 ? url : [url.slice(0, at), el("mark", {}, text), url.slice(at + text.length)],
    ),
    host(url) !== host(link) && el("p", { class: "sub" }, "On a device: " + host(link)),
    tokens.filter((token) => token.decoded).map(tokenCard),
    el("div", { class: "spacer" }),
    el("a", { class: "primary", href: url, target: "_blank", rel: "noopener noreferrer" }, "Open again"),
    back(),
  ];
}
function handed() {
  const { tokens, withoutToken, suppressed } = state.result;
  return [
    el(
      "div",
      { class: "landing" },
      el("b", {}, suppressed ? "Continued without a sheet" : "Continued"),
      el("p", {}, suppressed ? "This customer has turned off reminders." : "The app may now show its own offer."),
    ),
    tokens.map((token) =>
      token.decoded
        ? tokenCard(token)
        : el(
            "div",
            { class: "no" },
            el("b", {}, (token.tokenType || "Plain") + ": no token"),
            el("p", {}, token.reason),
          ),
    ),
    withoutToken &&
      el("div", { class: "no" }, el("b", {}, "No token"), el("p", {}, withoutToken + ". Report such a sale by hand.")),
    tokens.some((token) => token.token) &&
      el("p", { class: "sub" }, "The app sends each token to its own server, for example:"),
    tokens
      .filter((token) => token.token)
      .slice(0, 1)
      .map((token) =>
        el(
          "p",
          { class: "url", id: "handover", tabindex: "0", "aria-label": "A request of the app" },
          "POST " + serverAddress() + "/v1/tokens\n",
          el("mark", {}, JSON.stringify({ token: token.token })),
        ),
      ),
    el("div", { class: "spacer" }),
    back(),
  ];
}
function serverAddress() {
  const website = $("website").value.trim().replace(/\/+$/, "");
  return website || "https://your-server";
}
function tokenCard(token) {
  const decoded = token.decoded;
  return el(
    "div",
    { class: "token", "data-id": decoded.externalPurchaseId },
    el("h4", {}, decoded.tokenType || "Token", chip(token.isNew ? "new" : "period goes on", token.isNew ? "good" : "")),
    el(
      "dl",
      {},
      [
        ["Id", decoded.externalPurchaseId],
        ["Created", moment(decoded.tokenCreationDate)],
        ["Expires", decoded.tokenExpirationDate ? moment(decoded.tokenExpirationDate) : "never"],
      ].flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]),
    ),
  );
}

// MARK: The clock

const moment = (value) => {
  const date = new Date(value);
  return isNaN(date)
    ? String(value)
    : date
        .toISOString()
        .replace("T", " ")
        .replace(/(:\d\d)?(\.\d+)?Z$/, " UTC");
};
const clock = { at: 0, read: 0, isVirtual: false };
function setClock(reading) {
  clock.at = Date.parse(reading.now);
  clock.read = Date.now();
  clock.isVirtual = reading.mode === "virtual";
  tick();
}
// A virtual clock is fixed unless it has a rate. Its time always comes from the emulator.
function tick() {
  const now = new Date(clock.isVirtual ? clock.at : clock.at + Date.now() - clock.read);
  if (isNaN(now)) return;
  $("now").textContent = moment(now);
  $("now").dateTime = now.toISOString();
  $("mode").textContent = clock.isVirtual ? "virtual" : "real time";
  $("status-time").textContent = now.toISOString().slice(11, 16);
}
async function advance(by) {
  setClock(await call("GET", "/clock"));
  const now = new Date(clock.isVirtual ? clock.at : clock.at + Date.now() - clock.read);
  const next = new Date(now);
  if (by === "hour") next.setUTCHours(now.getUTCHours() + 1);
  if (by === "days") next.setUTCDate(now.getUTCDate() + 10);
  if (by === "month") {
    // The last day of a shorter month, not the first days of the next one.
    const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 0)).getUTCDate();
    next.setUTCMonth(now.getUTCMonth() + 1, Math.min(now.getUTCDate(), last));
  }
  setClock(await call("POST", "/clock/advance", { seconds: Math.round((next - now) / 1000) }));
  say("It is now " + $("now").textContent);
}

// MARK: What Apple's side sees

function prepend(list, row, count = shown) {
  const empty = list.querySelector(".empty");
  if (empty) empty.remove();
  list.prepend(row);
  while (list.children.length > count) list.lastChild.remove();
}
const none = (text) => el("li", { class: "empty" }, text);

function requestRow(entry) {
  const good = entry.status >= 200 && entry.status < 300;
  const errors = entry.errors.map(
    (error) => "E" + error.errorCode + " " + error.errorMessage + (error.fieldName ? " (" + error.fieldName + ")" : ""),
  );
  const notes = [entry.fault && "fault " + entry.fault, entry.reason, entry.message, ...errors].filter(Boolean);
  return el(
    "li",
    {},
    el(
      "div",
      { class: "row" },
      chip(entry.status ? String(entry.status) : "cut off", good ? "good" : "bad"),
      el("span", { class: "grow" }, el("b", {}, entry.method), " ", el("code", {}, entry.path)),
      el("time", {}, moment(entry.at)),
    ),
    notes.length ? el("p", {}, notes.join(" · ")) : null,
    entry.body ? el("details", {}, el("summary", {}, "Body"), el("pre", { tabindex: "0" }, pretty(entry.body))) : null,
  );
}
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const reports = {
  LINE_ITEM: "sale reported",
  NO_LINE_ITEM: "no sale reported",
  UNRECOGNIZED_TOKEN: "not recognised",
  DUPLICATE_TOKEN: "duplicate",
};
function tokenRow(entry) {
  const decoded = entry.decoded,
    now = clock.isVirtual ? clock.at : Date.now();
  const over = decoded.tokenExpirationDate && decoded.tokenExpirationDate <= now;
  const status = entry.reportStatus;
  return el(
    "li",
    { "data-id": decoded.externalPurchaseId },
    el(
      "div",
      { class: "row" },
      chip(status ? reports[status] || status : "not reported", status ? "good" : "wait"),
      el("span", { class: "grow" }, el("b", {}, decoded.tokenType || "Plain token"), " ", decoded.environment),
      el("time", {}, moment(decoded.tokenCreationDate)),
    ),
    el(
      "p",
      {},
      el("code", {}, decoded.externalPurchaseId),
      el("br"),
      decoded.bundleId,
      decoded.tokenExpirationDate ? (over ? " · expired " : " · expires ") + moment(decoded.tokenExpirationDate) : "",
    ),
  );
}
let fresh = new Set();
async function showTokens() {
  const tokens = await call("GET", "/tokens");
  $("tokens-count").textContent = tokens.length ? String(tokens.length) : "";
  const rows = tokens
    .slice(-shown)
    .reverse()
    .map((entry) => {
      const row = tokenRow(entry);
      if (fresh.has(entry.decoded.externalPurchaseId)) row.classList.add("fresh");
      return row;
    });
  fresh = new Set();
  $("tokens").replaceChildren(
    ...(rows.length ? rows : [none("None yet. A token is issued when the customer continues.")]),
  );
}
let waiting = null;
function tokensChanged(id) {
  if (id) fresh.add(id);
  clearTimeout(waiting);
  waiting = setTimeout(() => attempt(showTokens), 120);
}

function notificationRow(record) {
  const attempts = record.sendAttempts,
    last = attempts[attempts.length - 1];
  const delivered = last && last.sendAttemptResult === "SUCCESS";
  const text = !last
    ? record.nextAttempt
      ? "waiting"
      : "nowhere to send"
    : delivered
      ? "delivered"
      : last.sendAttemptResult.toLowerCase().replaceAll("_", " ");
  return el(
    "li",
    { "data-id": record.notificationUUID },
    el(
      "div",
      { class: "row" },
      chip(text, delivered ? "good" : last ? "bad" : "wait"),
      el("span", { class: "grow" }, el("b", {}, record.subtype || record.notificationType), " ", record.environment),
      el("time", {}, moment(record.madeAt)),
    ),
    el(
      "p",
      {},
      el("code", {}, record.externalPurchaseId || record.notificationUUID),
      " · " + record.bundleId,
      attempts.length > 1 ? " · " + attempts.length + " attempts" : "",
      record.nextAttempt ? " · next " + moment(record.nextAttempt) : "",
    ),
  );
}
let notified = 0;
function takeNotification(record) {
  const row = notificationRow(record);
  const old = [...$("notifications").children].find((one) => one.dataset.id === record.notificationUUID);
  if (old) return old.replaceWith(row);
  notified += 1;
  $("notifications-count").textContent = String(notified);
  prepend($("notifications"), row);
}

async function showSide() {
  const [requests, notifications] = await Promise.all([
    call("GET", "/requests"),
    call("GET", "/notifications"),
    showTokens(),
  ]);
  $("requests").replaceChildren(
    ...(requests.length
      ? requests.slice(-shown).reverse().map(requestRow)
      : [none("No requests to Apple’s paths yet.")]),
  );
  notified = 0;
  $("notifications").replaceChildren(none("None yet. Advance the clock to get reminders."));
  $("notifications-count").textContent = "";
  for (const record of notifications.slice(-shown)) takeNotification(record);
  if (notifications.length) {
    notified = notifications.length;
    $("notifications-count").textContent = String(notified);
  }
}

function listen() {
  const source = new EventSource(root + "/events");
  const on = (name, work) => source.addEventListener(name, (event) => work(JSON.parse(event.data)));
  let wasCut = false;
  source.addEventListener("open", () => {
    $("live").textContent = "live";
    $("live").classList.add("on");
    if (wasCut) attempt(showSide);
    wasCut = false;
  });
  source.addEventListener("error", () => {
    wasCut = true;
    $("live").textContent = "cut off, trying again";
    $("live").classList.remove("on");
  });
  on("request", (entry) => {
    const row = requestRow(entry);
    row.classList.add("fresh");
    prepend($("requests"), row);
  });
  on("token", (event) => tokensChanged(event.externalPurchaseId));
  on("report", (event) => tokensChanged(event.report.externalPurchaseId));
  on("notification", takeNotification);
  on("clock", (reading) => {
    setClock(reading);
    tokensChanged();
  });
  on("reset", () =>
    attempt(async () => {
      await showSide();
      setClock(await call("GET", "/clock"));
      fillAccounts((await call("GET", "/page/options")).accounts);
      if (state.isSample) {
        // The sample is not registered anew by itself: whoever reset the emulator may be a program.
        state.isSample = false;
        state.session = null;
        state.view = "welcome";
        $("answers").replaceChildren(el("p", { class: "empty" }, "Choose an app first."));
        show();
      } else if (state.session) {
        state.session.sheet = null;
        state.view = "app";
        await changeSession();
      }
    }),
  );
}

// MARK: Start

function chooseFile(id) {
  const input = $(id),
    label = $(id + "-label"),
    name = label.querySelector("b");
  input.addEventListener("change", () =>
    attempt(async () => {
      const file = input.files[0] || null;
      if (file && file.size > 1048576) {
        input.value = "";
        throw new Error(file.name + " has more than 1 MiB. Choose the Info.plist or .entitlements file itself.");
      }
      state.files[id] = file;
      name.textContent = file ? file.name : name.dataset.empty;
      label.classList.toggle("chosen", Boolean(file));
      await openSession();
    }),
  );
  // Choosing the same file again reads it again.
  input.addEventListener("click", () => {
    input.value = "";
  });
  for (const [event, over] of [
    ["dragenter", true],
    ["dragleave", false],
    ["drop", false],
  ])
    input.addEventListener(event, () => label.classList.toggle("over", over));
}

async function start() {
  state.options = await call("GET", "/page/options");
  fillOptions();
  recall();
  $("form").addEventListener("submit", (event) => event.preventDefault());
  chooseFile("plist");
  chooseFile("entitlements");
  for (const id of ["storefront", "os", "account", "environment", "payments", "person"])
    $(id).addEventListener("change", () =>
      attempt(async () => {
        remember();
        await changeSession();
      }),
    );
  for (const id of ["bundle", "appAppleId"])
    $(id).addEventListener("change", () =>
      attempt(async () => {
        remember();
        await openSession();
      }),
    );
  $("website").addEventListener("change", remember);
  for (const button of document.querySelectorAll("[data-advance]"))
    button.addEventListener("click", () => attempt(() => advance(button.dataset.advance)));
  for (const button of document.querySelectorAll("[data-event]"))
    button.addEventListener("click", () =>
      attempt(async () => {
        if (!state.session) throw new Error("Choose an app first.");
        const { tokens } = await call("POST", "/page/sessions/" + state.session.id + "/events", {
          event: button.dataset.event,
        });
        say(tokens.length ? tokens.length + " tokens were made" : "No token was issued");
      }),
    );
  setClock(await call("GET", "/clock"));
  setInterval(tick, 1000);
  show();
  listen();
  await showSide();
  if (state.options.sample.opensAtStart && !state.files.plist) await openSample();
}
attempt(start);
"""##
}

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

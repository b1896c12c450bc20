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

"use strict";

const root = document.body.dataset.root;

function chosenTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

// The theme: light, dark, or that of the system.
{
  const button = document.getElementById("theme");
  const names = { system: "System", light: "Light", dark: "Dark" };
  const order = ["system", "light", "dark"];
  const show = () => {
    button.textContent = `◐ ${names[chosenTheme()]}`;
    button.setAttribute("aria-label", `Theme: ◐ ${names[chosenTheme()]}`);
  };
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(chosenTheme()) + 1) % order.length];
    if (next === "system") {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = next;
    }
    try {
      localStorage.setItem("theme", next);
    } catch {
      // Then the choice holds for this page.
    }
    show();
  });
  show();
  button.hidden = false;
}

// The pages, which a narrow window shows below the content, open at the top.
{
  const link = document.querySelector("a.menu");
  const sidebar = document.getElementById("sidebar");
  link.setAttribute("role", "button");
  link.setAttribute("aria-expanded", "false");
  link.setAttribute("aria-controls", "sidebar");
  const toggle = (open) => {
    document.body.classList.toggle("menu-open", open);
    link.setAttribute("aria-expanded", String(open));
    if (open) {
      sidebar.querySelector("a").focus();
    }
  };
  link.addEventListener("click", (event) => {
    event.preventDefault();
    toggle(!document.body.classList.contains("menu-open"));
  });
  link.addEventListener("keydown", (event) => {
    if (event.key === " ") {
      event.preventDefault();
      link.click();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("menu-open")) {
      toggle(false);
      link.focus();
    }
  });
  const here = sidebar.querySelector("[aria-current]");
  if (here && getComputedStyle(sidebar).position === "sticky") {
    sidebar.scrollTop = here.offsetTop - sidebar.clientHeight / 3;
  }
}

// In a narrow window the list of sections would come before the content.
if (matchMedia("(max-width: 80rem)").matches) {
  document.querySelector(".contents details")?.removeAttribute("open");
}

// A button at each block of code.
for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  block.append(button);
}

// A closed block opens when a link leads into it.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const block = target && target.closest("details");
  if (block && !block.open) {
    block.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", openTarget);
openTarget();

// Appends a text with the words of the query marked.
function appendMarked(element, text, words) {
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|");
  for (const [index, part] of text.split(new RegExp(`(${pattern})`, "i")).entries()) {
    if (index % 2 === 1) {
      const mark = document.createElement("mark");
      mark.textContent = part;
      element.append(mark);
    } else {
      element.append(part);
    }
  }
}

// The search. Its index is loaded when the field is used for the first time.
{
  const field = document.getElementById("search");
  const list = document.getElementById("results");
  const status = document.getElementById("search-status");
  let loading;
  let selected = -1;
  field.parentElement.hidden = false;

  const load = () => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${root}assets/search-index.js`;
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
    return loading;
  };

  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    selected = -1;
  };

  const select = (index) => {
    const options = [...list.children];
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === index)));
    selected = index;
    if (options[index]) {
      field.setAttribute("aria-activedescendant", options[index].id);
      options[index].scrollIntoView({ block: "nearest" });
    } else {
      field.removeAttribute("aria-activedescendant");
    }
  };

  const part = (name, className, text, words) => {
    const element = document.createElement(name);
    element.className = className;
    appendMarked(element, text, words);
    return element;
  };

  const show = () => {
    const query = field.value.trim();
    if (query === "") {
      close();
      status.textContent = "";
      return;
    }
    const words = globalThis.siteSearch.words(query);
    const results = globalThis.siteSearch.find(query);
    list.replaceChildren(
      ...results.map((result, index) => {
        const option = document.createElement("li");
        option.id = `result-${index}`;
        option.setAttribute("role", "option");
        option.dataset.url = result.url;
        option.append(
          part("span", "result-title", result.title, words),
          part("span", "result-section", result.section, words),
          part("span", "result-text", result.snippet, words),
        );
        return option;
      }),
    );
    list.hidden = results.length === 0;
    field.setAttribute("aria-expanded", String(results.length > 0));
    status.textContent = results.length === 0 ? `Nothing found for ${query}` : `${results.length} results`;
    status.classList.toggle("visually-hidden", results.length > 0);
    select(results.length > 0 ? 0 : -1);
  };

  const open = (option) => {
    if (option) {
      location.href = root + option.dataset.url;
      close();
      field.blur();
    }
  };

  field.addEventListener("focus", load);
  field.addEventListener("input", async () => {
    try {
      await load();
    } catch {
      status.classList.remove("visually-hidden");
      status.textContent = "The index of the search could not be loaded";
      return;
    }
    show();
  });
  field.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (count > 0) {
        select((selected + (event.key === "ArrowDown" ? 1 : count - 1) + count) % count);
      }
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(list.children[selected]);
    } else if (event.key === "Escape") {
      field.value = "";
      close();
    }
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    open(event.target.closest("li"));
  });
  field.addEventListener("blur", close);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    }
  });
}

"use strict";

// Before the page is drawn: the theme that the reader chose, else that of the system.
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // A browser may refuse storage, for pages from a disk for instance.
  }
})();

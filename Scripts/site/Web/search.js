"use strict";

// A plural also finds the singular.
function singular(word) {
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

function isWord(letter) {
  return letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
}

// The search without a page: an index and a query give results. Tests run it outside of a browser too.
globalThis.siteSearch = (() => {
  const limit = 20;
  // Guides answer what most people look for; decisions are read by few.
  const weights = {
    Guide: 1.3,
    Runbook: 1.2,
    "Lint rule": 1.3,
    Specification: 1,
    API: 0.9,
    "HTTP interface": 0.7,
    Decision: 0.7,
    Changes: 0.5,
  };
  let pages = [];
  let entries = [];

  function load(index) {
    pages = index.pages.map(([title, url, group]) => ({ title, url, group }));
    entries = index.entries.map(([page, title, anchor, text]) => {
      const heading = title || pages[page].title;
      return {
        page: pages[page],
        heading,
        // The name of the file of a page, as words: "several servers".
        name: anchor === "" ? nameOf(pages[page].url) : undefined,
        url: anchor ? `${pages[page].url}#${anchor}` : pages[page].url,
        text,
        lowerHeading: heading.toLowerCase(),
        headingWords: heading.toLowerCase().split(" "),
        lowerText: text.toLowerCase(),
      };
    });
  }

  function nameOf(url) {
    return url
      .replace(/(\/index)?\.html$/, "")
      .split("/")
      .pop()
      .replaceAll("-", " ");
  }

  // 0 for no occurrence, 1 inside of a word, 2 where a word begins, 3 for a complete word.
  function occurrence(text, word) {
    let best = 0;
    for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) {
      const begins = !isWord(text[at - 1]);
      const ends = !isWord(text[at + word.length]);
      best = Math.max(best, begins && ends ? 3 : begins ? 2 : 1);
    }
    return best;
  }

  function score(entry, query, words) {
    let sum = 0;
    for (const word of words) {
      const inHeading = Math.max(occurrence(entry.lowerHeading, word), occurrence(entry.name ?? "", word));
      const inText = occurrence(entry.lowerText, word);
      const inTitle = entry.name !== undefined ? 0 : occurrence(entry.page.title.toLowerCase(), word);
      if (inHeading + inText + inTitle === 0) {
        return 0;
      }
      sum += [0, 8, 30, 50][inHeading] + [0, 1, 4, 8][inText] + [0, 1, 6, 10][inTitle];
    }
    sum /= words.length;
    if (entry.lowerHeading === query) {
      sum += 400;
    } else if (entry.headingWords.length < 3 && entry.headingWords.includes(query)) {
      // The number or the name of a rule.
      sum += 300;
    } else if (entry.lowerHeading.startsWith(query)) {
      sum += 60;
    } else if (entry.lowerHeading.includes(query)) {
      sum += 30;
    } else if (words.length > 1 && entry.lowerText.includes(query)) {
      sum += 20;
    }
    if (entry.name !== undefined) {
      sum += entry.name === query ? 500 : 25;
    }
    return sum * (weights[entry.page.group] ?? 1);
  }

  // A part of the text around the first word of the query.
  function snippet(entry, words) {
    const places = words.map((word) => entry.lowerText.indexOf(word)).filter((place) => place >= 0);
    const first = places.length > 0 ? Math.min(...places) : 0;
    let start = Math.max(0, first - 50);
    if (start > 0) {
      start = entry.text.indexOf(" ", start) + 1;
    }
    const end = start + 160;
    return (start > 0 ? "… " : "") + entry.text.slice(start, end).trim() + (end < entry.text.length ? " …" : "");
  }

  function find(text) {
    const query = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
    const words = query
      .split(" ")
      .filter((word) => word !== "")
      .map(singular);
    if (words.length === 0) {
      return [];
    }
    const found = [];
    for (const entry of entries) {
      const value = score(entry, query, words);
      if (value > 0) {
        found.push({ entry, value });
      }
    }
    found.sort((a, b) => b.value - a.value || (a.entry.url < b.entry.url ? -1 : 1));
    return found.slice(0, limit).map(({ entry }) => ({
      title: entry.heading,
      section: entry.heading === entry.page.title ? entry.page.group : `${entry.page.group} · ${entry.page.title}`,
      url: entry.url,
      snippet: snippet(entry, words),
    }));
  }

  return { load, find };
})();

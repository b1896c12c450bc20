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
  // With fewer results that have every word, those with the most words follow.
  const few = 5;
  // Words of a question that say nothing about its subject.
  const stopWords = new Set(
    (
      "a an and are as at be by can do does for from get has have how i if in is it its me mean means my of on or " +
      "our should that the there this to was we what when where which who why will with you your"
    ).split(" "),
  );
  // Guides answer what most people look for; decisions are read by few.
  const weights = {
    Guide: 1.3,
    Runbook: 1.2,
    "Lint rule": 1.3,
    Specification: 1,
    API: 0.9,
    "HTTP interface": 0.7,
    Decision: 0.7,
    Source: 0.6,
    Changes: 0.5,
  };
  let pages = [];
  let entries = [];
  let aliases = new Map();
  let otherWords = new Map();

  function load(index) {
    pages = index.pages.map(([title, url, group]) => ({ title, url, group, lowerTitle: title.toLowerCase() }));
    aliases = new Map(Object.entries(index.aliases.pages));
    otherWords = new Map(Object.entries(index.aliases.words));
    entries = index.entries.map(([page, title, anchor, text, names]) => {
      const heading = title || pages[page].title;
      const lowerHeading = heading.toLowerCase();
      return {
        page: pages[page],
        heading,
        // The name of the file of a page, as words: "several servers".
        name: anchor === "" ? nameOf(pages[page].url) : undefined,
        // Codes, flags and settings that this entry is about.
        names: new Set([
          ...(names ?? "").toLowerCase().split("|"),
          // The title of a row of a table is its names.
          ...(/^(?:row|term)-/.test(anchor) ? lowerHeading.split(", ") : []),
        ]),
        url: anchor ? `${pages[page].url}#${anchor}` : pages[page].url,
        text,
        lowerHeading,
        headingWords: lowerHeading.split(" "),
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
    // Two letters and numbers are inside of many words.
    return best === 1 && (word.length < 3 || /^\d+$/.test(word)) ? 0 : best;
  }

  // The query as people mean it: RR44 and "rr 44" are RR-44. The words are those that say something.
  function read(text) {
    const query = text
      .trim()
      .toLowerCase()
      .replaceAll(/["'“”‘’`?!,;]+/g, " ")
      .replaceAll(/[.:]+(?=\s|$)/g, " ")
      .replaceAll(/\b(ov|cf|sk|tk|sa|rr|nt|ob|ex|ek|cs)[ -]?(\d{1,3})(?![\d.])\b/g, "$1-$2")
      .replaceAll(/\s+/g, " ")
      .trim();
    const every = query.split(" ").filter((word) => word !== "");
    // "GET /v1/reports" is a name.
    const some = every.filter((word, index) => !stopWords.has(word) || every[index + 1]?.startsWith("/"));
    const words = some.length > 0 ? some : every;
    return {
      query,
      core: words.join(" "),
      words: words.map((word) => singular(otherWords.get(word) ?? word)),
    };
  }

  // How well an entry answers, and how many of the words it has. A name, with a hyphen, a point or a number, counts
  // twice: it says more than other words.
  function score(entry, { query, core, words }) {
    let sum = 0;
    let count = 0;
    for (const word of words) {
      const inHeading = Math.max(occurrence(entry.lowerHeading, word), occurrence(entry.name ?? "", word));
      const inText = occurrence(entry.lowerText, word);
      const inTitle = entry.name !== undefined ? 0 : occurrence(entry.page.lowerTitle, word);
      if (inHeading + inText + inTitle === 0) {
        continue;
      }
      const isName = /[-.\d]/.test(word);
      count += isName ? 2 : 1;
      sum += [0, 8, 30, 50][inHeading] + [0, 1, 4, 8][inText] + [0, 1, 6, 10][inTitle];
      if (isName && (entry.names.has(word) || entry.headingWords[0] === word)) {
        sum += 150;
      }
    }
    if (count === 0) {
      return { count, value: 0 };
    }
    sum /= words.length;
    const isNamed = entry.names.has(query) || entry.names.has(core);
    if (entry.lowerHeading === query || (isNamed && occurrence(entry.lowerHeading, core) === 3)) {
      sum += 400;
    } else if (isNamed) {
      sum += 300;
    } else if (
      entry.headingWords.length < 3 &&
      (entry.headingWords.includes(query) || entry.headingWords.includes(core))
    ) {
      // The number or the name of a rule.
      sum += 300;
    } else if (entry.lowerHeading.startsWith(query)) {
      sum += 60;
    } else if (entry.lowerHeading.includes(query)) {
      sum += 30;
    } else if (words.length > 1 && (entry.lowerText.includes(query) || entry.lowerText.includes(core))) {
      sum += 20;
    }
    if (entry.name !== undefined) {
      sum += entry.name === query || entry.name === core ? 500 : 25;
    }
    return { count, value: sum * (weights[entry.page.group] ?? 1) };
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
    const asked = read(text);
    if (asked.words.length === 0) {
      return [];
    }
    const named = aliases.get(asked.query) ?? aliases.get(asked.core) ?? [];
    let found = [];
    let most = 0;
    for (const entry of entries) {
      const { count, value } = score(entry, asked);
      const place = named.indexOf(entry.url);
      if (place >= 0) {
        found.push({ entry, count: 1000, value: named.length - place });
      } else if (count > 0) {
        found.push({ entry, count, value });
        most = Math.max(most, count);
      }
    }
    const complete = found.filter(({ count }) => count >= most);
    found = complete.length >= few ? complete : found;
    found.sort((a, b) => b.count - a.count || b.value - a.value || (a.entry.url < b.entry.url ? -1 : 1));
    return found.slice(0, limit).map(({ entry }) => ({
      title: entry.heading,
      section: entry.heading === entry.page.title ? entry.page.group : `${entry.page.group} · ${entry.page.title}`,
      url: entry.url,
      snippet: snippet(entry, asked.words),
    }));
  }

  return { load, find, words: (text) => read(text).words };
})();

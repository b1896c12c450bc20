// Asks the search of a built site, outside of a browser, for what Tests/Site/queries.json names.
//
//     node Tests/Site/search.mjs .build/site
//
// Each query names the result that must come first. Prints a line for each other one, and ends with 1.

import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

const folder = process.argv[2];
for (const name of ["search.js", "search-index.js"]) {
  runInThisContext(readFileSync(`${folder}/assets/${name}`, "utf8"), { filename: name });
}

const cases = JSON.parse(readFileSync(new URL("queries.json", import.meta.url), "utf8"));
let failures = 0;
for (const { query, first } of cases) {
  const results = globalThis.siteSearch.find(query);
  const found = results.length === 0 ? "nothing" : results[0].url;
  if (found !== (first ?? "nothing")) {
    console.log(`search: '${query}' finds ${found} first, and not ${first ?? "nothing"}`);
    failures += 1;
  }
}
console.error(`${cases.length} queries`);
process.exit(failures === 0 && cases.length > 0 ? 0 : 1);

extension MatrixPage {
    static let style = ##"""
        :root {
          color-scheme: light dark;
          --page: #fbfbfa; --card: #ffffff; --text: #1d1d1f; --soft: #62626a; --line: #e2e2e0; --accent: #0b63ce;
          --yes: #177a3c; --yes-text: #ffffff; --app: #fbe3b5; --app-text: #6f4400;
          --apple: #ececec; --apple-text: #62626a; --system: #dbe7f8; --system-text: #204e8a;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #161618; --card: #1f1f22; --text: #f1f1f3; --soft: #a3a3ad; --line: #36363b; --accent: #6db1ff;
            --yes: #3fbf6e; --yes-text: #06240f; --app: #5a430f; --app-text: #ffdf9c;
            --apple: #2b2b2f; --apple-text: #a3a3ad; --system: #1e3557; --system-text: #b3d1fb;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body {
          margin: 0 auto; padding: 0 24px; max-width: 1240px; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--text);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
        }
        h1 { font-size: 26px; line-height: 1.25; margin: 24px 0 4px; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
        h1 em { font-style: normal; color: var(--accent); }
        header p { margin: 0; color: var(--soft); max-width: 100ch; text-wrap: pretty; }
        header span { white-space: nowrap; }
        header strong { color: var(--text); }
        code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
        #controls { display: flex; flex-wrap: wrap; gap: 10px 28px; margin: 16px 0 12px; align-items: end; }
        fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px; min-width: 0; }
        legend, .search span { font-size: 12px; color: var(--soft); padding: 0; margin-bottom: 4px; display: block; }
        #search {
          font: inherit; width: 250px; max-width: 100%; padding: 5px 10px; border-radius: 8px;
          border: 1px solid var(--line); background: var(--card); color: inherit;
        }
        fieldset input { position: absolute; opacity: 0; width: 1px; height: 1px; }
        fieldset label span {
          display: block; padding: 5px 11px; border-radius: 8px; border: 1px solid var(--line); background: var(--card);
          cursor: pointer; font-variant-numeric: tabular-nums; white-space: nowrap;
        }
        fieldset label:hover span { border-color: var(--soft); }
        fieldset input:checked + span { background: var(--text); border-color: var(--text); color: var(--page); }
        fieldset input:focus-visible + span, #search:focus-visible, button:focus-visible, td b:focus-visible {
          outline: 2px solid var(--accent); outline-offset: 2px;
        }
        #legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 10px; padding: 0; font-size: 13px; color: var(--soft); }
        #legend li { display: flex; align-items: center; gap: 7px; }
        #frame { overflow-x: auto; margin-bottom: 14px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
        @media (min-width: 1100px) {
          /* Without a scroller of its own the table's head can stay in sight. */
          #frame { overflow: visible; }
          thead th { position: sticky; top: 0; z-index: 2; background: var(--card); }
          thead th:first-child { border-top-left-radius: 11px; z-index: 3 !important; }
          thead th:last-child, .one-os thead th:not(:first-child) { border-top-right-radius: 11px; }
        }
        table { border-collapse: separate; border-spacing: 0; width: 100%; }
        th { text-align: left; font-weight: 500; }
        thead th { font-size: 12px; color: var(--soft); padding: 8px 6px 5px; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: bottom; }
        thead th:first-child, tbody th { padding-left: 16px; }
        tr:not(.group) > th:first-child { position: sticky; left: 0; background: var(--card); z-index: 1; min-width: 200px; }
        tbody th, tbody td { border-bottom: 1px solid var(--line); }
        tbody th { padding-top: 5px; padding-bottom: 5px; padding-right: 10px; line-height: 1.25; max-width: 250px; }
        tbody th small { color: var(--soft); font-size: 12px; font-weight: 400; margin-left: 4px; white-space: nowrap; }
        tbody td { padding: 5px 6px; }
        tbody tr:not(.group):hover > * { background: color-mix(in srgb, var(--accent) 6%, var(--card)); }
        .group th { padding: 0; background: var(--page); }
        .group button {
          all: unset; box-sizing: border-box; cursor: pointer; padding: 10px 16px; font-weight: 600;
          position: sticky; left: 0;
        }
        .group button::before { content: "▸"; display: inline-block; width: 1.1em; color: var(--soft); }
        .group button[aria-expanded=true]::before { content: "▾"; }
        .group b { font-weight: 600; color: var(--accent); margin: 0 6px 0 2px; }
        .group span { font-weight: 400; color: var(--soft); }
        .marks { display: grid; grid-auto-flow: column; grid-auto-columns: 14px; gap: 2px; }
        thead .marks { margin-top: 2px; }
        thead i { font-style: normal; font-size: 10px; text-align: center; }
        td b, #legend b, #why b {
          display: block; position: relative; width: 14px; height: 16px; border-radius: 4px; font: 600 11px/16px ui-monospace, Menlo, Consolas, monospace;
          text-align: center; cursor: default; scroll-margin: 70px 10px 190px 220px;
        }
        .v0 { background: var(--yes); color: var(--yes-text); } .v0::before { content: "✓"; }
        .v1 { background: var(--app); color: var(--app-text); } .v1::before { content: "+"; }
        .v2 { background: var(--apple); color: var(--apple-text); } .v2::before { content: "–"; }
        .v3 { background: var(--system); color: var(--system-text); } .v3::before { content: "↑"; }
        td b:hover, td b.shown { z-index: 1; box-shadow: 0 0 0 2px var(--card), 0 0 0 4px var(--accent); }
        .wide .marks { grid-auto-columns: minmax(36px, 1fr); gap: 4px; }
        .wide td b { width: auto; height: 26px; line-height: 26px; border-radius: 7px; font-size: 13px; }
        .wide.one-api thead i { display: none; }
        .wide td b::after { content: " " attr(data-condition); font-weight: 500; }
        .wide.one-os thead i { font-size: 12px; white-space: nowrap; }
        .wide.one-os thead i::after { content: " " attr(data-name); }
        #why {
          position: sticky; bottom: 0; margin: auto -8px 0; padding: 12px 20px 14px; min-height: 112px; z-index: 4;
          background: var(--card); border: 1px solid var(--line); border-bottom: 0; border-radius: 14px 14px 0 0;
          box-shadow: 0 -8px 30px rgb(0 0 0 / .12);
        }
        #why p { margin: 0; color: var(--soft); }
        #why h2 { margin: 0 0 2px; font-size: 16px; display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; }
        #why h2 b { display: inline-block; width: 20px; height: 20px; line-height: 20px; border-radius: 5px; }
        #why h2 span { font-weight: 400; color: var(--soft); }
        #why dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 14px; margin: 6px 0 0; }
        #why dt { color: var(--soft); }
        #why dd { margin: 0; overflow-wrap: anywhere; }
        @media (min-width: 900px) {
          #why { display: grid; grid-template-columns: minmax(340px, 2fr) 3fr; gap: 2px 32px; align-items: start; }
          #why dl { margin-top: 0; }
        }
        #nothing { padding: 22px 16px; margin: 0; color: var(--soft); }
        @media (max-width: 640px) {
          body { padding: 0 14px; }
          h1 { font-size: 21px; margin-top: 20px; }
          #controls { gap: 12px; }
          .search, #search { width: 100%; }
          fieldset { flex-wrap: nowrap; overflow-x: auto; max-width: 100%; padding: 3px; margin: -3px; scrollbar-width: none; }
          tr:not(.group) > th:first-child { min-width: 118px; max-width: 118px; padding-left: 12px; font-size: 14px; overflow-wrap: anywhere; }
          .wide.one-os thead i::after { content: none; }
          tbody th small { display: block; margin-left: 0; }
          .wide td b::after { font-size: 11px; }
          #why { margin: auto -14px 0; padding: 12px 14px; font-size: 14px; max-height: 40vh; overflow-y: auto; }
          .group span { display: block; margin-left: 1.1em; font-size: 13px; }
        }
        """##
}

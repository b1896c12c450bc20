extension DevicePage {
    static let style = ##"""
        :root {
          color-scheme: light dark;
          --page: #f4f4f2; --card: #ffffff; --text: #1d1d1f; --soft: #62626a; --line: #e0e0dd; --accent: #0b63ce;
          --on-accent: #ffffff; --field: #ffffff; --good: #14733a; --good-bg: #e0f3e6; --bad: #a8261b; --bad-bg: #fbe7e4;
          --wait: #7a4b00; --wait-bg: #fcefd2; --bezel: #1d1d20; --screen: #ffffff; --shade: rgb(0 0 0 / .38);
          --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #121214; --card: #1c1c1f; --text: #f1f1f3; --soft: #a5a5af; --line: #343439; --accent: #6db1ff;
            --on-accent: #06203f; --field: #26262a; --good: #62d28c; --good-bg: #12331f; --bad: #ff9d92; --bad-bg: #421713;
            --wait: #ffd489; --wait-bg: #42300c; --bezel: #3a3a40; --screen: #0c0c0e; --shade: rgb(0 0 0 / .6);
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body {
          margin: 0; padding: 0 24px 32px; background: var(--page); color: var(--text); min-width: 320px;
          font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
        }
        header, main, .problem { max-width: 1360px; margin-inline: auto; }
        header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; justify-content: space-between; padding: 18px 0 14px; }
        h1 { font-size: 22px; margin: 0; font-weight: 680; letter-spacing: -.01em; }
        h1 small { font-size: 14px; font-weight: 400; color: var(--soft); margin-left: 6px; letter-spacing: 0; }
        h2 { font-size: 15px; margin: 0 0 12px; font-weight: 650; display: flex; justify-content: space-between; align-items: baseline; gap: 12px; }
        h2 small { font-weight: 400; color: var(--soft); font-size: 13px; }
        code, .mono { font: .9em var(--mono); overflow-wrap: anywhere; }
        .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
        .skip { position: absolute; left: 16px; top: -60px; background: var(--text); color: var(--page); padding: 8px 14px; border-radius: 8px; z-index: 9; }
        .skip:focus { top: 8px; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        #phone:focus { outline: none; }

        button, select, input:not([type=checkbox]):not([type=file]) {
          font: inherit; color: inherit; border: 1px solid var(--line); background: var(--field); border-radius: 9px;
          padding: 6px 11px; min-height: 36px;
        }
        button { cursor: pointer; }
        button:hover:not(:disabled) { border-color: var(--soft); }
        button:disabled { opacity: .45; cursor: default; }
        .buttons { display: flex; flex-wrap: wrap; gap: 6px; }
        #clock { display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: center; }
        #clock p { margin: 0; font-variant-numeric: tabular-nums; }
        .chip { display: inline-block; border-radius: 99px; padding: 1px 9px; font-size: 12px; background: var(--line); color: var(--text); white-space: nowrap; }
        .chip.good { background: var(--good-bg); color: var(--good); }
        .chip.bad { background: var(--bad-bg); color: var(--bad); }
        .chip.wait { background: var(--wait-bg); color: var(--wait); }
        .problem { background: var(--bad-bg); color: var(--bad); border-radius: 10px; padding: 10px 14px; margin-block: 0 14px; overflow-wrap: anywhere; }

        main { display: grid; grid-template-columns: 300px 372px minmax(0, 1fr); gap: 24px; align-items: start; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 16px 18px; min-width: 0; }
        #side { display: grid; gap: 16px; min-width: 0; }
        #phone { position: sticky; top: 16px; }

        form { display: grid; gap: 12px; }
        label > span { display: block; font-size: 12.5px; color: var(--soft); margin-bottom: 3px; }
        form select, form input:not([type=checkbox]):not([type=file]) { width: 100%; }
        .files { display: grid; gap: 8px; }
        .file { display: block; position: relative; border: 1px dashed var(--soft); border-radius: 10px; padding: 8px 12px; cursor: pointer; background: var(--field); }
        .file b { font-weight: 550; overflow-wrap: anywhere; }
        .file input { position: absolute; inset: 0; opacity: 0; cursor: pointer; width: 100%; height: 100%; font-size: 0; }
        .file:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
        .file.chosen { border-style: solid; border-color: var(--good); }
        .file:hover, .file.over { border-color: var(--accent); }
        details > summary { cursor: pointer; color: var(--accent); padding: 4px 0; border-radius: 6px; }
        details[open] > summary { margin-bottom: 8px; }
        form details label { display: block; margin-bottom: 10px; }
        .check { display: flex !important; gap: 8px; align-items: center; }
        .check input { width: 18px; height: 18px; margin: 0; accent-color: var(--accent); }

        /* The phone. */
        .frame { width: 372px; max-width: 100%; background: var(--bezel); border-radius: 52px; padding: 11px; box-shadow: 0 18px 40px rgb(0 0 0 / .16); margin: 0 auto; }
        .screen { position: relative; overflow: hidden; background: var(--screen); border-radius: 42px; height: 700px; display: flex; flex-direction: column; }
        .status { display: flex; justify-content: space-between; align-items: center; padding: 13px 26px 6px; font-size: 13.5px; font-weight: 600; font-variant-numeric: tabular-nums; }
        .status span { min-width: 68px; } .status span:last-child { text-align: right; color: var(--soft); font-weight: 500; font-size: 12px; }
        .status i { width: 88px; height: 24px; background: #000; border-radius: 20px; }
        .app { flex: 1; overflow-y: auto; padding: 18px 22px 26px; display: flex; flex-direction: column; }
        .app > * { flex: none; }
        .icon { width: 76px; height: 76px; border-radius: 19px; display: grid; place-items: center; font-size: 34px; font-weight: 700; color: #fff; background: linear-gradient(150deg, #4f8df5, #7a3df0); margin: 12px auto 12px; }
        .app h3 { font-size: 22px; margin: 0; text-align: center; letter-spacing: -.01em; overflow-wrap: anywhere; }
        .app .sub { text-align: center; color: var(--soft); margin: 2px 0 0; font-size: 13.5px; overflow-wrap: anywhere; }
        .product { border: 1px solid var(--line); border-radius: 18px; padding: 16px; margin-top: 26px; }
        .product p { margin: 0 0 12px; }
        .product p.soft { color: var(--soft); font-size: 13.5px; margin: 10px 0 0; overflow-wrap: anywhere; }
        .primary { background: var(--accent); color: var(--on-accent); border: 0; width: 100%; border-radius: 13px; min-height: 48px; font-weight: 620; }
        .primary:hover:not(:disabled) { filter: brightness(1.07); }
        .plain { background: none; border: 0; color: var(--accent); width: 100%; min-height: 46px; border-radius: 13px; }
        .plain:hover { background: color-mix(in srgb, var(--accent) 9%, transparent); }
        .links { border: 0; margin: 0 0 12px; padding: 0; display: grid; gap: 6px; }
        .links legend { font-size: 12.5px; color: var(--soft); padding: 0 0 4px; }
        .links label { display: flex; gap: 8px; align-items: baseline; font-size: 13.5px; overflow-wrap: anywhere; }
        .no { background: var(--wait-bg); color: var(--wait); border-radius: 14px; padding: 12px 14px; margin-top: 16px; font-size: 13.5px; overflow-wrap: anywhere; }
        .no b { display: block; } .no p { margin: 4px 0 0; }
        .welcome { margin: auto 0; text-align: center; color: var(--soft); }
        .welcome b { display: block; color: var(--text); font-size: 18px; margin-bottom: 6px; }
        .address { display: flex; gap: 8px; align-items: center; background: var(--page); border-radius: 12px; padding: 9px 14px; font-size: 14px; justify-content: center; overflow-wrap: anywhere; }
        .landing { text-align: center; margin: 26px 0 16px; }
        .landing b { font-size: 18px; display: block; margin-bottom: 4px; }
        .landing p { margin: 0; color: var(--soft); font-size: 14px; }
        .url { font: 11.5px/1.5 var(--mono); overflow-wrap: anywhere; background: var(--page); border-radius: 12px; padding: 11px 13px; margin: 0 0 12px; max-height: 190px; overflow-y: auto; }
        .url mark { background: none; color: var(--accent); font-weight: 600; }
        .token { border: 1px solid var(--line); border-radius: 14px; padding: 12px 14px; margin: 0 0 10px; font-size: 13px; }
        .token h4 { margin: 0 0 6px; font-size: 14px; display: flex; justify-content: space-between; gap: 8px; }
        .token dl { margin: 0 0 6px; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 10px; }
        .token dt { color: var(--soft); } .token dd { margin: 0; overflow-wrap: anywhere; }
        .spacer { flex: 1 0 12px; }
        a.primary { display: grid; place-items: center; text-decoration: none; }

        .shade { position: absolute; inset: 0; background: var(--shade); display: flex; align-items: flex-end; animation: fade .18s; }
        .sheet { background: var(--card); color: var(--text); border-radius: 30px 30px 42px 42px; padding: 20px 22px 18px; width: 100%; max-height: 92%; overflow-y: auto; animation: rise .24s cubic-bezier(.2, .8, .2, 1); }
        .sheet .tag { display: flex; justify-content: center; }
        .sheet h3 { font-size: 20px; line-height: 1.25; margin: 12px 0 10px; text-align: center; text-wrap: balance; }
        .sheet p { margin: 0 0 12px; font-size: 14.5px; color: var(--text); text-wrap: pretty; }
        .sheet .goes { background: var(--page); border-radius: 12px; padding: 10px 14px; font-size: 13px; overflow-wrap: anywhere; }
        .sheet .goes span { color: var(--soft); display: block; }
        .sheet .check { font-size: 14px; margin: 0 0 14px; }
        .sheet .fine { font-size: 12px; color: var(--soft); text-align: center; margin: 8px 0 0; }
        @keyframes rise { from { transform: translateY(60%); opacity: .4; } }
        @keyframes fade { from { opacity: 0; } }
        @media (prefers-reduced-motion: reduce) { * { animation: none !important; } }

        /* What Apple's side sees. */
        .empty { color: var(--soft); margin: 0; }
        .answer { border-top: 1px solid var(--line); padding: 10px 0; display: grid; grid-template-columns: 42px minmax(0, 1fr) auto; gap: 2px 10px; align-items: center; }
        .answer .chip { justify-self: start; }
        .answer:first-child { border-top: 0; padding-top: 0; } .answer:last-child { padding-bottom: 0; }
        .answer .why { grid-column: 2 / -1; margin: 0; color: var(--soft); font-size: 13.5px; overflow-wrap: anywhere; }
        .answer button { min-height: 32px; padding: 3px 12px; font-size: 13.5px; }
        .answer details { grid-column: 2 / -1; font-size: 13px; }
        .conditions { list-style: none; margin: 0; padding: 0; display: grid; gap: 3px; }
        .conditions li { display: grid; grid-template-columns: 1.4em 2.6em minmax(0, 1fr); gap: 4px; overflow-wrap: anywhere; }
        .conditions li.route { display: block; color: var(--soft); margin-top: 6px; }
        .conditions .yes { color: var(--good); } .conditions .not { color: var(--bad); } .conditions .unjudged { color: var(--soft); }
        .leftout { border-top: 1px solid var(--line); margin-top: 10px; padding-top: 10px; font-size: 13.5px; }
        .leftout ul { margin: 4px 0 0; padding-left: 18px; }
        .rows { list-style: none; margin: 0; padding: 0; max-height: 330px; overflow-y: auto; }
        .rows > li { border-top: 1px solid var(--line); padding: 8px 0; font-size: 13.5px; }
        .rows > li:first-child { border-top: 0; padding-top: 0; }
        .row { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; }
        .row .grow { flex: 1 1 12em; min-width: 0; overflow-wrap: anywhere; }
        .row time { color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
        .rows p { margin: 3px 0 0; color: var(--soft); overflow-wrap: anywhere; }
        .rows pre { font: 12px/1.45 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); border-radius: 8px; padding: 8px 10px; margin: 6px 0 0; max-height: 240px; overflow: auto; }
        .rows details summary { color: var(--accent); font-size: 13px; padding: 2px 0; width: max-content; }
        .fresh { animation: fresh 1.6s; }
        @keyframes fresh { from { background: color-mix(in srgb, var(--accent) 18%, transparent); } }
        .live::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; background: var(--soft); margin-right: 6px; }
        .live.on::before { background: var(--good); }

        @media (max-width: 1180px) {
          main { grid-template-columns: minmax(0, 1fr) 372px; }
          #setup { grid-column: 1; grid-row: 1; } #phone { grid-column: 2; grid-row: 1 / span 2; } #side { grid-column: 1; grid-row: 2; }
        }
        @media (max-width: 820px) {
          body { padding: 0 12px 24px; }
          header { padding: 12px 4px; }
          main { grid-template-columns: minmax(0, 1fr); gap: 14px; }
          #setup, #phone, #side { grid-column: 1; grid-row: auto; }
          #phone { position: static; }
          form { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
          .files, form details { grid-column: 1 / -1; }
          .files { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
          .frame { border-radius: 34px; padding: 7px; } .screen { border-radius: 28px; height: 640px; }
          .sheet { border-radius: 26px 26px 28px 28px; }
          #clock, #clock .buttons { width: 100%; } #clock .buttons button { flex: 1; padding-inline: 6px; }
          button, select, input:not([type=checkbox]):not([type=file]) { min-height: 42px; }
        }
        """##
}

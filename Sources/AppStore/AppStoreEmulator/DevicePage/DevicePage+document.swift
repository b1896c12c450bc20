extension DevicePage {
    /// The page without its contents, which the script fetches.
    static let document = ##"""
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
        <div class="buttons" role="group" aria-label="Turn the clock forward">
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
        <label><span>Storefront</span><select id="storefront"></select></label>
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
        <div class="buttons wide" role="group" aria-label="What happens to the app on this device" id="events">
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
        <h2 id="answers-title">What the app is told</h2>
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
}

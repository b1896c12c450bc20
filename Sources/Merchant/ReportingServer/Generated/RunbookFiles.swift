// Generated from docs/runbooks by `./run tables`. Do not edit.
// swift-format-ignore-file
enum RunbookFiles {
    static let readme = ##"""
# When something is wrong

One page for each alert and for each failed check of `/health/ready`: what it means, until when, how to see it, what
to do, and how you know that it is over. The dashboard shows these pages under Runbooks. [Alerts](../watch.md#alerts)
describes the messages. An alert names neither token nor sale: look them up by the commands of its page, or in the
dashboard.

`review` items wait for a person; the server goes on with everything else. In the message of the webhook they have
`"step":"opened"` and the kind in `reason`; in the log they are `a person is needed` with the kind in `why`.

| alert | in the message | page |
|---|---|---|
| a due date is near | `"step":"5d"`, `2d`, `1d`, as `due.warn` says | [due-soon](due-soon.md) |
| a due date is over | `"step":"overdue"` | [overdue](overdue.md) |
| `report-refused` | Apple, or the pre-flight, refused a report | [report-refused](report-refused.md) |
| `sale-held` | a sale lacks something, or contradicts something | [sale-held](sale-held.md) |
| `key-refused` | Apple refuses an app's key | [key-refused](key-refused.md) |
| `contradiction` | a notification differs from the stored token, or an accepted sale is on a token that lost its claim | [contradiction](contradiction.md) |
| `unreported-but-accepted` | Apple misses a report that it accepted | [unreported-but-accepted](unreported-but-accepted.md) |
| `subscription-figures` | accepted figures of a subscription differ from the current ones | [subscription-figures](subscription-figures.md) |
| `payment-waiting` | an event of Stripe has waited for more than a day | [payment-waiting](payment-waiting.md) |
| `payments-unreferenced` | many more payments than before name no external purchase | [payments-unreferenced](payments-unreferenced.md) |
| `payment-event` | an event of Stripe cannot be applied | [payment-event](payment-event.md) |
| `sale-changed` | a sale was changed while its report was on the way | [sale-changed](sale-changed.md) |
| `webhook-parked` | a receiver of events has not accepted one for three days | [webhook-parked](webhook-parked.md) |

| check of `/health/ready` | effect | page |
|---|---|---|
| `store` | 503: nothing is stored | [store](store.md) |
| `space` | 503: too little free space | [space](space.md) |
| `leases` | the leases of a server cannot be renewed | [leases](leases.md) |
| `clock` | 200 `degraded`: nothing is sent | [clock](clock.md) |
| `rates` | 200 `degraded`: the file of exchange rates is wrong | [rates](rates.md) |
| `key` | 200 `degraded`: nothing of an app is sent | [key-refused](key-refused.md) |
| `apps` | 200 `degraded`: nothing of an app is sent that the configuration lacks | [apps](apps.md) |
| `apple` | 200 `degraded`: reports of an app wait | [apple-does-not-answer](apple-does-not-answer.md) |

Two faults raise no alert of their own:

| sign | page |
|---|---|
| the shop gets 401 or 403 | [shop-key](shop-key.md) |
| reports stay `unknown` | [apple-does-not-answer](apple-does-not-answer.md) |

Two more things are worth an alert of your own: `external_purchase_alert_messages_waiting` above 0 for an hour
([alerts do not arrive](alert-messages-waiting.md)), and a scrape of `/metrics` that fails. The
[rules for Prometheus](../watch.md#metrics) have both, and what else its figures show.

The commands below stand for an installation with its own paths: `--database sqlite:ledger.sqlite` and `--config
serve.yaml` name yours. With API keys, every `curl` needs `-H "Authorization: Bearer epk_admin_…"`; `GET` is content
with a `read` key. Commands that change review items on the command line need the server to be stopped; while it runs,
use `POST /v1/review/{sequence}` or the dashboard.
"""##
    static let alertMessagesWaiting = ##"""
# Alerts do not arrive

**Means.** `external_purchase_alert_messages_waiting` stays above 0: the webhook under `alerts:` does not answer 2xx
within 10 s, or `sendmail` does not end with 0 within 30 s. Reporting does not wait for it; every alert is in the log too.

**Until when.** You do not learn of due dates by it until it works; the other way goes on.

**See it.**

```
curl -s http://127.0.0.1:8800/metrics | grep alert_messages_waiting
```

The log says `an alert is not delivered; it is sent again`, with `channel` (`webhook`, `mail`) and the reason.

**Do.**

1. Check address and secret in `serve.yaml`; redirects are not followed.
2. Look into the receiver's log for `External-Purchase-Message`, and into its check of `External-Purchase-Signature`
   ([alerts](../watch.md#alerts)).
3. `mail`: run the program as the user of the server, `sudo -u external-purchase /usr/sbin/sendmail -i -f FROM TO </etc/hostname`, and
   look into the mail system's own log. The package's unit takes away the rights that the programs of Postfix and Exim need
   ([alerts](../watch.md#alerts)).
4. Meanwhile read `external-purchase ledger due` and `ledger review`.

Messages of each way are delivered in order, again after 1, 2, 4 … 300 s, so one that is never accepted holds up the others of its way.

**Over** when the metric is 0. Waiting messages arrive with the same ids; a receiver may get one twice.
"""##
    static let appleDoesNotAnswer = ##"""
# Apple does not answer

**Means.** A report was sent, or could not be, and no answer came, or none of Apple's, such as the page of a gateway. The
server asks for the report before it sends it again, so nothing counts twice. It does so by itself, at growing intervals.

**Until when.** The due dates of the sales; [due-soon](due-soon.md) warns.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/reports?state=unknown'
external-purchase ledger due --config serve.yaml --database sqlite:ledger.sqlite
```

The log has one warning for each app and environment, and another one when the reason changes; `/health/ready` is
`degraded` (with a key of scope `read` it names the app), and the dashboard's overview says the same:

```
{"level":"warning","message":"reports wait: Apple's API does not answer","app":"com.example.shop","environment":"production",
 "reason":"no server listens at …","since":"2026-11-20T12:00:00Z", …}
{"status":"degraded","problems":[{"check":"apple","bundleId":"com.example.shop","detail":"reports of production wait: Apple's API does not answer since 2026-11-20T12:00:00Z: no server listens at …"}]}
```

`answer.conclusion` of the report has the reason too. The metrics `external_purchase_apple_unanswered_seconds` and
`external_purchase_oldest_unsent_age_seconds` grow.

**Do.** Check the network, the proxy and the clock of the machine, and Apple's
[system status](https://developer.apple.com/system-status/). Nothing has to be sent by hand.

**Over** when the log says `Apple's API answers again` and no report is `unknown`.
"""##
    static let apps = ##"""
# The configuration lacks an app

**Means.** `/health/ready` says `degraded` with `"check":"apps"`: an app was taken out of `apps` in the configuration, and tokens or sales of it
are not reported. Nothing of the app is sent, and what arrives for it is refused. The start of `serve` says the same.

**Until when.** The earliest due date of the app: `external-purchase ledger due --bundle-id …`.

**See it.**

```
curl -s http://127.0.0.1:8800/health/ready
external-purchase doctor --config serve.yaml --database sqlite:ledger.sqlite
```

The check `configuration` of `doctor` names the app and how much of it is open.

**Do.** Put the app back into `apps` with its key, and restart the server: what waits is sent. Take it out again when `ledger due` has nothing of
it; its records stay, and [exports](../month.md) and archives can still be made.

**Over** when the check is gone from `/health/ready`.
"""##
    static let clock = ##"""
# The machine's clock cannot be right

**Means.** `/health/ready` says `degraded` with `"check":"clock"`, and `external_purchase_clock_implausible` is 1. The
clock jumped, or it is far from the newest entry of the ledger. Nothing is sent, because an answer for a token cannot
be taken back; requests are stored, but for sales of a moment that a slow clock has not reached: they are 422 (`/occurredAt: lies in the
future`) and must be sent again.

**Until when.** The earliest due date in `ledger due`, judged by the right time (`--at`).

**See it.**

```
date -u
curl -s http://127.0.0.1:8800/health/ready
external-purchase ledger audit --database sqlite:ledger.sqlite | tail -1
```

The detail names both times: `the machine's clock says …, the ledger's newest entry is of …`.

**Do.**

1. The clock is wrong: set it, and repair NTP. The sending resumes by itself.
2. The clock is right and jumped before, or the server was off for longer than `clock.maxGap` (31d): start the server
   again, with `--accept-clock` where the message says so.

   ```
   for port in 8800; do   # nothing else may listen there, such as the server that is to be replaced
     if curl -s -o /dev/null http://127.0.0.1:$port/ || [ $? -ne 7 ]; then echo "port $port is in use: stop what listens there"; fi
   done
   external-purchase serve --config serve.yaml --database sqlite:ledger.sqlite --accept-clock
   ```

3. The ledger is ahead of the right time: it was written by a wrong clock. `--accept-clock` continues; look at the
   reports that were sent meanwhile. What waits for a moment that the wrong clock stored is sent at once.

**Over** when `external_purchase_clock_implausible` is 0.
"""##
    static let contradiction = ##"""
# contradiction

**Means.** A genuine notification of Apple gives a token other dates, another type or another app than it came with.
The first values stay; the others are kept beside them ([NT-61](../spec/06-notifications.md#NT-61)). Or an accepted sale
is on a token that only a public arrival named for its checkout or customer, and your back end has named another one since
([TK-78](../spec/03-tokens.md#TK-78)). Or a chargeback that was handed over by hand has been won back.

**Until when.** The due date of the token, which follows from its dates. An accepted sale can be moved for a year.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/review?kind=contradiction'
curl -s http://127.0.0.1:8800/v1/tokens/EXTERNAL-PURCHASE-ID
curl -s 'http://127.0.0.1:8800/v1/notifications?externalPurchaseId=EXTERNAL-PURCHASE-ID'
```

In the dashboard: `/tokens/{externalPurchaseId}` shows both in its timeline.

**Do.** Where the item is about a sale:

1. The text names both tokens. Find out in the shop whose purchase it was. `correctionId` names the correction that moves
   the sale; `GET /v1/corrections/{correctionId}` shows what Apple will be told.
2. `"action":"retry"` confirms it: the sale is retracted on the one token and reported on the other. `"action":"resolve"`
   keeps what Apple has, for good.
3. A chargeback that was handed over by hand and is won back: no report takes it back. Ask Apple to, as you handed it over,
   then close the item.
4. Many such items at once mean that somebody claims your checkouts: see [security](../security.md#what-comes-from-outside).

Where it is about a token:

1. Find out who sent the first version. Tokens are not signed, and the notification is: where a visit or the app brought
   the token, the notification is right and the other one may be forged or damaged.
2. Sales on the token are reported on it all the same. If Apple refuses them for a date, that is
   [report-refused](report-refused.md).
3. Close the item with `"action":"resolve"` and a `note`. `retry` is 409.

**Over** when the item is closed. One about a sale closes by itself when Apple has accepted the move.
"""##
    static let dueSoon = ##"""
# A due date is near

**Means.** A token or line item is not reported, its due date is 5, 2 or 1 days away (`due.warn`), and the server does
not expect to send it in time by itself: it is held, or the time at which it should have been sent is over.

**Until when.** `dueAt` of the message. A line item is due at the deadline of its month, a token's first report 10 days
after its creation or at its expiration ([RR-70](../spec/05-report-rules.md#RR-70)).

**See it.**

```
external-purchase ledger due --database sqlite:ledger.sqlite --config serve.yaml
curl -s 'http://127.0.0.1:8800/v1/due?state=warned'
```

```
2026-12-15T23:59:59.999Z, 14 days left: sale order-1 of com.example.shop; held: no-token; 15 days after the end of November 2026 …
```

`escalationId` of an entry is the first part of the message's `id`. In the dashboard: `/due`.

**Do.**

1. The entry says `held`: its flags say what is missing. Go on with [sale-held](sale-held.md) or
   [report-refused](report-refused.md).
2. It is not held and `sendAt` is over: look at `/health/ready`. `clock` and `key` stop the sending
   ([clock](clock.md), [key-refused](key-refused.md)); so does `settings: {reporting.send: off}`.
3. Neither: `GET /v1/reports?state=unknown` shows reports without an answer. The server asks Apple for them before it
   sends them again; wait, and look at the log for the reason.

**Over** when the entry is no longer in `GET /v1/due`. No message is sent about that.
"""##
    static let keyRefused = ##"""
# key-refused

**Means.** Apple answered 401 twice to the requests of an app. Nothing of the app is sent; tokens and sales are stored
as before. `/health/ready` says `degraded` with `"check":"key"`.

**Until when.** The earliest due date of the app: `external-purchase ledger due`. Reports without a sale of custom link
tokens in the sandbox are due after an hour.

**See it.**

```
external-purchase ledger review --database sqlite:ledger.sqlite
curl -s -H "Authorization: Bearer $KEY" http://127.0.0.1:8800/health/ready    # a key of scope read; without one no app is named
curl -s http://127.0.0.1:8800/metrics | grep queue_stopped
```

```
{"status":"degraded","problems":[{"check":"key","bundleId":"com.example.shop","detail":"Apple refused the key of com.example.shop: nothing of the app is sent since 2026-11-20T12:00:00Z: it refuses the key 2X9R4HXF34 (401)"}]}
external_purchase_queue_stopped{app="com.example.shop"} 1
```

**Do.**

1. Compare `keyId`, `issuerId` and the file in `serve.yaml` with App Store Connect. Was the key revoked?
2. Check the machine's clock: a request is signed with its time.
3. Try the key without the server. A wrong key is `401: the key, its id, the issuer or the bundle id is not accepted`
   (exit code 3); a good one is `no report was accepted under …` (exit code 1):

   ```
   external-purchase report get 00000000-0000-4000-8000-000000000000 --environment sandbox \
       --key AuthKey_….p8 --key-id … --issuer-id … --bundle-id com.example.shop
   ```

4. Another key: put it into `serve.yaml` and restart the server. The same key works again: retry the item.

   ```
   curl -s -H 'Content-Type: application/json' http://127.0.0.1:8800/v1/review/2 -d '{"action":"retry","by":"maria"}'
   ```

`resolve` closes the item; the app's reports are still not sent.

**Over** when `/health/ready` says `"status":"ok"`: the item closes by itself with the first other answer of Apple. A
key that is still refused opens a new item.
"""##
    static let leases = ##"""
# Leases cannot be renewed

**Means.** `/health/ready` says `"check":"leases"`: a server that shares its ledger with [others](../several-servers.md) could not renew its
leases. It sends nothing from 25 seconds after its last renewal on, and another server that reaches the ledger takes its work over 60 seconds
after it.

**Until when.** Nothing is lost. Where no server reaches the ledger, `"check":"store"` follows, and [nothing is stored](store.md).

**See it.** The log line `leases cannot be renewed` has the reason. Ask every server:

```
curl -H "Authorization: Bearer $KEY" http://SERVER/health/ready    # a key of scope read; leases.held and leases.servers
```

**Do.**

1. When all servers say so: repair the database or the way to it.
2. When one server says so: repair its way to the database, or end it. The others have taken over when each lease is in the `held` of one of
   them.

**Over** when `/health/ready` is `ok` and `leases.servers` names every server.
"""##
    static let overdue = ##"""
# Overdue and not reported

**Means.** The due date of a token or line item is over, and Apple has no report of it.

**Until when.** Now. An overdue report is still sent, and Apple's rules refuse it for its age only after a long time
([OB-53](../spec/07-obligations.md#OB-53), [RR-82](../spec/05-report-rules.md#RR-82)). What lateness costs is in your
terms with Apple.

**See it.**

```
external-purchase ledger due --database sqlite:ledger.sqlite --config serve.yaml --filter state=overdue
curl -s 'http://127.0.0.1:8800/v1/due?state=overdue'
```

```
OVERDUE since 2026-11-30T12:00:00Z: token SANDBOX_b0e20dc8-… of com.example.shop; 10 days after the token was made at …
3 not reported: 1 overdue, 2 later; 2 of them held for a person
```

The command ends with exit code 1 while something is overdue. In the dashboard: `/due`; the metric is
`external_purchase_due{state="overdue"}`.

**Do.**

1. Find out what stops it, as in [due-soon](due-soon.md): a hold, the key, the clock, `reporting.send: off`, or no
   answer of Apple.
2. Remove the cause. The server sends at once; nothing has to be sent by hand.
3. A sale without a token, in a programme with a manual channel, is
   [submitted by hand](../month.md#by-hand).
4. When the deadline belongs to another programme than yours, set `programmes:` of the app
   ([configuration.md](../configuration.md#programmes)).

**Over** when `ledger due` prints `0 overdue`.
"""##
    static let paymentEvent = ##"""
# payment-event

**Means.** At least one event of Stripe is `held`: it is stored and cannot be turned into a sale. One item stands for
all held events of an app, because one cause often stops many.

**Until when.** The due dates of the sales in these events, which the ledger does not know yet: treat it as 15 days
after the month of the oldest held event.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/events?state=held'
```

```
{"events":[{"eventId":"evt_1","provider":"stripe","bundleId":"com.example.shop","type":"checkout.session.completed", …
 "state":"held","detail":"line-items: the event leaves out the session's line items; /v1/checkout/sessions/cs_test_1/line_items?limit=100 has them; the configuration has no apiKeyFile, with which the server fetches it", …
```

**Do.** `detail` begins with the cause.

| detail | do |
|---|---|
| names a path of Stripe's API, such as `line-items: … /v1/checkout/sessions/…/line_items` | add `apiKeyFile` to the app's entry under `stripe:`, a restricted key that may read what [stripe.md](../stripe.md#set-it-up) lists; Stripe leaves the line items of every Checkout session out |
| several apps share the account, and nothing names the app | set `metadata.external_purchase_bundle` at the payments to come; send this sale yourself with `POST /v1/sales`, and close the item |
| test and live mode, or sandbox and production, are mixed | find out which token or object belongs to the other mode; a test payment with a production token gives no sale: close the item |
| `Apple accepted …: its change is a correction` of a refund that failed, of more that was captured, of a part of a dispute that came back, or of the currency | `detail` names the planned [correction](../corrections.md#corrections), which is confirmed once; then apply the event again. Of a sale of several lines confirm one, apply the event when Apple has answered, and go on with the ids that it names then. With `settings: {corrections.payments: automatic}` the server confirms it |
| `… has changed it, and what it says is no longer right` | a person gave the sale other amounts than its payment has now: amend or correct it, or leave it and set the event aside |
| `statement: …`, with what the customer paid or got back and what the sales would add up to | look the payment up in Stripe: if its figure is wrong or missing something, such as a refund outside of Stripe or a credit note beside its refund, set the event aside that says it twice, or send what is missing yourself; `ledger reconcile payments` shows all three figures |
| `currency: the customer was charged …` in another currency than the sale and its refunds have | [retract](../corrections.md#corrections) the sale and send it in the customer's currency with its `payment`; then apply the event again |
| it is not about a sale of the app | set it aside: `POST /v1/events/{eventId}/dismiss` with `{"reason": "…"}`, or "Set aside" on its page; applied again, it counts again |
| `several-invoices` | send the refund yourself, as a refund of the sale of the invoice that it is about, and set the event aside |
| `several-sales`: two sales were sent for one payment, under ids that events have connected since | void the one that is too many, or [retract](../corrections.md) it once Apple has it, and apply the events again |
| amounts that do not add up, or credits that are more than the other lines of an invoice | send the sale yourself with `POST /v1/sales` and `"payment": {"provider": "stripe", "id": "pi_…"}`: the events of the payment then are about that sale, refunds and disputes too |

After the cause is repaired:

1. A change of `serve.yaml` needs a restart, which applies the held events again.
2. Without a restart, apply an event by its id:

   ```
   curl -s -X POST http://127.0.0.1:8800/v1/events/evt_1/apply
   ```

   The answer has the new `state`: `applied`, or `held` with the reason that is left.

`"action":"resolve"` closes the item and leaves the event held; the next event of the app that changes something opens
it again. `retry` is 409.

**Over** when `GET /v1/events?state=held` is empty; the item closes by itself.
"""##
    static let paymentWaiting = ##"""
# payment-waiting

**Means.** Events of Stripe have waited for more than a day for another event or object, which their `detail` names. One
item stands for all of an app; pending payments and refunds of a bank are not among them.

**Until when.** The due dates of the sales in these events, which the ledger does not know yet: treat it as 15 days
after the month of the oldest one.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/events?state=waiting'
```

**Do.**

| detail begins with | do |
|---|---|
| `session` | send `checkout.session.completed` to the endpoint (its list of events in Stripe), and resend what is missing from the event's page in Stripe, or with [`stripe replay`](../stripe.md#missed-events) |
| `invoice`, `purchase` | the same for `invoice.paid` and, since the API version 2025-03-31, `invoice_payment.paid`, or add `apiKeyFile`. A refund of a payment that was never one of the app's: set the event aside (`POST /v1/events/{eventId}/dismiss`) |
| `chargeback` | the same for `charge.dispute.created` |
| `correction` | retract the refund that the detail names ([corrections](../corrections.md#corrections)) |

What a person closed opens again only when other events have waited as long.

**Over** when none has waited for more than a day; the item closes by itself.
"""##
    static let paymentsUnreferenced = ##"""
# payments-unreferenced

**Means.** Of at least 10 payments of the last day, the share that names no external purchase is larger than in the 30
days before, by 30 percentage points or more. Nothing is reported of these payments. Often the checkout page has lost the
parameter `checkout` of the landing page, or no longer hands it on as `client_reference_id`.

**Until when.** The due dates of the sales in these payments: treat it as 15 days after the month of the oldest one.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/events?state=not-used'
```

A payment's event has `"reference":"unreferenced"` and its amount in `payment`.

**Do.**

1. Open the landing address as a customer does, buy in the shop, and look at the session in Stripe: `client_reference_id`
   must be the parameter `checkout` ([stripe.md](../stripe.md#set-it-up)).
2. Payments that were made meanwhile and belong to the app: write `external_purchase_checkout`, or
   `external_purchase_customer`, into the metadata of the payment intent or subscription, and resend its event from Stripe,
   or send the sale with `POST /v1/sales`.
3. If the shop simply sells more to others, close the item.

**Over** when the share of a day is as before; the item closes by itself.
"""##
    static let rates = ##"""
# The file of exchange rates is wrong

**Means.** `/health/ready` says `degraded` with `"check":"rates"`: the file of `rates:` in the configuration changed, and what is in it now
cannot be used. The rates that were read before stay. Sales in currencies that Apple does not take are held once those are
older than 48 hours ([RR-45](../spec/05-report-rules.md#RR-45)).

**Until when.** The earliest due date of a held sale in such a currency, in `ledger due`.

**See it.**

```
curl -s http://127.0.0.1:8800/health/ready
```

The server's log names the file, the line, what is wrong and what would be right.

**Do.** Put the file right, and write it under another name before it is renamed into place: the server reads it again when it
changes. It has a head `date,from,to,rate,source` and a row for each rate ([exchange rates](../configuration.md#exchange-rates)). Held sales go on by
themselves.

**Over** when the check is gone from `/health/ready`.
"""##
    static let reportRefused = ##"""
# report-refused

**Means.** Apple refused a report, or the pre-flight did (`"local":true`); in the second case nothing was sent. If all
errors name line items, only those sales are held and the others go into a new report. Otherwise the complete report
waits, and later reports of the token wait behind it.

**Until when.** The due dates of its sales ([due-soon](due-soon.md) warns again).

**See it.**

```
external-purchase ledger review --database sqlite:ledger.sqlite
curl -s 'http://127.0.0.1:8800/v1/review?kind=report-refused'
curl -s 'http://127.0.0.1:8800/v1/reports?state=needsAttention'
```

The `id` of the item is the report; `/reports/{requestIdentifier}` of the dashboard shows the bytes of both
directions. Each error has Apple's `errorCode`; [rules.md](../rules.md) explains the codes.

**Do.**

1. Read the error, its field and its sale.
2. Error 1 for `lineItemId`, or 8 for `status`: Apple has it already, as after the restore of an older ledger. Take it as
   accepted; with `"requestIdentifier"` Apple's own copy is read. Until then the sale (`reported-already`) and what depends
   on it cannot be changed, and later refunds of it wait.

   ```
   curl -s -H 'Content-Type: application/json' http://127.0.0.1:8800/v1/review/12 -d '{"action":"accepted","by":"maria"}'
   ```

3. The sale is wrong: [amend or void it](../corrections.md#wrong-sales-that-apple-has-not-accepted). An amended sale is
   planned again by itself.
4. The sale is right, and the cause is gone, such as a setting or a fault at Apple: send it again.

   ```
   curl -s -H 'Content-Type: application/json' http://127.0.0.1:8800/v1/review/12 -d '{"action":"retry","by":"maria"}'
   ```

5. `E3` for `externalPurchaseId`: Apple does not know the token. Check the app and the environment. In a trial, the
   emulator was restarted without `--state`, or the simulated StoreKit made the token: register it by `POST /emulator/v1/tokens` with `bundleId`,
   `externalPurchaseId` and `creationDate`, or with `{"token":"eyJh…"}` ([emulator](../emulator.md)), then send the report again.
6. Nothing of it must be reported: close the item with `"action":"resolve"` and a `note`. The sales stay held and are
   due nowhere until they are amended; a refund that arrives later is a review item of its own.
7. The report is one of a correction: `retry` sends the same bytes, `resolve` gives the correction up.

The table in [states.md](../states.md#what-waits-for-a-person) has all effects.

**Over** when the item has `resolvedAt` and the sale's `standing` is `reported`.
"""##
    static let saleChanged = ##"""
# sale-changed

**Means.** The shop amended or voided a sale while its report was on the way to Apple. The change waited for the answer and
could then not be made by itself: Apple accepted the report, the sale was submitted by hand meanwhile, or a person closed
what Apple said that it has. Or a held sale was voided before it was sent, while Apple has line items of its token (E8).

**Until when.** A year from the moment of the sale, after which Apple takes no correction. Until then Apple has the sale as
it was first reported.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/review?kind=sale-changed'
curl -s 'http://127.0.0.1:8800/v1/corrections?state=planned'
```

`detail` of the item has who asked for what and when, and the ids of the corrections that would make the change. In the
dashboard: `/corrections/{correctionId}` shows every field that changes.

**Do.**

1. The change is right, and a correction is planned: compare it and confirm it.

   ```
   curl -s -H 'Content-Type: application/json' http://127.0.0.1:8800/v1/corrections \
     -d '{"correctionId":"…","confirm":true,"confirmedBy":"otto"}'
   ```

2. The change is right, and no correction is planned: `detail` says why. Correct the sale by its parts
   ([corrections](../corrections.md#corrections)), or withdraw the [submission by hand](../month.md#by-hand) first. Of what a person
   closed, ask for the change again: 409 names the item to decide `accepted` about.
3. The change is wrong: close the item with `"action":"resolve"` and a `note`. `retry` is 409.

**Over** when Apple has accepted the correction; the item closes with its confirmation.
"""##
    static let saleHeld = ##"""
# sale-held

**Means.** A sale cannot go into a report and needs a person: a value is missing (`no-tax`, `no-tax-country`,
`no-exchange-rate`), it contradicts another record, or its token or purchase has not arrived within `review.tokenWait`
(24 h).

**Until when.** The due date of the sale, 15 days after its month in most programmes
([regions](../regions.md)).

**See it.**

```
external-purchase ledger review --database sqlite:ledger.sqlite
external-purchase ledger plan --bundle-id com.example.shop --config serve.yaml --database sqlite:ledger.sqlite
curl -s http://127.0.0.1:8800/v1/sales/order-1
```

```
1: 2026-11-20T12:20:00Z sale-held: sale order-1 of com.example.shop: held for no-tax, no-token: neither the sale nor its checkout nor its customer leads to a token; it waits for one (RR-66)
```

`flags` and `reasons` of the sale say what it lacks. In the dashboard: `/review/{sequence}`, `/sales/{saleId}`.

**Do.**

| flag | do |
|---|---|
| `no-tax`, `no-tax-country`, `no-exchange-rate` | send the same sale again with `amount.tax` or `taxRate`, `taxCountry` or `exchangeRate`; where it has a rate into another currency, amend it |
| `no-token`, `no-active-token` | send the token, or the sale again with its `checkoutId`. A plain or per-purchase token is found by `checkoutId` or `externalPurchaseId`, not by the customer. Where there never was a token: submit the sale [by hand](../month.md#by-hand) in programmes that have that channel |
| `checkout-contradiction` | find out in the shop which token is the basket's, and send it with your back end's key and the `checkoutId`, or send the sale again with its `externalPurchaseId`. Left alone, the wait ends when Apple has answered about the tokens, by their due dates |
| `buy-unknown`, `buy-held` | send the purchase of the refund, or repair it |
| `imported-refund` | send the later refund that `reasons` names again, as it was sent before the import |
| `token-unknown-to-apple` | check the app and the environment; `retry` tries the token once more |
| `refund-above-buy`, `refund-before-buy`, `refund-tax-differs` | wait for the reversal of the chargeback, or amend or void what is wrong: the refund goes out as soon as it fits. A chargeback that Apple refused (E12) is dropped once its reversal is sent; as the last resort void the reversal, then the chargeback |
| `reference-closed` | a person closed what it refers to: `accepted` if Apple has that, `retry` to send it after all, `resolve` to leave this sale out too |
| `report-refused`, `reported-already` | [report-refused](report-refused.md) |
| `too-late-to-report` | [too-late-to-report](too-late-to-report.md) |
| others | `reasons` names the contradiction; amend or void the sale |

With `retry` the answer is 409 for most causes: only what is missing ends the hold. `resolve` says that the sale is
not to be reported; it stays `held` and is due nowhere.

**Over** when `ledger review` no longer lists it. The item closes by itself when the sale is no longer held.
"""##
    static let shopKey = ##"""
# The shop gets 401 or 403

**Means.** A key of this server (`epk_…`) is wrong, revoked or over (401), or its scope or app does not allow the
request (403). What the shop sent is not stored. [key-refused](key-refused.md) is about Apple's key.

**Until when.** The due dates of the tokens and sales that the shop could not send.

**See it.** `detail` of the answer has the reason. The log has a line with `"status":401` for each request, and before it
`an API key was refused` with the `reason` (`unknown`, `expired`, `revoked`) and the id of a known key:

```
{"level":"notice","message":"an API key was refused","key":"key_0a1b2c3d4e5f6071","reason":"revoked","requestId":"7d0c…", …}
```

```
external-purchase keys list --database sqlite:ledger.sqlite
```

names scope, app, end and revocation of each key, also on the page `/keys` of the dashboard. `GET /v1/audit` has who
revoked a key.

**Do.**

1. Make a new key, and give it to the shop:

   ```
   external-purchase keys create --scope sales --database sqlite:ledger.sqlite
   ```

2. Send the lost requests again. Known tokens and sales are answered 200, so a repetition is harmless.

A key of scope `sales` only writes: `GET` needs `read`, review and corrections need `admin`.

**Over** when the shop gets 200 or 201.
"""##
    static let space = ##"""
# Too little free space

**Means.** `/health/ready` is 503 with `"check":"space"`: less than `ready.freeSpace` (64 MB) is free where the ledger
is. Commits may still work, and a load balancer sends requests elsewhere.

**Until when.** Before the disk is full; then [nothing is stored](store.md).

**See it.**

```
df .
ls -lS ledger.sqlite* backups/
```

**Do.**

1. Free space beside the ledger: old backups, logs, archives. Do not remove `ledger.sqlite-wal`, `-shm`, `.anchor` or
   `.landing-spool`.
2. Enlarge the disk. The ledger grows with every record and is not deleted by itself; a [purge](../ledger.md#records)
   takes only what is older than its retention period, and rewriting the file needs free space too.

**Over** when `/health/ready` is 200 and `ok`.
"""##
    static let store = ##"""
# The ledger stores nothing

**Means.** `/health/ready` is 503 with `"check":"store"`: a commit fails. Requests are answered 503 and nothing of
them is stored; the callers send them again. Visits of the landing address go to the spool file.

**Until when.** At once. Apple repeats notifications of production five times within days, Stripe its webhooks for some days, and
your back end as long as you wrote it.

**See it.**

```
curl -s http://127.0.0.1:8800/health/ready
ls -l ledger.sqlite*
df .
```

The log has a line of level `critical`, `the ledger stores nothing`, with the error.

**Do.**

1. No free space, or a read-only file system: make room, remount. See [space](space.md).
2. The file, `-wal` or `-shm` was removed or replaced while the server runs: put it back, or stop the server and
   [restore a backup](../production.md#backup-and-restore).
3. Permissions: the file belongs to the user of the server and has mode 600.
4. The file is damaged: stop the server, check it, restore.

   ```
   external-purchase ledger verify --database sqlite:ledger.sqlite
   ```

With a ledger in [PostgreSQL](../postgresql.md), the error names the reason:

| error | do |
|---|---|
| connection refused, timeout, authentication | bring the database or the network back; servers connect by themselves |
| `its transactions are read-only` | a standby, or `default_transaction_read_only`: point the address at the primary, or reset the setting |
| `its role may not write` | make the role the owner of the schema again |
| `no space is left` | make room at the database server |
| `… which this server has seen, is missing or different` | the database is an older copy, or a standby without the last commits. Stop all servers and restore the newest copy ([Backup](../postgresql.md#backup)) |
| `it is of another version, or not there` | the schema was dropped, or a later version has migrated it: restore it, or start that version |

**Over** when `/health/ready` is 200. The spool is empty when `external_purchase_spool_visits` is 0.
"""##
    static let subscriptionFigures = ##"""
# subscription-figures

**Means.** An event of a subscription arrived late, and Apple has accepted charges whose event, start or paid days are
different from what the complete history gives ([late events](../sales.md#late-events)). There is one item for each
subscription.

**Until when.** A year from the moment of each charge, after which Apple takes no correction. Later charges of the
subscription are reported meanwhile.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/review?kind=subscription-figures'
curl -s http://127.0.0.1:8800/v1/corrections
```

The item has both figures of each charge and a `correctionId`. In the dashboard: `/corrections/{correctionId}` shows
every field that changes.

**Do.**

1. Compare the history with your payment provider: is the late event real?
2. It is: confirm the correction, or `retry` the item, which is the same.

   ```
   curl -s -H 'Content-Type: application/json' http://127.0.0.1:8800/v1/corrections \
     -d '{"correctionId":"…","confirm":true,"confirmedBy":"otto"}'
   ```

3. It is not: void or amend the wrong event; the item follows.
4. The accepted figures are to stay: `resolve` with a note. The item returns only when other figures differ.

If such items come often, set `send.delay` to the time within which your events arrive, or
`corrections.subscriptionFigures: automatic`.

**Over** when Apple has accepted the correction; the item closes by itself.
"""##
    static let tooLateToReport = ##"""
# too-late-to-report

**Means.** Apple no longer takes the sale or the change: corrections and refunds a year after the sale, sales after
three years ([RR-82](../spec/05-report-rules.md#RR-82)). Such a sale is held with the flag
`too-late-to-report`, and an item of the kind [`sale-held`](sale-held.md) is open. A correction that comes too late is
refused in its dry run.

**Until when.** The limit is over; nothing gets worse by waiting.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/sales?flag=too-late-to-report'
external-purchase ledger review --database sqlite:ledger.sqlite
```

**Do.**

1. Check `occurredAt`: a wrong year is amended, and the sale is planned again.
2. The date is right: settle the amount with Apple directly.
3. Close the item with a `note` that says how it was settled. The sale stays `held` and is due nowhere.

**Over** when the item is closed.
"""##
    static let unreportedButAccepted = ##"""
# unreported-but-accepted

**Means.** Apple sent `UNREPORTED` for a token, the ledger has a report that Apple accepted for it, and Apple does not
have that report any more ([NT-66](../spec/06-notifications.md#NT-66)).

**Until when.** At once: to Apple the token counts as unreported.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/review?kind=unreported-but-accepted'
curl -s 'http://127.0.0.1:8800/v1/reports?externalPurchaseId=EXTERNAL-PURCHASE-ID'
```

`answer` of the report has the time and the status of Apple's acceptance; `/reports/{requestIdentifier}` of the
dashboard has the exact bytes, which are your evidence.

**Do.**

1. Ask Apple for the report once more, with your key:

   ```
   external-purchase report get REQUEST-IDENTIFIER --environment production \
       --key AuthKey_….p8 --key-id … --issuer-id … --bundle-id com.example.shop
   ```

2. Apple has it: close the item.
3. Apple does not have it: contact Apple's support with the request identifier, the bytes and the answer. Do not send
   the sales under another id: Apple may have both afterwards.
4. Close the item with what Apple said: `{"action":"resolve","by":"maria","note":"…"}`.

**Over** when Apple confirms the report and the item is closed.
"""##
    static let webhookParked = ##"""
# webhook-parked

**Means.** A receiver of [events](../webhooks.md) has not accepted one for three days. The event is parked: it is not sent
any more, and later events of the same record wait behind it. Tokens, sales and reports go on as before.

**Until when.** No due date hangs on it; the other system lacks what happened since.

**See it.**

```
curl -s 'http://127.0.0.1:8800/v1/deliveries?state=parked'
```

Each attempt has its time, status and error.

**Do.**

1. Repair the receiver, and try it: `external-purchase webhooks test NAME --config serve.yaml`.
2. Have each parked event sent again: `POST /v1/deliveries/ID/redeliver`, or `external-purchase webhooks redeliver ID`. The events behind
   it follow by themselves.
3. A receiver that missed much reads the [feed of changes](../changes.md) instead.
4. Close the item.

**Over** when nothing is parked any more.
"""##
    static let all = [("README", readme), ("alert-messages-waiting", alertMessagesWaiting), ("apple-does-not-answer", appleDoesNotAnswer), ("apps", apps), ("clock", clock), ("contradiction", contradiction), ("due-soon", dueSoon), ("key-refused", keyRefused), ("leases", leases), ("overdue", overdue), ("payment-event", paymentEvent), ("payment-waiting", paymentWaiting), ("payments-unreferenced", paymentsUnreferenced), ("rates", rates), ("report-refused", reportRefused), ("sale-changed", saleChanged), ("sale-held", saleHeld), ("shop-key", shopKey), ("space", space), ("store", store), ("subscription-figures", subscriptionFigures), ("too-late-to-report", tooLateToReport), ("unreported-but-accepted", unreportedButAccepted), ("webhook-parked", webhookParked)]
}

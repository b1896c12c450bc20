"""docs/checklists.md: a checklist for each way of selling of the newest rule pack, from the tables in Data/."""

import json
import textwrap

MARKS = {"apple": "A", "assumed": "?"}
TYPES = {
    "array<string>": "an array of codes",
    "dictionary<string,string>": "a dictionary with a URL for each code",
    "dictionary<string,array<string>>": "a dictionary with an array of URLs for each code",
    "boolean": "`true`",
}
CALENDARS = {"civilMonth": "calendar month", "appleFiscalMonth": "month of Apple's fiscal calendar"}
CHANNELS = {"externalPurchaseServerAPI": "the report API", "manual": "Apple's manual report"}
FLOWS = {
    "inAppPurchase": "In-App Purchase", "withinApp": "paid inside the app", "outOfApp": "by a link", "any": "every sale",
}
BASES = {"netOfTax": "the price without tax", "grossOfTax": "the price with tax"}
COUNTED = {"invoiceDate": "the date of the invoice", "fiscalMonthEnd": "the end of the fiscal month"}
BESIDE = {
    "required": "Always beside the offer, at least as prominent",
    "allowed": "May stand beside the offer",
    "forbidden": "None in this app",
}
TREATMENTS = {"offered": "offered", "parentalGate": "behind a parental gate", "notOffered": "not offered"}
# What an API shows the customer: the numbers of the rules are those of docs/spec/02-storekit-api.md.
DISCLOSURES = {
    "ExternalPurchase": "`presentNoticeSheet()` at each tap, before the payment page; go on only after a continued result.",
    "ExternalPurchaseLink": "`open()` or `open(url:)` at each tap: the system asks and opens the link; the app opens no URL of its"
    " keys itself (`url-opened-by-app`).",
    "ExternalPurchaseCustomLink": "`showNotice(type:)` at each tap, before the offer; open the destination only after `.continued`"
    " (SK-63).",
}
TOKENS = {
    "": "plain, one for each Continue; the sale belongs to the token of its checkout (RR-63).",
    "ACQUISITION": "ask for both at launch and before each possible sale, and hand them in with the customer (OV-7).",
    "IN_APP": "ask for one before each possible sale, after the customer continued (OV-8).",
    "CORE_TECHNOLOGY": "ask MarketplaceKit for one before each purchase that is offered (TK-47).",
}
# The two flows of Japan and Brazil, whose disclosure the app shows itself on older systems.
OWN_DISCLOSURE = {"jp", "br"}

HEAD = """\
# Checklists

One for each way of selling outside In-App Purchase: what to apply for, declare, show, report and pay. [Regions](regions.md)
compares them; the [life of a token](life-of-a-token.md) shows the reports. This page is written by `./run tables` from
`Data/regions.json` and `Data/programmes.json`, so that linter, simulator, server and checklists say the same.

Figures of the terms are marked: **A** stated in Apple's own text, **S** second-hand with the date of the account, **?** assumed
or not found ([OB-2](spec/07-obligations.md#OB-2)). It is no legal advice: look at Apple's page before you rely on a figure.
`E.` abbreviates `com.apple.developer.storekit.`.
"""


def load(name):
    with open(f"Data/{name}.json", encoding="utf-8") as file:
        return json.load(file)


def mark(confidence):
    """(A), (S 2026-09-05) or (?), with the note of the figure."""
    if not confidence:
        return "(?)"
    level = MARKS.get(confidence["level"]) or f"S {confidence['asOf']}"
    note = confidence.get("note")
    return f"({level}; {note})" if note and note != "not found" else f"({level})"


def short(entitlement):
    return "E." + entitlement.removeprefix("com.apple.developer.storekit.")


def listed(words):
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else ""


def item(name, *sentences):
    text = f"- ☐ **{name}.** " + " ".join(sentences)
    return textwrap.fill(
        text, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def codes(storefronts, sets):
    """The countries of a way of selling as its keys write them."""
    names = []
    for code in storefronts:
        names += sets[code[1:]] if code.startswith("@") else [code]
    return ", ".join(f"`{name}`" for name in names)


def versions(by_platform):
    return listed([f"{platform} {version}" for platform, version in by_platform.items()])


def routes(way, pack):
    """One sentence for each entitlement, with the keys that it needs."""
    keys = {}
    for route in way["routes"]:
        keys.setdefault(route["entitlement"], []).append(route["plistKey"])
    sentences = []
    for entitlement, names in keys.items():
        kind = pack["entitlements"][entitlement]["type"]
        named = [f"`{name}` ({TYPES[pack['plistKeys'][name]['type']]})" for name in names if name]
        value = "with the codes of the countries" if kind == "array<string>" else f"is {TYPES[kind]}"
        tail = f" and Info.plist has {' or '.join(named)}" if named else " and Info.plist needs no key"
        first = gate(entitlement, way, pack)
        since = f", from system {first}" if first and first not in way["minimumOS"].values() else ""
        sentences.append(f"`{short(entitlement)}` {value}{tail}{since}")
    return "Either " + "; or ".join(sentences) + "." if len(sentences) > 1 else sentences[0] + "."


def gate(entitlement, way, pack):
    """The first system of a route: that of the gate that names the country, else of the one for all."""
    gates = [one for one in pack["gates"] if one["storefrontsFrom"] == entitlement]
    named = [one for one in gates if one["codes"] and set(one["codes"]) & set(way["storefronts"])]
    for one in named + [one for one in gates if not one["codes"]]:
        return one["minimumOS"]
    return None


def condition(when):
    return {
        "osAtLeast": f"from system {when.get('version')}", "osBelow": f"before {when.get('version')}",
        "tokenAvailable": "for sales with a token", "noToken": "for sales without one", "always": "",
    }[when["condition"]]


def channels(terms):
    texts = [f"{CHANNELS[one['channel']]} {condition(one['when'])}".strip() for one in terms["channel"]]
    return "; ".join(texts) + " " + mark(terms["confidence"].get("channel"))


def commission(terms):
    """The rates of each flow: standard / reduced, and what is added."""
    flows, bases = {}, []
    for rate in terms["rates"]:
        flow = flows.setdefault(rate["flow"], {"tiers": {}, "adds": []})
        if rate.get("adds"):
            flow["adds"].append(rate["percent"])
            # What it adds to has the rates of another flow.
            other = [one["flow"] for one in terms["rates"] if one["id"] == rate.get("addsTo")]
            if other:
                flow["tiers"] = {one["tier"]: one["percent"] for one in terms["rates"] if one["flow"] == other[0]}
        else:
            flow["tiers"][rate["tier"]] = rate["percent"]
        if rate["base"] not in bases:
            bases.append(rate["base"])
    texts = []
    for flow, rates in flows.items():
        percents = " / ".join(rates["tiers"].values())
        added = "".join(f" plus {percent} %" for percent in rates["adds"])
        texts.append(f"{FLOWS[flow]} {percents + ' %' if percents else ''}{added}".replace("  ", " "))
    if not texts:
        return f"Not found {mark(terms['confidence'].get('rates'))}"
    base = " or ".join(BASES[one] for one in bases)
    joined = "; ".join(texts)
    return f"{joined[0].upper()}{joined[1:]}, of {base} {mark(terms['confidence'].get('rates'))}"


def invoice(terms):
    payment = terms["payment"]
    if not payment:
        return f"Terms of payment were not found {mark(terms['confidence'].get('payment'))}."
    text = f"{payment['invoice'].capitalize()}; pay within {payment['payWithinDays']} days from {COUNTED[payment['countedFrom']]}"
    if payment.get("taxIdRequired"):
        text += f"; have an id for {payment['taxIdRequired']}"
    return f"{text} {mark(terms['confidence'].get('payment'))}."


def terms_items(terms):
    """What the terms ask for, which the client's ways of selling share."""
    confidence = terms["confidence"]
    note = f", {terms['effectiveNote']}" if terms.get("effectiveNote") else ""
    lines = [
        item(
            "Terms", f"Accept them in the developer account; in force from {terms['effectiveFrom']}"
            f"{note} {mark(confidence.get('effectiveFrom'))}."
            f" Systems of the programme: {listed([one['os'] + ' ' + one['minimum'] for one in terms['platforms']])}"
            f" {mark(confidence.get('platforms'))}."
        ),
        item(
            "Report", f"By {channels(terms)}, within {terms['deadlineDays']} days of the end of the {CALENDARS[terms['calendar']]}"
            f" {mark(confidence.get('deadlineDays'))}. Each token is reported, also without a sale (RR-67)."
        ),
    ]
    window = ""
    if terms["attributionWindowDays"]:
        window = (
            f" A sale by a link counts within {terms['attributionWindowDays']} days of the tap"
            f" {mark(confidence.get('attributionWindowDays'))}."
        )
    reduced = any("reduced" in rate["tier"] for rate in terms["rates"])
    conditions = " The second rate has conditions (OB-71)." if reduced else ""
    lines.append(item("Commission", f"{commission(terms)}.{window}{conditions}"))
    lines.append(item("Invoice", invoice(terms), "Compare it with the estimate of the month (OB-80)."))
    audit = f"; answer an audit within {terms['auditNoticeDays']} days" if terms["auditNoticeDays"] else ""
    lines.append(
        item(
            "Records", f"Keep them for {terms['recordKeepingYears']} years"
            f" {mark(confidence.get('recordKeepingYears'))}{audit} (OB-90)."
        )
    )
    return lines


def beside(terms):
    """What the terms ask of the screens: In-App Purchase beside the offer, and minors."""
    if not terms:
        return []
    purchase, minors = terms["inAppPurchase"], terms["minors"]
    own = " The app is one of its own for this region (`korea-needs-own-app`)." if terms.get("ownApp") else ""
    lines = [
        item(
            "In-App Purchase", f"{BESIDE[purchase['beside']]} {sourced(purchase)}.{own}" if "beside" in purchase
            else f"Whether it stands beside the offer: nothing found {searched(purchase)}."
        )
    ]
    if minors["rules"]:
        rules = [
            f"below {rule['below']}{' or the age of consent of the country' if rule.get('raisedToAgeOfConsent') else ''}:"
            f" in the app {TREATMENTS[rule['withinApp']]}, outside {TREATMENTS[rule['outOfApp']]}" for rule in minors["rules"]
        ]
        lines.append(
            item(
                "Minors", "; ".join(rules) + f" {sourced(minors)}. Apps of the Kids category take the first rule for every customer"
                " (SK-88)."
            )
        )
    else:
        lines.append(item("Minors", f"Nothing found {searched(minors)}."))
    if "platforms" in terms:
        lines.append(item("Platforms", f"The terms name {listed(terms['platforms'])} only (SK-44)."))
    return lines


def sourced(fact):
    return mark({"level": fact["confidence"], "asOf": fact["asOf"], "note": fact.get("note")})


def searched(fact):
    """The day and the page of a search that found nothing, as explain prints them."""
    return "(" + ", ".join(fact[name] for name in ["asOf", "source"] if name in fact) + ")"


def way_lines(title, way, pack, tables):
    families = way["family"].split("+")
    places = codes(way["storefronts"], tables["regionSets"])
    lines = [
        f"### {title}", "",
        textwrap.fill(
            f"`{way['id']}`, by {listed([f'`{family}`' for family in families])}. Codes: {places}.", 120,
            break_long_words=False, break_on_hyphens=False
        ), "",
        item("Entitlement and key", "Ask Apple for the entitlement.", routes(way, pack), "CF-22 and CF-23 have both kinds."),
    ]
    if "ExternalPurchaseLink" in families:
        limit, streaming = pack["linkLimits"]["default"], pack["linkLimits"]["musicStreaming"]
        more = f", up to {streaming['limit']} for music streaming" if set(streaming["codes"]) & set(way["storefronts"]) else ""
        lines.append(
            item(
                "Links", f"{limit} for each country{more}"
                " (CF-40); https, absolute, without a query, at most 1,000 characters (CF-30); the same in the build that review"
                " saw (`link-url-changed`)."
            )
        )
    lines.append(
        item(
            "Systems", f"The API works from {versions(way['minimumOS'])}.", f"Tokens come from {versions(way['tokenMinimumOS'])}."
            if way["tokenMinimumOS"] != way["minimumOS"] else "Tokens come from the same."
        )
    )
    lines += beside(tables["programmeTerms"].get(way["id"]))
    lines.append(item("Eligibility", "`canMakePayments` first, then the property of the API; show no offer when it says no (C8)."))
    own = " Through system 26.x the app shows the disclosure itself, by Apple's text (SK-66)." if OWN_DISCLOSURE & set(
        way["storefronts"]
    ) else ""
    lines.append(item("Disclosure", *[DISCLOSURES[family] for family in families], own.strip()))
    types = [name for name in way["tokenTypes"] if name]
    named = f"{listed([f'`{name}`' for name in types])}: " if types else "They are "
    lines.append(item("Tokens", named + TOKENS[types[0] if types else ""]))
    country = tables["regionSets"][way["storefronts"][0][1:]][0] if way["storefronts"][0].startswith("@") else way["storefronts"][0]
    lines.append(
        item(
            "Review", "`external-purchase-lint` over the project and the .ipa finds what an upload or review refuses; a reviewer"
            f" must reach the offer: `external-purchase explain . --storefront {tables['alpha3'][country]}` prints each condition."
        )
    )
    return lines


def page():
    regions, programmes = load("regions"), load("programmes")["programmes"]
    regions["alpha3"] = {one["alpha2"].lower(): one["alpha3"] for one in load("countries")["countries"]}
    pack = regions["packs"][-1]
    lines = [HEAD]
    current = [one for one in programmes if one["effectiveTo"] is None and one["channel"]]
    shown = set()
    for terms in current:
        lines += [f"## {terms['title']}", "", f"Terms `{terms['id']}`:", "", *terms_items(terms), ""]
        for way in pack["programmes"]:
            if way["id"] not in terms["clientProgrammes"]:
                continue
            if way["id"] in shown:
                slug = "".join(letter for letter in way["title"].lower() if letter.isalnum() or letter in " -").replace(" ", "-")
                lines += [f"`{way['id']}` is the way of [{way['title']}](#{slug}).", ""]
                continue
            shown.add(way["id"])
            # No two headings of the page are the same.
            title = way["title"] if way["title"] != terms["title"] else f"{way['title']}: the app"
            lines += way_lines(title, way, pack, regions) + [""]
        if not terms["clientProgrammes"]:
            lines += [
                item("Tokens", f"`{terms['tokenTypes'][0]}`: " + TOKENS[terms["tokenTypes"][0]]),
                item("Info.plist", "`MKSellsDigitalGoods` says whether the app sells digital goods (OB-44)."), "",
            ]
    for terms in programmes:
        if terms["effectiveTo"] is None and not terms["channel"]:
            since = f"since {terms['effectiveFrom']} {mark(terms['confidence'].get('effectiveFrom'))}"
            lines += [
                f"## {terms['title']}", "",
                textwrap.fill(
                    f"Terms `{terms['id']}`: no entitlement, no token, no report, {since}. A fee is watched (OB-43):"
                    f" {mark(terms['confidence'].get('mustReport'))[1:-1]}.", 120, break_long_words=False,
                    break_on_hyphens=False
                ), "",
            ]
    missing = [way["id"] for way in pack["programmes"] if way["id"] not in shown]
    if missing:
        raise SystemExit(f"checklists: no programme in force names {missing}")
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    print(page(), end="")

// Generated from Sources/App/ConfigurationLint/Rules by `./run tables`. Do not edit.
// swift-format-ignore-file
extension RuleDocs {
    static let all: [Entry] = [
        Entry(id: "plist-unreadable", summary: ##"The file is neither an XML nor a binary property list."##, explanation: ##"""
Severity: error; to be repaired by hand.

The file is neither an XML nor a binary property list.

A system that cannot read Info.plist does not install the app, and one broken tag hides everything that follows
it, so no other rule is asked about this file. Old-style lists with braces and `;` are refused as well.

Open the file in a property list editor, or look at the line of the finding: a tag that is not closed and an `&`
that is not written `&amp;` are the usual causes.

Breaks it:

```xml
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.acme.app</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</array>
</dict>
</plist>
```

Right:

```xml
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.acme.app</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</string></array>
</dict>
</plist>
```

Follows: CF-1 (house).
"""##),
        Entry(id: "plist-root-not-dictionary", summary: ##"The outermost value of the file is not a dictionary, so the file declares no keys at all."##, explanation: ##"""
Severity: error; to be repaired by hand.

The outermost value of the file is not a dictionary, so the file declares no keys at all.

Info.plist and entitlements are dictionaries by definition. Anything else is read as if it were empty, and every
external purchase API answers that it is not available.

Put the content into one `<dict>` and give each value its key.

Breaks it:

```xml
<plist version="1.0">
<array><string>nl</string></array>
</plist>
```

Right:

```xml
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.acme.app</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</string></array>
</dict>
</plist>
```

Follows: CF-2 (house).
"""##),
        Entry(id: "artifact-unreadable", summary: ##"An archive, bundle, provisioning profile or code signature is damaged, or larger than the limits."##, explanation: ##"""
Severity: error; to be repaired by hand.

An archive, bundle, provisioning profile or code signature is damaged, or larger than the limits.

What is inside cannot be compared with the sources, so a fault in it would first be seen by App Review. The
limits keep a hostile or broken file from filling memory; a build from Xcode stays far below them.

Build or download the file once more. A profile comes anew from the developer account, a signature from signing
again.

Breaks it:

```text
$ unzip -tq GemShop.ipa
End-of-central-directory signature not found.
```

Right:

```text
$ unzip -tq GemShop.ipa
No errors detected in compressed data of GemShop.ipa.
```

Follows: CF-1 (house).
"""##),
        Entry(id: "plist-duplicate-key", summary: ##"One dictionary of an XML file has the same key twice."##, explanation: ##"""
Severity: error; to be repaired by hand.

One dictionary of an XML file has the same key twice.

Property lists do not forbid it, and each reader keeps another copy: Xcode, the device and App Review may see
different countries or links. At run time the repeated entry counts as absent.

Merge both values under one key. Often a merge conflict was resolved by keeping both sides.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string><string>kr</string></array>
```

Follows: CF-50 (house).
"""##),
        Entry(id: "bundle-id-missing", summary: ##"The app uses external purchases, but Info.plist gives it no bundle identifier."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The app uses external purchases, but Info.plist gives it no bundle identifier.

StoreKit opens a link with the app's bundle identifier in its query, and tokens are issued for it. Without one the
website cannot tell which app a customer came from, and no report can be filed.

Set `CFBundleIdentifier`. In a source file `$(PRODUCT_BUNDLE_IDENTIFIER)` is fine: the build replaces it.

Breaks it:

```xml
<plist version="1.0">
<dict>
    <key>MinimumOSVersion</key>
    <string>26.5</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</string></array>
</dict>
</plist>
```

Right:

```xml
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.acme.app</string>
    <key>MinimumOSVersion</key>
    <string>26.5</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</string></array>
</dict>
</plist>
```

Follows: CF-75 (house).
"""##),
        Entry(id: "key-case", summary: ##"A key equals a known key or entitlement except for upper and lower case."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A key equals a known key or entitlement except for upper and lower case.

Keys are compared letter by letter. One with another capital is just an unknown key: nothing complains, and the
API it was meant for is never available.

Take the spelling from the message. The value may stay as it is.

Breaks it:

```xml
<key>SKExternalpurchase</key>
<array><string>nl</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
```

Follows: CF-10 (house).
"""##),
        Entry(id: "key-unknown", summary: ##"A key looks like one of external purchases but is none that the systems read."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A key looks like one of external purchases but is none that the systems read.

StoreKit looks keys and entitlements up by their exact names. What has another name is ignored without a word, so a
slip of the pen turns the whole flow off.

Write the name that the hint proposes, or remove the key when it is a left-over.

Breaks it:

```xml
<key>SKExternalPurchaseRegions</key>
<array><string>nl</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
```

Follows: CF-10 (house).
"""##),
        Entry(id: "key-not-in-pack", summary: ##"The chosen rule pack does not have the key or entitlement yet."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The chosen rule pack does not have the key or entitlement yet.

A rule pack is the state of Apple's documents in one month. Under an older pack the key means nothing, so its
content is not checked, and the simulator does not read it either.

Choose a newer pack, by default the newest, or remove the key if the app is to follow the older rules.

Breaks it:

```xml
<!-- Info.plist, rule pack 2024-04 -->
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>nl</string></array>
```

Right:

```xml
<!-- Info.plist, rule pack 2025-07 -->
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>nl</string></array>
```

Follows: CF-60 (house).
"""##),
        Entry(id: "key-in-wrong-file", summary: ##"A key of Info.plist stands in an entitlements file, or an entitlement in Info.plist."##, explanation: ##"""
Severity: error; to be repaired by hand.

A key of Info.plist stands in an entitlements file, or an entitlement in Info.plist.

The system looks for keys in Info.plist only, and for entitlements in the code signature only, which is made
from the entitlements file. In the other file a value has no effect.

Move key and value to the other file. If the entry is there already, delete the misplaced one.

Breaks it:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<key>com.apple.developer.storekit.external-purchase</key>
<true/>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase</key>
<true/>
```

Follows: CF-10, CF-20 (house).
"""##),
        Entry(id: "unresolved-variable", summary: ##"A code, URL or value contains a build variable, so that nothing can be said about it before the build."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A code, URL or value contains a build variable, so that nothing can be said about it before the build.

Xcode puts the value in while building. What it will be depends on the target and its configuration; an empty
one leaves a URL that is refused without a word. In a built bundle nothing replaces a variable any more: there
it is an error.

Lint the built app too, or write the value out.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://$(SHOP_HOST)/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-75 (house).
"""##),
        Entry(id: "key-wrong-type", summary: ##"The value of a known key has another type than the key is documented with."##, explanation: ##"""
Severity: error; to be repaired by hand.

The value of a known key has another type than the key is documented with.

A key of the wrong type counts as absent: the API answers as if the app had declared nothing. Lists of regions
are arrays of strings; the link keys are dictionaries from a code to a URL, or to an array of URLs for
`SKExternalPurchaseMultiLink`.

Rewrite the value in the documented form, even if there is only one code.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<string>nl</string>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
```

Follows: CF-10, CF-51 (documented).
"""##),
        Entry(id: "element-wrong-type", summary: ##"An element of a list or a value of a dictionary has another type than its key is documented with."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

An element of a list or a value of a dictionary has another type than its key is documented with.

The entry is left out at run time and the others stay, so one country silently has no link. Most often a single
URL stands in `SKExternalPurchaseMultiLink`, which wants an array, or an array in `SKExternalPurchaseLink`,
which wants one URL.

Put a lone URL into an array; `--fix` does this. Move several URLs to `SKExternalPurchaseMultiLink`.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array><string>https://shop.acme.example/nl</string></array>
</dict>
```

Follows: CF-10, CF-50 (documented).
"""##),
        Entry(id: "collection-empty", summary: ##"A list or dictionary of a key, of a country or of the allowed regions is empty."##, explanation: ##"""
Severity: error; to be repaired by hand.

A list or dictionary of a key, of a country or of the allowed regions is empty.

An empty list reads like a declaration but means none: the API is not available in any storefront, and
`eligibleURLs` is nil, never an empty array. `SKExternalPurchaseMultiLink` is documented with one to five URLs
per country.

Add what belongs there or remove the key.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array/>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array><string>https://shop.acme.example/nl</string></array>
</dict>
```

Follows: CF-40, CF-53 (documented).
"""##),
        Entry(id: "key-set-elsewhere", summary: ##"A build setting or a strings catalog sets a key of external purchases."##, explanation: ##"""
Severity: note; to be repaired by hand.

A build setting or a strings catalog sets a key of external purchases.

Xcode merges `INFOPLIST_KEY_…` settings and localised values into Info.plist when it builds. Here the value was
recognised, but not read: only the build knows which of them wins, so no rule looked at it.

Move the key to the Info.plist file, where it can be checked, or lint the built bundle. A localised value would also
change what is declared with the language of the device.

Breaks it:

```xcconfig
INFOPLIST_KEY_SKExternalPurchase = nl
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
```

Follows: CF-1 (house).
"""##),
        Entry(id: "country-whitespace", summary: ##"A region code has blanks or line ends around it."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A region code has blanks or line ends around it.

Codes are compared letter by letter with that of the storefront, and a blank is one more character. Editors that
wrap `<string>` over several lines put it there.

Write the code directly between the tags. `--fix` removes the blanks.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string> nl</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
```

Follows: CF-3 (house).
"""##),
        Entry(id: "country-not-lowercase", summary: ##"A supported region code is written with upper-case letters."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A supported region code is written with upper-case letters.

The keys are documented with ISO 3166-1 codes in lower case. `NL` is not equal to `nl`, so the entry is ignored
although it looks right. For the entitlement with allowed regions Apple shows lower case only.

Write it in lower case; `--fix` does this.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>NL</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
```

Follows: CF-2, CF-3, CF-4 (documented).
"""##),
        Entry(id: "country-alpha-3", summary: ##"A three-letter code, as storefronts use it, stands where two letters belong."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A three-letter code, as storefronts use it, stands where two letters belong.

`Storefront.countryCode` has three letters, `FRA`; the keys and the entitlement want two, `fr`. Nothing
translates between them, so the entry never takes effect.

Write the two-letter code; `--fix` knows the pairs.

Breaks it:

```xml
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>fra</string></array>
```

Right:

```xml
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>fr</string></array>
```

Follows: CF-2, CF-3 (documented).
"""##),
        Entry(id: "country-unknown", summary: ##"A region code is not one of ISO 3166-1."##, explanation: ##"""
Severity: error; to be repaired by hand.

A region code is not one of ISO 3166-1.

No storefront has such a code, so the entry is dead. Greece is `gr`, not `el`; the United Kingdom is `gb`, not
`uk`; there is no code for the European Union, whose countries are listed one by one. `*` is a default in
`SKExternalLinkAccount` only.

Write the code of the country or remove the entry.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>el</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>gr</string></array>
```

Follows: CF-2, CF-14 (documented).
"""##),
        Entry(id: "country-duplicate", summary: ##"The same region code stands twice in one list, upper and lower case taken as equal."##, explanation: ##"""
Severity: warning; repaired by `lint --fix` where only one repair is possible.

The same region code stands twice in one list, upper and lower case taken as equal.

In an array the second one has no effect. In a dictionary the two may carry different links, and only the one in
lower case is ever read.

Keep one. `--fix` removes the later ones in arrays; between links you have to choose.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string><string>it</string><string>nl</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string><string>it</string></array>
```

Follows: CF-72 (house).
"""##),
        Entry(id: "country-needs-entitlement", summary: ##"A key of Info.plist lists a region that only the entitlement with allowed regions can enable."##, explanation: ##"""
Severity: error; to be repaired by hand.

A key of Info.plist lists a region that only the entitlement with allowed regions can enable.

Japan and Brazil came with an entitlement that names the regions itself. No key of Info.plist turns them on;
listed there, they do nothing.

Take the code out of the key and ask Apple for the entitlement with that region.

Breaks it:

```xml
<!-- Info.plist -->
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>de</string><string>jp</string></array>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>de</string></array>
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase-link</key>
<true/>
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
```

Follows: CF-22 (documented).
"""##),
        Entry(id: "country-withdrawn", summary: ##"A link key lists a region that was supported once and is not any more."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link key lists a region that was supported once and is not any more.

The United States left the link keys when apps there no longer needed an entitlement for links. The entry is
ignored, and purchases behind such links yield no token.

Remove the entry. If the app is to be judged by the older rules, choose an older rule pack.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>us</key>
    <string>https://shop.acme.example/us</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-60, CF-61 (documented).
"""##),
        Entry(id: "country-not-supported", summary: ##"The region exists, but this key or entitlement does not support it."##, explanation: ##"""
Severity: error; to be repaired by hand.

The region exists, but this key or entitlement does not support it.

Each key has its own list of regions: South Korea is in `SKExternalPurchase` only, Russia in the link keys only,
Iceland and Norway in the link and streaming keys. An entry outside the list is ignored.

The hint names the lists that do have the region; move the entry to one of them, or remove it.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>ch</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
```

Follows: CF-10, CF-60 (documented).
"""##),
        Entry(id: "allowed-regions-contested", summary: ##"The entitlement with allowed regions names a region about which sources disagree."##, explanation: ##"""
Severity: note; to be repaired by hand.

The entitlement with allowed regions names a region about which sources disagree.

One of Apple's programme pages lists Iceland and Norway; developers report that they are granted for music
streaming only. The entry is accepted here and used at run time.

Ask for a confirmation before you submit, and keep `SKExternalPurchaseLinkStreamingRegions` in mind for music
apps.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>no</string></array>
```

Right:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>br</string></array>
```

Follows: CF-22 (house).
"""##),
        Entry(id: "link-url-empty", summary: ##"A link is an empty string."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link is an empty string.

There is nothing to open, so the country counts as not configured. A build variable without a value leaves this
behind as well.

Fill in the URL, or remove the country until its page exists.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string></string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-30, CF-34 (house).
"""##),
        Entry(id: "link-url-whitespace", summary: ##"A link contains a blank, a line end or another control character."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A link contains a blank, a line end or another control character.

No URL may contain one, and the entry is ignored. Some URL parsers repair it silently, so that a test passes
which the store does not.

Remove it. `--fix` removes blanks at the ends; inside a path a blank is written `%20`.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl </string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-31, CF-34 (house).
"""##),
        Entry(id: "link-url-not-ascii", summary: ##"A link contains a character outside ASCII, which URLs cannot hold."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link contains a character outside ASCII, which URLs cannot hold.

The keys are documented for ASCII characters. Browsers translate others while you type, the runtime does not.

Write a host in its `xn--` form, and in the path each byte of UTF-8 as `%` with two digits. Your browser's
copied address usually has both.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>de</key>
    <string>https://münchen.acme.example/käse</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>de</key>
    <string>https://xn--mnchen-3ya.acme.example/k%C3%A4se</string>
</dict>
```

Follows: CF-30, CF-33 (documented).
"""##),
        Entry(id: "link-url-too-long", summary: ##"A link has more than 1,000 characters."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link has more than 1,000 characters.

This is the documented maximum for a URL in the link keys, counted as written. A longer one is ignored.

Shorten the path, or let a short address of your own redirect.

Breaks it:

```xml
<!-- Info.plist, A×975 stands for 975 letters: 1,001 in all -->
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/A×975</string>
</dict>
```

Right:

```xml
<!-- Info.plist, A×974 stands for 974 letters: 1,000 in all -->
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/A×974</string>
</dict>
```

Follows: CF-30, CF-33 (documented).
"""##),
        Entry(id: "link-url-relative", summary: ##"A link has no scheme and is therefore not an absolute URL."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link has no scheme and is therefore not an absolute URL.

The keys ask for absolute URLs. Without `https://` an address is a path relative to nothing, also when it begins
with `//`, and the entry is ignored.

Write the address in full.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>shop.acme.example/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-30, CF-31 (documented).
"""##),
        Entry(id: "link-url-not-https", summary: ##"A link has another scheme than https."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link has another scheme than https.

Purchases have to take place on a protected page, so the keys take https only. Schemes that open other apps are
refused like http.

Offer the page over HTTPS and link to that. Do not rely on a redirect from http.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>http://shop.acme.example/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-30 (documented).
"""##),
        Entry(id: "link-url-no-host", summary: ##"A link names no host."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link names no host.

There is no server to open, mostly because of one slash too many or an empty build variable. Such text passes as
a URL in many parsers, and is ignored at run time.

Put the name of the server between `https://` and the path.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https:///nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-30, CF-31 (documented).
"""##),
        Entry(id: "link-url-invalid", summary: ##"A link breaks the syntax of URLs in a way that has no rule of its own."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link breaks the syntax of URLs in a way that has no rule of its own.

Links are judged by RFC 3986: only its characters, two hexadecimal digits after each `%`, a port up to 65535, IP
addresses well-formed. A lenient parser may accept more and open another page than you meant.

The message names the fault. Percent-encode what has a meaning in URLs: `%25` for `%`, `%7C` for `|`.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/100%</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/100%25</string>
</dict>
```

Follows: CF-30, CF-31 (documented).
"""##),
        Entry(id: "link-url-has-query", summary: ##"A link has a query."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link has a query.

The documents allow no parameters in these keys, because StoreKit appends the token and the app's identity as a
query when it opens the page. A link with its own query is ignored.

Move the values into the path. Destinations that must carry parameters are for `ExternalPurchaseCustomLink`.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/?from=app</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/from/app</string>
</dict>
```

Follows: CF-13, CF-30 (documented).
"""##),
        Entry(id: "link-url-empty-query", summary: ##"A link has a question mark with nothing behind it, which counts as a query."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A link has a question mark with nothing behind it, which counts as a query.

A query that is empty is still one by the syntax of URLs, and these keys take none. The entry is ignored like
one with parameters.

Delete the question mark; `--fix` does this. One that belongs to the path is written `%3F`.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl?</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-32 (house).
"""##),
        Entry(id: "link-url-fragment", summary: ##"A link has a fragment, the part behind `#`."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link has a fragment, the part behind `#`.

The documents are silent about fragments, so App Review may decide either way. A browser keeps the fragment to
itself: your server cannot tell which one was meant.

Give the target a path of its own.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl#plans</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl/plans</string>
</dict>
```

Follows: CF-32 (house).
"""##),
        Entry(id: "link-url-userinfo", summary: ##"A link carries a user name or password in front of the host."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link carries a user name or password in front of the host.

Everybody can read Info.plist, so this is no secret, and browsers warn of such addresses or drop that part. What
is in front of `@` can also pass for the host by mistake.

Remove it. Let people sign in on the page.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://app@shop.acme.example/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-32 (house).
"""##),
        Entry(id: "link-url-private-host", summary: ##"A link points at a host that only the developer's own network knows."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link points at a host that only the developer's own network knows.

`localhost`, names such as `mac.local`, names without a dot and private addresses work on the desk and nowhere
else. App Review opens the links and finds nothing there.

Name the public server. Keep addresses for tests in a debug configuration that is not submitted.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://localhost:8443/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example:8443/nl</string>
</dict>
```

Follows: CF-35 (house).
"""##),
        Entry(id: "link-url-placeholder-host", summary: ##"A link points at `example.com` or another host that is reserved for documentation."##, explanation: ##"""
Severity: note; to be repaired by hand.

A link points at `example.com` or another host that is reserved for documentation.

Such an address was copied from a guide. It belongs to nobody, and no customer can buy there; nothing else is
wrong with it, so tests may use it.

Replace it with your site before you submit.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://www.example.com/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-35 (house).
"""##),
        Entry(id: "link-url-changed", summary: ##"A country's links are not those of the build that App Review has seen."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A country's links are not those of the build that App Review has seen.

The destination URLs in Info.plist must at all times equal those in the binary that was submitted for review.
Another address, one more and one fewer all count, whichever of the two link keys names it.

Submit the change for review before it ships. To move the page behind an address, redirect on the server: the
address in the app stays the same.

Breaks it:

```xml
<!-- Info.plist of the reviewed build -->
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
<!-- Info.plist -->
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl/spring</string>
</dict>
```

Right:

```xml
<!-- Info.plist of the reviewed build -->
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
<!-- Info.plist -->
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-5 (documented).
"""##),
        Entry(id: "multi-link-duplicate", summary: ##"A country lists the same URL more than once."##, explanation: ##"""
Severity: warning; repaired by `lint --fix` where only one repair is possible.

A country lists the same URL more than once.

The order of links has no meaning and a repeated one adds no choice. Mostly another address was meant, for
instance after copying a line.

Keep one, or correct the copy. `--fix` removes the later ones.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array>
        <string>https://shop.acme.example/nl</string>
        <string>https://shop.acme.example/nl</string>
    </array>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array>
        <string>https://shop.acme.example/nl</string>
    </array>
</dict>
```

Follows: CF-11, CF-42 (house).
"""##),
        Entry(id: "multi-link-over-five", summary: ##"A country has more than the five links that a music streaming app may have."##, explanation: ##"""
Severity: error; to be repaired by hand.

A country has more than the five links that a music streaming app may have.

Five different URLs per country are the documented maximum in the European Union, Iceland and Norway. The links
are taken in their order; those beyond the fifth are ignored, and without evidence of music streaming those beyond the
first. Links with faults count too.

Choose five and remove the rest.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>se</key>
    <array>
        <string>https://a.acme.example</string>
        <string>https://b.acme.example</string>
        <string>https://c.acme.example</string>
        <string>https://d.acme.example</string>
        <string>https://e.acme.example</string>
        <string>https://f.acme.example</string>
    </array>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>se</key>
    <array>
        <string>https://a.acme.example</string>
    </array>
</dict>
```

Follows: CF-40, CF-42, CF-52 (documented).
"""##),
        Entry(id: "multi-link-over-one", summary: ##"A country that may have one link has several."##, explanation: ##"""
Severity: error; to be repaired by hand.

A country that may have one link has several.

More than one link is for music streaming apps in the European Union, Iceland and Norway. Everywhere else only the
first is used. With `musicStreaming` set to no, none of several links is used in any country.

Keep the link that serves all customers of that country.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>ru</key>
    <array>
        <string>https://shop.acme.example/a</string>
        <string>https://shop.acme.example/b</string>
    </array>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>ru</key>
    <array>
        <string>https://shop.acme.example/a</string>
    </array>
</dict>
```

Follows: CF-40, CF-43, CF-52 (documented).
"""##),
        Entry(id: "multi-link-needs-streaming", summary: ##"A country has several links, and nothing shows that the app qualifies for music streaming."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A country has several links, and nothing shows that the app qualifies for music streaming.

Whether an app is in the programme for music streaming cannot be read from its files, apart from the streaming
entitlement and `SKExternalPurchaseLinkStreamingRegions`. An app outside the programme may have one link per
country: Apple's documents give five links to qualifying apps, "otherwise, the maximum is one link".

Without that evidence only the first link of the country counts: the simulator's `eligibleURLs` has no other, and
`SKExternalPurchaseLink` counts only where it repeats that link. `external-purchase explain` names the links that do
not count. With `--music-streaming` all of them count; with `--no-music-streaming` more than one link is an error, and
none of them counts.

Set `--music-streaming` or `--no-music-streaming`, so that the right limit is applied, or keep one link in both
keys.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>fi</key>
    <array>
        <string>https://shop.acme.example/a</string>
        <string>https://shop.acme.example/b</string>
    </array>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>fi</key>
    <array>
        <string>https://shop.acme.example/a</string>
    </array>
</dict>
```

Follows: CF-40, CF-43 (documented).
"""##),
        Entry(id: "link-union-over-limit", summary: ##"Both link keys together name more different URLs for a country than it may have."##, explanation: ##"""
Severity: error; to be repaired by hand.

Both link keys together name more different URLs for a country than it may have.

The limit counts different URLs over `SKExternalPurchaseLink` and `SKExternalPurchaseMultiLink`. The links of
the multi key are taken first; a single link that exceeds the limit is ignored, and then
`ExternalPurchaseLink.canOpen` is false.

Let the single link repeat one of the others, letter by letter.

Breaks it:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>ru</key>
    <array><string>https://shop.acme.example/a</string></array>
</dict>
<key>SKExternalPurchaseLink</key>
<dict>
    <key>ru</key>
    <string>https://shop.acme.example/b</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>ru</key>
    <array><string>https://shop.acme.example/a</string></array>
</dict>
<key>SKExternalPurchaseLink</key>
<dict>
    <key>ru</key>
    <string>https://shop.acme.example/a</string>
</dict>
```

Follows: CF-41, CF-52 (documented).
"""##),
        Entry(id: "entitlement-missing", summary: ##"Info.plist has a key whose entitlement the app does not carry."##, explanation: ##"""
Severity: error; to be repaired by hand.

Info.plist has a key whose entitlement the app does not carry.

StoreKit asks for both: the key says where the flow is offered, the entitlement that Apple has allowed it. Without
the entitlement the API answers "not available" in every storefront, on every device.

Request the entitlement from Apple, then add it to the `.entitlements` file of this target and to its App ID. For
`SKExternalPurchaseLink` the list of allowed regions also serves, from rule pack 2026-06 on.

Breaks it:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
<!-- App.entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
<!-- App.entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
<key>com.apple.developer.storekit.external-purchase</key>
<true/>
```

Follows: CF-10, CF-23 (documented).
"""##),
        Entry(id: "streaming-entitlement-missing", summary: ##"Info.plist lists streaming regions, but the app does not carry the streaming entitlement."##, explanation: ##"""
Severity: error; to be repaired by hand.

Info.plist lists streaming regions, but the app does not carry the streaming entitlement.

Streaming regions are read for music streaming apps only. The entitlement for external purchase links does not cover
them, so that `ExternalPurchaseCustomLink` stays unavailable there.

Add `com.apple.developer.storekit.external-purchase-link-streaming` after Apple granted it, or use the keys of the
entitlement that the app has.

Breaks it:

```xml
<!-- Info.plist -->
<key>SKExternalPurchaseLinkStreamingRegions</key>
<array><string>is</string></array>
<!-- App.entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchaseLinkStreamingRegions</key>
<array><string>is</string></array>
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase-link-streaming</key>
<true/>
```

Follows: CF-10 (documented).
"""##),
        Entry(id: "entitlement-without-key", summary: ##"An entitlement is set, but Info.plist has none of the keys that go with it."##, explanation: ##"""
Severity: warning; to be repaired by hand.

An entitlement is set, but Info.plist has none of the keys that go with it.

The entitlement alone enables nothing: StoreKit looks for the storefront in the keys. App Review, on the other hand,
asks what an entitlement is for that the app does not use.

Add the key with the countries in which the flow is offered, or drop the entitlement.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase-link</key>
<true/>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>nl</string></array>
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase-link</key>
<true/>
```

Follows: CF-10 (house).
"""##),
        Entry(id: "link-single-only", summary: ##"The app declares one link per country, though every system it runs on can offer several."##, explanation: ##"""
Severity: note; to be repaired by hand.

The app declares one link per country, though every system it runs on can offer several.

From the 17.5 generation on `SKExternalPurchaseMultiLink` gives the app a choice of links, such as one per
offer. The single link keeps working; nothing is wrong.

Nothing has to be done. To offer a choice, add the multi key and open links with `open(url:)`.

Breaks it:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array><string>https://shop.acme.example/nl</string></array>
</dict>
```

Follows: CF-12 (house).
"""##),
        Entry(id: "multi-link-without-fallback", summary: ##"On the older systems that the app accepts, a country has no link."##, explanation: ##"""
Severity: warning; to be repaired by hand.

On the older systems that the app accepts, a country has no link.

`SKExternalPurchaseMultiLink` is read from the 17.5 generation on. Before it, StoreKit knows
`SKExternalPurchaseLink` only, and `canOpen` is false in a country that is missing there.
Apple's older documents tell the two keys apart by these systems.

Repeat one link of the country in `SKExternalPurchaseLink`, or raise the minimum OS.

Breaks it:

```xml
<key>MinimumOSVersion</key>
<string>17.4</string>
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array><string>https://shop.acme.example/nl</string></array>
</dict>
```

Right:

```xml
<key>MinimumOSVersion</key>
<string>17.4</string>
<key>SKExternalPurchaseMultiLink</key>
<dict>
    <key>nl</key>
    <array><string>https://shop.acme.example/nl</string></array>
</dict>
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-12 (documented).
"""##),
        Entry(id: "custom-link-beside-link", summary: ##"A country is configured for fixed links and for custom links."##, explanation: ##"""
Severity: note; to be repaired by hand.

A country is configured for fixed links and for custom links.

Both may be declared, but they are two flows with two notices and different tokens. Whoever runs both for one
purchase gets two tokens for it and reports it twice.

Decide per screen which of them is used. If only one is left, remove the country from the list of the other.

Breaks it:

```xml
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>nl</string></array>
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Right:

```xml
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>de</string></array>
<key>SKExternalPurchaseLink</key>
<dict>
    <key>nl</key>
    <string>https://shop.acme.example/nl</string>
</dict>
```

Follows: CF-25 (house).
"""##),
        Entry(id: "link-account-no-default", summary: ##"The account links have no default."##, explanation: ##"""
Severity: error; to be repaired by hand.

The account links have no default.

`SKExternalLinkAccount` gives one link per country and, under `*`, the one for all others. The default is required:
without it customers of any country that is not listed have no way to their account.

Add the key `*` with the address of the general account page.

Breaks it:

```xml
<key>SKExternalLinkAccount</key>
<dict>
    <key>jp</key>
    <string>https://acme.example/jp</string>
</dict>
```

Right:

```xml
<key>SKExternalLinkAccount</key>
<dict>
    <key>*</key>
    <string>https://acme.example/account</string>
    <key>jp</key>
    <string>https://acme.example/jp</string>
</dict>
```

Follows: CF-14 (documented).
"""##),
        Entry(id: "link-account-url", summary: ##"An account link is not an absolute https URL with a host."##, explanation: ##"""
Severity: error; to be repaired by hand.

An account link is not an absolute https URL with a host.

The system opens the address outside the app. What is relative, uses another scheme or is malformed leads nowhere,
and App Review finds the button dead.

Write the whole address, `https://host/path`.

Breaks it:

```xml
<key>SKExternalLinkAccount</key>
<dict>
    <key>*</key>
    <string>acme.example/account</string>
</dict>
```

Right:

```xml
<key>SKExternalLinkAccount</key>
<dict>
    <key>*</key>
    <string>https://acme.example/account</string>
</dict>
```

Follows: CF-14, CF-31 (house).
"""##),
        Entry(id: "entitlement-wrong-type", summary: ##"A Boolean entitlement has another type, or the list of allowed regions is not an array."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A Boolean entitlement has another type, or the list of allowed regions is not an array.

A Boolean entitlement counts only when it is `true`; a string or number counts as absent, and signing may refuse
the file. The list of allowed regions is an array of codes, also for one region.

Write `<true/>` or an array. `--fix` replaces `"true"`, `"YES"` and `1`, which can mean nothing else.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase</key>
<string>true</string>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase</key>
<true/>
```

Follows: CF-21 (documented).
"""##),
        Entry(id: "entitlement-false", summary: ##"An entitlement is set to false, which is the same as leaving it out."##, explanation: ##"""
Severity: warning; to be repaired by hand.

An entitlement is set to false, which is the same as leaving it out.

A Boolean entitlement counts only when it is true. With `<false/>` the file looks configured while the flow is off.

Set it to true, or remove it so that the file says what happens.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase</key>
<false/>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase</key>
<true/>
```

Follows: CF-21 (house).
"""##),
        Entry(id: "entitlement-dropped", summary: ##"An entitlement has a name that documents gave in 2025 only."##, explanation: ##"""
Severity: warning; to be repaired by hand.

An entitlement has a name that documents gave in 2025 only.

Three entitlements with lists of regions were announced in autumn 2025 and have since disappeared. Apple does not
grant them, and no system reads them.

The rule packs of that time, 2025-07 and 2026-02, take each as the Boolean entitlement of its name for the regions that
it lists, and check its codes instead of this warning. The setting `legacyAllowedRegions` (`byPack`, `on`, `off`)
decides otherwise.

Use `com.apple.developer.storekit.custom-purchase-link.allowed-regions`, which came in their place.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.external-purchase-link.allowed-regions</key>
<array><string>de</string></array>
```

Right:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>de</string></array>
```

Follows: CF-24 (house).
"""##),
        Entry(id: "entitlement-not-signed", summary: ##"An entitlement stands in the `.entitlements` file but not in the signature of the binary."##, explanation: ##"""
Severity: error; to be repaired by hand.

An entitlement stands in the `.entitlements` file but not in the signature of the binary.

The system reads the signature alone. What did not make it there is off on every device, however the source looks:
the flow works nowhere and nothing reports why.

Check that `CODE_SIGN_ENTITLEMENTS` of this target names this file, that the provisioning profile grants the
entitlement, and that no later step signs the app again without it.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
<!-- signed entitlements -->
<key>application-identifier</key>
<string>ABCDE12345.com.acme.app</string>
```

Right:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
<!-- signed entitlements -->
<key>application-identifier</key>
<string>ABCDE12345.com.acme.app</string>
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
```

Follows: CF-1, CF-20 (house).
"""##),
        Entry(id: "entitlement-not-in-source", summary: ##"The binary is signed with an entitlement that the `.entitlements` file does not have."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The binary is signed with an entitlement that the `.entitlements` file does not have.

The app that ships differs from what the source says: another file or a later signing step adds the entitlement. The
next build from this source may lose it.

Find out where it comes from, and write it into the `.entitlements` file of this target.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
<!-- signed entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
```

Right:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
<!-- signed entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
```

Follows: CF-20 (house).
"""##),
        Entry(id: "entitlement-not-in-profile", summary: ##"The app carries an entitlement that its provisioning profile does not grant."##, explanation: ##"""
Severity: error; to be repaired by hand.

The app carries an entitlement that its provisioning profile does not grant.

A device refuses to install such an app, and an upload is rejected. The profile grants what the App ID has, and that
only after Apple approved the request.

Enable the entitlement for the App ID, generate the profile again and sign with the new one.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
<!-- provisioning profile -->
<key>application-identifier</key>
<string>ABCDE12345.com.acme.app</string>
```

Right:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
<!-- provisioning profile -->
<key>application-identifier</key>
<string>ABCDE12345.com.acme.app</string>
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
```

Follows: CF-20 (house).
"""##),
        Entry(id: "entitlement-value-differs", summary: ##"An entitlement has different values in the source, the signature or the profile."##, explanation: ##"""
Severity: error; to be repaired by hand.

An entitlement has different values in the source, the signature or the profile.

The system reads the signature: regions that only the source lists are off. Regions that go beyond the profile
make the app unfit for installation and upload. `*` in a profile covers every region; the order of regions has
no meaning.

Make the values equal: write the regions into the `.entitlements` file, have the profile grant them, and build
again.

Breaks it:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>br</string><string>jp</string></array>
<!-- provisioning profile -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
```

Right:

```xml
<!-- App.entitlements -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>jp</string></array>
<!-- provisioning profile -->
<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
<array><string>br</string><string>jp</string></array>
```

Follows: CF-1, CF-22 (house).
"""##),
        Entry(id: "minimum-os-unknown", summary: ##"Info.plist names no usable minimum OS, so that the rules about versions were skipped."##, explanation: ##"""
Severity: note; to be repaired by hand.

Info.plist names no usable minimum OS, so that the rules about versions were skipped.

Xcode writes the minimum OS into the bundle when it builds; source files often lack it or hold a build variable.
Which systems the app meets cannot be said then.

Lint the built bundle, where the version is filled in. A usable version is one to three numbers with points.

Breaks it:

```xml
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.acme.app</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</string></array>
</dict>
</plist>
```

Right:

```xml
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.acme.app</string>
    <key>MinimumOSVersion</key>
    <string>18.0</string>
    <key>SKExternalPurchase</key>
    <array><string>nl</string></array>
</dict>
</plist>
```

Follows: CF-74 (house).
"""##),
        Entry(id: "minimum-os-below-use", summary: ##"The app runs on systems that do not know a key, entitlement or region that it uses."##, explanation: ##"""
Severity: note; to be repaired by hand.

The app runs on systems that do not know a key, entitlement or region that it uses.

On older systems the API is missing or answers "not available". Some regions come later than the entitlement that
lists them: Japan gives tokens from 26.4 on, Brazil is there from 26.5 on.

Guard the calls with `#available`, and offer In-App Purchase below that version. If nobody should run the app there,
raise the minimum OS.

Breaks it:

```xml
<key>MinimumOSVersion</key>
<string>17.6</string>
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>nl</string></array>
```

Right:

```xml
<key>MinimumOSVersion</key>
<string>18.1</string>
<key>SKExternalPurchaseCustomLinkRegions</key>
<array><string>nl</string></array>
```

Follows: CF-10, CF-62 (documented).
"""##),
        Entry(id: "minimum-os-below-tokens", summary: ##"The app runs on systems on which its external purchases give no token."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The app runs on systems on which its external purchases give no token.

From iOS 15.4 to 17.3 `ExternalPurchase` and `ExternalPurchaseLink` work, but hand out no token. Purchases made
there still have to be reported, and nothing in them says which report they belong to.

Raise the minimum OS to 17.4, offer the flow only from there on, or plan reports by hand for the older systems.

Breaks it:

```xml
<key>MinimumOSVersion</key>
<string>16.0</string>
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
```

Right:

```xml
<key>MinimumOSVersion</key>
<string>17.4</string>
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
```

Follows: CF-62 (documented).
"""##),
        Entry(id: "key-unavailable-on-platform", summary: ##"A key or entitlement does not exist on the platform of the app."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A key or entitlement does not exist on the platform of the app.

Streaming regions exist on iOS and iPadOS only, account links on iOS, iPadOS and tvOS. On another platform the
key is never read, and an entitlement that the platform does not have can make signing or upload fail.

Remove it from this target. A target for several platforms gets one Info.plist or `.entitlements` file for each.

Breaks it:

```xml
<key>CFBundleSupportedPlatforms</key>
<array><string>MacOSX</string></array>
<key>LSMinimumSystemVersion</key>
<string>26.5</string>
<key>SKExternalLinkAccount</key>
<dict>
    <key>*</key>
    <string>https://acme.example/account</string>
</dict>
```

Right:

```xml
<key>CFBundleSupportedPlatforms</key>
<array><string>iPhoneOS</string></array>
<key>MinimumOSVersion</key>
<string>26.5</string>
<key>SKExternalLinkAccount</key>
<dict>
    <key>*</key>
    <string>https://acme.example/account</string>
</dict>
```

Follows: CF-10 (documented).
"""##),
    ]
}

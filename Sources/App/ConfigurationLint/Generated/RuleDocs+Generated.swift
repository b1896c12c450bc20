// Generated from Sources/App/ConfigurationLint/Rules by `./run tables`. Do not edit.
// swift-format-ignore-file
extension RuleDocs {
    static let all: [Entry] = [
        Entry(id: "plist-unreadable", summary: ##"The file is neither an XML nor a binary property list."##, explanation: ##"""
Severity: error; to be repaired by hand.

The file is neither an XML nor a binary property list.

A system that cannot read Info.plist does not install the app, and one malformed tag hides everything after it, so
no other rule is applied to this file. Old-style lists with braces and `;` are refused as well.

Open the file in a property list editor, or check the line of the finding: the usual causes are a tag that is not
closed and an `&` that is not written `&amp;`.

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

Info.plist and entitlements are dictionaries by definition. Anything else is read as if it were empty, and no
external purchase API is available.

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

The content cannot be compared with the sources, so App Review would be the first to see an error in it. The
limits prevent a hostile or broken file from filling the memory; a build from Xcode is far below them.

Build or download the file again. Download a new profile from the developer account, or sign the app again.

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
        Entry(id: "plist-duplicate-key", summary: ##"One dictionary of a text file has the same key twice."##, explanation: ##"""
Severity: error; to be repaired by hand.

One dictionary of a text file has the same key twice.

Property lists do not forbid it, but readers use different copies: Xcode, the device and App Review may see
different countries or links. At run time the repeated entry counts as absent.

Merge both values under one key. Often a merge conflict was resolved by keeping both sides.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<key>SKExternalPurchase</key>
<array><string>de</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>nl</string><string>de</string></array>
```

Follows: CF-50 (house).
"""##),
        Entry(id: "bundle-id-missing", summary: ##"The app uses external purchases, but Info.plist gives it no bundle identifier."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The app uses external purchases, but Info.plist gives it no bundle identifier.

StoreKit opens a link with the app's bundle identifier in its query, and tokens are issued for it. Without one the
website does not know which app a customer came from, and no report can be sent.

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
        Entry(id: "key-case", summary: ##"A key differs from a known key or entitlement only in upper and lower case."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A key differs from a known key or entitlement only in upper and lower case.

Keys are compared exactly. A key in another case is an unknown key: there is no error, and the intended API is
never available.

Use the spelling in the message. The value does not need to change.

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
        Entry(id: "key-unknown", summary: ##"A key looks like an external purchase key but is unknown to the systems."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A key looks like an external purchase key but is unknown to the systems.

StoreKit looks up keys and entitlements by their exact names. Other names are ignored without an error, so a
typing error disables the whole flow.

It is an error where a known name is near: at most two letters differ, some letters more or less stand at the end,
separators or case differ, or a part of `com.apple.developer.storekit.` or all of it is missing. A key without `SK` is
a warning, because it may be one of the app's own. Use the name in the hint, or remove the key if it is obsolete.

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

A rule pack represents Apple's documents of one month. In an older pack the key is unknown, so its content is not
checked, and the simulator does not read it either.

Choose a newer pack, by default the newest, or remove the key if the app follows the older rules.

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
        Entry(id: "key-in-wrong-file", summary: ##"A key of Info.plist is in an entitlements file, or an entitlement is in Info.plist."##, explanation: ##"""
Severity: error; to be repaired by hand.

A key of Info.plist is in an entitlements file, or an entitlement is in Info.plist.

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
        Entry(id: "unresolved-variable", summary: ##"A code, URL or value contains a build variable, so it cannot be checked before the build."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A code, URL or value contains a build variable, so it cannot be checked before the build.

Xcode inserts the value when it builds. The value depends on the target and its configuration; an empty one
results in a URL that is refused without an error. In a built bundle no variable is replaced any more, so it is an
error there.

Lint the built app too, or write the value literally.

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
        Entry(id: "key-wrong-type", summary: ##"The value of a known key does not have the documented type."##, explanation: ##"""
Severity: error; to be repaired by hand.

The value of a known key does not have the documented type.

A key of the wrong type counts as absent: the API behaves as if the app had declared nothing. Lists of regions are
arrays of strings; the link keys are dictionaries from a code to a URL, or to an array of URLs for
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

The runtime ignores the entry and uses the others, so one country has no link without any error. Most often
`SKExternalPurchaseMultiLink` contains a single URL instead of an array, or `SKExternalPurchaseLink` an array
instead of one URL.

Put a single URL into an array; `--fix` does this. Move several URLs to `SKExternalPurchaseMultiLink`.

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

An empty list looks like a declaration but declares nothing: the API is not available in any storefront, and
`eligibleURLs` is nil, never an empty array. `SKExternalPurchaseMultiLink` is documented with one to five URLs per
country.

Add the missing entries or remove the key.

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
Severity: warning; to be repaired by hand.

A build setting or a strings catalog sets a key of external purchases.

Xcode takes `INFOPLIST_KEY_…` settings of the keys that it knows into Info.plist, and ignores every other one. Of
external purchases it knows none (in its open build system on 2026-08-21), so the app is built without the key: that
is a warning. A localised value is merged when the app is built, and makes the declaration depend on the language of
the device; the linter recognises it but does not check it, which is a note.

Move the key to the Info.plist file that `INFOPLIST_FILE` names, where it can be checked. Its value is an array or a
dictionary, which a build setting cannot have.

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
        Entry(id: "other-file-missing", summary: ##"Only Info.plist or only the entitlements of an app were found."##, explanation: ##"""
Severity: note; to be repaired by hand.

Only Info.plist or only the entitlements of an app were found.

A key and its entitlement prove each other, so the rules that compare the two files need both. Without findings the
file is correct by itself; whether the app works is not known.

Name both files together, or lint the folder, the Xcode project or the built product. An Xcode project without an
Info.plist file, whose setting `GENERATE_INFOPLIST_FILE` is `YES`, proves that there are no keys, and one whose setting
`CODE_SIGN_ENTITLEMENTS` names no file that is there proves that there are no entitlements. With `--strict` a built product
without a signature is a warning.

Breaks it:

```xml
<!-- Info.plist alone -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
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

Follows: CF-6 (house).
"""##),
        Entry(id: "country-whitespace", summary: ##"A region code has blanks or line ends around it."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A region code has blanks or line ends around it.

Codes are compared exactly with that of the storefront, and a blank is an additional character. Editors that wrap
`<string>` over several lines insert blanks.

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
        Entry(id: "country-alpha-3", summary: ##"A region code has three letters, as storefront codes do, instead of two."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A region code has three letters, as storefront codes do, instead of two.

`Storefront.countryCode` has three letters, `FRA`; the keys and the entitlement require two, `fr`. No system
converts between them, so the entry has no effect.

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

No storefront has such a code, so the entry has no effect. Greece is `gr`, not `el`; the United Kingdom is `gb`,
not `uk`; there is no code for the European Union, whose countries are listed one by one. `*` is a default in
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
        Entry(id: "country-duplicate", summary: ##"A list contains the same region code twice, ignoring case."##, explanation: ##"""
Severity: warning; repaired by `lint --fix` where only one repair is possible.

A list contains the same region code twice, ignoring case.

In an array the second one has no effect. In a dictionary the two may have different links, and only the one in
lower case is read.

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

Japan and Brazil require an entitlement that lists the regions itself. No key of Info.plist enables them; an entry
there has no effect.

Remove the code from the key, and request the entitlement with that region from Apple.

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
        Entry(id: "country-withdrawn", summary: ##"A link key lists a region that is no longer supported."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link key lists a region that is no longer supported.

The United States left the link keys when apps there no longer needed an entitlement for links. The entry is
ignored, and purchases through such links have no token.

Remove the entry. If the older rules apply to the app, choose an older rule pack.

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
streaming only. The linter accepts the entry, and the simulator uses it.

Ask Apple for a confirmation before you submit. For music apps, consider `SKExternalPurchaseLinkStreamingRegions`.

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
        Entry(id: "korea-needs-own-app", summary: ##"The app lists Korea beside another region."##, explanation: ##"""
Severity: error; to be repaired by hand.

The app lists Korea beside another region.

Apple requires a binary of its own for Korea: an app that is distributed there only, with a payment provider that
Apple approved, and without In-App Purchase in it. An app with `kr` beside another region is refused by App Review,
whichever keys and entitlements list them. The systems themselves do not refuse it.

Make a target of its own for Korea, with its own bundle id, Info.plist and entitlements, and list `kr` only there.

Breaks it:

```xml
<key>SKExternalPurchase</key>
<array><string>kr</string><string>nl</string></array>
```

Right:

```xml
<key>SKExternalPurchase</key>
<array><string>kr</string></array>
```

Follows: CF-26 (documented).
"""##),
        Entry(id: "link-url-empty", summary: ##"A link is an empty string."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link is an empty string.

There is no page to open, so the country counts as not configured. A build variable without a value also results
in an empty string.

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

No URL may contain one, and the entry is ignored. Some URL parsers repair it silently, so that a test succeeds
although the store fails.

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
        Entry(id: "link-url-not-ascii", summary: ##"A link contains a character outside ASCII, which URLs cannot contain."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link contains a character outside ASCII, which URLs cannot contain.

The keys are documented for ASCII characters. Browsers convert others while you type; the runtime does not.

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

Shorten the path, or use a short address that redirects.

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

The keys require absolute URLs. Without `https://` an address is a relative path without a base, even if it begins
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

Purchases must take place on a secure page, so the keys accept only https. Schemes that open other apps are
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

There is no server to open, usually because of an extra slash or an empty build variable. Many parsers accept such
a text as a URL, but it is ignored at run time.

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
        Entry(id: "link-url-invalid", summary: ##"A link violates the syntax of URLs in a way that no other rule covers."##, explanation: ##"""
Severity: error; to be repaired by hand.

A link violates the syntax of URLs in a way that no other rule covers.

Links are checked by RFC 3986: only its characters, two hexadecimal digits after each `%`, a port up to 65535, IP
addresses well-formed. A lenient parser may accept more and open another page than you meant.

The message names the error. Percent-encode characters with a meaning in URLs: `%25` for `%`, `%7C` for `|`.

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
        Entry(id: "link-url-empty-query", summary: ##"A link has a question mark without a query after it, which counts as a query."##, explanation: ##"""
Severity: error; repaired by `lint --fix` where only one repair is possible.

A link has a question mark without a query after it, which counts as a query.

By the syntax of URLs an empty query is still a query, and these keys allow none. The entry is ignored like one
with parameters.

Delete the question mark; `--fix` does this. A question mark in the path is written `%3F`.

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
        Entry(id: "link-url-fragment", summary: ##"A link has a fragment, the part after `#`."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link has a fragment, the part after `#`.

Apple's documents do not mention fragments, so App Review may accept or refuse them. Browsers do not send the
fragment to the server, so the server cannot use it.

Give the target its own path.

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
        Entry(id: "link-url-userinfo", summary: ##"A link contains a user name or password before the host."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link contains a user name or password before the host.

Anyone can read Info.plist, so this is not secret, and browsers warn of such addresses or remove that part. The
text before `@` can also be mistaken for the host.

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
        Entry(id: "link-url-private-host", summary: ##"A link points at a host that is reachable only in the developer's own network."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A link points at a host that is reachable only in the developer's own network.

`localhost`, names such as `mac.local`, names without a dot and private addresses work only there. App Review
opens the links and finds no page.

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

Such an address was probably copied from a guide. It has no owner, and no customer can buy there. It is otherwise
correct, so tests may use it.

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
        Entry(id: "link-url-changed", summary: ##"The links of a country differ from those of the build that App Review reviewed."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The links of a country differ from those of the build that App Review reviewed.

The destination URLs in Info.plist must at all times equal those in the binary that was submitted for review.
Changed, added and removed addresses all count, in either of the two link keys.

Submit the change for review before it ships. To move a page, redirect on the server, so that the address in the
app does not change.

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

The order of links has no meaning and a repeated one adds no choice. Usually another address was intended, for
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
count in their order; those beyond the fifth are ignored, and without evidence of music streaming those beyond the
first. Links with errors count too.

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
        Entry(id: "multi-link-over-one", summary: ##"A country that may have only one link has several."##, explanation: ##"""
Severity: error; to be repaired by hand.

A country that may have only one link has several.

More than one link is for music streaming apps in the European Union, Iceland and Norway. Everywhere else only the
first is used. With `musicStreaming` set to no, none of several links is used in any country.

Keep the link that is suitable for all customers of that country.

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
        Entry(id: "multi-link-needs-streaming", summary: ##"A country has several links, but there is no evidence that the app qualifies for music streaming."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A country has several links, but there is no evidence that the app qualifies for music streaming.

The files of an app do not show whether it is in the programme for music streaming, apart from the streaming
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
        Entry(id: "link-union-over-limit", summary: ##"Both link keys together contain more different URLs for a country than allowed."##, explanation: ##"""
Severity: error; to be repaired by hand.

Both link keys together contain more different URLs for a country than allowed.

The limit counts different URLs over `SKExternalPurchaseLink` and `SKExternalPurchaseMultiLink`. The links of the
multi key count first; a single link that exceeds the limit is ignored, and then `ExternalPurchaseLink.canOpen` is
false. Only systems before the 17.5 generation, which do not read the multi key, use the single link.

Make the single link an exact copy of one of the others.

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
        Entry(id: "entitlement-missing", summary: ##"Info.plist has a key whose entitlement the app lacks."##, explanation: ##"""
Severity: error; to be repaired by hand.

Info.plist has a key whose entitlement the app lacks.

StoreKit requires both: the key lists where the flow is offered, and the entitlement proves that Apple has allowed
it. Without the entitlement the API is not available in any storefront, on any device.

Request the entitlement from Apple, then add it to the `.entitlements` file of this target and to its App ID. For
`SKExternalPurchaseLink` the list of allowed regions is sufficient as well, from rule pack 2026-06 on. Where that list opens
the API by itself and has every region of the key, the key is superfluous, which is a warning.

An Xcode target without `CODE_SIGN_ENTITLEMENTS`, or whose setting names a file that does not exist, has no entitlement.

Breaks it:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<!-- App.entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
```

Right:

```xml
<!-- Info.plist -->
<key>SKExternalPurchase</key>
<array><string>nl</string></array>
<!-- App.entitlements -->
<key>com.apple.security.app-sandbox</key>
<true/>
<key>com.apple.developer.storekit.external-purchase</key>
<true/>
```

Follows: CF-10, CF-23 (documented).
"""##),
        Entry(id: "streaming-entitlement-missing", summary: ##"Info.plist lists streaming regions, but the app lacks the streaming entitlement."##, explanation: ##"""
Severity: error; to be repaired by hand.

Info.plist lists streaming regions, but the app lacks the streaming entitlement.

Streaming regions are read for music streaming apps only. The entitlement for external purchase links does not cover
them, so that `ExternalPurchaseCustomLink` stays unavailable there.

Add `com.apple.developer.storekit.external-purchase-link-streaming` after Apple has granted it, or use the keys of
the entitlement that the app has.

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
        Entry(id: "entitlement-without-key", summary: ##"An entitlement is set, but Info.plist has none of its keys."##, explanation: ##"""
Severity: warning; to be repaired by hand.

An entitlement is set, but Info.plist has none of its keys.

The entitlement alone enables nothing: StoreKit looks for the storefront in the keys. App Review, on the other
hand, questions an entitlement that the app does not use.

Add the key with the countries in which the flow is offered, or remove the entitlement.

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
        Entry(id: "multi-link-without-fallback", summary: ##"A country has no link on the older systems that the app supports."##, explanation: ##"""
Severity: warning; to be repaired by hand.

A country has no link on the older systems that the app supports.

`SKExternalPurchaseMultiLink` is read from the 17.5 generation on. Before it, StoreKit knows
`SKExternalPurchaseLink` only, and `canOpen` is false in a country that is missing there. Apple's older documents
distinguish the two keys by these systems.

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

Both may be declared, but they are two flows with two notices and different tokens. An app that uses both for one
purchase gets two tokens for it and reports it twice.

Decide for each screen which of them is used. If only one is used, remove the country from the list of the other.

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

`SKExternalLinkAccount` contains one link per country and, under `*`, one for all others. The default is required:
without it, customers in countries that are not listed cannot reach their account.

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

The system opens the address outside the app. An address that is relative, has another scheme or is malformed
cannot be opened, and App Review finds a button without effect.

Write the complete address, `https://host/path`.

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

Write `<true/>` or an array. `--fix` replaces `"true"`, `"YES"` and `1`, whose meaning is unambiguous.

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
        Entry(id: "entitlement-false", summary: ##"An entitlement is set to false, which has the same effect as omitting it."##, explanation: ##"""
Severity: warning; to be repaired by hand.

An entitlement is set to false, which has the same effect as omitting it.

A Boolean entitlement counts only when it is true. With `<false/>` the file looks configured although the flow is
disabled.

Set it to true, or remove it so that the file shows the actual state.

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
        Entry(id: "entitlement-dropped", summary: ##"An entitlement has a name that only documents of 2025 contain."##, explanation: ##"""
Severity: warning; to be repaired by hand.

An entitlement has a name that only documents of 2025 contain.

Three entitlements with lists of regions were announced in autumn 2025 and have since disappeared. Apple does not
grant them, and no system reads them.

The rule packs of that time, 2025-07 and 2026-02, use them in the regions that they list, and check their codes
instead of giving this warning: the list of `external-purchase-link` in place of the Boolean entitlement of its link
keys, the other two also in place of the key. The setting `legacyAllowedRegions` (`byPack`, `on`, `off`) changes
this.

Use `com.apple.developer.storekit.custom-purchase-link.allowed-regions`, which replaced them.

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
        Entry(id: "entitlement-not-signed", summary: ##"An entitlement is in the `.entitlements` file but not in the signature of the binary."##, explanation: ##"""
Severity: error; to be repaired by hand.

An entitlement is in the `.entitlements` file but not in the signature of the binary.

The system reads only the signature. An entitlement that is missing there is disabled on every device, regardless
of the source, and no error explains why.

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

The shipped app differs from its source: another file or a later signing step adds the entitlement. The next build
from this source may lose it.

Find out where it comes from, and add it to the `.entitlements` file of this target.

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
        Entry(id: "entitlement-not-in-profile", summary: ##"The app has an entitlement that its provisioning profile does not allow."##, explanation: ##"""
Severity: error; to be repaired by hand.

The app has an entitlement that its provisioning profile does not allow.

A device refuses to install such an app, and an upload is rejected. The profile allows the entitlements of the App
ID, which Apple adds only after it has approved the request. The profile of another App ID or team allows nothing to the app.

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

The system reads the signature: regions that only the source lists are disabled. With regions that the profile
does not allow, the app can be neither installed nor uploaded. `*` in a profile covers every region; the order of
regions has no meaning.

Make the values equal: add the regions to the `.entitlements` file and to the profile, and build again.

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
The systems that the app supports are unknown then.

Lint the built bundle, which contains the version. A usable version is one to three numbers with points.

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

On older systems the API is missing or not available. Some regions need a later version than the entitlement that
lists them: Japan has tokens from 26.4, and Brazil is supported from 26.5.

Guard the calls with `#available`, and offer In-App Purchase below that version, unless it is the app for Korea,
which has none. If the app need not run there, raise the minimum OS.

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
        Entry(id: "minimum-os-below-tokens", summary: ##"The app runs on systems on which its external purchases return no token."##, explanation: ##"""
Severity: warning; to be repaired by hand.

The app runs on systems on which its external purchases return no token.

From iOS 15.4 to 17.3 `ExternalPurchase` and `ExternalPurchaseLink` work, but return no token. Purchases made
there still have to be reported, although no token identifies them.

Raise the minimum OS to 17.4, offer the flow only from that version, or plan manual reports for older systems.

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

Remove it from this target. A target for several platforms needs a separate Info.plist or `.entitlements` file for
each.

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

import ExternalPurchaseCore
import Foundation
import Payments
import Testing

@testable import ExternalPurchaseCommands

/// `~`, `null` and a key without a value are null in YAML; a text of that name stands in quotes.
@Suite("A value that is null in YAML is never the text null")
struct YAMLNullTests {
    private struct Setup {
        let scratch: ScratchFolder
        /// A configuration with every key that has a text.
        let configuration: [String: Any]

        init() throws {
            scratch = try ScratchFolder()
            for name in ["key.p8", "root.cer", "one.secret", "rates.csv"] { _ = try scratch.write("x", to: name) }
            let terms: [String: Any] = [
                "products": ["price_1": "gems"], "take": "referenced", "from": "2026-10-01", "taxCountry": "NLD",
                "taxRates": ["NLD": "21"],
            ]
            let stripe: [String: Any] = [
                "bundleId": "com.example.shop", "account": "acct_1Nabc", "signingSecretFile": "one.secret",
                "apiKeyFile": "one.secret", "baseURL": "https://api.stripe.com",
            ]
            let payment: [String: Any] = [
                "provider": "paddle", "bundleId": "com.example.shop", "secretFile": "one.secret",
                "environment": "production",
            ]
            configuration = [
                "apps": [
                    [
                        "bundleId": "com.example.shop", "appAppleId": 1_234_567_890,
                        "key": [
                            "file": "key.p8", "keyId": "2X9R4HXF34", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
                        ],
                        "baseURL": ["sandbox": "http://127.0.0.1:8801", "production": "http://127.0.0.1:8801"],
                        "links": [
                            "nl": "https://shop.example.com/nl",
                            "de": ["url": "https://shop.example.com", "paths": "on"],
                        ],
                        "programmes": ["eu-custom-link"],
                        "policy": [
                            "default": ["offered": true, "requestsTokens": true],
                            "storefronts": ["JPN": ["offered": false, "requestsTokens": false]], "maxAge": "24h",
                        ],
                    ] as [String: Any]
                ],
                "notifications": ["roots": ["root.cer"], "onlineChecks": false],
                "alerts": [
                    "webhook": [
                        "url": "https://alerts.example.com/h", "secretFile": "one.secret", "format": "slack",
                        "severities": ["error"],
                    ],
                    "mail": [
                        "to": ["ops@example.com"], "from": "a@example.com", "sendmail": "/usr/sbin/sendmail",
                        "severities": ["error"],
                    ],
                    "every": "60s", "first": 50, "review": "on", "scheduled": "off",
                ] as [String: Any],
                "exports": ["columns": ["saleId": "Order"]], "developerProgrammes": ["smallBusiness"],
                "rates": ["file": "rates.csv"],
                "webhooks": [
                    [
                        "name": "erp", "url": "https://erp.example.com/x", "secretFile": "one.secret",
                        "types": ["sale.*"], "apps": ["com.example.shop"], "allowPrivate": false,
                    ] as [String: Any]
                ],
                "trustedProxies": ["127.0.0.1"],
                "signIn": [
                    "proxyHeader": "X-Forwarded-User",
                    "oidc": [
                        "issuer": "https://login.example.com/r", "clientId": "x", "clientSecretFile": "one.secret",
                        "roles": ["a": "finance"],
                    ],
                ] as [String: Any],
                "stripe": [stripe.merging(terms) { $1 }], "payments": [payment.merging(terms) { $1 }],
                "settings": ["send.delay": "0s"],
            ]
        }

        func read(_ value: Any, null: String = "null") throws -> ServeConfiguration {
            let json = try JSONSerialization.data(withJSONObject: value, options: .withoutEscapingSlashes)
            let yaml = String(decoding: json, as: UTF8.self).replacing("null", with: null)
            return try ServeConfiguration.read(
                path: scratch.write(yaml, to: "serve.yaml"),
                sources: ConfigurationSources(environment: [:])
            )
        }
    }

    private struct Place {
        let path: String
        /// The whole tree with null at the place.
        let tree: Any
    }

    /// Every place below the root of a tree.
    private static func places(in value: Any) -> [Place] {
        var places: [Place] = []
        func add(_ name: String, _ part: Any, put: (Any) -> Any) {
            places.append(Place(path: name, tree: put(NSNull())))
            for place in Self.places(in: part) {
                places.append(Place(path: "\(name).\(place.path)", tree: put(place.tree)))
            }
        }
        if let members = value as? [String: Any] {
            for (name, member) in members {
                add(name, member) { new in members.merging([name: new]) { $1 } }
            }
        } else if let elements = value as? [Any] {
            for (index, element) in elements.enumerated() {
                add(String(index), element) { new in
                    var list = elements
                    list[index] = new
                    return list
                }
            }
        }
        return places
    }

    @Test("Everywhere in the configuration it is an error at its place", arguments: ["null", "~"])
    func configuration(_ null: String) throws {
        let setup = try Setup()
        let read = try setup.read(setup.configuration)
        let places = Self.places(in: setup.configuration)
        for place in places {
            #expect("\(place.path)") {
                try setup.read(place.tree, null: null)
            } throws: { error in
                "\(error)".contains("serve.yaml:1:")
            }
        }
        // No key that has a value is left out above.
        let tried = Set(places.map { $0.path.replacing(#/\.\d+/#, with: "") })
        for row in ConfigurationListing(read).rows where !ServeSettings.names.contains(row.key) {
            let key = row.key.replacing(#/\[\d+\]/#, with: "")
            let isBelow =
                key.contains(".policy.") || key == "programmes" || key == "stripe.taxRate" || key == "payments.taxRate"
            #expect(tried.contains(key) || isBelow, "\(row.key)")
        }
    }

    @Test("So it is for each setting", arguments: ServeSettings.names)
    func setting(_ name: String) throws {
        let setup = try Setup()
        for null in ["null", "~", "Null"] {
            let changed = setup.configuration.merging(["settings": [name: NSNull()]]) { $1 }
            #expect { try setup.read(changed, null: null) } throws: { error in
                "\(error)".contains("settings: \(name) must be a single value") && "\(error)".contains("not null")
            }
        }
    }

    @Test("What means nothing is no product; quotes make a name of it")
    func products() throws {
        let setup = try Setup()
        func terms(_ value: String, _ provider: String) throws -> String? {
            let entry =
                provider == "stripe"
                ? "stripe:\n  - signingSecretFile: one.secret"
                : "payments:\n  - provider: \(provider)\n    secretFile: one.secret"
            let text = """
                apps:
                  - bundleId: com.example.shop
                    appAppleId: 1234567890
                    key: {file: key.p8, keyId: 2X9R4HXF34, issuerId: 57246542-96fe-1a63-e053-0824d011072a}
                \(entry)
                    bundleId: com.example.shop
                    products:
                      price_a: \(value)

                """
            let configuration = try ServeConfiguration.read(
                path: setup.scratch.write(text, to: "serve.yaml"),
                sources: ConfigurationSources(environment: [:])
            )
            return (configuration.stripe.map(\.terms) + configuration.payments.map(\.terms)).first?.products["price_a"]
        }
        for provider in ["stripe", "paddle", "custom"] {
            for value in [
                "null", "Null", "NULL", "~", "", "false", "False", "FALSE", "true", "no", "No", "NO", "yes", "on",
                "off",
                "None", "NONE", "nOne", "\"None\"", "\" none \"", "[]", "{}", "\"\"",
            ] {
                #expect("\(provider) \(value)") { try terms(value, provider) } throws: { error in
                    "\(error)".contains(".products.price_a") && "\(error)".contains("serve.yaml:")
                }
            }
            for (value, name) in [
                ("none", "none"), ("\"none\"", "none"), ("gems.100", "gems.100"), ("\"null\"", "null"),
                ("\"No\"", "No"),
                ("\"false\"", "false"), ("'~'", "~"), ("nonesuch", "nonesuch"), ("2024", "2024"),
            ] {
                #expect(try terms(value, provider) == name, "\(provider) \(value)")
            }
        }
    }

    @Test(
        "So it is in a profile of sales",
        arguments: [
            "base: null", "type: ~", "type: {column: null, words: {a: purchase}}",
            "type: {column: Art, words: {a: null}}", "type: {column: Art, words: {a: {refuse: ~}}}",
            "type: {column: Art, words: {a: {plus: null, minus: refund}}}",
            "type: purchase\nvalues: {currency: null}", "type: purchase\nfields: {saleId: ~}",
            "type: purchase\nfields: {saleId: [A, ~]}", "type: purchase\nfields: {saleId: {column: null}}",
            "type: purchase\nfields: {saleId: {text: null}}",
            "type: purchase\nfields: {taxCountry: {column: Land, words: {NO: null}}}",
            "type: purchase\nfields: {occurredAt: {date: ~, time: T}}",
            "type: purchase\nfields: {occurredAt: {column: T, zone: ~}}",
            "type: purchase\nfile: {delimiter: ~}", "type: purchase\nfile: {encoding: ~}",
            "type: purchase\nfile: {skip: ~}",
            "type: purchase\nnumbers: {decimal: ~}", "type: purchase\nnumbers: {thousands: ~}",
            "type: purchase\nnumbers: {symbols: [~]}", "type: purchase\ntimes: {formats: [~]}",
            "type: purchase\ntimes: {zone: ~}", "type: purchase\ntimes: {zones: {CST: ~}}",
            "type: purchase\ntimes: {ambiguousHour: ~}",
        ]
    )
    func profile(_ text: String) throws {
        let scratch = try ScratchFolder()
        let whole = text.contains("fields:") ? text : "\(text)\nfields: {saleId: Id}"
        #expect { try SalesProfile.read(scratch.write("\(whole)\n", to: "profile.yaml")) } throws: { error in
            "\(error)".contains("profile.yaml:") && "\(error)".contains("not null")
        }
    }
}

import Foundation
import Testing

/// A way in which an endpoint departs from the rules, and the setting that the suite must name for it.
struct SeededDifference: Sendable, CustomTestStringConvertible {
    let title: String
    /// The name of the setting.
    let setting: String
    /// The values that describe the endpoint.
    let accepts: @Sendable (String) -> Bool
    let change: SeededEndpoint.Change

    var testDescription: String { title }

    init(
        _ title: String,
        _ setting: String,
        _ accepts: @escaping @Sendable (String) -> Bool,
        _ change: @escaping SeededEndpoint.Change
    ) {
        self.title = title
        self.setting = setting
        self.accepts = accepts
        self.change = change
    }

    init(_ title: String, _ setting: String, _ value: String, _ change: @escaping SeededEndpoint.Change) {
        self.init(title, setting, { $0 == value }, change)
    }

    private typealias Exchange = SeededEndpoint.Exchange
    private typealias ErrorObject = [String: Any]

    private static func code(_ error: ErrorObject) -> Int { error["errorCode"] as? Int ?? 0 }

    /// Changes each error.
    private static func each(_ change: @escaping @Sendable (inout ErrorObject) -> Void) -> SeededEndpoint.Change {
        { exchange in
            exchange.errors = exchange.errors?.map { error in
                var error = error
                change(&error)
                return error
            }
        }
    }

    /// Leaves out the errors of a code for which a condition holds.
    private static func without(
        _ code: Int,
        _ condition: @escaping @Sendable (ErrorObject, Exchange) -> Bool = { _, _ in true }
    ) -> SeededEndpoint.Change {
        { exchange in
            guard exchange.isReport, let errors = exchange.errors else { return }
            let rest = errors.filter { Self.code($0) != code || !condition($0, exchange) }
            if rest.count < errors.count { exchange.errors = rest }
        }
    }

    private static func sorted(_ rank: @escaping @Sendable (ErrorObject) -> Int) -> SeededEndpoint.Change {
        { exchange in
            guard let errors = exchange.errors else { return }
            let order = errors.indices.sorted { (rank(errors[$0]), $0) < (rank(errors[$1]), $1) }
            exchange.errors = order.map { errors[$0] }
        }
    }

    /// Moves some codes to the front of the errors of their item.
    private static func first(_ codes: [Int]) -> SeededEndpoint.Change {
        { exchange in
            guard let errors = exchange.errors else { return }
            var groups: [[ErrorObject]] = []
            for error in errors {
                let id = error["lineItemId"] as? String
                if let last = groups.last?.first, last["lineItemId"] as? String == id {
                    groups[groups.count - 1].append(error)
                } else {
                    groups.append([error])
                }
            }
            exchange.errors = groups.flatMap { group in
                group.filter { codes.contains(code($0)) } + group.filter { !codes.contains(code($0)) }
            }
        }
    }

    private static func status(_ status: Int, _ condition: @escaping @Sendable (Exchange) -> Bool)
        -> SeededEndpoint.Change
    {
        { exchange in if condition(exchange) { exchange.status = status } }
    }

    private static func number(_ item: [String: Any]?, _ member: String) -> Double {
        (item?[member] as? NSNumber)?.doubleValue ?? 0
    }

    private static var now: Double { Date().timeIntervalSince1970 * 1_000 }
    private static let day = 86_400_000.0

    /// True for a duration as settings spell it, between two numbers of seconds.
    private static func duration(_ range: ClosedRange<Double>) -> @Sendable (String) -> Bool {
        { text in
            let units = [("ms", 0.001), ("min", 60.0), ("s", 1.0), ("h", 3_600.0), ("d", 86_400.0)]
            guard let unit = units.first(where: { text.hasSuffix($0.0) }),
                let number = Double(text.dropLast(unit.0.count))
            else { return false }
            return range.contains(number * unit.1)
        }
    }

    private static let isMalformed: @Sendable (Exchange) -> Bool = {
        $0.isReport && $0.status == 400 && $0.body.isEmpty
    }

    private static let isUnknown: @Sendable (Exchange) -> Bool = {
        $0.method == "GET" && $0.status == 400 && $0.errors == nil
    }

    /// What a reader without a limit answers to a report of which only `taxCountry` is missing.
    private static func readWithoutLimit(_ exchange: inout Exchange) {
        exchange.errors = exchange.items.filter { $0["taxCountry"] == nil }.map { item in
            [
                "errorCode": 4, "errorMessage": "A required field is missing.", "fieldName": "taxCountry",
                "lineItemId": item["lineItemId"] ?? "",
            ]
        }
        if exchange.status == 400, exchange.body.isEmpty { exchange.body = Exchange.text(["errors": []]) }
    }

    static let all: [SeededDifference] = orders + codes + messages + statuses + windows + limits + forms

    private static let orders: [SeededDifference] = [
        .init("errors by code", "answers.order", "code", sorted(code)),
        .init("errors from the end", "answers.order", "reversed") { $0.errors = $0.errors?.reversed() },
        .init(
            "net errors first",
            "answers.order",
            { $0.hasPrefix("12,24,") || $0.hasPrefix("24,12,") || $0.hasPrefix("12,") || $0.hasPrefix("24,") },
            first([12, 24])
        ),
        .init("item counts before the status before", "answers.order", "10,8", first([10])),
        .init("forbidden before missing", "answers.order", { $0.contains("5,4") }, first([5])),
    ]

    private static let codes: [SeededDifference] = [
        .init("16 is 15", "answers.codes", "16=15", each { if code($0) == 16 { $0["errorCode"] = 15 } }),
        .init("24 is 12", "answers.codes", "24=12", each { if code($0) == 24 { $0["errorCode"] = 12 } }),
        .init("37 is 41", "answers.codes", "37=41", each { if code($0) == 37 { $0["errorCode"] = 41 } }),
        .init("40 is 140", "answers.codes", "40=140", each { if code($0) == 40 { $0["errorCode"] = 140 } }),
        .init("23 does not come", "rules.off", "23", without(23)),
        .init("17 does not come", "rules.off", "17", without(17)),
        .init("31 and 34 do not come", "rules.off", "31,34") { exchange in
            without(31)(&exchange)
            without(34)(&exchange)
        },
    ]

    private static let messages: [SeededDifference] = [4, 12, 37, 38].map { number in
        .init(
            "another text of \(number)",
            "messages.\(number)",
            "Other words, \"\(number)\".",
            each { if code($0) == number { $0["errorMessage"] = "Other words, \"\(number)\"." } }
        )
    }

    private static let statuses: [SeededDifference] = [
        .init("refusals with 422", "answers.status.refused", "422", status(422) { $0.isReport && $0.errors != nil }),
        .init("malformed bodies with 415", "answers.status.malformed", "415", status(415, isMalformed)),
        .init("403 in place of 401", "answers.status.unauthenticated", "403", status(403) { $0.status == 401 }),
        .init("404 for unknown reports", "answers.status.notFound", "404", status(404, isUnknown)),
        .init(
            "201 for accepted reports",
            "answers.status.accepted",
            "201",
            status(201) { $0.isReport && $0.status == 200 }
        ),
        .init("400 for unknown paths", "answers.status.unknownPath", "400", status(400) { $0.status == 404 }),
    ]

    private static let windows: [SeededDifference] = [
        .init(
            "10 minutes into the future",
            "rules.clockSkew",
            duration(360...900),
            without(6) { error, exchange in
                number(exchange.item(error), "creationDate") <= now + 600_000
            }
        ),
        .init(
            "dates of 2,000 days",
            "rules.creationDateLimit",
            duration(1_500 * 86_400...3_000 * 86_400),
            without(27) { error, exchange in
                error["fieldName"] as? String == "creationDate"
                    && number(exchange.item(error), "creationDate") >= now - 2_000 * day
            }
        ),
        .init(
            "periods of 5,000 days",
            "rules.periodDateLimit",
            duration(4_500 * 86_400...6_000 * 86_400),
            without(27) { error, exchange in
                let field = error["fieldName"] as? String ?? ""
                return field != "creationDate" && number(exchange.item(error), field) >= now - 5_000 * day
            }
        ),
        .init(
            "restatements for 600 days",
            "rules.restatementWindow",
            duration(500 * 86_400...900 * 86_400),
            without(39) { error, exchange in
                number(exchange.item(error), "creationDate") >= now - 600 * day
            }
        ),
        .init(
            "refunds for 390 days",
            "rules.refundWindow",
            duration(366 * 86_400...400 * 86_400),
            without(40) { error, exchange in
                let refund = exchange.item(error)
                let buy = exchange.items.first {
                    $0["lineItemId"] as? String == refund?["referenceLineItemId"] as? String
                }
                return number(refund, "creationDate") - number(buy, "creationDate") <= 390 * day
            }
        ),
        .init("JWTs of 5 minutes later", "auth.issuedAtSkew", duration(90...600)) { exchange in
            let issued = number(exchange.claims, "iat") * 1_000
            guard exchange.status == 401, issued > now + 60_000, issued < now + 300_000 else { return }
            exchange.status = 400
            exchange.body = Exchange.text([
                "errorCode": 3, "errorMessage": "The referenced value was not found.", "fieldName": "requestIdentifier",
            ])
        },
    ]

    private static let limits: [SeededDifference] = [
        .init(
            "texts of 200 characters",
            "limits.textLength",
            { Int($0).map { $0 >= 129 } ?? false },
            without(19) { error, exchange in
                error["fieldName"] as? String != "productIdentifier"
            }
        ),
        .init(
            "product identifiers of 300 characters",
            "limits.productIdentifierLength",
            { Int($0).map { (257..<1_000).contains($0) } ?? false },
            without(19) { error, exchange in
                error["fieldName"] as? String == "productIdentifier"
                    && (exchange.item(error)?["productIdentifier"] as? String ?? "").count <= 300
            }
        ),
        .init("1,200 line items", "limits.lineItems", { Int($0).map { (1_001..<1_500).contains($0) } ?? false }) {
            exchange in
            if isMalformed(exchange), (1_001...1_200).contains(exchange.items.count) { readWithoutLimit(&exchange) }
        },
        .init("bodies of 2 MiB", "limits.bodyBytes", { Int($0).map { (1_048_577..<3_145_728).contains($0) } ?? false })
        { exchange in
            if isMalformed(exchange), (1_048_577...2_097_152).contains(exchange.bodyBytes) {
                readWithoutLimit(&exchange)
            }
        },
    ]

    private static let forms: [SeededDifference] = [
        .init("only the first error", "answers.errors", "first") { $0.errors = $0.errors.map { Array($0.prefix(1)) } },
        .init("no line item ids", "answers.lineItemId", "omitted", each { $0["lineItemId"] = nil }),
        .init(
            "an error object for malformed bodies",
            "answers.body.malformed",
            #"{"errorCode":4000000,"errorMessage":"Bad request."}"#
        ) { exchange in
            if isMalformed(exchange) { exchange.body = #"{"errorCode":4000000,"errorMessage":"Bad request."}"# }
        },
        .init("unknown reports in an array", "answers.getNotFound", "wrapped") { exchange in
            if isUnknown(exchange) { exchange.body = #"{"errors":[\#(exchange.body)]}"# }
        },
        .init(
            "restatements on other tokens",
            "rules.restatementAcrossTokens",
            "allow",
            without(3) { error, exchange in
                error["fieldName"] as? String == "lineItemId" && exchange.items.count > 1
            }
        ),
        .init(
            "status after line items",
            "rules.statusRegressionForDuplicate",
            "off",
            without(8) { _, exchange in
                exchange.report["status"] as? String == "DUPLICATE_TOKEN"
            }
        ),
    ]
}

import CommandSupport
import Eligibility
import ExternalPurchaseCore

extension Matrix {
    /// The table for a terminal of 80 columns; storefronts with equal results share a row.
    func table(_ style: TerminalStyle) -> String {
        var groups: [(pattern: [ConditionID?], rows: [Row])] = []
        for row in rows {
            let pattern = row.cells.map(\.evaluation.failed)
            if let index = groups.firstIndex(where: { $0.pattern == pattern }) {
                groups[index].rows.append(row)
            } else {
                groups.append((pattern, [row]))
            }
        }
        // Rows with the most positive results come first, all other storefronts last.
        let everywhereElse = groups.indices.max { groups[$0].rows.count < groups[$1].rows.count }
        let rest = everywhereElse.map { groups.remove(at: $0) }
        groups.sort { Self.yes($0.pattern) > Self.yes($1.pattern) }

        let name = configuration.appName ?? "The app"
        var lines = [
            style.bold(name) + " · native app on iOS · rules of \(pack.id)", "",
            style.bold(Self.padded("iOS") + Self.versions.map { "\($0) " }.joined(separator: " ")),
            style.dim(Self.padded("API") + Self.versions.map { _ in "12345" }.joined(separator: " ")),
        ]
        for group in groups {
            lines += Self.lines(group.rows.map(\.storefront.alpha3), group.pattern, style)
        }
        if let rest {
            let label = groups.isEmpty ? "all \(rest.rows.count) storefronts" : "\(rest.rows.count) others"
            lines += Self.lines([label], rest.pattern, style)
        }
        lines.append("")
        lines += Self.questions.enumerated().map { "\($0 + 1)  \($1.rawValue)" }
        lines.append("")
        lines.append("\(style.green("✓")) yes; a number is the condition that fails first:")
        let failed = Set((groups.flatMap(\.pattern) + (rest?.pattern ?? [])).compactMap(\.self))
        lines += failed.sorted().map { "\($0.rawValue)  \(Self.legend($0))" }
        for rule in [ProgrammeTerms.InAppPurchase.required, .forbidden] {
            let codes = rows.filter { $0.hasYes && inAppPurchase(in: $0) == rule }.map(\.storefront.alpha3)
            if !codes.isEmpty {
                lines += ["", "In-App Purchase in \(codes.joined(separator: ", ")): \(rule.words)"]
            }
        }
        // One line for all storefronts of which the same is known.
        var minors: [(words: String, codes: [String])] = []
        for row in rows where row.hasYes {
            guard let words = terms(in: row)?.minorsInWords() else { continue }
            if let index = minors.firstIndex(where: { $0.words == words }) {
                minors[index].codes.append(row.storefront.alpha3)
            } else {
                minors.append((words, [row.storefront.alpha3]))
            }
        }
        for (words, codes) in minors { lines += ["", "Minors in \(codes.joined(separator: ", ")): \(words)"] }
        lines.append("")
        lines.append("For the reason behind a cell: external-purchase explain … --storefront CODE --os \"iOS VERSION\"")
        return lines.joined(separator: "\n")
    }

    /// Whether In-App Purchase stands beside external purchases in a storefront (SK-87).
    func inAppPurchase(in row: Row) -> ProgrammeTerms.InAppPurchase? {
        Self.versions.last.flatMap { engine(row.storefront, $0).inAppPurchase }
    }

    /// What the programmes of a storefront ask of the app's screens.
    func terms(in row: Row) -> ProgrammeTerms? { ProgrammeTerms.inStorefront(row.storefront.alpha3, pack: pack) }

    /// What is known of minors in a storefront (SK-88); nil without a programme.
    func minors(in row: Row) -> String? {
        terms(in: row)?.minorsInWords(storefront: row.storefront.alpha3)
    }

    /// The meaning of a failed condition for the complete app.
    static func legend(_ condition: ConditionID) -> String {
        switch condition {
        case .memberExists: "the API does not exist on that system"
        case .modeAllowed: "not for apps that run in this way"
        case .entitlement: "the entitlement is missing"
        case .storefrontKnown: "the storefront is unknown"
        case .storefrontListed: "Apple does not offer it in the storefront"
        case .storefrontConfigured: "the app's files do not list the storefront, or with an entry that is faulty"
        case .systemGate: "the storefront needs a newer system"
        case .canMakePayments, .personEligible, .argument, .sheet, .network: condition.title
        }
    }

    private static let labelWidth = 20

    private static func yes(_ pattern: [ConditionID?]) -> Int { pattern.count { $0 == nil } }

    private static func padded(_ text: String) -> String {
        text + String(repeating: " ", count: max(1, labelWidth - text.count))
    }

    /// The country codes wrapped to the label's width, with the marks on the first line.
    private static func lines(_ codes: [String], _ pattern: [ConditionID?], _ style: TerminalStyle) -> [String] {
        var labels = [""]
        for code in codes {
            let last = labels[labels.count - 1]
            if last.isEmpty {
                labels[labels.count - 1] = code
            } else if last.count + code.count + 1 < labelWidth {
                labels[labels.count - 1] = last + " " + code
            } else {
                labels.append(code)
            }
        }
        let width = questions.count
        let marks = stride(from: 0, to: pattern.count, by: width).map { start in
            pattern[start..<start + width].map { $0.map { style.dim("\($0.rawValue)") } ?? style.green("✓") }.joined()
        }
        return [padded(labels[0]) + marks.joined(separator: " ")] + labels.dropFirst()
    }
}

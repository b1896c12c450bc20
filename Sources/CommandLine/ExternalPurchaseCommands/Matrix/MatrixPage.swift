import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import HTTPSupport

/// The matrix as one self-contained page; `Web/matrix.html` is its template.
///
/// The page contains the row headers as text. The contents of the cells are separate data, because eleven thousand
/// cells share a few hundred explanations; the script fills in a row when it becomes visible.
struct MatrixPage {
    private let matrix: Matrix
    private var texts = Numbering<String>()
    private var reasons = Numbering<Reason>()
    private var cells: [(code: String, reasons: [Int])] = []

    /// The category of a result: yes, or what the condition that fails first is about; it determines the colour on the page.
    private enum Verdict: Int {
        case yes, app, apple, system

        init(_ failed: ConditionID?) {
            self =
                switch failed {
                case nil: .yes
                case .memberExists, .modeAllowed, .systemGate: .system
                case .entitlement, .storefrontConfigured: .app
                case .storefrontKnown, .storefrontListed: .apple
                // The matrix has a device that may pay, an eligible person and no call.
                case .canMakePayments, .personEligible, .argument, .sheet, .network: .app
                }
        }
    }

    /// An explanation; its numbers are indices into the texts.
    private struct Reason: Hashable {
        let verdict: Int
        let failed: Int
        let detail: Int
        let place: Int
        let fix: Int
        let next: Int
        let programmes: Int

        var numbers: [Int] { [verdict, failed, detail, place, fix, next, programmes] }
    }

    init(_ matrix: Matrix) {
        self.matrix = matrix
        _ = texts.number(of: "")
        for row in matrix.rows {
            cells.append((row.storefront.alpha3, row.cells.map { number(of: $0, in: row) }))
        }
    }

    private mutating func number(of cell: Matrix.Cell, in row: Matrix.Row) -> Int {
        let evaluation = cell.evaluation
        let engine = matrix.engine(row.storefront, cell.version)
        let failed = evaluation.failedCondition
        let place = failed.flatMap {
            Explanation.place(of: $0, in: evaluation, engine: engine, configuration: matrix.configuration)
        }
        let programmes = row.programmes.filter { $0.families.contains(evaluation.question.family) }
        let verdict = Verdict(failed?.id)
        return reasons.number(
            of: Reason(
                verdict: verdict.rawValue,
                failed: failed?.id.rawValue ?? 0,
                detail: texts.number(of: failed?.detail ?? Self.yes(evaluation)),
                place: texts.number(of: place.map { $0.file + ($0.position.map { ":\($0.line)" } ?? "") } ?? ""),
                fix: texts.number(of: failed.map { Self.fix($0, programmes) } ?? evaluation.tokenWords),
                next: texts.number(
                    of: evaluation.next.description
                        + (evaluation.isEligible && engine.inAppPurchase == .required
                            ? " In-App Purchase: \(ProgrammeTerms.InAppPurchase.required.words)." : "")
                ),
                programmes: texts.number(of: Self.words(programmes, verdict))
            )
        )
    }

    /// The programmes that a change of the app's files can aim at.
    private static func words(_ programmes: [RulePack.Programme], _ verdict: Verdict) -> String {
        switch verdict {
        case .yes, .system: ""
        case .app where programmes.isEmpty: "Apple has none for this API in the storefront"
        case .app, .apple: programmes.map(\.words).joined(separator: "; ")
        }
    }

    private static func yes(_ evaluation: Evaluation) -> String {
        evaluation.links.isEmpty
            ? "every condition holds" : evaluation.links.map(\.url).joined(separator: " · ")
    }

    /// The advice for a failed condition; a missing storefront may still be reachable through another programme.
    private static func fix(_ condition: Condition, _ programmes: [RulePack.Programme]) -> String {
        condition.id == .storefrontListed && !programmes.isEmpty
            ? "This way is closed in the storefront; the programme below is another." : condition.fix ?? ""
    }

    private static let template = HTMLTemplate(WebFiles.matrixHTML)

    /// The complete page.
    var html: String {
        let open = matrix.rows.filter(\.hasYes)
        let possible = matrix.rows.filter { !$0.hasYes && !$0.programmes.isEmpty }
        let closed = matrix.rows.filter { !$0.hasYes && $0.programmes.isEmpty }
        let files = [matrix.configuration.infoPlist?.path, matrix.configuration.effectiveEntitlements?.path]
        let groups = [
            Self.group("open", "Open", "at least one API says yes on some system", open),
            Self.group(
                "possible",
                "Within reach",
                "Apple has a programme there, your files do not ask for it",
                possible
            ),
            Self.group("closed", "Closed", "no programme of Apple in these rules", closed),
        ]
        return Self.template.filled(with: [
            "app": .text(matrix.configuration.appName ?? "The app"),
            "isOpen": .condition(!open.isEmpty),
            "open": .text("\(open.count)"),
            "isPossible": .condition(!possible.isEmpty),
            "possible": .text("\(possible.count)"),
            "all": .text("\(matrix.rows.count)"),
            "rules": .text(matrix.pack.id),
            "effectiveFrom": .text(matrix.pack.effectiveFrom),
            "files": .list(
                files.compactMap(\.self).enumerated().map { index, path in
                    ["follows": .condition(index > 0), "path": .text(path)]
                }
            ),
            "apis": .list(
                Matrix.questions.enumerated().map { index, question in
                    ["index": .text("\(index)"), "number": .text("\(index + 1)"), "name": .text(question.shortName)]
                }
            ),
            "systems": .list(
                Matrix.versions.enumerated().map { index, version in
                    ["index": .text("\(index)"), "version": .text(Matrix.span(from: version))]
                }
            ),
            "columns": .text("\(Matrix.versions.count + 1)"),
            "groups": .list(groups.compactMap(\.self)),
            "data": .markup(data),
            "style": .markup(WebFiles.matrixCSS),
            "script": .markup(WebFiles.matrixJS),
        ]) + "\n"
    }

    private static func group(
        _ id: String,
        _ title: String,
        _ meaning: String,
        _ rows: [Matrix.Row]
    ) -> HTMLTemplate.Values? {
        guard !rows.isEmpty else { return nil }
        let lines: [HTMLTemplate.Values] = rows.sorted { $0.name < $1.name }.map { row in
            let region = row.storefront.region ?? ""
            let programmes = row.programmes.map(\.title)
            let words = [row.name, row.storefront.alpha3, region] + programmes
            return [
                "code": .text(row.storefront.alpha3),
                "words": .text(words.joined(separator: " ").lowercased()),
                "programmes": .text(programmes.joined(separator: "; ")),
                "name": .text(row.name),
                "place": .text(row.storefront.alpha3 + (region.isEmpty ? "" : " · \(region)")),
            ]
        }
        return [
            "id": .text(id), "title": .text(title), "meaning": .text(meaning), "count": .text("\(rows.count)"),
            "isExpanded": .text(id == "closed" ? "false" : "true"), "rows": .list(lines),
        ]
    }

    private var data: String {
        func numbers(_ values: [Int]) -> JSONValue { .array(values.map { .integer(Int64($0)) }) }
        let value =
            JSONValue.object([
                "apis": .array(
                    Matrix.questions.map {
                        [
                            "name": .string($0.rawValue), "purpose": .string($0.purpose),
                        ]
                    }
                ),
                "os": .array(Matrix.versions.map { .string("iOS \(Matrix.span(from: $0))") }),
                "conditions": .array(ConditionID.allCases.map { .string("\($0), \($0.title)") }),
                "texts": .array(texts.values.map { .string($0) }),
                "reasons": .array(reasons.values.map { numbers($0.numbers) }),
                "rows": .object(JSONObject(cells.map { .init($0.code, numbers($0.reasons)) })),
                "minors": .object(
                    JSONObject(
                        matrix.rows.compactMap { row in
                            matrix.minors(in: row).map { .init(row.storefront.alpha3, .string($0)) }
                        }
                    )
                ),
            ])
        // Inside a script element, only "</script" and "<!--" have a special meaning.
        return String(decoding: value.encoded(), as: UTF8.self).replacing("<", with: "\\u003c")
    }
}

/// Numbers distinct values in order of first occurrence.
private struct Numbering<Value: Hashable> {
    private(set) var values: [Value] = []
    private var numbers: [Value: Int] = [:]

    mutating func number(of value: Value) -> Int {
        if let number = numbers[value] { return number }
        numbers[value] = values.count
        values.append(value)
        return values.count - 1
    }
}

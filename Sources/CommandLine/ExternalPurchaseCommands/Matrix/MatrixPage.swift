import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

/// The matrix as one page without anything outside of it.
///
/// The rows stand in the page as text. What stands in the cells is data beside them, since eleven thousand cells share a
/// few hundred explanations; the script fills a row when it is first seen.
struct MatrixPage {
    private let matrix: Matrix
    private var texts = Numbering<String>()
    private var reasons = Numbering<Reason>()
    private var cells: [(code: String, reasons: [Int])] = []

    /// Who can turn a no into a yes; the colours of the page.
    private enum Verdict: Int {
        case yes, app, apple, system
    }

    /// An explanation; numbers point to the texts.
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
        let verdict: Verdict =
            switch failed?.id {
            case nil: .yes
            case .memberExists, .modeAllowed, .systemGate: .system
            default: programmes.isEmpty ? .apple : .app
            }
        return reasons.number(
            of: Reason(
                verdict: verdict.rawValue,
                failed: failed?.id.rawValue ?? 0,
                detail: texts.number(of: failed?.detail ?? Self.yes(evaluation)),
                place: texts.number(of: place.map { $0.file + ($0.position.map { ":\($0.line)" } ?? "") } ?? ""),
                fix: texts.number(of: failed.map { Self.fix($0, programmes) } ?? evaluation.tokenWords),
                next: texts.number(of: evaluation.next.description),
                programmes: texts.number(of: programmes.map(\.words).joined(separator: "; "))
            )
        )
    }

    private static func yes(_ evaluation: Evaluation) -> String {
        evaluation.links.isEmpty
            ? "every condition holds" : evaluation.links.map(\.url).joined(separator: " · ")
    }

    /// What to do; a list without the storefront is no end while another programme opens the family there.
    private static func fix(_ condition: Condition, _ programmes: [RulePack.Programme]) -> String {
        condition.id == .storefrontListed && !programmes.isEmpty
            ? "This way is closed in the storefront; the programme below is another." : condition.fix ?? ""
    }

    /// The page.
    var html: String {
        let name = Self.escaped(matrix.configuration.appName ?? "The app")
        let open = matrix.rows.filter(\.hasYes)
        let possible = matrix.rows.filter { !$0.hasYes && !$0.programmes.isEmpty }
        let closed = matrix.rows.filter { !$0.hasYes && $0.programmes.isEmpty }
        let files = [matrix.configuration.infoPlist?.path, matrix.configuration.effectiveEntitlements?.path]
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(name): external purchases by storefront</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            <h1>Where may <em>\(name)</em> sell outside the App Store?</h1>
            <p>\(Self.summary(open.count, possible.count, matrix.rows.count)) A native app on iOS, \
            <span>rules of \(Self.escaped(matrix.pack.id))</span>, in force from <span>\(Self.escaped(matrix.pack.effectiveFrom))</span>; read from \
            \(files.compactMap(\.self).map { "<code>\(Self.escaped($0))</code>" }.joined(separator: " and ")).</p>
            </header>
            <form id="controls" role="search" onsubmit="return false">
            <label class="search"><span>Storefront</span>
            <input id="search" type="search" placeholder="Netherlands, NLD, nl, EEA…" autocomplete="off"></label>
            <fieldset id="apis"><legend>API</legend>
            \(Self.choices("api", ["All"] + Matrix.questions.enumerated().map { "\($0 + 1) \($1.shortName)" }))
            </fieldset>
            <fieldset id="versions"><legend>iOS</legend>
            \(Self.choices("os", ["All"] + Matrix.versions.map(\.description)))
            </fieldset>
            </form>
            <ul id="legend" aria-label="What the marks mean">
            <li><b class="v0"></b>yes</li>
            <li><b class="v1"></b>no, but your files can change that</li>
            <li><b class="v3"></b>no, the system is too old</li>
            <li><b class="v2"></b>no, Apple does not offer it there</li>
            </ul>
            <noscript><p>The cells are filled by a script. <code>external-purchase matrix</code> prints them in a \
            terminal.</p></noscript>
            <div id="frame">
            <table id="grid">
            <thead><tr><th scope="col">Storefront</th>\(Self.heads)</tr></thead>
            \(Self.group("open", "Open", "at least one API says yes on some system", open))
            \(Self.group("possible", "Within reach", "Apple has a programme there, your files do not ask for it", possible))
            \(Self.group("closed", "Closed", "no programme of Apple in these rules", closed))
            </table>
            <p id="nothing" hidden>No storefront is called that.</p>
            </div>
            <aside id="why" aria-live="polite"><p>Point at a mark, or walk to it with the arrow keys, to read why.</p></aside>
            <script type="application/json" id="data">\(data)</script>
            <script>
            \(Self.script)
            </script>
            </body>
            </html>

            """
    }

    private static func summary(_ open: Int, _ possible: Int, _ all: Int) -> String {
        let first =
            open == 0
            ? "In none of \(all) storefronts yet." : "In <strong>\(open)</strong> of \(all) storefronts."
        return possible == 0 ? first : "\(first) Apple has programmes in <strong>\(possible)</strong> more."
    }

    private static func choices(_ name: String, _ labels: [String]) -> String {
        labels.enumerated().map { index, label in
            """
            <label><input type="radio" name="\(name)" value="\(index - 1)"\(index == 0 ? " checked" : "")>\
            <span>\(escaped(label))</span></label>
            """
        }.joined(separator: "\n")
    }

    private static var heads: String {
        let numbers = Matrix.questions.enumerated().map { index, question in
            "<i class=\"a\(index)\" data-name=\"\(escaped(question.shortName))\">\(index + 1)</i>"
        }
        return Matrix.versions.enumerated().map { index, version in
            "<th scope=\"col\" class=\"o\(index)\">iOS \(version)<span class=\"marks\">\(numbers.joined())</span></th>"
        }.joined()
    }

    private static func group(_ id: String, _ title: String, _ meaning: String, _ rows: [Matrix.Row]) -> String {
        guard !rows.isEmpty else { return "" }
        let lines = rows.sorted { $0.name < $1.name }.map { row in
            let region = row.storefront.region ?? ""
            let programmes = row.programmes.map(\.title)
            let words = [row.name, row.storefront.alpha3, region] + programmes
            return """
                <tr data-code="\(row.storefront.alpha3)" data-words="\(escaped(words.joined(separator: " ").lowercased()))">\
                <th scope="row" title="\(escaped(programmes.joined(separator: "; ")))">\(escaped(row.name))\
                <small>\(row.storefront.alpha3)\(region.isEmpty ? "" : " · \(region)")</small></th></tr>
                """
        }
        return """
            <tbody id="\(id)">
            <tr class="group"><th scope="rowgroup" colspan="\(Matrix.versions.count + 1)">\
            <button type="button" aria-expanded="\(id == "closed" ? "false" : "true")">\(title) <b>\(rows.count)</b> \
            <span>\(meaning)</span></button></th></tr>
            \(lines.joined(separator: "\n"))
            </tbody>
            """
    }

    private var data: String {
        func numbers(_ values: [Int]) -> JSONValue { .array(values.map { .integer(Int64($0)) }) }
        let value = JSONValue.object(
            JSONObject([
                .init(
                    "apis",
                    .array(
                        Matrix.questions.map {
                            .object(
                                JSONObject([
                                    .init("name", .string($0.rawValue)), .init("purpose", .string($0.purpose)),
                                ])
                            )
                        }
                    )
                ),
                .init("os", .array(Matrix.versions.map { .string("iOS \($0)") })),
                .init(
                    "conditions",
                    .array(ConditionID.allCases.map { .string("\($0), \($0.title)") })
                ),
                .init("texts", .array(texts.values.map { .string($0) })),
                .init("reasons", .array(reasons.values.map { numbers($0.numbers) })),
                .init("rows", .object(JSONObject(cells.map { .init($0.code, numbers($0.reasons)) }))),
            ])
        )
        // In a script element only "</script" and "<!--" end or change the text.
        return String(decoding: value.encoded(), as: UTF8.self).replacing("<", with: "\\u003c")
    }

    /// Text for element content and quoted attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Values in the order in which they were first met, each once.
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

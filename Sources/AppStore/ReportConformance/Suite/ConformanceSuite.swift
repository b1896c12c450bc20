package import ExternalPurchaseCore

/// The published cases of the report endpoint: the files of the folder `Conformance`, compiled in as text.
package struct ConformanceSuite: Hashable, Sendable {
    /// An error code that no case provokes.
    package struct UnreachedCode: Hashable, Sendable {
        /// The code.
        package let code: ReportErrorCode
        /// Why a client cannot provoke it.
        package let reason: String
    }

    /// The version of the data set; cases of one version never change (CS-1).
    package let version: String
    /// The API that the cases are about.
    let api: String
    /// The cases in an order in which they can be played.
    package let cases: [ConformanceCase]
    /// The codes without a case.
    package let unreached: [UnreachedCode]

    private let positions: [String: Int]

    /// Returns the case with that id.
    package subscript(id: String) -> ConformanceCase? { positions[id].map { cases[$0] } }

    /// The titles of the files, in their order.
    package var groups: [String] {
        cases.map(\.group).reduce(into: []) { groups, group in
            if groups.last != group { groups.append(group) }
        }
    }

    /// The compiled-in data set; a defect in it is a defect of this package, and any test finds it.
    package static let published: ConformanceSuite = {
        do {
            return try ConformanceSuite(suite: ConformanceFiles.suite, files: ConformanceFiles.cases.map(\.1))
        } catch {
            preconditionFailure("built-in conformance cases: \(error)")
        }
    }()

    /// The compiled-in texts by their paths in `Conformance`.
    package static let texts: [String: String] = Dictionary(
        ConformanceFiles.cases.map { ("cases/" + $0.0, $0.1) } + [("suite.json", ConformanceFiles.suite)]
    ) { $1 }

    /// Reads a data set.
    ///
    /// - Parameters:
    ///   - suite: the content of `suite.json`.
    ///   - files: the contents of the files of cases, in their order.
    init(suite: String, files: [String]) throws(ConformanceDataError) {
        let head = try ConformanceDataError.object(suite, of: "suite.json")
        version = head["version"]?.stringValue ?? ""
        api = head["api"]?.stringValue ?? ""
        unreached = (head["unreached"]?.arrayValue ?? []).compactMap(\.objectValue).map { entry in
            UnreachedCode(
                code: ReportErrorCode(rawValue: Int(entry["code"]?.int64Value ?? 0)),
                reason: entry["reason"]?.stringValue ?? ""
            )
        }
        var cases: [ConformanceCase] = []
        var positions: [String: Int] = [:]
        for file in files {
            let object = try ConformanceDataError.object(file, of: "a file of cases")
            let group = object["title"]?.stringValue ?? ""
            for entry in object["cases"]?.arrayValue ?? [] {
                let item = try ConformanceCase(entry.objectValue ?? JSONObject(), group: group)
                guard positions.updateValue(cases.count, forKey: item.id) == nil else {
                    throw ConformanceDataError(message: "\(item.id): two cases have this id")
                }
                for id in item.after where positions[id] == nil {
                    throw ConformanceDataError(message: "\(item.id): no earlier case has the id \(id)")
                }
                cases.append(item)
            }
        }
        self.cases = cases
        self.positions = positions
    }
}

/// Why a data set, a report or a recorded dialogue cannot be used.
package struct ConformanceDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let message: String

    /// What is wrong.
    package var description: String { message }

    /// Creates an error.
    package init(message: String) {
        self.message = message
    }

    static func object(_ text: String, of name: String) throws(ConformanceDataError) -> JSONObject {
        guard let object = (try? JSONReader().read(text))?.objectValue else {
            throw ConformanceDataError(message: "\(name) is not a JSON object")
        }
        return object
    }
}

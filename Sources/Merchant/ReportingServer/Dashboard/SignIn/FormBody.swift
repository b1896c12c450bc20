import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import Reporting

/// The fields of a form that a browser posts.
struct FormBody {
    private let fields: [(name: String, value: String)]

    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` 400, 413 or 415.
    init(_ request: Request, upTo limit: BodyLimits.Limit) async throws {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw Problem(
                .unsupportedMediaType,
                kind: "unsupported-media-type",
                title: "Not a form",
                detail: "this path takes a form of the dashboard"
            )
        }
        let bytes = try await RequestBody.bytes(of: request, upTo: limit)
        guard let fields = Self.fields(bytes) else {
            throw Problem.unreadable("the form has escapes that are not UTF-8")
        }
        var names: Set<String> = []
        if let repeated = fields.first(where: { !names.insert($0.name).inserted }) {
            // Which of them a reader takes differs; the forms of the dashboard have each name once.
            throw Problem.unreadable("the form has the field \(repeated.name.quoted) more than once")
        }
        self.fields = fields
    }

    /// The value of the first field with that name; a browser's line breaks are single line feeds.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The value of a field without white space around it; nil if it is empty.
    func text(_ name: String) -> String? {
        guard let value = self[name]?.trimmed, !value.isEmpty else { return nil }
        return value
    }

    static func fields(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(String, String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { part in
                String(decoding: part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
                    .percentDecoded
            }
            guard let name = decoded.first.flatMap(\.self) else { return nil }
            guard decoded.count == 2 else {
                fields.append((name, ""))
                continue
            }
            guard let value = decoded[1] else { return nil }
            let lines = value.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
            fields.append((name, lines.joined(separator: "\n")))
        }
        return fields
    }
}

extension Request {
    /// Returns the query as a browser's form writes it, where `+` is a space.
    ///
    /// - Throws: ``Problem`` 400.
    func formQuery() throws(Problem) -> [(name: String, value: String)] {
        guard let fields = FormBody.fields(Array((uri.query ?? "").utf8)) else {
            throw Problem(
                .badRequest,
                kind: "unreadable",
                title: "The address cannot be read",
                detail: "the query has a percent sign that is no escape of UTF-8"
            )
        }
        return fields
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }

    /// Compares all bytes whatever the result, so that the time tells nothing about the other text.
    func isEqualInConstantTime(to other: String) -> Bool {
        let (left, right) = (Array(utf8), Array(other.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

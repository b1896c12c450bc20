import ExternalPurchaseCore
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
        let fields: [(name: String, value: String)]
        do throws(FormFault) {
            fields = try Self.fields(bytes)
        } catch {
            throw Problem.unreadable("the form \(error.message)")
        }
        var names: Set<[UInt8]> = []
        if let repeated = fields.first(where: { !names.insert(Array($0.name.utf8)).inserted }) {
            // Which of them a reader takes differs; the forms of the dashboard have each name once.
            throw Problem.unreadable("the form has the field \(repeated.name.quoted) more than once")
        }
        self.fields = fields
    }

    /// The names of the fields, in their order.
    var names: [String] { fields.map(\.name) }

    /// The value of the first field with that name; a browser's line breaks are single line feeds.
    subscript(name: String) -> String? { fields.first { $0.name.hasSameScalars(as: name) }?.value }

    /// The value of a field without white space around it; nil if it is empty.
    func text(_ name: String) -> String? {
        guard let value = self[name]?.trimmed, !value.isEmpty else { return nil }
        return value
    }

    /// Reads the fields of a form.
    ///
    /// - Throws: ``FormFault`` before any name is compared.
    static func fields(_ bytes: [UInt8]) throws(FormFault) -> [(name: String, value: String)] {
        var fields: [(String, String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { part in
                String(decoding: part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
                    .percentDecoded
            }
            guard let name = decoded.first.flatMap(\.self) else { throw .escape }
            guard name.utf8.count <= StreamSafeText.nameBytes else { throw .name }
            guard decoded.allSatisfy({ $0?.isStreamSafe ?? true }) else { throw .combining }
            guard decoded.count == 2 else {
                fields.append((name, ""))
                continue
            }
            guard let value = decoded[1] else { throw .escape }
            fields.append((name, value.replacing("\r\n", with: "\n")))
        }
        return fields
    }
}

extension Request {
    /// Returns the query as a browser's form writes it, where `+` is a space.
    ///
    /// - Throws: ``Problem`` 400.
    func formQuery() throws(Problem) -> [(name: String, value: String)] {
        do throws(FormFault) {
            return try FormBody.fields(Array((uri.query ?? "").utf8))
        } catch {
            throw Problem(
                .badRequest,
                kind: "unreadable",
                title: "The address cannot be read",
                detail: "the query \(error.message)"
            )
        }
    }
}

/// Why the fields of a form, or of a query, cannot be read.
enum FormFault: Error, Hashable {
    case escape, name, combining

    /// Words that follow "the form".
    var message: String {
        switch self {
        case .escape: "has a percent sign that is no escape of UTF-8"
        case .name: "has a field whose name is longer than \(StreamSafeText.nameBytes) bytes"
        case .combining: "\(StreamSafeText.refusal)"
        }
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

import ArgumentParser
import CommandSupport
import ExternalPurchaseCore

struct TokenDecode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Show what a token says.",
        discussion: """
            A token is not signed: this tells what it says, never that Apple made it. A URL is searched for the query \
            parameter externalPurchaseToken. Text beginning with "-" goes after "--".
            """
    )

    @Argument(help: "The token, a URL that carries one, or - for standard input.")
    var text: String

    @Flag(help: "Refuse every departure from the format.")
    var strict = false

    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let source = text == "-" ? String(decoding: try InputFile.read("-"), as: UTF8.self) : text
        let arrival = try Self.arrival(source)
        do {
            let decoded = try ExternalPurchaseToken.decode(
                arrival?.token ?? source,
                mode: strict ? .strict : .lenient
            )
            let flags = Self.flags(arrival, decoded.token)
            switch output.format {
            case .json: StandardStreams.output(Self.json(decoded, flags: flags))
            case .text: StandardStreams.output(Self.lines(decoded, flags: flags))
            }
        } catch {
            if output.format == .json {
                let object: JSONObject = [
                    "error": .string(error.name.rawValue),
                    "field": error.field.map(JSONValue.string) ?? .null,
                    "message": .string(error.message),
                ]
                StandardStreams.output(String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
            }
            throw CommandFailure.wrong("\(error.name.rawValue): \(error.message)")
        }
    }

    /// The token and parameters in the query of a URL; nil for text that is not a URL, which is the token itself.
    private static func arrival(_ source: String) throws -> WebsiteURL.Arrival? {
        let lower = source.lowercased()
        let isURL = lower.hasPrefix("https://") || lower.hasPrefix("http://")
        // A token contains "=" only at its end, so this text can only be a query.
        guard isURL || source.contains(WebsiteURL.tokenParameter + "=") else { return nil }
        let address = source.prefix { $0 != "#" }
        let query =
            address.firstIndex(of: "?").map { String(address[address.index(after: $0)...]) }
            ?? (isURL ? "" : String(address))
        let arrival = WebsiteURL.arrival(query: query.trimmingSuffix { $0.isNewline })
        guard arrival.token != nil else {
            throw CommandFailure.input(
                "the URL has no query parameter \(WebsiteURL.tokenParameter); give the token itself or its whole URL"
            )
        }
        return arrival
    }

    /// The warnings about the URL, in addition to those about the token (TK-65).
    private static func flags(_ arrival: WebsiteURL.Arrival?, _ token: ExternalPurchaseToken) -> [DecodeFlag] {
        var flags: [DecodeFlag] = []
        guard let arrival else { return [] }
        if arrival.isTokenRepeated {
            let message = "the URL carries more than one; this is the first"
            flags.append(DecodeFlag(name: "repeated-parameter", message: message))
        }
        if let bundleId = arrival.bundleId, bundleId != token.bundleId {
            let message = "the URL says \(bundleId), the token \(token.bundleId)"
            flags.append(DecodeFlag(name: "bundle-mismatch", message: message))
        }
        return flags
    }

    /// A warning about the URL of a token.
    private struct DecodeFlag {
        let name: String
        let message: String
    }

    private static func json(_ decoded: DecodedToken, flags: [DecodeFlag]) -> String {
        let token = decoded.token
        func warning(_ name: String, _ field: String?) -> JSONValue {
            ["name": .string(name), "field": field.map(JSONValue.string) ?? .null]
        }
        let object: JSONObject = [
            "appAppleId": .integer(token.appAppleId),
            "bundleId": .string(token.bundleId.rawValue),
            "externalPurchaseId": .string(token.externalPurchaseId.rawValue),
            "tokenCreationDate": .integer(token.tokenCreationDate.milliseconds),
            "tokenType": token.tokenType.map { .string($0.rawValue) } ?? .null,
            "tokenExpirationDate": token.tokenExpirationDate.map { .integer($0.milliseconds) } ?? .null,
            "environment": .string(token.environment.rawValue),
            "family": .string(token.family.interfaceName),
            "warnings": .array(
                decoded.warnings.map { warning($0.name.rawValue, $0.field) } + flags.map { warning($0.name, nil) }
            ),
            "unknownFields": .array(decoded.unknownFields.map { .string($0.key) }),
        ]
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }

    private static func lines(_ decoded: DecodedToken, flags: [DecodeFlag]) -> String {
        let style = TerminalStyle.standardOutput
        let token = decoded.token
        func date(_ timestamp: Timestamp) -> String { "\(timestamp)  (\(timestamp.milliseconds))" }
        var rows: [(String, String)] = [
            ("externalPurchaseId", token.externalPurchaseId.rawValue),
            ("bundleId", token.bundleId.rawValue),
            ("appAppleId", String(token.appAppleId)),
            ("environment", token.environment.rawValue),
            ("family", token.family.interfaceName),
            ("tokenType", token.tokenType?.rawValue ?? "none"),
            ("created", date(token.tokenCreationDate)),
            ("expires", token.tokenExpirationDate.map(date) ?? "never"),
        ]
        rows += decoded.unknownFields.map { ("unknown field", $0.key) }
        rows += decoded.warnings.map { ("warning", "\($0.name.rawValue): \($0.message)") }
        rows += flags.map { ("warning", "\($0.name): \($0.message)") }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            style.dim(name + String(repeating: " ", count: width - name.count)) + "  " + value.printable
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var rest = self[...]
        while let last = rest.last, predicate(last) { rest.removeLast() }
        return String(rest)
    }
}

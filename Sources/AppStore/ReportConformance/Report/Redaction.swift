import ExternalPurchaseCore

/// Replaces the ids of tokens by `{{token}}`, so that a report or a recorded dialogue can be shown to others (CS-9).
struct Redaction {
    static let placeholder = "{{token}}"

    private let ids: [[UInt8]]

    init(_ tokens: [ConformanceToken]) {
        ids = tokens.map { Array($0.externalPurchaseId.rawValue.utf8) }.filter { !$0.isEmpty }
    }

    func redacted(_ bytes: [UInt8]) -> [UInt8] {
        ids.reduce(bytes) { Self.replacing($1, in: $0) }
    }

    private static func replacing(_ id: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == id[0], bytes[index...].starts(with: id) {
                output += placeholder.utf8
                index += id.count
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }
}

extension ConformanceToken {
    /// The token without its id.
    var redacted: ConformanceToken {
        ConformanceToken(
            externalPurchaseId: ExternalPurchaseId(rawValue: Redaction.placeholder),
            kind: kind,
            creationDate: creationDate,
            expirationDate: expirationDate
        )
    }
}

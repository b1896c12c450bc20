import ExternalPurchaseCore

/// Replaces the ids of tokens by `{{token}}`, so that a report or a recorded dialogue can be shown to others (CS-9).
struct Redaction {
    static let placeholder = "{{token}}"

    private let ids: [[UInt8]]
    /// The first bytes of the ids.
    private let starts: Set<UInt8>

    init(_ tokens: [ConformanceToken]) {
        // The longest first, so that of an id that begins with another one nothing is left.
        ids = tokens.map { Array($0.externalPurchaseId.rawValue.utf8) }.filter { !$0.isEmpty }
            .sorted { $0.count > $1.count }
        starts = Set(ids.compactMap(\.first))
    }

    /// Returns the bytes without the ids, or the beginning of them.
    ///
    /// - Parameter limit: the largest number of bytes to return.
    func redacted(_ bytes: [UInt8], upTo limit: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(min(bytes.count, limit))
        var index = 0
        while index < bytes.count, output.count < limit {
            if starts.contains(bytes[index]), let id = ids.first(where: { bytes[index...].starts(with: $0) }) {
                output += Self.placeholder.utf8
                index += id.count
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return Array(output.prefix(limit))
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

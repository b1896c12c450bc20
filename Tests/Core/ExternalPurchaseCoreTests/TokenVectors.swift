import ExternalPurchaseCore
import Foundation
import Testing

/// The golden cases of `Fixtures/tokens.json`, read with Foundation so that a defect of the package's JSON reader is
/// not hidden.
enum TokenVectors {
    struct Fault: Decodable, Hashable {
        let name: String
        let field: String?
    }

    struct Outcome: Decodable, Hashable {
        let outcome: String
        let error: String?
        let field: String?
        let warnings: [Fault]?
    }

    struct Fields: Decodable, Hashable {
        let appAppleId: Int64
        let bundleId: String
        let tokenCreationDate: Int64
        let externalPurchaseId: String
        let tokenType: String?
        let tokenExpirationDate: Int64?
        let environment: String?
        let family: String?
    }

    struct Decode: Decodable, Sendable, CustomTestStringConvertible {
        struct Generate: Decodable {
            let `repeat`: String
            let count: Int
        }
        let id: String
        let token: String?
        let generate: Generate?
        let json: String?
        let decoded: Fields?
        let unknownFields: [String]?
        let expect: [String: Outcome]

        var text: String { token ?? String(repeating: generate?.repeat ?? "", count: generate?.count ?? 0) }
        var testDescription: String { id }
    }

    struct Encode: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let fields: Fields
        let json: String
        let token: String
        var testDescription: String { id }
    }

    struct Append: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let url: String
        let token: String
        let bundleId: String
        let result: String
        var testDescription: String { id }
    }

    struct File: Decodable, Sendable {
        let decode: [Decode]
        let encode: [Encode]
        let append: [Append]
    }

    static let file: File = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/tokens.json")
        do {
            return try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
        } catch {
            fatalError("Fixtures/tokens.json: \(error)")
        }
    }()
}

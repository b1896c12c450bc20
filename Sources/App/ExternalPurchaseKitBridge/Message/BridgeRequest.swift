import ExternalPurchaseCore
import Foundation

/// A request: `{"version":1,"id":"7","method":"openLink","parameters":{}}` (EK-50).
struct BridgeRequest: Sendable {
    static let version: Int64 = 1
    static let largestSize = 65_536
    static let deepest = 16

    /// The id, which the answer repeats; nil if the request has none that can be read.
    let id: String?
    let content: Result<(method: BridgeMethod, parameters: JSONValue), BridgeError>

    init(_ data: Data) {
        var id: String?
        do throws(BridgeError) {
            let object = try Self.object(data)
            id = object["id"]?.stringValue.flatMap { MemberReader.isText($0, atMost: 128) ? $0 : nil }
            content = .success(try Self.content(of: object))
        } catch {
            content = .failure(error)
        }
        self.id = id
    }

    private static func object(_ data: Data) throws(BridgeError) -> JSONObject {
        guard data.count <= largestSize else {
            throw BridgeError(.requestTooLarge, "The request is longer than \(largestSize) bytes.")
        }
        let value: JSONValue
        do throws(JSONReadError) {
            value = try JSONReader(maximumDepth: deepest).read(Array(data))
        } catch {
            throw BridgeError(.notJSON, "The request \(error.message(in: Array(data))).")
        }
        guard let object = value.objectValue else {
            throw BridgeError(.invalidValue, "The request is no object.", at: "")
        }
        return object
    }

    private static func content(
        of object: JSONObject
    ) throws(BridgeError) -> (method: BridgeMethod, parameters: JSONValue) {
        // Another version may have other members, so its number is the reason to name.
        if let version = object["version"], version.int64Value != Self.version {
            throw BridgeError(.unsupportedVersion, "/version is not 1.", at: "/version")
        }
        let reader = try MemberReader(object, at: "", members: ["version", "id", "method", "parameters"])
        _ = try reader.required("version")
        _ = try reader.text("id", atMost: 128)
        let name = try reader.text("method", atMost: 128)
        guard let method = BridgeMethod.named(name) else {
            throw BridgeError(.unknownMethod, "/method is no method of version 1.", at: "/method")
        }
        return (method, object["parameters"] ?? .object(JSONObject()))
    }
}

extension BridgeRequest {
    /// The answer to a request.
    static func answer(id: String?, _ result: Result<JSONValue, BridgeError>) -> Data {
        let content: (String, JSONValue) =
            switch result {
            case .success(let value): ("result", value)
            case .failure(let error): ("error", error.json)
            }
        let members: [JSONObject.Member] = [
            .init("version", .integer(version)), .init("id", .text(id)), .init(content.0, content.1),
        ]
        return Data(JSONValue.object(JSONObject(members)).encoded())
    }
}

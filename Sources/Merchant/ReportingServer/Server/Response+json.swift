import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    init(_ json: JSONValue, status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.encoded() + [UInt8(ascii: "\n")]))
        )
    }
}

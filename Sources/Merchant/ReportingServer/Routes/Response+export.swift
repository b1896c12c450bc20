import HTTPTypes
import Hummingbird
import NIOCore
import Reporting

extension Response {
    /// A month export as a file to save, sent in blocks.
    init(_ file: ExportFile, _ format: ExportFormat) {
        // The name consists of letters, digits, points and hyphens, so it needs no escaping.
        let name = "\(file.exports.name).\(format == .json ? "json" : "csv")"
        self.init(
            status: .ok,
            headers: [
                .contentType: format == .json ? "application/json" : "text/csv; charset=utf-8; header=present",
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ],
            body: ResponseBody(contentLength: file.size) { writer in
                var blocks = file.blocks
                while let block = try blocks.next() { try await writer.write(ByteBuffer(bytes: block)) }
                try await writer.finish(nil)
            }
        )
    }
}

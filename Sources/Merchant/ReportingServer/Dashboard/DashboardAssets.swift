import Hummingbird
import Ledger
import NIOCore

/// Style sheet, script and icon, under addresses that change with their content.
struct DashboardAssets: Sendable {
    let style = Self.address("dashboard.css", WebFiles.dashboardCSS)
    let script = Self.address("dashboard.js", WebFiles.dashboardJS)
    let icon = Self.address("icon.svg", WebFiles.iconSVG)

    private static func address(_ name: String, _ text: String) -> String {
        "/assets/\(name)?v=\(Array(text.utf8.sha256.prefix(6)).hexadecimal)"
    }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("assets/dashboard.css") { _, _ in Self.file(WebFiles.dashboardCSS, "text/css; charset=utf-8") }
        group.get("assets/dashboard.js") { _, _ in Self.file(WebFiles.dashboardJS, "text/javascript; charset=utf-8") }
        group.get("assets/icon.svg") { _, _ in Self.file(WebFiles.iconSVG, "image/svg+xml") }
    }

    private static func file(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n"))
        )
    }
}

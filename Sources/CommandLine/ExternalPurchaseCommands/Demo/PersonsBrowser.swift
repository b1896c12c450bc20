import Foundation

/// Opens the default browser of the user who runs the demo, if the machine has a screen.
enum PersonsBrowser {
    static func open(_ url: String) {
        #if os(macOS)
        let command = "open"
        #else
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        let command = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command, url]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // Without a browser, the user can open the printed address by hand.
        try? process.run()
    }
}

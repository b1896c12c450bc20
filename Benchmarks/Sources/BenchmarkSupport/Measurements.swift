package import Foundation

/// Why a measurement stopped.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Returns the time of a closure, in seconds.
package func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

package func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// A number of `/proc/self/status` in MiB; 0 where there is no `/proc`.
package func memory(_ name: String) -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { Double($0) }.first
    return (kilobytes ?? 0) / 1_024
}

/// Lets `VmHWM` begin anew at what is resident now, where the system can.
package func forgetPeakMemory() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
}

/// An empty folder for a measurement's files, which is removed afterwards.
package func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}

package import Foundation

/// The root folder of this package, for tests that read its files.
package enum PackageFolder {
    /// The closest parent folder of this file that contains a manifest.
    package static let root: URL = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// Returns the URL of a file or folder of the package.
    ///
    /// - Parameter path: its path from the root, such as `Data/errors.json`.
    package static func file(_ path: String) -> URL { root.appending(path: path) }
}

import AppConfiguration
import Foundation

@testable import AppArtifacts

/// A real folder with real files, removed with its last reference.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "artifacts-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and the folders it lies in.
    func write(_ name: String, _ content: some Sequence<UInt8>) throws {
        let file = URL(filePath: self(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
    }

    /// Writes a property list of root members in XML.
    func write(_ name: String, plist members: String) throws {
        try write(name, xml(members))
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }

    /// The discovered inputs, with paths relative to the folder.
    func find(_ names: [String] = [""], limits: DiscoveryLimits = .standard) -> ArtifactInputs {
        ArtifactInputs.find(paths: names.map { $0.isEmpty ? path : self($0) }, limits: limits)
    }

    /// A path relative to the folder, for comparisons.
    func relative(_ path: String) -> String {
        path.hasPrefix(self.path + "/") ? String(path.dropFirst(self.path.count + 1)) : path
    }

    /// The files of each app as `I E B P`, relative to the folder, `-` for none.
    func files(_ inputs: ArtifactInputs) -> [String] {
        inputs.apps.map { app in
            let configuration = app.configuration
            let files = [
                configuration.infoPlist, configuration.entitlements, configuration.signedEntitlements,
                configuration.profileEntitlements,
            ]
            return files.map { $0.map { relative($0.path) } ?? "-" }.joined(separator: " ")
        }
    }
}

func xml(_ members: String) -> [UInt8] {
    Array("<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict>\(members)</dict></plist>\n".utf8)
}

/// Members of property lists that many tests use.
enum Members {
    static let app =
        "<key>CFBundleIdentifier</key><string>com.acme.app</string>"
        + "<key>CFBundleExecutable</key><string>Acme</string>"
        + "<key>SKExternalPurchase</key><array><string>nl</string></array>"
    static let plainExtension =
        "<key>CFBundleIdentifier</key><string>com.acme.app.widget</string>"
        + "<key>CFBundleExecutable</key><string>Widget</string>"
    static let grant = "<key>com.apple.developer.storekit.external-purchase</key><true/>"
}

import AppStoreEmulator
import ExternalPurchaseCore
import Foundation

/// The folder of `emulator --credentials`: a `.p8` per key and `credentials.json`, readable by their owner only.
struct CredentialsFolder {
    let path: String

    func write(_ apps: [RegisteredApp]) throws(CommandFailure) {
        let folder = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var entries: [JSONValue] = []
            for app in apps {
                let keyFile = "AuthKey_\(app.keyId).p8"
                try write(app.privateKey, to: folder.appending(path: keyFile))
                entries.append(
                    .object(
                        JSONObject([
                            .init("bundleId", .string(app.bundleId.rawValue)),
                            .init("appAppleId", .integer(app.appAppleId)), .init("keyId", .string(app.keyId)),
                            .init("issuerId", .string(app.issuerId)), .init("keyFile", .string(keyFile)),
                        ])
                    )
                )
            }
            let json = JSONValue.object(JSONObject([.init("apps", .array(entries))]))
            try write(json.formatted() + "\n", to: folder.appending(path: "credentials.json"))
        } catch {
            throw .input("--credentials \(path): cannot be written; name a folder that this user may write")
        }
    }

    private func write(_ text: String, to file: URL) throws {
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}

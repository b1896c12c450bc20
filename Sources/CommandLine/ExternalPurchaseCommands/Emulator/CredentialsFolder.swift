import AppStoreEmulator
import CommandSupport
import ExternalPurchaseCore
import Foundation

/// The folder of `emulator --credentials`: a `.p8` file per key and `credentials.json`, readable by their owner only.
struct CredentialsFolder {
    let path: String

    /// The credentials of an app from an earlier run.
    struct Kept {
        let issuerId: String
        let privateKey: String
    }

    /// Reads the issuers and keys of an earlier run, so that a server's configuration stays valid after a restart.
    func read() throws(CommandFailure) -> [BundleId: Kept] {
        let file = URL(filePath: path).appending(path: "credentials.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        let bytes = try InputFile.read(file.path)
        guard let list = (try? JSONReader().read(bytes))?.objectValue?["apps"]?.arrayValue else {
            throw .input("\(file.path): holds no list 'apps'; delete it to have new credentials made")
        }
        var kept: [BundleId: Kept] = [:]
        for entry in list.compactMap(\.objectValue) {
            guard let bundleId = entry["bundleId"]?.stringValue, let issuerId = entry["issuerId"]?.stringValue,
                let keyFile = entry["keyFile"]?.stringValue
            else { throw .input("\(file.path): an app lacks bundleId, issuerId or keyFile; delete it to start anew") }
            let key = try PrivateFile.read(URL(filePath: path).appending(path: keyFile).path)
            kept[BundleId(bundleId)] = Kept(issuerId: issuerId, privateKey: String(decoding: key, as: UTF8.self))
        }
        return kept
    }

    func create() throws(CommandFailure) {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue {
            throw .input("--credentials \(path): is a file; name a folder")
        }
        do {
            try FileManager.default.createDirectory(at: URL(filePath: path), withIntermediateDirectories: true)
        } catch {
            throw .input("--credentials \(path): cannot be made; name a folder that this user may write")
        }
    }

    func write(_ apps: [RegisteredApp]) throws(CommandFailure) {
        let folder = URL(filePath: path)
        do {
            var entries: [JSONValue] = []
            for app in apps {
                let keyFile = "AuthKey_\(app.keyId).p8"
                try write(app.privateKey, to: folder.appending(path: keyFile))
                entries.append(
                    [
                        "bundleId": .string(app.bundleId.rawValue),
                        "appAppleId": .integer(app.appAppleId), "keyId": .string(app.keyId),
                        "issuerId": .string(app.issuerId), "keyFile": .string(keyFile),
                    ]
                )
            }
            let json = JSONValue.object(["apps": .array(entries)])
            try write(json.formatted() + "\n", to: folder.appending(path: "credentials.json"))
        } catch {
            throw .input("--credentials \(path): cannot be written; name a folder that this user may write")
        }
    }

    private func write(_ text: String, to file: URL) throws(CommandFailure) {
        try PrivateFile.write(Array(text.utf8), to: file.path)
    }
}

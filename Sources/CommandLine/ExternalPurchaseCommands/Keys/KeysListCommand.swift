import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger

struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Every API key with its scope and state, without its secret."
    )

    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let now = Timestamp(Date())
        let keys = try await access.read { ledger throws(LedgerError) in try ledger.apiKeys() }
        switch format {
        case .json:
            let list = keys.map { key in
                let state = JSONObject.Member("state", .string(key.state(at: now).rawValue))
                return JSONValue.object(JSONObject(StoredAPIKey.fields.listMembers(of: key) + [state]))
            }
            StandardStreams.output(String(decoding: JSONValue.array(list).encoded(), as: UTF8.self))
        case .text:
            if keys.isEmpty, !global.quiet { StandardStreams.error("there are no API keys") }
            for key in keys { StandardStreams.output(line: Self.line(of: key, at: now)) }
        }
    }

    private static func line(of key: StoredAPIKey, at now: Timestamp) -> String {
        var parts = [key.keyId.rawValue, key.scope.rawValue, key.bundleId?.rawValue ?? "all apps"]
        if let name = key.name { parts.append(name) }
        parts.append("created \(key.createdAt) by \(key.createdBy)")
        if let revocation = key.revocation {
            parts.append("revoked \(revocation.at) by \(revocation.by)")
        } else if let expiresAt = key.expiresAt {
            parts.append("\(key.state(at: now) == .expired ? "expired" : "expires") \(expiresAt)")
        }
        return parts.joined(separator: ", ")
    }
}

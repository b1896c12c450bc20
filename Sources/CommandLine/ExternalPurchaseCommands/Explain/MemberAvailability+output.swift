import AppConfiguration
import CommandSupport
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

extension Explanation {
    /// The members that need an availability check for a deployment target (`--minimum-os`).
    ///
    /// - Parameter text: a version number of the mode's platform, or `info-plist` for the version declared there.
    /// - Throws: an error for an invalid version, an Info.plist without one, or a version newer than the device.
    func availability(from text: String) throws(CommandFailure) -> MemberAvailability {
        let platform = engine.device.column
        let minimum: OSVersion
        if text == "info-plist" {
            guard let declared = Deployment(configuration.infoPlist, platform: platform).minimum else {
                let key = platform == .macOS ? "LSMinimumSystemVersion" : "MinimumOSVersion"
                throw .input("--minimum-os info-plist: Info.plist has no usable \(key); write the version itself")
            }
            minimum = declared
        } else {
            guard let version = OSVersion(text) else {
                throw .input("--minimum-os \(text.shown()) is not a version; write one like 17.4, or info-plist")
            }
            minimum = version
        }
        guard minimum <= engine.device.osVersion else {
            throw .input(
                "--minimum-os \(minimum): the app does not run on \(os), which is older; "
                    + "name an --os from \(platform.title) \(minimum) on"
            )
        }
        return MemberAvailability(on: platform, from: minimum, pack: engine.pack)
    }
}

extension MemberAvailability {
    /// The section of the text output.
    func lines(_ style: TerminalStyle) -> [String] {
        var lines = [style.bold("Deployment target \(platform.title) \(minimum): ") + "what Xcode asks for"]
        var versions: [OSVersion] = []
        for member in guarded where !versions.contains(member.first) { versions.append(member.first) }
        for version in versions {
            lines.append("  under #available(\(platform.availabilityName) \(version), *):")
            lines += guarded.filter { $0.first == version }.map { "    \($0.signature)" }
        }
        lines.append("  without a guard: \(guarded.isEmpty ? "every member" : "every other member")")
        if !missing.isEmpty { lines.append("  never on \(platform.title): \(missing.joined(separator: ", "))") }
        for member in deprecated {
            guard let from = member.deprecatedFrom else { continue }
            let successor = member.replacement.map { "; use \(Member.signature($0)) there" } ?? ""
            let warning = warns(of: member) ? ", Xcode warns" : ""
            lines.append("  deprecated from \(from)\(warning): \(member.signature)\(successor)")
        }
        return lines
    }

    /// The member `availability` of the JSON output.
    var json: JSONValue {
        [
            "platform": .string(platform.rawValue),
            "minimumOS": .string(minimum.description),
            "guarded": .array(guarded.map { $0.json([.init("from", .string($0.first.description))]) }),
            "missing": .array(missing.map { .string($0) }),
            "deprecated": .array(deprecated.map(deprecation)),
        ]
    }

    private func deprecation(_ member: Member) -> JSONValue {
        member.json([
            .init("from", member.deprecatedFrom.map { .string($0.description) } ?? .null),
            .init("replacement", member.replacement.map { .string(Member.signature($0)) } ?? .null),
            .init("warns", .bool(warns(of: member))),
        ])
    }
}

extension MemberAvailability.Member {
    /// Returns an object with name and overload, followed by the given members.
    fileprivate func json(_ more: [JSONObject.Member]) -> JSONValue {
        .object(
            JSONObject(
                [.init("name", .string(name)), .init("overload", overload.map { .string($0) } ?? .null)] + more
            )
        )
    }
}

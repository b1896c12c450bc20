import ExternalPurchaseCore

/// The named settings with which the emulator answers as an endpoint did (CS-10).
package struct EmulatorProfile: Hashable, Sendable {
    /// The values by name.
    package var settings: [String: String]

    /// Creates a profile.
    init(settings: [String: String] = [:]) {
        self.settings = settings
    }

    /// The settings in the order of their names.
    package var sorted: [NamedSetting] {
        settings.sorted { $0.key < $1.key }.map { NamedSetting(name: $0.key, value: $0.value) }
    }

    /// The profile as JSON: `{"settings": {…}}`.
    var json: JSONValue {
        let members = sorted.map { JSONObject.Member($0.name, .string($0.value)) }
        return ["settings": .object(JSONObject(members))]
    }

    /// Reads a profile by itself, or that of the report of a run.
    ///
    /// - Throws: what is wrong.
    package init(_ bytes: [UInt8]) throws(ConformanceDataError) {
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            throw ConformanceDataError(message: error.message(in: bytes))
        }
        guard let object = value.objectValue else {
            throw ConformanceDataError(
                message: "is not a JSON object; a profile is {\"settings\": {\"NAME\": \"VALUE\"}}"
            )
        }
        guard let settings = (object["profile"]?.objectValue ?? object)["settings"]?.objectValue else {
            throw ConformanceDataError(
                message: "has no member settings; name the report of a conformance run, or {\"settings\": {…}}"
            )
        }
        var values: [String: String] = [:]
        for member in settings.members {
            guard let value = member.value.stringValue else {
                throw ConformanceDataError(message: "settings.\(member.key) is not a text, such as \"300s\"")
            }
            values[member.key] = value
        }
        self.settings = values
    }
}

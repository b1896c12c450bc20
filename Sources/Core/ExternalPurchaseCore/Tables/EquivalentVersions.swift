/// The iOS versions that macOS and visionOS versions correspond to (SK-12).
///
/// Apps built with Mac Catalyst, and iPhone or iPad apps on another system, see the corresponding iOS version.
public enum EquivalentVersions {
    /// Returns the iOS version that an operating system version corresponds to, or nil for a version that never
    /// existed.
    ///
    /// - Parameters:
    ///   - version: the version in the platform's own numbering.
    ///   - platform: the platform. On iOS, iPadOS and Mac Catalyst the version itself is returned.
    public static func iOS(for version: OSVersion, on platform: Platform) -> OSVersion? {
        guard version < table.sameFrom, let rows = table.rows[platform] else { return version }
        // A row with two numbers covers that version and later ones up to the next row; a row with one number covers
        // all minor versions.
        if let row = rows.last(where: { $0.from.major == version.major && $0.from <= version }) {
            return row.keepsMinor ? OSVersion(row.iOS.major, version.minor, version.patch) : row.iOS
        }
        return nil
    }

    private struct Row {
        let from: OSVersion
        let iOS: OSVersion
        let keepsMinor: Bool
    }

    private struct Table {
        let sameFrom: OSVersion
        let rows: [Platform: [Row]]
    }

    private static let table: Table = {
        let section = TableValue(table: EmbeddedTables.regions)["equivalentVersions"]
        func version(_ text: String) -> OSVersion {
            OSVersion(text) ?? { preconditionFailure("Data/regions.json: \(text) is no version") }()
        }
        func rows(_ platform: TableValue) -> [Row] {
            platform.members.map { Row(from: version($0), iOS: version($1.text), keepsMinor: !$0.contains(".")) }
                .sorted { $0.from < $1.from }
        }
        return Table(
            sameFrom: version(section["sameFrom"].text),
            rows: [.macOS: rows(section["macOS"]), .visionOS: rows(section["visionOS"])]
        )
    }()
}

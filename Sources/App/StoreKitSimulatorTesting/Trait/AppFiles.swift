public import AppConfiguration

/// Where a test takes an app's configuration from.
public struct AppFiles: Sendable {
    private let source: Source

    private enum Source: Sendable {
        case files(infoPlist: String?, entitlements: String?)
        case xml(infoPlist: String, entitlements: String?)
        case read(AppConfiguration)
    }

    /// The files of an app.
    ///
    /// - Parameters:
    ///   - infoPlist: Info.plist, relative to the folder of the test's source file; nil for none.
    ///   - entitlements: the `.entitlements` file, likewise.
    ///   - testFile: the test's source file.
    public static func files(
        infoPlist: String?,
        entitlements: String?,
        testFile: String = #filePath
    ) -> AppFiles {
        AppFiles(
            source: .files(
                infoPlist: infoPlist.map { SourceFolder.resolve($0, beside: testFile) },
                entitlements: entitlements.map { SourceFolder.resolve($0, beside: testFile) }
            )
        )
    }

    /// The content of the root dictionaries as XML, for tests that show their configuration.
    ///
    /// - Parameters:
    ///   - infoPlist: what stands between `<dict>` and `</dict>` of Info.plist.
    ///   - entitlements: the same of the entitlements; nil for none.
    public static func xml(infoPlist: String, entitlements: String? = nil) -> AppFiles {
        AppFiles(source: .xml(infoPlist: infoPlist, entitlements: entitlements))
    }

    /// A configuration that was read before.
    ///
    /// - Parameter configuration: Info.plist and entitlements.
    public static func configuration(_ configuration: AppConfiguration) -> AppFiles {
        AppFiles(source: .read(configuration))
    }

    func read() throws(ConfigurationReadError) -> AppConfiguration {
        switch source {
        case .files(let infoPlist, let entitlements):
            return try AppConfiguration.read(infoPlist: infoPlist, entitlements: entitlements)
        case .xml(let infoPlist, let entitlements):
            func file(_ content: String) -> [UInt8] {
                Array("<plist version=\"1.0\"><dict>\n\(content)\n</dict></plist>".utf8)
            }
            return try AppConfiguration.parse(infoPlist: file(infoPlist), entitlements: entitlements.map(file))
        case .read(let configuration):
            return configuration
        }
    }
}

/// Tests run in any working directory, so paths count from where the test is written.
enum SourceFolder {
    static func resolve(_ path: String, beside testFile: String) -> String {
        guard !path.hasPrefix("/"), let slash = testFile.lastIndex(of: "/") else { return path }
        return testFile[...slash] + path
    }
}

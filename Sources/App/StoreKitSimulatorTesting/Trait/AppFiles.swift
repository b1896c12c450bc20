public import AppConfiguration

/// The source of an app's configuration in a test.
public struct AppFiles: Sendable {
    private let source: Source

    private enum Source: Sendable {
        case files(infoPlist: String?, entitlements: String?)
        case xml(infoPlist: String, entitlements: String?)
        case read(AppConfiguration)
    }

    /// Reads the configuration from files.
    ///
    /// - Parameters:
    ///   - infoPlist: the path of Info.plist, relative to the folder of the test's source file; nil for none.
    ///   - entitlements: the path of the `.entitlements` file, relative to the same folder; nil for none.
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

    /// Parses the configuration from the XML content of the root dictionaries, for tests that show their configuration.
    ///
    /// - Parameters:
    ///   - infoPlist: the text between `<dict>` and `</dict>` of Info.plist.
    ///   - entitlements: the text between `<dict>` and `</dict>` of the entitlements; nil for none.
    public static func xml(infoPlist: String, entitlements: String? = nil) -> AppFiles {
        AppFiles(source: .xml(infoPlist: infoPlist, entitlements: entitlements))
    }

    /// Uses a configuration that was read before.
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

/// Resolves paths relative to the test's source file, because tests run in any working directory.
enum SourceFolder {
    static func resolve(_ path: String, beside testFile: String) -> String {
        guard !path.hasPrefix("/"), let slash = testFile.lastIndex(of: "/") else { return path }
        return testFile[...slash] + path
    }
}

extension AppConfiguration {
    /// Reads the files of an app.
    ///
    /// - Parameters:
    ///   - infoPlist: the path of Info.plist, XML or binary; nil for none.
    ///   - entitlements: the path of the `.entitlements` source; nil for none.
    /// - Returns: both files with the position of each entry.
    /// - Throws: the error of the first file that is missing, is not a property list, or has no dictionary at its root.
    public static func read(
        infoPlist: String?,
        entitlements: String?
    ) throws(ConfigurationReadError) -> AppConfiguration {
        try AppConfiguration(
            infoPlist: dictionary(infoPlist.map(PropertyListFile.read(path:))),
            entitlements: dictionary(entitlements.map(PropertyListFile.read(path:)))
        )
    }

    /// Parses the files of an app from memory.
    ///
    /// - Parameters:
    ///   - infoPlist: the bytes of Info.plist, XML or binary.
    ///   - infoPlistPath: the name of Info.plist in messages.
    ///   - entitlements: the bytes of the `.entitlements` source.
    ///   - entitlementsPath: the name of the `.entitlements` source in messages.
    /// - Returns: both files with the position of each entry.
    /// - Throws: the error of the first file that is not a property list, or has no dictionary at its root.
    public static func parse(
        infoPlist: [UInt8]?,
        infoPlistPath: String = "Info.plist",
        entitlements: [UInt8]? = nil,
        entitlementsPath: String = "App.entitlements"
    ) throws(ConfigurationReadError) -> AppConfiguration {
        var configuration = AppConfiguration()
        if let infoPlist {
            configuration.infoPlist = try dictionary(PropertyListFile.parse(infoPlist, path: infoPlistPath))
        }
        if let entitlements {
            configuration.entitlements = try dictionary(PropertyListFile.parse(entitlements, path: entitlementsPath))
        }
        return configuration
    }

    private static func dictionary(
        _ file: PropertyListFile?
    ) throws(ConfigurationReadError) -> PropertyListFile? {
        guard let file else { return nil }
        guard case .dictionary = file.root.value else {
            throw ConfigurationReadError(
                cause: .rootNotDictionary,
                file: file.path,
                position: file.root.position,
                reason: file.root.value.typeNameWithArticle
            )
        }
        return file
    }
}

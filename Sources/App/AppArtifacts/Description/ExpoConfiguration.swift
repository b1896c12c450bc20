import AppConfiguration
import ExternalPurchaseCore

/// The Info.plist members and entitlements of an Expo app, `expo.ios.infoPlist` and `expo.ios.entitlements`.
///
/// See https://docs.expo.dev/versions/latest/config/app/.
struct ExpoConfiguration {
    /// The app; nil when the file is not the configuration of an Expo app.
    let app: PlannedApp?
    /// What plug-ins may add to it.
    private(set) var hints: [ArtifactNote] = []

    init(_ root: PropertyListNode, path: TreePath, in tree: any FileTree) throws(DescriptionFault) {
        let expo = root["expo"] ?? root
        let ios = expo["ios"]
        guard root["expo"]?.members != nil || ios?["infoPlist"] != nil || ios?["entitlements"] != nil else {
            app = nil
            return
        }
        let file = tree.displayPath(of: path)
        // Code may add to what the file contains, so that nothing is proved to be absent.
        let plugins = (expo["plugins"]?.elements ?? []).filter(Self.maySetKeys)
        let isOpen = Self.hasCode(beside: path, in: tree) || !plugins.isEmpty
        let place = ios?.position ?? expo.position
        func section(_ name: String) throws(DescriptionFault) -> PropertyListFile? {
            guard let node = ios?[name] else {
                let empty = PropertyListNode(.dictionary([]), at: place)
                return isOpen ? nil : PropertyListFile(path: file, format: .json, root: empty)
            }
            return try AppDescription.propertyList(node, named: "expo.ios.\(name)", .json, in: file)
        }
        var app = PlannedApp(name: file)
        app.description = path
        app.described.infoPlist = try section("infoPlist")
        app.described.entitlements = try section("entitlements")
        app.described.generatedInfoPlist = PropertyListFile(
            path: file,
            format: .json,
            root: PropertyListNode(.dictionary(Self.generated(expo, isOpen: isOpen)), at: place)
        )
        app.platform = .iOS
        self.app = app
        let generated = path.folder.appending("ios")
        hints = plugins.compactMap { plugin in
            guard let name = plugin.text ?? plugin.elements?.first?.text, !name.hasPrefix("."),
                tree.kind(at: generated) != .folder
            else { return nil }
            let text =
                "The plug-in \(name.clipped()) may set keys and entitlements, which were not checked; run "
                + "`npx expo prebuild --platform ios` and lint the folder again"
            return ArtifactNote(file: file, position: plugin.position, text: text, isHint: true)
        }
    }

    /// The members that `expo prebuild` adds: bundle id and minimum OS.
    private static func generated(_ expo: PropertyListNode, isOpen: Bool) -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        if let id = expo["ios"]?.member("bundleIdentifier") {
            members.append(PropertyListMember(key: "CFBundleIdentifier", keyPosition: id.keyPosition, node: id.node))
        } else if isOpen {
            let id = PropertyListNode(.string("$(PRODUCT_BUNDLE_IDENTIFIER)"), at: expo.position)
            members.append(PropertyListMember(key: "CFBundleIdentifier", keyPosition: expo.position, node: id))
        }
        for plugin in expo["plugins"]?.elements ?? [] {
            guard let parts = plugin.elements, parts.count == 2, parts[0].text == "expo-build-properties",
                let target = parts[1]["ios"]?.member("deploymentTarget")
            else { continue }
            members.append(
                PropertyListMember(key: "MinimumOSVersion", keyPosition: target.keyPosition, node: target.node)
            )
        }
        return members
    }

    /// True for a plug-in of the project itself, and for one about purchases: they may set keys and entitlements.
    private static func maySetKeys(_ plugin: PropertyListNode) -> Bool {
        guard let name = (plugin.text ?? plugin.elements?.first?.text)?.lowercased() else { return false }
        return name.hasPrefix(".") || ["iap", "purchase", "storekit"].contains { name.contains($0) }
    }

    /// The names of configurations that are programs.
    static let programs = ["app.config.js", "app.config.ts", "app.config.cjs", "app.config.mjs"]

    private static func hasCode(beside path: TreePath, in tree: any FileTree) -> Bool {
        programs.contains { tree.kind(at: path.folder.appending($0)) == .file }
    }

    /// The hint for a configuration that is a program; nil when it is not Expo's, or when its result is there.
    static func hint(for path: TreePath, in tree: any FileTree, projects: [TreePath]) -> ArtifactNote? {
        // Nuxt and Angular have files of that name too.
        let package = path.folder.appending("package.json")
        guard let bytes = try? tree.read(package, limit: DescriptionLimit.bytes),
            let root = try? JSONDescriptionReader.root(bytes),
            ["dependencies", "devDependencies"].contains(where: { root[$0]?["expo"] != nil }),
            !projects.contains(where: { $0.folder == path.folder.appending("ios") })
        else { return nil }
        let text = "It is a program and was not read; run `npx expo prebuild --platform ios` and lint the folder again"
        return ArtifactNote(file: tree.displayPath(of: path), text: text, isHint: true)
    }
}

// swift-tools-version: 6.2
import PackageDescription

// An app whose configuration is checked twice: at each build by the build tool plugin, and on demand by
// `swift package lint-external-purchase`.
let package = Package(
    name: "LintedApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "external-purchase", path: "../..")],
    targets: [
        .target(
            name: "LintedApp",
            exclude: ["Info.plist", "LintedApp.entitlements"],
            plugins: [.plugin(name: "LintExternalPurchaseOnBuild", package: "external-purchase")]
        )
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the readers share their declarations only within a package, so their sources are linked
// into this one, where instrumenting them touches nobody else's build.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "LibFuzzer"),
        .target(name: "ExternalPurchaseCore"),
        .target(name: "AppConfiguration", dependencies: ["ExternalPurchaseCore"]),
        .target(
            name: "AppArtifacts",
            dependencies: [
                "ExternalPurchaseCore", "AppConfiguration", "CZlib", .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .executableTarget(name: "Fuzz", dependencies: ["AppArtifacts", "AppConfiguration", "LibFuzzer"]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// swift-tools-version: 6.2
import PackageDescription

// An app on ExternalPurchaseKit with its tests, as a team outside of this repository would set it up: `traits: []`
// leaves the package without any dependency of its own, so that nothing is fetched.
//
// The target is not called GemShop because the package above has a target of that name over the same sources, and
// target names are unique in a graph of packages.
let package = Package(
    name: "GemShop",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "external-purchase", path: "../..", traits: [])],
    targets: [
        .target(
            name: "GemShopApp",
            dependencies: [.product(name: "ExternalPurchaseKit", package: "external-purchase")],
            path: "Sources/GemShop"
        ),
        .testTarget(
            name: "GemShopTests",
            dependencies: [
                "GemShopApp",
                .product(name: "ExternalPurchaseKit", package: "external-purchase"),
                .product(name: "ExternalPurchaseKitTesting", package: "external-purchase"),
                .product(name: "PortableStoreKit", package: "external-purchase"),
                .product(name: "ExternalPurchaseCore", package: "external-purchase"),
            ],
            exclude: ["Japan.entitlements"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

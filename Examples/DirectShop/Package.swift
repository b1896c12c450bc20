// swift-tools-version: 6.2
import PackageDescription

// The smallest way: `import StoreKit`, with no code of this package in the app. The tests use the files of GemShop.
let package = Package(
    name: "DirectShop",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "external-purchase", path: "../..", traits: [])],
    targets: [
        .target(
            name: "DirectShop",
            dependencies: [.product(name: "PortableStoreKit", package: "external-purchase")]
        ),
        .testTarget(
            name: "DirectShopTests",
            dependencies: [
                "DirectShop",
                .product(name: "StoreKitSimulatorTesting", package: "external-purchase"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

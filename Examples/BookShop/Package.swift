// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "BookShop",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "BookShop", targets: ["BookShop"])],
    dependencies: [.package(name: "external-purchase", path: "../..", traits: [])],
    targets: [
        .target(
            name: "BookShop",
            dependencies: [.product(name: "ExternalPurchaseKit", package: "external-purchase")]
        ),
        .testTarget(
            name: "BookShopTests",
            dependencies: [
                "BookShop",
                .product(name: "ExternalPurchaseKit", package: "external-purchase"),
                .product(name: "ExternalPurchaseKitTesting", package: "external-purchase"),
                .product(name: "PortableStoreKit", package: "external-purchase"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the package resolves what only measuring needs.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "external-purchase", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    ],
    targets: [
        .target(name: "AllocationCounter"),
        .executableTarget(
            name: "EligibilityBenchmarks",
            dependencies: [
                "AllocationCounter", .product(name: "PortableStoreKit", package: "external-purchase"),
            ]
        ),
        // The rules share their declarations only within a package, so their sources are linked into this one.
        .target(
            name: "LinkedReportValidation",
            dependencies: [.product(name: "ExternalPurchaseCore", package: "external-purchase")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        ),
        .executableTarget(
            name: "EmulatorBenchmarks",
            dependencies: [
                "LinkedReportValidation", .product(name: "ExternalPurchaseCore", package: "external-purchase"),
                .product(name: "AppStoreEmulator", package: "external-purchase"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the package resolves what only measuring needs.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "external-purchase", path: "..", traits: [])],
    targets: [
        .target(name: "AllocationCounter"),
        .executableTarget(
            name: "EligibilityBenchmarks",
            dependencies: [
                "AllocationCounter", .product(name: "PortableStoreKit", package: "external-purchase"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

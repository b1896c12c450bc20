// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it uses the public products only, with a target in C that counts allocations.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "external-purchase", path: "..")
    ],
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

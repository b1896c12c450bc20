// swift-tools-version: 6.2.3
import PackageDescription

#if canImport(Darwin)
let appleHost = true
#else
let appleHost = false
#endif

// Everything that is not needed to test an app hangs on this trait, so that an app that says `traits: []`
// resolves no other package at all.
let tools: TargetDependencyCondition? = .when(traits: ["Tools"])

extension Target.Dependency {
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird", condition: tools)
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird", condition: tools)
    static let hummingbirdTLS = product(name: "HummingbirdTLS", package: "hummingbird", condition: tools)
    static let hummingbirdTesting = product(name: "HummingbirdTesting", package: "hummingbird", condition: tools)
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types", condition: tools)
    static let httpClient = product(name: "AsyncHTTPClient", package: "async-http-client", condition: tools)
    static let nio = product(name: "NIOCore", package: "swift-nio", condition: tools)
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio", condition: tools)
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl", condition: tools)
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio", condition: tools)
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: tools)
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle", condition: tools)
    static let grdb = product(name: "GRDB", package: "GRDB.swift", condition: tools)
    static let sqlite = product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools)
    static let crypto = product(name: "Crypto", package: "swift-crypto", condition: tools)
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto", condition: tools)
    static let log = product(name: "Logging", package: "swift-log", condition: tools)
    static let tracing = product(name: "Tracing", package: "swift-distributed-tracing", condition: tools)
    static let instrumentation = product(
        name: "Instrumentation",
        package: "swift-distributed-tracing",
        condition: tools
    )
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools)
    static let x509 = product(name: "X509", package: "swift-certificates", condition: tools)
    static let asn1 = product(name: "SwiftASN1", package: "swift-asn1", condition: tools)
    static let yams = product(name: "Yams", package: "Yams", condition: tools)
}

var products: [Product] = [
    .library(name: "ExternalPurchaseCore", targets: ["ExternalPurchaseCore"]),
    .library(name: "AppStoreEmulator", targets: ["AppStoreEmulator"]),
    .library(name: "StoreKitSimulatorTesting", targets: ["StoreKitSimulatorTesting"]),
    .library(name: "ExternalPurchaseKit", targets: ["ExternalPurchaseKit", "ExternalPurchaseKitHTTP"]),
    .library(name: "ExternalPurchaseKitBridge", targets: ["ExternalPurchaseKitBridge"]),
    .library(name: "ExternalPurchaseKitTesting", targets: ["ExternalPurchaseKitTesting"]),
    .executable(name: "external-purchase", targets: ["external-purchase"]),
    .executable(name: "external-purchase-lint", targets: ["external-purchase-lint"]),
    .plugin(name: "LintExternalPurchase", targets: ["LintExternalPurchase"]),
    .plugin(name: "LintExternalPurchaseOnBuild", targets: ["LintExternalPurchaseOnBuild"]),
]

/// Gives each target the folder of its door, such as `Sources/Merchant/Ledger`.
func door(_ folder: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(folder)/\(target.name)" }
    return targets
}

var targets: [Target] = []

targets += door(
    "Sources/Core",
    [
        .target(name: "ExternalPurchaseCore"),
        .target(
            name: "HTTPSupport",
            dependencies: [
                "ExternalPurchaseCore", .hummingbird, .hummingbirdCore, .hummingbirdTLS, .nio, .nioHTTP1, .nioSSL, .log,
            ]
        ),
    ]
)

targets += door(
    "Sources/App",
    [
        .target(name: "AppConfiguration", dependencies: ["ExternalPurchaseCore"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(
            name: "AppArtifacts",
            dependencies: ["ExternalPurchaseCore", "AppConfiguration", "CZlib", .asn1, .yams]
        ),
        .target(name: "ConfigurationLint", dependencies: ["ExternalPurchaseCore", "AppConfiguration"]),
        .target(name: "Eligibility", dependencies: ["ExternalPurchaseCore", "AppConfiguration", "ConfigurationLint"]),
        .target(
            name: "StoreKitSimulator",
            dependencies: [
                "ExternalPurchaseCore", "AppConfiguration", "ConfigurationLint", "Eligibility", "TokenLifecycle",
            ]
        ),
        .target(
            name: "StoreKitSimulatorTesting",
            dependencies: [
                "StoreKitSimulator", "Eligibility", "ConfigurationLint", "AppConfiguration", "ExternalPurchaseCore",
            ]
        ),
    ]
)

targets += door(
    "Sources/AppStore",
    [
        .target(name: "TokenLifecycle", dependencies: ["ExternalPurchaseCore"]),
        .target(name: "ReportValidation", dependencies: ["ExternalPurchaseCore"]),
        .target(name: "ReportConformance", dependencies: ["ExternalPurchaseCore"]),
        .target(
            name: "AppStoreServerClient",
            dependencies: ["ExternalPurchaseCore", .httpClient, .nio, .nioHTTP1, .crypto]
        ),
        .target(name: "AppStoreNotifications", dependencies: ["ExternalPurchaseCore", .x509, .crypto, .asn1]),
        .target(
            name: "AppStoreEmulator",
            dependencies: [
                "ExternalPurchaseCore", "HTTPSupport", "ReportValidation", "TokenLifecycle", "AppConfiguration",
                "ConfigurationLint",
                "Eligibility", "StoreKitSimulator", .hummingbird, .hummingbirdCore, .httpTypes,
                .httpClient, .nio, .nioHTTP1, .crypto, .x509, .asn1, .grdb, .log, .lifecycle,
            ],
            exclude: ["Web"]
        ),
    ]
)

targets += door(
    "Sources/Merchant",
    [
        .target(name: "Ledger", dependencies: ["ExternalPurchaseCore", .crypto]),
        .target(name: "LedgerSQLite", dependencies: ["ExternalPurchaseCore", "Ledger", .grdb, .sqlite]),
        .target(name: "LedgerPostgres", dependencies: ["ExternalPurchaseCore", "Ledger"]),
        .target(name: "Payments", dependencies: ["ExternalPurchaseCore", "Ledger", .crypto]),
        .target(
            name: "Reporting",
            dependencies: [
                "ExternalPurchaseCore", "ReportValidation", "Ledger", "AppStoreServerClient",
                "AppStoreNotifications", "Payments", .crypto, .log, .lifecycle,
            ]
        ),
        .target(
            name: "ReportingServer",
            dependencies: [
                "ExternalPurchaseCore", "HTTPSupport", "Ledger", "Reporting", "AppStoreNotifications",
                "AppStoreServerClient", "Payments",
                .hummingbird, .httpClient,
                .httpTypes, .nio, .nioHTTP1, .log, .lifecycle, .tracing, .instrumentation, .crypto, .cryptoExtras,
            ],
            exclude: ["Web"]
        ),
    ]
)

targets += door(
    "Sources/CommandLine",
    [
        .target(name: "CommandSupport", dependencies: ["ExternalPurchaseCore", .argumentParser]),
        .target(
            name: "LintCommands",
            dependencies: [
                "ExternalPurchaseCore", "AppConfiguration", "AppArtifacts", "ConfigurationLint", "CommandSupport",
                .argumentParser, .yams,
            ]
        ),
        // Without the trait the program only says that it needs it.
        .executableTarget(
            name: "external-purchase-lint",
            dependencies: [
                .target(name: "LintCommands", condition: tools), .target(name: "CommandSupport", condition: tools),
            ]
        ),
        .target(
            name: "ExternalPurchaseCommands",
            dependencies: [
                "ExternalPurchaseCore", "AppConfiguration", "AppArtifacts", "ConfigurationLint", "Eligibility",
                "StoreKitSimulator", "ReportValidation", "ReportConformance", "AppStoreServerClient",
                "AppStoreEmulator", "Ledger", "LedgerSQLite", "LedgerPostgres", "Reporting", "Payments",
                "ExternalPurchaseKit",
                "ExternalPurchaseKitBridge", "ExternalPurchaseKitTesting",
                "ReportingServer", "HTTPSupport", "GemShop", "AppStoreNotifications",
                "CommandSupport", "LintCommands", .argumentParser, .yams, .hummingbird, .httpTypes, .httpClient, .nio,
                .nioPosix, .nioHTTP1, .log, .lifecycle, .unixSignals,
            ],
            exclude: ["Web"]
        ),
        .executableTarget(name: "external-purchase", dependencies: ["ExternalPurchaseCommands"]),
    ]
)

targets += door(
    "Tests/Support",
    [
        .target(name: "TestSupport"),
        .target(name: "LedgerTesting", dependencies: ["ExternalPurchaseCore", "Ledger", "LedgerSQLite"]),
        .target(
            name: "Simulation",
            dependencies: [
                "ExternalPurchaseCore", "AppStoreServerClient", "AppStoreNotifications", "AppStoreEmulator", "Ledger",
                "LedgerSQLite", "LedgerTesting", "Reporting", "ReportingServer", .log,
            ]
        ),
        .executableTarget(name: "year-simulation", dependencies: ["Simulation"]),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation"]),
    ]
)

targets += door(
    "Tests/Core",
    [
        .testTarget(
            name: "ExternalPurchaseCoreTests",
            dependencies: ["TestSupport", "ExternalPurchaseCore"],
            exclude: ["Fixtures"]
        ),
        .target(name: "RawSockets"),
        .target(name: "OpenAPIValidation", dependencies: ["ExternalPurchaseCore"]),
        .testTarget(
            name: "HTTPSupportTests",
            dependencies: [
                "HTTPSupport", "RawSockets", "ExternalPurchaseCore", .hummingbird, .httpTypes, .nio, .log, .lifecycle,
            ]
        ),
    ]
)

targets += door(
    "Tests/App",
    [
        .testTarget(name: "AppConfigurationTests", dependencies: ["AppConfiguration"]),
        .target(name: "ArtifactWriters", dependencies: ["CZlib"]),
        .testTarget(
            name: "AppArtifactsTests",
            dependencies: ["AppArtifacts", "ArtifactWriters", "AppConfiguration", "ExternalPurchaseCore"],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ConfigurationLintTests",
            dependencies: ["TestSupport", "ConfigurationLint", "AppConfiguration", "ExternalPurchaseCore"]
        ),
        .testTarget(
            name: "EligibilityTests",
            dependencies: ["Eligibility", "ConfigurationLint", "AppConfiguration", "ExternalPurchaseCore"]
        ),
        .testTarget(
            name: "StoreKitSimulatorTests",
            dependencies: [
                "TestSupport",
                "StoreKitSimulator", "Eligibility", "ConfigurationLint", "AppConfiguration", "ExternalPurchaseCore",
                "TokenLifecycle",
            ]
        ),
        .testTarget(
            name: "StoreKitSimulatorTestingTests",
            dependencies: [
                "TestSupport",
                "StoreKitSimulatorTesting", "StoreKitSimulator", "Eligibility", "ConfigurationLint", "AppConfiguration",
                "ExternalPurchaseCore",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ExternalPurchaseKitTests",
            dependencies: [
                "TestSupport", "RawSockets",
                "ExternalPurchaseKit", "ExternalPurchaseKitHTTP", "ExternalPurchaseKitTesting", "StoreKitSimulator",
                "Eligibility", "ConfigurationLint", "AppConfiguration", "ExternalPurchaseCore",
            ]
        ),
        .testTarget(
            name: "ExternalPurchaseKitBridgeTests",
            dependencies: [
                "TestSupport", "OpenAPIValidation",
                "ExternalPurchaseKitBridge", "ExternalPurchaseKit", "ExternalPurchaseKitHTTP",
                "ExternalPurchaseKitTesting", "StoreKitSimulator", "Eligibility", "AppConfiguration",
                "ExternalPurchaseCore",
            ]
        ),
    ]
)

targets += door(
    "Tests/AppStore",
    [
        .testTarget(name: "TokenLifecycleTests", dependencies: ["TokenLifecycle", "ExternalPurchaseCore"]),
        .testTarget(
            name: "ReportValidationTests",
            dependencies: ["ReportValidation", "ReportConformance", "ExternalPurchaseCore"]
        ),
        .testTarget(
            name: "ReportConformanceTests",
            dependencies: ["TestSupport", "OpenAPIValidation", "ReportConformance", "ExternalPurchaseCore"]
        ),
        .testTarget(
            name: "AppStoreServerClientTests",
            dependencies: [
                "AppStoreServerClient", "RawSockets", "ExternalPurchaseCore", .httpClient, .hummingbird, .httpTypes,
                .nio,
                .crypto,
            ]
        ),
        .testTarget(
            name: "AppStoreNotificationsTests",
            dependencies: ["AppStoreNotifications", "ExternalPurchaseCore", .x509, .crypto, .asn1],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "AppStoreEmulatorTests",
            dependencies: [
                "TestSupport", "OpenAPIValidation",
                "AppStoreEmulator", "AppStoreServerClient", "AppStoreNotifications", "ExternalPurchaseCore",
                "ReportValidation", "ReportConformance",
                "HTTPSupport", "RawSockets", .httpClient, .hummingbird, .httpTypes, .nio, .nioHTTP1, .crypto, .x509,
                .asn1,
                .lifecycle, .log,
            ]
        ),
    ]
)

targets += door(
    "Tests/Merchant",
    [
        .testTarget(
            name: "LedgerTests",
            dependencies: [
                "Ledger", "LedgerSQLite", "LedgerPostgres", "LedgerTesting", "ExternalPurchaseCore",
                "RawSockets", .grdb, .sqlite, .crypto,
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "PaymentsTests",
            dependencies: ["TestSupport", "Payments", "Ledger", "ExternalPurchaseCore"],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ReportingTests",
            dependencies: [
                "TestSupport", "Reporting", "ReportingServer", "Ledger", "LedgerSQLite", "LedgerTesting",
                "AppStoreServerClient",
                "ReportValidation", "ExternalPurchaseCore",
                .log,
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ReportingServerTests",
            dependencies: [
                "TestSupport", "RawSockets", "OpenAPIValidation",
                "ReportingServer", "Reporting", "Payments", "Ledger", "LedgerSQLite", "LedgerPostgres",
                "LedgerTesting", "ReportValidation", "HTTPSupport",
                "AppStoreServerClient", "AppStoreEmulator", "AppStoreNotifications",
                "ExternalPurchaseCore", .httpClient, .hummingbird, .hummingbirdTesting, .httpTypes, .nio, .nioHTTP1,
                .log, .crypto, .cryptoExtras, .grdb, .sqlite,
                .lifecycle,
            ]
        ),
    ]
)

targets += door(
    "Tests/CommandLine",
    [
        .testTarget(
            name: "LintCommandsTests",
            dependencies: [
                "TestSupport",
                "LintCommands", "CommandSupport", "ExternalPurchaseCore", "ArtifactWriters", "external-purchase-lint",
                .argumentParser,
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ExternalPurchaseCommandsTests",
            dependencies: [
                "TestSupport", "RawSockets", "OpenAPIValidation",
                "ExternalPurchaseCommands", "ExternalPurchaseCore", "CommandSupport", "HTTPSupport",
                "external-purchase",
                "ReportConformance", "AppStoreEmulator", "AppStoreServerClient", "Ledger", "LedgerSQLite",
                "LedgerPostgres", "Payments", "Reporting", .log, .httpClient, .nio, .nioHTTP1, .nioSSL, .crypto, .x509,
                .asn1,
                .grdb,
                .argumentParser,
            ]
        ),
    ]
)

targets += [
    // Benchmarks of declarations that are visible in this package only.
    .target(name: "BenchmarkSupport", path: "Benchmarks/Sources/BenchmarkSupport"),
    .executableTarget(
        name: "emulator-benchmarks",
        dependencies: [
            "BenchmarkSupport",
            "ExternalPurchaseCore", "ReportValidation", "AppStoreEmulator", "AppStoreNotifications", .hummingbird,
            .httpClient, .httpTypes, .nio, .nioHTTP1, .log, .crypto,
        ],
        path: "Benchmarks/Sources/EmulatorBenchmarks"
    ),
    .executableTarget(
        name: "ledger-benchmarks",
        dependencies: [
            "BenchmarkSupport",
            "ExternalPurchaseCore", "AppStoreServerClient", "AppStoreEmulator", "Ledger", "LedgerSQLite",
            "Reporting", .grdb, .httpClient, .nio, .nioHTTP1, .log,
        ],
        path: "Benchmarks/Sources/LedgerBenchmarks"
    ),
    .plugin(
        name: "LintExternalPurchase",
        capability: .command(
            intent: .custom(
                verb: "lint-external-purchase",
                description: "Check Info.plist and entitlements against the rules of external purchases."
            )
        ),
        dependencies: ["external-purchase-lint"]
    ),
    .plugin(
        name: "LintExternalPurchaseOnBuild",
        capability: .buildTool(),
        dependencies: ["external-purchase-lint"]
    ),
    .testTarget(name: "PackageStructureTests"),
]

// On Apple hosts the name StoreKit belongs to the SDK: there the product holds the simulator under its own name.
if appleHost {
    products.append(.library(name: "PortableStoreKit", targets: ["StoreKitSimulator"]))
    targets += door("Sources/App", [.target(name: "ExternalPurchaseKit", dependencies: ["ExternalPurchaseCore"])])
} else {
    products.append(.library(name: "PortableStoreKit", targets: ["StoreKit"]))
    targets += door(
        "Sources/App",
        [
            .target(name: "StoreKit", dependencies: ["StoreKitSimulator"]),
            .target(name: "ExternalPurchaseKit", dependencies: ["ExternalPurchaseCore", "StoreKit"]),
        ]
    )
    targets += door(
        "Tests/App",
        [
            .testTarget(
                name: "StoreKitTests",
                dependencies: ["StoreKit", "Eligibility", "ConfigurationLint", "ExternalPurchaseCore"]
            )
        ]
    )
}
targets += door(
    "Sources/App",
    [
        // Apart from the kit, because FoundationNetworking cannot be part of the statically linked programs.
        .target(name: "ExternalPurchaseKitHTTP", dependencies: ["ExternalPurchaseKit", "ExternalPurchaseCore"]),
        // JSON messages for hosts in other languages; the app injects the transport.
        .target(name: "ExternalPurchaseKitBridge", dependencies: ["ExternalPurchaseKit", "ExternalPurchaseCore"]),
        // Apart from the kit, because no simulator ships inside an app.
        .target(
            name: "ExternalPurchaseKitTesting",
            dependencies: ["ExternalPurchaseKit", "StoreKitSimulator", "Eligibility", "ExternalPurchaseCore"]
        ),
    ]
)
targets.append(
    .target(
        name: "GemShop",
        dependencies: ["ExternalPurchaseKit"],
        path: "Examples/GemShop/Sources/GemShop"
    )
)

let package = Package(
    name: "external-purchase",
    // docs/decisions/0099-systems-of-the-app-side.md
    platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: products,
    traits: [
        .trait(name: "Tools", description: "Emulator, reporting server and command line, with their dependencies"),
        .trait(name: "AppleSDK27_2", description: "ExternalPurchaseKit with the members of Apple's SDK 27.2"),
        .default(enabledTraits: ["Tools"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: targets
)

// One place for the settings of every target:
// - https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
// - https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
// - https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
// - https://github.com/swiftlang/swift-evolution/blob/main/proposals/0443-warning-control-flags.md
for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}

import Foundation
import Testing

@Suite("One import gives every type that the simulated StoreKit names")
struct ReexportTests {
    private static func file(_ path: String) throws -> String {
        try String(contentsOf: PackageManifest.root.appending(path: path), encoding: .utf8)
    }

    private static func code(in folder: String) throws -> [String] {
        try PackageManifest.swiftFiles(in: PackageManifest.root.appending(path: folder)).map { file in
            try String(contentsOf: file, encoding: .utf8)
                .replacing(#/"""[\s\S]*?"""/#, with: "").replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "")
                .replacing(#/\/\/[^\n]*/#, with: "")
        }
    }

    /// The types that a file declares, or that a module declares at its top level.
    private static func declared(in code: String, atTopLevel: Bool) -> Set<String> {
        let pattern =
            #/(?m)^( *)(?:public |package |private |final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#
        return Set(code.matches(of: pattern).filter { !atTopLevel || $0.1.isEmpty }.map { String($0.2) })
    }

    /// The words with a capital letter in the public declarations, without what follows a body's brace.
    private static func namesInDeclarations(_ code: String) -> Set<String> {
        var names: Set<String> = []
        var declaration = ""
        for line in code.split(separator: "\n") {
            if declaration.isEmpty {
                guard
                    line.contains(#/^\s*(?:@[\w()]+ )*public (?!import )/#)
                        || line.contains(#/^ +(?:indirect )?case \w+\(/#)
                else { continue }
            }
            declaration += line.prefix { $0 != "{" }
            let depth = declaration.count { $0 == "(" } - declaration.count { $0 == ")" }
            guard depth <= 0 || line.contains("{") else { continue }
            names.formUnion(declaration.matches(of: #/(?:^|[^.\w])([A-Z]\w*)/#).map { String($0.1) })
            declaration = ""
        }
        return names
    }

    @Test(
        "The file with one import writes each of them (SK-113)",
        arguments: [
            ("StoreKit", ["StoreKitSimulator"], "Tests/App/StoreKitTests/NamesOfStoreKit.swift"),
            (
                "StoreKitSimulatorTesting", ["StoreKitSimulator", "StoreKitSimulatorTesting"],
                "Tests/App/StoreKitSimulatorTestingTests/NamesOfStoreKitSimulatorTesting.swift"
            ),
        ]
    )
    func names(_ module: String, _ sources: [String], _ path: String) throws {
        let others = [
            "Core/ExternalPurchaseCore", "App/AppConfiguration", "App/ConfigurationLint", "App/Eligibility",
            "AppStore/TokenLifecycle",
        ]
        var foreign: Set<String> = ["Data", "Date", "Decimal", "Locale", "URL", "URLError", "UUID"]
        for folder in others {
            for code in try Self.code(in: "Sources/" + folder) {
                foreign.formUnion(Self.declared(in: code, atTopLevel: true))
            }
        }
        let code = try sources.flatMap { try Self.code(in: "Sources/App/" + $0) }
        let own = code.reduce(into: Set<String>()) { $0.formUnion(Self.declared(in: $1, atTopLevel: false)) }
        let named = code.reduce(into: Set<String>()) { $0.formUnion(Self.namesInDeclarations($1)) }
        let needed = named.intersection(foreign).subtracting(own)
        #expect(
            needed.count > 20 && needed.isSuperset(of: ["OSVersion", "RulePack", "Evaluation", "URL"]),
            "\(needed)"
        )
        let text = try Self.file(path)
        let written = Set(text.matches(of: #/(?m)^    (\w+)\.self,$/#).map { String($0.1) })
        #expect(needed.subtracting(written) == [], "missing in \(path)")
        #expect(text.matches(of: #/(?m)^(?:@testable )?import (\w+)/#).map { String($0.1) } == [module])
    }
}

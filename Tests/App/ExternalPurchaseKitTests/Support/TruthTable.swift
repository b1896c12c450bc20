import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import TestSupport
import Testing

/// The truth table of SK-27, T1 to T40, as the specification prints it.
struct TruthTableRow: Sendable, CustomTestStringConvertible {
    let id: String
    let samples: [SampleFiles]
    let isEntitled: Bool
    let storefront: String?
    let differences: [String]
    /// canPresent, canOpen, eligibleURLs, isEligible, token(for:): `yes` or the condition that fails.
    let expected: [String]

    var testDescription: String { id }

    static let all: [TruthTableRow] = {
        guard let text = try? String(contentsOf: PackageFolder.file("docs/spec/02-storekit-api.md"), encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap(TruthTableRow.init)
    }()

    private init?(_ line: Substring) {
        guard line.hasPrefix("| <a id=\"T") else { return nil }
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 9, let anchor = cells[0].range(of: "</a>") else { return nil }
        id = String(cells[0][anchor.upperBound...])
        let names = cells[1].prefix { $0 != " " }.split(separator: "+")
        samples = names.compactMap { SampleFiles(rawValue: String($0)) }
        isEntitled = !cells[1].contains("entitlement removed")
        storefront = cells[2] == "unknown" ? nil : cells[2]
        differences = cells[3] == "–" ? [] : cells[3].components(separatedBy: ", ")
        expected = Array(cells[4...])
    }

    func configure(_ inputs: inout StoreKitSession.SessionInputs) throws {
        for difference in differences {
            switch difference {
            case "payments restricted": inputs.canMakePayments = false
            case "person ineligible": inputs.personEligible = false
            case "Catalyst": inputs.device.mode = .catalyst
            case "compatible on visionOS": inputs.device.mode = .compatibleVisionOS
            case "compatible on Mac": inputs.device.mode = .compatibleMacOS
            case "macOS": inputs.device.platform = .macOS
            case let sdk where sdk.hasPrefix("SDK "): inputs.device.linkedSDK = OSVersion(String(sdk.dropFirst(4)))
            case let pack where pack.hasPrefix("pack "):
                inputs.rulePack = try #require(RegionTables.builtIn.pack(String(pack.dropFirst(5))))
            default: inputs.device.osVersion = try #require(OSVersion(difference))
            }
        }
    }
}

import AllocationCounter
import Eligibility
import ExternalPurchaseCore
import Foundation

#if canImport(Darwin)
import StoreKitSimulator
#else
import StoreKit
#endif

/// The same shape as a question to StoreKit, without an answer to work out.
private enum Baseline {
    @TaskLocal static var value = 0

    static var property: Int {
        get async { value }
    }
}

/// One thing that is measured.
private struct Measurement {
    let name: String
    let calls: Int
    let body: () async -> Void
}

@main
enum Main {
    static func main() async throws {
        let example = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Examples/GemShop").standardizedFileURL
        let session = try StoreKitSession(
            infoPlist: example.appending(path: "Info.plist").path(),
            entitlements: example.appending(path: "GemShop.entitlements").path()
        ) { $0.storefront = "NLD" }
        await session.run {
            await compare(session)
        }
    }

    private static func compare(_ session: StoreKitSession) async {
        var sink = 0
        let measurements = [
            Measurement(name: "baseline: static async property", calls: 200_000) {
                for _ in 0..<200_000 { sink &+= await Baseline.property }
            },
            Measurement(name: "ExternalPurchaseLink.eligibleURLs", calls: 2_000) {
                for _ in 0..<2_000 { sink &+= await ExternalPurchaseLink.eligibleURLs?.count ?? 0 }
            },
            Measurement(name: "ExternalPurchaseLink.canOpen", calls: 2_000) {
                for _ in 0..<2_000 { sink &+= await ExternalPurchaseLink.canOpen ? 1 : 0 }
            },
            Measurement(name: "ExternalPurchaseCustomLink.isEligible", calls: 2_000) {
                for _ in 0..<2_000 { sink &+= await ExternalPurchaseCustomLink.isEligible ? 1 : 0 }
            },
            Measurement(name: "matrix of one app: 250 storefronts × 5 questions", calls: 1) {
                for country in Country.all {
                    session.storefront = country.alpha3
                    for question in EligibilityQuestion.allCases {
                        sink &+= session.explain(question).isEligible ? 1 : 0
                    }
                }
                session.storefront = "NLD"
            },
        ]
        // In turns, so that a machine that slows down slows all of them.
        var seconds = [[Double]](repeating: [], count: measurements.count)
        var allocations = [Double](repeating: 0, count: measurements.count)
        for round in 0..<7 {
            for (index, measurement) in measurements.enumerated() {
                let before = allocation_count()
                let start = ContinuousClock.now
                await measurement.body()
                let elapsed = (ContinuousClock.now - start) / .seconds(1)
                allocations[index] = Double(allocation_count() - before) / Double(measurement.calls)
                if round > 0 { seconds[index].append(elapsed / Double(measurement.calls)) }
            }
        }
        let medians = seconds.map { $0.sorted()[$0.count / 2] }
        for (index, (measurement, median)) in zip(measurements, medians).enumerated() {
            let rate = String(format: "%12.0f per second", 1 / median)
            let ratio = String(format: "%9.1f × baseline", median / medians[0])
            let count = String(format: "%8.1f allocations", allocations[index])
            print("\(rate)  \(ratio)  \(count)  \(measurement.name)")
            guard index > 0 else { continue }
            // `./run bench` collects this line.
            print(
                #"RESULT {"benchmark":"eligibility","title":"\#(measurement.name)","value":\#(median * 1e6),"#
                    + #""limit":\#(medians[0] * 1e6),"unit":"µs","limitTitle":"\#(measurements[0].name)","#
                    + #""ratio":\#(median / medians[0])}"#
            )
        }
        if sink == .min { print(sink) }
    }
}

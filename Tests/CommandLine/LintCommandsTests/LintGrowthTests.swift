import ArgumentParser
import ExternalPurchaseCore
import Foundation
import Testing

@testable import CommandSupport
@testable import LintCommands

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("The work of a run grows with the files, not with their square", .serialized)
struct LintGrowthTests {
    /// How a file of many countries looks; every form puts another table to work.
    enum Shape: String, CaseIterable, CustomTestStringConvertible {
        /// Unknown codes, each on a line of its own.
        case lines
        /// The same, all on one line.
        case oneLine
        /// Links with a repair each, beside single links that they could displace.
        case repairs
        /// The same key over and over.
        case repeatedKey
        /// Keys that look like those of external purchases, with a name that may be meant.
        case unknownKeys
        /// Links that the reviewed build has too, with other addresses.
        case reviewed

        var testDescription: String { rawValue }

        func content(_ count: Int, path: String = "nl") -> String {
            let end = self == .oneLine ? "" : "\n"
            let codes = (0..<count).map { "q\($0)" }
            func each(_ text: (String) -> String) -> String { codes.map { text($0) + end }.joined() }
            func link(_ code: String) -> String { "<string>https://shop.acme.com/\(path)/\(code)</string>" }
            let head = "<key>CFBundleIdentifier</key><string>com.acme.app</string>"
            return switch self {
            case .lines, .oneLine, .reviewed:
                head + "<key>SKExternalPurchaseLink</key><dict>" + each { "<key>\($0)</key>" + link($0) } + "</dict>"
            case .repairs:
                head + "<key>SKExternalPurchaseLink</key><dict>"
                    + each { $0 == "q0" ? "<key>nl</key>" + link($0) : "<key>\($0)</key>" + link($0) } + "</dict>"
                    + "<key>SKExternalPurchaseMultiLink</key><dict>"
                    + each { "<key> \($0)</key><array><string>https://shop.acme.com/\($0) </string></array>" }
                    + "</dict>"
            case .unknownKeys: head + each { "<key>SKExternalPurchaseLink\($0)</key><true/>" }
            case .repeatedKey:
                head + each { _ in "<key>SKExternalPurchase</key><array><string>nl</string></array>" }
            }
        }
    }

    /// Processor time of this thread in seconds: what other tests do beside it does not count.
    private static func processorTime(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
        }
        let start = now()
        try body()
        return now() - start
    }

    /// Checks one file and prints what was found in every form.
    private static func run(_ shape: Shape, count: Int, in folder: ScratchFolder) throws -> Int {
        let name = "\(shape.rawValue)-\(count).plist"
        try folder.write(Sample.plist(shape.content(count)), to: name)
        var arguments = [folder.url.appending(path: name).path]
        if shape == .reviewed {
            try folder.write(Sample.plist(shape.content(count, path: "old")), to: "reviewed-" + name)
            arguments += ["--reviewed", folder.url.appending(path: "reviewed-" + name).path]
        }
        let settings = try LintSettings(try LintCommand.parse(arguments))
        let lint = Lint(settings: settings, progress: TerminalProgress(isQuiet: true))
        let report = try lint.report(on: [arguments[0]])
        var length = 0
        LintText(report: report, style: TerminalStyle(isTerminal: false, environment: [:]), hasSummary: true).printLines
        { length += $0.utf8.count }
        report.printJSON { length += $0.utf8.count }
        length += report.sarif.formatted().utf8.count + report.gitHubAnnotations.utf8.count + report.junit.utf8.count
        #expect(length > count)
        return report.findings.count
    }

    @Test(
        "Eight times the countries take about eight times the work, in every form of output",
        arguments: Shape.allCases
    )
    func growth(shape: Shape) throws {
        let folder = try ScratchFolder()
        let (small, large) = (250, 2_000)
        // The tables are read once, by whoever comes first.
        _ = try Self.run(shape, count: 10, in: folder)
        let first = try Self.processorTime { _ = try Self.run(shape, count: small, in: folder) }
        let second = try Self.processorTime {
            let found = try Self.run(shape, count: large, in: folder)
            #expect(found >= (shape == .repeatedKey ? 1 : large))
        }
        // A square would be 64 times as much.
        #expect(second < first * 24, "\(first) s for \(small), \(second) s for \(large)")
    }
}

import Foundation
import PackagePlugin

/// `swift package lint-external-purchase`: runs the linter over the package, or over the paths that are named.
@main
struct LintExternalPurchase: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        try lint(
            context.tool(named: "external-purchase-lint").url,
            in: context.package.directoryURL,
            arguments: arguments
        )
    }

    /// Runs the tool where its settings file and relative paths are, with output and colours as its own.
    private func lint(_ tool: URL, in folder: URL, arguments: [String]) throws {
        let process = Process()
        process.executableURL = tool
        // Xcode says for which targets the command was called; the folder holds them all.
        var extractor = ArgumentExtractor(arguments)
        _ = extractor.extractOption(named: "target")
        process.arguments = ["lint", "--default-path", "."] + extractor.remainingArguments
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw LintFailure(exitCode: process.terminationStatus)
        }
    }
}

/// The linter ended with another code than 0; it has said why.
struct LintFailure: Error, CustomStringConvertible {
    let exitCode: Int32

    var description: String {
        exitCode == 1 ? "external-purchase-lint found errors" : "external-purchase-lint ended with code \(exitCode)"
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension LintExternalPurchase: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
        try lint(
            context.tool(named: "external-purchase-lint").url,
            in: context.xcodeProject.directoryURL,
            arguments: arguments
        )
    }
}
#endif

import Foundation
import PackagePlugin

/// Lints the property lists and entitlements of a target before it is built, and fails the build on errors.
@main
struct LintExternalPurchaseOnBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "external-purchase-lint").url
        return command(
            tool,
            files: Self.configurationFiles(below: target.directoryURL),
            name: target.name,
            isSwift: target is SwiftSourceModuleTarget,
            package: context.package.directoryURL,
            work: context.pluginWorkDirectoryURL
        )
    }

    /// The command for the files of one target; none when it has no such files.
    ///
    /// The build system runs it again when a file changes; its output is a stamp that is only there after a run
    /// without errors. The stamp is an empty source file, because any other file would become a resource of the app.
    private func command(_ tool: URL, files: [URL], name: String, isSwift: Bool, package: URL, work: URL) -> [Command] {
        guard !files.isEmpty else { return [] }
        let stamp = work.appending(path: isSwift ? "LintedExternalPurchase.swift" : "LintedExternalPurchase.h")
        var arguments = ["lint", "--quiet", "--stamp", stamp.path(percentEncoded: false)]
        var inputs = files
        let settings = package.appending(path: "external-purchase-lint.yaml")
        if FileManager.default.fileExists(atPath: settings.path(percentEncoded: false)) {
            arguments += ["--config", settings.path(percentEncoded: false)]
            inputs.append(settings)
        }
        return [
            .buildCommand(
                displayName: "Checking external purchases of \(name)",
                executable: tool,
                arguments: arguments + ["--"] + files.map { $0.path(percentEncoded: false) },
                inputFiles: inputs,
                outputFiles: [stamp]
            )
        ]
    }

    /// Whether the linter reads a file: Info.plist in its usual names, and entitlements.
    private static func isConfiguration(_ file: URL) -> Bool {
        let name = file.lastPathComponent
        return name == "Info.plist" || name.hasSuffix("-Info.plist") || file.pathExtension == "entitlements"
    }

    private static func configurationFiles(below folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(
            at: folder,
            includingPropertiesForKeys: nil,
            options: [.skipsHiddenFiles]
        )
        return (files?.allObjects ?? []).compactMap { $0 as? URL }.filter(isConfiguration)
            .sorted { $0.path < $1.path }
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension LintExternalPurchaseOnBuild: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        try command(
            context.tool(named: "external-purchase-lint").url,
            files: target.inputFiles.map(\.url).filter(Self.isConfiguration).sorted { $0.path < $1.path },
            name: target.displayName,
            isSwift: true,
            package: context.xcodeProject.directoryURL,
            work: context.pluginWorkDirectoryURL
        )
    }
}
#endif

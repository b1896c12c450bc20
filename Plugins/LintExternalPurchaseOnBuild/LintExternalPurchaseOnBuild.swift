import PackagePlugin

@main
struct LintExternalPurchaseOnBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] { [] }
}

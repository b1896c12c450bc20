import PackagePlugin

@main
struct LintExternalPurchase: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {}
}

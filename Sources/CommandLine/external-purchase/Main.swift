import ExternalPurchaseCommands

@main
enum Main {
    static func main() async {
        Program.end(await Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}

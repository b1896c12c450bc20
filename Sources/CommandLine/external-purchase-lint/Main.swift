import CommandSupport
import Foundation
import LintCommands

@main
enum Main {
    static func main() async {
        exit(await CommandRun.exitCode(of: LintProgram.self, Array(CommandLine.arguments.dropFirst())))
    }
}

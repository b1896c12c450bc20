import Foundation

#if Tools
import CommandSupport
import LintCommands
#endif

@main
enum Main {
    static func main() async {
        #if Tools
        exit(await CommandRun.exitCode(of: LintProgram.self, Array(CommandLine.arguments.dropFirst())))
        #else
        let text = """
            error: external-purchase-lint needs the trait Tools of the package external-purchase; leave `traits: []` out \
            of the dependency, or write `traits: ["Tools"]`

            """
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        exit(2)
        #endif
    }
}

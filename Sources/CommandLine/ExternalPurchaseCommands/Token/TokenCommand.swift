import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Decode or make external purchase tokens.",
        subcommands: [TokenDecode.self, TokenMint.self]
    )
}

import ArgumentParser

struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Who may sign in to the dashboard: set a password or a role, list, remove.",
        subcommands: [
            UsersSetPasswordCommand.self, UsersSetRoleCommand.self, UsersListCommand.self, UsersRemoveCommand.self,
        ]
    )
}

import CommandSupport
import Foundation

/// Reads a password from a terminal, without showing it, or from standard input.
enum PasswordInput {
    static let minimumLength = 8

    static func read() throws(CommandFailure) -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = readLine(strippingNewline: true) else {
                throw .input("standard input: is empty; its first line is the password")
            }
            return line
        }
        let first = try ask("password: ")
        guard try ask("once more: ") == first else { throw .input("the passwords differ") }
        return first
    }

    private static func ask(_ prompt: String) throws(CommandFailure) -> String {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { throw .input("the terminal cannot hide the password") }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
            throw .input("the terminal cannot hide the password")
        }
        let line = readLine(strippingNewline: true)
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
        try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
        guard let line else { throw .input("the password: is missing") }
        return line
    }
}

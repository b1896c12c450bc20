import CommandSupport

/// A file that a configuration names, with the place of its name for messages.
struct ConfiguredFile: Equatable {
    let path: String
    /// File, line and column of the name, and its key: `serve.yaml:5:12: apps[0].key.file`.
    let place: String

    /// Reads the file; a failure names the place in the configuration first.
    func read<Value>(
        _ body: (String) throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try body(path)
        } catch {
            throw error.prefixed(by: place)
        }
    }
}

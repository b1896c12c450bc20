import ExternalPurchaseCore
import Logging

/// A log handler that escapes control characters, because logged values such as public ids come from outside.
struct PrintableLogHandler<Base: LogHandler>: LogHandler {
    private var base: Base

    /// Creates a handler that forwards to another one.
    init(_ base: Base) {
        self.base = base
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set {
            base.metadata = Dictionary(
                newValue.map { (RequestIdKey.shown($0.key), $0.value.printable) },
                uniquingKeysWith: { $1 }
            )
        }
    }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: RequestIdKey.shown(key)] }
        set { base[metadataKey: RequestIdKey.shown(key)] = newValue?.printable }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = Logger.Message(stringLiteral: event.message.description.printable)
        event.metadata = event.metadata?.mapValues(\.printable)
        if let error = event.error {
            event.error = nil
            let words: Logger.Metadata = [
                "error.message": .string("\(error)".printable),
                "error.type": .string(String(reflecting: type(of: error))),
            ]
            event.metadata = words.merging(event.metadata ?? [:]) { $1 }
        }
        base.log(event: event)
    }
}

extension Logger {
    /// Returns a logger that writes to standard error.
    static func standardError(_ label: String) -> Logger {
        Logger(label: label) { PrintableLogHandler(StreamLogHandler.standardError(label: $0)) }
    }
}

extension Logger.MetadataValue {
    fileprivate var printable: Self {
        switch self {
        case .string(let text): .string(text.printable)
        case .stringConvertible(let value): .string(value.description.printable)
        case .dictionary(let values): .dictionary(values.mapValues(\.printable))
        case .array(let values): .array(values.map(\.printable))
        }
    }
}

import Hummingbird
import NIOCore

/// A request's connection, which an injected fault may close.
struct EmulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: (any Channel)?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

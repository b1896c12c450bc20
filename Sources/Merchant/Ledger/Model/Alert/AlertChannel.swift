/// A way on which alert messages are delivered; each message goes one way, so that one that fails holds up no other.
package enum AlertChannel: String, Hashable, Sendable, CaseIterable {
    case webhook
    case mail
}

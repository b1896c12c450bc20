/// The methods of version 1 (EK-50); each is a section of `docs/wrapper-bridge.md` and a definition of the schema.
enum BridgeMethod: String, CaseIterable, Sendable {
    case configure
    case start
    case stop
    case refresh
    case availability
    case setCustomer
    case setGates
    case openLink
    case presentNoticeSheet
    case purchaseWithCustomLink
    case answerDisclosure
    case answerOpenURL
    case answerSendToken
    case outboxStatus
    case refusedTokens
    case retryRefused
    case dismissInterruptedRequests
    case wake
    case deliverDue
}

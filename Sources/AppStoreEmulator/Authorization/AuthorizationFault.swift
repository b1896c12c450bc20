/// Why a request is not authorised, in the order in which the reasons are tried (SA-15).
enum AuthorizationFault: String, Error, Hashable, Sendable, CaseIterable {
    case authorizationMissing = "authorization-missing"
    case authorizationNotBearer = "authorization-not-bearer"
    case tokenNotThreeParts = "token-not-three-parts"
    case headerUnreadable = "header-unreadable"
    case algorithmNotES256 = "algorithm-not-es256"
    case typeNotJWT = "type-not-jwt"
    case keyMissing = "key-missing"
    case keyUnknown = "key-unknown"
    case signatureWrong = "signature-wrong"
    case claimsUnreadable = "claims-unreadable"
    case issuerWrong = "issuer-wrong"
    case audienceWrong = "audience-wrong"
    case bundleMissing = "bundle-missing"
    case bundleUnknown = "bundle-unknown"
    case issuedAtWrong = "issued-at-wrong"
    case expiryMissing = "expiry-missing"
    case expiryBeforeIssue = "expiry-before-issue"
    case lifetimeTooLong = "lifetime-too-long"
    case expired
    case appNotReleased = "app-not-released"
}

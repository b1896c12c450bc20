public import Foundation

/// A signed value of the App Store with the result of its verification.
@frozen
public enum VerificationResult<SignedType> {
    /// The verification failed.
    case unverified(SignedType, VerificationError)
    /// The value is the App Store's.
    case verified(SignedType)

    /// The value, without regard to the verification.
    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value, _), .verified(let value): value
        }
    }

    /// The value if it is verified.
    ///
    /// - Throws: ``VerificationError`` if it is not.
    public var payloadValue: SignedType {
        get throws {
            switch self {
            case .unverified(_, let error): throw error
            case .verified(let value): value
            }
        }
    }

    /// Why a verification failed.
    @nonexhaustive
    public enum VerificationError: Error, LocalizedError, Hashable, Sendable {
        /// A certificate was revoked.
        case revokedCertificate
        /// The chain of certificates is not valid.
        case invalidCertificateChain
        /// The value belongs to another device.
        case invalidDeviceVerification
        /// The text cannot be decoded.
        case invalidEncoding
        /// The signature does not fit.
        case invalidSignature
        /// A property is missing.
        case missingRequiredProperties
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}
extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}

extension VerificationResult where SignedType == Transaction {
    /// The signed text.
    public var jwsRepresentation: String { unsafePayloadValue.signedText }
    /// The payload of the signed text.
    public var payloadData: Data { unsafePayloadValue.jsonRepresentation }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    /// The signed text.
    public var jwsRepresentation: String { unsafePayloadValue.signedText }
    /// The payload of the signed text.
    public var payloadData: Data { unsafePayloadValue.jsonRepresentation }
}

extension Transaction {
    fileprivate var signedText: String { switch nothing {} }
}

extension Product.SubscriptionInfo.RenewalInfo {
    fileprivate var signedText: String { switch nothing {} }
}

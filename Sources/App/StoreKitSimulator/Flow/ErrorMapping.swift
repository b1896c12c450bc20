import Eligibility
import ExternalPurchaseCore

/// Maps a failed condition to the error that a method throws (SK-20, D1).
enum ErrorMapping {
    static func error(for evaluation: Evaluation, in inputs: StoreKitSession.SessionInputs, message: String? = nil)
        -> StoreKitError
    {
        guard let failed = evaluation.failedCondition else { return .unknown }
        if let own = inputs.errorMapping?(failed.id) { return own }
        func failure(_ reason: ExternalPurchaseFailure.Reason) -> StoreKitError {
            .systemError(ExternalPurchaseFailure(reason, message ?? failed.detail, explanation: evaluation))
        }
        switch FailureCase(failed.id, on: evaluation.device) {
        case .notEntitled: return .notEntitled
        case .notAvailableInStorefront: return .notAvailableInStorefront
        case .unsupported: return .unsupported
        case .invalidPresentationContext: return .invalidPresentationContext
        case .networkError: return inputs.network.map(StoreKitError.networkError) ?? .unknown
        case .systemError:
            switch failed.id {
            case .canMakePayments: return failure(.paymentsNotAllowed)
            case .personEligible: return failure(.personIneligible)
            case .argument:
                return failure(evaluation.question.group == .customLink ? .destinationURLMissing : .urlNotEligible)
            default: return failure(.sheetCannotBePresented)
            }
        }
    }
}

extension StoreKitSession {
    /// Returns the error of a failed condition, and keeps what failed for the text of the error in a test.
    func failing(_ evaluation: Evaluation, of member: Member, in inputs: SessionInputs) -> StoreKitError {
        let error = ErrorMapping.error(for: evaluation, in: inputs)
        note(ThrownFailure(error, member: member.name, evaluation))
        return error
    }
}

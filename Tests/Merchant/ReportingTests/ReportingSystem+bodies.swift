import ExternalPurchaseCore
import Ledger
import Reporting

@testable import ReportingServer

/// The use cases with the bodies of the requests that ask for them, read as the server reads them.
extension ReportingSystem {
    func receiveToken(body: JSONValue) async throws(RequestError) -> TokenReceipt {
        try await tokens.receive(TokenArrival(body: body, caller: .anybody))
    }

    func receiveSale(body: JSONValue) async throws(RequestError) -> SaleReceipt {
        try await sales.receive(SaleCommand(body: body, apps: apps, caller: .anybody))
    }

    func voidSale(_ id: SaleId, body: JSONValue) async throws(RequestError) -> SaleReceipt {
        try await sales.void(VoidCommand(body: body, saleId: id, caller: .anybody))
    }

    func setCustomer(of token: ExternalPurchaseId, body: JSONValue) async throws(RequestError) -> StoredToken {
        try await tokens.setCustomer(CustomerCommand(body: body, token: token, caller: .anybody))
    }

    func planCorrection(body: JSONValue) async throws(RequestError) -> CorrectionDryRun {
        try await corrections.plan(CorrectionCommand(body: body, apps: apps, caller: .anybody))
    }

    func confirmCorrection(body: JSONValue) async throws(RequestError) -> CorrectionConfirmation {
        try await corrections.confirm(ConfirmationCommand(body: body, caller: .anybody))
    }
}

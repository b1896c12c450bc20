public import Foundation

/// The queue of payments of the first StoreKit.
///
/// Only the question about payments is declared; `AppStore.canMakePayments` replaces it from iOS 15.
public class SKPaymentQueue: NSObject {
    /// Returns what `AppStore.canMakePayments` is (SK-6).
    public class func canMakePayments() -> Bool { AppStore.canMakePayments }
}

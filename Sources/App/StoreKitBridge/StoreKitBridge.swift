/// The former name of `ExternalPurchaseKit` and of its simulated store.
///
/// A program that imports it gets those modules for one more version.
@_exported public import ExternalPurchaseKit
@_exported public import ExternalPurchaseKitTesting

/// The former name of `ExternalPurchaseKit`.
///
/// A program that imports it gets that module for one more version.
@_exported public import ExternalPurchaseKit

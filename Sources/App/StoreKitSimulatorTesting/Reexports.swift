// Tests use conditions, questions, diagnostics and session settings. One import provides all of them, and the types of
// Foundation that StoreKit's members name.
@_exported public import ConfigurationLint
@_exported public import Eligibility
@_exported public import Foundation
@_exported public import StoreKitSimulator

// Apple's StoreKit re-exports Foundation, so app files import StoreKit alone and name URL, Date and Data.
@_exported public import Foundation
@_exported public import StoreKitSimulator

// Apple's StoreKit re-exports Foundation, so apps that import only StoreKit use URL, Date and Data.
@_exported public import Foundation
@_exported public import StoreKitSimulator

// App code as shown on Apple's pages, without any reference to the simulator.
import Foundation
import StoreKit

/// A shop's purchase button, after the page on `open(url:)`.
func openOneOfSeveralLinks() async throws {
    if let eligibleURLs = await ExternalPurchaseLink.eligibleURLs {
        let url = chooseTheUrl(eligibleURLs)
        try await ExternalPurchaseLink.open(url: url)
    }
}

func chooseTheUrl(_ urls: [URL]) -> URL {
    urls.first { $0.lastPathComponent == "sale" } ?? urls[0]
}

/// A purchase button with one link per country, after the pages on `canOpen` and `open()`.
func openTheLink() async -> String {
    guard await ExternalPurchaseLink.canOpen else { return "in-app purchase" }
    do {
        try await ExternalPurchaseLink.open()
        return "asked"
    } catch let error as StoreKitError {
        return explain(error)
    } catch {
        return "other error"
    }
}

func explain(_ error: StoreKitError) -> String {
    switch error {
    case .networkError(let error): "network \(error.code.rawValue)"
    case .systemError: "system"
    case .userCancelled: "cancelled"
    case .notAvailableInStorefront: "not here"
    case .notEntitled: "not entitled"
    case .unsupported: "not on this system"
    case .invalidPresentationContext: "not now"
    case .unknown: "unknown"
    @unknown default: "newer error"
    }
}

/// The interface follows the storefront, after the page on `Storefront`.
func followStorefronts(_ show: (String) -> Bool) async {
    for await storefront in Storefront.updates where !show("\(storefront.countryCode) \(storefront.id)") { return }
}

/// The check that precedes every screen.
func mayOfferAnything() -> Bool { AppStore.canMakePayments }

/// Both tokens of a customer, after the page on eligibility and tokens of custom links.
func requestTokensAtLaunch() async -> [String: String] {
    // Ensure the app is eligible to use the external purchase custom link API.
    guard await ExternalPurchaseCustomLink.isEligible else { return [:] }

    // Declare the tokens and the token types.
    var tokens: [String: String] = [:]
    let tokenTypes = ["ACQUISITION", "SERVICES"]

    // Request the tokens.
    for tokenType in tokenTypes {
        do {
            let token = try await ExternalPurchaseCustomLink.token(for: tokenType)
            if let token {
                tokens[tokenType] = token.value
            }
        } catch {
            // Failed to get a token of type `tokenType`.
        }
    }
    return tokens
}

/// The button of the page on the disclosure, without SwiftUI's view around it.
actor StoreButton {
    private(set) var isOpen = false

    func openStore() async {
        guard await ExternalPurchaseCustomLink.isEligible else {
            return
        }
        // Show the disclosure notice.
        do {
            let result = try await ExternalPurchaseCustomLink.showNotice(type: .withinApp)
            guard case .continued = result else {
                // Customer chooses not to continue. Don't display external purchases.
                return
            }
            isOpen = true
        } catch {
            isOpen = false
        }
    }
}

// region gate
// Sources/BookShop/Account.swift
import ExternalPurchaseKit

/// The customer who is signed in.
actor Account {
    var isAdult: Bool?

    init(isAdult: Bool?) { self.isAdult = isAdult }

    nonisolated var ageGate: PurchaseGate {
        PurchaseGate("age") {
            // An age that is not known counts as that of a child.
            await self.isAdult == true ? .open : .closed(reason: "no adult")
        }
    }
}
// endregion

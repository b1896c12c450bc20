// region gate
// Sources/BookShop/Account.swift
import ExternalPurchaseKit

/// The customer who is signed in.
actor Account {
    /// From Apple's Declared Age Range, or what the shop knows; nil while nothing is known.
    var age: AgeBand?

    init(age: AgeBand?) { self.age = age }

    /// What the storefront's terms allow at this age; the shop has no parental gate.
    nonisolated var ageGate: PurchaseGate {
        .minors(treatUnknownAgeAs: .child, age: { await self.age })
    }
}
// endregion

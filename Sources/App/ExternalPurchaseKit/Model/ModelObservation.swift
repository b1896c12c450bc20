public import Observation

/// Tells Observation what is read and changed, on the systems that have it: from iOS 17 on.
///
/// The macro `@Observable` cannot be part of a type that older systems have.
@MainActor
struct ModelObservation {
    /// An `ObservationRegistrar`; nil on older systems.
    private let registrar: (any Sendable)?

    init() {
        if #available(iOS 17, tvOS 17, watchOS 10, *) {
            registrar = ObservationRegistrar()
        } else {
            registrar = nil
        }
    }

    func access<Value>(_ model: ExternalPurchaseModel, _ property: KeyPath<ExternalPurchaseModel, Value>) {
        if #available(iOS 17, tvOS 17, watchOS 10, *), let registrar = registrar as? ObservationRegistrar {
            registrar.access(model, keyPath: property)
        }
    }

    func change<Value>(
        _ model: ExternalPurchaseModel,
        _ property: KeyPath<ExternalPurchaseModel, Value>,
        _ mutation: () -> Void
    ) {
        if #available(iOS 17, tvOS 17, watchOS 10, *), let registrar = registrar as? ObservationRegistrar {
            registrar.withMutation(of: model, keyPath: property, mutation)
        } else {
            mutation()
        }
    }
}

@available(iOS 17, tvOS 17, watchOS 10, *)
extension ExternalPurchaseModel: Observable {}

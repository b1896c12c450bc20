import ArgumentParser
package import ExternalPurchaseCore

extension BundleId {
    /// Reads the value of an option that names an app.
    package static func reading(_ argument: String) throws -> String {
        if let fault = fault(in: argument) { throw ValidationError(fault) }
        return argument
    }
}

import Reporting

/// Where a request has the fields of a command that do not stand in its body.
struct FieldPlaces {
    private let places: [String: String]

    /// A month that is a part of the path.
    static let monthInPath = FieldPlaces(["/month": "the path"])
    /// Fields in the query, and a month that is a part of the path.
    static let queryOfMonth = FieldPlaces([
        "/month": "the path", "/bundleId": "?bundleId", "/programme": "?programme",
    ])
    static let query = FieldPlaces(["/month": "?month", "/bundleId": "?bundleId", "/programme": "?programme"])

    private init(_ places: [String: String]) {
        self.places = places
    }

    /// Runs a use case, and names the fields that it refuses as the request has them.
    func naming<Value>(_ body: () async throws(RequestError) -> Value) async throws(RequestError) -> Value {
        do {
            return try await body()
        } catch {
            guard case .invalid(let errors) = error else { throw error }
            throw .invalid(errors.map { FieldError(places[$0.path] ?? $0.path, $0.message) })
        }
    }
}

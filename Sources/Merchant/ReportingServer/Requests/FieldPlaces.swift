import Reporting

/// The names that a request uses for fields of a command that are not in its body.
struct FieldPlaces {
    private let places: [String: String]

    /// The month is part of the path.
    static let monthInPath = FieldPlaces(["/month": "the path"])
    /// The month is part of the path, and the other fields are in the query.
    static let queryOfMonth = FieldPlaces([
        "/month": "the path", "/bundleId": "?bundleId", "/programme": "?programme",
    ])
    static let query = FieldPlaces([
        "/month": "?month", "/bundleId": "?bundleId", "/programme": "?programme", "/after": "?after",
    ])

    private init(_ places: [String: String]) {
        self.places = places
    }

    /// Runs a use case, and renames the fields in its errors to the names in the request.
    func naming<Value>(_ body: () async throws(RequestError) -> Value) async throws(RequestError) -> Value {
        do {
            return try await body()
        } catch {
            guard case .invalid(let errors) = error else { throw error }
            throw .invalid(errors.map { FieldError(places[$0.path] ?? $0.path, $0.message) })
        }
    }
}

/// A customer of the App Store, who holds token periods (TK-40).
public struct AccountID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Counts the customers of a world from 1.
    public let number: Int

    package init(number: Int) {
        self.number = number
    }

    /// The name, `customer 1`.
    public var description: String { "customer \(number)" }
}

/// A device on which a customer is signed in.
public struct DeviceID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Counts the devices of a world from 1.
    public let number: Int

    package init(number: Int) {
        self.number = number
    }

    /// The name, `device 1`.
    public var description: String { "device \(number)" }
}

/// A customer of the App Store.
///
/// Token periods belong to customers (TK-40).
public struct AccountID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number of the customer within a session or emulator, from 1.
    public let number: Int

    /// The name, `customer 1`.
    public var description: String { "customer \(number)" }
}

/// A device on which a customer is signed in.
public struct DeviceID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number of the device within a session or emulator, from 1.
    public let number: Int

    /// The name, `device 1`.
    public var description: String { "device \(number)" }
}

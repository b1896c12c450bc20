import ExternalPurchaseCore

/// The reports that are sent: one-time buys in euro.
struct Reports: Sendable {
    static let token = "4d3f0000-0000-4000-8000-00000000000a"

    /// Moment of every buy, UNIX ms.
    let date: Int64

    /// The body of the report of that number with so many items of its own.
    func body(_ number: Int, items: Int) -> [UInt8] {
        var text = #"{"requestIdentifier":"00000000-0000-4000-8000-\#(Self.digits(number))","#
        text += #""externalPurchaseId":"\#(Self.token)","status":"LINE_ITEM","lineItems":["#
        for item in 0..<items {
            if item > 0 { text += "," }
            text += #"{"lineItemId":"6f1c2f60-0000-4000-8000-\#(Self.digits(number * items + item))","#
            text += #""creationDate":\#(date),"eventType":"BUY","productType":"ONE_TIME_BUY","#
            text += #""productIdentifier":"com.example.shop.gems.100","quantity":1,"amountTaxExclusive":8256,"#
            text += #""taxAmount":1734,"amountTaxInclusive":9990,"netAmountTaxExclusive":8256,"#
            text += #""pricingCurrency":"EUR","reportingCurrency":"EUR","taxCountry":"ESP"}"#
        }
        return Array((text + "]}").utf8)
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: 12 - text.count) + text
    }
}

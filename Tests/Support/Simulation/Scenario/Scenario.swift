package import ExternalPurchaseCore

/// A simulated world and its events, as data that can be run again and shortened.
package struct Scenario: Hashable, Sendable {
    /// The seed of ids, keys and delays during the run; the steps do not depend on it.
    package var seed: UInt64
    package var world: Configuration
    /// The steps sorted by time.
    package var steps: [Step]

    package init(seed: UInt64, world: Configuration, steps: [Step]) {
        self.seed = seed
        self.world = world
        self.steps = steps
    }

    /// The customers and the configuration of a world.
    package struct Configuration: Hashable, Sendable {
        package var appCount: Int
        package var customers: [Customer]
        /// The length of a production `SERVICES` period in days.
        package var servicesDays: Int64
        /// The length of the production `ACQUISITION` period in days.
        package var acquisitionDays: Int64
        /// Whether every request in an active period creates a new token (TK-36).
        package var isRefreshing: Bool
        package var store: Store
        /// Whether requests are signed; otherwise the emulator requires no JWT.
        package var signsRequests: Bool
        /// Setting `send.delay`, in ms.
        package var sendDelay: Int64
        /// Whether setting `corrections.subscriptionFigures` is `automatic`; otherwise a person confirms each
        /// correction.
        package var correctsFigures: Bool
        /// Nil where the merchant receives no notifications.
        package var notices: Notices?
    }

    /// The configuration of Apple's notifications.
    package struct Notices: Hashable, Sendable {
        /// Whether notifications are sent for every token, not only for custom link tokens.
        package var isAboutAll: Bool
        /// The interval in ms of repeated `UNREPORTED` notifications; nil for a single one.
        package var repeatsEvery: Int64?
        /// Setting `history.every`, in ms.
        package var historyEvery: Int64
    }

    /// The kind of store for the ledger.
    package enum Store: String, Hashable, Sendable {
        case memory
        case sqlite
    }

    /// A customer with one environment and one market.
    package struct Customer: Hashable, Sendable {
        package var environment: AppStoreEnvironment
        package var family: Family
        package var deviceCount: Int
        /// False for a customer without a customer id.
        package var isNamed: Bool
        package var market: Market

        /// The token family of the customer's storefront.
        package enum Family: String, Hashable, Sendable {
            case plain
            case transaction
            case customLink
        }
    }
}

/// An event at a given time, independent of other steps that may be removed.
package struct Step: Hashable, Sendable {
    /// The time in ms since the start of the scenario.
    package var at: Int64
    package var action: Action

    package init(at: Int64, _ action: Action) {
        self.at = at
        self.action = action
    }
}

/// An event in a scenario.
///
/// Tokens, checkouts and sales are identified by numbers; a step that refers to a missing number does nothing.
package enum Action: Hashable, Sendable {
    /// An app is installed or updated, after which Apple may create custom link tokens (TK-32).
    case install(Installation)
    /// The app requests a token.
    case query(Question)
    /// A token is delivered to the merchant.
    case handOver(Delivery)
    /// The customer pays.
    case pay(Payment)
    /// The customer gets a refund or chargeback.
    case giveBack(Return)
    /// A subscription is cancelled, or a payment for it fails.
    case end(Ending)
    /// The merchant wins a chargeback.
    case reverse(Reversal)
    /// The customer pays, and the former system reports the sale to Apple.
    case payFormerly(Payment)
    /// The operator imports the former system's reports of a token.
    case adopt(token: Int, app: Int)
    /// The shop sends a sale or refund to the merchant's system.
    case submit(sale: Int)
    /// The shop repeats a sale with other content.
    case contradict(sale: Int, Contradiction)
    /// A person corrects a reported sale.
    case correct(Correction)
    /// The shop sends an impossible request.
    case submitInvalid(Nonsense, app: Int, sale: Int)
    /// A text arrives that is not a token of the merchant.
    case handOverNonsense(number: Int)
    /// The emulator fails.
    case appleFails(AppleFault, app: Int)
    /// Apple's notifications are not delivered for the given number of ms.
    case silence(app: Int, for: Int64)
    /// The ledger's store fails.
    case storeFails(StoreFault)
    /// The merchant's process crashes at one of its next commits or requests, and is down for some time.
    case crash(after: Int, downFor: Int64)
    /// The operator restarts the merchant's process.
    case restart
    /// The merchant's clock gets an offset in ms; 0 corrects it.
    case merchantClock(error: Int64)

    package struct Installation: Hashable, Sendable {
        package var customer: Int
        /// The index among the customer's devices, from 0.
        package var device: Int
        package var app: Int
        package var isUpdate: Bool
        package var isConfigured: Bool
    }

    package struct Question: Hashable, Sendable {
        package var token: Int
        package var customer: Int
        package var device: Int
        package var app: Int
        /// Nil for a plain token.
        package var type: TokenType?
    }

    package struct Delivery: Hashable, Sendable {
        /// The number of the resulting checkout.
        package var checkout: Int
        package var token: Int
        package var way: Way
        package var saysCustomer: Bool

        package enum Way: String, Hashable, Sendable {
            case app
            case website
        }
    }

    package struct Payment: Hashable, Sendable {
        package var sale: Int
        package var customer: Int
        package var app: Int
        /// The number of the token that the sale names.
        package var token: Int?
        package var checkout: Int?
        /// Whether app and shop use the same checkout id, known before the token arrives.
        package var isCheckoutNamed: Bool
        package var saysCustomer: Bool
        /// The price in minor units of the market's currency, tax included.
        package var price: Int64
        package var quantity: Int64
        package var tax: Tax?
        package var hasCountry: Bool
        /// The exchange rate in millionths of the reporting currency, for a currency that cannot be reported.
        package var rate: Int64?
        /// The charge, if the payment is for a subscription.
        package var charge: Charge?
        /// The products of an order, whose prices add up to the price; empty for a single product.
        package var lines: [Line] = []

        package enum Tax: Hashable, Sendable {
            /// An amount in minor units.
            case amount(Int64)
            /// A rate in hundredths of a per cent of the price without tax.
            case rate(Int64)
        }
    }

    /// One product of an order.
    package struct Line: Hashable, Sendable {
        /// The number of the line among the sales.
        package var sale: Int
        package var price: Int64
        package var quantity: Int64
        package var tax: Payment.Tax?
    }

    /// A charge for a subscription.
    package struct Charge: Hashable, Sendable {
        package var subscription: Int
        package var event: Event
        /// The start and end of the period in ms since the start of the scenario.
        package var start: Int64
        package var end: Int64

        package enum Event: String, Hashable, Sendable {
            case start
            case renewal
            case change
            case payment
        }
    }

    package struct Ending: Hashable, Sendable {
        package var sale: Int
        package var subscription: Int
        package var customer: Int
        package var app: Int
        package var isLapse: Bool
        /// The time in ms since the start of the scenario; nil means immediately.
        package var effectiveAt: Int64?
    }

    /// The member of a repeated sale that differs from the first request.
    package enum Contradiction: String, Hashable, Sendable, CaseIterable {
        case amount
        case moment
        case product
    }

    package struct Correction: Hashable, Sendable {
        package var sale: Int
        package var way: Way

        package enum Way: Hashable, Sendable {
            /// Changes the price to a share in thousandths, and the quantity.
            case restate(share: Int64, quantity: Int64)
            /// Marks the sale as never having happened.
            case retract
            /// Reverts a retraction.
            case undo
            /// Moves the date by the given number of ms.
            case move(by: Int64)
        }
    }

    package struct Reversal: Hashable, Sendable {
        package var sale: Int
        package var chargeback: Int
    }

    package struct Return: Hashable, Sendable {
        package var sale: Int
        package var of: Int
        /// The refund as a share of the amount not refunded yet, in thousandths.
        package var share: Int64
        package var statesTax: Bool
        package var isChargeback: Bool
        /// Whether the shop sends the sum of all refunds so far instead of this refund's amount.
        package var isTotal = false
        /// Whether the shop sends minor units with their currency.
        package var isInMinorUnits = false
        /// The numbers of the lines' shares for the refund of an order, one for each line.
        package var shares: [Int] = []
    }

    package enum Nonsense: String, Hashable, Sendable, CaseIterable {
        case unknownCurrency
        case unknownCountry
        case unknownApp
        case tooManyDigits
        case negativeAmount
        case binaryNumber
        case future
        case refundOfNothing
        case refundAboveTheBuy
        case unknownMember
    }

    package enum AppleFault: Hashable, Sendable {
        /// Responds with the status the given number of times.
        case status(Int, times: Int64, retryAfter: Int64?)
        case dropAfterAccept
        case closeConnection
        case closeMidBody
        case malformed
        case slow(milliseconds: Int64)
    }

    package struct StoreFault: Hashable, Sendable {
        /// The number of commits that succeed first.
        package var after: Int
        package var count: Int
        /// Whether the commit itself fails, after all steps of the transaction.
        package var isLate: Bool
    }
}

package import ExternalPurchaseCore

/// A world and what happens in it: data that can be run again, and shortened.
package struct Scenario: Hashable, Sendable {
    /// Makes the ids, keys and waiting times of the run; the steps do not change with it.
    package var seed: UInt64
    package var world: World
    /// In the order of their moments.
    package var steps: [Step]

    package init(seed: UInt64, world: World, steps: [Step]) {
        self.seed = seed
        self.world = world
        self.steps = steps
    }

    /// Who lives in the world, and how its two sides are set up.
    package struct World: Hashable, Sendable {
        package var appCount: Int
        package var customers: [Customer]
        /// Days of a production `SERVICES` period.
        package var servicesDays: Int64
        /// Days of the production `ACQUISITION` period.
        package var acquisitionDays: Int64
        /// Whether a request in an active period makes a token of its own (TK-36).
        package var isRefreshing: Bool
        package var store: Store
        /// Signs every request, as against an emulator that asks for no JWT.
        package var signsRequests: Bool
        /// Setting `send.delay`, in ms.
        package var sendDelay: Int64
        /// Setting `corrections.subscriptionFigures` at `automatic`; else a person confirms what the review offers.
        package var correctsFigures: Bool
        /// Nil where the merchant takes no notifications.
        package var notices: Notices?
    }

    /// How Apple tells of tokens.
    package struct Notices: Hashable, Sendable {
        /// Of every token, not only of custom link tokens.
        package var isAboutAll: Bool
        /// After how many ms Apple says again that a token is unreported; nil says it once.
        package var repeatsEvery: Int64?
        /// Setting `history.every`, in ms.
        package var historyEvery: Int64
    }

    /// Where the merchant keeps the ledger.
    package enum Store: String, Hashable, Sendable {
        case memory
        case sqlite
    }

    /// A customer, who lives in one environment and buys in one market.
    package struct Customer: Hashable, Sendable {
        package var environment: AppStoreEnvironment
        package var family: Family
        package var deviceCount: Int
        /// False for one whom the merchant knows by no customer id.
        package var isNamed: Bool
        package var market: Market

        /// The kind of token that the storefront gives.
        package enum Family: String, Hashable, Sendable {
            case plain
            case transaction
            case customLink
        }
    }
}

/// Something that happens at a moment, whatever else was left out of the story.
package struct Step: Hashable, Sendable {
    /// Milliseconds since the beginning of the story.
    package var at: Int64
    package var action: Action

    package init(at: Int64, _ action: Action) {
        self.at = at
        self.action = action
    }
}

/// What can happen.
///
/// Tokens, checkouts and sales go by numbers of the story; a step whose number is missing does nothing.
package enum Action: Hashable, Sendable {
    /// An app is installed or updated, by which Apple may make custom link tokens (TK-32).
    case install(Installation)
    /// The app asks for a token.
    case ask(Question)
    /// A token reaches the merchant.
    case handOver(Delivery)
    /// The customer pays.
    case pay(Payment)
    /// The customer gets money back.
    case giveBack(Return)
    /// A subscription is cancelled, or a payment for it fails.
    case end(Ending)
    /// The merchant wins a chargeback's money back.
    case reverse(Reversal)
    /// The customer pays, and the system before the merchant's side reports it to Apple.
    case payFormerly(Payment)
    /// The operator imports what the system before reported on a token of an app.
    case adopt(token: Int, app: Int)
    /// The shop tells the merchant's side of a sale or refund.
    case tell(sale: Int)
    /// The shop tells a sale that it told before with other content.
    case contradict(sale: Int, Contradiction)
    /// Somebody corrects a sale that was reported.
    case correct(Correction)
    /// The shop tells something that cannot be true.
    case tellNonsense(Nonsense, app: Int, sale: Int)
    /// A text that is no token of the merchant's arrives.
    case handOverNonsense(number: Int)
    /// Apple's side misbehaves.
    case appleFails(AppleFault, app: Int)
    /// Apple's notifications do not come through for some ms.
    case silence(app: Int, for: Int64)
    /// The ledger's store fails.
    case storeFails(StoreFault)
    /// The merchant's process dies at one of its next commits and sendings, and stays away for a while.
    case crash(after: Int, downFor: Int64)
    /// The operator restarts the merchant's process.
    case restart
    /// The merchant's clock goes wrong, or right again with 0.
    case merchantClock(error: Int64)

    package struct Installation: Hashable, Sendable {
        package var customer: Int
        /// Counted from 0 among the customer's own.
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
        /// The number of the checkout that comes of it.
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
        /// The token that the sale names.
        package var token: Int?
        package var checkout: Int?
        /// Whether app and shop agreed on the checkout's name, which is known before the token arrives.
        package var isCheckoutNamed: Bool
        package var saysCustomer: Bool
        /// Minor units of the market's currency, tax included.
        package var price: Int64
        package var quantity: Int64
        package var tax: Tax?
        package var hasCountry: Bool
        /// Millionths of the reporting currency for one unit of a currency that cannot be reported.
        package var rate: Int64?
        /// What the payment is for when it is one of a subscription.
        package var charge: Charge?
        /// The products of an order of several, whose prices make up the price; empty for a single product.
        package var lines: [Line] = []

        package enum Tax: Hashable, Sendable {
            /// Minor units.
            case amount(Int64)
            /// Hundredths of a per cent of the price without tax.
            case rate(Int64)
        }
    }

    /// One product of an order.
    package struct Line: Hashable, Sendable {
        /// The number that the line has among the sales.
        package var sale: Int
        package var price: Int64
        package var quantity: Int64
        package var tax: Payment.Tax?
    }

    /// A charge for a subscription.
    package struct Charge: Hashable, Sendable {
        package var subscription: Int
        package var event: Event
        /// Milliseconds of the period after the beginning of the story.
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
        /// Milliseconds after the beginning of the story; nil for at once.
        package var effectiveAt: Int64?
    }

    /// What a sale says otherwise than it was told.
    package enum Contradiction: String, Hashable, Sendable, CaseIterable {
        case amount
        case moment
        case product
    }

    package struct Correction: Hashable, Sendable {
        package var sale: Int
        package var way: Way

        package enum Way: Hashable, Sendable {
            /// Thousandths of the price so far, and how many it was of.
            case restate(share: Int64, quantity: Int64)
            /// It never happened.
            case retract
            /// It did happen.
            case undo
            /// It happened so many ms later.
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
        /// Thousandths of what the customer has not got back yet; 1000 is all of it.
        package var share: Int64
        package var statesTax: Bool
        package var isChargeback: Bool
        /// Whether the shop tells the sum of all refunds so far instead of this one's amount.
        package var isTotal = false
        /// Whether the shop tells minor units and names their currency.
        package var isInMinorUnits = false
        /// The numbers of its shares when it is of a whole order, one for each line.
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
        /// That status, so many times.
        case status(Int, times: Int64, retryAfter: Int64?)
        case dropAfterAccept
        case closeConnection
        case closeMidBody
        case malformed
        case slow(milliseconds: Int64)
    }

    package struct StoreFault: Hashable, Sendable {
        /// How many more commits succeed.
        package var after: Int
        package var count: Int
        /// Fails at the commit, after all that the transaction did.
        package var isLate: Bool
    }
}

import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

extension ExternalPurchaseBridge {
    /// Makes the model of the host's configuration.
    ///
    /// The outbox stays the same, because one outbox uses a folder at a time. A host that was loaded anew configures again: what the earlier one was asked is closed, and a purchase that is
    /// going on ends first (EK-56).
    func configure(_ parameters: ConfigureParameters) async throws(BridgeError) -> JSONValue {
        let transport = try transport(for: parameters.delivery)
        let policy = try parameters.policy.map { policy throws(BridgeError) in try policyClient(policy) }
        questions.closeAll()
        await waitForFlows()
        route.set(transport)
        var configuration = configuration(parameters)
        configuration.policy = policy
        let model = ExternalPurchaseModel(
            store: store,
            outbox: outbox,
            configuration: configuration,
            log: log
        )
        model.customerId = parameters.customerId
        gates.declare(parameters.gates)
        self.model = model
        followStatus()
        follow(model)
        if isStarted { run() }
        return state(of: model)
    }

    private func transport(for delivery: ConfigureParameters.Delivery) throws(BridgeError) -> any TokenTransport {
        switch delivery {
        case .host:
            let questions = questions
            return ClosureTokenTransport { token in
                guard case .delivery(let delivery) = await questions.ask(.sendToken(token)) else {
                    return .retry(reason: "the host gave no answer", after: nil)
                }
                return delivery
            }
        case .server(let server):
            do {
                return try makeTransport(server)
            } catch {
                let path = "/parameters/delivery"
                throw BridgeError(.deliveryNotUsable, "\(path) cannot be used: \(error)", at: path)
            }
        }
    }

    /// A client of the policy whose last answer lies beside the outbox, in a file for each server (EK-72).
    private func policyClient(_ policy: ConfigureParameters.Policy) throws(BridgeError) -> PolicyClient {
        let path = "/parameters/policy"
        let transport: any TokenTransport
        do {
            transport = try makeTransport(policy.server)
        } catch {
            throw BridgeError(.policyNotUsable, "\(path) cannot be used: \(error)", at: path)
        }
        guard let transport = transport as? any PolicyTransport else {
            throw BridgeError(
                .policyNotUsable,
                "\(path) cannot be used: the transport of the native part is no PolicyTransport.",
                at: path
            )
        }
        let file = folder.appending(path: "policy-\(policy.server.fileName).json")
        return PolicyClient(file: file, whileUnknown: policy.unknown) { try await transport.policy() }
    }

    private func configuration(_ parameters: ConfigureParameters) -> ExternalPurchaseModel.Configuration {
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.gates = parameters.gates.map { [gates] name in
            PurchaseGate(name) { gates.decision(of: name) }
        }
        let schemes = parameters.tokenSchemes
        configuration.tokenScheme = { storefront in schemes[storefront] ?? TokenScheme.builtIn(storefront) }
        if parameters.showsDisclosure {
            configuration.disclosure = { [questions] destination in
                await questions.ask(.disclosure(destination)).isYes
            }
        }
        if parameters.opensURL {
            configuration.openURL = { [questions] url in await questions.ask(.openURL(url)).isYes }
        }
        return configuration
    }

    // MARK: Running

    /// Begins what ``ExternalPurchaseModel/run(foreground:)`` does; a second call changes nothing.
    func start() {
        guard !isStarted else { return }
        isStarted = true
        run()
    }

    /// Ends it, and closes what the host was asked.
    func stop() {
        isStarted = false
        questions.closeAll()
        end()
    }

    private func run() {
        end()
        guard let model else { return }
        let (earlier, foreground) = (ended, foreground)
        running = Task {
            // An outbox that still runs would end the second run at once.
            await earlier?.value
            guard !Task.isCancelled else { return }
            await model.run(foreground: foreground())
        }
    }

    private func end() {
        guard let running else { return }
        running.cancel()
        ended = running
        self.running = nil
    }

    // MARK: Events

    private func followStatus() {
        guard following == nil else { return }
        following = Task { [outbox, queue] in
            for await status in await outbox.statusUpdates() {
                guard let data = status.json.objectValue else { continue }
                queue.add(.outboxStatus, data)
            }
        }
    }

    /// Tells the listener of each change of the model.
    private func follow(_ model: ExternalPurchaseModel) {
        model.onChange = { [weak self, weak model] in
            guard let self, let model, self.model === model, !self.isChangePending else { return }
            self.isChangePending = true
            // Changes that follow one another without a pause are one event.
            Task { @MainActor in
                self.isChangePending = false
                guard self.model === model else { return }
                self.queue.add(.availability, Self.state(of: model))
            }
        }
    }
}

extension ExternalPurchaseBridge.Server {
    /// The FNV-1a hash of the address with 64 bits.
    fileprivate var fileName: String {
        let hash = url.absoluteString.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension OpenQuestions.Reply {
    fileprivate var isYes: Bool {
        if case .decision(let decision) = self { decision } else { false }
    }
}

/// The duration of a schedule that knows all speeds in advance.
///
/// A lower bound: bytes flow like water, split at no cost; at each moment the fastest connections are used,
/// as many as the scenario allows, out of twice as many open ones, and none is refused. Only set-up costs
/// time: the first connection delivers after one set-up, the others after two, because only the first
/// response states the file's length.
struct BestSchedule {
    let link: SimulatedLink
    let connections: Int
    private let candidates: [SimulatedConnection]

    init(_ link: SimulatedLink, connections: Int) {
        self.link = link
        self.connections = connections
        candidates = (0..<(2 * connections)).map { number in
            SimulatedConnection(link, number: number, begins: link.setupTime * (number == 0 ? 1 : 2))
        }
    }

    /// Returns the seconds until `bytes` bytes have arrived; `nil` if they never do.
    func time(for bytes: Int64) -> Double? {
        var left = Double(bytes)
        var now = link.setupTime
        while left > 0.5 {
            let rate = rate(at: now)
            let change = change(after: now)
            if rate > 0, now + left / rate <= change { return now + left / rate }
            guard change < .infinity else { return nil }
            left -= rate * (change - now)
            now = change
        }
        return now
    }

    private func change(after now: Double) -> Double {
        let begins = candidates.lazy.map(\.begins).filter { $0 > now }.min() ?? .infinity
        let speeds = candidates.lazy.filter { $0.begins <= now }.map { $0.change(after: now) }.min()
        let capacities = link.addresses.lazy.map { $0.capacity.change(after: now) }.min()
        return min(begins, speeds ?? .infinity, capacities ?? .infinity)
    }

    private func rate(at now: Double) -> Double {
        // The gain of each further connection to an address, best first.
        var gains: [Double] = []
        for (index, address) in link.addresses.enumerated() {
            let ready = candidates.filter { $0.address == index && $0.begins <= now }
            var left = address.capacity[now]
            for limit in ready.map({ $0.limit(at: now) }).sorted(by: >).prefix(address.most ?? .max) {
                gains.append(min(limit, left))
                left -= gains[gains.count - 1]
            }
        }
        return gains.sorted(by: >).prefix(connections).reduce(0, +)
    }
}

/// How long a schedule would take that knows all speeds beforehand.
///
/// A bound from below: bytes flow like water, split at no cost; at each moment the fastest connections are used,
/// as many as the scenario allows, out of twice as many that are open, and none is refused. It pays for set-up
/// alone: the first connection delivers after one, the others after two, because only the first answer says how
/// long the file is.
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

    /// Seconds until `bytes` bytes have come; `nil` if they never do.
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
        // What each further connection to an address adds, the best ones first.
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

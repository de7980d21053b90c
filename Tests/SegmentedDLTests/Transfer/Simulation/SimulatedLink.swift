/// The network of a scenario: fictional speeds as functions of virtual time.
struct SimulatedLink: Sendable {
    /// One machine with the host's name.
    struct Address: Sendable {
        /// Bytes per second shared by its connections.
        var capacity = Steps(1e12)
        /// The maximum number of concurrent requests; further ones are refused. `nil` for no limit.
        var most: Int?
    }

    /// How a request beyond the maximum is refused.
    enum Refusal: Sendable { case busy, reset }

    /// TCP slow start: an initial speed in bytes per second, doubled after each round trip.
    struct SlowStart: Sendable {
        var initial: Double
        var roundTrip: Double

        func limit(age: Double) -> Double {
            let doublings = (age / roundTrip + 1e-9).rounded(.down)
            return doublings < 30 ? initial * Double(1 << Int(max(doublings, 0))) : .infinity
        }

        func change(afterAge age: Double) -> Double {
            ((age / roundTrip + 1e-9).rounded(.down) + 1) * roundTrip
        }
    }

    /// Connections use them in turn.
    var addresses = [Address()]
    /// Seconds from opening a connection until it can carry a request.
    var connectTime = 0.0
    /// Seconds from a request to the first byte of its response.
    var answerTime = 0.0
    var slowStart: SlowStart?
    var refusal = Refusal.busy
    var scanner: Scanner?
    /// Bytes per second of the connection with this number; the first one opened is 0.
    var speed: @Sendable (Int) -> Steps

    init(_ speed: @escaping @Sendable (Int) -> Steps) {
        self.speed = speed
    }

    /// Each connection has the same constant speed.
    init(each bytesPerSecond: Double) {
        self.init { _ in Steps(bytesPerSecond) }
    }

    /// The seconds to the first byte of a request over a new connection.
    var setupTime: Double { connectTime + answerTime }

    func with(_ change: (inout SimulatedLink) -> Void) -> SimulatedLink {
        var changed = self
        change(&changed)
        return changed
    }
}

/// A scanner between server and program: it delays each response.
struct Scanner: Sendable {
    /// The number of the body's bytes that arrive without delay; if negative, the number of those delayed.
    var passes: Int64
    /// The part of the body that also arrives without delay.
    var part = 0.0
    /// The seconds by which the rest is delayed.
    var seconds: Double
    /// Bytes per second that arrive meanwhile.
    var trickle = 0.0
    /// Returns true if it delays the response to the request with this number, the first one being 1.
    var delays: @Sendable (Int) -> Bool = { _ in true }

    func from(_ body: Simulation.Body) -> Double {
        let length = Double(body.end - body.start)
        let passed =
            passes < 0 ? max(0, length + Double(passes)) : min(length, Double(passes) + length * part)
        return Double(body.start) + passed
    }

    /// Records that a body has reached the point where it is delayed.
    func scan(_ body: inout Simulation.Body, now: Double) {
        if body.heldUntil == nil, delays(body.request), body.position >= from(body) - 1e-3 {
            body.heldUntil = now + seconds
        }
    }

    /// The bytes per second of a delayed body; `nil` if it is not delayed.
    func rate(of body: Simulation.Body, now: Double) -> Double? {
        guard let until = body.heldUntil, now < until - 1e-6 else { return nil }
        return trickle
    }

    func change(of body: Simulation.Body, rate: Double, now: Double) -> Double {
        if let until = body.heldUntil { return until > now ? until : .infinity }
        guard delays(body.request) else { return .infinity }
        return rate > 0 ? now + max(0, from(body) - body.position) / rate : .infinity
    }
}

/// One TCP connection, which may serve several requests.
struct SimulatedConnection {
    let address: Int
    let speed: Steps
    let slowStart: SimulatedLink.SlowStart?
    /// The time from which it can carry bytes.
    let begins: Double

    init(_ link: SimulatedLink, number: Int, begins: Double) {
        address = number % link.addresses.count
        speed = link.speed(number)
        slowStart = link.slowStart
        self.begins = begins
    }

    /// The bytes per second that it could carry alone on the link.
    func limit(at time: Double) -> Double {
        min(speed[time], slowStart?.limit(age: time - begins) ?? .infinity)
    }

    func change(after time: Double) -> Double {
        let change = speed.change(after: time)
        guard let slowStart, limit(at: time) < speed[time] else { return change }
        return min(change, begins + slowStart.change(afterAge: time - begins))
    }

    /// The earliest arrival of a byte; infinity if there is none.
    func firstByte(from time: Double) -> Double {
        var time = time
        while speed[time] <= 0, time < .infinity { time = speed.change(after: time) }
        return time
    }
}

/// Shares a capacity fairly: what one connection cannot use is left to the others.
func fairShares(of capacity: Double, limits: [Double]) -> [Double] {
    guard limits.reduce(0, +) > capacity else { return limits }
    var shares = limits
    var left = capacity
    var waiting = limits.count
    for index in limits.indices.sorted(by: { limits[$0] < limits[$1] }) {
        shares[index] = min(limits[index], left / Double(waiting))
        left -= shares[index]
        waiting -= 1
    }
    return shares
}

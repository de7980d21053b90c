/// The network of a scenario: made-up speeds as functions of virtual time.
struct SimulatedLink: Sendable {
    /// One machine behind the host's name.
    struct Address: Sendable {
        /// Bytes per second that its connections share.
        var capacity = Steps(1e12)
        /// How many requests it serves at a time; further ones are refused. `nil` for any number.
        var most: Int?
    }

    /// How a request beyond the cap is refused.
    enum Refusal: Sendable { case busy, reset }

    /// TCP begins slowly: so many bytes per second, doubled after each round trip.
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

    /// Connections go to them in turn.
    var addresses = [Address()]
    /// Seconds from asking for a connection until a request can be sent over it.
    var connectTime = 0.0
    /// Seconds from a request to its first byte.
    var answerTime = 0.0
    var slowStart: SlowStart?
    var refusal = Refusal.busy
    var scanner: Scanner?
    /// Bytes per second of the connection that was opened as the given one, 0 being the first.
    var speed: @Sendable (Int) -> Steps

    init(_ speed: @escaping @Sendable (Int) -> Steps) {
        self.speed = speed
    }

    /// Each connection has the same constant speed.
    init(each bytesPerSecond: Double) {
        self.init { _ in Steps(bytesPerSecond) }
    }

    /// How long a request over a new connection takes to its first byte.
    var setupTime: Double { connectTime + answerTime }

    func with(_ change: (inout SimulatedLink) -> Void) -> SimulatedLink {
        var changed = self
        change(&changed)
        return changed
    }
}

/// A scanner between the server and the program: it holds each answer up, each time anew.
struct Scanner: Sendable {
    /// The number of the body's bytes that come at once; negative for all but so many.
    var passes: Int64
    /// The part of the body that comes at once, too.
    var part = 0.0
    /// For how many seconds the rest is held up.
    var seconds: Double
    /// Bytes per second that come meanwhile.
    var trickle = 0.0

    func from(_ body: Simulation.Body) -> Double {
        let length = Double(body.end - body.start)
        let passed =
            passes < 0 ? max(0, length + Double(passes)) : min(length, Double(passes) + length * part)
        return Double(body.start) + passed
    }

    /// Notes that a body has come to where it is held up.
    func scan(_ body: inout Simulation.Body, now: Double) {
        if body.heldUntil == nil, body.position >= from(body) - 1e-3 { body.heldUntil = now + seconds }
    }

    /// Its bytes per second while it is held up; `nil` if it is not.
    func rate(of body: Simulation.Body, now: Double) -> Double? {
        guard let until = body.heldUntil, now < until - 1e-6 else { return nil }
        return trickle
    }

    func change(of body: Simulation.Body, rate: Double, now: Double) -> Double {
        if let until = body.heldUntil { return until > now ? until : .infinity }
        return rate > 0 ? now + max(0, from(body) - body.position) / rate : .infinity
    }
}

/// One TCP connection, which may serve several requests.
struct SimulatedConnection {
    let address: Int
    let speed: Steps
    let slowStart: SimulatedLink.SlowStart?
    /// When it can carry its first byte.
    let begins: Double

    init(_ link: SimulatedLink, number: Int, begins: Double) {
        address = number % link.addresses.count
        speed = link.speed(number)
        slowStart = link.slowStart
        self.begins = begins
    }

    /// Bytes per second that it could carry if it had the link alone.
    func limit(at time: Double) -> Double {
        min(speed[time], slowStart?.limit(age: time - begins) ?? .infinity)
    }

    func change(after time: Double) -> Double {
        let change = speed.change(after: time)
        guard let slowStart, limit(at: time) < speed[time] else { return change }
        return min(change, begins + slowStart.change(afterAge: time - begins))
    }

    /// When a byte comes through at the earliest; infinity if never again.
    func firstByte(from time: Double) -> Double {
        var time = time
        while speed[time] <= 0, time < .infinity { time = speed.change(after: time) }
        return time
    }
}

/// Shares a capacity fairly: what a connection cannot use the others get.
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

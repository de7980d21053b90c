import TestSupport

@testable import SegmentedDL

extension Scenario {
    /// A random scenario from a seed: any mix of the features of the table.
    static func random(seed: UInt64) -> Scenario {
        var random = SplitMix64(seed: seed)
        let counts: [SegmentCount] = [
            .automatic, .fixed(1), .fixed(2), .fixed(4), .fixed(8), .fixed(8), .fixed(16),
        ]
        let segments = counts.randomElement(using: &random) ?? .automatic
        // The total speed, and how long the file takes at it.
        let speed = power(10, of: 5.5...7.5, &random)
        let seconds = power(10, of: 0...1, &random)
        let bytes = max(1, Int64(speed * seconds))
        return Scenario(
            name: "seed \(seed)", bytes: bytes, segments: segments,
            link: link(speed: speed, seconds: seconds, &random), seed: seed)
    }

    private static func power(_ base: Double, of range: ClosedRange<Double>, _ random: inout SplitMix64)
        -> Double
    {
        var result = 1.0
        let exponent = Double.random(in: range, using: &random)
        let whole = exponent.rounded(.down)
        for _ in 0..<Int(whole) { result *= base }
        // Between two powers an approximation suffices.
        return result * (1 + (exponent - whole) * (base - 1))
    }

    private static func link(speed: Double, seconds: Double, _ random: inout SplitMix64) -> SimulatedLink {
        let noise = UInt64.random(in: 0 ... .max, using: &random)
        let spread = Double.random(in: 0...1, using: &random) * (random.happens(50) ? 1 : 0)
        let each = speed / .random(in: 1...8, using: &random)
        let slowEvery = random.happens(30) ? Int.random(in: 2...8, using: &random) : 0
        let slowSpeed = random.happens(25) ? 0 : each / power(10, of: 0.5...2, &random)
        let slowFrom = random.happens(50) ? -1 : Double.random(in: 0...seconds, using: &random)
        let changesAt = random.happens(30) ? Double.random(in: 0...seconds, using: &random) : .infinity
        let factor = power(10, of: 0...1, &random) * (random.happens(50) ? 1 : 0.1)
        var link = SimulatedLink { number in
            var own = SplitMix64(seed: noise &+ UInt64(number))
            let speed = each * (1 - spread * Double.random(in: 0...0.8, using: &own))
            let isSlow = slowEvery > 0 && number % slowEvery == slowEvery - 1
            var steps = Steps(speed)
            if isSlow { return steps.then(slowSpeed, from: slowFrom) }
            if changesAt < .infinity { steps = steps.then(speed * factor, from: changesAt) }
            return steps
        }
        link.connectTime = .random(in: 0...0.2, using: &random)
        link.answerTime = .random(in: 0.001...0.2, using: &random)
        if random.happens(30) {
            link.slowStart = .init(initial: each / 16, roundTrip: link.connectTime / 2 + 0.01)
        }
        link.addresses = (0..<(random.happens(20) ? 2 : 1)).map { _ in
            let capacity = speed * .random(in: 0.2...2, using: &random)
            return .init(
                capacity: random.happens(50) ? Steps(capacity) : Steps(1e12),
                most: random.happens(10) ? Int.random(in: 1...4, using: &random) : nil)
        }
        if random.happens(50) { link.refusal = .reset }
        return link
    }
}

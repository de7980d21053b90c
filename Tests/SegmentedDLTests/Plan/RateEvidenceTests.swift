import Testing

@testable import SegmentedDL

@Suite("Evidence from the speeds of connections")
struct RateEvidenceTests {
    /// A first connection with this speed while alone, after an initial sample with another speed.
    private func alone(_ speed: Double, first: Double? = nil) -> SoloSpeed {
        var solo = SoloSpeed()
        let burst = Int64((first ?? speed) * 0.05)
        solo.note(0, upTo: 0, now: 0)
        solo.note(0, upTo: 0, now: 0)
        solo.note(0, upTo: burst, now: 0.05)
        solo.note(0, upTo: burst + Int64(speed * 0.05), now: 0.1)
        solo.note(1, upTo: 0, now: 0.1)
        return solo
    }

    /// Samples of a fifth of a second. `speed` is called with the numbers of the sample and the connection.
    private func evidence(_ samples: Int, of count: Int, _ speed: (Int, Int) -> Double) -> RateEvidence {
        var evidence = RateEvidence()
        for sample in 0..<samples {
            note((0..<count).map { ($0, speed(sample, $0)) }, in: &evidence)
        }
        return evidence
    }

    private func note(_ speeds: [(Segment.ID, Double)], in evidence: inout RateEvidence) {
        let bytes = speeds.reduce(0) { $0 + $1.1 } * 0.2
        evidence.note(
            bytes: Int64(bytes), in: 0.2, over: speeds.count,
            speeds: Dictionary(uniqueKeysWithValues: speeds))
    }

    private func isLine(_ finding: RateEvidence.Finding?, _ speed: Double) -> Bool {
        guard case .line(let found) = finding else { return false }
        return abs(found - speed) < speed * 0.02
    }

    private func isPerConnection(_ finding: RateEvidence.Finding?, _ speed: Double) -> Bool {
        guard case .perConnection(let found) = finding else { return false }
        return abs(found - speed) < speed * 0.02
    }

    @Test("equal speeds that match the first one alone are a limit for each connection")
    func perConnection() {
        let evidence = evidence(10, of: 8) { _, _ in 2e6 }
        #expect(isPerConnection(evidence.finding(after: alone(2e6)), 2e6))
        #expect(isPerConnection(evidence.finding(after: alone(1.8e6)), 2e6))
    }

    @Test("equal speeds below an initial burst are a limit for each connection")
    func burst() {
        let evidence = evidence(10, of: 4) { _, _ in 2e6 }
        #expect(isPerConnection(evidence.finding(after: alone(0, first: 4e7)), 2e6))
        // The burst's speed may be that of the full line.
        #expect(evidence.finding(after: alone(0, first: 9e6)) == nil)
    }

    @Test("a sum no greater than the first one alone is a saturated line")
    func line() {
        let evidence = evidence(10, of: 8) { _, _ in 1e6 }
        #expect(isLine(evidence.finding(after: alone(8e6)), 8e6))
        #expect(isLine(evidence.finding(after: alone(7.2e6)), 8e6))
    }

    @Test("intermediate or unknown results prove nothing")
    func open() {
        let equal = evidence(10, of: 8) { _, _ in 1e6 }
        // Alone it was slower than the line but faster than its share: slow start.
        #expect(equal.finding(after: alone(4e6)) == nil)
        #expect(equal.finding(after: SoloSpeed()) == nil)
        let unequal = evidence(10, of: 4) { _, connection in [1e6, 1e6, 3e6, 3e6][connection] }
        #expect(unequal.finding(after: alone(2e6)) == nil)
        let changing = evidence(10, of: 4) { sample, _ in sample.isMultiple(of: 2) ? 1e6 : 3e6 }
        #expect(changing.finding(after: alone(2e6)) == nil)
        #expect(evidence(4, of: 8) { _, _ in 1e6 }.finding(after: alone(8e6)) == nil, "too short")
        #expect(evidence(10, of: 1) { _, _ in 8e6 }.finding(after: alone(8e6)) == nil, "one connection")
        #expect(RateEvidence().finding(after: alone(1e6)) == nil)
    }

    @Test("a constant sum with changing shares is a saturated line, after some time")
    func shares() {
        let shares = { (sample: Int, connection: Int) in (sample + connection).isMultiple(of: 2) ? 1e6 : 3e6 }
        #expect(isLine(evidence(45, of: 4, shares).finding(after: SoloSpeed()), 8e6))
        #expect(evidence(30, of: 4, shares).finding(after: SoloSpeed()) == nil)
        // They change together: either the line itself changes, or each is limited by itself.
        let together = evidence(45, of: 4) { sample, _ in sample.isMultiple(of: 2) ? 1e6 : 3e6 }
        #expect(together.finding(after: SoloSpeed()) == nil)
        // Two sources of different speed differ at all times.
        let constant = evidence(45, of: 4) { _, connection in connection < 2 ? 1e6 : 3e6 }
        #expect(constant.finding(after: SoloSpeed()) == nil)
    }

    @Test("independent changes are not a line, and varying connections do not hide them")
    func independent() {
        var random = SystemRandomNumberGenerator()
        var lines = 0
        for _ in 0..<50 {
            var evidence = RateEvidence()
            for sample in 0..<60 {
                let speeds = (0..<6).map { ($0 + sample / 20, Double.random(in: 1e6...3e6, using: &random)) }
                note(speeds, in: &evidence)
            }
            if evidence.finding(after: SoloSpeed()) != nil { lines += 1 }
        }
        #expect(lines == 0)
    }
}

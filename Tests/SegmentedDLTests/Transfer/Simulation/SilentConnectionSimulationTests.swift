import Testing

@testable import SegmentedDL

@Suite("Connections that fall silent for good, in virtual time")
struct SilentConnectionSimulationTests {
    /// Responses that stop in the middle of their bodies, by their numbers.
    struct Silent: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var requests: Set<Int>
        /// At a steady host, and at an unknown one.
        var mostSeconds: (steady: Double, unknown: Double)
    }

    /// At a steady host a trial begins after two seconds of silence, the second one after as many, and the
    /// third one after twice as many.
    private static let cases = [
        Silent(testDescription: "the first", requests: [1], mostSeconds: (3.5, 5)),
        Silent(testDescription: "the first, and its trial", requests: [1, 2], mostSeconds: (6, .infinity)),
        Silent(
            testDescription: "the first, and the request after its trial", requests: [1, 3],
            mostSeconds: (6, 9)),
        Silent(
            testDescription: "the first three", requests: [1, 2, 3], mostSeconds: (9.5, .infinity)),
    ]

    @Test("cost a file some seconds if the host is steady", arguments: cases)
    func steady(silent: Silent) {
        for bytes in [Int64(60_000), 150_000, 900_000, 3_000_000, 3_723_104] {
            for speed in [2e6, 1e9] {
                let outcome = run(silent.requests, bytes, speed, isSteady: true)
                #expect(outcome.complaint == nil)
                let curl = 0.02 + Double(bytes) / speed
                #expect(
                    outcome.seconds <= curl + silent.mostSeconds.steady, "\(bytes) at \(speed): \(outcome)")
                #expect(outcome.requests <= 20, "\(bytes) at \(speed): \(outcome)")
            }
        }
    }

    @Test(
        "cost a file some seconds at an unknown host as well, if the trial is answered",
        arguments: [cases[0], cases[2]])
    func unknown(silent: Silent) {
        for bytes in [Int64(60_000), 150_000] {
            let outcome = run(silent.requests, bytes, 2e6, isSteady: false)
            #expect(outcome.complaint == nil)
            #expect(outcome.seconds <= 0.5 + silent.mostSeconds.unknown, "\(bytes): \(outcome)")
        }
    }

    @Test("of a scanner at a host that seemed to be steady get few requests, and take at most twice its time")
    func scanner() {
        for seconds in [5.0, 15, 30] {
            for bytes in [Int64(150_000), 4_000_000] {
                let scanner = Scanner(passes: 0, part: 0.5, seconds: seconds)
                var scenario = scenario(bytes, 8e6, scanner)
                scenario.isSteady = true
                var simulation = Simulation(scenario, checksOften: true)
                let outcome = simulation.run()
                #expect(outcome.complaint == nil)
                #expect(outcome.seconds <= 2 * seconds + 4, "\(bytes), \(seconds) s: \(outcome)")
                #expect(outcome.requests <= 30, "\(bytes), \(seconds) s: \(outcome)")
            }
        }
    }

    private func run(
        _ silent: Set<Int>, _ bytes: Int64, _ speed: Double, isSteady: Bool
    ) -> Simulation.Outcome {
        let scanner = Scanner(passes: 0, part: 0.5, seconds: 3600, delays: { silent.contains($0) })
        var scenario = scenario(bytes, speed, scanner)
        scenario.isSteady = isSteady
        var simulation = Simulation(scenario, checksOften: true)
        return simulation.run()
    }

    private func scenario(_ bytes: Int64, _ speed: Double, _ scanner: Scanner) -> Scenario {
        let link = SimulatedLink(each: speed).with {
            ($0.connectTime, $0.answerTime, $0.scanner) = (0.01, 0.01, scanner)
        }
        return Scenario(name: "silent", bytes: bytes, segments: .automatic, link: link)
    }
}

import Foundation
import Testing

@testable import SegmentedDL

@Suite("A bottleneck as a sentence and as JSON")
struct BottleneckTests {
    @Test("each kind has its own sentence")
    func sentences() {
        let kinds: [Bottleneck.Kind] = [
            .connectionRate, .line, .segmentCap, .connectionCap, .hostCap, .requestCap, .rateCap,
            .fileRateCap, .refusals, .answers, .noRanges, .disk, .processor, .loss,
            .roundTrip,
        ]
        let texts = kinds.map { Bottleneck($0, share: 0.75, connections: 3, bytesPerSecond: 2e6).description }
        #expect(Set(texts).count == kinds.count)
        #expect(texts.allSatisfy { $0.hasSuffix(".") && $0.count > 20 })
        #expect(texts[0] == "The server limits each of 3 connections to 1.9 MiB/s.")
        #expect(texts[1] == "The link is saturated at 1.9 MiB/s: more connections would not help.")
        #expect(texts[11] == "The disk is slower than the network, for 75 % of the time.")
        let past = kinds.map {
            Bottleneck($0, share: 0.75, connections: 3, bytesPerSecond: 2e6).pastDescription
        }
        #expect(Set(past + texts).count == 2 * kinds.count)
        let far = Bottleneck(
            .loss, share: 1, connections: 8, bytesPerSecond: 5e5, roundTrip: .milliseconds(80))
        #expect(
            far.description
                == "The link loses packets: over a round trip of 80 ms, each of 8 connections reaches 488.3 KiB/s."
        )
        #expect(past[0] == "The server limited each of 3 connections to 1.9 MiB/s.")
        #expect(past[8] == "The server was busy and accepted no further connections, for 75 % of the time.")
    }

    @Test(
        "speeds have one decimal place",
        arguments: [
            (999.0, "999 B/s"), (1536, "1.5 KiB/s"), (2_100_000, "2 MiB/s"), (12_345_678_901, "11.5 GiB/s"),
        ])
    func speeds(speed: Double, text: String) {
        #expect(
            Bottleneck(.rateCap, share: 1, bytesPerSecond: speed).description
                == "The cap of \(text) on the speed of all downloads is reached.")
    }

    @Test("the round trip is a duration, and encoded in seconds")
    func roundTrip() throws {
        let far = Bottleneck(.loss, share: 1, roundTrip: .milliseconds(250))
        let text = String(decoding: try JSONEncoder().encode(far), as: UTF8.self)
        #expect(text.contains(#""roundTrip":0.25"#), "\(text)")
        let copy = try JSONDecoder().decode(Bottleneck.self, from: Data(text.utf8))
        #expect(copy == far && copy.roundTrip == .milliseconds(250))
    }

    @Test("a kind of a later version is kept, and shown by its name")
    func laterKinds() throws {
        let text = #"{"kind":"moon-phase","share":0.5,"later":1}"#
        let read = try JSONDecoder().decode(Bottleneck.self, from: Data(text.utf8))
        #expect(read.kind.rawValue == "moon-phase" && read.description == "moon-phase")
        #expect(read.pastDescription == "moon-phase")
        let copy = try JSONDecoder().decode(Bottleneck.self, from: JSONEncoder().encode(read))
        #expect(copy == read)
    }
}

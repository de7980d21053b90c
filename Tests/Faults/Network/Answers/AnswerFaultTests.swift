import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Faulty responses")
struct AnswerFaultTests {
    @Test(
        "end in exact bytes, or in a named error without a file", .timeLimit(.minutes(10)),
        arguments: AnswerFault.all)
    func outcome(fault: AnswerFault) async throws {
        try await Self.gate.pass { try await judge(fault) }
    }

    private static let gate = Gate(places: 24)

    private func judge(_ fault: AnswerFault) async throws {
        var fixture = try await DownloadFixture()
        if fault.stalls {
            fixture.configuration.transport.lowSpeedTime = .seconds(1)
            fixture.configuration.transport.lowSpeedLimit = 1000
        }
        var request = try fixture.request(fault.url(fixture.server))
        if fault.isVerified {
            request.checksums = [
                try Checksum(.sha256, Digest.sha256(TestContent(seed: 1).bytes(0..<fault.size)))
            ]
        }
        if case .interrupted = fault.preparation {
            try await fixture.interrupt(request)
            try await fixture.server.release()
        }

        switch fault.outcome {
        case .exact(let seed, let length):
            let result = try await fixture.download(request, segments: fault.segments)
            try fixture.expectExact(length ?? fault.size, seed: seed)
            #expect(result.length == length ?? fault.size)
            if let keepsBytes = fault.keepsBytes {
                #expect((result.bytesWritten < result.length) == (keepsBytes && result.length > 0))
            }
        case .error(let code, let status, let remains):
            let error = try await fixture.failure(request, segments: fault.segments)
            #expect(error.code == code, "\(error)")
            if let status { #expect(error.status == status, "\(error)") }
            #expect(fixture.directory.names == remains.names)
        }

        let requests = try await fixture.server.requests()
        if let expected = fault.requests { #expect(expected.contains(requests.count), "\(requests.count)") }
        #expect(fault.sees.isSubset(of: requests.compactMap(\.status)))
        #expect(try await fixture.server.peak().peakConcurrent <= fault.segments)
    }
}

extension AnswerFault {
    static var all: [AnswerFault] { groups.flatMap(\.faults) }

    func url(_ server: TestServerProcess.Scenario) -> String {
        guard !behaviour.hasPrefix("http://") else { return behaviour }
        let other = server.url("plain", size, "seed=7").utf8
            .map { "%" + String($0, radix: 16) }.joined()
        // However late the test checks, the rest is still in flight when the run is interrupted.
        let hold = preparation == .interrupted ? "&hold-tail=\(size - DownloadFixture.interruption)" : ""
        // Slow enough for all connections to be active at the same time.
        return server.url(
            behaviour, size, "rate=4000000\(hold)\(awaited)&" + query.replacing("{other}", with: other))
    }

    /// Faults of later responses need them, however late a busy machine sends these requests.
    private var awaited: String {
        let later = ["changing", "replaced-within", "signed", "redirect"]
        let isOfLater = !sees.isEmpty || later.contains(behaviour)
        return isOfLater && preparation == .none && !stalls && segments > 1 ? "&await=\(segments)" : ""
    }
}

extension AnswerFault.Remains {
    var names: [String] {
        switch self {
        case .nothing: []
        case .unfinished: ["file.bin.part", "file.bin.part.segdl"]
        case .setAside: ["file.bin.rejected"]
        }
    }
}

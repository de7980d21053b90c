import Testing

@testable import SegmentedDL

@Suite("Progress")
struct DownloadProgressTests {
    private func progress(_ completed: Int64, of total: Int64?) -> DownloadProgress {
        DownloadProgress(
            state: .downloading, name: nil, bytesCompleted: completed, bytesTotal: total, bytesPerSecond: 0,
            timeRemaining: nil, completedRanges: [], activeSegments: [])
    }

    @Test(
        "the fraction is relative to the length, if known",
        arguments: [
            (0, 100, 0), (25, 100, 0.25), (100, 100, 1), (0, 0, 1), (5, nil, nil),
        ] as [(Int64, Int64?, Double?)])
    func fraction(completed: Int64, total: Int64?, expected: Double?) {
        #expect(progress(completed, of: total).fraction == expected)
    }

    @Test("an interval of zero or less counts as the shortest one of a stream")
    func interval() {
        #expect(Duration.zero.atLeastShortest == .milliseconds(10))
        #expect(Duration.seconds(-1).atLeastShortest == .milliseconds(10))
        #expect(Duration.milliseconds(500).atLeastShortest == .milliseconds(500))
    }

    @Test("whole seconds are rounded up, and limited to those of an integer")
    func wholeSeconds() {
        #expect(Duration.milliseconds(1_001).wholeSeconds == 2)
        #expect(Duration.seconds(Int64.max).wholeSeconds == .max)
    }

    @Test("a download ends completed, failed or cancelled")
    func final() {
        let final = DownloadState.allCases.filter(\.isFinal)
        #expect(final == [.completed, .failed, .cancelled])
    }
}

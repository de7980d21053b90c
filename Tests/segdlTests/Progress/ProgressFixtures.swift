import SegmentedDLSupport
import SystemPackage

@testable import SegmentedDL
@testable import segdl

/// Names that a server could send and that could corrupt a terminal's output.
let oddNames = [
    "a", "", "disk.iso", "データセット-2026-完全版.tar.zst", "🎉👩‍👩‍👧❤️🇩🇪👍🏽.mp4", "e\u{301}\u{302}\u{303}.txt",
    "red\u{1B}[31m\r\n\u{7}name\u{9B}2J", "\u{202E}gnp.exe", String(repeating: "long-", count: 60) + ".zip",
    String(repeating: "全", count: 300), "한글 파일.bin", "\u{301}", "tab\tand\u{200B}nothing",
]

func progress(
    _ state: DownloadState = .downloading, name: String? = nil, done: Int64 = 0, total: Int64? = nil,
    speed: Double = 0, remaining: Double? = nil, ranges: [ByteRange] = [],
    active: [DownloadProgress.ActiveSegment] = []
) -> DownloadProgress {
    DownloadProgress(
        state: state, name: name, bytesCompleted: done, bytesTotal: total, bytesPerSecond: speed,
        timeRemaining: remaining.map { .seconds($0) }, completedRanges: ranges, activeSegments: active)
}

func segment(_ start: Int64, _ position: Int64, _ end: Int64) -> DownloadProgress.ActiveSegment {
    DownloadProgress.ActiveSegment(start: start, position: position, end: end)
}

func snapshot(_ id: Int, _ progress: DownloadProgress, url: String = "https://example.com/f") -> FileSnapshot
{
    FileSnapshot(id: id, url: url, progress: progress)
}

/// A file of 1000 MiB that is 45 % done, over eight connections.
func halfway(_ id: Int = 0, name: String = "disk.iso") -> FileSnapshot {
    let mib: Int64 = 1 << 20
    return snapshot(
        id,
        progress(
            name: name, done: 450 * mib, total: 1000 * mib, speed: Double(10 * mib), remaining: 55,
            ranges: [0..<450 * mib],
            active: (0..<8).map {
                segment((450 + 50 * $0) * mib, (450 + 50 * $0) * mib, (500 + 50 * $0) * mib)
            }))
}

func result(
    length: Int64 = 2048, written: Int64 = 2048, outcome: DownloadResult.Outcome = .downloaded,
    path: FilePath? = "out/disk.iso"
) -> DownloadResult {
    DownloadResult(
        outcome: outcome, path: path, length: length, bytesWritten: written, duration: .seconds(2),
        connections: 4)
}

/// An output that records everything.
final class Recorder: Sendable {
    private let texts = Lock<[String]>([])

    var output: TextOutput { TextOutput { text in self.texts.withLock { $0.append(text) } } }
    var writes: [String] { texts.withLock { $0 } }
    var text: String { writes.joined() }
    var lines: [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

/// A value that a test changes while a renderer reads it.
final class Adjustable<Value: Sendable>: Sendable {
    private let storage: Lock<Value>

    init(_ value: Value) { storage = Lock(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

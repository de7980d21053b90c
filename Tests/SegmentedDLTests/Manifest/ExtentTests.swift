import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Extents")
struct ExtentTests {
    private func list(_ starts: Int64...) -> ExtentList {
        ExtentList(starts.map { Extent(range: $0..<($0 + 10), fingerprint: UInt64($0)) })
    }

    @Test("are ordered, one for each first byte, and removed where bytes are freed")
    func order() {
        var list = list(20, 0, 10, 40)
        #expect(list.extents.map(\.range) == [0..<10, 10..<20, 20..<30, 40..<50])
        list.insert(Extent(range: 10..<15, fingerprint: 1))
        #expect(list.extents[1] == Extent(range: 10..<15, fingerprint: 1))
        #expect(list.covered == Manifest.rangeSet([[0, 15], [20, 30], [40, 50]], within: 100))
        list.remove(overlapping: 15..<21)
        #expect(list.extents.map(\.range) == [0..<10, 10..<15, 40..<50])
    }

    @Test("report which of them are new or have grown")
    func added() {
        var later = list(0, 10, 20)
        later.insert(Extent(range: 10..<18, fingerprint: 7))
        #expect(later.added(to: list(0, 10)).map(\.range) == [10..<18, 20..<30])
        #expect(later.added(to: later).isEmpty)
        #expect(later.added(to: ExtentList()) == later.extents)
        #expect(list(0).added(to: list(0, 10)).isEmpty)
    }

    @Test("are at most a few thousand, of 4 MiB at least")
    func lengths() {
        #expect(Extent.length(total: 1) == 4 << 20)
        #expect(Extent.length(total: 16 << 30) == 4 << 20)
        for total: Int64 in [(16 << 30) + 4096, 100 << 30, 1 << 40, .max / 2] {
            #expect(total / Extent.length(total: total) <= 4096)
            #expect(total / Extent.length(total: total) > 2047)
        }
    }

    @Test("have one textual form")
    func text() throws {
        let extent = Extent(range: 0..<4_194_304, fingerprint: 0x9f)
        #expect(extent.text == "0-4194304:9f")
        #expect(Extent("0-4194304:9f") == extent)
        for text in [
            "", "0-1", "0-1:", "1-1:0", "2-1:0", "0-1:x", "00-1:0", "0-1:0f", "0-1:F", "-1-1:0", "0:1-0",
        ] {
            #expect(Extent(text) == nil, "\(text)")
        }
    }
}

@Suite("Fingerprints of written bytes")
struct ExtentRecorderTests {
    private static let length: Int64 = 4 << 20
    private static let total = 3 * length
    private static let content = [UInt8](
        (0..<Int(total)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    private let directory: ScratchDirectory
    private let part: PartFile

    init() throws {
        directory = try ScratchDirectory()
        part = try PartFile(DownloadPaths(directory.file("x")))
        try Self.content.withUnsafeBytes { bytes in try part.write(bytes, at: 0) }
    }

    private func recorder(_ list: ExtentList = ExtentList()) throws -> ExtentRecorder {
        try #require(ExtentRecorder(list, total: Self.total))
    }

    @discardableResult
    private func write(_ range: ByteRange, to recorder: ExtentRecorder) -> [Extent] {
        Self.content[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes {
            recorder.wrote($0, at: range.lowerBound)
        }
    }

    @Test("an extent grows with consecutive writes, and ends at a multiple of its length")
    func growth() throws {
        let recorder = try recorder()
        #expect(write(100..<200, to: recorder).map(\.range) == [100..<200])
        #expect(write(200..<5000, to: recorder).map(\.range) == [100..<5000])
        // Another connection, at another offset.
        #expect(write(9000..<9100, to: recorder).map(\.range) == [9000..<9100])
        let rest = write(5000..<(Self.length + 3), to: recorder)
        #expect(rest.map(\.range) == [100..<Self.length, Self.length..<(Self.length + 3)])
        let more = write((Self.length + 3)..<(Self.length + 5), to: recorder)
        #expect(more.map(\.range) == [Self.length..<(Self.length + 5)])
        for extent in recorder.list.extents { #expect(try extent.isIntact(in: part), "\(extent.range)") }
    }

    @Test("an extent is invalid if a byte of it changes, or the file ends in it")
    func changes() throws {
        let recorder = try recorder()
        let extent = try #require(write(0..<1_000_000, to: recorder).last)
        #expect(try extent.isIntact(in: part))
        for position: Int64 in [0, 300_000, 999_999] {
            try [Self.content[Int(position)] ^ 1].withUnsafeBytes { try part.write($0, at: position) }
            #expect(try !extent.isIntact(in: part), "byte \(position)")
            try [Self.content[Int(position)]].withUnsafeBytes { try part.write($0, at: position) }
        }
        #expect(try extent.isIntact(in: part))
        let end = Extent(range: 0..<(Self.total + 1), fingerprint: extent.fingerprint)
        #expect(try !end.isIntact(in: part))
    }

    @Test("freed bytes have no fingerprint, and the next write starts its own")
    func takenBack() throws {
        let recorder = try recorder()
        write(0..<1000, to: recorder)
        write(5000..<6000, to: recorder)
        recorder.takeBack(900..<1000)
        #expect(recorder.list.extents.map(\.range) == [5000..<6000])
        #expect(write(1000..<1100, to: recorder).map(\.range) == [1000..<1100])
    }

    @Test("bytes of an earlier run without fingerprints are read, and invalid ones are dropped")
    func cover() throws {
        let known = Extent(range: 0..<1000, fingerprint: 1)
        let gone = Extent(range: 5000..<6000, fingerprint: 2)
        let recorder = try recorder(ExtentList([known, gone]))
        let written = Manifest.rangeSet([[0, 2000], [8000, Self.length + 10]], within: Self.total)
        try recorder.cover(written, of: part)
        let extents = recorder.list.extents
        #expect(
            extents.map(\.range)
                == [0..<1000, 1000..<2000, 8000..<Self.length, Self.length..<(Self.length + 10)])
        #expect(extents.first == known)
        for extent in extents.dropFirst() { #expect(try extent.isIntact(in: part)) }
    }
}

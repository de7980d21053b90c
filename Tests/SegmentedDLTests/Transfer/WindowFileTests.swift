import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The window of a file written to a descriptor")
struct WindowFileTests {
    private let directory: ScratchDirectory
    private let plan = SharedPlan(SegmentPlan(total: 10_000))
    private let window: WindowFile

    init() throws {
        directory = try ScratchDirectory()
        window = try WindowFile(in: directory.file("."), for: "pipe", size: 1024, plan: plan)
    }

    private func content(_ range: ByteRange) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
    }

    private func write(_ range: ByteRange) throws {
        try content(range).withUnsafeBytes { try window.write($0, at: range.lowerBound) }
    }

    private func read(_ range: ByteRange) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(range.length))
        let count = try bytes.withUnsafeMutableBytes { try window.read(into: $0, at: range.lowerBound) }
        return Array(bytes[..<count])
    }

    private var horizon: Int64? { plan.snapshot.horizon }

    @Test("each byte is found at its offset, even across the end of the file")
    func wraps() throws {
        try write(100..<900)
        try write(900..<1100)
        #expect(try read(100..<1100) == content(100..<1100))
        try write(5000..<6024)
        #expect(try read(5000..<6024) == content(5000..<6024))
    }

    @Test("its file has no name, and needs only the space of the window")
    func unnamed() throws {
        try write(9000..<9500)
        #expect(try directory.names().isEmpty)
    }

    @Test("written bytes make space for later ones, except for a part that is kept")
    func room() {
        #expect(horizon == 1024)
        window.handedOn(upTo: 500)
        #expect(horizon == 1396)
        #expect(window.readable(ByteRangeSet(0..<600)) == ByteRangeSet(372..<600))
        #expect(WindowFile.room(of: 1024, for: 1025) == 1024 - 128)
        #expect(WindowFile.room(of: 1024, for: 1024) == 1024)
    }

    @Test("nothing is released while a comparison holds it, and all of it afterwards")
    func holds() {
        window.handedOn(upTo: 500)
        window.hold()
        window.hold()
        window.handedOn(upTo: 1000)
        #expect(horizon == 1396)
        window.letGo()
        #expect(horizon == 1396)
        #expect(window.readable(ByteRangeSet(0..<1000)) == ByteRangeSet(372..<1000))
        window.letGo()
        #expect(horizon == 1896)
    }

    @Test("a directory without space or write permission is an error")
    func fails() {
        #expect(throws: StorageError.self) {
            try WindowFile(in: directory.file("missing"), for: "pipe", size: 1024, plan: plan)
        }
    }
}

import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("The first bytes of a file")
struct FileBeginningTests {
    private let content = TestContent(seed: 3).bytes(0..<2000)

    private func beginning(_ bytes: [UInt8]) -> FileBeginning {
        let beginning = FileBeginning()
        bytes.withUnsafeBytes { beginning.note($0, at: 0) }
        return beginning
    }

    private func isSame(_ beginning: FileBeginning, _ part: [UInt8]) -> Bool {
        part.withUnsafeBytes { beginning.isSame(as: $0) }
    }

    @Test("a part that begins with them is detected, and no other one")
    func same() {
        let beginning = beginning(content)
        for count in [16, 511, 512, 513, 2000] { #expect(isSame(beginning, Array(content[..<count]))) }
        #expect(!isSame(beginning, Array(content[1...])))
        #expect(isSame(beginning, Array(content[..<512]) + [0, 0]))
        #expect(!isSame(beginning, Array(content[..<511]) + [content[511] ^ 1]))
    }

    @Test("few bytes, and identical ones, prove nothing")
    func nothing() {
        #expect(!isSame(beginning(content), Array(content[..<15])))
        #expect(!isSame(beginning(Array(content[..<15])), content))
        #expect(!isSame(FileBeginning(), content))
        let zeros = [UInt8](repeating: 0, count: 1000)
        #expect(!isSame(beginning(zeros), zeros))
    }

    @Test("they are assembled from pieces in order, and forgotten")
    func pieces() {
        let beginning = FileBeginning()
        for range in [0..<10, 300..<400, 10..<300, 5..<20, 300..<2000] {
            content[range].withUnsafeBytes { beginning.note($0, at: Int64(range.lowerBound)) }
        }
        #expect(isSame(beginning, content))
        beginning.forget()
        #expect(!isSame(beginning, content) && beginning.contrast(total: 2000) == nil)
    }

    @Test("the bytes from the second one on differ from them, even in a repetitive file")
    func contrast() throws {
        let repeated = (0..<2000).map { UInt8($0 % 2) }
        for bytes in [content, repeated] {
            let beginning = beginning(bytes)
            let (range, wanted) = try #require(beginning.contrast(total: 2000))
            #expect(range == 1..<513 && wanted == Array(bytes[1..<513]))
            #expect(!isSame(beginning, wanted))
        }
        #expect(beginning(Array(content[..<16])).contrast(total: 2000) == nil)
        #expect(beginning(Array(content[..<16])).contrast(total: nil) == nil)
    }

    @Test("all bytes of a short file suffice", arguments: [2, 15, 16])
    func short(length: Int) throws {
        let whole = beginning(Array(content[..<length]))
        let (range, wanted) = try #require(whole.contrast(total: Int64(length)))
        #expect(range == 1..<Int64(length) && wanted == Array(content[1..<length]))
        #expect(whole.contrast(total: Int64(length) + 1) == nil)
    }

    @Test("a file of one byte has no other part")
    func single() {
        #expect(beginning([7]).contrast(total: 1) == nil && beginning([]).contrast(total: 0) == nil)
    }

    @Test("bytes that are received again continue the known ones")
    func overlap() {
        let beginning = beginning(Array(content[..<5]))
        #expect(!beginning.isKnown)
        content.withUnsafeBytes { beginning.note($0, at: 0) }
        #expect(beginning.isKnown && isSame(beginning, content))
    }

    @Test("a repetitive file is compared once for each connection, and arrives in parts")
    func repeats() async throws {
        let directory = try TemporaryDirectory()
        let block = TestContent(seed: 5).bytes(0..<100_000)
        let file = Array(repeatElement(block, count: 12).joined())
        let engine = MemoryEngine { request, _ in .honest(file, request.range) }
        var configuration = Configuration()
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = 64 * 1024
        configuration.retry.retries = 0
        let downloader = Downloader(configuration: configuration, engine: engine)
        let request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        let result = try await downloader.start(request).result
        #expect(try directory.read("file") == file)
        #expect(result.bytesReceived < 2 * result.length)
        let compared = engine.requests.count { $0.range == .exactly(1..<513) }
        #expect(compared <= 3, "\(engine.requests.map(\.range))")
        await downloader.shutdown()
    }
}

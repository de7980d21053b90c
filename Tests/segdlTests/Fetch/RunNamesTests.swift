import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("The names of a run's files")
struct RunNamesTests {
    private func names(
        _ urls: [String], _ policy: ExistingFilePolicy = .fail,
        to destination: DownloadRequest.Destination = .directory("d"), mergesLetters: Bool = false
    ) throws -> RunNames {
        let requests = try urls.map { url in
            var request = try DownloadRequest(url, to: destination)
            request.ifExists = policy
            return request
        }
        return RunNames(RunRequests(requests.map { .success($0) }), mergesLetters: { _ in mergesLetters })
    }

    private func owner(_ url: String) throws -> NameOwner { .path(of: try Source(url)) }

    private let urls = ["http://a/x.bin", "http://a/y.bin", "http://b/x.bin", "http://c/x.bin?q=1"]

    @Test("belong to the first URL, even if another one is answered first")
    func order() throws {
        let names = try names(urls)
        #expect(try names.take("d/x.bin", for: 3) == owner(urls[0]))
        #expect(try names.take("d/x.bin", for: 2) == owner(urls[0]))
        #expect(names.take("./d/x.bin", for: 0) == nil && names.take("d/y.bin", for: 1) == nil)
    }

    @Test("known only from responses belong to the file that requests them first")
    func answers() throws {
        let names = try names(urls)
        #expect(names.take("d/z.bin", for: 2) == nil)
        #expect(try names.take("d/z.bin", for: 1) == owner(urls[2]))
        #expect(names.take("d/z.bin", for: 2) == nil)
        #expect(try names.take("d/y.bin", for: 2) == owner(urls[1]))
    }

    @Test("are numbered in the order of the URLs")
    func renamed() throws {
        let names = try names(urls + ["http://a/x.1.bin"], .rename)
        #expect(try names.take("d/x.1.bin", for: 3) == owner(urls[2]))
        #expect(names.take("d/x.2.bin", for: 3) == nil && names.take("d/x.1.bin", for: 2) == nil)
        #expect(try names.take("d/x.2.bin", for: 2) == owner(urls[3]))
    }

    @Test("that differ in case belong to the first file on a case-insensitive file system")
    func letters() throws {
        let urls = ["http://a/X.bin", "http://a/x.bin", "http://a/d/y.bin"]
        for merges in [true, false] {
            let names = try names(urls, mergesLetters: merges)
            func owner(_ path: FilePath) -> NameOwner? { merges ? .spelling(path) : nil }
            #expect(names.take("d/x.bin", for: 1) == owner("d/X.bin"))
            #expect(names.take("d/X.bin", for: 0) == nil && names.take("d/y.bin", for: 2) == nil)
            // Both names are known only from responses; then one of them is known before.
            #expect(names.take("d/ÄB.bin", for: 2) == nil)
            #expect(names.take("d/äb.bin", for: 1) == owner("d/ÄB.bin"))
            #expect(names.take("d/ÄB.bin", for: 2) == nil)
            #expect(names.take("D/Y.bin", for: 0) == owner("d/y.bin"))
        }
    }

    @Test("given by the caller are refused before anything starts")
    func refused() throws {
        let names = try names(urls, to: .file("f"))
        #expect(names.refused == [1, 2, 3])
        let request = try DownloadRequest(urls[1], to: .file("f"))
        let error = try #require(names.refusal(request, 1))
        #expect(error.exitStatus == 64 && error.message.contains("http://a/x.bin, and of http://a/y.bin"))
        #expect(names.refusal(try DownloadRequest(urls[0], to: .file("f")), 0) == nil)
        #expect(names.refusal(try DownloadRequest(urls[1], to: .directory("d")), 1) == nil)
    }

    @Test("that differ only in the query are distinguished")
    func query() throws {
        let error = DownloadError.sameName(
            "x", of: try Source("http://a/x?v=2"), and: try Source("http://a/x?v=1"))
        #expect(error.message.contains("and of the same URL with another query"))
    }
}

import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The proof of a mirror's later runs")
struct MirrorProofTests {
    private let directory: TemporaryDirectory
    private let site = MirroredSite()

    init() throws {
        directory = try TemporaryDirectory()
        site.change { state in
            state.pages = ["": MirroredSite.page("a.txt", "b.txt")]
            state.files = ["a.txt": "a", "b.txt": "b"]
        }
    }

    private func run(writesProof: Bool = true) async throws -> MirrorReport {
        let job = MirrorJob.remembering(below: directory) { $0.proof = writesProof ? $0.root : nil }
        return try await site.mirror(job).report
    }

    private func list(_ names: String...) {
        site.change { $0.pages = ["": MirroredSite.page(names)] }
    }

    private var names: [String] {
        get throws {
            String(decoding: try directory.read("root/SHA256SUMS"), as: UTF8.self)
                .split(separator: "\n").map { String($0.suffix(5)) }
        }
    }

    private var identities: [FileIdentity?] {
        ["SHA256SUMS", "segdl-mirror.jsonl"].map { .ofFile(at: directory.filePath("root/" + $0)) }
    }

    @Test("is unchanged while nothing changes")
    func unchanged() async throws {
        #expect(try await run().isComplete)
        let before = identities
        for _ in 0..<2 {
            #expect(try await run().skipped == 2)
            #expect(identities == before)
        }
        site.change { $0.files["a.txt"] = "new" }
        #expect(try await run().completed == 1)
        #expect(zip(identities, before).allSatisfy { $0 != $1 })
        #expect(try names == ["a.txt", "b.txt"])
    }

    @Test("says who states the digest of a file, also in later runs that do not fetch the file")
    func origins() async throws {
        let source = MirrorSource.list(try Source("http://host/SHA256SUMS"), .checksums)
        let job = MirrorJob.remembering(below: directory) { $0.proof = $0.root }
        func digest(_ text: String) -> String { Digest.sha256(Array(text.utf8)) }
        for second in ["b", "new"] {
            site.change { state in
                state.files["b.txt"] = second
                state.files["SHA256SUMS"] = "\(digest("a"))  a.txt\n\(digest(second))  b.txt\n"
            }
            #expect(try await site.mirror(job, source).report.isComplete)
            let lines = String(decoding: try directory.read("root/segdl-mirror.jsonl"), as: UTF8.self)
                .split(separator: "\n")
            for (line, text) in zip(lines, ["a", second]) {
                #expect(
                    line.contains(
                        #""proof":{"digest":"sha256=\#(digest(text))","document":"http://host/SHA256SUMS","field":null,"other_host":false,"signature":null},"sha256""#
                    ), "\(line)")
            }
        }
    }

    @Test("names the host that states the digest")
    func hosts() throws {
        let digest = try Checksum(.sha256, String(repeating: "a", count: 64))
        let url = try Source("https://files.example/a")
        let item = MirrorItem([url], path: try RelativePath("a"))
        func text(_ proofs: [DigestProof], server: Source?) throws -> String? {
            let copy = CompleteCopy(
                identity: FileIdentity(inode: 1, size: 1, modified: 1), digests: [digest],
                validators: Validators(etag: nil, lastModified: nil), proofs: proofs, server: server)
            let source = MirrorSource.packages(try Source("https://index.example/simple/a/"))
            return CopyProof(of: copy, item, in: source)?.text
        }
        let listed = DigestProof(digest, isRequested: true)
        #expect(
            try text([listed], server: url)
                == #"{"digest":"\#(digest)","document":"https://index.example/simple/a/","field":null,"other_host":true,"signature":null}"#
        )
        #expect(try text([listed], server: nil)?.contains(#""other_host":false"#) ?? false)
        #expect(
            try text([DigestProof(digest, isRequested: false, field: "Repr-Digest")], server: url)
                == #"{"digest":"\#(digest)","document":null,"field":"Repr-Digest","other_host":false,"signature":null}"#
        )
        #expect(try text([], server: url) == nil)
        // A composite checksum counts only if nothing states a digest of the file itself.
        var composite = DigestProof(digest, isRequested: false, field: "x-amz-checksum-sha256")
        composite.parts = 2
        #expect(
            try text([composite], server: url)
                == #"{"digest":"\#(digest)","document":null,"field":"x-amz-checksum-sha256","other_host":false,"parts":2,"signature":null}"#
        )
        let shorter = DigestProof(try Checksum(.crc32, "0badcafe"), isRequested: false, field: "Digest")
        #expect(
            try text([composite, shorter], server: url)?.hasPrefix(#"{"digest":"crc32=0badcafe""#) ?? false)
    }

    @Test("is a list, from which the library reads the files and checks them")
    func readBack() async throws {
        _ = try await run()
        let proof = directory.filePath("root/segdl-mirror.jsonl")
        let entries = site.downloader().entries(of: .file(proof, .jsonLines, base: nil))
        let list = try await ChecksumList(entries)
        try directory.write("other", to: "root/b.txt")
        var found: [String] = []
        for try await check in list.checks(in: directory.filePath("root")) {
            found.append("\(check.entry.name) \(check.isRight)")
        }
        #expect(found == ["a.txt true", "b.txt false"])
    }

    @Test("lists other files, even if their number is the same")
    func otherFiles() async throws {
        _ = try await run()
        list("a.txt")
        _ = try await run()
        #expect(try names == ["a.txt"])
        list("b.txt")
        #expect(try await run().skipped == 1)
        #expect(try names == ["b.txt"])
    }

    @Test("does not list a failed file instead of a restored one")
    func failed() async throws {
        _ = try await run()
        list("a.txt")
        _ = try await run()
        list("a.txt", "b.txt")
        site.change { $0.files["a.txt"] = nil }
        let report = try await run()
        #expect(report.failed == 1 && report.skipped == 1)
        #expect(try names == ["b.txt"])
    }

    @Test("includes changes of a run that wrote none")
    func skippedRun() async throws {
        _ = try await run()
        let before = try directory.read("root/SHA256SUMS")
        site.change { $0.files["a.txt"] = "new" }
        _ = try await run(writesProof: false)
        #expect(try directory.read("root/SHA256SUMS") == before)
        #expect(try await run().skipped == 2)
        #expect(try directory.read("root/SHA256SUMS") != before)
    }

    @Test("is restored after it was removed")
    func removed() async throws {
        _ = try await run()
        let before = try directory.read("root/SHA256SUMS")
        try directory.remove("root/SHA256SUMS")
        _ = try await run()
        #expect(try directory.read("root/SHA256SUMS") == before)
    }

    @Test("is found again in a directory that was moved or copied", arguments: [["mv"], ["cp", "-a"]])
    func moved(tool: [String]) async throws {
        _ = try await run()
        let move = tool + [directory.file("root"), directory.file("moved")]
        try #require(await ChildProcess("/usr/bin/env", move).result().status == 0)
        site.change { $0.files["a.txt"] = "new" }
        let job = MirrorJob.remembering(below: directory) { job in
            job.root = directory.filePath("moved")
            job.state = MirrorJob.defaultState(in: job.root)
            job.proof = job.root
        }
        let report = try await site.mirror(job).report
        #expect(report.isComplete && report.completed == 1 && report.skipped == 1)
        let digest = try await FileDigest.compute([.sha256], of: job.root.appending("a.txt"))[0]
        let sums = String(decoding: try directory.read("moved/SHA256SUMS"), as: UTF8.self)
        #expect(sums.contains(digest.hexadecimal))
        #expect(try names(in: "moved") == ["SHA256SUMS", "a.txt", "b.txt", "segdl-mirror.jsonl"])
    }

    @Test("is found again by its content, if its date and inode are others, and another file is not")
    func copied() async throws {
        _ = try await run()
        func env(_ arguments: [String]) async throws {
            try #require(await ChildProcess("/usr/bin/env", arguments).result().status == 0)
        }
        try await env(["cp", "-r", directory.file("root"), directory.file("copy")])
        let job = MirrorJob.remembering(below: directory) { job in
            job.root = directory.filePath("copy")
            job.state = MirrorJob.defaultState(in: job.root)
            job.proof = job.root
        }
        let proofs = ["SHA256SUMS", "segdl-mirror.jsonl"]
        for (content, date) in [("new", "2020-01-01"), ("newer", "2021-01-01")] {
            try await env(["touch", "-d", date] + proofs.map { directory.file("copy/" + $0) })
            site.change { $0.files["a.txt"] = content }
            #expect(try await site.mirror(job).report.isComplete)
            let sums = String(decoding: try directory.read("copy/SHA256SUMS"), as: UTF8.self)
            #expect(sums.contains(Digest.sha256(content.utf8)), "\(sums)")
            #expect(try names(in: "copy") == ["SHA256SUMS", "a.txt", "b.txt", "segdl-mirror.jsonl"])
        }
        // Of the same length.
        let foreign = try directory.read("copy/SHA256SUMS").map {
            $0 == UInt8(ascii: "a") ? UInt8(ascii: "b") : $0
        }
        try directory.write(String(decoding: foreign, as: UTF8.self), to: "copy/SHA256SUMS")
        site.change { $0.files["a.txt"] = "last" }
        #expect(try await site.mirror(job).report.isComplete)
        #expect(try directory.read("copy/SHA256SUMS") == foreign)
        let sums = String(decoding: try directory.read("copy/SHA256SUMS.segdl"), as: UTF8.self)
        #expect(sums.contains(Digest.sha256("last".utf8)))
    }

    private func loseState() throws {
        for name in try TemporaryDirectory.names(of: directory.file("root"))
        where name.hasPrefix(".segdl-mirror.sqlite") {
            try directory.remove("root/" + name)
        }
    }

    @Test("is written in place of the one before, if the state was lost")
    func lostState() async throws {
        _ = try await run()
        for content in ["new", "newer", "newest"] {
            try loseState()
            site.change { $0.files["a.txt"] = content }
            let report = try await run()
            #expect(report.isComplete, "\(report)")
            let sums = String(decoding: try directory.read("root/SHA256SUMS"), as: UTF8.self)
            #expect(sums.contains(Digest.sha256(content.utf8)), "\(sums)")
            #expect(try names(in: "root") == ["SHA256SUMS", "a.txt", "b.txt", "segdl-mirror.jsonl"])
        }
    }

    @Test("is not written in place of a list by another program, or of another source, if the state was lost")
    func lostStateOfOthers() async throws {
        _ = try await run()
        try loseState()
        let line = try #require(
            String(decoding: directory.read("root/segdl-mirror.jsonl"), as: UTF8.self)
                .split(separator: "\n").first)
        let own = String(line.replacing("http://host/", with: "http://other/")) + "\n"
        let sums = "\(Digest.sha256("x".utf8))  a.txt\n"
        try directory.write(sums, to: "root/SHA256SUMS")
        #expect(try await run().isComplete)
        // The proof was this mirror's, so only the other program's list is kept.
        #expect(try directory.read("root/SHA256SUMS") == Array(sums.utf8))
        #expect(try names(in: "root").contains("SHA256SUMS.segdl"))
        try loseState()
        try directory.remove("root/SHA256SUMS.segdl")
        try directory.write(own, to: "root/segdl-mirror.jsonl")
        #expect(try await run().isComplete)
        #expect(try directory.read("root/segdl-mirror.jsonl") == Array(own.utf8))
        #expect(try names(in: "root").contains("segdl-mirror.segdl.jsonl"))
    }

    @Test("is written again if a kill preceded the rename of the newer one")
    func killedBeforeRename() async throws {
        _ = try await run()
        for name in ["SHA256SUMS", "segdl-mirror.jsonl"] {
            try directory.rename("root/" + name, to: "root/" + name + ".segdl-new")
            try directory.write("earlier", to: "root/" + name)
        }
        #expect(try await run().isComplete)
        #expect(try names == ["a.txt", "b.txt"])
        #expect(try names(in: "root") == ["SHA256SUMS", "a.txt", "b.txt", "segdl-mirror.jsonl"])
    }

    @Test("keeps files without versions on the server, as long as the local ones are unchanged")
    func withoutValidators() async throws {
        site.change { $0.etags = ["a.txt": "", "b.txt": ""] }
        for _ in 0..<2 {
            let job = MirrorJob.remembering(below: directory) {
                $0.proof = $0.root
                $0.ifExists = .skip
            }
            #expect(try await site.mirror(job).report.isComplete)
            #expect(try names == ["a.txt", "b.txt"])
        }
    }

    @Test("does not list a file that was kept although it differs")
    func leftAsItIs() async throws {
        _ = try await run()
        try directory.write("own", to: "root/a.txt")
        let job = MirrorJob.remembering(below: directory) {
            $0.proof = $0.root
            $0.ifExists = .skip
        }
        #expect(try await site.mirror(job).report.isComplete)
        #expect(try names == ["b.txt"])
        #expect(try directory.read("root/a.txt") == Array("own".utf8))
    }

    /// The names of all files except the state's.
    private func names(in root: String) throws -> [String] {
        try TemporaryDirectory.names(of: directory.file(root)).filter { !$0.hasPrefix(".") }
            .sorted()
    }
}

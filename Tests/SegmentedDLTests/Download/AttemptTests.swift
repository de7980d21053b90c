import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("The attempt after a failed one")
struct AttemptTests {
    private func first(
        sources: Int = 1, startsOver: Bool = false, followsLinks: Bool = false
    ) throws -> Attempt {
        var request = try DownloadRequest("http://a.example/file", to: .directory("."))
        for number in 1..<max(sources, 1) {
            request.mirrors.append(try Source("http://mirror\(number).example/file"))
        }
        request.startsOver = startsOver
        request.followsLinks = followsLinks
        return Attempt(for: request)
    }

    private let wrongPieces = TransferFailure.other(DownloadError(.checksumMismatch, "x"))

    @Test("the first one follows the request")
    func initial() throws {
        let plain = try first()
        #expect(
            !plain.restarts && !plain.usesMetalink && plain.excludedSources.isEmpty && plain.reason == nil)
        let other = try first(startsOver: true, followsLinks: true)
        #expect(other.restarts && other.usesMetalink)
    }

    @Test("a changed file is fetched from its first byte, and as one stream if it keeps changing")
    func changed() throws {
        let attempt = try first(followsLinks: true)
        let next = try #require(attempt.next(after: TransferFailure.changed("its ETag"), .init()))
        #expect(next.restarts && next.usesMetalink && next.excludedSources.isEmpty)
        #expect(next.reason == "its ETag changed on the server; starting over")
        #expect(!next.isStream)
        var stream = try #require(next.next(after: TransferFailure.changed("its ETag"), .init(source: 0)))
        #expect(stream.restarts && stream.isStream && stream.reason?.contains("one connection") == true)
        for _ in 3...5 {
            let findings = Attempt.Findings(source: 0, isStream: true)
            stream = try #require(stream.next(after: TransferFailure.changed("its ETag"), findings))
            #expect(stream.isStream)
        }
        #expect(
            stream.next(after: TransferFailure.changed("its ETag"), .init(source: 0, isStream: true)) == nil)
    }

    @Test("a file whose bytes may be another's is requested alone, once")
    func mixedUp() throws {
        let attempt = try first()
        #expect(attempt.mayPipeline)
        let next = try #require(attempt.next(after: TransferFailure.mixedUp, .init()))
        #expect(!next.mayPipeline && !next.restarts && next.excludedSources.isEmpty)
        #expect(next.next(after: TransferFailure.mixedUp, .init()) == nil)
        #expect(next.next(after: TransferFailure.changed("its ETag"), .init())?.mayPipeline == false)
    }

    @Test(
        "another program's file that is not the beginning follows the policy for existing files, once",
        arguments: ExistingFilePolicy.allCases)
    func notContinued(policy: ExistingFilePolicy) throws {
        var request = try DownloadRequest("http://a.example/file", to: .directory("."))
        (request.takesOver, request.ifExists) = (true, policy)
        let attempt = Attempt(for: request)
        let error = NotContinued(error: DownloadError(.badPath, "x"))
        #expect(attempt.takesOver)
        let next = attempt.next(after: error, .init())
        #expect((next == nil) == (policy == .fail || policy == .skip))
        #expect(next?.takesOver != true && next?.next(after: error, .init()) == nil)
    }

    @Test("another program's file that is to be kept is not numbered, and a reason states what was compared")
    func keptUnfinished() throws {
        var request = try DownloadRequest("http://a.example/file", to: .directory("."))
        request.takesOver = true
        for policy in ExistingFilePolicy.allCases {
            request.ifExists = policy
            let attempt = Attempt(for: request, keepsUnfinished: true)
            for isCompared in [true, false] {
                let error = NotContinued(error: DownloadError(.badPath, "x"), isCompared: isCompared)
                let next = attempt.next(after: error, .init())
                #expect((next != nil) == policy.replaces, "\(policy)")
                #expect(
                    next?.reason?.contains("is not the beginning") ?? isCompared == isCompared, "\(policy)")
            }
        }
    }

    @Test("if no source has the pieces of a server's Metalink, the file is fetched without it")
    func wrongMetalink() throws {
        let attempt = try first(startsOver: true, followsLinks: true)
        let findings = Attempt.Findings(source: 0, hasMetalinkPieces: true)
        let next = try #require(attempt.next(after: wrongPieces, findings))
        #expect(!next.restarts && !next.usesMetalink && next.reason?.contains("Metalink") == true)
        #expect(next.next(after: wrongPieces, .init(source: 0)) == nil)
    }

    @Test("a wrong digest of a whole file, or of the caller's pieces, is final")
    func wrongDigest() throws {
        let attempt = try first(followsLinks: true)
        let whole = DownloadError(.checksumMismatch, "x")
        #expect(attempt.next(after: whole, .init(source: 0, hasMetalinkPieces: true)) == nil)
        #expect(attempt.next(after: wrongPieces, .init(source: 0)) == nil)
    }

    @Test("a failing source without ranges gets one attempt, and so does each of the others")
    func streams() throws {
        var attempt = try first(sources: 3, startsOver: true)
        for index in 0..<2 {
            attempt = try #require(
                attempt.next(after: TransferFailure.shortBody, .init(source: index, isStream: true)))
            #expect(attempt.excludedSources == Set(0...index))
            #expect(attempt.restarts && attempt.reason == nil)
        }
        #expect(attempt.next(after: TransferFailure.shortBody, .init(source: 2, isStream: true)) == nil)
        let single = try first()
        #expect(single.next(after: TransferFailure.shortBody, .init(source: 0, isStream: true)) == nil)
    }

    @Test("sources without ranges have few retries while others can be tried, and then each has all of them")
    func hurried() throws {
        var attempt = try first(sources: 3)
        var excluded: [Set<Int>] = []
        for source in [0, 1, 2, 0] {
            let findings = Attempt.Findings(
                source: source, isStream: true, isHurried: attempt.mayTryOthers)
            attempt = try #require(attempt.next(after: TransferFailure.shortBody, findings))
            excluded.append(attempt.excludedSources)
        }
        #expect(excluded == [[0], [0, 1], [2], [0, 2]] && !attempt.mayTryOthers)
        #expect(attempt.next(after: TransferFailure.shortBody, .init(source: 1, isStream: true)) == nil)
        #expect(try !first().mayTryOthers)
    }

    @Test("a source that had few retries is tried again if the others do not have the file")
    func hurriedAlone() throws {
        let attempt = try #require(
            try first(sources: 2).next(
                after: TransferFailure.shortBody, .init(source: 0, isStream: true, isHurried: true)))
        #expect(attempt.excludedSources == [0] && !attempt.mayTryOthers)
        let next = try #require(attempt.next(after: TransferFailure.shortBody, .init()))
        #expect(next.excludedSources.isEmpty && !next.mayTryOthers)
        #expect(next.next(after: TransferFailure.shortBody, .init()) == nil)
        #expect(attempt.next(after: DownloadError(.diskFull, "x"), .init()) == nil)
    }

    @Test("a source that had few retries is not tried again if more would not help")
    func hurriedInVain() throws {
        let mismatch = DownloadError(.checksumMismatch, "x")
        let attempt = try #require(
            try first(sources: 2).next(after: mismatch, .init(source: 0, isStream: true, isHurried: true)))
        #expect(attempt.excludedSources == [0])
        #expect(attempt.next(after: mismatch, .init(source: 1, isStream: true)) == nil)
    }

    @Test("another source may have changed too: it begins like the first one")
    func streamAfterChange() throws {
        let changed = try #require(
            try first(sources: 2).next(after: TransferFailure.changed("its length"), .init()))
        let next = try #require(
            changed.next(after: TransferFailure.shortBody, .init(source: 0, isStream: true)))
        #expect(!next.restarts)
        #expect(next.next(after: TransferFailure.changed("its length"), .init())?.excludedSources == [0])
    }

    @Test(
        "failures common to all sources are final",
        arguments: [
            CancellationError(), StorageError(action: "write", path: "x", errno: .noSpace),
            TransferFailure.storage(StorageError(action: "write", path: "x", errno: .noSpace)),
            DownloadError(.locked, "x"), DownloadError(.diskFull, "x"),
        ] as [any Error])
    func endings(error: any Error) throws {
        let attempt = try first(sources: 2)
        #expect(attempt.next(after: error, .init(source: 0, isStream: true)) == nil)
    }

    @Test("with ranges, the transfer itself has tried all sources")
    func ranges() throws {
        let attempt = try first(sources: 2)
        #expect(attempt.next(after: TransferFailure.shortBody, .init(source: 0)) == nil)
        #expect(attempt.next(after: TransferFailure.shortBody, .init()) == nil)
    }
}

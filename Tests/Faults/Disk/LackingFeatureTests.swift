import Foundation
import SegmentedDL
import SystemPackage
import TestSupport
import Testing

/// Downloads on file systems that lack a feature, like Lustre without flock, CIFS, eCryptfs and FUSE.
@Suite(
    "A file system that lacks a feature", .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct LackingFeatureTests {
    /// A call that fails as on such a file system, and the message for the user.
    struct Lack: Sendable, CustomTestStringConvertible {
        let feature: FileSystemFeature
        let calls: [String]
        let errors: [Errno]
        let notice: String?

        var testDescription: String { feature.rawValue }
    }

    static let lacks = [
        Lack(
            feature: .locks, calls: ["flock"],
            errors: [.noFunction, .noLocks, .notSupported, .invalidArgument], notice: "has no locks"),
        Lack(
            feature: .dates, calls: ["futimens"],
            errors: [.notPermitted, .permissionDenied, .noFunction, .invalidArgument, .ioError],
            notice: "has no dates"),
        Lack(
            feature: .attributes, calls: ["fsetxattr"], errors: [.notSupported, .noSpace, .permissionDenied],
            notice: nil),
        Lack(
            feature: .reservedBlocks, calls: ["fallocate"],
            errors: [.notSupported, .notPermitted, .invalidArgument], notice: nil),
        Lack(
            feature: .exclusiveNames, calls: ["renameat2"],
            errors: [.invalidArgument, .noFunction, .notSupported, .notPermitted, .ioError], notice: nil),
        Lack(
            feature: .links, calls: ["renameat2", "link"],
            errors: [.invalidArgument, .notPermitted, .noFunction, .ioError], notice: nil),
        Lack(
            feature: .unnamedFiles, calls: ["unnamed"],
            errors: [.notSupported, .isDirectory, .noSuchFileOrDirectory], notice: nil),
        Lack(
            feature: .fileSync, calls: ["fdatasync"], errors: [.invalidArgument, .noFunction],
            notice: "has no sync of files"),
        Lack(
            feature: .directorySync, calls: ["fsync"],
            errors: [.invalidArgument, .notPermitted, .badFileDescriptor], notice: nil),
    ]

    @Test(
        "is worked around, for each error that indicates it: the exact file, status 0, one notice",
        arguments: lacks)
    func doneWithout(lack: Lack) async throws {
        for (number, error) in lack.errors.enumerated() {
            // Small files get their name in a different way.
            let isSmall = lack.feature == .unnamedFiles || number % 2 == 1 && lack.feature != .reservedBlocks
            let fixture = try await DiskFaultFixture(
                isSmall && lack.feature != .locks && !lack.calls.contains("renameat2") ? .small : .fresh)
            let run = try await fixture.run(
                Shim.Fault(kind: .failure(error.rawValue), call: 1, only: lack.calls, isLasting: true))
            let what = "\(lack.feature), \(error.symbol)"
            #expect(run.log.wasReached, "\(what)")
            #expect(run.result.status == 0, "\(what): \(run.result)")
            #expect(try fixture.mismatch() == nil, "\(what)")
            #expect(try fixture.names() == [DiskFaultFixture.name], "\(what)")
            let told = run.result.errors.components(separatedBy: "The file system of").count - 1
            #expect(told == (lack.notice == nil ? 0 : 1), "\(what): \(run.result.errors)")
            if let notice = lack.notice { #expect(run.result.errors.contains(notice), "\(what)") }
        }
    }

    @Test(
        "that cannot set lengths gets the bytes in order, over one connection",
        arguments: [EPERM, EOPNOTSUPP, EINVAL])
    func lengths(number: Int32) async throws {
        let fixture = try await DiskFaultFixture(.fresh)
        let run = try await fixture.run(
            Shim.Fault(
                kind: .failure(number), call: 1, only: ["fallocate", "ftruncate"], file: ".part",
                isLasting: true))
        #expect(run.log.wasReached)
        #expect(run.result.status == 0 && run.result.errors.contains("has no lengths"), "\(run.result)")
        #expect(try fixture.mismatch() == nil)
        #expect(try fixture.names() == [DiskFaultFixture.name])
        #expect(try await fixture.server.peak().peakConcurrent == 1)
    }

    @Test(
        "without an exclusive rename does not replace a file that appeared meanwhile",
        arguments: [EIO, EINVAL])
    func plainRename(number: Int32) async throws {
        let fixture = try await DiskFaultFixture(.fresh, query: "rate=20000")
        let process = try await fixture.start(
            Shim.Fault(kind: .failure(number), call: 1, only: ["renameat2", "link"], isLasting: true))
        try await fixture.directory.waitFor(DiskFaultFixture.name + ".part")
        try fixture.directory.write(DiskFaultFixture.old, to: DiskFaultFixture.name)
        let result = await process.resultUnlessItHangs()
        #expect(result.status == 5 && result.errors.contains("exists"), "\(result)")
        #expect(try fixture.directory.read(DiskFaultFixture.name) == Array(DiskFaultFixture.old.utf8))
    }

    @Test(
        "needed by a database is worked around: a mirror has its state, and keeps its copies",
        arguments: [(["flock", "lock"], ENOSYS), (["flock", "lock"], ENOLCK), (["mmap"], ENODEV)])
    func database(calls: [String], number: Int32) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("\(server.url("plain", 5_000, name: "a.bin", ""))\n", to: "list")
        let log = directory.file("log")
        for run in ["first", "second"] {
            let process = try Segdl.start(
                ["mirror", "--progress", "plain", "list", "tree"], in: directory,
                environment: try await Shim.environment(
                    watching: directory.file("tree"), log: log,
                    Shim.Fault(kind: .failure(number), call: 1, only: calls, isLasting: true)))
            let result = await process.resultUnlessItHangs()
            #expect(result.status == 0, "\(run): \(result)")
            if run == "second" {
                #expect(result.output.contains("1 kept") || result.errors.contains("1 kept"))
            }
        }
        let calls = CallLog(String(decoding: try directory.read("log"), as: UTF8.self))
        #expect(calls.wasReached)
    }
}

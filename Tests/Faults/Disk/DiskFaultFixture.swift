import Foundation
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// One download by the real command, in its own directory, with faults on demand.
struct DiskFaultFixture {
    /// The kinds of download that are tested with faults.
    enum Variant: String, CaseIterable, Sendable {
        /// In four segments, from the first byte.
        case fresh
        /// Resumes a killed run, with a checksum, for which all bytes are read again.
        case resumed
        /// One stream, because the server does not support ranges, into a directory that has to be created.
        case stream
        /// Replaces an older file.
        case replacement
        /// Smaller than a segment: the file has no name until it is complete.
        case small
        /// The same, replacing an older file.
        case smallReplacement

        var isSmall: Bool { self == .small || self == .smallReplacement }
        var replaces: Bool { self == .replacement || self == .smallReplacement }
    }

    /// The calls at which faults of a replacement are tested: only its last rename differs from a fresh
    /// download.
    static let lastCalls = ["lstat", "rename", "fsync", "unlink", "close"]

    static let size: Int64 = 1_200_000
    private static let smallSize: Int64 = 200_000
    static let name = "f.bin"

    let variant: Variant
    let size: Int64
    let server: TestServerProcess.Scenario
    let directory: TemporaryDirectory
    private let logs: TemporaryDirectory
    private let arguments: [String]

    init(_ variant: Variant, size: Int64? = nil, query: String = "", options: [String] = []) async throws {
        let size = size ?? (variant.isSmall ? Self.smallSize : Self.size)
        self.variant = variant
        self.size = size
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
        logs = try TemporaryDirectory()
        let url = server.url(variant == .stream ? "no-ranges" : "plain", size, name: Self.name, query)
        var arguments = ["fetch", "--progress", "plain", "-s", "4", "--min-segment-size", "256k"] + options
        switch variant {
        case .fresh, .small: arguments += ["-o", Self.name, url]
        case .resumed: arguments += ["--checksum", try await Self.checksum(size), "-o", Self.name, url]
        case .stream: arguments += ["-d", "new", url]
        case .replacement, .smallReplacement: arguments += ["--if-exists", "replace", "-o", Self.name, url]
        }
        self.arguments = arguments
        try await prepare()
    }

    /// The path of the final file.
    var file: String { variant == .stream ? "new/" + Self.name : Self.name }

    static let old = "what was there before"

    /// Computed by the system's tool, not by the code under test.
    private static func checksum(_ size: Int64) async throws -> String {
        let directory = try TemporaryDirectory()
        try TestContent(seed: 1).write(to: directory.file("f"), length: size)
        let sum = try await ChildProcess("/usr/bin/sha256sum", [directory.file("f")]).result()
        return "sha256=" + sum.output.prefix(64)
    }

    /// Creates the files that the variant finds when it starts.
    private func prepare() async throws {
        if variant.replaces { try directory.write(Self.old, to: Self.name) }
        guard variant == .resumed else { return }
        let first = try await run(Shim.Fault(kind: .killBefore, call: 3, only: ["pwrite"]))
        try #require(first.result.signal == SIGKILL, "\(first.result)")
    }

    struct Run {
        var result: ChildProcess.Result
        var log: CallLog
    }

    func start(_ fault: Shim.Fault? = nil, boot: String? = nil, log: String = "log") async throws
        -> ChildProcess
    {
        try? FileManager.default.removeItem(atPath: logs.file(log))
        return try Segdl.start(
            arguments, in: directory,
            environment: try await Shim.environment(
                watching: directory.path, log: logs.file(log), fault, boot: boot))
    }

    func run(_ fault: Shim.Fault? = nil, boot: String? = nil) async throws -> Run {
        let process = try await start(fault, boot: boot)
        return Run(result: await process.resultUnlessItHangs(), log: log())
    }

    func log(_ name: String = "log") -> CallLog {
        CallLog((try? logs.read(name)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    // MARK: Invariants

    /// The first byte that differs from the expected content; `nil` if the final file is exact.
    func mismatch() throws -> Int64? {
        try TestContent(seed: 1).firstMismatch(inFile: directory.file(file), length: size)
    }

    /// True if the final file exists, and is not the one that existed before.
    func isDone() throws -> Bool { try hasFinalFile && directory.read(file) != Array(Self.old.utf8) }

    /// The manifest's content; `nil` if there is no valid manifest.
    func manifest() throws -> Manifest? {
        try Self.manifest(directory.file(file))
    }

    static func manifest(_ file: String) throws -> Manifest? {
        guard case .manifest(let manifest) = try ManifestStore(DownloadPaths(FilePath(file))).load() else {
            return nil
        }
        return manifest
    }

    var hasFinalFile: Bool { FileManager.default.fileExists(atPath: directory.file(file)) }

    /// The names in the directory of the file.
    func names() throws -> [String] {
        let place = URL(fileURLWithPath: directory.file(file)).deletingLastPathComponent()
        return try TemporaryDirectory.names(of: place.path).sorted()
    }

    /// Expects that a final file is exact, or the one that existed before.
    func expectNoWrongFile(_ what: String) throws {
        guard hasFinalFile else { return }
        if try directory.read(file) == Array(Self.old.utf8) { return }
        let mismatch = try mismatch()
        #expect(mismatch == nil, "wrong from byte \(mismatch ?? -1): \(what)")
    }

    /// Expects that an undisturbed run produces the exact file and leaves nothing else.
    func expectRecovery(_ what: String) async throws {
        // Without a manifest, any existing file with that name is found.
        let wasComplete = try hasFinalFile && names() == [Self.name]
        let again = try await run()
        let isDone = again.result.status == 0 || (wasComplete && again.result.status == 5)
        #expect(isDone, "\(what), and then: \(again.result)")
        try #require(hasFinalFile, "\(what), and then no file: \(again.result)")
        let mismatch = try mismatch()
        #expect(mismatch == nil, "wrong from byte \(mismatch ?? -1) after: \(what)")
        #expect(try names() == [Self.name], "left behind after: \(what)")
    }
}

extension ChildProcess {
    /// Returns the result; ends a run that hangs, and reports that.
    func resultUnlessItHangs() async -> Result {
        let watchdog = Task {
            try await Task.sleep(for: .seconds(60))
            Issue.record("it hangs")
            send(SIGKILL)
        }
        defer { watchdog.cancel() }
        return await result()
    }
}

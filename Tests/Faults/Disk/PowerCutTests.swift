import Foundation
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// A power cut is simulated by the contents of the disk at one moment, without anything that is only in
/// memory. The disk is an image behind a loop device; it is copied while the download is stopped, and another
/// boot continues with the copy.
@Suite(
    "A power cut", .enabled(if: Shim.isAvailable && Disk.isAvailable, Comment(rawValue: Disk.reason)),
    .serialized)
struct PowerCutTests {
    private static let size: Int64 = 12_000_000
    private static let file = "f.bin"

    /// The state of a copy of the disk.
    private struct Finding: Sendable {
        var durable: Int64 = 0
        /// Bytes that were written but not yet durable; they may be wrong on the disk.
        var writtenOnly: Int64 = 0
        var wrongIfTrusted = false
    }

    @Test("at any moment is followed by a resume only from durable bytes")
    func randomMoments() async throws {
        let findings = try await Disk.with(.ext4, megabytes: 128) { disk in
            let copies = try TemporaryDirectory()
            var cuts: [String] = []
            let url = try await url()
            let process = try await start(url, on: disk)
            for number in 0..<8 * Rounds.factor {
                // The only use of time here: the moments are intended to be random.
                try await Task.sleep(for: .milliseconds(.random(in: 100...1000)))
                guard process.isRunning else { break }
                process.send(SIGSTOP)
                // In half of the rounds the kernel commits its journal first: names and lengths without the
                // bytes.
                if number % 2 == 0 { try await disk.commitJournal() }
                cuts.append(copies.file("cut\(number)"))
                try await disk.copyImage(to: copies.file("cut\(number)"))
                process.send(SIGCONT)
            }
            let result = await process.resultUnlessItHangs()
            #expect(result.status == 0, "\(result)")
            return try await resume(cuts, url)
        }
        report("random moments", findings)
        #expect(findings.contains { $0.durable > 0 })
    }

    @Test(
        "right after a manifest leaves bytes that are written but not durable: trusting them would be wrong")
    func behindManifests() async throws {
        let findings = try await cutsBehindManifests([])
        report("behind manifests", findings)
    }

    @Test("leaves nothing to trust with --durability process, and the download starts over")
    func processDurability() async throws {
        let findings = try await cutsBehindManifests(["--durability", "process"])
        report("--durability process", findings)
        #expect(findings.allSatisfy { $0.durable == 0 })
    }

    /// Cuts the power after a manifest is written, until one of them names bytes that are missing: a sync in
    /// progress may write them just in time.
    private func cutsBehindManifests(_ options: [String]) async throws -> [Finding] {
        var findings: [Finding] = []
        for round in 0..<12 where !findings.contains(where: { $0.wrongIfTrusted }) {
            findings += try await Disk.with(.ext4, megabytes: 128) { disk in
                let copies = try TemporaryDirectory()
                let url = try await url()
                // The first two are written before any byte.
                let fault = Shim.Fault(
                    kind: .stopAfter, call: 3 + round % 3, only: ["rename"], file: ".new")
                let process = try await start(url, on: disk, fault, options)
                try await waitUntilStopped(process)
                // The manifest's new name reaches the disk, but the bytes may not.
                try await disk.commitJournal()
                try await disk.copyImage(to: copies.file("cut"))
                process.send(SIGKILL)
                _ = await process.result()
                return try await resume([copies.file("cut")], url)
            }
        }
        #expect(findings.contains { $0.wrongIfTrusted }, "these cuts could not have shown a fault")
        return findings
    }

    // MARK: Before the cut

    private func url() async throws -> String {
        try await SharedServer.scenario().url("plain", Self.size, name: Self.file)
    }

    private func arguments(_ url: String, on disk: Disk) -> [String] {
        [
            "fetch", "--progress", "none", "-s", "4", "--min-segment-size", "256k", "-o",
            disk.file(Self.file), url,
        ]
    }

    private func start(
        _ url: String, on disk: Disk, _ fault: Shim.Fault? = nil, _ options: [String] = []
    ) async throws -> ChildProcess {
        // Limited here and not by the server, so that the next run can be faster.
        try Segdl.start(
            arguments(url, on: disk) + ["--limit-rate", "2m"] + options,
            environment: try await Shim.environment(watching: disk.path, log: "/dev/null", fault))
    }

    private struct NeverStopped: Error {}

    private func waitUntilStopped(_ process: ChildProcess) async throws {
        for _ in 0..<6000 {
            if process.isStopped() { return }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NeverStopped()
    }

    // MARK: After the cut

    private func resume(_ cuts: [String], _ url: String) async throws -> [Finding] {
        try await Rounds.run(cuts) { cut in
            try await Disk.with(image: cut) { disk in
                let finding = try look(at: disk)
                let home = try TemporaryDirectory()
                try home.write("another-boot\n", to: "boot")
                let environment = try await Shim.environment(
                    watching: disk.path, log: home.file("log"), boot: home.file("boot"))
                let result = try await Segdl.run(arguments(url, on: disk), environment: environment)
                #expect(result.status == 0, "\(result)")
                let mismatch = try TestContent(seed: 1).firstMismatch(
                    inFile: disk.file(Self.file), length: Self.size)
                #expect(mismatch == nil, "wrong from byte \(mismatch ?? -1)")
                return finding
            }
        }
    }

    /// Compares the manifest's claims with the disk.
    private func look(at disk: Disk) throws -> Finding {
        var finding = Finding()
        let file = disk.file(Self.file)
        guard let manifest = try DiskFaultFixture.manifest(file) else { return finding }
        // The cut may have happened after the file got its name, but before its manifest was removed.
        let hasName = FileManager.default.fileExists(atPath: file)
        let content = try FileHandle(forReadingFrom: URL(fileURLWithPath: hasName ? file : file + ".part"))
        defer { try? content.close() }
        let durable = Manifest.rangeSet(manifest.durable, within: manifest.total)
        for range in durable.ranges {
            let isExact = try isExact(range, content)
            #expect(isExact, "\(range) is said to be durable and is not there")
        }
        let writtenOnly = Manifest.rangeSet(manifest.written, within: manifest.total).subtracting(durable)
        finding.durable = durable.byteCount
        finding.writtenOnly = writtenOnly.byteCount
        finding.wrongIfTrusted = try !writtenOnly.ranges.allSatisfy { try isExact($0, content) }
        return finding
    }

    private func isExact(_ range: ByteRange, _ content: FileHandle) throws -> Bool {
        try content.seek(toOffset: UInt64(range.lowerBound))
        guard let bytes = try content.read(upToCount: Int(range.length)), bytes.count == range.length else {
            return false
        }
        return bytes.withUnsafeBytes {
            TestContent(seed: 1).firstMismatch(in: $0, at: range.lowerBound) == nil
        }
    }

    private func report(_ what: String, _ findings: [Finding]) {
        let wrong = findings.count(where: \.wrongIfTrusted)
        print(
            "power cuts, \(what): \(findings.count); durable bytes \(findings.map(\.durable)),",
            "written only \(findings.map(\.writtenOnly)); \(wrong) would be wrong if those were trusted")
    }
}

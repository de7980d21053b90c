import Foundation
import SegmentedDLSupport
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A signature of a list beside a file", .timeLimit(.minutes(10)))
struct SignatureTests {
    private let nginx: Nginx
    private let directory: TemporaryDirectory

    init() async throws {
        // Slow enough for the search to end first.
        nginx = try await Nginx(server: "autoindex on; location = /a.iso { limit_rate 400k; }")
        directory = try TemporaryDirectory()
        for (name, length) in ListSignatures.lengths {
            try Data(count: length).write(to: URL(filePath: nginx.root.file(name)))
        }
        try nginx.root.write(ListSignatures.list, to: "SHA256SUMS")
        try directory.write("untrusted comment: x\n\(ListSignatures.key)\n", to: "key.pub")
    }

    private func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(arguments, in: directory)
    }

    @Test("is verified by a key in a file, and named by the last line and JSON")
    func minisign() async throws {
        try nginx.root.write(ListSignatures.minisign, to: "SHA256SUMS.minisig")
        let plain = try await run(["--progress", "plain", "--proof-key", "key.pub", nginx.url("a.iso")])
        #expect(plain.status == 0, "\(plain)")
        let words = "(listed in SHA256SUMS, signed by the minisign key \(ListSignatures.keyID))"
        #expect((plain.output + plain.errors).contains(words), "\(plain)")
        let json = try await run([
            "--progress", "json", "--require-proof=signature", "--proof-key", ListSignatures.key,
            nginx.url("b.iso"),
        ])
        let signature = "\"signature\":{\"kind\":\"minisign\",\"key\":\"\(ListSignatures.keyID)\"}"
        #expect(json.status == 0 && json.output.contains(signature), "\(json)")
    }

    @Test("by another key fails only if a signature is required, and a forged one is reported")
    func wrong() async throws {
        try nginx.root.write(ListSignatures.otherMinisign, to: "SHA256SUMS.minisig")
        let required = ["--require-proof=signature", "--proof-key", "key.pub", nginx.url("b.iso")]
        let refused = try await run(required)
        #expect(refused.status == 4 && refused.errors.contains("--proof-key FILE"), "\(refused)")
        #expect(refused.errors.contains(ListSignatures.otherKeyID), "\(refused)")
        #expect(!directory.exists("b.iso"))
        try nginx.root.write(
            ListSignatures.minisign.replacingOccurrences(of: "lists of the test", with: "lists of the tesT"),
            to: "SHA256SUMS.minisig")
        let forged = try await run(["--proof-key", "key.pub", nginx.url("a.iso")])
        #expect(forged.status == 0 && forged.errors.contains("is not a signature of this list"), "\(forged)")
        #expect((forged.output + forged.errors).contains("(listed in SHA256SUMS)"), "\(forged)")
        #expect(try await run(required).errors.contains("is not a signature of this list"))
    }

    @Test("of OpenPGP is verified without the user's home, and requires gpgv")
    func openPGP() async throws {
        let key = try await OpenPGPKey()
        try directory.write(key.armored, to: "key.asc")
        try Data(await key.binarySignature(ListSignatures.list)).write(
            to: URL(filePath: nginx.root.file("SHA256SUMS.gpg")))
        try directory.makeDirectory("home")
        let options = ["--require-proof=signature", "--proof-key", "key.asc", "--progress", "json"]
        let found = try await Segdl.run(
            options + [nginx.url("b.iso")], in: directory,
            environment: ["HOME": directory.file("home"), "TMPDIR": directory.path])
        #expect(found.status == 0 && found.output.contains(key.fingerprint), "\(found)")
        #expect(try TemporaryDirectory.names(of: directory.file("home")).isEmpty)
        #expect(directory.names.allSatisfy { !$0.hasPrefix("segdl-") }, "\(directory.names)")
        let none = try await Segdl.run(
            options + ["-o", "c.iso", nginx.url("b.iso")], in: directory, environment: ["PATH": "/nowhere"])
        #expect(none.status == 4 && none.output.contains("gpgv is not installed"), "\(none)")
    }

    @Test("is verified for a queued download, which stores the key")
    func queue() async throws {
        try nginx.root.write(ListSignatures.minisign, to: "SHA256SUMS.minisig")
        let queue = ["--queue", "q"]
        let added = try await run(
            ["queue", "add"] + queue
                + ["--require-proof=signature", "--proof-key", "key.pub", nginx.url("b.iso")])
        #expect(added.status == 0, "\(added)")
        try directory.remove("key.pub")
        let started = try await run(["queue", "start"] + queue + ["--progress", "plain"])
        #expect(started.status == 0, "\(started)")
        let listed = try await run(["queue", "list"] + queue + ["--json"])
        #expect(directory.exists("b.iso") && listed.status == 0, "\(listed)")
    }

    @Test("is required by the configuration file, which --no-proof overrides")
    func configuration() async throws {
        try nginx.root.write(ListSignatures.minisign, to: "SHA256SUMS.minisig")
        try directory.write("proof-key = key.pub\nrequire-proof = signature\n", to: "conf")
        let found = try await run(["--conf", "conf", "--progress", "json", nginx.url("b.iso")])
        #expect(found.status == 0 && found.output.contains(ListSignatures.keyID), "\(found)")
        let without = try await run(["--conf", "conf", "--no-proof", "-o", "c.iso", nginx.url("b.iso")])
        #expect(without.status == 0, "\(without)")
    }

    @Test("cannot be required without a usable key")
    func misuse() async throws {
        let url = nginx.url("b.iso")
        try directory.write("hello", to: "no.pub")
        for (arguments, words) in [
            (["--require-proof=signature"], "--proof-key"),
            (["--proof-key", "none.pub"], "Cannot read the key"),
            (["--proof-key", "no.pub"], "is not a minisign, OpenPGP or PEM public key"),
            (["--proof-key", "-"], "Cannot read"),
            (["--proof-key", "key.pub", "--no-proof"], "cannot be combined"),
        ] {
            let result = try await run(arguments + [url])
            #expect(result.status == 64 && result.errors.contains(words), "\(result)")
        }
    }
}

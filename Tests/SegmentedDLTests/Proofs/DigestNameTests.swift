import Testing

@testable import SegmentedDL

@Suite("The name of a list of digests")
struct DigestNameTests {
    @Test(
        "is recognized for one file",
        arguments: [
            ("a.iso.sha256", Checksum.Algorithm.sha256), ("a.iso.SHA512", .sha512),
            ("a.iso.sha256sum", .sha256),
            ("a.iso.sha512.txt", .sha512), ("a.iso.md5sums", .md5), ("a.iso.sha1", .sha1),
            ("a.iso.CHECKSUM", nil), ("a.iso.DIGESTS", nil), ("A.ISO.sha-256", .sha256),
        ] as [(String, Checksum.Algorithm?)])
    func ofFile(name: String, algorithm: Checksum.Algorithm?) throws {
        let read = try #require(DigestName(name, ofFile: "a.iso"))
        #expect(read.scope == .file && read.algorithm == algorithm)
    }

    @Test(
        "is not that of a signature, of another file or of another digest",
        arguments: [
            "a.iso", "a.iso.asc", "a.iso.sig", "a.iso.sha256.asc", "a.iso.torrent", "b.iso.sha256",
            "a.iso.b2",
            "a.iso.blake3", "a.iso.sha256.sig",
        ])
    func notOfFile(name: String) {
        #expect(DigestName(name, ofFile: "a.iso") == nil)
    }

    @Test(
        "is recognized for a directory",
        arguments: [
            ("SHA256SUMS", Checksum.Algorithm.sha256), ("SHA512SUMS", .sha512), ("sha256sum.txt", .sha256),
            ("sha256sums.asc", .sha256), ("SHASUMS256.txt", .sha256), ("checksums.txt", nil),
            ("SHA256", .sha256),
            ("terraform_1.9.0_SHA256SUMS", .sha256), ("tool_1.2_checksums.txt", nil),
            ("CHECKSUM.SHA256-FreeBSD-14.1-RELEASE-amd64", .sha256),
            ("Fedora-Server-40-1.14-x86_64-CHECKSUM", nil),
            ("MD5SUMS", .md5), ("CHECKSUM", nil),
        ] as [(String, Checksum.Algorithm?)])
    func ofDirectory(name: String, algorithm: Checksum.Algorithm?) throws {
        let read = try #require(DigestName(ofList: name))
        #expect(read.scope == .directory && read.algorithm == algorithm)
    }

    @Test(
        "is not that of a signature or of other digests",
        arguments: [
            "SHA256SUMS.gpg", "SHA256SUMS.sign", "SHA256SUMS.sig", "SHA256SUMS.minisig", "b2sums.txt",
            "README", "checksums.txt.pem", "checksums.json", "CHECKSUM-blake2b", "sha3-checksums",
        ])
    func notOfDirectory(name: String) {
        #expect(DigestName(ofList: name) == nil)
    }

    @Test("prefers the file's own and the stronger one, and skips those of other files")
    func best() {
        func best(_ names: [String]) -> String? { DigestName.best(for: "a.iso", among: names)?.name }
        #expect(best(["MD5SUMS", "SHA256SUMS", "SHA256SUMS.gpg", "a.iso"]) == "SHA256SUMS")
        #expect(best(["SHA256SUMS", "a.iso", "a.iso.sha256"]) == "a.iso.sha256")
        #expect(best(["a.iso", "a.iso.md5", "SHA512SUMS"]) == "SHA512SUMS")
        #expect(best(["a.iso", "b.iso", "b.iso.sha256"]) == nil)
        #expect(best(["SHA256SUMS", "SHA256SUMS.asc", "a.iso"]) == "SHA256SUMS")
        #expect(best(["sha256sums.asc", "a.iso"]) == "sha256sums.asc")
        #expect(best(["a.iso"]) == nil && best([]) == nil)
    }

    @Test("distinguishes files whose names differ only in case, unless there is only one")
    func letterCase() {
        let both = ["Disk.iso", "Disk.iso.sha256", "disk.iso", "disk.iso.sha256"]
        #expect(DigestName.best(for: "disk.iso", among: both)?.name == "disk.iso.sha256")
        #expect(DigestName.best(for: "Disk.iso", among: both)?.name == "Disk.iso.sha256")
        let one = ["Disk.iso", "disk.iso", "disk.iso.sha256"]
        #expect(DigestName.best(for: "Disk.iso", among: one) == nil)
        #expect(
            DigestName.best(for: "Disk.iso", among: ["Disk.iso", "disk.iso.sha256"])?.name
                == "disk.iso.sha256")
        #expect(
            DigestName.best(for: "disk.iso", among: ["DISK.ISO.sha512", "disk.iso", "disk.iso.sha1"])?.name
                == "disk.iso.sha1")
    }
}

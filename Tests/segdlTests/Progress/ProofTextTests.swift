import SegmentedDL
import Testing

@testable import segdl

@Suite("The last line of a proven file")
struct ProofTextTests {
    private func line(_ proofs: [DigestProof]) -> String {
        var proven = result()
        proven.proofs = proofs
        return OutcomeText.line(halfway(), .done(proven), ascii: true)
    }

    @Test("names what states each digest")
    func origins() throws {
        let sha256 = try Checksum(.sha256, String(repeating: "0f", count: 32))
        let md5 = try Checksum(.md5, String(repeating: "0f", count: 16))
        let list = DigestProof.Document(url: "https://host/pub/SHA256SUMS", isOfOtherHost: false)
        let listed = DigestProof(sha256, isRequested: false, document: list)
        let sent = DigestProof(md5, isRequested: false, field: "x-goog-hash")
        #expect(
            line([sent, listed]).contains(
                "md5 verified (sent in x-goog-hash), sha256 verified (listed in SHA256SUMS)"))
        var other = DigestProof(sha256, isRequested: false, field: "X-Linked-Etag")
        other.isStatedByOtherHost = true
        #expect(line([other]).contains("sha256 verified (sent in X-Linked-Etag by another host)"))
        let requested = [md5, sha256].map { DigestProof($0, isRequested: true) }
        #expect(line(requested).contains("md5 and sha256 verified"))
    }
}

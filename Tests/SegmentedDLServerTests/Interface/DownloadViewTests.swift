import Foundation
import SegmentedDL
import SegmentedDLQueue
import Testing

@testable import SegmentedDLServer

@Suite struct DownloadViewTests {
    /// Receipts are only created by a manager, or decoded.
    private func view(_ more: [String: Any] = [:]) throws -> DownloadView {
        let fields: [String: Any] = [
            "id": 1, "source": "https://example.com/a.iso", "destination": ["directory": "/d"],
            "state": "completed", "priority": 0, "bytesCompleted": 0, "bytesPerSecond": 0, "connections": 0,
            "attempts": 1, "seconds": 0, "added": 0, "checksums": [String](),
        ]
        let data = try JSONSerialization.data(withJSONObject: fields.merging(more) { _, new in new })
        return DownloadView(receipt: try JSONDecoder().decode(Receipt.self, from: data))
    }

    private let md5 = String(repeating: "ab", count: 16)

    @Test("a proof has its digest and its origin")
    func proofs() throws {
        let proof: [String: Any] = ["checksum": "md5=\(md5)", "isRequested": false, "field": "Repr-Digest"]
        let shown: [String: JSONValue] = [
            "algorithm": "md5", "hex": .string(md5), "isRequested": .bool(false), "field": "Repr-Digest",
            "document": .null, "isOfOtherHost": .bool(false), "signature": .null, "parts": .null,
        ]
        #expect(try view(["proofs": [proof]]).value["proofs"] == [.object(shown)])
        let signature = ["kind": "minisign", "key": "E650A1AC5C73F1DB"]
        let document: [String: Any] = [
            "url": "https://h/MD5SUMS", "isOfOtherHost": true, "signature": signature,
        ]
        let listed: JSONValue = .object(
            shown.merging([
                "document": "https://h/MD5SUMS", "isOfOtherHost": .bool(true),
                "signature": ["kind": "minisign", "key": "E650A1AC5C73F1DB"],
            ]) { _, new in new })
        #expect(
            try view(["proofs": [proof.merging(["document": document]) { _, new in new }]]).value["proofs"]
                == [listed])
        #expect(
            try view(["proofs": [proof.merging(["parts": 2]) { _, new in new }]]).value["proofs"]
                == [.object(shown.merging(["parts": .integer(2)]) { _, new in new })])
        #expect(try view().value["proofs"] == [])
    }

    @Test("the cost is present even if it is zero")
    func cost() throws {
        let cost = ["bytesUnused": 5, "refusals": 1, "drops": 2, "retries": 3]
        let shown = try #require(try view(["cost": cost]).value["cost"])
        for (name, count) in cost { #expect(shown[name] == .integer(Int64(count))) }
        #expect(try view().value["cost"]?["refusals"] == .integer(0))
    }

    @Test("the bottleneck is present in parts, and as a sentence during and after the download")
    func bottleneck() throws {
        let line: [String: Any] = [
            "kind": "line", "share": 0.9, "bytesPerSecond": 2_000_000, "roundTrip": 0.15,
        ]
        let sentences = [
            "downloading": "The link is saturated at 1.9 MiB/s: more connections would not help.",
            "completed": "The link was saturated at 1.9 MiB/s: more connections would not have helped.",
        ]
        for (state, sentence) in sentences {
            let shown = try view(["state": state, "bottleneck": line]).value
            #expect(
                shown["bottleneck"] == [
                    "kind": "line", "share": .number(0.9), "connections": .null,
                    "bytesPerSecond": .number(2_000_000), "roundTrip": .number(0.15),
                ])
            #expect(shown["slowBecause"] == .string(sentence))
        }
        #expect(try view().value["bottleneck"] == .null && view().value["slowBecause"] == .null)
        #expect(try view(["state": "failed", "bottleneck": line]).value["slowBecause"] == .null)
    }

    @Test("a server without ranges: a restart from the beginning is reported")
    func startedOver() throws {
        let words = "It started over because the server sends no byte ranges"
        func sentence(_ attempts: Int, _ unused: Int64, isResumable: Bool) throws -> String? {
            var view = try view(["state": "downloading", "attempts": attempts])
            view.progress = DownloadProgress(state: .downloading, isResumable: isResumable)
            view.progress?.cost.bytesUnused = unused
            return view.value["slowBecause"]?.text
        }
        #expect(try sentence(1, 5, isResumable: false)?.hasPrefix(words) == true)
        #expect(try sentence(2, 0, isResumable: false)?.hasPrefix(words) == true)
        #expect(try sentence(1, 0, isResumable: false) == nil)
        #expect(try sentence(2, 5, isResumable: true) == nil)
    }

    @Test("only a digest of the request has an origin")
    func origin() throws {
        #expect(try view().details([], checksumFrom: "request")["checksumFrom"] == nil)
        let asked = try view(["checksums": ["md5=\(md5)"]])
        #expect(asked.details([], checksumFrom: "list")["checksumFrom"] == "list")
    }
}

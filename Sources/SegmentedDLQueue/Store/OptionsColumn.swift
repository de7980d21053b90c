internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The column `options` of a record: the encoded settings of its request, and the members of the record that
/// were added after the table was defined. Separate columns would make the queue unreadable for earlier
/// versions.
///
/// The source, the destination and the priority have their own columns.
struct OptionsColumn {
    let record: QueueRecord

    private enum CodingKeys: String, CodingKey {
        case onComplete, isAuthorized, isAddedAgain, found, proofs, cost, bottleneck, response
        // The digests of the request, as written by versions up to 0.2.0.
        case checksum, moreChecksums
    }
}

extension OptionsColumn: Encodable {
    func encode(to encoder: any Encoder) throws {
        var request = record.request
        request.priority = 0
        request.checksums = []
        try request.encodeSettings(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        let checksums = record.request.checksums
        try values.encodeIfPresent(checksums.first, forKey: .checksum)
        if checksums.count > 1 { try values.encode(Array(checksums.dropFirst()), forKey: .moreChecksums) }
        try values.encodeIfPresent(record.onComplete, forKey: .onComplete)
        try values.encode(record.isAuthorized, forKey: .isAuthorized)
        if record.isAddedAgain { try values.encode(true, forKey: .isAddedAgain) }
        let results = record.results
        try values.encodeIfPresent(results.found, forKey: .found)
        if !results.proofs.isEmpty { try values.encode(results.proofs, forKey: .proofs) }
        if results.cost != TransferCost() { try values.encode(results.cost, forKey: .cost) }
        try values.encodeIfPresent(results.bottleneck, forKey: .bottleneck)
        try values.encodeIfPresent(results.response, forKey: .response)
    }
}

extension OptionsColumn: DecodableWithConfiguration {
    /// - Parameter record: The record without these members.
    init(from decoder: any Decoder, configuration record: QueueRecord) throws {
        var record = record
        let priority = record.request.priority
        try record.request.decodeSettings(from: decoder)
        record.request.priority = priority
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let first = try values.decodeIfPresent(Checksum.self, forKey: .checksum) {
            let more = try values.decodeIfPresent([Checksum].self, forKey: .moreChecksums)
            record.request.checksums = [first] + (more ?? [])
        }
        record.onComplete = try values.decodeIfPresent(String.self, forKey: .onComplete)
        record.isAuthorized = try values.decode(Bool.self, forKey: .isAuthorized)
        record.isAddedAgain = try values.decodeIfPresent(Bool.self, forKey: .isAddedAgain) ?? false
        record.results.found = try values.decodeIfPresent(FoundFile.self, forKey: .found)
        record.results.proofs = try values.decodeIfPresent([DigestProof].self, forKey: .proofs) ?? []
        record.results.cost = try values.decodeIfPresent(TransferCost.self, forKey: .cost) ?? TransferCost()
        record.results.bottleneck = try values.decodeIfPresent(Bottleneck.self, forKey: .bottleneck)
        record.results.response = try values.decodeIfPresent(ResponseInfo.self, forKey: .response)
        self.record = record
    }
}

extension QueueRecord {
    /// Returns the record with the members in this column taken from another record.
    func withOptions(of other: QueueRecord) -> QueueRecord {
        var copy = self
        copy.request = other.request
        copy.request.source = request.source
        copy.request.destination = request.destination
        copy.request.priority = request.priority
        copy.onComplete = other.onComplete
        copy.isAuthorized = other.isAuthorized
        copy.isAddedAgain = other.isAddedAgain
        copy.results = other.results
        return copy
    }
}

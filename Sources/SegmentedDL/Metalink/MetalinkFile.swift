/// One `file` element of a Metalink during parsing.
struct MetalinkFile {
    var name: String?
    var size: String?
    /// The attributes of the open elements.
    var hashType: String?
    var priority: Int?
    /// False for another kind of URL, such as that of a torrent.
    var isOfFile = true
    /// The number of the open piece element.
    var pieceNumber: Int?
    var pieceType: String?
    var pieceLength: String?

    private(set) var sources: [(source: Source, priority: Int)] = []
    private(set) var pieceDigests: [UInt8] = []
    /// The numbers of the pieces if they are out of order.
    private var pieceNumbers: [Int]?
    private var pieceCount = 0
    private var checksums: [Checksum] = []
    private var fault: String?

    /// The lowest priority (RFC 5854, section 4.2.16.1), which applies to URLs without one.
    private static let lowest = 999_999

    mutating func addURL(_ text: String) {
        // Skip other schemes such as ftp, which a Metalink may contain.
        guard isOfFile, let source = try? Source(text) else { return }
        let priority = priority.flatMap { (1...Self.lowest).contains($0) ? $0 : nil }
        sources.append((source, priority ?? Self.lowest))
    }

    mutating func addHash(_ text: String) {
        guard let algorithm = Self.algorithm(hashType) else { return }
        do throws(DownloadError) {
            checksums.append(try Checksum(algorithm, text))
        } catch {
            fault = fault ?? error.message
        }
    }

    mutating func addPiece(_ text: String) {
        guard let algorithm = Self.algorithm(pieceType) else { return }
        do throws(DownloadError) {
            pieceDigests += try Checksum(algorithm, text).bytes
            let number = pieceNumber ?? pieceCount
            if number != pieceCount, pieceNumbers == nil { pieceNumbers = Array(0..<pieceCount) }
            pieceNumbers?.append(number)
            pieceCount += 1
        } catch {
            fault = fault ?? error.message
        }
    }

    /// Reads the names in the registry of hash functions (RFC 5854, section 4.2.5): `sha-256` and so on.
    private static func algorithm(_ type: String?) -> Checksum.Algorithm? {
        Checksum.Algorithm(rawValue: (type ?? "").lowercased().filter { $0 != "-" })
    }

    /// - Parameter place: The document's name in messages.
    func entry(place: String) -> MirrorEntry {
        do throws(DownloadError) {
            return .item(try item())
        } catch {
            return .unusable(
                UnusableEntry(place: "\(place), file '\(Printable.text(name ?? ""))'", error))
        }
    }

    private func item() throws(DownloadError) -> MirrorItem {
        guard let name else { throw DownloadError(.badResponse, "The file has no name.") }
        let path = try RelativePath(name)
        if let fault { throw DownloadError(.badResponse, fault) }
        // Sources with the same priority keep the document's order.
        let sorted = sources.enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
            .map(\.element.source)
        guard !sorted.isEmpty else {
            throw DownloadError(.badResponse, "The file has no http or https URL.")
        }
        var item = MirrorItem(sorted, path: path)
        if let size {
            guard let number = ContentRange.number(size) else {
                throw DownloadError(
                    .badResponse, "The size '\(Printable.text(size))' is not a number of bytes.")
            }
            item.size = number
        }
        item.checksums = checksums
        item.pieces = try pieces(size: item.size)
        return item
    }

    private func pieces(size: Int64?) throws(DownloadError) -> PieceHashes? {
        guard let algorithm = Self.algorithm(pieceType), !pieceDigests.isEmpty else { return nil }
        guard let length = pieceLength.flatMap({ ContentRange.number($0) }), length >= 1 else {
            throw DownloadError(
                .badResponse,
                "The pieces' length '\(Printable.text(pieceLength ?? ""))' is not a number of bytes.")
        }
        let pieces = PieceHashes(algorithm, length: length, digests: try sortedDigests())
        if let size, Int64(pieces.count) != pieces.expectedCount(size: size) {
            throw DownloadError(
                .badResponse,
                "\(size) bytes in pieces of \(length) are \(pieces.expectedCount(size: size)) pieces, not \(pieces.count)."
            )
        }
        return pieces
    }

    /// Returns the digests of the pieces, ordered by their numbers.
    private func sortedDigests() throws(DownloadError) -> [UInt8] {
        guard let pieceNumbers else { return pieceDigests }
        let length = pieceDigests.count / max(pieceCount, 1)
        var sorted: [UInt8] = []
        sorted.reserveCapacity(pieceDigests.count)
        let order = zip(pieceNumbers, pieceNumbers.indices).sorted { $0 < $1 }
        for (expected, (number, place)) in order.enumerated() {
            guard number == expected else {
                throw DownloadError(.badResponse, "Piece \(expected) is missing or occurs twice.")
            }
            sorted += pieceDigests[place * length..<(place + 1) * length]
        }
        return sorted
    }
}

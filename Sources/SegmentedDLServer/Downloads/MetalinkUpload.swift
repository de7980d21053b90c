internal import SegmentedDL
internal import SegmentedDLQueue

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A Metalink sent by a client (aria2's manual, aria2.addMetalink).
struct MetalinkUpload {
    /// The files that the client selected, in document order.
    private(set) var files: [MirrorItem] = []

    /// - Parameters:
    ///   - document: A Metalink in Base64.
    ///   - selection: The numbers of the selected files, from 1, such as `1-3,5`; `nil` for all.
    /// - Throws: `RPCFailure` if any file cannot be used.
    init(_ document: String, selection: String? = nil) throws(RPCFailure) {
        guard let data = Data(base64Encoded: document.filter { !$0.isWhitespace }), !data.isEmpty else {
            throw Self.unreadable("it is not Base64, or empty")
        }
        do throws(DownloadError) {
            var parser = try MetalinkParser(name: "the upload")
            for entry in try parser.feed(data) + parser.finish() {
                switch entry {
                case .item(let item): files.append(item)
                case .unusable(let entry):
                    throw DownloadError(.badResponse, "\(entry.place): \(entry.reason)")
                }
            }
        } catch {
            throw Self.unreadable(error.message)
        }
        guard let selection, !selection.isEmpty else { return }
        let wanted = try Self.numbers(selection)
        files = files.enumerated().filter { wanted.contains($0.offset + 1) }.map(\.element)
    }

    private static func unreadable(_ reason: String) -> RPCFailure {
        RPCFailure("Could not parse Metalink XML document: \(reason). Nothing was added.")
    }

    /// Reads numbers and ranges of numbers (aria2's manual, --select-file).
    private static func numbers(_ text: String) throws(RPCFailure) -> RangeSet<Int> {
        var numbers = RangeSet<Int>()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2,
                1 <= first, first <= last, last < Int.max
            else {
                throw RPCFailure(
                    "We encountered a problem while processing the option '--select-file'.")
            }
            numbers.insert(contentsOf: first..<last + 1)
        }
        return numbers
    }
}

extension Downloads {
    /// Adds the files of a Metalink: all of them or, if one cannot be added, none.
    ///
    /// - Parameters:
    ///   - options: The options for all files; those for a single file are ignored, as in aria2.
    ///   - position: The position of the first one among the waiting downloads; `nil` for the end.
    /// - Throws: `DownloadError` or `RPCFailure`.
    func add(
        _ files: [MirrorItem], _ options: [String: [String]], position: Int?
    ) async throws -> [Receipt] {
        var added: [Receipt] = []
        do {
            for file in files {
                let place = position.map { min($0, Int.max - added.count) + added.count }
                let attachment = RecordAttachment(of: file, options)
                added.append(
                    try await add(file.sources.map(\.url), attachment, position: place) { request in
                        request.checksumOrigin = file.checksums.isEmpty ? nil : .metalink
                        // If digests are known, a source with another file is detected and abandoned.
                        let hasDigests = !file.checksums.isEmpty || file.pieces != nil
                        request.expectedLength = hasDigests ? nil : file.size
                    })
            }
        } catch {
            for receipt in added { _ = try? await remove(.id(receipt.id)) }
            throw error
        }
        return added
    }
}

extension RecordAttachment {
    fileprivate init(of file: MirrorItem, _ options: [String: [String]]) {
        self.init(options: options.filter { !["gid", "select-file"].contains($0.key) })
        self.options["out"] = [file.path.text]
        self.options["checksum"] = file.strongestChecksum.map { [$0.description] }
        pieces = file.pieces
    }
}

internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The responses of ModelScope's API.
struct ModelScopePage {
    private struct Answer: Decodable {
        struct Content: Decodable {
            var files: [Lenient<File>?]?

            private enum CodingKeys: String, CodingKey { case files = "Files" }
        }

        var code: Int?
        var message: String?
        var content: Content?

        private enum CodingKeys: String, CodingKey {
            case code = "Code"
            case message = "Message"
            case content = "Data"
        }
    }

    private struct File: Decodable {
        var path: String
        var type: String?
        var size: Int64?
        var sha256: String?

        private enum CodingKeys: String, CodingKey {
            case path = "Path"
            case type = "Type"
            case size = "Size"
            case sha256 = "Sha256"
        }
    }

    /// `nil` for an entry that cannot be read.
    private let files: [File?]

    /// The number of files and directories in the page.
    var count: Int { files.count }

    /// Their paths.
    var paths: [String] { files.compactMap { $0?.path } }

    /// Parses a page.
    ///
    /// - Throws: `DownloadError` with code `badResponse`, including for a refusal that was sent with status
    ///   200.
    init(_ bytes: [UInt8], of place: Source, in source: HubSource) throws(DownloadError) {
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes))
        if let files = answer?.content?.files {
            self.files = files.map { $0?.value }
            return
        }
        let said = answer?.message.map { " It says '\(Printable.text(String($0.prefix(200))))'." }
        throw DownloadError(
            .badResponse,
            "\(source.location): the hub did not respond like ModelScope's API; check the name, and HF_ENDPOINT.\(said ?? "")",
            url: place.description)
    }

    /// The files below the location's directory.
    func entries(in source: HubSource) -> [MirrorEntry] {
        let prefix = source.location.path.isEmpty ? "" : source.location.path + "/"
        return files.compactMap { file -> MirrorEntry? in
            guard let file else {
                return .unusable(
                    UnusableEntry(
                        place: "\(source.location)", reason: "An entry of the hub's listing cannot be read."))
            }
            guard file.type != "tree", file.path.utf8.starts(with: prefix.utf8) else { return nil }
            return Self.entry(file, path: Substring(file.path.utf8.dropFirst(prefix.utf8.count)), in: source)
        }
    }

    private static func entry(_ file: File, path: Substring, in source: HubSource) -> MirrorEntry {
        do throws(DownloadError) {
            var item = MirrorItem([try source.url(of: file.path)], path: try RelativePath(path))
            item.hubLocation = source.fileLocation(of: file.path)
            item.size = file.size.flatMap { $0 >= 0 ? $0 : nil }
            if let digest = file.sha256, !digest.isEmpty { item.checksums = [try Checksum(.sha256, digest)] }
            return .item(item)
        } catch {
            return .unusable(
                UnusableEntry(place: Printable.text("\(source.location): \(file.path)"), error))
        }
    }
}

extension HubLocation {
    /// The number of files in a page of a data set; other listings have a single page.
    static let modelScopePageSize = 200

    /// Returns the URL of a page of the listing at a hub with ModelScope's API.
    ///
    /// - Parameter page: The page, from 1.
    func modelScopeListing(
        page: Int, revision: String, on hub: Source
    ) throws(DownloadError) -> Source {
        let kind = HubDialect.modelScope.prefix(of: kind)
        let listing = self.kind == .dataset ? "tree" : "files"
        let pages = self.kind == .dataset ? "&PageNumber=\(page)&PageSize=\(Self.modelScopePageSize)" : ""
        return try Source(
            "\(Self.base(hub))api/v1/\(kind)\(repository)/repo/\(listing)?Revision=\(PercentEncoding.query(revision))&Recursive=True\(pages)"
        )
    }
}

internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A parser for a page of an S3-compatible listing (ListObjectsV2's XML).
///
/// An object's ETag is used only as a validator, never as an MD5, because it is not one if the object was
/// uploaded in parts or is encrypted with a customer's key.
struct S3PageParser: ~Copyable {
    /// The maximum length of an element's text; keys have up to 1024 bytes.
    private static let maximumTextBytes = 64 * 1024

    private var parser: MarkupParser
    private let bucket: S3Bucket
    private let name: String
    private var open: [String] = []
    private var text = ""
    private var object = Object()
    /// The objects so far. They are kept until the end of the page, because the element that gives the
    /// encoding of the keys may follow them.
    private var objects: [Object] = []
    private var page: [String: String] = [:]

    /// The contents of a page of a listing.
    struct Page {
        var entries: [MirrorEntry]
        /// The end of the page, where the next one begins; `nil` if this is the last page.
        var end: S3Bucket.PageEnd?
        /// The key of the first object, as received; `nil` if the page is empty.
        var firstKey: String?
    }

    private struct Object {
        var key: String?
        var size: String?
        var etag: String?
        var lastModified: String?
    }

    /// - Throws: `DownloadError` with code `badResponse`.
    init(of bucket: S3Bucket) throws(DownloadError) {
        self.bucket = bucket
        name = bucket.endpoint.description
        parser = try MarkupParser(.xml, name: name)
    }

    /// Parses the next bytes.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if the page is malformed or not such a listing,
    ///   `httpStatus` if it is an error response of the store.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) {
        try take(parser.feed(bytes))
    }

    /// Ends the page. Call it once.
    ///
    /// - Throws: The errors of `feed(_:)`.
    mutating func finish() throws(DownloadError) -> Page {
        try take(parser.finish())
        let isEncoded = page["EncodingType"]?.trimmingBlanks() == "url"
        return Page(
            entries: objects.compactMap { entry($0, isEncoded: isEncoded) },
            end: try end(isEncoded: isEncoded), firstKey: objects.first?.key)
    }

    /// Some stores write the element in another case or omit it; a token then shows that more pages follow.
    ///
    /// A store that supports only the first version sends no token. The next page then begins after a key:
    /// the marker, or the last object, because ListObjects returns the marker only if there is a delimiter.
    private func end(isEncoded: Bool) throws(DownloadError) -> S3Bucket.PageEnd? {
        let isTruncated = page["IsTruncated"]?.trimmingBlanks().lowercased() ?? ""
        if isTruncated == "false" { return nil }
        if let token = page["NextContinuationToken"], !token.isEmpty { return .token(token) }
        guard !isTruncated.isEmpty else { return nil }
        for case let key? in [page["NextMarker"], objects.last?.key] where !key.isEmpty {
            return .marker(isEncoded ? Self.decoded(key) : key)
        }
        throw DownloadError(
            .badResponse,
            "The listing of '\(name)' has more pages, but no token for the next one, so it is incomplete.")
    }

    private mutating func take(_ events: [MarkupEvent]) throws(DownloadError) {
        for event in events {
            switch event {
            case .start(let name, _, _):
                if open.isEmpty, name != "ListBucketResult", name != "Error" {
                    throw DownloadError(
                        .badResponse,
                        "'\(self.name)' returned <\(Printable.text(name))> instead of a listing (ListObjectsV2); check the URL."
                    )
                }
                open.append(name)
                text = ""
            case .text(let more):
                guard text.utf8.count + more.utf8.count <= Self.maximumTextBytes else {
                    throw DownloadError(
                        .badResponse,
                        "The listing of '\(name)' contains a text of more than \(Self.maximumTextBytes) bytes; it was not read."
                    )
                }
                text += more
            case .end:
                try close()
            }
        }
    }

    private mutating func close() throws(DownloadError) {
        let path = open
        open.removeLast()
        if path == ["ListBucketResult", "Contents"] {
            objects.append(object)
            object = Object()
        } else if path.starts(with: ["ListBucketResult", "Contents"]), path.count == 3 {
            switch path[2] {
            case "Key": object.key = text
            case "Size": object.size = text
            case "ETag": object.etag = text
            case "LastModified": object.lastModified = text
            default: break
            }
        } else if path.count == 2 {
            page[path[1]] = text
        } else if path == ["Error"] {
            let code = page["Code"] ?? "Error"
            throw DownloadError(
                .httpStatus, "'\(name)' answered \(Printable.text("\(code): \(page["Message"] ?? "")"))",
                url: name)
        }
        text = ""
    }

    private func entry(_ object: Object, isEncoded: Bool) -> MirrorEntry? {
        do throws(DownloadError) {
            guard let sent = object.key else {
                throw DownloadError(.badResponse, "An object of the listing has no key.")
            }
            guard var item = try bucket.item(key: isEncoded ? Self.decoded(sent) : sent) else { return nil }
            if let text = object.size {
                guard let size = ContentRange.number(String(text.trimmingBlanks())) else {
                    throw DownloadError(
                        .badResponse,
                        "The size '\(Printable.text(text))' of '\(item.path)' is not a number of bytes.")
                }
                item.size = size
            }
            item.etag = object.etag.flatMap { $0.isEmpty ? nil : $0 }
            item.modified = object.lastModified.flatMap(Self.seconds)
            return .item(item)
        } catch {
            return .unusable(UnusableEntry(place: name, error))
        }
    }

    /// Returns the percent-decoded key; a plus is a space.
    private static func decoded(_ key: String) -> String {
        URLParser.decoded(
            String(decoding: key.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self))
    }

    /// Returns a date such as `2009-10-12T17:50:30.000Z` in seconds since 1970. The fraction is dropped,
    /// because Last-Modified has none.
    static func seconds(_ text: String) -> Int64? {
        let whole = text.utf8.contains(UInt8(ascii: ".")) ? String(text.prefix { $0 != "." }) + "Z" : text
        guard let date = try? Date(whole, strategy: .iso8601) else { return nil }
        return Int64(date.timeIntervalSince1970)
    }
}

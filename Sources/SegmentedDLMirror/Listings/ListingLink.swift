internal import SegmentedDL

/// The interpretation of a link in a listing, based on its URL alone.
///
/// A link that leads to a path below the listing's directory is never silently ignored, because its file
/// would then be missing, and a local copy could be deleted.
///
/// | the link leads | on the listing's server | on another server |
/// | --- | --- | --- |
/// | to the directory, or not below it | navigation | navigation |
/// | below it, without a query | entry | stray |
/// | to a directory below it, with a query that only sorts | entry, without the query | stray |
/// | to itself, with a query that only sorts | navigation | navigation, stray |
/// | to itself, with any other query | part | navigation, stray |
/// | below it, with any other query | stray | stray |
///
/// `ListingOrder` says which queries only sort. The same server may be spelled differently: http or https,
/// each with its default port, and with or without `www.`. Every link to another server leads below a root
/// directory, so there such links count as strays only if they use the same non-default port; others are
/// doubtful.
enum ListingLink: Equatable {
    /// Not an entry of the directory.
    case navigation
    /// A file or directory below the directory, with its URL on the listing's server.
    case entry(Source)
    /// Another part of the listing, which may name further files.
    case part
    /// A name below the directory by a URL outside this tree.
    case stray
    /// A stray only if the listing has no entries.
    case doubtful

    /// - Parameters:
    ///   - target: The link's URL.
    ///   - directory: The URL of the listing.
    init(_ target: Source, in directory: Source) {
        let (path, listing) = (URLPath(of: target), URLPath(of: directory))
        let spelled = Self.spelled(target, as: directory)
        if spelled != nil, target.hasQuery, path.isPage(of: listing) {
            let isSame = ListingOrder.isSameListing(target.url.query, of: directory.url.query)
            self = isSame ? .navigation : .part
            return
        }
        guard path.isBelow(listing) else {
            self = .navigation
            return
        }
        guard let own = spelled else {
            let (port, other) = (directory.origin.port, target.origin.port)
            let isRoot = listing.directory.isEmpty
            self = isRoot && (port != other || directory.origin.hasUsualPort) ? .doubtful : .stray
            return
        }
        guard target.hasQuery else {
            self = .entry(own)
            return
        }
        if path.isDirectory, ListingOrder.isSameListing(own.url.query),
            let bare = try? Source("\(own.url.withoutQuery)")
        {
            self = .entry(bare)
        } else {
            self = .stray
        }
    }

    /// Returns a URL on the listing's server with the server spelled as in the listing's URL; `nil` for
    /// another server.
    static func spelled(_ target: Source, as directory: Source) -> Source? {
        let (origin, own) = (target.origin, directory.origin)
        guard origin != own || authority(of: target) != authority(of: directory) else { return target }
        guard name(of: origin) == name(of: own),
            origin.port == own.port || (origin.hasUsualPort && own.hasUsualPort)
        else { return nil }
        return try? Source("\(authority(of: directory))\(target.url[authority(of: target).endIndex...])")
    }

    /// The host name without the parts in which two names of one host usually differ.
    private static func name(of origin: Origin) -> Substring {
        let host = origin.host.hasSuffix(".") ? origin.host.dropLast() : origin.host[...]
        return host.hasPrefix("www.") ? host.dropFirst(4) : host
    }

    /// The URL up to the path.
    private static func authority(of source: Source) -> Substring {
        let start = source.url.utf8.index(
            source.url.startIndex, offsetBy: source.origin.scheme.utf8.count + 3)
        let end = source.url.utf8[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        return source.url[..<(end ?? source.url.endIndex)]
    }
}

/// The strays of one listing for whose names there is no entry.
struct StrayLinks {
    private var waiting: [[[UInt8]]: Int] = [:]
    private var urls: [Source] = []
    private var doubtful: [Source] = []
    private var last: [[UInt8]] = []

    /// Records an entry. Its name may also occur as a stray, because some pages link to both the file and a
    /// page about it.
    mutating func note(entry source: Source) {
        last = URLPath(of: source).name
        if !waiting.isEmpty { waiting[last] = nil }
    }

    mutating func add(_ source: Source, isDoubtful: Bool) {
        guard !isDoubtful else {
            doubtful.append(source)
            return
        }
        let path = URLPath(of: source).name
        guard path != last, waiting[path] == nil else { return }
        waiting[path] = urls.count
        urls.append(source)
    }

    /// The number of missing names, and the first of their URLs.
    ///
    /// - Parameter isAlone: True if the listing has no entry.
    func missing(isAlone: Bool) -> (count: Int, first: Source)? {
        if let first = waiting.values.min() { return (waiting.count, urls[first]) }
        return isAlone ? doubtful.first.map { (doubtful.count, $0) } : nil
    }
}

extension URLPath {
    /// True if the path is below the directory of another path (that path itself if it is a directory).
    func isBelow(_ other: URLPath) -> Bool {
        let above = other.directory
        return components.starts(with: above) && components.count > above.count
            && (components.count > above.count + 1 || !isDirectory)
    }

    /// True for the page of a listing: its own path, or its directory with or without a slash.
    fileprivate func isPage(of listing: URLPath) -> Bool {
        if self == listing { return true }
        return isDirectory ? directory == listing.directory : components[...] == listing.directory
    }

    /// The components, except the empty last one of a directory.
    fileprivate var name: [[UInt8]] { isDirectory ? components.dropLast() : components }
}

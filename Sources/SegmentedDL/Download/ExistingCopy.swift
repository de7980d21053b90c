internal import SystemPackage

/// An existing file with the final name of a download, and the facts that show whether it is the file to
/// download.
struct ExistingCopy: Equatable, Sendable {
    var path: FilePath
    /// Bytes.
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
    /// The version that it had when it was completed, if it is unchanged since.
    var origin: OriginMark.Origin?
    /// True if its file system has no extended attributes: such file systems mostly store dates with a
    /// resolution of two seconds.
    var hasCoarseDate = false
    /// True if aria2's control file exists next to it: aria2 has not completed it, although it may already
    /// have its full length.
    var isUnfinished = false
    /// The result of its comparison with the digests from the caller; `nil` if there are none.
    var hasDigests: Bool?
    /// The length that the caller expects; `nil` for any.
    var expectedLength: Int64?
    /// True if it is accepted only because it is newer than the server's file.
    var isYounger = false

    init(path: FilePath, size: Int64, modified: Int64, origin: OriginMark.Origin? = nil) {
        self.path = path
        self.size = size
        self.modified = modified
        self.origin = origin
    }

    /// Returns the regular file at a path, or at the target of a symbolic link; `nil` if none exists. Blocks.
    init?(at path: FilePath) {
        guard let status = try? SystemCalls.statusFollowingLinks(path), status.kind == .file else {
            return nil
        }
        self.init(
            path: path, size: status.size, modified: status.modified,
            origin: OriginMark.ofFile(at: path, status)?.origin)
        hasCoarseDate = origin == nil && !SystemCalls.keepsAttributes(path)
        isUnfinished = ControlFile.isThere(for: path)
    }

    /// Returns the digests that the copy is known to have.
    func proofs(_ checksums: [Checksum]) -> [DigestProof] {
        hasDigests == true ? checksums.map { DigestProof($0, isRequested: true) } : []
    }

    /// The relation between the copy and the server's file.
    enum Relation: Equatable, Sendable {
        /// According to the available evidence, the copy is the server's file.
        case same
        /// It is newer than the server's file, which is sufficient for `update`.
        case younger
        /// It is not the server's file; with the reason as a clause.
        case contradicted(String)
        /// It was completed from this URL, but nothing that the server sends shows whether its file has
        /// changed since. Only the bytes can show it. With the reason as a clause.
        case untold(String)
        /// Nothing shows that it is the server's file; with the reason as a clause.
        case unknown(String)
    }

    /// Returns the condition for asking a server whether the copy is still current; `nil` if the copy is not
    /// known to come from one of these URLs.
    func condition(of urlDigests: [String]) -> KnownCopy? {
        guard hasDigests == nil, expectedLength ?? size == size, !isUnfinished, let origin,
            urlDigests.contains(origin.urlDigest)
        else {
            return nil
        }
        let condition = Condition(of: Validators(etag: origin.etag, lastModified: origin.lastModified))
        return condition.map { KnownCopy(condition: $0, length: size) }
    }

    /// Returns true if a server probably sends a page or a message about the file, such as a login form,
    /// instead of the file.
    ///
    /// - Parameters:
    ///   - names: The names of the file, including that of the copy.
    ///   - urlDigests: The digests of the URLs of the request's sources.
    func isAnsweredByWords(_ resource: ResourceInfo, names: [String], of urlDigests: [String]) -> Bool {
        if let known = condition(of: urlDigests) { return known.isAnsweredByWords(resource, names: names) }
        return resource.isPage && WebPage.isNameOfOther(names)
    }

    /// Compares the copy with a server's description of its file.
    ///
    /// - Parameters:
    ///   - urlDigests: The digests of the URLs of the request's sources.
    ///   - unsignedDigests: The digests of those URLs without their signatures.
    ///   - policy: The policy for an existing file. `update` accepts a copy of the correct length that is
    ///     newer than the server's file.
    func relation(
        to resource: ResourceInfo, of urlDigests: [String], at unsignedDigests: [String] = [],
        policy: ExistingFilePolicy = .fail
    ) -> Relation {
        if let expectedLength, expectedLength != size {
            return .contradicted("it has \(size) bytes, but \(expectedLength) were expected")
        }
        if let hasDigests { return hasDigests ? .same : .contradicted("its digest differs") }
        if let reason = contradiction(ofLength: resource.length) { return .contradicted(reason) }
        if let origin {
            // Files with the same name, length and date may come from several URLs.
            if urlDigests.contains(origin.urlDigest) { return relation(origin, resource) }
            return isSignedAnew(origin, resource, unsignedDigests)
                ? .same : .unknown("it was fetched from another URL")
        }
        let unknown = Relation.unknown("it is not known to be the server's file")
        guard resource.length != nil, let date = resource.validators.lastModified.flatMap(HTTPDate.seconds)
        else { return unknown }
        if hasDate(date) { return .same }
        return policy == .update && modified >= date * 1_000_000_000 ? .younger : unknown
    }

    /// Returns the reason why the copy is not the server's file, as a clause; `nil` if it may be that file.
    ///
    /// - Parameter length: The length of the server's file; `nil` if unknown.
    func contradiction(ofLength length: Int64?) -> String? {
        if isUnfinished {
            return "it is an unfinished aria2 download, because '\(ControlFile.path(for: path))' exists"
        }
        guard let length, length != size else { return nil }
        return "it has \(size) bytes, but the server's file has \(length)"
    }

    /// Returns true if its date may come from a server, in whole seconds; a copy of the server's own file
    /// (`cp -p`, rsync) also has the fraction.
    private func hasDate(_ date: Int64) -> Bool {
        let difference = Duration.nanoseconds(modified) - .seconds(date)
        if hasCoarseDate { return abs(difference / .seconds(1)) <= 2 }
        return difference >= .zero && difference < .seconds(1)
    }

    /// Returns true if the same URL with another signature serves the same version: the length, date and
    /// strong ETag are equal, which no other content at that URL may have (RFC 9110, section 8.8.1).
    private func isSignedAnew(
        _ origin: OriginMark.Origin, _ resource: ResourceInfo, _ unsignedDigests: [String]
    ) -> Bool {
        let before = Validators(etag: origin.etag, lastModified: origin.lastModified)
        return origin.unsignedDigest.map { unsignedDigests.contains($0) } ?? false && resource.length == size
            && before.hasStrongETag && before.lastModified != nil && before == resource.validators
    }

    private func relation(_ origin: OriginMark.Origin, _ resource: ResourceInfo) -> Relation {
        let before = Validators(etag: origin.etag, lastModified: origin.lastModified)
        let now = resource.validators
        // In addition to the length, a weak tag is sufficient: these bytes were complete under it.
        if let etag = before.etag, etag == now.etag { return .same }
        let changed = Relation.unknown("the server's file has changed since")
        switch before.compare(with: now) {
        case .same: return .same
        // The servers behind a load balancer may send different weak tags; a different strong tag means
        // different bytes.
        case .etagOnly: return before.hasStrongETag && now.hasStrongETag ? changed : .same
        case .different, .ofAnswer: return changed
        case .unknown:
            let none = Validators(etag: nil, lastModified: nil)
            guard before == none, now == none else { return changed }
            return .untold("the server does not send an ETag or a date to detect changes")
        }
    }
}

import SystemPackage

@testable import SegmentedDL

/// A setting of one file that at least one entrance has.
enum Setting: String, CaseIterable {
    case mirror, followLinks, directory, name, header, referer, agent, credentials, noCache
    case checksum, secondChecksum, noServerDigest, noProof, requiredProof, proofKey, types, finalName,
        segments, inOrder
    case replace, rename, update, skip, noDate, startOver, takeOver, encoded, compressed
    case rate, priority, maximum, tries
    // Settings of all files, which most entrances refuse for one file.
    case http1, noCookies

    static let digest = String(repeating: "0f", count: 32)
    static let key = "RWTb8XNcrKFQ5vOaWRu+nzq+yISbIKh/rqbeV7lRbZT3hFKIL1bLypc3"
    static let otherDigest = String(repeating: "1a", count: 16)

    /// True if the core receives the setting.
    func isIn(_ given: Received) -> Bool {
        let request = given.request
        switch self {
        case .mirror: return request.mirrors.map(\.url) == ["http://m/a"]
        case .followLinks: return request.followsLinks
        case .directory:
            switch request.destination {
            case .directory(let path): return path.lastComponent?.string == "dir"
            case .file(let path): return path.removingLastComponent().lastComponent?.string == "dir"
            case .descriptor: return false
            }
        case .name:
            guard case .file(let path) = request.destination else { return false }
            return path.lastComponent?.string == "name"
        case .header: return request.headers.contains(HTTPHeader("A", "b"))
        case .referer:
            return request.headers.contains(HTTPHeader("Referer", "http://r/"))
                || given.configuration.transport.referer == "http://r/"
        case .agent:
            return request.headers.contains(HTTPHeader("User-Agent", "me/1"))
                || given.configuration.transport.userAgent == "me/1"
        case .credentials: return request.credentials == Credentials(user: "me", password: "pw")
        case .noCache: return request.headers.contains(HTTPHeader("Cache-Control", "no-cache"))
        case .checksum: return request.checksums.map(\.hexadecimal) == [Self.digest]
        case .secondChecksum:
            return Set(request.checksums.map(\.hexadecimal)) == [Self.digest, Self.otherDigest]
        case .noServerDigest: return !request.verifiesServerDigest
        case .noProof: return request.proofPolicy == .none
        case .requiredProof: return request.proofPolicy == .require(.otherHost)
        case .proofKey: return request.proofPolicy.keys.map(\.kind) == [.minisign]
        case .types: return request.expectedTypes == ["image/*"]
        case .finalName: return request.naming == .finalURL
        case .segments: return (request.segments ?? given.configuration.segments) == .fixed(3)
        case .inOrder: return request.order == .inOrder
        case .replace: return request.ifExists == .replace
        case .rename: return request.ifExists == .rename
        case .update: return request.ifExists == .update
        case .skip: return request.ifExists == .skip
        case .noDate: return !request.keepsRemoteDate
        case .startOver: return request.startsOver || given.startsMirrorOver
        case .takeOver: return request.takesOver
        case .encoded: return request.ifEncoded == .store
        case .compressed: return request.ifEncoded == .decode
        case .rate: return (request.rate ?? given.configuration.ratePerFile) == 4096
        case .priority: return request.priority == 3
        case .maximum: return request.maximumLength == 1 << 20
        case .tries:
            let policy = given.configuration.retry
            return (request.tries?.applied(to: policy) ?? policy).retries == 3
        case .http1: return !given.configuration.transport.usesHTTP2
        case .noCookies: return !given.configuration.transport.sendsRedirectCookies
        }
    }
}

/// Everything that the core receives for one file.
struct Received {
    var request: DownloadRequest
    var configuration = Configuration()
    /// True if all files of a mirror are listed and requested again.
    var startsMirrorOver = false
}

/// The words for a setting at the entrances that share them.
enum Words {
    /// The options of `segdl fetch`.
    static func fetch(_ setting: Setting) -> [String] {
        switch setting {
        case .mirror: ["--mirror", "http://m/a"]
        case .followLinks: ["--follow-links"]
        case .directory: ["--directory", "dir"]
        case .name: ["--output", "name"]
        case .header: ["--header", "A: b"]
        case .referer: ["--referer", "http://r/"]
        case .agent: ["--user-agent", "me/1"]
        case .credentials: ["--user", "me:pw"]
        case .noCache: ["--header", "Cache-Control: no-cache"]
        case .checksum: ["--checksum", "sha256=\(Setting.digest)"]
        case .secondChecksum: fetch(.checksum) + ["--checksum", "md5=\(Setting.otherDigest)"]
        case .noServerDigest: ["--no-server-digest"]
        case .noProof: ["--no-proof"]
        case .requiredProof: ["--require-proof", "other-host"]
        case .proofKey: ["--proof-key", Setting.key]
        case .types: ["--expect-type", "image/*"]
        case .finalName: ["--trust-server-names"]
        case .segments: ["--segments", "3"]
        case .inOrder: ["--stream-order"]
        case .replace, .rename, .update, .skip: ["--if-exists", setting.rawValue]
        case .noDate: ["--no-remote-time"]
        case .startOver: ["--restart"]
        case .takeOver: ["--continue"]
        case .encoded: ["--encoded"]
        case .compressed: ["--compressed"]
        case .rate: ["--limit-rate-per-file", "4096"]
        case .priority: ["--priority", "3"]
        case .maximum: ["--max-filesize", "1M"]
        case .tries: ["--retries", "3"]
        case .http1: ["--http1.1"]
        case .noCookies: ["--no-cookies"]
        }
    }

    /// The options of `segdl queue add`; those that it does not have are named as in `segdl fetch`.
    static func queueAdd(_ setting: Setting) -> [String] {
        switch setting {
        case .finalName: ["--naming", "finalURL"]
        case .rate: ["--limit-rate", "4096"]
        default: fetch(setting)
        }
    }

    /// The options of aria2, as in its lists; `nil` for settings that aria2 does not have.
    static func aria2(_ setting: Setting) -> [String]? {
        switch setting {
        case .directory: ["dir=dir"]
        case .name: ["out=name"]
        case .header: ["header=A: b"]
        case .referer: ["referer=http://r/"]
        case .agent: ["user-agent=me/1"]
        case .credentials: ["http-user=me", "http-passwd=pw"]
        case .noCache: ["http-no-cache=true"]
        case .checksum: ["checksum=sha-256=\(Setting.digest)"]
        case .segments: ["split=3", "max-connection-per-server=3"]
        case .inOrder: ["stream-piece-selector=inorder"]
        case .replace: ["allow-overwrite=true"]
        case .rename: ["auto-file-renaming=true"]
        case .update: ["conditional-get=true"]
        case .noDate: ["remote-time=false"]
        case .startOver: ["remove-control-file=true", "allow-overwrite=true"]
        case .takeOver: ["continue=true"]
        case .rate: ["max-download-limit=4096"]
        case .tries: ["max-tries=4"]
        case .mirror, .followLinks, .secondChecksum, .noServerDigest, .noProof, .requiredProof, .proofKey,
            .types,
            .finalName, .skip, .encoded,
            .compressed, .priority, .maximum, .http1, .noCookies:
            nil
        }
    }

    /// The indented lines of segdl's own lists.
    static func list(_ setting: Setting) -> [String] {
        switch setting {
        case .secondChecksum: ["checksum=sha256=\(Setting.digest)", "checksum=md5=\(Setting.otherDigest)"]
        case .types: ["expect-type=image/*"]
        default: aria2(setting) ?? ["\(setting.rawValue)=true"]
        }
    }
}

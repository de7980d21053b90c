/// Hosts whose digest lists have locations or formats that a directory listing does not reveal.
struct KnownHost: Sendable, Equatable {
    /// The format of a document.
    enum Form: Sendable, Equatable {
        /// A list, or a document about one file.
        case text(DigestName)
        /// GitHub's API response for a release, whose assets have a `digest`.
        case release
        /// A project of a Python index in JSON (PEP 691).
        case packages
    }

    /// The document's URL.
    let url: String
    let form: Form
    /// The suffix of the file name of its OpenPGP signature; `nil` if it has none, or the signature is
    /// inline.
    private(set) var signatureEnding: String?

    /// The media type to request.
    var mediaType: String? {
        switch form {
        case .text: nil
        case .release: "application/vnd.github+json"
        case .packages: "application/vnd.pypi.simple.v1+json"
        }
    }

    /// The maximum size of the document in bytes.
    var maximumBytes: Int { form == .packages ? 16 << 20 : 4 << 20 }

    /// - Returns: `nil` for a host without a rule.
    init?(of source: Source) {
        let path = source.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        let parts = path.split(separator: "/").map(String.init)
        guard let file = parts.last, source.origin.hasUsualPort else { return nil }
        let name = source.lastPathComponent
        switch source.origin.host {
        case "github.com" where parts.count == 6 && parts[2] == "releases" && parts[3] == "download":
            self.init(
                "https://api.github.com/repos/\(parts[0])/\(parts[1])/releases/tags/\(parts[4])", .release)
        case "github.com" where parts.count == 6 && parts[2...4] == ["releases", "latest", "download"]:
            self.init("https://api.github.com/repos/\(parts[0])/\(parts[1])/releases/latest", .release)
        case "files.pythonhosted.org":
            guard let project = Self.project(of: name) else { return nil }
            self.init("https://pypi.org/simple/\(PercentEncoding.path(project))/", .packages)
        case "dlcdn.apache.org", "downloads.apache.org":
            // The CDN that delivers the files has no digests.
            self.init(list: "https://downloads.apache.org\(path).sha512", file: name)
        case "archive.apache.org":
            self.init(list: "https://archive.apache.org\(path).sha512", file: name)
        case "cdn.kernel.org", "www.kernel.org", "mirrors.edge.kernel.org":
            self.init(list: "https://\(source.origin.host)\(path.dropLast(file.count))sha256sums.asc")
        case "nodejs.org":
            self.init(list: "https://nodejs.org\(path.dropLast(file.count))SHASUMS256.txt")
            signatureEnding = ".sig"
        case "dl.google.com" where parts.first == "go", "go.dev" where parts.first == "dl":
            self.init(list: "https://dl.google.com/go/\(file).sha256", file: name)
        default: return nil
        }
    }

    private init(_ url: String, _ form: Form) {
        self.url = url
        self.form = form
    }

    private init?(list url: String, file: String? = nil) {
        let name = String(url.drop { $0 != ":" }.split(separator: "/").last ?? "")
        let read =
            file.map { DigestName($0 + "." + (name.split(separator: ".").last ?? ""), ofFile: $0) }
            ?? DigestName(ofList: name)
        guard let read else { return nil }
        self.init(url, .text(read))
    }

    /// Returns the project in a distribution's file name: `NAME-VERSION-….whl` or `NAME-VERSION.tar.gz`.
    private static func project(of file: String) -> String? {
        let parts = file.split(separator: "-", omittingEmptySubsequences: false)
        if file.hasSuffix(".whl") { return parts.count >= 5 ? String(parts[0]) : nil }
        guard let version = parts.indices.dropFirst().first(where: { parts[$0].first?.isNumber ?? false })
        else { return nil }
        return parts[..<version].joined(separator: "-")
    }
}

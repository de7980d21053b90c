internal import SegmentedDL

/// A descriptor of content (OCI image specification 1.1, `descriptor.md`).
struct ImageDescriptor: Codable, Equatable {
    struct Platform: Codable, Equatable {
        var architecture: String
        var os: String
        var osVersion: String?
        var osFeatures: [String]?
        var variant: String?
        var features: [String]?

        private enum CodingKeys: String, CodingKey {
            case architecture, os, variant, features
            case osVersion = "os.version"
            case osFeatures = "os.features"
        }

        var text: String { [os, architecture, variant ?? ""].filter { !$0.isEmpty }.joined(separator: "/") }
    }

    var mediaType: String
    var digest: String
    var size: Int64
    var urls: [String]?
    var annotations: [String: String]?
    var data: String?
    var artifactType: String?
    var platform: Platform?

    /// True for a manifest or an index; other content is a blob.
    var isManifest: Bool { isIndex || ImageManifest.types.contains(mediaType) }

    /// True for an index of manifests.
    var isIndex: Bool { ImageManifest.indexTypes.contains(mediaType) }
}

/// A manifest of an image, or an index of manifests.
struct ImageManifest: Decodable {
    /// The media types to request.
    static let types = [
        "application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.docker.distribution.manifest.v2+json",
        "application/vnd.oci.artifact.manifest.v1+json",
    ]

    /// The media types of indexes.
    static let indexTypes = [types[0], types[2]]

    var mediaType: String?
    var config: ImageDescriptor?
    var layers: [ImageDescriptor]?
    /// The blobs of an artifact manifest (OCI image specification 1.1.0-rc2).
    var blobs: [ImageDescriptor]?
    var manifests: [ImageDescriptor]?

    /// The media type in the document, or the one implied by its members.
    var type: String { mediaType ?? Self.types[manifests == nil ? 1 : 0] }

    /// Returns true if some clients may read the document as an index of images, and others as an image
    /// (CVE-2021-41190).
    ///
    /// - Parameter contentType: The media type stated by the server; `nil` for none.
    func isAmbiguous(_ contentType: String?) -> Bool {
        let isIndex = manifests != nil
        if isIndex, config != nil || layers != nil || blobs != nil { return true }
        let stated = [mediaType, contentType.map(Self.bareType)].compactMap { $0 }
        return stated.contains { type in
            Self.types.contains(type) && Self.indexTypes.contains(type) != isIndex
        }
    }

    /// Returns a media type without parameters.
    private static func bareType(_ field: String) -> String {
        field.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// True if the document has the members of an index or a manifest.
    var isReadable: Bool { manifests != nil || config != nil || blobs != nil }

    /// Returns the first manifest for a platform.
    func manifest(for platform: ImagePlatform) -> ImageDescriptor? {
        (manifests ?? []).first { $0.platform.map(platform.includes) ?? false }
    }

    /// The platforms of an index.
    var platforms: [String] {
        (manifests ?? []).compactMap(\.platform).filter { $0.os != "unknown" }.map(\.text)
    }
}

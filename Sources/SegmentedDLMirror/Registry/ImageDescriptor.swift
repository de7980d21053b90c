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
}

/// A manifest of an image, or an index of manifests.
struct ImageManifest: Decodable {
    /// The types that are asked for.
    static let types = [
        "application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    ]

    var mediaType: String?
    var config: ImageDescriptor?
    var layers: [ImageDescriptor]?
    /// The blobs of an artifact manifest (OCI image specification 1.1.0-rc2).
    var blobs: [ImageDescriptor]?
    var manifests: [ImageDescriptor]?

    /// The type that the manifest has, or that its members show.
    var type: String { mediaType ?? Self.types[manifests == nil ? 1 : 0] }

    /// True if it has what a registry gives: an index, or a manifest.
    var isReadable: Bool { manifests != nil || config != nil || blobs != nil }

    /// Returns the manifest for a platform: of several variants that of the same name, else the first.
    func manifest(for platform: ImagePlatform) -> ImageDescriptor? {
        let fitting = (manifests ?? []).filter {
            $0.platform?.os == platform.system && $0.platform?.architecture == platform.architecture
        }
        guard let variant = platform.variant else { return fitting.first }
        return fitting.first { $0.platform?.variant == variant }
    }

    /// The platforms of an index.
    var platforms: [String] {
        (manifests ?? []).compactMap(\.platform).filter { $0.os != "unknown" }.map(\.text)
    }
}

internal import SegmentedDL

extension RegistrySource {
    /// Returns the error of a request, with a remedy if the response indicates one.
    ///
    /// - Parameters:
    ///   - hasLogin: True if the request sent a login; `nil` if it sent a token, which may be anonymous.
    ///   - isListed: True for a file that the image lists.
    func explained(
        _ error: DownloadError, hasLogin: Bool? = nil, isListed: Bool = false
    ) -> DownloadError {
        if error.code == .tlsFailed, error.message.contains("http://") {
            return error.advising(
                "'\(endpoint.origin)' does not support TLS. If the registry is meant to run without TLS, add --plain-http.",
                about: "\(location)", by: nil)
        }
        guard error.code == .httpStatus, let advice = advice(error, hasLogin, isListed) else { return error }
        return error.advising(advice, about: "\(location)", by: "The registry")
    }

    private func advice(_ error: DownloadError, _ hasLogin: Bool?, _ isListed: Bool) -> String? {
        let host = location.registry
        switch error.status {
        case 401 where hasLogin == true:
            return
                "the registry refuses the login. Log in again (podman login \(host), or docker login \(host)), or give another --user."
        case 401, 403:
            return
                "there is no such repository, or access to it is restricted. Check the name and the login, which is from podman login \(host), docker login \(host), or --user."
        case 404 where isListed:
            return "the registry does not have this file, which the image lists; the image is incomplete."
        case 404:
            // skopeo requires TLS also of registries on this machine.
            let option = endpoint.origin.scheme == "http" ? "--tls-verify=false " : ""
            return
                "there is no such repository, tag or digest. Check the name; skopeo list-tags \(option)docker://\(host)/\(location.repository) lists the tags."
        case 429:
            let wait = error.retryAfter.map { " after \(max(1, $0.components.seconds)) s" } ?? " later"
            return "the request quota is exhausted. Try again\(wait); logging in raises it."
        default: return nil
        }
    }

    /// Returns the error for a manifest that is longer than any that registries accept.
    func tooLong(_ place: Source, _ count: Int, limit: Int) -> DownloadError {
        DownloadError(
            .badResponse,
            "'\(place)' has \(count) bytes, which is too many for a manifest: the maximum is \(limit) bytes.",
            url: place.description)
    }

    /// Returns the error for a document that is both an image and an index of images.
    func ambiguous(_ place: Source) -> DownloadError {
        DownloadError(
            .badResponse,
            "'\(place)' is ambiguous: some clients read it as an image, others as an index of images (CVE-2021-41190); its publisher must push it again.",
            url: place.description)
    }

    /// Returns true if a manifest has schema version 1.
    static func isOfFirstSchema(_ bytes: [UInt8]) -> Bool {
        guard let range = bytes.firstRange(of: Array("\"schemaVersion\"".utf8)) else { return false }
        return bytes[range.upperBound...].first { $0 != UInt8(ascii: ":") && $0 > 0x20 } == UInt8(ascii: "1")
    }

    /// Returns the error for an unreadable manifest.
    func unreadable(_ place: Source, _ bytes: [UInt8]) -> DownloadError {
        DownloadError(
            .badResponse,
            Self.isOfFirstSchema(bytes)
                ? "\(location): the manifest has schema version 1, which contains no digests of the files; its publisher must push it again."
                : "'\(place)' is not a manifest; check the name of the registry.", url: place.description)
    }
}

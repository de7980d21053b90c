import SegmentedDL
import SegmentedDLOptions
import SystemPackage

extension Aria2Download {
    private static let metalinkTypes = ["application/metalink4+xml", "application/metalink+xml"]

    /// Refuses a Metalink that aria2 would follow, because the user wants the files described by it, not the
    /// Metalink.
    ///
    /// - Parameters:
    ///   - path: The path of the file, if known.
    ///   - type: The Content-Type of the response, if received.
    /// - Throws: `DownloadError` with code `invalidURL`.
    func refuseMetalink(_ path: FilePath?, type: String? = nil) throws(DownloadError) {
        guard values.text("follow-metalink") != "false" else { return }
        let type = type?.lowercased() ?? ""
        let isNamedSo = path.map { VerifyItem.isMetalink($0.string) } ?? false
        guard isNamedSo || Self.metalinkTypes.contains(where: type.hasPrefix) else { return }
        throw DownloadError(
            .invalidURL,
            "'\(shownURI)' is a Metalink, which describes files. Fetch them with: segdl mirror URL DIR. To save only the Metalink, use --follow-metalink=false."
        )
    }
}

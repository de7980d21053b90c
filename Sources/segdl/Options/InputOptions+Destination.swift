import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

extension InputOptions {
    /// Where the file goes.
    ///
    /// - Parameter usual: Where files go of which nothing is said.
    func destination(besides usual: DownloadRequest.Destination) -> DownloadRequest.Destination {
        guard directory != nil || name != nil else { return usual }
        var base = FilePath(directory ?? ".")
        if directory == nil, case .directory(let path) = usual { base = path }
        return name.map { .file(base.appending($0)) } ?? .directory(base)
    }
}

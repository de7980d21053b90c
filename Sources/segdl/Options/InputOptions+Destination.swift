import SegmentedDL
import SystemPackage

extension InputOptions {
    /// Returns the destination of the file.
    ///
    /// - Parameter usual: The destination of a file without its own options.
    func destination(default usual: DownloadRequest.Destination) -> DownloadRequest.Destination {
        guard directory != nil || name != nil else { return usual }
        var base = FilePath(directory ?? ".")
        if directory == nil, case .directory(let path) = usual { base = path }
        return name.map { .file(base.appending($0)) } ?? .directory(base)
    }
}

import SegmentedDL

extension InputList {
    /// Reads a list from a file, or from standard input for `-`.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if it cannot be read.
    static func read(_ name: String) throws(DownloadError) -> [Entry] {
        do {
            return parse(try TextFile.read(name))
        } catch {
            throw DownloadError(.invalidSetting, "Cannot read the list '\(name)': \(error).")
        }
    }
}

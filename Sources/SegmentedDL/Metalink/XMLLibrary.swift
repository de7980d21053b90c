internal import CSegXML

/// libxml2, loaded when the first document is read. Otherwise, with the system's ICU, it would account for a
/// third of a program's startup time and a tenth of its memory.
enum XMLLibrary {
    /// Returns the functions of libxml2, ready for use.
    ///
    /// - Throws: `DownloadError` with code `ioFailed` if the system lacks the libxml2 version that this
    ///   program was built for.
    static func functions() throws(DownloadError) -> SegXML {
        try loaded.get()
    }

    private static let loaded = load()

    private static func load() -> Result<SegXML, DownloadError> {
        withUnsafeTemporaryAllocation(of: SegXML.self, capacity: 1) { functions in
            guard let address = functions.baseAddress, seg_xml_load(address) else {
                let reason = dlerror().map { String(cString: $0) } ?? "it lacks a function"
                return .failure(
                    DownloadError(
                        .ioFailed,
                        "Listings and Metalinks need libxml2, which cannot be loaded (\(reason)); install it."
                    ))
            }
            address.pointee.xmlInitParser()
            return .success(address.pointee)
        }
    }
}

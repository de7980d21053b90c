internal import SegmentedDL
package import SegmentedDLOptions
package import SegmentedDLQueue

extension Job {
    /// The values of aria2's options, and the daemon's defaults.
    package var values: Aria2Values { Aria2Values(options, defaults: .call) }

    package func value(_ name: String) -> String? { options[name]?.first }

    /// Replaces an asterisk with the download's own URL (aria2's manual, --referer).
    mutating func fillReferer(from source: Source?) {
        guard value("referer") == "*", let source else { return }
        options["referer"] = [source.url]
    }

    /// Header fields and credentials for the server.
    package var authorization: Authorization {
        access?.authorization
            ?? Authorization(headers: values.headers(for: nil), credentials: values.credentials)
    }

    /// The settings that the queue does not store.
    package var supplement: DownloadSupplement {
        var supplement = DownloadSupplement()
        supplement.pieces = pieces
        supplement.length = length
        supplement.startsOver = startsOver ?? values.startsOver
        supplement.tries = Aria2Values(options).tries
        return supplement
    }
}

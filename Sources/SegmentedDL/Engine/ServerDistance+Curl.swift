internal import CSegCurl

extension ServerDistance {
    /// Creates the distance of the server that has just sent a transfer's head; `nil` if neither libcurl nor
    /// the system has measured the round-trip time.
    ///
    /// - Parameters:
    ///   - isNew: True if the connection was opened for the transfer.
    ///   - measured: The shortest round-trip time of the connection in seconds, as measured by the system.
    ///     libcurl's times are longer while this program is busy.
    init?(_ easy: UnsafeMutableRawPointer, isNew: Bool, measured: Double?) {
        func seconds(_ info: CURLINFO) -> Double {
            var microseconds = curl_off_t(0)
            seg_get_offset(easy, info, &microseconds)
            return Double(microseconds) / 1_000_000
        }
        let connect = isNew ? seconds(CURLINFO_CONNECT_TIME_T) - seconds(CURLINFO_NAMELOOKUP_TIME_T) : nil
        guard let roundTrip = [connect, measured].compactMap(\.self).min() else { return nil }
        let answer = seconds(CURLINFO_STARTTRANSFER_TIME_T) - seconds(CURLINFO_PRETRANSFER_TIME_T)
        self.init(roundTrip: roundTrip, answer: max(answer, 0))
    }
}

internal import CSegCurl

extension ServerDistance {
    /// The distance of the server that a transfer's head has just come from; `nil` if neither libcurl nor the
    /// system knows the round trip.
    ///
    /// - Parameters:
    ///   - isNew: True if the connection was opened for the transfer.
    ///   - measured: Seconds of the shortest round trip of its connection, as the system has measured it:
    ///     libcurl's times are longer where this program is busy.
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

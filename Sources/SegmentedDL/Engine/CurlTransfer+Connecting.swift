internal import CSegCurl

/// The connection of a request until it is open.
extension CurlTransfer {
    /// Returns true if libcurl may send the request over the connection that it has chosen.
    func maySend(from localPort: Int) -> Bool {
        guard connection.maySend(from: localPort) else { return false }
        // libcurl copies this option to a connection that it opens, and lets no other transfer use it. It
        // reads the option again after this callback (`multi_runsingle`, in later versions `state_do`), and
        // then sends nothing. If it ever does not, the request is sent, and its response ignored.
        if connectsOnly { seg_set_long(easy, CURLOPT_CONNECT_ONLY, 1) }
        return true
    }

    /// Lets libcurl keep a connection over which nothing was sent. Otherwise libcurl would close it when the
    /// handle is removed.
    func keepConnection() {
        if connectsOnly { seg_set_long(easy, CURLOPT_CONNECT_ONLY, 0) }
    }

    /// Reports that a connection has been opened for the request. With TLS, its handshake has only begun.
    ///
    /// - Returns: False if that may yet happen.
    func reportConnect() -> Bool {
        guard let onConnect, case .awaitingHead = phase else { return true }
        // libcurl reports the connect time only after the TLS handshake.
        var connections = 0
        seg_get_long(easy, CURLINFO_NUM_CONNECTS, &connections)
        guard connections > 0 else { return false }
        self.onConnect = nil
        if let roundTrip = connection.earliestRoundTrip { onConnect(roundTrip) }
        return true
    }
}

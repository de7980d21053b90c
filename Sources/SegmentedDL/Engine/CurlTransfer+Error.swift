internal import CSegCurl

extension EngineError {
    /// The error for a body that ends with its TLS connection, if no close_notify was received.
    static var unprovenEnd: EngineError {
        var error = EngineError(
            kind: .lost, message: "TLS ended without close_notify, so the file may be truncated")
        (error.isOfUnprovenEnd, error.remedy) = (true, .checksum)
        // Each retry would fetch the whole file, and the server usually ends all connections in this way.
        error.mostRetries = retriesOfUnreadable
        error.advice = "if the file's publisher provides a digest, give it to verify the file"
        return error
    }
}

extension CurlTransfer {
    /// Returns the error of an ended transfer, derived from libcurl's result and the transfer's own state;
    /// `nil` for none.
    func error(of result: CURLcode) -> EngineError? {
        var error: EngineError?
        let isComplete = result == CURLE_WRITE_ERROR && uncounted == 0
        if result != CURLE_OK, !isComplete {
            var (tunnelStatus, systemError) = (0, 0)
            seg_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &tunnelStatus)
            seg_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
            error = EngineError(
                result, detail: setup.errorBuffer, tunnelStatus: tunnelStatus, systemError: systemError)
            if let fault = fault(behind: result) { error = fault }
            // libcurl's limit for connecting includes the handshake with the proxy, which its message omits.
            if error?.kind == .timeout, let port = silence.listener?.port { error?.proxy = proxy(port) }
        }
        if let givenUp { error = givenUp }
        if let withheld = connection.withheld { error = EngineError(kind: .lost, message: withheld) }
        if error == nil, closeNotice?.isReceived == false {
            error = .unprovenEnd
        }
        return error
    }

    /// Returns a fault of the response that libcurl's result does not show; `nil` for none.
    private func fault(behind result: CURLcode) -> EngineError? {
        switch phase {
        // libcurl's message may be about the preceding part of the head.
        case .awaitingHead:
            let isTooLong =
                head.isTooLong || result == CURLE_OUT_OF_MEMORY
                || result == CURLE_RECV_ERROR
                    && String(cString: setup.errorBuffer).hasPrefix("The response headers are too large")
            return isTooLong ? .longHead : nil
        // Callbacks refuse bytes only before the body is received.
        case .prefetching, .headDelivered, .receiving:
            return [CURLE_WRITE_ERROR, CURLE_BAD_CONTENT_ENCODING].contains(result) ? .undecoded : nil
        case .satisfied, .endedUnclaimed, .ended: return nil
        }
    }
}

internal import CSegCurl

extension CurlTransfer {
    /// Registers the callbacks that libcurl invokes with received data, and before it sends the request.
    func registerCallbacks() {
        // Unmanaged: the loop's registry holds the transfer for as long as the handle is in use.
        let context = Unmanaged.passUnretained(self).toOpaque()
        seg_set_pointer(easy, CURLOPT_HEADERDATA, context)
        seg_set_pointer(easy, CURLOPT_WRITEDATA, context)
        seg_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.received(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        seg_set_pointer(easy, CURLOPT_PREREQDATA, context)
        seg_set_request_callback(easy) { context, _, _, _, localPort in
            guard let context else { return CURL_PREREQFUNC_OK }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.maySend(from: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        seg_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.received(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }
}

internal import CSegCurl

/// A libcurl multi handle, which is passed to the thread that owns it.
///
/// `@unchecked Sendable`: one thread creates it, and then only the owning thread uses and frees it.
struct MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard CurlGlobal.result == CURLE_OK, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    func free() {
        curl_multi_cleanup(pointer)
    }
}

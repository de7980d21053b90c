internal import CSegCurl

/// A libcurl multi handle on its way to the thread that owns it.
///
/// `@unchecked Sendable`: it is made by one thread and used by another one only, which frees it.
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

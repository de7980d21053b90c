internal import CSegCurl

/// A libcurl multi handle on its way to the thread that owns it.
///
/// `@unchecked Sendable`: `wake` is the one libcurl call allowed from any thread (`curl_multi_wakeup(3)`);
/// everything else is done by the owning thread, and the mailbox lets go of the handle before it is freed.
struct MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard CurlGlobal.result == CURLE_OK, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    func wake() {
        curl_multi_wakeup(pointer)
    }

    func free() {
        curl_multi_cleanup(pointer)
    }
}

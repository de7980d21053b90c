internal import CSegCurl

extension RequestBody {
    /// Sets the method and the body on the handle of a request.
    func apply(to easy: UnsafeMutableRawPointer) {
        switch self {
        case .form(let text): seg_set_string(easy, CURLOPT_COPYPOSTFIELDS, text)
        case .emptyPut:
            seg_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
            seg_set_string(easy, CURLOPT_CUSTOMREQUEST, "PUT")
        }
    }
}

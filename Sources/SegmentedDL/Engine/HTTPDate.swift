internal import CSegCurl

/// HTTP dates as parsed by libcurl (`curl_getdate(3)`).
package enum HTTPDate {
    /// Returns seconds since 1970; `nil` if the text is not a date.
    package static func seconds(_ text: String) -> Int64? {
        let result = curl_getdate(text, nil)
        return result < 0 ? nil : Int64(result)
    }
}

internal import CSegCurl

/// HTTP dates as parsed by libcurl (`curl_getdate(3)`).
package enum HTTPDate {
    /// Returns seconds since 1970; `nil` if the text is not a date.
    package static func seconds(_ text: String) -> Int64? {
        let result = curl_getdate(text, nil)
        return result < 0 ? nil : Int64(result)
    }

    /// Returns the seconds since 1970 of a date such as `2026-11-27T16:00:00.5+01:00` (RFC 3339), which
    /// libcurl does not parse; without a zone, the time is in UTC. Returns `nil` for other text.
    static func internetSeconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10])
        else { return nil }
        let fraction = bytes[19...].prefix { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        let zone = bytes[(19 + fraction.count)...].filter { $0 != UInt8(ascii: ":") }
        let isUniversal = zone.isEmpty || zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")]
        let day = bytes[..<4] + bytes[5..<7] + bytes[8..<10]
        let parts: [ArraySlice<UInt8>] = [
            day, bytes[11..<19], isUniversal ? Array("GMT".utf8)[...] : zone[...],
        ]
        return seconds(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "))
    }
}

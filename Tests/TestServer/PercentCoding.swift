/// Decodes percent-encoding. "+" is kept: nothing here is form-encoded, and `retry-after=date+5` needs it.
func percentDecoded(_ text: Substring) -> [UInt8] {
    func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
    let source = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < source.count {
        if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
            let high = digit(source[index + 1]), let low = digit(source[index + 2])
        {
            result.append(high << 4 | low)
            index += 3
        } else {
            result.append(source[index])
            index += 1
        }
    }
    return result
}

/// A string from bytes of unknown encoding: invalid UTF-8 is read as Latin-1, so that no byte is lost.
func lenientString(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
}

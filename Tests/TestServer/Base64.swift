func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        bits <<= UInt32(8 * (3 - group.count))
        for position in 0..<4 {
            let index = Int(bits >> UInt32(18 - 6 * position)) & 63
            text.append(position <= group.count ? alphabet[index] : "=")
        }
    }
    return text
}

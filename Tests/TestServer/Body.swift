import TestContent

/// The bytes after the head, as a series of file ranges and literal bytes.
struct Body {
    enum Part {
        case content(TestContent, Range<Int64>)
        case bytes([UInt8])

        var length: Int64 {
            switch self {
            case .content(_, let range): range.upperBound - range.lowerBound
            case .bytes(let bytes): Int64(bytes.count)
            }
        }
    }

    var parts: [Part] = []

    static func text(_ text: String) -> Body {
        Body(parts: [.bytes(Array(text.utf8))])
    }

    var length: Int64 {
        parts.reduce(0) { $0 + $1.length }
    }

    /// The range of the file in the body; `nil` for any other body.
    var content: Range<Int64>? {
        if parts.count == 1, case .content(_, let range) = parts[0] { range } else { nil }
    }

    /// The bytes of a body that contains no file content.
    var literalBytes: [UInt8] {
        parts.flatMap { part -> [UInt8] in
            if case .bytes(let bytes) = part { bytes } else { [] }
        }
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) {
        var partStart: Int64 = 0
        for part in parts {
            let start = max(partStart, offset)
            let end = min(partStart + part.length, offset + Int64(buffer.count))
            if start < end {
                let slot = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[Int(start - offset)..<Int(end - offset)])
                switch part {
                case .content(let content, let range):
                    content.fill(slot, at: range.lowerBound + start - partStart)
                case .bytes(let bytes):
                    slot.copyBytes(from: bytes[Int(start - partStart)..<Int(end - partStart)])
                }
            }
            partStart += part.length
        }
    }
}

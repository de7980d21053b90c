/// A key as reported by a terminal. Keys without a function have no case.
enum Key: Sendable, Hashable {
    /// A typed letter, digit, sign or space.
    case character(Character)
    /// A letter typed with the control key.
    case control(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape
}

/// Decodes the bytes that a terminal sends for keys.
///
/// A key can be several bytes, which may arrive in several reads. The decoder discards unknown sequences as a
/// whole, because the rest would be interpreted as typed letters, which pause and remove downloads.
struct KeyDecoder: Sendable, Hashable {
    private enum State: Sendable, Hashable {
        case ground
        case escape
        /// After ESC [, with the parameters so far.
        case sequence([UInt8])
        /// After ESC O.
        case function
        /// A command or response of any length, up to its terminator.
        case string(afterEscape: Bool)
        /// The number of further bytes that belong to the sequence.
        case skip(Int)
        /// Pasted text, with the part of the end marker received so far.
        case paste([UInt8])
        /// An incomplete multi-byte character.
        case utf8([UInt8], missing: Int, isAlt: Bool)
    }

    /// The number of silent ticks after which a paste ends if its end marker was lost.
    private static let pasteTicks = 20
    /// ESC [ 201 ~
    private static let pasteEnd: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]
    /// More parameters than any known key has.
    private static let maximumParameterBytes = 16

    private var state = State.ground
    private var silentTicks = 0

    /// True if more bytes are expected. The caller must then call `tick` if none arrive for a moment.
    var isPending: Bool { state != .ground }

    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        silentTicks = 0
        var keys: [Key] = []
        for byte in bytes { decode(byte, &keys) }
        return keys
    }

    /// Ends a sequence that has not continued for a moment.
    mutating func tick() -> [Key] {
        silentTicks += 1
        if case .paste = state, silentTicks < Self.pasteTicks { return [] }
        defer { state = .ground }
        return state == .escape ? [.escape] : []
    }

    private mutating func decode(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: begin(byte, isAlt: false, &keys)
        case .escape: afterEscape(byte, &keys)
        case .sequence(let parameters): sequence(byte, parameters, &keys)
        case .function:
            state = .ground
            if byte < 0x20 || byte > 0x7E { return begin(byte, isAlt: false, &keys) }
            // The keypad's Enter key has a separate form.
            if let key = byte == UInt8(ascii: "M") ? .enter : Self.letterKey(byte) { keys.append(key) }
        case .string(let afterEscape):
            let isEnd = byte == 0x07 || byte == 0x18 || byte == 0x1A || (afterEscape && byte == 0x5C)
            state = isEnd ? .ground : .string(afterEscape: byte == 0x1B)
        case .skip(let count):
            state = count > 1 ? .skip(count - 1) : .ground
        case .paste(let mark):
            var mark = mark
            mark.append(byte)
            // The first byte of the marker occurs in it only once, so after a mismatch the marker can only
            // begin at this byte.
            if !Self.pasteEnd.starts(with: mark) { mark = byte == 0x1B ? [byte] : [] }
            state = mark == Self.pasteEnd ? .ground : .paste(mark)
        case .utf8(var bytes, let missing, let isAlt):
            guard byte & 0xC0 == 0x80 else {
                state = .ground
                return begin(byte, isAlt: false, &keys)
            }
            bytes.append(byte)
            state = missing > 1 ? .utf8(bytes, missing: missing - 1, isAlt: isAlt) : .ground
            if missing == 1, !isAlt, let text = String(validating: bytes, as: UTF8.self) {
                keys += text.map(Key.character)
            }
        }
    }

    /// Decodes the first byte of a key. With the Alt key, it follows an ESC and is ignored here.
    private mutating func begin(_ byte: UInt8, isAlt: Bool, _ keys: inout [Key]) {
        state = .ground
        let key: Key?
        switch byte {
        case 0x1B:
            state = .escape
            return
        case 0x0A, 0x0D: key = .enter
        case 0x01...0x1A: key = .control(Character(Unicode.Scalar(byte + 0x60)))
        case 0x20...0x7E: key = .character(Character(Unicode.Scalar(byte)))
        // The one-byte forms of ESC O and ESC [.
        case 0x8F:
            state = .function
            return
        case 0x9B:
            state = .sequence([])
            return
        case 0xC2...0xF4:
            state = .utf8([byte], missing: byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3, isAlt: isAlt)
            return
        default: key = nil
        }
        if let key, !isAlt { keys.append(key) }
    }

    private mutating func afterEscape(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x1B: keys.append(.escape)
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .function
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(afterEscape: false)
        default: begin(byte, isAlt: true, &keys)
        }
    }

    private mutating func sequence(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
        switch byte {
        case 0x20...0x3F:
            if parameters.count < Self.maximumParameterBytes { state = .sequence(parameters + [byte]) }
        case 0x40...0x7E:
            state = .ground
            finish(byte, parameters, &keys)
        default:
            // Such a byte is never part of a sequence, so the sequence has ended.
            begin(byte, isAlt: false, &keys)
        }
    }

    private mutating func finish(_ final: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
        if final == UInt8(ascii: "~") {
            let number = Int(String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self))
            if number == 200 {
                state = .paste([])
            } else if let key = number.flatMap(Self.numberedKey) {
                keys.append(key)
            }
        } else if parameters.isEmpty, final == UInt8(ascii: "[") {
            // A function key of the Linux console.
            state = .skip(1)
        } else if parameters.isEmpty, final == UInt8(ascii: "M") {
            // An old mouse report: the button and position follow.
            state = .skip(3)
        } else if parameters.allSatisfy({ (0x30...0x3B).contains($0) }), let key = Self.letterKey(final) {
            keys.append(key)
        }
    }

    private static func letterKey(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }

    private static func numberedKey(_ number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        default: nil
        }
    }
}

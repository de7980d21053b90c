/// Finds ASCII words in bytes in a single pass, regardless of their number (Aho and Corasick, 1975):
/// searching megabytes for each word as a `String` takes seconds.
struct WordFinder: Sendable {
    private static let width = 256

    /// The following state for each state and byte; 0 is the first state.
    private var next: [Int]
    /// The words that end in each state: a bit for each.
    private var ends: [UInt64]

    /// - Parameter words: At most 64 words, in lower case.
    init(_ words: [String]) {
        (next, ends) = (Array(repeating: 0, count: Self.width), [0])
        for (index, word) in words.enumerated() {
            var state = 0
            for byte in word.utf8 {
                let slot = state * Self.width + Int(byte)
                if next[slot] == 0 {
                    next[slot] = ends.count
                    next += Array(repeating: 0, count: Self.width)
                    ends.append(0)
                }
                state = next[slot]
            }
            ends[state] |= 1 << UInt64(index)
        }
        addFallbacks()
    }

    /// Adds the states that continue a shorter word after a mismatch.
    private mutating func addFallbacks() {
        var fallbacks = Array(repeating: 0, count: ends.count)
        var states = next[..<Self.width].filter { $0 != 0 }
        var index = 0
        while index < states.count {
            let state = states[index]
            index += 1
            ends[state] |= ends[fallbacks[state]]
            for byte in 0..<Self.width {
                let slot = state * Self.width + byte
                let fallback = next[fallbacks[state] * Self.width + byte]
                if next[slot] == 0 {
                    next[slot] = fallback
                } else {
                    fallbacks[next[slot]] = fallback
                    states.append(next[slot])
                }
            }
        }
    }

    /// Returns the indices of the words that the bytes contain in any case.
    ///
    /// - Parameter ignored: A byte to skip; `nil` for none.
    func words(in bytes: ArraySlice<UInt8>, ignoring ignored: UInt8? = nil) -> Set<Int> {
        var (state, found) = (0, UInt64(0))
        for byte in bytes where byte != ignored {
            let lower = (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
            state = next[state * Self.width + Int(lower)]
            found |= ends[state]
        }
        return Set((0..<found.bitWidth).filter { found & 1 << UInt64($0) != 0 })
    }
}

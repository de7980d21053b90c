/// The number of typos between two words.
enum SpellingDistance {
    /// Returns the number of missing, extra, wrong or transposed letters.
    static func between(_ word: String, _ other: String) -> Int {
        let (word, other) = (Array(word), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in word.enumerated() {
            var current = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var cost = min(
                    last[column] + (letter == otherLetter ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], word[row - 1] == otherLetter {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }

    /// Returns the word that was probably meant; `nil` if none is similar.
    static func nearest(to word: String, in words: [String]) -> String? {
        // With two typos, a three-letter word could be anything.
        let most = word.count > 3 ? 2 : 1
        let distances = words.map { ($0, between(word, $0)) }
        return distances.min { $0.1 < $1.1 }.flatMap { $0.1 <= most ? $0.0 : nil }
    }
}

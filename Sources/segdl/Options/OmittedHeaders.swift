import SegmentedDL

/// The notice about headers that are not sent, because each request sets them itself.
enum OmittedHeaders {
    /// Prints the notice, if any headers are omitted.
    static func tell(_ names: some Sequence<String>) {
        if let sentence = sentence(names) { StandardError.write("segdl: \(sentence)\n") }
    }

    /// - Parameter names: The names of the omitted headers; repetitions are named once.
    /// - Returns: `nil` if there are none.
    static func sentence(_ names: some Sequence<String>) -> String? {
        var known: Set<String> = []
        let distinct = names.sorted().filter { known.insert($0.lowercased()).inserted }
        guard !distinct.isEmpty else { return nil }
        let list = distinct.joined(separator: " and ")
        return distinct.count == 1
            ? "the header \(list) is not sent, because each request sets it itself."
            : "the headers \(list) are not sent, because each request sets them itself."
    }
}

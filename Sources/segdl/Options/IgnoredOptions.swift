import SegmentedDLOptions

/// The notice about options of a list that have no effect there.
enum IgnoredOptions {
    /// Prints the notice, if there are any.
    static func tell(_ names: Set<String>) {
        if let sentence = sentence(names) { StandardError.write("segdl: \(sentence)\n") }
    }

    /// - Returns: `nil` if there are none.
    static func sentence(_ names: Set<String>) -> String? {
        guard !names.isEmpty else { return nil }
        let own = Set(names.compactMap { Aria2Options.named[$0]?.ownName })
        let (ignored, used) = (listed(names), listed(own))
        return "\(ignored) \(names.count == 1 ? "has" : "have") no effect in a list; "
            + "\(used) \(own.count == 1 ? "applies" : "apply") to all files."
    }

    private static func listed(_ names: Set<String>) -> String {
        names.sorted().joined(separator: " and ")
    }
}

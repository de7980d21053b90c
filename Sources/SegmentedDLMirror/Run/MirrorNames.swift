internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// The names of a mirror's files as its file system takes them. The characters of a name that it refuses are
/// escaped, in the listing already: so the records, the proof and what is removed have the names on the disk.
final class MirrorNames: Sendable {
    private struct State {
        /// The outcome of names with doubtful characters.
        var accepted: [Substring: Substring] = [:]
        var example: String?
        /// `nil` until it is asked for.
        var mergesLetters: Bool?
    }

    private let root: FilePath
    private let state = Lock(State())

    init(root: FilePath) {
        self.root = root
    }

    /// A path with escaped characters; `nil` if there is none.
    var example: String? { state.withLock { $0.example } }

    /// Returns the item with a path that the file system takes. Blocks if names are doubtful.
    func accepted(_ item: MirrorItem) -> MirrorItem {
        guard item.path.text.utf8.contains(where: Self.isDoubtful),
            (try? SystemCalls.statusFollowingLinks(root)) != nil
        else { return item }
        let text = item.path.components.map { accepted($0) }.joined(separator: "/")
        guard text != item.path.text, let path = try? RelativePath(text) else { return item }
        state.withLock { $0.example = $0.example ?? text }
        var item = item
        item.path = path
        return item
    }

    /// Returns true if the file system takes names for one that differ in capital letters alone. Blocks.
    func mergesLetters() -> Bool {
        if let known = state.withLock({ $0.mergesLetters }) { return known }
        let state = MirrorJob.defaultState(in: root).lastComponent?.string
        let merges = NameProbe.mergesLetters(in: root, known: state)
        self.state.withLock { $0.mergesLetters = merges }
        return merges
    }

    private static func isDoubtful(_ byte: UInt8) -> Bool {
        byte >= 0x80 || "\"*:<>?|. ".utf8.contains(byte)
    }

    private func accepted(_ name: Substring) -> Substring {
        guard !EscapedName.doubtful(name).isEmpty else { return name }
        if let known = state.withLock({ $0.accepted[name] }) { return known }
        let accepted = Substring(NameProbe.accepted(String(name), in: root))
        state.withLock { state in
            // Most of a mirror's names come once.
            if state.accepted.count >= 1_000 { state.accepted = [:] }
            state.accepted[name] = accepted
        }
        return accepted
    }
}

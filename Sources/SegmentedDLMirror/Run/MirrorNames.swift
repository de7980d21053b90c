internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// The names of a mirror's files as accepted by its file system. Characters that the file system refuses are
/// escaped when the source is listed, so that the records, the proof and the deletion all use the names on
/// disk.
final class MirrorNames: Sendable {
    private struct State {
        /// The accepted forms of names with characters that may be refused.
        var accepted: [Substring: Substring] = [:]
        var example: String?
        /// `nil` until first needed.
        var mergesLetters: Bool?
        /// For two letters that differ only in case, true if the file system treats them as the same letter.
        var merged: [[Character]: Bool] = [:]
    }

    private let root: FilePath
    private let state = Lock(State())

    init(root: FilePath) {
        self.root = root
    }

    /// A path with escaped characters; `nil` if none had any.
    var example: String? { state.withLock { $0.example } }

    /// Returns the item with a path that the file system accepts. May block if characters may be refused.
    func accepted(_ item: MirrorItem) -> MirrorItem {
        guard
            item.path.text.utf8.contains(where: Self.isDoubtful)
                || item.path.components.contains(where: { EscapedName.device($0) != nil }),
            (try? SystemCalls.statusFollowingLinks(root)) != nil
        else { return item }
        let text = item.path.components.map { accepted($0) }.joined(separator: "/")
        guard text != item.path.text, let path = try? RelativePath(text) else { return item }
        state.withLock { $0.example = $0.example ?? text }
        var item = item
        item.path = path
        return item
    }

    /// Returns true if the file system ignores case in names. Blocks.
    func mergesLetters() -> Bool {
        if let known = state.withLock({ $0.mergesLetters }) { return known }
        let state = MirrorJob.defaultState(in: root).lastComponent?.string
        let merges = NameProbe.mergesLetters(in: root, known: state)
        self.state.withLock { $0.mergesLetters = merges }
        return merges
    }

    /// Returns true if the file system, which ignores case, treats two names that differ only in case as the
    /// same. It may ignore case only for ASCII letters. Blocks.
    func merges(_ one: String, _ other: String) -> Bool {
        zip(one, other).allSatisfy { one, other in
            one == other || one.isASCII && other.isASCII || merges(one, other)
        }
    }

    private func merges(_ one: Character, _ other: Character) -> Bool {
        let pair = [one, other]
        if let known = state.withLock({ $0.merged[pair] }) { return known }
        let merges = NameProbe.merges(one, other, in: root)
        state.withLock { $0.merged[pair] = merges }
        return merges
    }

    private static func isDoubtful(_ byte: UInt8) -> Bool {
        byte >= 0x80 || "\"*:<>?|. ".utf8.contains(byte)
    }

    private func accepted(_ name: Substring) -> Substring {
        guard !EscapedName.doubtful(name).isEmpty || EscapedName.device(name) != nil else { return name }
        if let known = state.withLock({ $0.accepted[name] }) { return known }
        let accepted = Substring(NameProbe.accepted(String(name), in: root))
        state.withLock { state in
            // Most names occur only once.
            if state.accepted.count >= 1_000 { state.accepted = [:] }
            state.accepted[name] = accepted
        }
        return accepted
    }
}

import SegmentedDL
internal import SegmentedDLMirror

/// The actions that a dry run plans, one line per file on standard output.
struct MirrorPlanOutput {
    /// The buffer length at which the text is written.
    private static let chunkBytes = 64 * 1024

    let isJSON: Bool
    /// True to show lines for kept files in the output for users.
    let showsKept: Bool
    private let output = TextOutput.standardOutput
    private var text = ""

    init(isJSON: Bool, showsKept: Bool) {
        self.isJSON = isJSON
        self.showsKept = showsKept
    }

    mutating func add(_ action: MirrorAction, _ path: RelativePath) {
        if isJSON {
            var line = JSONLine(event: "plan")
            // Programs expect only these three actions.
            line.add("action", (action == .replace ? .fetch : action).rawValue)
            line.add("name", path.text)
            if action == .replace { line.add("replaces", true) }
            text += line.line
        } else if action != .keep || showsKept {
            text += "\(action.rawValue) \(path)\n"
        }
        if text.utf8.count >= Self.chunkBytes { flush() }
    }

    mutating func flush() {
        output.write(text)
        text = ""
    }
}

import SegmentedDL
internal import SegmentedDLMirror

/// The actions that a dry run plans, a line for each file on standard output.
struct MirrorPlanOutput {
    /// The length at which the text is written.
    private static let chunkBytes = 64 * 1024

    let isJSON: Bool
    /// True if files that are kept have lines for people, too.
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
            // Programs know three actions.
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

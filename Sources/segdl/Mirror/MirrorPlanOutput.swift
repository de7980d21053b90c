import SegmentedDL
internal import SegmentedDLMirror

/// What a dry run would do, a line for each file on standard output.
struct MirrorPlanOutput {
    private static let longest = 64 * 1024

    let isJSON: Bool
    private let output = TextOutput.standardOutput
    private var text = ""

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    mutating func add(_ action: MirrorAction, _ path: RelativePath) {
        if isJSON {
            var line = JSONLine(event: "plan")
            line.add("action", action.rawValue)
            line.add("name", path.text)
            text += line.line
        } else {
            text += "\(action.rawValue) \(path)\n"
        }
        if text.utf8.count >= Self.longest { flush() }
    }

    mutating func flush() {
        output.write(text)
        text = ""
    }
}

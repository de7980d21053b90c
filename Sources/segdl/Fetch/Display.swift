import SegmentedDL

/// What is known of a run's files, and the renderer that shows it.
struct Display {
    private var renderer: any ProgressRenderer & Sendable
    private let urls: [String]
    private(set) var handles: [Int: DownloadHandle] = [:]
    private(set) var statuses: [Int32]
    private var overall = Overall()

    init(renderer: any ProgressRenderer & Sendable, urls: [String]) {
        self.renderer = renderer
        self.urls = urls
        statuses = urls.map { _ in 0 }
    }

    mutating func started(_ id: Int, _ handle: DownloadHandle) {
        handles[id] = handle
    }

    mutating func ended(_ id: Int, _ outcome: FileOutcome) {
        statuses[id] = outcome.exitStatus
        if let handle = handles.removeValue(forKey: id) {
            renderer.finished(FileSnapshot(id: id, url: urls[id], progress: handle.currentProgress), outcome: outcome)
        } 
    }

    mutating func message(_ text: String) {
        renderer.message(text)
    }

    mutating func update() {
        renderer.update(overall, [])
    }

    mutating func end() {
        renderer.end(overall)
    }
}
extension FileOutcome { static func failed(_ e: DownloadError) -> FileOutcome { .failed(message: e.message, code: e.code.rawValue, exitStatus: e.exitStatus) }
 static var interrupted: FileOutcome { .failed(message: "interrupted", code: 0, exitStatus: 130) }
 var exitStatus: Int32 { if case .failed(_,_,let s) = self { return s }; return 0 } }

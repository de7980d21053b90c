import SegmentedDL
struct FileSnapshot: Sendable { var id: Int; var url: String; var progress: DownloadProgress }
struct Overall: Sendable { }
enum FileOutcome: Sendable { case done(DownloadResult); case failed(message: String, code: Int, exitStatus: Int32) }
protocol ProgressRenderer { mutating func update(_ overall: Overall, _ files: [FileSnapshot]); mutating func finished(_ file: FileSnapshot, outcome: FileOutcome); mutating func message(_ text: String); mutating func end(_ overall: Overall) }
struct StubRenderer: ProgressRenderer {
 func update(_ overall: Overall, _ files: [FileSnapshot]) {}
 func finished(_ file: FileSnapshot, outcome: FileOutcome) { StandardError.write("\(file.url) \(outcome)\n") }
 func message(_ text: String) { StandardError.write(text + "\n") }
 func end(_ overall: Overall) {}
}

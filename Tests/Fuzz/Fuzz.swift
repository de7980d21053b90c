/// One parser under test. libFuzzer calls `run` with bytes that it made up; a broken promise traps.
struct Target: Sendable {
    /// The name of its corpus, and of the link through which the program is started.
    let name: String
    let run: @Sendable ([UInt8]) -> Void

    static let all: [Target] = [
        .checksumList, .contentDisposition, .contentRange, .daemonRequest, .debianIndex, .debianRelease,
        .digestDocument, .fetchPipeline, .glob, .htmlIndex,
        .inputList, .json, .link, .manifest, .manifestJournal, .metalink, .mirrorList, .pipeline,
        .relativePath, .responseHead, .retryAfter, .s3Page, .serverDigest, .signature, .url,
    ]
}

/// The target whose name the program was started under.
private let chosen: Target = {
    let name = CommandLine.arguments[0].split(separator: "/").last ?? ""
    guard let target = Target.all.first(where: { $0.name == name }) else {
        fatalError("Start it under one of these names: \(Target.all.map(\.name).joined(separator: ", "))")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Traps unless a promise is kept: that is how libFuzzer learns of it.
func promise(
    _ isKept: Bool, _ text: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept { fatalError(text(), file: file, line: line) }
}

/// Equal strings can differ in their bytes, as those that combine letters and accents do.
func isSame(_ one: String?, _ other: String?) -> Bool {
    one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
}

import SegmentedDL

/// The URLs of the command line, then those of a list, in batches: a long list is never loaded as a whole.
final class URLBatches: Sequence, IteratorProtocol {
    private static let size = 250

    private var waiting: ArraySlice<InputList.File>
    private let list: String
    private let pieces: InputList.Pieces?
    /// The invalid lines.
    private var failures: [QueueReply.Failure] = []
    /// The names of the headers that are omitted, because each request sets them itself.
    private(set) var omittedHeaders: Set<String> = []
    /// The names of the options of lists that have no effect.
    private(set) var ignoredOptions: Set<String> = []

    /// - Parameter list: The name of the list, for messages.
    /// - Throws: `DownloadError` if it is not a list of URLs.
    init(_ urls: [String], list: String?, _ pieces: InputList.Pieces?) throws(DownloadError) {
        waiting = urls.map { InputList.File(urls: [$0]) }[...]
        self.list = list ?? ""
        self.pieces = pieces
        guard let first = pieces?.next() else { return }
        if case .success(let entries) = first {
            try ListCheck.check(entries, of: self.list)
        }
        take(first)
    }

    func next() -> [InputList.File]? {
        while waiting.count < Self.size, let piece = pieces?.next() { take(piece) }
        let batch = waiting.prefix(Self.size)
        waiting = waiting.dropFirst(Self.size)
        return batch.isEmpty ? nil : Array(batch)
    }

    func takeFailures() -> [QueueReply.Failure] {
        defer { failures = [] }
        return failures
    }

    /// Returns the value of `body`. An error is added to the failures.
    func checking<Value>(_ body: () throws(DownloadError) -> Value) -> Value? {
        do {
            return try body()
        } catch {
            failures.append(QueueReply.Failure(error))
            return nil
        }
    }

    func take(_ piece: Result<[InputList.Entry], DownloadError>) {
        switch piece {
        case .failure(let error): failures.append(QueueReply.Failure(error))
        case .success(let entries):
            for entry in entries {
                switch entry {
                case .file(let file) where !file.options.headers.isEmpty:
                    fail("a queue stores no headers; use them with segdl queue start", file.line)
                case .file(let file):
                    omittedHeaders.formUnion(file.options.omittedHeaders)
                    ignoredOptions.formUnion(file.options.ignoredOptions)
                    waiting.append(file)
                case .wrong(let what, let line): fail(what, line)
                }
            }
        }
    }

    private func fail(_ what: String, _ line: Int) {
        failures.append(
            QueueReply.Failure(DownloadError(.invalidSetting, "\(list):\(line): \(what).")))
    }
}

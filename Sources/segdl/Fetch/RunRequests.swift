import SegmentedDL

/// The requests for the files of a run, by their numbers.
///
/// A run may have very many files, and a request takes about a kilobyte. Most files of a list are therefore
/// stored as their text, from which their requests are made again.
struct RunRequests: RandomAccessCollection, Sendable {
    /// A class, because a dictionary has room for more values than it stores.
    private final class Other: Sendable {
        let request: RunRequest
        let entry: InputList.Entry?

        init(_ request: RunRequest, _ entry: InputList.Entry?) {
            self.request = request
            self.entry = entry
        }
    }

    private let usual: DownloadRequest?
    private let directory: String?
    /// The lines of all entries that are stored as text.
    private var texts: [UInt8] = []
    private var ends: [Int] = []
    /// The files that are not stored as text.
    private var others: [Int: Other] = [:]

    /// - Parameters:
    ///   - usual: The request for a file without its own settings; `nil` to store no file as text.
    ///   - directory: The directory of files that are named individually on the command line.
    init(usual: DownloadRequest? = nil, directory: String? = nil) {
        self.usual = usual
        self.directory = directory
    }

    init(_ requests: some Sequence<RunRequest>) {
        self.init()
        for request in requests { append(request, nil) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { ends.count }

    subscript(id: Int) -> RunRequest {
        if let other = others[id] { return other.request }
        return request(for: .file(file(id)))
    }

    /// The numbers of the files for which no request could be made.
    var failures: [Int] {
        others.filter { if case .failure = $0.value.request { true } else { false } }.keys.sorted()
    }

    /// Returns the request for a file, or the reason why none could be made.
    ///
    /// - Parameter list: The name of the list that the entry is from.
    func request(for entry: InputList.Entry, in list: String = "") -> RunRequest {
        let place = "\(list):\(entry.line)"
        switch entry {
        case .wrong(let reason, _):
            return .failure(DownloadError(.invalidSetting, "\(place): \(reason).", url: place))
        case .file(let file):
            guard let usual else { return .failure(DownloadError(.invalidSetting, place)) }
            do throws(DownloadError) {
                return .success(try file.request(as: usual, directory: directory))
            } catch {
                var located = error
                if file.line > 0 { located.message = "\(place): \(error.message)" }
                return .failure(located)
            }
        }
    }

    /// - Parameter entry: The entry that the request was made of; `nil` if none.
    mutating func append(_ request: RunRequest, _ entry: InputList.Entry?) {
        if usual != nil, case .success = request, let text = entry.flatMap(Self.text) {
            texts += text.utf8
        } else {
            others[count] = Other(request, entry)
        }
        ends.append(texts.count)
    }

    /// Returns the requests with another destination.
    func with(_ destination: DownloadRequest.Destination) -> RunRequests {
        var changed = RunRequests()
        for id in indices { changed.append(self[id].map { $0.with(destination) }, entry(id)) }
        return changed
    }

    // MARK: Entries

    /// Returns the entry of a file; `nil` if it has none.
    func entry(_ id: Int) -> InputList.Entry? {
        if let other = others[id] { return other.entry }
        return .file(file(id))
    }

    private func file(_ id: Int) -> InputList.File {
        let text = String(decoding: texts[(id > 0 ? ends[id - 1] : 0)..<ends[id]], as: UTF8.self)
        return Self.file(text) ?? InputList.File(urls: [text])
    }

    private static func file(_ text: String) -> InputList.File? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }) else {
            return InputList.File(urls: [text])
        }
        guard case .file(var file)? = InputList.parse(text).first else { return nil }
        file.line = 0
        return file
    }

    /// Returns the lines that are read as the same file; `nil` if there are none.
    private static func text(of entry: InputList.Entry) -> String? {
        guard case .file(var file) = entry, file.line > 0 else { return nil }
        file.line = 0
        if file.urls.count == 1, file.options == InputOptions() { return file.urls[0] }
        let text = String(InputList.text(of: entry, in: "").dropLast())
        return Self.file(text) == file ? text : nil
    }
}

import SegmentedDL

/// Collects the requests of a run without repetitions: a second download would write the same file.
struct RequestCollector {
    private(set) var requests: RunRequests
    /// The first source of each scheme.
    private(set) var sources: [Source] = []
    /// True if a file was omitted, because it occurred before.
    private(set) var hasRepetitions = false
    /// The names of the headers that are omitted, because each request sets them itself.
    private(set) var omittedHeaders: Set<String> = []
    /// The names of the options of lists that have no effect.
    private(set) var ignoredOptions: Set<String> = []
    /// The name of the list.
    private let list: String
    /// The first file with a source and a destination, by their hash: a list may have very many files.
    private var first: [Int: Int32] = [:]

    init(_ requests: RunRequests = RunRequests(), list: String = "") {
        self.requests = requests
        self.list = list
    }

    mutating func add(_ entry: InputList.Entry) {
        if case .file(let file) = entry {
            omittedHeaders.formUnion(file.options.omittedHeaders)
            ignoredOptions.formUnion(file.options.ignoredOptions)
        }
        add(requests.request(for: entry, in: list), entry)
    }

    /// - Parameter entry: The entry that the request was made of; `nil` if none.
    mutating func add(_ request: RunRequest, _ entry: InputList.Entry? = nil) {
        if case .success(let wanted) = request {
            if isRepeated(wanted) { return hasRepetitions = true }
            if !sources.contains(where: { $0.origin.scheme == wanted.source.origin.scheme }) {
                sources.append(wanted.source)
            }
        }
        requests.append(request, entry)
    }

    private mutating func isRepeated(_ request: DownloadRequest) -> Bool {
        var hasher = Hasher()
        hasher.combine(request.source)
        hasher.combine(request.destination)
        let key = hasher.finalize()
        guard let earlier = first[key] else {
            first[key] = Int32(requests.count)
            return false
        }
        return request == (try? requests[Int(earlier)].get())
    }
}

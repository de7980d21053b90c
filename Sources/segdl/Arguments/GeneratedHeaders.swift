import SegmentedDL

/// The headers that options of other tools become, such as curl's `--cookie`. As in curl, a header that is
/// given as such replaces them.
struct GeneratedHeaders {
    private static let options: Set<String> = ["-b", "--cookie", "--bearer", "--oauth2-bearer"]

    /// The indices of the generated values among the arguments, by the names of the headers in lower case.
    private var places: [String: Int] = [:]
    /// The names of the headers that are given as such, in lower case.
    private var given: Set<String> = []

    /// Records an option that is or becomes a header.
    ///
    /// - Parameters:
    ///   - option: Its name as typed.
    ///   - translated: Our option and its value.
    ///   - arguments: The arguments so far.
    /// - Returns: True if its value has been combined with an earlier one.
    mutating func take(_ option: String, _ translated: [String], _ arguments: inout [String]) -> Bool {
        guard translated.count == 2, ["-H", "--header"].contains(translated[0]),
            let line = HeaderLine(translated[1])
        else { return false }
        let name = line.name.lowercased()
        guard Self.options.contains(option), let value = line.sent?.value else {
            given.insert(name)
            return false
        }
        guard let place = places[name] else {
            places[name] = arguments.count + 1
            return false
        }
        // A request has one Cookie field (RFC 6265, section 5.4). Of several tokens, the last one is sent.
        arguments[place] = name == "cookie" ? "\(arguments[place]); \(value)" : translated[1]
        return true
    }

    /// Removes the headers that others replace.
    func removeReplaced(from arguments: inout [String]) {
        for place in places.filter({ given.contains($0.key) }).values.sorted().reversed() {
            arguments.removeSubrange(place - 1...place)
        }
    }
}

/// The protocols that curl's `--proto` allows.
enum AllowedProtocols {
    /// Returns true if the list includes plain HTTP.
    ///
    /// - Parameter list: For example `=https` or `-all,https`: each part allows a protocol, forbids it with a
    ///   minus, or allows only it with an equals sign (curl's manual, --proto).
    static func includeHTTP(_ list: String) -> Bool {
        var allows = true
        for part in list.lowercased().split(separator: ",") {
            let name = part.drop { "+-=".contains($0) }
            let isHTTP = name == "http" || name == "all"
            switch part.first {
            case "=": allows = isHTTP
            case "-": allows = allows && !isHTTP
            default: allows = allows || isHTTP
            }
        }
        return allows
    }
}

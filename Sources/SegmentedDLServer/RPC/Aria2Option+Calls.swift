internal import SegmentedDLOptions

/// aria2's options in calls.
extension Aria2Option {
    /// True for an option that a caller must not set, because it refers to files or programs on this machine
    /// or to the rules for callers. Clients may send aria2's default for it, which has no effect.
    static func isForbidden(_ name: String, _ value: JSONValue) -> Bool {
        let harmless = Aria2Options.named[name]?.harmlessValues
        guard harmless != nil || name.hasPrefix("on-") || name.hasPrefix("rpc-") else { return false }
        guard let text = value.text, !text.isEmpty else { return value.text == nil }
        return harmless?.contains(text) != true
    }

    /// Reads the values of an option that calls may set.
    ///
    /// - Parameter usual: The only allowed value of an option that must have its default.
    /// - Returns: `nil` for a value of the wrong type, which aria2 ignores.
    /// - Throws: `RPCFailure` with aria2's message for an invalid value.
    func values(_ value: JSONValue, usual: String?) throws(RPCFailure) -> [String]? {
        let texts: [String]
        if kind == .list, let elements = value.elements {
            texts = elements.compactMap(\.text)
        } else if let text = value.text {
            if kind == .list {
                texts = text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init)
            } else {
                texts = [text]
            }
        } else {
            return nil
        }
        var values: [String] = []
        for text in texts { values.append(try self.value(text, usual: usual)) }
        return values
    }

    private func value(_ text: String, usual: String?) throws(RPCFailure) -> String {
        let value = text.isEmpty ? valueOfNothing(usual: usual) : text
        let isText = !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }
        let isAllowed = call?.remedy == nil || value == usual
        // The download itself reports a malformed digest.
        guard isText, isAllowed, kind == .checksum || fault(in: value) == nil else {
            let remedy = call?.remedy.map { " \($0)" } ?? ""
            throw RPCFailure("We encountered a problem while processing the option '--\(name)'.\(remedy)")
        }
        return normalized(value)
    }

    /// The value for an empty text: a flag alone is true, as on aria2's command line.
    private func valueOfNothing(usual: String?) -> String {
        if call?.remedy != nil { return usual ?? "" }
        return kind == .flag ? "true" : ""
    }
}

internal import SegmentedDL

extension Aria2Option {
    /// Returns aria2's message for an invalid value; `nil` for a valid one.
    package func fault(in value: String) -> String? {
        switch kind {
        case .flag:
            return value == "true" || value == "false" ? nil : "\(name) must be either 'true' or 'false'."
        case .number(let range):
            guard let number = Int(value) else { return "Bad number \(Printable.text(value))" }
            return outside(range, number)
        case .size(let range):
            guard let size = ByteSize.aria2(value) else {
                return "Bad or negative value detected: \(Printable.text(value))"
            }
            return outside(range, size.bytes)
        case .choice(let choices):
            guard !choices.contains(value) else { return nil }
            let known = choices.map { "'\($0)'" }.joined(separator: " ")
            return "\(name) must be one of the following:\(known)"
        case .checksum:
            let isChecksum = value.isEmpty || (try? Checksum(parsing: value)) != nil
            return isChecksum ? nil : "Unrecognized checksum"
        case .text, .path, .optional, .list, .command:
            return nil
        }
    }

    private func outside<Number: FixedWidthInteger>(
        _ range: ClosedRange<Number>, _ number: Number
    ) -> String? {
        guard !range.contains(number) else { return nil }
        return range.upperBound == .max
            ? "\(name) must be greater than or equal to \(range.lowerBound)."
            : "\(name) must be between \(range.lowerBound) and \(range.upperBound)."
    }
}

import ArgumentParser
import SegmentedDL
internal import SegmentedDLQueue

/// A selection of downloads as entered by the user.
struct Selector: Codable, Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    let text: String
    let selection: Selection

    init(_ id: Receipt.ID) {
        text = id.description
        selection = .id(id)
    }

    init?(argument: String) {
        guard let selection = Self.parse(argument) else { return nil }
        text = argument
        self.selection = selection
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let selector = Selector(argument: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: text)
        }
        self = selector
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Returns the selections in an argument: one, or several numbers separated by commas.
    ///
    /// - Throws: `ValidationError` with the valid values.
    static func several(_ text: String) throws -> [Selector] {
        if let one = Selector(argument: text) { return [one] }
        let numbers = text.split(separator: ",").map { Int64($0) }
        guard !numbers.isEmpty, !numbers.contains(nil) else {
            throw ValidationError("use a number, a URL, key:NAME, state:STATE, position:N, or all.")
        }
        return numbers.compactMap { $0.map { Selector(Receipt.ID(rawValue: $0)) } }
    }

    var description: String { text }

    private static func parse(_ text: String) -> Selection? {
        if text == "all" { return .all }
        if let number = Int64(text) { return .id(Receipt.ID(rawValue: number)) }
        if text.contains("://") { return .url(text) }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let value = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "key": return .key(value)
        case "state": return DownloadState(rawValue: value).map { .state($0) }
        case "position": return Int(value).map { .position($0) }
        default: return nil
        }
    }
}

/// The downloads that a subcommand applies to.
struct SelectorArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A number, a URL, key:NAME, state:STATE, position:N, or all.", valueName: "select"),
        transform: Selector.several)
    var several: [[Selector]]

    var selectors: [Selector] { several.flatMap(\.self) }
}

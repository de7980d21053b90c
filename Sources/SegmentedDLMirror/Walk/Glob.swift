public import SegmentedDL

/// A pattern for relative paths.
///
/// | pattern | matches | |---|---| | `*` | any number of characters except slashes, possibly none | | `?` |
/// one character except a slash | | `[a-z_]` | one of these characters; `[!a-z]` and `[^a-z]` match any other
/// character | | `**` as a whole component | any number of components, possibly none | | `\` | the next
/// character literally |
///
/// A character is a Unicode scalar; matching is case-sensitive. A pattern without a slash is compared with
/// names at any depth; one with a slash, even a leading one, is compared with the whole path below the
/// mirror's root. A pattern with a trailing slash matches only directories. A pattern that matches a
/// directory covers everything in it.
public struct Glob: Sendable, Hashable, CustomStringConvertible {
    private enum Component: Sendable, Hashable {
        case anyNumber
        case name([Token])
    }

    private enum Token: Sendable, Hashable {
        case scalar(Unicode.Scalar)
        case anyOne
        case anyRun
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let wanted): scalar == wanted
            case .anyOne: true
            case .anyRun: false
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    /// The text of the pattern.
    public let description: String

    private var components: [Component] = []
    private let isForNames: Bool
    private let isForDirectories: Bool

    /// Parses a pattern.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if it is empty, a bracket is not closed, or it
    ///   ends with a backslash.
    public init(_ pattern: String) throws(DownloadError) {
        description = pattern
        var rest = pattern.unicodeScalars[...]
        isForDirectories = rest.last == "/" && rest.count > 1
        if isForDirectories { rest.removeLast() }
        isForNames = !rest.contains("/")
        if rest.first == "/" { rest.removeFirst() }
        guard !rest.isEmpty else {
            throw DownloadError(.invalidSetting, "The pattern '\(pattern)' is empty; write a name or a path.")
        }
        var tokens: [Token] = []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "/":
                components.append(Self.component(tokens))
                tokens = []
            case "*": tokens.append(.anyRun)
            case "?": tokens.append(.anyOne)
            case "[": tokens.append(try Self.set(&rest, of: pattern))
            case "\\":
                guard let next = rest.popFirst() else {
                    throw DownloadError(
                        .invalidSetting,
                        "The pattern '\(pattern)' ends in a backslash; write two for a literal one.")
                }
                tokens.append(.scalar(next))
            default: tokens.append(.scalar(scalar))
            }
        }
        components.append(Self.component(tokens))
    }

    private static func component(_ tokens: [Token]) -> Component {
        tokens == [.anyRun, .anyRun] ? .anyNumber : .name(tokens)
    }

    private static func set(
        _ rest: inout Substring.UnicodeScalarView, of pattern: String
    ) throws(DownloadError) -> Token {
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let scalar = rest.popFirst() {
            // A closing bracket right after the opening one belongs to the set.
            if scalar == "]", !ranges.isEmpty { return .oneOf(ranges, isNegated: isNegated) }
            guard scalar != "/" else { break }
            var low = scalar
            if scalar == "\\", let next = rest.popFirst() { low = next }
            guard rest.first == "-", let high = rest.dropFirst().first, high != "]" else {
                ranges.append(low...low)
                continue
            }
            rest.removeFirst(2)
            guard low <= high else {
                throw DownloadError(
                    .invalidSetting,
                    "The pattern '\(pattern)' contains the empty range '\(low)-\(high)'.")
            }
            ranges.append(low...high)
        }
        throw DownloadError(
            .invalidSetting,
            "The pattern '\(pattern)' contains a '[' without a ']'; write '\\[' for a literal one.")
    }

    /// Returns true if the pattern matches this path itself.
    ///
    /// - Parameters:
    ///   - path: A path below the mirror's root.
    ///   - isDirectory: True if the path is that of a directory.
    public func matches(_ path: RelativePath, isDirectory: Bool = false) -> Bool {
        matches(path.components[...], isDirectory: isDirectory)
    }

    private func matches(_ names: ArraySlice<Substring>, isDirectory: Bool) -> Bool {
        guard isDirectory || !isForDirectories else { return false }
        return states(after: isForNames ? names.suffix(1) : names).contains(components.count)
    }

    /// Returns true if the pattern matches this file, or a directory that contains it.
    public func covers(_ file: RelativePath) -> Bool {
        covers(file.components, isDirectory: false)
    }

    /// Returns true if the pattern matches the path with these components, or a directory that contains it.
    func covers(_ names: [Substring], isDirectory: Bool) -> Bool {
        names.indices.reversed().contains { last in
            matches(names[...last], isDirectory: isDirectory || last < names.count - 1)
        }
    }

    /// Returns true if a path below the directory with these components can match.
    func canMatch(below directory: [Substring]) -> Bool {
        isForNames || states(after: directory[...]).contains { $0 < components.count }
    }

    /// Returns how many pattern components these path components may have consumed.
    private func states(after names: ArraySlice<Substring>) -> Set<Int> {
        var states = closure([0])
        for name in names {
            var next: Set<Int> = []
            for state in states where state < components.count {
                switch components[state] {
                case .anyNumber: next.insert(state)
                case .name(let tokens): if Self.matches(tokens, name) { next.insert(state + 1) }
                }
            }
            states = closure(next)
        }
        return states
    }

    /// Adds the states reached if `**` matches no component.
    private func closure(_ states: Set<Int>) -> Set<Int> {
        var all = states
        for var state in states {
            while state < components.count, components[state] == .anyNumber {
                state += 1
                all.insert(state)
            }
        }
        return all
    }

    /// Returns true if the tokens match the name. Backtracks only to the last `*`, so even a malicious name
    /// takes at most time proportional to the product of both lengths.
    private static func matches(_ tokens: [Token], _ name: Substring) -> Bool {
        let scalars = Array(name.unicodeScalars)
        var (token, position) = (0, 0)
        var star: (token: Int, position: Int)?
        while position < scalars.count {
            if token < tokens.count, tokens[token] == .anyRun {
                star = (token, position)
                token += 1
            } else if token < tokens.count, tokens[token].matches(scalars[position]) {
                token += 1
                position += 1
            } else if let last = star {
                star = (last.token, last.position + 1)
                token = last.token + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .anyRun }
    }
}

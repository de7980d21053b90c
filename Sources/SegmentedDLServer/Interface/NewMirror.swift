internal import SegmentedDL
internal import SegmentedDLMirror

/// A mirror that an API caller adds.
struct NewMirror: Equatable {
    var order: MirrorOrder
    /// True if it must not run until a caller requests it.
    var isStopped = false

    /// - Throws: `InterfaceError` for members of the wrong type or unknown names.
    init(_ members: [String: JSONValue]) throws(InterfaceError) {
        guard let source = members["source"]?.text, let directory = members["directory"]?.text,
            !source.isEmpty, !directory.isEmpty
        else {
            throw InterfaceError.bad("A mirror needs 'source', a URL, and 'directory', a string.")
        }
        order = MirrorOrder(source: source, directory: directory)
        for (name, value) in members where value != .null { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(InterfaceError) {
        switch name {
        case "source", "directory": _ = try value.text(of: name)
        case "format": order.format = try Self.format(value)
        case "prefix": order.prefix = try value.text(of: name)
        case "include": order.include = try value.texts(of: name)
        case "exclude": order.exclude = try value.texts(of: name)
        case "headers": order.headers = try value.texts(of: name)
        case "expectedTypes": order.expectedTypes = try value.texts(of: name)
        case "depth":
            guard let depth = value.whole, (0...1_000).contains(depth) else {
                throw InterfaceError.bad("'depth' must be a whole number from 0 to 1000.")
            }
            order.depth = Int(depth)
        case "deletes": order.deletes = try value.flag(of: name)
        case "stopped": isStopped = try value.flag(of: name)
        default: throw InterfaceError.bad("'\(Printable.text(name))' is not a member of a mirror.")
        }
    }

    private static func format(_ value: JSONValue) throws(InterfaceError) -> MirrorFormat {
        guard let text = value.text, let format = MirrorFormat(rawValue: text) else {
            let names = MirrorFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw InterfaceError.bad("'format' must be one of \(names).")
        }
        return format
    }
}

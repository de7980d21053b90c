/// The parameters of a call, without its token.
struct RPCParameters: Sendable {
    let values: [JSONValue]

    init(_ values: [JSONValue]) {
        self.values = values
    }

    func required(_ index: Int) throws(RPCFailure) -> JSONValue {
        guard index < values.count else {
            throw RPCFailure("The parameter at \(index) is required but missing.")
        }
        return values[index]
    }

    func text(_ index: Int) throws(RPCFailure) -> String {
        guard let text = try required(index).text else { throw Self.wrongType(index) }
        return text
    }

    func integer(_ index: Int) throws(RPCFailure) -> Int {
        guard let number = try required(index).whole, let integer = Int(exactly: number) else {
            throw Self.wrongType(index)
        }
        return integer
    }

    /// Returns a number of `least` or more.
    func count(_ index: Int, from least: Int = 0) throws(RPCFailure) -> Int {
        let count = try integer(index)
        guard count >= least else {
            throw RPCFailure(
                "The integer parameter at \(index) has invalid value: the value must be greater than or equal to \(least)."
            )
        }
        return count
    }

    /// Returns a position in a list; `nil` if the parameter is missing.
    func position(_ index: Int) throws(RPCFailure) -> Int? {
        guard index < values.count else { return nil }
        let position = try integer(index)
        guard position >= 0 else { throw RPCFailure("Position must be greater than or equal to 0.") }
        return position
    }

    func texts(_ index: Int) throws(RPCFailure) -> [String] {
        guard let elements = try required(index).elements else { throw Self.wrongType(index) }
        return elements.compactMap(\.text)
    }

    /// The names of the requested members; `nil` for all.
    func keys(_ index: Int) throws(RPCFailure) -> Set<String>? {
        guard index < values.count else { return nil }
        let keys = try texts(index)
        return keys.isEmpty ? nil : Set(keys)
    }

    func options(_ index: Int) throws(RPCFailure) -> [String: JSONValue] {
        guard let members = try required(index).members else { throw Self.wrongType(index) }
        return members
    }

    private static func wrongType(_ index: Int) -> RPCFailure {
        RPCFailure("The parameter at \(index) has wrong type.")
    }
}

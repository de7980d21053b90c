/// Accessors for a call's members that check their types.
extension JSONValue {
    /// Returns the string of a member.
    func text(of name: String) throws(InterfaceError) -> String {
        guard let text, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw InterfaceError.bad("'\(name)' must be a string without control characters.")
        }
        return text
    }

    /// Returns the strings of a member.
    func texts(of name: String) throws(InterfaceError) -> [String] {
        guard let elements else {
            throw InterfaceError.bad("'\(name)' must be a list of strings.")
        }
        return try elements.map { element throws(InterfaceError) in try element.text(of: name) }
    }

    /// Returns the number of a member.
    func number(of name: String, from least: Int64 = 0) throws(InterfaceError) -> Int64 {
        guard let whole, whole >= least, whole <= Int32.max else {
            throw InterfaceError.bad("'\(name)' must be a whole number of \(least) or more.")
        }
        return whole
    }

    /// Returns the Boolean value of a member.
    func flag(of name: String) throws(InterfaceError) -> Bool {
        guard case .bool(let flag) = self else {
            throw InterfaceError.bad("'\(name)' must be true or false.")
        }
        return flag
    }
}

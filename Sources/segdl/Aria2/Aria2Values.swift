/// The values of aria2's options: those that were given, and aria2's defaults for all others.
struct Aria2Values: Sendable, Equatable {
    /// The given values by name. Only lists have several.
    private(set) var given: [String: [String]] = [:]

    /// - Parameter home: The home directory.
    /// - Throws: `Aria2Failure` if the value makes no sense, or if segdl does not do that work.
    mutating func set(_ option: Aria2Option, _ text: String, home: String?) throws(Aria2Failure) {
        let value = try option.checked(text, home: home)
        if case .missing(let remedy) = option.scope, value != "false" {
            throw Aria2Failure(message: "segdl does not have aria2's --\(option.name). \(remedy)")
        }
        if option.kind == .list {
            given[option.name, default: []].append(value)
        } else {
            given[option.name] = [value]
        }
    }

    /// Returns these values with others in front of them. A list replaces the list behind it, as with aria2.
    func overridden(by others: Aria2Values) -> Aria2Values {
        var values = self
        values.given.merge(others.given) { _, other in other }
        return values
    }

    /// Returns the values without those of some options.
    func without(_ names: [String]) -> Aria2Values {
        var values = self
        for name in names { values.given[name] = nil }
        return values
    }

    /// The value of an option; `nil` if it was not given and aria2 has no default.
    func text(_ name: String) -> String? { given[name]?.last ?? Aria2Options.named[name]?.usual }

    /// As `text`, but `nil` for an empty value, which stands for none.
    func nonEmpty(_ name: String) -> String? { text(name).flatMap { $0.isEmpty ? nil : $0 } }

    func flag(_ name: String) -> Bool { text(name) == "true" }

    func number(_ name: String) -> Int { text(name).flatMap { Int($0) } ?? 0 }

    /// Bytes, or bytes per second.
    func size(_ name: String) -> Int { text(name).flatMap(Aria2Option.bytes) ?? 0 }

    /// As `size`, but `nil` for 0, which stands for no limit.
    func limit(_ name: String) -> Int64? {
        let size = size(name)
        return size > 0 ? Int64(size) : nil
    }

    func list(_ name: String) -> [String] { given[name] ?? [] }

    /// The names of given options that change nothing here.
    var withoutEffect: [String] {
        given.keys.filter { Aria2Options.named[$0]?.scope == .nothing }.sorted()
    }
}

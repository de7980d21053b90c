package import SegmentedDL

/// The values of aria2's options: the given ones, and the defaults of all others.
package struct Aria2Values: Sendable, Equatable {
    /// The values of options that are not given.
    package enum Defaults: Sendable {
        /// aria2's defaults.
        case command
        /// The defaults of a daemon.
        case call
    }

    private let defaults: Defaults
    /// The given values by name. Only options for lists have several.
    package var given: [String: [String]]

    package init(_ given: [String: [String]] = [:], defaults: Defaults = .command) {
        self.given = given
        self.defaults = defaults
    }

    /// Adds the value of an option that segdl's own lists accept (``Aria2Option/isInLists``).
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for an invalid value.
    package mutating func add(_ option: Aria2Option, _ value: String) throws(DownloadError) {
        if let fault = option.fault(in: value) {
            throw DownloadError(.invalidSetting, fault.hasSuffix(".") ? fault : "\(fault).")
        }
        given[option.name] = [value]
    }

    /// The header fields of `--http-no-cache`.
    package static let noCache = [HTTPHeader("Cache-Control", "no-cache"), HTTPHeader("Pragma", "no-cache")]

    /// Returns these values overridden by others. A list replaces the existing list, as in aria2.
    package func overridden(by others: Aria2Values) -> Aria2Values {
        var values = self
        values.given.merge(others.given) { _, other in other }
        return values
    }

    /// Returns the values except those of some options.
    package func without(_ names: [String]) -> Aria2Values {
        var values = self
        for name in names { values.given[name] = nil }
        return values
    }

    /// The value of an option; `nil` if it was not given and has no default.
    package func text(_ name: String) -> String? {
        if let value = given[name]?.last { return value }
        let option = Aria2Options.named[name]
        return defaults == .command ? option?.usual : option?.call?.usual
    }

    /// Like `text`, but `nil` for an empty value, which means none.
    package func nonEmpty(_ name: String) -> String? { text(name).flatMap { $0.isEmpty ? nil : $0 } }

    package func flag(_ name: String) -> Bool { text(name) == "true" }

    package func number(_ name: String) -> Int { text(name).flatMap { Int($0) } ?? 0 }

    /// A size in bytes, or a rate in bytes per second.
    package func size(_ name: String) -> Int64 { text(name).flatMap { ByteSize.aria2($0)?.bytes } ?? 0 }

    /// Like `size`, but `nil` for 0, which means no limit.
    package func limit(_ name: String) -> Int64? {
        let size = size(name)
        return size > 0 ? size : nil
    }

    package func list(_ name: String) -> [String] { given[name] ?? [] }

    /// The names of given options without effect here.
    package var withoutEffect: [String] {
        given.keys.filter { Aria2Options.named[$0]?.scope == .nothing }.sorted()
    }
}

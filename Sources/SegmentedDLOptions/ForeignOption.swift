/// An option of curl, wget, aria2, axel or rclone, as interpreted by `segdl fetch`.
package struct ForeignOption: Sendable, Equatable {
    package enum Meaning: Equatable, Sendable {
        /// Our option with the same meaning; both have a value.
        case value(String)
        /// Our flag, or one of our options with a value.
        case flag([String])
        /// The default behaviour of segdl, so it has no effect.
        case isDefault
        /// An option with a value that is segdl's default or does not affect the files.
        case isDefaultWithValue
        /// An option that segdl does not have, with the alternative as a sentence.
        case missing(String)
    }

    /// The names with this meaning, with dashes.
    package let names: [String]
    package let meaning: Meaning

    init(_ meaning: Meaning, _ names: String...) {
        self.names = names
        self.meaning = meaning
    }

    /// All options: those of aria2, and those of the other tools.
    package static let all: [ForeignOption] =
        Aria2Options.all.compactMap { option in
            option.meaning.map { ForeignOption($0, "--\(option.name)") }
        } + ofOthers

    private static let meanings: [String: Meaning] = Dictionary(
        all.flatMap { option in option.names.map { ($0, option.meaning) } },
        uniquingKeysWith: { first, _ in first })

    /// Returns the meaning of another tool's option; `nil` for an unknown option.
    package static func meaning(of name: String) -> Meaning? { meanings[name] }
}

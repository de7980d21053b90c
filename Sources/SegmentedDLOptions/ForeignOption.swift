/// An option of curl, wget, aria2, axel or rclone, as interpreted by `segdl fetch`.
package struct ForeignOption: Sendable, Equatable {
    package enum Meaning: Equatable, Sendable {
        /// Our option of the same meaning; both have a value.
        case value(String)
        /// Our flag, or one of our options with its value.
        case flag([String])
        /// The default behaviour here.
        case isDefault
        /// It has a value, and is the default here or does not affect the files.
        case isDefaultWithValue
        /// segdl does not have it: the alternative, as a sentence.
        case missing(String)
    }

    /// The names of one meaning, with their dashes.
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

    /// Returns the meaning of an option that is not one of ours; `nil` for an unknown one.
    package static func meaning(of name: String) -> Meaning? { meanings[name] }
}

/// An option of curl, wget, aria2, axel or rclone, as `segdl fetch` understands it.
package struct ForeignOption: Sendable, Equatable {
    package enum Meaning: Equatable, Sendable {
        /// Our option of the same meaning; both have a value.
        case value(String)
        /// Our flag, or an option of ours with its value.
        case flag([String])
        /// This is the default here.
        case isDefault
        /// This has a value, and is the default here or of no effect on the files.
        case isDefaultWithValue
        /// segdl does not have it: what to do instead, as a sentence.
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

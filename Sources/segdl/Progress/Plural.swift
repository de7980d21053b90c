/// Formats counts with the correct plural.
enum Plural {
    /// Returns `1 file`, `2 files`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(form(of: noun, number))"
    }

    /// Returns the noun in the form that follows the number: `file`, `files`.
    static func form(of noun: String, _ number: Int) -> String {
        number == 1 ? noun : noun + "s"
    }
}

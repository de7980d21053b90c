/// A key as reported by a terminal. Keys without a function have no case.
enum Key: Sendable, Hashable {
    /// A typed letter, digit, sign or space.
    case character(Character)
    /// A letter typed with the control key.
    case control(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape
}

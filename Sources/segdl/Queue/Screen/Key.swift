/// A key as a terminal reports it. Keys that nothing listens to have no case.
enum Key: Sendable, Hashable {
    /// A letter, digit, sign or space, as it was typed.
    case character(Character)
    /// A letter typed with the control key.
    case control(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape
}

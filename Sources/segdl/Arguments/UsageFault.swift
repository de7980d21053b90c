/// Invalid arguments.
struct UsageFault: Error, Equatable {
    /// A sentence for the user.
    let reason: String
}

extension Source {
    /// A source's rank in one download's order of preference.
    typealias Index = Int
}

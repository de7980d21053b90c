extension Source {
    /// The rank of a source in one download's order of preference.
    typealias Index = Int
}

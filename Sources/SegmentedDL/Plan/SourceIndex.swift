extension Source {
    /// A source's place in the order of preference of one download.
    typealias Index = Int
}

extension Duration {
    /// This duration, or 50 years if it is longer: the clocks of tasks count nanoseconds in 64 bits, and a
    /// longer sleep crashes the process.
    package var asSleep: Duration { min(self, .seconds(50 * 365 * 86_400)) }
}

/// A piecewise constant function of virtual time, such as a speed.
struct Steps: Sendable {
    private var values: [(from: Double, value: Double)]

    init(_ value: Double) {
        values = [(-.infinity, value)]
    }

    /// Returns the same function with another value from `time` on. Times must ascend.
    func then(_ value: Double, from time: Double) -> Steps {
        var changed = self
        changed.values.append((time, value))
        return changed
    }

    subscript(_ time: Double) -> Double {
        values.last { $0.from <= time }?.value ?? 0
    }

    /// Returns the time of the next change; infinity if there is none.
    func change(after time: Double) -> Double {
        values.first { $0.from > time }?.from ?? .infinity
    }
}

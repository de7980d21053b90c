/// A number that changes at set times and is constant in between: a speed over virtual time.
struct Steps: Sendable {
    private var values: [(from: Double, value: Double)]

    init(_ value: Double) {
        values = [(-.infinity, value)]
    }

    /// The same, but from `time` on another value. Times must ascend.
    func then(_ value: Double, from time: Double) -> Steps {
        var changed = self
        changed.values.append((time, value))
        return changed
    }

    subscript(_ time: Double) -> Double {
        values.last { $0.from <= time }?.value ?? 0
    }

    /// When it changes next; infinity if never again.
    func change(after time: Double) -> Double {
        values.first { $0.from > time }?.from ?? .infinity
    }
}

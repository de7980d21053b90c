extension Target {
    static let retryAfter = Target(name: "retry-after") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for now in [0, 784_111_777, 4_102_444_800] as [Int64] {
            guard let seconds = RetryAfter.seconds(text, now: now) else { continue }
            promise((0...RetryAfter.maximumSeconds).contains(seconds), "\(seconds)")
        }
    }
}

/// The only table of pseudo-random bytes, from which all content is taken.
enum NoiseTable {
    static let blockShift: Int64 = 16
    static let blockSize = 1 << 16
    static let windowCount = 1 << 20
    static let stampSize = 8

    /// One block longer than the number of windows, so that every window is contiguous and one `memcpy`
    /// suffices.
    static let bytes: [UInt8] = {
        let size = windowCount + blockSize
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var state: UInt64 = 0x0123_4567_89AB_CDEF
            for offset in stride(from: 0, to: size, by: 8) {
                state &+= 0x9E37_79B9_7F4A_7C15
                raw.storeBytes(of: mix(state).littleEndian, toByteOffset: offset, as: UInt64.self)
            }
            count = size
        }
    }()

    /// The output function of splitmix64.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

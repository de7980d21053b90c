extension Bottleneck {
    /// A sentence for users about an active download; the kind's name if this version does not know the kind.
    public var description: String {
        let allowed = connections == 1 ? "1 connection is" : "\(number) connections are"
        return switch kind {
        case .connectionRate: "The server gives each of \(number) connections \(speed)."
        case .line: "The line is full at \(speed): more connections bring nothing."
        case .loss: "The line loses packets: over \(trip) \(each) brings \(speed)."
        case .roundTrip: "The server is \(trip) away, and its connections are still getting faster."
        case .segmentCap: "Only \(allowed) allowed for one file, and each brings \(speed)."
        case .connectionCap: "All \(number) connections that are allowed are at work."
        case .hostCap: "All \(number) connections that one server may have, for all its files, are at work."
        case .requestCap: "All requests that are allowed to one server are under way, for \(part)."
        case .rateCap: "The cap of \(speed) on the speed of all downloads is reached."
        case .fileRateCap: "The cap of \(speed) on the speed of this file is reached."
        case .refusals: "The server is busy and refuses further connections, for \(part)."
        case .answers: "The server is silent, for \(part)."
        case .noRanges: "The server sends no byte ranges, so that one connection has to fetch all."
        case .disk: "The disk takes the bytes more slowly than they come, for \(part)."
        case .processor: "The processor is busy with the bytes that have come, for \(part)."
        default: kind.rawValue
        }
    }

    /// The sentence about an ended download.
    public var pastDescription: String {
        let allowed = connections == 1 ? "1 connection was" : "\(number) connections were"
        return switch kind {
        case .connectionRate: "The server gave each of \(number) connections \(speed)."
        case .line: "The line was full at \(speed): more connections brought nothing."
        case .loss: "The line lost packets: over \(trip) \(each) brought \(speed)."
        case .roundTrip:
            "The server was \(trip) away, and the file was complete before its connections were fast."
        case .segmentCap: "Only \(allowed) allowed for one file, and each brought \(speed)."
        case .connectionCap: "All \(number) connections that are allowed were at work."
        case .hostCap: "All \(number) connections that one server may have, for all its files, were at work."
        case .requestCap: "All requests that are allowed to one server were under way, for \(part)."
        case .rateCap: "The cap of \(speed) on the speed of all downloads was reached."
        case .fileRateCap: "The cap of \(speed) on the speed of this file was reached."
        case .refusals: "The server was busy and refused further connections, for \(part)."
        case .answers: "The server was silent, for \(part)."
        case .noRanges: "The server sent no byte ranges, so that one connection had to fetch all."
        case .disk: "The disk took the bytes more slowly than they came, for \(part)."
        case .processor: "The processor was busy with the bytes that had come, for \(part)."
        default: kind.rawValue
        }
    }

    private var number: Int { connections ?? 0 }

    private var trip: String { "a round trip of \(Int(((roundTrip ?? 0) * 1000).rounded())) ms" }

    private var each: String { number == 1 ? "its connection" : "each of \(number) connections" }

    private var part: String { "\(Int((share * 100).rounded())) % of the time" }

    private var speed: String {
        let value = max(0, bytesPerSecond ?? 0)
        let units = [(1_073_741_824.0, "GiB/s"), (1_048_576, "MiB/s"), (1024, "KiB/s")]
        guard let (unit, name) = units.first(where: { value >= $0.0 }) else { return "\(Int(value)) B/s" }
        let tenths = Int((min(value / unit, 1e6) * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
}
